"""Names the fault of a target: from its broken rules to deviations, with what each of them explains."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from chunkproof_reports.results import DeviationRecord, DiagnosisRecord, Kind, Results, RuleResult
from chunkproof_strategies.generator import RandomSource
from chunkproof_strategies.grammar import write_stream
from chunkproof_targets.contract import Run, Target, TargetError
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviations
from chunkproof_targets.deviations.compose import DeviatingTarget, compose

from ..counterexample import Case, encode_token
from ..isolation.judging import Isolation
from ..plans import common
from ..question import Question
from ..rule_run import RuleRun
from ..rules import Rule, find_rule
from ..watch import Watch
from .asking import ask
from .search import Found, Search, without
from .seen import Seen, can_be_asked, predict
from .telling import question_of, telling_cases

__all__ = ["diagnose", "diagnose_all"]

# Seconds for all of it, and the part of them that the target may take to answer.
_SECONDS = 8.0
_ASKING = 3.0
# Fresh streams on which what was found is checked, and the rounds of search that may follow.
_FRESH = 60
_ROUNDS = 3
_COUNTEREXAMPLES_MAX = 8
_UNSHRUNK_MAX = 30
_SECOND_RUN = "whole/a-second-run-sees-nothing-of-the-first"
# Bytes of a stream that is asked of every set of deviations.
_BYTES_MAX = 200_000
# Streams on which it is compared when events come out, and the bytes of one of them.
_TIMED_MAX = 200
_TIMED_BYTES_MAX = 2_000
_STOPPED = ("hung", "died", "memory", "output")
# The rule under which a stream is replayed that no broken rule's counterexample stands for.
_ANY = "whole/any-stream-in-any-chunking"


def _rule_of(result: RuleResult) -> Rule:
    return find_rule(result.case_of or result.id)


def diagnose_all(results: Results, targets: Iterable[Target], isolation: Isolation) -> None:
    """Add the diagnosis of each target that breaks a rule to the results."""
    for target in targets:
        broken = [r for r in results.rules if r.target == target.name and r.fails and r.status == "broken"]
        # Answers of a target that keeps something from run to run say little without a process for each.
        apart = any(result.id == _SECOND_RUN for result in broken)
        if broken and (isolation.forks(target) or not apart):
            results.diagnoses.append(diagnose(target, broken, isolation, seed=results.seed))


def diagnose(target: Target, broken: Sequence[RuleResult], isolation: Isolation, *, seed: str) -> DiagnosisRecord:
    """The diagnosis of a target by its broken rules; what it behaves like is found by asking it more questions."""
    return _Diagnosis(target, broken, isolation, seed).record()


class _Diagnosis:
    def __init__(self, target: Target, broken: Sequence[RuleResult], isolation: Isolation, seed: str) -> None:
        self.target = target
        self.broken = broken
        self.isolation = isolation
        self.seed = seed
        self.until = time.monotonic() + _SECONDS
        self.cases = {result.id: _question_of(result) for result in broken}
        self.seen: list[Seen] = []
        self.fresh: list[Seen] = []
        self.declared = find_deviations("+".join(target.deviations))

    def record(self) -> DiagnosisRecord:
        """Ask, search, check on fresh streams, and say what came of it."""
        own = [question for question in self.cases.values() if question is not None]
        unshrunk = [question for question in map(_unshrunk, self.broken) if question is not None]
        # What is to be explained comes first: there may not be the time for all.
        self._ask([*own, *telling_cases(), *sorted(unshrunk, key=lambda one: one.size)[:_UNSHRUNK_MAX]])
        search = Search(self.target, CATALOGUE, start=self.declared, shows=telling_cases(), until=self.until)
        search.add(self.seen)
        found = search.found()
        for round_ in range(_ROUNDS):
            news = self._differing_on_fresh_streams(found, round_)
            if not news:
                break
            self.seen += news
            search.add(news)
            if time.monotonic() > self.until:
                break
            found = search.found()
        search.add(self.fresh)
        return self._record(search.settled(self._breaks_a_rule))

    def _ask(self, questions: Iterable[Question | None]) -> None:
        wanted = [one for one in dict.fromkeys(questions) if one is not None and can_be_asked(self.target, one)]
        self.seen += self._answers(wanted)

    def _answers(self, questions: Sequence[Question]) -> list[Seen]:
        until = min(self.until, time.monotonic() + _ASKING)
        return ask(self.target, questions, self.isolation, until=until, apart=_SECOND_RUN in self.cases)

    def _differing_on_fresh_streams(self, found: Found, round_: int) -> list[Seen]:
        """Of streams that nobody has seen before, a few on which the target is not as found, the smallest first."""
        source = RandomSource(f"{self.seed}/diagnosis/{round_}")
        questions: list[Question] = []
        for _ in range(_FRESH):
            wire = write_stream(source).wire
            questions += [Question(wire, tuple(cuts)) for cuts in common(wire, source)]
        wanted = [question for question in questions if can_be_asked(self.target, question)]
        seen = self._answers(wanted)
        differing = sorted(
            (one for one in seen if not one.fits(self.target, found.deviations)), key=lambda one: one.question.size
        )[:_COUNTEREXAMPLES_MAX]
        self.fresh += [one for one in seen if one not in differing]
        return differing

    # what is said of it --------------------------------------------------------------------------------------------

    def _record(self, found: Found) -> DiagnosisRecord:
        causes = self._causes(found)
        for rule, one in self._causes_in_their_way(found):
            causes[one].append(rule)
        measured = self._measured(found, {rule for rules in causes.values() for rule in rules})
        explained = {rule for rules in (*causes.values(), *measured.values()) for rule in rules}
        by_declaration = self._broken_by_declaration()
        seen = [*self.seen, *self.fresh]
        # Of what was found last, all that was seen before is asked once more.
        left = [one for one in seen if not one.fits(self.target, found.deviations)]
        smallest = min(left, key=lambda one: one.question.size, default=None)
        absent = [one for one in self.declared if not _is_named(one, found)]
        stale = [one for one in absent if self._is_stale(one)]
        return DiagnosisRecord(
            target=self.target.name,
            deviations=(
                *(
                    replace(
                        self._named(one, causes[one], found.equals[one.name]),
                        against=self._against(one, found.deviations, left),
                    )
                    for one in found.deviations
                ),
                *(self._named(ones[0], rules, ones[1:]) for ones, rules in measured.items()),
            ),
            outcomes=len(seen),
            explained=len(seen) - len(left),
            fresh=len(self.fresh),
            unexplained="" if smallest is None else self._token(smallest.question),
            rules_unexplained=tuple(
                result.id
                for result in self.broken
                if result.id not in explained
                and not (found.deviations and _is_long(result))
                and result.id not in by_declaration
            ),
            stale=tuple(one.name for one in stale),
            cut_short=time.monotonic() > self.until,
            otherwise=tuple(one.name for one in absent if one not in stale and self._would_show(one)),
            undecided=tuple(one.name for one in absent if one not in stale and not self._would_show(one)),
        )

    def _breaks_a_rule(self, deviation: Deviation) -> bool:
        """Whether it explains a rule's counterexample alone."""
        own = set(self.cases.values())
        return any(
            one.question in own and not one.is_right(self.target) and one.fits(self.target, (deviation,))
            for one in self.seen
        )

    def _causes(self, found: Found) -> dict[Deviation, list[str]]:
        """Under each deviation, the broken rules whose counterexample it explains alone, or else has a part in."""
        causes: dict[Deviation, list[str]] = {one: [] for one in found.deviations}
        for rule, question in self.cases.items():
            seen = next((one for one in self.seen if one.question == question), None)
            if seen is None or seen.is_right(self.target) or not seen.fits(self.target, found.deviations):
                continue
            alone = [one for one in found.deviations if seen.fits(self.target, (one,))]
            for one in (alone or self._part(seen, found.deviations))[:1]:
                causes[one].append(rule)
        return causes

    def _part(self, seen: Seen, deviations: tuple[Deviation, ...]) -> tuple[Deviation, ...]:
        """Those without which the others do not explain it."""
        for one in deviations:
            fewer = without(deviations, one)
            if seen.fits(self.target, fewer):
                return self._part(seen, fewer)
        return deviations

    def _causes_in_their_way(self, found: Found) -> Iterator[tuple[str, Deviation]]:
        """The rules on when an event is out, and the like, that the reference parser breaks too with what was found.

        A parser that reads its lines late is late: that is no second cause.
        """
        sets = [(one,) for one in found.deviations] + [found.deviations] * bool(found.deviations)
        for result in self.broken:
            counterexample = result.counterexample
            if counterexample is not None and _rule_of(result).way is not None:
                breaks = (some for some in sets if self._kind_with(some, result) == counterexample.kind)
                if (some := next(breaks, None)) is not None:
                    yield result.id, some[0]

    def _kind_with(self, deviations: tuple[Deviation, ...], result: RuleResult) -> Kind | None:
        """In what way the reference parser with these breaks a rule on its counterexample."""
        assert result.counterexample is not None
        question = question_of(result.counterexample.token)
        target = DeviatingTarget(compose(deviations), has_end=self.target.has_end)
        with Watch() as watch:
            run = RuleRun(_rule_of(result), target, watch)
            return run.kind(question.wire, question.cuts, question.before)

    def _broken_by_declaration(self) -> set[str]:
        """The rules on whose counterexample the target does as the standard says, and not as it declares."""
        right = {one.question for one in self.seen if one.is_right(self.target)} if self.declared else set()
        return {rule for rule, question in self.cases.items() if question in right}

    def _measured(self, found: Found, explained: set[str]) -> dict[tuple[Deviation, ...], list[str]]:
        """The deviations that show in the rules that measure, and in those on when an event is out."""
        measured: dict[tuple[Deviation, ...], list[str]] = {}
        for result in self.broken:
            if self.cases[result.id] is not None or result.id in explained or (found.deviations and _is_long(result)):
                continue
            ones = [one for one in CATALOGUE if one.shows_in == result.id and self._breaks_alike(one, result)]
            ones.sort(key=_reported, reverse=True)
            if result.counterexample is not None and result.counterexample.kind == "late":
                ones = self._as_late(ones, found.deviations)
            if ones:
                measured.setdefault(tuple(ones), []).append(result.id)
        return measured

    def _as_late(self, ones: Iterable[Deviation], beside: tuple[Deviation, ...]) -> list[Deviation]:
        """Those of them that make each event come out with the chunk that it was seen to come out with."""
        timed = [one for one in (*self.fresh, *self.seen) if _says_when(one) and one.fits(self.target, beside)]
        return [one for one in ones if self._comes_when(timed[:_TIMED_MAX], (*beside, one))]

    def _comes_when(self, timed: Iterable[Seen], deviations: tuple[Deviation, ...]) -> bool:
        try:
            late = DeviatingTarget(compose(deviations), has_end=self.target.has_end)
        except TargetError:  # they cannot be combined
            return False
        return all(_times(late.run(one.question.chunks)) == _times(one.run) for one in timed)

    def _breaks_alike(self, deviation: Deviation, result: RuleResult) -> bool:
        """Whether it breaks the rule in the same way, as far as its counterexample says that."""
        if result.counterexample is None or result.counterexample.kind in _STOPPED:
            return False  # a hang says nothing of the rule's own matter
        if _rule_of(result).way is not None:
            return self._kind_with((deviation,), result) == result.counterexample.kind
        if not _is_long(result):
            return True
        question = question_of(result.counterexample.token)
        standard = predict(self.target, question, ())
        return predict(self.target, question, (deviation,)).kind(standard) == result.counterexample.kind

    def _named(self, deviation: Deviation, rules: Sequence[str], equals: Sequence[Deviation]) -> DeviationRecord:
        shown = min(
            (result for result in self.broken if result.id in rules and result.counterexample),
            key=lambda result: len(result.counterexample.token) if result.counterexample else 0,
            default=None,
        )
        token = shown.counterexample.token if shown is not None and shown.counterexample else ""
        return DeviationRecord(
            name=deviation.name,
            what=deviation.what,
            symptom=deviation.symptom,
            clause=deviation.clause,
            mend=deviation.mend,
            reports=deviation.reports,
            rules=tuple(rules),
            token=token or self._token_of(deviation),
            equals=tuple(one.name for one in equals),
            declared=deviation in self.declared,
            measured=bool(deviation.shows_in),
        )

    def _against(self, deviation: Deviation, found: tuple[Deviation, ...], left: Iterable[Seen]) -> str:
        """Of what is not explained, the smallest that would be but for this one, and is right."""
        others = without(found, deviation)
        right = [one for one in left if one.is_right(self.target) and one.fits(self.target, others)]
        smallest = min(right, key=lambda one: one.question.size, default=None)
        return "" if smallest is None else self._token(smallest.question)

    def _token_of(self, deviation: Deviation) -> str:
        alone = [one for one in self.seen if not one.is_right(self.target) and one.fits(self.target, (deviation,))]
        smallest = min(alone, key=lambda one: one.question.size, default=None)
        return "" if smallest is None else self._token(smallest.question)

    def _token(self, question: Question) -> str:
        streams = (*((wire, ()) for wire in question.before), (question.wire, question.cuts))
        return encode_token(Case(_SECOND_RUN if question.before else _ANY, self.target.takes, streams))

    def _is_stale(self, deviation: Deviation) -> bool:
        """Whether somewhere the deviation would show, and the target does as the standard says."""
        return any(not one.fits(self.target, (deviation,)) and one.is_right(self.target) for one in self.seen)

    def _would_show(self, deviation: Deviation) -> bool:
        """Whether it changes anything that was asked, and that the target shows."""
        asked = {one.question for one in self.seen}
        return any(
            not predict(self.target, question, (deviation,)).agrees(predict(self.target, question, ()))
            for question in asked
        )


