"""Which of the deviations that are known by now explain a finding together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice

from chunkproof_targets.deviations import Deviation

__all__ = ["fewest", "sets_of"]

# Deviations of which each few are tried together, and sets of them at most.
_TOGETHER, _SETS_MAX = 3, 300


def sets_of(known: tuple[Deviation, ...]) -> Iterator[tuple[Deviation, ...]]:
    """The sets that may explain a finding: each alone, two, three, all of them, and all but one.

    What was found at different times may contradict itself: then all of them together explain nothing.
    """
    for count in range(1, _TOGETHER + 1):
        yield from islice(combinations(known, count), _SETS_MAX)
    if len(known) > _TOGETHER:
        yield known
        yield from combinations(known, len(known) - 1)


def fewest(some: tuple[Deviation, ...], does: Callable[[tuple[Deviation, ...]], bool]) -> tuple[Deviation, ...]:
    """Those of them without which the others do not explain it."""
    for one in some if len(some) > _TOGETHER else ():
        fewer = tuple(other for other in some if other is not one)
        if does(fewer):
            some = fewer
    return some
