"""Ranges of seeds: which are to be run, which are done, and which had to be given up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Range", "Ranges", "SeedPlan"]

#: From the first up to but not with the second.
Range = tuple[int, int]
Ranges = list[Range]

# So many seeds at first, at least and at most in one piece.
_SIZE, _SIZE_MIN, _SIZE_MAX = 64, 16, 1 << 20


def joined(ranges: Iterable[Range]) -> Ranges:
    """The same seeds in as few ranges as can be, in order."""
    found: Ranges = []
    for first, end in sorted(one for one in ranges if one[0] < one[1]):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((first, end))
    return found


@dataclass(slots=True)
class SeedPlan:
    """Gives out pieces of a range of seeds, about as large as take ``seconds`` each, and keeps account of them.

    ``end`` is None for a range without one. ``done`` are those that were run to their end, ``given_up`` those that were
    not, however often they were tried.
    """

    first: int
    end: int | None
    seconds: float
    done: Ranges = field(default_factory=list)
    given_up: Ranges = field(default_factory=list)
    _size: int = _SIZE
    _again: list[Range] = field(default_factory=list)
    _next: int = 0
    _holes: Ranges = field(default_factory=list)

    def __post_init__(self) -> None:
        self.done = joined(self.done)
        at = self.first
        for first, end in self.done:
            if first > at:
                self._holes.append((at, first))
            at = max(at, end)
        self._next = at

    def take(self) -> Range | None:
        """The next piece; None where there is none left to give out."""
        if self._again:
            return self._again.pop(0)
        if self._holes:
            first, end = self._holes.pop(0)
            piece = first, min(first + self._size, end)
            if piece[1] < end:
                self._holes.insert(0, (piece[1], end))
            return piece
        if self.is_empty:
            return None
        first = self._next
        self._next = first + self._size if self.end is None else min(first + self._size, self.end)
        return first, self._next

    @property
    def is_empty(self) -> bool:
        """Whether all seeds are given out."""
        return not (self._again or self._holes) and self.end is not None and self._next >= self.end

    def is_done(self, piece: Range, seconds: float) -> None:
        """A piece was run, and it took so long."""
        self.done = joined([*self.done, piece])
        factor = min(2.0, max(0.5, self.seconds / max(seconds, 0.001)))
        if piece[1] - piece[0] >= self._size or factor < 1:
            self._size = min(_SIZE_MAX, max(_SIZE_MIN, int(self._size * factor)))

    def give_back(self, piece: Range) -> None:
        """A piece was not run: it is given out again, before all others."""
        self._again.append(piece)

    def give_up(self, piece: Range) -> None:
        """A piece cannot be run."""
        self.given_up = joined([*self.given_up, piece])