def _is_named(deviation: Deviation, found: Found) -> bool:
    """Whether it was found, or what it was not told apart from."""
    return deviation in found.deviations or any(deviation in equals for equals in found.equals.values())


def _reported(deviation: Deviation) -> int:
    return len(deviation.reports)


def _question_of(result: RuleResult) -> Question | None:
    """What a broken rule ran in the end; None where it is not about what comes out, or the stream is too long."""
    found = result.counterexample
    if found is None or found.measured or _rule_of(result).way is not None:
        return None
    question = question_of(found.token)
    return question if question.size <= _BYTES_MAX else None


def _unshrunk(result: RuleResult) -> Question | None:
    """The stream on which a rule broke first, to be explained too: a smaller one may fail for another reason."""
    found = result.counterexample
    if found is None or found.unshrunk is None or _question_of(result) is None:
        return None
    return Question(found.unshrunk.data, found.unshrunk.cuts)


def _says_when(seen: Seen) -> bool:
    """Whether it is plain when its events are due: a CR may be held."""
    question = seen.question
    plain = b"\r" not in question.wire and question.size <= _TIMED_BYTES_MAX and not question.before
    return plain and seen.run.failure is None and bool(seen.run.deliveries)


def _times(run: Run) -> list[int]:
    return [delivery.chunks_taken for delivery in run.deliveries]


def _is_long(result: RuleResult) -> bool:
    """Whether a rule on very long lines broke on what came out: beside other faults, that says nothing of length."""
    found = result.counterexample
    return found is not None and not found.measured and _rule_of(result).examine is not None
