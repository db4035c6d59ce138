"""Entries made small: the fewest bytes, then the fewest cuts, for which a target still fails in the same way.

In the same way means: the run differs in the same kind from what is expected, and what explained it before still
does. A parser with two faults would otherwise be shrunk from the one that was reported to the one that needs fewer
bytes.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self, get_args

from chunkproof_reports.results import Kind, StoppedKind
from chunkproof_strategies.chunkings import without_empty_chunks
from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviations

from ..diagnosis.asking import Asker
from ..diagnosis.seen import Seen, can_be_asked, predict
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from ..isolation.tries import Tries
from ..judge import expect
from ..peace import at_peace
from ..question import Question
from ..rule_run import RuleRun
from ..rules import Rule
from ..shrinker import shrink
from ..watch import Watch

__all__ = ["Difference", "Sameness", "difference", "smallest"]

Set = tuple[Deviation, ...]

# Kinds of a run that was stopped: of what it would have given nothing is known.
_STOPPED = frozenset(get_args(StoppedKind))
# Seconds for all that one entry takes, and the part of them in which its cause is looked for.
_SECONDS = 30.0
_CAUSES_PART = 0.3
# Deviations of which each two are tried, where none explains what was seen alone.
_PAIRED_MAX = 60
# Seconds that a try takes that hangs, beyond 50 times what the target's pace lets expect.
_TRY_SECONDS = 0.2
_TRY_TIMES = 50
# The streams that run before are made small and the stream itself, in turn, no more often.
_ROUNDS_MAX = 4


def smallest(question: Question, fails: Callable[[Question], bool]) -> Question:
    """The question with the fewest bytes, then the fewest cuts, that was found to fail still; ValueError if none does.

    What runs before it is left out where it can be, and made small where it cannot.
    """
    known: dict[Question, bool] = {}

    def remembered(one: Question) -> bool:
        if one not in known:
            known[one] = fails(one)
        return known[one]

    if not remembered(question):
        raise ValueError("the stream does not fail, so there is nothing to make small; name a target that fails on it")
    for _ in range(_ROUNDS_MAX):
        shorter = _without_before(question, remembered)
        shorter = _shrunk(shorter, remembered)
        shorter = _with_short_before(shorter, remembered)
        if shorter == question:
            break
        question = shorter
    return question


def _without_before(question: Question, fails: Callable[[Question], bool]) -> Question:
    fewer = [replace(question, before=())] if question.before else []
    fewer += [
        replace(question, before=question.before[:at] + question.before[at + 1 :]) for at in range(len(question.before))
    ]
    found = next((one for one in fewer if fails(one)), None)
    return question if found is None else _without_before(found, fails)


def _with_short_before(question: Question, fails: Callable[[Question], bool]) -> Question:
    for at in range(len(question.before)):
        question = _with_short(question, at, fails)
    return question


def _with_short(question: Question, at: int, fails: Callable[[Question], bool]) -> Question:
    """The question with one of the streams before it made small."""
    before = question.before

    def put(wire: bytes) -> Question:
        return replace(question, before=(*before[:at], wire, *before[at + 1 :]))

    wire, _ = shrink(before[at], (), lambda wire, cuts: not cuts and fails(put(wire)))
    return put(wire)


def _shrunk(question: Question, fails: Callable[[Question], bool]) -> Question:
    def small(least: int) -> Question:
        wire, cuts = shrink(
            question.wire,
            question.cuts,
            lambda wire, cuts: len(cuts) >= least and fails(Question(wire, cuts, question.before)),
        )
        return Question(wire, cuts, question.before)

    found = small(0)
    if question.cuts and not found.cuts:
        # The shrinker leaves out cuts first; it may take fewer bytes with one.
        found = min(found, small(1), key=lambda one: (len(one.wire), len(one.cuts)))
    return found


# in the same way -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """In what way a target differs on a question, and the sets of deviations each of which explains what was seen.

    Those that the target declares are in each set. There are none where nothing in the catalogue explains it.
    """

    kind: Kind
    explained_by: tuple[Set, ...]


def difference(
    target: Target, question: Question, isolation: Isolation, *, rule: Rule | None = None, seconds: float = _SECONDS
) -> Difference:
    """In what way the target differs on the question; ValueError where it does not, or cannot be fed it."""
    with Sameness(target, question, isolation, rule=rule, seconds=seconds) as same:
        return same.difference


class Sameness:
    """Whether a target fails on another question in the same way as on this one.

    That is: in the same kind, and explained by one of the same sets of deviations. Where nothing explained it, nothing
    in the catalogue may explain the other alone: that would be another fault.

    ``rule`` is what the question is judged by, where that is more than the comparison of what comes out. From
    ``seconds`` on nothing is the same any more. ``question`` is the one given, as the target can be fed it. ValueError
    where the target does not fail on it, or cannot be fed it.
    """

    def __init__(
        self,
        target: Target,
        question: Question,
        isolation: Isolation,
        *,
        rule: Rule | None = None,
        seconds: float = _SECONDS,
    ) -> None:
        self.target = target
        self.rule = rule
        self.until = time.monotonic() + seconds
        self.question = question = _as_fed(target, question)
        self._isolation = isolation
        self._declared = find_deviations("+".join(target.deviations))
        self._asker = Asker(target, isolation)
        # What one run leaves to the next must not come from a run of ours.
        self._apart = bool(question.before)
        if not can_be_asked(target, question):
            raise ValueError(f"{target.name} cannot be fed this stream, so nothing is seen of it; name another target")
        kind, explained_by = self._difference(seconds)
        if kind is None:
            raise ValueError(
                f"{target.name} does with this stream what is expected, so there is no failure to keep; name a target "
                "that fails on it, or none"
            )
        self.difference = Difference(kind, explained_by)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def renew(self, seconds: float = _SECONDS) -> None:
        """Give it so many seconds from now on."""
        self.until = time.monotonic() + seconds

    def close(self) -> None:
        """Give back what is held."""
        self._asker.close()

    def __call__(self, question: Question) -> bool:
        """Whether it fails in the same way."""
        if time.monotonic() > self.until or not can_be_asked(self.target, question):
            return False
        with at_peace():
            if self._in_its_way is not None:
                return self._kind_in_its_way(question) == self.difference.kind
            if not self._is_same(self._asker.ask(question, apart=self._apart, limits=self._limits(question))):
                return False
            if self._apart or self.difference.kind in _STOPPED:
                return True
            # A parser may keep something from the tries before.
            self._apart = not self._is_same(self._asker.ask(question, apart=True))
            return not self._apart

    def _difference(self, seconds: float) -> tuple[Kind | None, tuple[Set, ...]]:
        with at_peace():
            if self._in_its_way is not None:
                return self._kind_in_its_way(self.question), ()
            seen = self._asker.ask(self.question, apart=True)
        kind = self._kind(seen)
        if kind is None or kind in _STOPPED:
            return kind, ()
        return kind, tuple(self._explanations(seen, time.monotonic() + _CAUSES_PART * seconds))

    @property
    def _in_its_way(self) -> Rule | None:
        return self.rule if self.rule is not None and self.rule.way is not None else None

    def _kind_in_its_way(self, question: Question) -> Kind | None:
        assert self.rule is not None
        isolation = self._isolation
        if not isolation.forks(self.target):
            with isolation.watch_here() as watch:
                return RuleRun(self.rule, self.target, watch).kind(question.wire, question.cuts, question.before)
        pace = isolation.pace_here(self.target)
        tries = Tries(self.rule, self.target, Watch(), isolation.cell, isolation.limits, pace, self.until)
        return tries.kind(question.wire, question.cuts, question.before)

    def _limits(self, question: Question) -> Limits | None:
        """What a try may take: one that is to hang would cost its whole time."""
        limits = self._isolation.limits
        if self.difference.kind != "hung" or limits.timeout is not None or not self._isolation.forks(self.target):
            return None
        pace = self._isolation.pace_here(self.target)
        return replace(limits, timeout=_TRY_SECONDS + _TRY_TIMES * pace.seconds(question.size, len(question.cuts) + 1))

    def _kind(self, seen: Seen) -> Kind | None:
        question = seen.question
        if self.rule is not None:
            expectation = self.rule.expectation(self.target, question.wire)
        else:
            expectation = expect(self.target, question.wire)
        assert expectation is not None, "it was asked"
        return expectation.at(question.cuts).differs(seen.run)

    def _is_same(self, seen: Seen) -> bool:
        if self._kind(seen) != self.difference.kind:
            return False
        if self.difference.kind in _STOPPED:
            return True
        if not self.difference.explained_by:
            return next(self._alone(seen, self.until), None) is None
        return any(self._explains(seen, one) for one in self.difference.explained_by)

    def _explains(self, seen: Seen, deviations: Set) -> bool:
        """Whether the set explains it, and each of its members is needed for that."""
        own = [one for one in deviations if one not in self._declared]
        return seen.fits(self.target, deviations) and not (
            len(own) > 1 and any(seen.fits(self.target, (*self._declared, one)) for one in own)
        )

    def _explanations(self, seen: Seen, until: float) -> Iterable[Set]:
        """Each deviation that explains it alone; or else each two that do, as far as there is time."""
        return list(self._alone(seen, until)) or list(self._in_pairs(seen, until))

    def _showing(self, seen: Seen, until: float) -> Iterator[Set]:
        """Each deviation that changes what comes of the question, with those that are declared."""
        standard = predict(self.target, seen.question, self._declared)
        for deviation in CATALOGUE:
            if time.monotonic() > until:
                return
            if deviation.shows_in or deviation in self._declared:
                continue
            one = (*self._declared, deviation)
            with contextlib.suppress(TargetError):  # it cannot stand beside one that is declared
                if not predict(self.target, seen.question, one).agrees(standard):
                    yield one

    def _alone(self, seen: Seen, until: float) -> Iterator[Set]:
        return (one for one in self._showing(seen, until) if seen.fits(self.target, one))

    def _in_pairs(self, seen: Seen, until: float) -> Iterator[Set]:
        # Those first that come near it alone.
        near = sorted(self._showing(seen, until), key=lambda one: -self._likeness(seen, one))[:_PAIRED_MAX]
        for one, other in itertools.combinations(near, 2):
            if time.monotonic() > until:
                return
            both = (*self._declared, *sorted((one[-1], other[-1]), key=lambda each: each.name))
            with contextlib.suppress(TargetError):  # the two cannot be combined
                if seen.fits(self.target, both):
                    yield both

    def _likeness(self, seen: Seen, deviations: Set) -> int:
        """How many events come out where and as the deviations say, less those too many or too few."""
        events = predict(self.target, seen.question, deviations).expectation.events
        delivered = [delivery.event for delivery in seen.run.deliveries]
        alike = sum(one == other for one, other in zip(events, delivered, strict=False))
        return alike - abs(len(events) - len(delivered))


def _as_fed(target: Target, question: Question) -> Question:
    """The question as the target is fed it: a target that takes lines has no cuts, another perhaps no empty chunks."""
    if target.takes == "lines":
        return replace(question, cuts=())
    if target.empty_chunk_ends:
        return replace(question, cuts=without_empty_chunks(question.cuts, len(question.wire)))
    return question
