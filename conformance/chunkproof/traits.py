"""What a wire is made of, so that a shrinker does not leave the fault it started from.

A stream that fails because a character was cut must not shrink to one that fails for its missing colon. So a smaller
stream may use nothing that the found one did not: its traits are a subset. What every stream has (LF ends, `data: a`,
a blank line behind it) is no trait.
"""

from __future__ import annotations

import re

from chunkproof_strategies.chunkings import Cuts, outside_characters, without_empty_chunks
from chunkproof_strategies.values import MARK

__all__ = ["SHORTER", "traits"]

#: Traits that make a stream shorter and, mostly, no other: allowed where it would be too long to read without.
SHORTER = frozenset({"no space", "empty value"})

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")
_FIELDS = (b"data", b"event", b"id", b"retry")


def traits(wire: bytes, cuts: Cuts) -> frozenset[str]:
    """The traits of a stream, as words."""
    found, whole = set(), wire
    if wire.startswith(MARK):
        found.add("mark")
        wire = wire[len(MARK) :]
    if not wire.isascii():
        found.add("characters")
        try:
            text = wire.decode()
        except UnicodeDecodeError:
            found.add("ill-formed")
        else:
            found.update(
                f"characters of {len(character.encode())} bytes" for character in set(text) if character > "\x7f"
            )
    if b"\0" in wire:
        found.add("nul")
    if cuts != without_empty_chunks(cuts, len(whole)):
        found.add("empty chunk")
    if cuts != outside_characters(whole, cuts):
        found.add("cut inside a character")
    _line_traits(wire, found)
    return frozenset(found)


def _line_traits(wire: bytes, found: set[str]) -> None:
    data = fields = blanks = 0
    for content, end in _LINE.findall(wire):
        if end == b"\r\n":
            found.add("crlf")
        elif end == b"\r":
            found.add("cr")
        if content:
            fields += 1
            blanks = 0
            data += _line(content, end, found)
        elif end:
            blanks += 1
            if fields and not data:
                found.add("block without data")
            if blanks > 1 or not fields:
                found.add("blank lines")
            if data > 1:
                found.add("several data lines")
            data = fields = 0
    if fields:
        found.add("unfinished block")


def _line(content: bytes, end: bytes, found: set[str]) -> int:
    """Add what the line is; 1 if it is a data line."""
    if not end:
        # What it would have become nobody knows.
        found.add("unfinished line")
        return 0
    name, colon, value = content.partition(b":")
    if not name:
        found.add("comment")
        return 0
    if name not in _FIELDS:
        found.add("other name")
        return 0
    if name == b"retry":
        # A valid time, a wrong one and the empty one, which the standard leaves open, are three things.
        digits = value.removeprefix(b" ")
        found.add("time" if digits.isdigit() else "wrong time" if digits else "empty time")
    found.add(name.decode())
    if not colon:
        found.add("no colon")
    elif not value.startswith(b" "):
        found.add("no space")
    if not value.removeprefix(b" "):
        found.add("empty value")
    elif value[:2] in (b"  ", b" \t") or value[:1] == b"\t":
        found.add("more blanks")
    if value[-1:].isspace() and len(value) > 1:
        found.add("trailing blanks")
    return int(name == b"data")
