"""The smallest set of deviations that explains all that was seen.

Strategy: each deviation is first predicted alone, on every question: where does it change anything, and does it then
behave as the target does? Sets grow from the empty one, a few of the best at each size, by those that explain something
that is not explained yet. What is found is then made smaller where it can be, and each of its members is exchanged for
every other deviation, to say what it was not told apart from.

Sets of places in the list of what was seen are kept as bits of a number.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import Deviation

from ..question import Question
from .seen import Seen, predict

__all__ = ["Found", "Search", "without"]

# Sets kept at each size, and deviations tried on each: first few, and more where that does not explain all.
_NARROW, _WIDE = (3, 6), (6, 20)
_TRIED_BLINDLY = 40
_QUICK = 250
# Members of a set.
_MEMBERS_MAX = 12
# Questions of which it is not known what shows there, on which the whole catalogue is tried at each size.
_LOOKED_AT = 6
# Where not all is explained, what explains so few outcomes alone may fit by chance.
_FEW = 2

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
        self._found: list[Set] = []

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
                if time.monotonic() > self.until:
                    return
                if not predict(self.target, question, (deviation,)).agrees(standard):
                    self._effects[deviation] |= 1 << at
            self._effects_known |= 1 << at

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
            if not self.misses(best):
                break
        self._best = self._without_what_is_not_needed(best, 0)
        self._found.append(self._best)
        return self._as_found(self._best)

    def settled(self, is_sure: Callable[[Deviation], bool]) -> Found:
        """The best of what was found: where not all is explained, without what may fit by chance, unless it is sure.

        Not always the last: a set may fit a few hard cases by chance, and leave more of all that was seen.
        """
        best = min(self._found, key=lambda one: _rank((self.misses(one), one)))
        if self.misses(best):
            best = self._without_what_is_not_needed(best, _FEW, is_sure)
        return self._as_found(best)

    def _as_found(self, deviations: Set) -> Found:
        ordered = tuple(deviation for deviation in self._effects if deviation in deviations)
        misses = self.misses(ordered)
        return Found(ordered, tuple(_bits(misses)), self._equals(ordered, misses))

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
            sets = ((*without(best, one), other) for one in best for other in others)
            in_time = itertools.takewhile(lambda one: time.monotonic() < self.until, sets)
            ranked = sorted(((self._misses_or_all(one, missed), one) for one in in_time), key=_rank)
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
                if self.misses(more, missed).bit_count() < missed.bit_count():
                    left = self.misses(more, missed | self._effects[deviation])
                    if left.bit_count() < missed.bit_count():
                        yield left, more
            if time.monotonic() > self.until:
                return

    def _candidates(self, missed: int, deviations: Set, tried: int) -> list[Deviation]:
        """What may explain more: what explains some of it alone; in a wide search also what changes little else."""
        self._look_at(missed)
        helpful: list[tuple[int, int, int, Deviation]] = []
        blind: list[tuple[float, int, Deviation]] = []
        for place, (deviation, effect) in enumerate(self._effects.items()):
            touched = effect & missed
            if touched and deviation not in deviations and time.monotonic() < self.until:
                alone = touched & ~self.misses((deviation,), touched)
                if alone:
                    helpful.append((-alone.bit_count(), -len(deviation.reports), place, deviation))
                else:
                    # Together with others it may look otherwise than alone.
                    blind.append((-touched.bit_count() / effect.bit_count(), place, deviation))
        # Where little is left, each is tried quickly.
        chosen = [one[3] for one in sorted(helpful)[: max(tried, _QUICK // missed.bit_count())]]
        if not chosen or tried > _NARROW[1]:
            chosen += [one[2] for one in sorted(blind)[:_TRIED_BLINDLY]]
        return chosen

    def _without_what_is_not_needed(
        self, deviations: Set, few: int, is_sure: Callable[[Deviation], bool] = lambda deviation: False
    ) -> Set:
        """The set without the members but for which no more than a ``few`` outcomes more would be left unexplained."""
        left = self.misses(deviations).bit_count()
        for deviation in reversed(deviations):
            fewer = without(deviations, deviation)
            most = left + (0 if is_sure(deviation) else few)
            if self._misses_at_most(fewer, most, self._effects[deviation]):
                return self._without_what_is_not_needed(fewer, few, is_sure)
        return deviations

    def _misses_at_most(self, deviations: Set, most: int, first: int) -> bool:
        for part in (first, self.all & ~first):
            for at in _bits(part):
                most -= self.misses(deviations, 1 << at) != 0
                if most < 0:
                    return False
        return True

    def _equals(self, deviations: Set, misses: int) -> dict[str, tuple[Deviation, ...]]:
        """For each member, the deviations that would do in its place as well."""
        equals: dict[str, tuple[Deviation, ...]] = {}
        for deviation in deviations:
            others = without(deviations, deviation)
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


def without(deviations: Set, one: Deviation) -> Set:
    """The others."""
    return tuple(other for other in deviations if other is not one)


def _rank(one: tuple[int, Set]) -> tuple[int, int, int]:
    missed, deviations = one
    return missed.bit_count(), len(deviations), -sum(len(deviation.reports) for deviation in deviations)


def _bits(number: int) -> Iterable[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
