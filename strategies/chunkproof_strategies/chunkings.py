"""The ways to cut a wire: a plan is a sorted tuple of offsets, a repeated offset is an empty chunk.

Bytewise is the best single plan; cuts at sore points aim at what a parser must hold from one chunk to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, compress

from .source import Source

__all__ = [
    "Cuts",
    "bytewise",
    "chunks_of",
    "every_pair",
    "every_single_cut",
    "in_sizes",
    "outside_characters",
    "random_cuts",
    "random_cuts_with_empty_chunks",
    "sore_cuts",
    "sore_points",
    "with_empty_chunks",
    "without_empty_chunks",
]

Cuts = tuple[int, ...]

_ONE_BYTE = tuple(bytes([value]) for value in range(256))

# What hurts when it is cut, by byte: a line end, a colon, the later bytes of a character; 0 is all else.
_LINE_END, _COLON, _LATER = 1, 2, 3
_KINDS = bytes(
    _LINE_END if byte in b"\r\n" else _COLON if byte in b":" else _LATER if 0x80 <= byte < 0xC0 else 0
    for byte in range(256)
)


def chunks_of(wire: bytes, cuts: Sequence[int]) -> list[bytes]:
    """The chunks of a wire: one more than there are cuts.

    The empty wire is no chunk at all, and each cut in it is one empty chunk.
    """
    if not wire:
        return [b""] * len(cuts)
    if len(cuts) == len(wire) - 1:
        # Bytewise, the commonest plan (or one with as many cuts: then the general way).
        plan = bytewise(wire)
        if cuts is plan or cuts == plan:
            return [_ONE_BYTE[value] for value in wire]
    elif not cuts:
        return [wire]
    chunks = []
    start = 0
    # A plain loop: it takes two thirds of the time of pairs in a comprehension.
    for stop in cuts:
        chunks.append(wire[start:stop])
        start = stop
    chunks.append(wire[start:])
    return chunks


def bytewise(wire: bytes) -> Cuts:
    """One byte a chunk."""
    length = len(wire)
    plan = _BYTEWISE.get(length)
    if plan is None:
        plan = tuple(range(1, length))
        if length <= _BYTEWISE_KEPT:
            _BYTEWISE[length] = plan
    return plan


_BYTEWISE_KEPT = 512
_BYTEWISE: dict[int, Cuts] = {}


def in_sizes(wire: bytes, size: int) -> Cuts:
    """Chunks of ``size`` bytes, the last one shorter."""
    return tuple(range(size, len(wire), size))


def every_single_cut(wire: bytes) -> Iterator[Cuts]:
    """Each plan with one cut."""
    for at in range(1, len(wire)):
        yield (at,)


def every_pair(points: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each plan with two of the given cuts."""
    return combinations(points, 2)


def random_cuts(source: Source, length: int) -> Cuts:
    """A random plan for a wire of so many bytes: few cuts or many, no empty chunk."""
    if length < 2:
        return ()
    below = source.below
    count = 1 + below(min(length, 8) if below(6) else length)
    return tuple(sorted({1 + at for at in source.belows(count, length - 1)}))


def random_cuts_with_empty_chunks(source: Source, length: int) -> Cuts:
    """A random plan for a wire of so many bytes, in which chunks may be empty."""
    return tuple(sorted(source.belows(1 + source.below(length + 2), length + 1)))


def sore_points(wire: bytes) -> list[int]:
    """The offsets at which parsers are hurt, in order: before, inside and behind a line end, in a field's name, around
    the colon, inside a character, around a byte order mark."""
    length = len(wire)
    kinds = wire.translate(_KINDS)
    points: list[int] = []
    for at in compress(range(length), kinds):
        if kinds[at] == _LINE_END:
            # Two bytes behind it stands the second letter of a field's name.
            points += (at, at + 1, at + 3)
        elif kinds[at] == _COLON and wire[at + 1 : at + 2] == b" ":
            points += (at, at + 2)
        else:
            points += (at, at + 1)
    return sorted([at for at in set(points) if 0 < at < length])


def sore_cuts(source: Source, points: Sequence[int]) -> Cuts:
    """A plan of sore points of a wire: all of them, or up to four at random."""
    if not points:
        return ()
    count = source.below(5)
    if count == 4 or count >= len(points):
        return tuple(points)
    return tuple(sorted({points[index] for index in source.belows(count + 1, len(points))}))


def outside_characters(wire: bytes, cuts: Cuts) -> Cuts:
    """The same plan without the cuts that fall inside a character."""
    return tuple([at for at in cuts if not (at < len(wire) and 0x80 <= wire[at] < 0xC0)])


def without_empty_chunks(cuts: Cuts, length: int) -> Cuts:
    """The same plan without its empty chunks."""
    return tuple(sorted(set(cuts) - {0, length}))


def with_empty_chunks(cuts: Cuts, length: int) -> Cuts:
    """The same plan with an empty chunk at the start, at the end, and beside each chunk."""
    return tuple(sorted((0, *cuts, *cuts, length)))
