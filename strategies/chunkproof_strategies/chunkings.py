"""The ways to cut a wire: a plan is a sorted tuple of offsets, a repeated offset is an empty chunk.

Bytewise is the best single plan; cuts at sore points aim at what a parser must hold from one chunk to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

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

# What hurts when it is cut: line ends, the colon and the space behind it, the later bytes of a character.
_SORE = re.compile(rb"[\r\n\x80-\xbf]|: ?")


def chunks_of(wire: bytes, cuts: Sequence[int]) -> list[bytes]:
    """The chunks of a wire: one more than there are cuts.

    The empty wire is no chunk at all, and each cut in it is one empty chunk.
    """
    if not wire:
        return [b""] * len(cuts)
    if len(cuts) == len(wire) - 1:
        # Bytewise, the commonest plan (or one with as many cuts: then the general way).
        if cuts == bytewise(wire):
            return [_ONE_BYTE[value] for value in wire]
    elif not cuts:
        return [wire]
    return [wire[start:stop] for start, stop in pairwise((0, *cuts, len(wire)))]


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
    spans = [match.span() for match in _SORE.finditer(wire)]
    points = {at for span in spans for at in span}
    # Two bytes behind a line end stands the second letter of a field's name.
    points.update([behind + 2 for at, behind in spans if wire[at] <= 13])
    return sorted([at for at in points if 0 < at < length])


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
