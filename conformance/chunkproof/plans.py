"""Which chunkings of a wire a rule runs. Each is a function from a wire and a choice source to plans of cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from chunkproof_strategies.chunkings import (
    Cuts,
    bytewise,
    every_pair,
    every_single_cut,
    in_sizes,
    random_cuts,
    random_cuts_with_empty_chunks,
    sore_cuts,
    sore_points,
    with_empty_chunks,
)
from chunkproof_strategies.source import Source

__all__ = ["Plans", "common", "empty_chunks", "everything", "pairs", "single_cuts", "thorough", "uncut", "wide"]

Plans = Callable[[bytes, Source], Iterable[Cuts]]

# Beyond this length every single cut is no longer run; the sore points are.
_SHORT = 96
_VERY_SHORT = 12
_PAIRS_MAX = 400
# A parser that is slow on many chunks is not to be blamed by the rules on what is right.
_CHUNKS_MAX = 4096


def common(wire: bytes, source: Source) -> Iterator[Cuts]:
    """Whole, bytewise, two plans aimed at sore points, two random ones."""
    length = len(wire)
    points = sore_points(wire)
    yield ()
    yield bytewise(wire)
    yield sore_cuts(source, points)
    yield random_cuts(source, length)
    yield sore_cuts(source, points)
    yield random_cuts(source, length)


def uncut(wire: bytes, source: Source) -> Iterator[Cuts]:
    """Whole alone: for rules in which the cuts are not the point and the wire is what varies."""
    yield ()


def single_cuts(wire: bytes, source: Source) -> Iterator[Cuts]:
    """Every plan with one cut."""
    if len(wire) <= _SHORT:
        yield from every_single_cut(wire)
    else:
        yield from ((at,) for at in sore_points(wire))


def pairs(wire: bytes, source: Source) -> Iterator[Cuts]:
    """Two cuts at sore points, in every combination as long as there are not too many."""
    points = sore_points(wire)
    if len(points) ** 2 <= 2 * _PAIRS_MAX:
        yield from every_pair(points)
    else:
        yield from (tuple(sorted({source.pick(points), source.pick(points)})) for _ in range(_PAIRS_MAX))


def empty_chunks(wire: bytes, source: Source) -> Iterator[Cuts]:
    """Plans with empty chunks: at the start, at the end, between all bytes, at random."""
    length = len(wire)
    yield (0,)
    yield (length,)
    yield with_empty_chunks((), length)
    yield with_empty_chunks(bytewise(wire), length)
    yield with_empty_chunks(sore_cuts(source, sore_points(wire)), length)
    yield random_cuts_with_empty_chunks(source, length)


def wide(wire: bytes, source: Source) -> Iterator[Cuts]:
    """For long wires: whole, and in chunks as networks cut them; few cuts first, as they shrink best."""
    yield ()
    for size in (16384, 4096, 1024, 100, 7, 1):
        if size < len(wire) <= size * _CHUNKS_MAX:
            yield in_sizes(wire, size)
    yield random_cuts(source, len(wire))


def thorough(wire: bytes, source: Source) -> Iterator[Cuts]:
    """The common plans, and by turns every single cut or small sizes; both for short wires."""
    yield from common(wire, source)
    short = len(wire) <= _VERY_SHORT
    turn = source.below(2)
    if short or turn == 0:
        yield from single_cuts(wire, source)
    if short or turn == 1:
        yield from (in_sizes(wire, size) for size in (2, 3, 4, 7))


def everything(wire: bytes, source: Source) -> Iterator[Cuts]:
    """The common plans, chunks of two and of three bytes, and one plan with empty chunks."""
    yield from common(wire, source)
    yield in_sizes(wire, 2)
    yield in_sizes(wire, 3)
    yield random_cuts_with_empty_chunks(source, len(wire))
