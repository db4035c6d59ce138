"""Bytes and text so that everything in them can be seen, and nothing in them can drive a terminal.

Control characters become the pictures that Unicode has for them (LF is ␊), what is invisible or joins with its
neighbour a ``\\u`` escape, ill-formed bytes a ``\\x`` escape. A backslash of the data is doubled, so that no escape
is ever data.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

__all__ = ["BAR", "cells", "clip", "folded", "pad", "show", "units", "wire_rows"]

#: How a cut is drawn; a bar that is data is drawn with a backslash.
BAR = "|"

_ESCAPED = {"\\": "\\\\", BAR: "\\|", "\x7f": "␡"}
_ESCAPE_SIZES = {"x": 4, "u": 6, "U": 10}
# Categories that cannot be seen, or only together with what stands before them.
_ODD = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Mc", "Me")


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


def wire_rows(wire: bytes, cuts: tuple[int, ...], bar: str = BAR) -> list[str]:
    """The wire as rows, one for each line of the stream, with a bar at each cut; an empty chunk is two bars."""
    rows = [""]
    for start, end, drawn in _pieces(wire, cuts):
        rows[-1] += bar * cuts.count(start) if start in set(cuts) else ""
        rows[-1] += drawn
        at_end_of_line = wire[start:end] == b"\n" or (wire[start:end] == b"\r" and wire[end : end + 1] != b"\n")
        if at_end_of_line and end < len(wire):
            rows.append("")
    rows[-1] += bar * cuts.count(len(wire))
    if rows[-1].endswith(" "):
        rows[-1] = rows[-1][:-1] + "␠"
    return rows


def _pieces(wire: bytes, cuts: tuple[int, ...]) -> Iterator[tuple[int, int, str]]:
    """Start, end and drawing of each character; of each byte where it is ill-formed or cut apart."""
    inside = set(cuts)
    at = 0
    while at < len(wire):
        size = _character(wire, at)
        if size == 0 or any(at + offset in inside for offset in range(1, size)):
            for offset in range(max(size, 1)):
                yield at + offset, at + offset + 1, f"\\x{wire[at + offset]:02X}"
        else:
            yield at, at + size, _shown(wire[at : at + size].decode())
        at += max(size, 1)


def _character(wire: bytes, at: int) -> int:
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
