"""What a target is fed in place of bytes: our decoded text, or whole lines.

Each function gives the units and, for each number of units taken, the number of chunks that this means: the first
item is for none taken.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

__all__ = ["line_units", "text_units"]

_new_decoder = codecs.getincrementaldecoder("utf-8")
_LINE_END = re.compile("\r\n|\n|\r")


def text_units(chunks: Sequence[bytes]) -> tuple[list[str], list[int]]:
    """The text of each chunk, by an incremental decoder that puts U+FFFD for what is ill-formed.

    A chunk of which no character is complete is not sent, but counts as taken with the next text; an empty chunk is
    sent as "". What the end of input cuts short is sent as one more text.
    """
    decode = _new_decoder("replace").decode
    units: list[str] = []
    taken = [0]
    for number, chunk in enumerate(chunks, 1):
        text = decode(chunk)
        if text or not chunk:
            units.append(text)
            taken.append(number)
    rest = decode(b"", True)
    if rest:
        units.append(rest)
        taken.append(len(chunks))
    return units, taken


def line_units(chunks: Sequence[bytes]) -> tuple[list[str], list[int]]:
    """The complete lines of the stream without their ends (CRLF, LF or CR), less one byte order mark at the start.

    A line counts with the chunk that holds its end (of CRLF: the CR, which already ends it).
    """
    texts, at = text_units(chunks)
    units: list[str] = []
    taken = [0]
    # The unfinished line comes in pieces: to join them at each chunk would be quadratic.
    rest: list[str] = []
    after_cr = False
    at_start = True
    for text, number in zip(texts, at[1:], strict=True):
        if at_start and text:
            text = text.removeprefix("\ufeff")
            at_start = False
        if after_cr and text:
            text = text.removeprefix("\n")
            after_cr = False
        if not text:
            continue
        after_cr = text[-1] == "\r"
        first, *others = _LINE_END.split(text)
        rest.append(first)
        if not others:
            continue
        lines = ["".join(rest), *others[:-1]]
        rest = others[-1:]
        units.extend(lines)
        taken.extend([number] * len(lines))
    return units, taken
