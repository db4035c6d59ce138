"""What a stream tries, as a set of features: the measure by which inputs of a campaign are kept or dropped.

A wire is read as tokens (names, colons, spaces, runs of characters of one class, line ends). Its features are the
pairs of tokens that follow each other, the lines and blocks that do, and what each cut falls between or into. There are
finitely many, so a set of inputs that adds to them stays small, however long a campaign lasts.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from chunkproof_strategies.chunkings import Cuts

__all__ = ["Cover", "Features", "Token", "cover", "features", "tokens_of"]

#: What two streams have in common is compared as values; nobody else looks into them.
Features = frozenset[Hashable]

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")
_FIELDS = (b"data", b"event", b"id", b"retry")
_ENDS = {b"\r\n": "CRLF", b"\r": "CR", b"\n": "LF"}
_MARK = b"\xef\xbb\xbf"
# More fields of one block are not told apart.
_SEVERAL = 3


class Token(NamedTuple):
    """A piece of a wire: what it is, and the offsets where it starts and stops."""

    kind: str
    start: int
    stop: int


# tokens --------------------------------------------------------------------------------------------------------------


def tokens_of(wire: bytes) -> list[Token]:
    """The tokens of a wire, one behind the other, without a gap."""
    return [token for line in _lines(wire) for token in line.tokens]


class _Line(NamedTuple):
    """The tokens of one line with its end; ``field`` is what it sets, empty for a blank line."""

    field: str
    shape: str
    tokens: list[Token]


def _lines(wire: bytes) -> Iterator[_Line]:
    start = 0
    mark = []
    if wire.startswith(_MARK):
        start = len(_MARK)
        mark = [Token("mark", 0, start)]
    for match in _LINE.finditer(wire, start):
        line, end = match.groups()
        if not line and not end:
            break
        field, tokens = _read_line(line, match.start())
        if end:
            tokens.append(Token(_ENDS[end], *match.span(2)))
        value = line.partition(b":")[2]
        shape = f"{field}:{' ' if value.startswith(b' ') else ''}{'…' if value.strip(b' ') else ''}" if line else ""
        yield _Line(field, shape if b":" in line else field, mark + tokens)
        mark = []
    if mark:
        yield _Line("", "", mark)


def _read_line(line: bytes, at: int) -> tuple[str, list[Token]]:
    """What a line sets, and its tokens."""
    if not line:
        return "", []
    name, colon, value = line.partition(b":")
    field, kind = _name_of(name)
    tokens = [Token(kind, at, at + len(name))] if name else []
    at += len(name)
    if colon:
        tokens.append(Token("colon" if name else "comment", at, at + 1))
        at += 1
    if value.startswith(b" "):
        tokens.append(Token("space", at, at + 1))
        at += 1
        value = value[1:]
    tokens.extend(_runs(field, value, at))
    return field, tokens


def _name_of(name: bytes) -> tuple[str, str]:
    """Which field a name sets, and the kind of its token: those that are almost a field's are told apart."""
    if not name:
        return "comment", ""
    if name in _FIELDS:
        return name.decode(), name.decode()
    plain = name.decode("utf-8", "surrogateescape")
    almost = "".join(filter(str.isalpha, plain)).lower()
    kind = almost if almost.encode("utf-8", "replace") in _FIELDS else "name"
    return "unknown", f"{kind}? {_class_of(plain[0])} {_class_of(plain[-1])}"


def _runs(field: str, value: bytes, at: int) -> Iterator[Token]:
    """A value as runs of characters of one class. What is no UTF-8 is a class of its own."""
    for kind, run in groupby(value.decode("utf-8", "surrogateescape"), _class_of):
        length = len("".join(run).encode("utf-8", "surrogateescape"))
        yield Token(f"{field} {kind}", at, at + length)
        at += length


@lru_cache(4096)
def _class_of(character: str) -> str:
    """The class of a character: ASCII punctuation and controls each by itself, digits, letters, and what else there is.

    Digits that are not ASCII, and separators that some function takes for line ends, are where parsers differ.
    """
    if character.isascii():
        if character.isdigit():
            return "digit"
        if character.isalpha():
            return "letter" if character.islower() else "capital"
        return character
    if "\udc80" <= character <= "\udcff":
        return "ill-formed"
    if character == "\ufeff":
        return "U+FEFF"
    if len(character.splitlines()[0]) == 0 or character.isspace():
        return f"blank {ord(character):x}"
    if character.isdigit() or character.isdecimal():
        return "other digit"
    return f"{unicodedata.category(character)[0]} {len(character.encode())}"


# features ------------------------------------------------------------------------------------------------------------


def features(wire: bytes, cuts: Cuts) -> Features:
    """The features of a stream: of its text, and of the places where its chunks end."""
    lines = list(_lines(wire))
    tokens = [token for line in lines for token in line.tokens]
    found: set[Hashable] = set()
    kinds = ["start", *(token.kind for token in tokens), "end"]
    found.update(pairwise(kinds))
    found.update(("line", *pair) for pair in pairwise(["", *(line.shape for line in lines)]))
    found.update(("length", token.kind, (token.stop - token.start).bit_length()) for token in tokens)
    found.update(_blocks(lines))
    found.update(_of_cuts(wire, cuts, kinds, [token.start for token in tokens]))
    return frozenset(found)


def _blocks(lines: Iterable[_Line]) -> Iterator[Hashable]:
    """Which fields stand in each block, and how often."""
    for is_blank, block in groupby(lines, lambda line: not line.field):
        if not is_blank:
            fields = [line.field for line in block]
            yield ("block", *((name, min(fields.count(name), _SEVERAL)) for name in sorted(set(fields))))


def _of_cuts(wire: bytes, cuts: Cuts, kinds: list[str], starts: list[int]) -> Iterator[Hashable]:
    yield ("cuts", len(cuts).bit_length())
    earlier, inside = 0, False
    for at in cuts:
        # The token that is behind the cut, or in which it falls, counted from 1; `kinds` has one more at each side.
        behind = bisect_right(starts, at) if at < len(wire) else len(starts) + 1
        if at == earlier:
            yield ("empty chunk", kinds[behind - 1], kinds[behind])
            continue
        was_inside = inside
        inside = 0 < at < len(wire) and starts[behind - 1] != at
        if inside:
            yield ("cut in a character" if 0x80 <= wire[at] < 0xC0 else "cut in", kinds[behind])
        else:
            yield ("cut between", kinds[behind - 1], kinds[behind])
            if not was_inside and earlier == starts[behind - 2]:
                yield ("alone", kinds[behind - 1])
        earlier = at


# set cover -----------------------------------------------------------------------------------------------------------


class Cover:
    """What is tried by the inputs that were kept so far."""

    def __init__(self) -> None:
        self._tried: set[Hashable] = set()

    def takes(self, found: Features) -> bool:
        """Whether an input adds a feature; what it adds counts from here on."""
        if found <= self._tried:
            return False
        self._tried |= found
        return True


def cover(items: Iterable[tuple[bytes, Features]]) -> list[bytes]:
    """Those inputs that together have all features: the shortest first, and each adds one to those before it.

    The same for any order of the items, and a set of inputs that came from here comes out as it is.
    """
    kept = Cover()
    return [data for data, found in sorted(items, key=lambda item: (len(item[0]), item[0])) if kept.takes(found)]
