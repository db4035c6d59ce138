"""The interface of choices that the grammar is written against.

A driver supplies three methods: a number below a bound, a short text, and a short text of any characters. All else is
built on them, so that the seeded driver, Hypothesis and later the byte table of atheris make the same streams.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Source"]

T = TypeVar("T")


class Source(ABC):
    """Where the choices of the grammar come from."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """A whole number from 0 up to, not including, ``bound`` (at least 1)."""

    @abstractmethod
    def any_text(self) -> str:
        """Up to eight characters of any kind, without CR, LF and lone surrogates; may be empty."""

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def constant(self, one_in: int) -> str | None:
        """Once in so many times a text that is worth sending wherever a text may stand, if the driver knows any.

        It has one character at least, and no CR, LF or lone surrogate. Nothing is drawn where none is known.
        """
        return None

    def belows(self, count: int, bound: int) -> list[int]:
        """So many numbers below ``bound``."""
        return [self.below(bound) for _ in range(count)]

    def chance(self, one_in: int) -> bool:
        """True about once in so many times."""
        return self.below(one_in) == one_in - 1

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)
