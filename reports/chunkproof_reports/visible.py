"""Bytes and text so that everything in them can be seen, and nothing in them can drive a terminal.

Control characters become the pictures that Unicode has for them (LF is ␊), what is invisible or joins with its
neighbour a ``\\u`` escape, ill-formed bytes a ``\\x`` escape. A backslash of the data is doubled, so that no escape
is ever data.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = [
    "BAR",
    "WireRow",
    "cells",
    "character_size",
    "clip",
    "count_of",
    "folded",
    "pad",
    "show",
    "units",
    "wire_rows",
]

#: How a cut is drawn; a bar that is data is drawn with a backslash.
BAR = "|"

_ESCAPED = {"\\": "\\\\", BAR: "\\|", "\x7f": "␡"}
_ESCAPE_SIZES = {"x": 4, "u": 6, "U": 10}
# Categories that cannot be seen, or only together with what stands before them.
_ODD = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Mc", "Me")

# Of a longer stretch of text that is shown as it is, so many bytes at each end are pieces of their own.
_END_BYTES = 1000
_PLAIN = re.compile(rb"[ !-\[\]-{}~]{%d,}" % (2 * _END_BYTES))


def show(text: str) -> str:
    """Text with all of it visible."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    if character < " ":
        return chr(0x2400 + ord(character))
    if character == " " or character.isascii() or unicodedata.category(character) not in _ODD:
        return character
    number = ord(character)
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"


@dataclass(slots=True)
class WireRow:
    """One line of a stream: what is drawn, piece by piece, each with its number of bytes (a bar has none).

    ``apart`` are the characters that a cut goes through; of these the bytes are drawn.
    """

    pieces: list[tuple[str, int]] = field(default_factory=list)
    apart: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The row as one text."""
        return "".join(piece for piece, _ in self.pieces)


def wire_rows(wire: bytes, cuts: tuple[int, ...]) -> list[WireRow]:
    """The wire as rows, one for each line of the stream, with a bar at each cut; an empty chunk is two bars."""
    bars = Counter(cuts)
    rows = [WireRow()]
    middles = _middles(wire, cuts)
    at = 0
    while at < len(wire):
        if at in middles:
            rows[-1].pieces.append((wire[at : middles[at]].decode(), middles[at] - at))
            at = middles[at]
        size = character_size(wire, at)
        whole = size > 0 and not any(bars[at + offset] for offset in range(1, size))
        if size > 1 and not whole:
            rows[-1].apart.append(_shown(wire[at : at + size].decode()))
        for start, end in ((at, at + size),) if whole else ((n, n + 1) for n in range(at, at + max(size, 1))):
            rows[-1].pieces += [(BAR, 0)] * bars[start]
            rows[-1].pieces.append(
                (_shown(wire[start:end].decode()) if whole else f"\\x{wire[start]:02X}", end - start)
            )
        at += max(size, 1)
        if at < len(wire) and _ends_line(wire, at):
            rows.append(WireRow())
    if rows[-1].pieces and rows[-1].pieces[-1][0] == " ":
        rows[-1].pieces[-1] = ("␠", 1)
    rows[-1].pieces += [(BAR, 0)] * bars[len(wire)]
    return rows


def _middles(wire: bytes, cuts: tuple[int, ...]) -> dict[int, int]:
    """Where the middle of a long stretch of plain text starts and ends: it is drawn as one piece, or millions are."""
    middles = {}
    for stretch in _PLAIN.finditer(wire):
        start, end = stretch.span()
        inside = cuts[bisect_left(cuts, start) : bisect_right(cuts, end)]
        for one, other in pairwise((start, *inside, end)):
            if other - one > 2 * _END_BYTES:
                middles[one + _END_BYTES] = other - _END_BYTES
    return middles


def _ends_line(wire: bytes, at: int) -> bool:
    return wire[at - 1] == 0x0A or (wire[at - 1] == 0x0D and wire[at] != 0x0A)


def character_size(wire: bytes, at: int) -> int:
    """How many bytes the character has that starts here; 0 where none does."""
    if wire[at] < 0x80:
        return 1
    for size in (2, 3, 4):
        try:
            wire[at : at + size].decode()
        except UnicodeDecodeError:
            continue
        return size if at + size <= len(wire) else 0
    return 0


def cells(text: str) -> int:
    """The columns that visible text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def units(text: str) -> Iterator[str]:
    """Visible text in pieces that are not to be torn: single characters, and whole escapes."""
    at = 0
    while at < len(text):
        size = _ESCAPE_SIZES.get(text[at + 1 : at + 2], 2) if text[at] == "\\" else 1
        yield text[at : at + size]
        at += size


def folded(text: str, width: int) -> Iterator[str]:
    """Visible text in parts of at most so many columns."""
    part: list[str] = []
    used = 0
    for unit in units(text):
        size = cells(unit)
        if part and used + size > width:
            yield "".join(part)
            part, used = [], 0
        part.append(unit)
        used += size
    yield "".join(part)


def clip(text: str, width: int) -> str:
    """The start of the text that fits, with a mark where something is left out."""
    return text if cells(text) <= width else next(folded(text, width - 1)) + "…"


def pad(text: str, width: int) -> str:
    """The text with blanks behind it up to this many columns."""
    return text + " " * (width - cells(text))


def count_of(number: int, what: str, several: str = "") -> str:
    """1 chunk, 2,000 chunks; ``several`` is the word for more than one where it is not made with an s."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {several or what + 's'}"
