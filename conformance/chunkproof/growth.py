"""Whether a time grows in line with the bytes: a pure function of measured times.

Theory of operation: the same kind of stream is run at sizes of which each is twice the one before, by the target and by
the reference parser, which is linear. How much more than the reference the target grew at one doubling is a *step*: 1
for a linear parser, 2 for a quadratic one, however fast either is and whatever else the machine does. Three doublings
(8 times the bytes) give a *growth*: 1 or 8. No time is ever compared with a constant.

A parser in which each run has a price of its own (an event loop, say) grows by less than two at a doubling: a reference
that does so is taken for exactly linear, or else it would make others look worse than they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Literal, NamedTuple

__all__ = ["STEPS", "Growth", "Shape", "Timed", "growth_of", "least"]

Shape = Literal["linear", "quadratic", "unclear"]

#: Doublings that are looked at.
STEPS = 3
# A parser whose time is a·n + b·n² grows by 8 where the second part is all of it, by 1 where the first one is. Between
# the first two, a small quadratic part may have begun to show: larger streams tell, and without them it is linear.
_LINEAR_MAX = 1.3
_NEARLY_LINEAR_MAX = 1.5
_QUADRATIC_MIN = 3.2
# Not one jump (a cache that is full, a buffer that is mapped anew) but each doubling costs more than it should.
_STEP_MIN = 1.25
_LAST_STEP_MIN = 1.45


class Timed(NamedTuple):
    """The CPU time in seconds that the target and the reference took for a stream of so many bytes.

    ``reference`` is 0 where it was not run: it is then taken for exactly linear.
    """

    size: int
    target: float
    reference: float = 0.0


class Growth(NamedTuple):
    """How the times grew over the last doublings: as factors, from the first of these sizes to the last.

    ``excess`` is how much more than it should: 1 for a linear parser, 8 for a quadratic one.
    """

    excess: float
    shape: Shape
    first: int
    last: int
    target: float
    reference: float

    @property
    def nearly_linear(self) -> bool:
        """Whether this is linear where larger streams cannot tell more."""
        return self.excess <= _NEARLY_LINEAR_MAX

    @property
    def words(self) -> str:
        """The sizes and the times as ratios."""
        return (
            f"{self.last // self.first} times the bytes ({self.first:,} to {self.last:,}) took "
            f"{_times(self.target)} the CPU time; the reference parser took {_times(self.reference)}"
        )


def _times(factor: float) -> str:
    return f"{factor:.0f} times" if factor >= 10 else f"{factor:.1f} times"


def growth_of(times: Sequence[Timed]) -> Growth:
    """The growth over the last sizes; there must be `STEPS` + 1 of them, each twice the one before."""
    window = times[-STEPS - 1 :]
    assert len(window) == STEPS + 1, f"{len(window)} sizes are too few to see three doublings"
    first, last = window[0], window[-1]
    steps = [_step(before, after) for before, after in pairwise(window)]
    reference = last.reference / first.reference if first.reference else last.size / first.size
    return Growth(prod(steps), _shape(steps), first.size, last.size, last.target / first.target, reference)


def _step(before: Timed, after: Timed) -> float:
    due = after.size / before.size
    if before.reference:
        due = max(due, after.reference / before.reference)
    return after.target / before.target / due


def _shape(steps: Sequence[float]) -> Shape:
    growth = prod(steps)
    if growth <= _LINEAR_MAX:
        return "linear"
    if growth >= _QUADRATIC_MIN and min(steps) >= _STEP_MIN and steps[-1] >= _LAST_STEP_MIN:
        return "quadratic"
    return "unclear"


def least(rounds: Sequence[Sequence[Timed]]) -> list[Timed]:
    """Of several rounds over the same sizes the least times: what disturbs a run makes it slower, never faster."""
    return [
        Timed(of_size[0].size, min(one.target for one in of_size), min(one.reference for one in of_size))
        for of_size in zip(*rounds, strict=True)
    ]
