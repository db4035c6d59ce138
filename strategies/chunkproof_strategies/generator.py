"""The seeded driver: the grammar over a random source, at full speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

from .grammar import Stream, write_stream
from .source import Source
from .values import ALPHABET

__all__ = ["RandomSource", "generate"]

T = TypeVar("T")


class RandomSource(Source):
    """Choices from a random generator of its own: the same seed gives the same choices on every machine.

    ``constants`` are texts that it gives now and then where any text may stand: those of a target's own code.
    """

    def __init__(self, seed: int | str, *, constants: Sequence[str] = ()) -> None:
        self._random = Random(seed).random
        self._constants = constants

    def below(self, bound: int) -> int:
        """A whole number below ``bound``."""
        return int(self._random() * bound)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items (`Source.pick`, without a second call)."""
        return items[int(self._random() * len(items))]

    def belows(self, count: int, bound: int) -> list[int]:
        """So many numbers below ``bound`` (`Source.belows`, without a call for each)."""
        random = self._random
        return [int(random() * bound) for _ in range(count)]

    def any_text(self) -> str:
        """Up to eight characters: traps of the alphabet, and any code point that UTF-8 can hold."""
        if self._constants and self.below(2):
            return self.pick(self._constants)
        return "".join([self._character() for _ in range(self.below(9))])

    def constant(self, one_in: int) -> str | None:
        """One of the constants, once in so many times (`Source.constant`)."""
        return self.pick(self._constants) if self._constants and not self.below(one_in) else None

    def _character(self) -> str:
        if self.below(4):
            return self.pick(ALPHABET)
        # Each length of a UTF-8 sequence equally often: 1 to 4 bytes.
        low, high = self.pick(((0x20, 0x7E), (0x80, 0x7FF), (0x800, 0xD7FF), (0x10000, 0x10FFFF)))
        return chr(self.between(low, high))


def generate(seed: int | str, *, features: frozenset[str] | None = None) -> Iterator[Stream]:
    """Streams of the whole grammar (or of some features), without end; the seed decides all of them."""
    source = RandomSource(seed)
    while True:
        yield write_stream(source, features=features)
