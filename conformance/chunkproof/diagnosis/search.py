"""The smallest set of deviations that explains all that was seen.

Strategy: each deviation is first predicted alone, on every question: where does it change anything, and does it then
behave as the target does? Sets grow from the empty one, a few of the best at each size, by those that explain something
that is not explained yet. What is found is then made smaller where it can be, and each of its members is exchanged for
every other deviation, to say what it was not told apart from.

Sets of places in the list of what was seen are kept as bits of a number.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import Deviation

from .seen import Question, Seen, predict

__all__ = ["Found", "Search"]

# Sets kept at each size, and deviations tried on each: first few, and more where that does not explain all.
_NARROW, _WIDE = (3, 6), (6, 20)
_TRIED_BLINDLY = 60
# Members of a set.
_MEMBERS_MAX = 12
# Questions of which it is not known what shows there, on which the whole catalogue is tried at each size.
_LOOKED_AT = 6

Set = tuple[Deviation, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A set of deviations, the places of what it does not explain, and what each member was not told apart from."""

    deviations: Set
    unexplained: tuple[int, ...]
    equals: dict[str, tuple[Deviation, ...]] = field(default_factory=dict)


class Search:
    """Over what was seen of one target; ``until`` is when it has to end, by `time.monotonic`.

    ``start`` is a set to begin with, besides the empty one. ``shows`` gives, for questions of which that is known, the
    deviations that change anything there.
    """

    def __init__(
        self,
        target: Target,
        catalogue: Sequence[Deviation],
        *,
        start: Set = (),
        shows: Mapping[Question, frozenset[Deviation]] = MappingProxyType({}),
        until: float = float("inf"),
    ) -> None:
        self.target = target
        self.until = until
        self.seen: list[Seen] = []
        self.all = 0
        self._shows = shows
        self._misses: dict[frozenset[Deviation], int] = {}
        self._known: dict[frozenset[Deviation], int] = {}
        #: For each deviation where it changes anything, alone, as far as that is known.
        self._effects: dict[Deviation, int] = dict.fromkeys(catalogue, 0)
        self._effects_known = 0
        self._best = start

    def add(self, seen: Sequence[Seen]) -> None:
        """More to explain."""
        for at, one in enumerate(seen, len(self.seen)):
            for deviation in self._shows.get(one.question, ()):
                self._effects[deviation] |= 1 << at
            self._effects_known |= (one.question in self._shows) << at
        self.seen += seen
        self.all = (1 << len(self.seen)) - 1

    def _look_at(self, places: int) -> None:
        """Find out what shows at some of these places, where that is not known."""
        unknown = sorted(_bits(places & ~self._effects_known), key=lambda at: self.seen[at].question.size)
        for at in unknown[:_LOOKED_AT]:
            question = self.seen[at].question
            standard = predict(self.target, question, ())
            for deviation in self._effects:
                if not predict(self.target, question, (deviation,)).agrees(standard):
                    self._effects[deviation] |= 1 << at
            self._effects_known |= 1 << at
            if time.monotonic() > self.until:
                return

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
        """The smallest set found; a search that was done before is gone on with."""
        best: Set = self._best
        for beam, tried in (_NARROW, _WIDE):
            best = self._exchanged(self._grown([(), best] if best else [()], beam, tried), tried)
            if not (misses := self.misses(best)):
                break
        if not misses:
            best = self._without_what_is_not_needed(best)
        self._best = best = tuple(deviation for deviation in self._effects if deviation in best)
        return Found(best, tuple(_bits(misses)), self._equals(best, misses))

    def _grown(self, start: Sequence[Set], width: int, tried: int) -> Set:
        beam = sorted(((self.misses(one), one) for one in start), key=_rank)
        best = beam[0]
        while best[0] and len(best[1]) < _MEMBERS_MAX and time.monotonic() < self.until:
            larger = {frozenset(one[1]): one for parent in beam for one in self._larger(*parent, tried)}
            # Where a deviation changes nothing, it was not looked at yet; two of them may meddle.
            likely = sorted(larger.values(), key=_rank)[: 2 * width]
            beam = sorted(((self.misses(one), one) for _, one in likely), key=_rank)[:width]
            if not beam or beam[0][0].bit_count() >= best[0].bit_count():
                break
            best = beam[0]
        return best[1]

    def _exchanged(self, best: Set, tried: int) -> Set:
        """The set with members exchanged for others, and more added, as long as that explains more."""
        while (missed := self.misses(best)) and time.monotonic() < self.until:
            others = self._candidates(missed, best, tried)
            sets = [(*_without(best, one), other) for one in best for other in others]
            ranked = sorted(((self._misses_or_all(one, missed), one) for one in sets), key=_rank)
            likely = [(self.misses(one), one) for left, one in ranked[:tried] if left.bit_count() < missed.bit_count()]
            if not likely or (chosen := min(likely, key=_rank))[0].bit_count() >= missed.bit_count():
                return best
            best = self._grown([chosen[1]], 1, tried)
        return best

    def _misses_or_all(self, deviations: Set, among: int) -> int:
        try:
            return self.misses(deviations, among)
        except TargetError:
            return self.all

    def _larger(self, missed: int, deviations: Set, tried: int) -> Iterator[tuple[int, Set]]:
        """The set and one more, where that seems to explain more."""
        for deviation in self._candidates(missed, deviations, tried):
            more = (*deviations, deviation)
            with contextlib.suppress(TargetError):  # the two cannot be combined
                left = self.misses(more, missed | self._effects[deviation])
                if left.bit_count() < missed.bit_count():
                    yield left, more
            if time.monotonic() > self.until:
                return

    def _candidates(self, missed: int, deviations: Set, tried: int) -> list[Deviation]:
        found: list[tuple[int, int, int, Deviation]] = []
        self._look_at(missed)
        for deviation, effect in self._effects.items():
            touched = effect & missed
            if touched and deviation not in deviations and time.monotonic() < self.until:
                alone = touched & ~self.misses((deviation,), touched)
                found.append((-alone.bit_count(), -len(deviation.reports), len(found), deviation))
        found.sort(key=lambda one: one[:3])
        helpful = [one[3] for one in found if one[0]]
        return helpful[:tried] or [one[3] for one in found[:_TRIED_BLINDLY]]

    def _without_what_is_not_needed(self, deviations: Set) -> Set:
        for deviation in deviations:
            fewer = _without(deviations, deviation)
            if fewer and self.explains(fewer, self._effects[deviation]):
                return self._without_what_is_not_needed(fewer)
        return deviations

    def _equals(self, deviations: Set, misses: int) -> dict[str, tuple[Deviation, ...]]:
        """For each member, the deviations that would do in its place as well."""
        equals: dict[str, tuple[Deviation, ...]] = {}
        for deviation in deviations:
            others = _without(deviations, deviation)
            equals[deviation.name] = tuple(
                other
                for other in self._effects
                if other not in deviations
                and self._effects[other] & self._effects[deviation]
                and self._do_as_well((*others, other), misses, self._effects[deviation])
            )
        return equals

    def _do_as_well(self, deviations: Set, misses: int, first: int) -> bool:
        try:
            return not any(self._any_missed(deviations, part & ~misses) for part in (first, self.all & ~first))
        except TargetError:
            return False


def _without(deviations: Set, one: Deviation) -> Set:
    return tuple(other for other in deviations if other is not one)


def _rank(one: tuple[int, Set]) -> tuple[int, int, int]:
    missed, deviations = one
    return missed.bit_count(), len(deviations), -sum(len(deviation.reports) for deviation in deviations)


def _bits(number: int) -> Iterable[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
