"""The smallest set of deviations that explains all that was seen.

Strategy: each deviation is first predicted alone, on every question: where does it change anything, and does it then
behave as the target does? Sets grow from the empty one, a few of the best at each size, by those that explain something
that is not explained yet. What is found is then made smaller where it can be, and each of its members is exchanged for
every other deviation, to say what it was not told apart from.

Sets of places in the list of what was seen are kept as bits of a number.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import Deviation

from .seen import Question, Seen, predict

__all__ = ["Found", "Search"]

# Sets kept at each size, deviations tried on each, and members of a set.
_BEAM = 6
_TRIED = 16
_TRIED_BLINDLY = 60
_MEMBERS_MAX = 12

Set = tuple[Deviation, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A set of deviations, the places of what it does not explain, and what each member was not told apart from."""

    deviations: Set
    unexplained: tuple[int, ...]
    equals: dict[str, tuple[Deviation, ...]] = field(default_factory=dict)


class Search:
    """Over what was seen of one target; ``until`` is when it has to end, by `time.monotonic`.

    ``shows`` gives, for questions of which that is known, the deviations that change anything there.
    """

    def __init__(
        self,
        target: Target,
        seen: Sequence[Seen],
        catalogue: Sequence[Deviation],
        *,
        shows: Mapping[Question, frozenset[Deviation]] = MappingProxyType({}),
        until: float = float("inf"),
    ) -> None:
        self.target = target
        self.seen = seen
        self.until = until
        self.all = (1 << len(seen)) - 1
        self._misses: dict[frozenset[Deviation], int] = {}
        self._known: dict[frozenset[Deviation], int] = {}
        self.wrong = self.misses(())
        #: For each deviation where it changes anything, alone; those that change nothing on what is wrong are left out.
        self.effects = self._effects(catalogue, shows)

    def _effects(
        self, catalogue: Sequence[Deviation], shows: Mapping[Question, frozenset[Deviation]]
    ) -> dict[Deviation, int]:
        effects = dict.fromkeys(catalogue, 0)
        for at, one in enumerate(self.seen):
            if time.monotonic() > self.until:
                break
            standard = predict(self.target, one.question, ())
            known = shows.get(one.question)
            for deviation in catalogue if known is None else known:
                if known is not None or not predict(self.target, one.question, (deviation,)).agrees(standard):
                    effects[deviation] |= 1 << at
        return {deviation: effect for deviation, effect in effects.items() if effect & self.wrong}

    def misses(self, deviations: Set, among: int = -1) -> int:
        """The places, among these, of what the set does not explain."""
        key = frozenset(deviations)
        missed, known = self._misses.get(key, 0), self._known.get(key, 0)
        for at in _bits(among & self.all & ~known):
            if not self.seen[at].fits(self.target, deviations):
                missed |= 1 << at
        self._known[key] = known | among & self.all
        self._misses[key] = missed
        return missed & among

    def explains(self, deviations: Set, first: int) -> bool:
        """Whether the set explains all; what stands at the places of ``first`` is looked at first, since it may not."""
        return not self._any_missed(deviations, first) and not self._any_missed(deviations, self.all & ~first)

    def _any_missed(self, deviations: Set, among: int) -> bool:
        key = frozenset(deviations)
        if self._misses.get(key, 0) & among:
            return True
        return any(self.misses(deviations, 1 << at) for at in _bits(among & ~self._known.get(key, 0)))

    def found(self) -> Found:
        """The smallest set found."""
        best = self._grown()
        misses = self.misses(best)
        if not misses:
            best = self._without_what_is_not_needed(best)
        best = tuple(deviation for deviation in self.effects if deviation in best)
        return Found(best, tuple(_bits(misses)), self._equals(best, misses))

    def _grown(self) -> Set:
        beam: list[tuple[int, Set]] = [(self.wrong, ())]
        best = beam[0]
        while best[0] and len(best[1]) < _MEMBERS_MAX and time.monotonic() < self.until:
            larger = {frozenset(one[1]): one for parent in beam for one in self._larger(*parent)}
            beam = sorted(larger.values(), key=_rank)[:_BEAM]
            if not beam or beam[0][0].bit_count() >= best[0].bit_count():
                break
            best = beam[0]
        return best[1]

    def _larger(self, missed: int, deviations: Set) -> Iterator[tuple[int, Set]]:
        """The set and one more, where that explains more."""
        for deviation in self._candidates(missed, deviations):
            more = (*deviations, deviation)
            try:
                # Where it changes nothing, it is left as it is; if two of them meddle, the whole is seen to at the end.
                left = self.misses(more, missed | self.effects[deviation])
            except TargetError:
                continue  # the two cannot be combined
            if left.bit_count() < missed.bit_count() and (left := self.misses(more)).bit_count() < missed.bit_count():
                yield left, more
            if time.monotonic() > self.until:
                return

    def _candidates(self, missed: int, deviations: Set) -> list[Deviation]:
        found: list[tuple[int, int, int, Deviation]] = []
        for deviation, effect in self.effects.items():
            touched = effect & missed
            if touched and deviation not in deviations and time.monotonic() < self.until:
                alone = touched & ~self.misses((deviation,), touched)
                found.append((-alone.bit_count(), -len(deviation.reports), len(found), deviation))
        found.sort(key=lambda one: one[:3])
        helpful = [one[3] for one in found if one[0]]
        return helpful[:_TRIED] or [one[3] for one in found[:_TRIED_BLINDLY]]

    def _without_what_is_not_needed(self, deviations: Set) -> Set:
        for deviation in deviations:
            fewer = tuple(one for one in deviations if one is not deviation)
            if fewer and self.explains(fewer, self.effects[deviation]):
                return self._without_what_is_not_needed(fewer)
        return deviations

    def _equals(self, deviations: Set, misses: int) -> dict[str, tuple[Deviation, ...]]:
        """For each member, the deviations that would do in its place as well."""
        equals: dict[str, tuple[Deviation, ...]] = {}
        for deviation in deviations:
            others = tuple(one for one in deviations if one is not deviation)
            equals[deviation.name] = tuple(
                other
                for other in self.effects
                if other not in deviations
                and self.effects[other] & self.effects[deviation]
                and self._do_as_well((*others, other), misses, self.effects[deviation])
            )
        return equals

    def _do_as_well(self, deviations: Set, misses: int, first: int) -> bool:
        try:
            return not any(self._any_missed(deviations, part & ~misses) for part in (first, self.all & ~first))
        except TargetError:
            return False


def _rank(one: tuple[int, Set]) -> tuple[int, int, int]:
    missed, deviations = one
    return missed.bit_count(), len(deviations), -sum(len(deviation.reports) for deviation in deviations)


def _bits(number: int) -> Iterable[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
