"""The storm: streams of the grammar as fast as they can be made and judged, by numbered seeds.

A seed is a number; it decides all that is done for it, so a range of seeds is a piece of work that anybody can do, or
do again. The first seeds are the rules: each is one rule with its own streams, as in a run of the suite. Every other
seed is a mixture: streams of the whole grammar most of the time, streams of one rule, and any bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chunkproof_strategies.generator import RandomSource
from chunkproof_strategies.grammar import write_stream
from chunkproof_targets.contract import Target

from ..corpus.making import ANY_RULE
from ..question import Question
from ..rule_check import EFFORTS, conclude, look
from ..rule_run import Finding, RuleRun
from ..rules import RULES, Rule, find_rule
from ..watch import Watch
from .found import Found
from .hunt import Hunt

__all__ = ["STREAMS", "Storm", "in_hand", "rules_for"]

#: The streams of one seed that is a mixture.
STREAMS = 32
_ANY_BYTES = "whole/any-bytes-never-stop-a-parser"
# Of so many streams of a mixture, one is of any bytes, and so many are of one rule; all others are of the grammar.
_OF, _OF_ANY_BYTES, _OF_A_RULE = 8, 1, 2
# More than there are rules: a mark is a seed and the place of a rule.
_PLACES = 4096


class Storm:
    """The storm on one target, in this process.

    ``rules`` are those that can fail this target, in the order of their seeds. ``checks`` and ``streams`` count what
    was done.
    """

    def __init__(self, target: Target, watch: Watch, hunt: Hunt) -> None:
        self.target = target
        self.watch = watch
        self.hunt = hunt
        self.rules = rules_for(target)
        self.checks = 0
        self.streams = 0
        self._searched = [rule for rule in self.rules if rule.examine is None and rule.cases is None]
        self._any = RuleRun(hunt.any_rule, target, watch)
        self._any_place = RULES.index(find_rule(ANY_RULE))
        self._any_bytes = find_rule(_ANY_BYTES)
        self._json_only = target.shows.json_only

    def run(self, seed: int) -> Iterator[Found]:
        """All that is done for a seed; each finding as it is made."""
        if seed < len(self.rules):
            # Each of these is done once.
            before, self.hunt.holds_back = self.hunt.holds_back, False
            yield from self._by_rule(self.rules[seed], seed)
            self.hunt.holds_back = before
        else:
            yield from self._mixture(seed)

    # one rule -----------------------------------------------------------------------------------------------------

    def _by_rule(self, rule: Rule, seed: int) -> Iterator[Found]:
        self._mark(rule, seed)
        rule_run = self._rule_run(rule)
        if rule.cases is not None:
            yield from self._cases(rule_run, rule.cases(), seed)
            return
        before = self.checks, self.streams
        looked = look(rule_run, EFFORTS["smoke"], f"storm/{seed}")
        self._count(rule_run)
        if rule.examine is not None:
            # What measures counts from nothing.
            self.checks, self.streams = before[0] + rule_run.checks, before[1] + rule_run.streams
        if looked.status == "fault":
            raise RuntimeError(looked.reason)
        if looked.finding is not None:
            yield from self._news(rule, looked.finding, seed)
        elif looked.status == "broken":
            yield from _given(self.hunt.measured(conclude(rule_run, looked, 0.0), _name(seed)))

    def _cases(self, rule_run: RuleRun, cases: Iterable[Question], seed: int) -> Iterator[Found]:
        """Each of a rule's stored streams; one that fails is made small as any other stream."""
        for case in cases:
            finding = rule_run.try_case(case)
            if finding is not None:
                yield from self._news(self.hunt.any_rule, finding, seed)
        self._count(rule_run)

    def _mark(self, rule: Rule, seed: int) -> None:
        self.watch.mark[0] = seed * _PLACES + RULES.index(rule)

    def _news(self, rule: Rule, finding: Finding, seed: int) -> Iterator[Found]:
        yield from _given(self.hunt.news(rule, finding, _name(seed)))

    def _rule_run(self, rule: Rule) -> RuleRun:
        return RuleRun(rule, self.target, self.watch, checks=self.checks, streams=self.streams)

    def _count(self, rule_run: RuleRun) -> None:
        self.checks = rule_run.checks
        self.streams = rule_run.streams

    # a mixture ----------------------------------------------------------------------------------------------------

    def _mixture(self, seed: int) -> Iterator[Found]:
        source = RandomSource(f"storm/{seed}", constants=self.target.constants)
        for _ in range(STREAMS):
            turn = source.below(_OF)
            if turn < _OF_ANY_BYTES:
                yield from self._of_rule(self._any_bytes, source, seed)
            elif turn < _OF_ANY_BYTES + _OF_A_RULE:
                yield from self._of_rule(source.pick(self._searched), source, seed)
            else:
                self.watch.mark[0] = seed * _PLACES + self._any_place
                yield from self._of_the_grammar(source, seed)

    def _of_rule(self, rule: Rule, source: RandomSource, seed: int) -> Iterator[Found]:
        self._mark(rule, seed)
        rule_run = self._rule_run(rule)
        finding = rule_run.try_stream(rule_run.draft(source), source)
        self._count(rule_run)
        if finding is not None:
            yield from self._news(rule, finding, seed)

    def _of_the_grammar(self, source: RandomSource, seed: int) -> Iterator[Found]:
        wire = write_stream(source, json_only=self._json_only).wire
        plans = list(self._any.plans(wire, source))
        self.watch.note((), wire, plans, self.checks, self.streams)
        before = self.hunt.checks
        found = self.hunt.judge_plans(wire, plans, _name(seed))
        self.checks += self.hunt.checks - before
        self.streams += 1
        yield from _given(found)


def in_hand(mark: int) -> tuple[int, Rule]:
    """The seed and the rule that a storm was at, by its mark."""
    seed, place = divmod(mark, _PLACES)
    return seed, RULES[place]


def _name(seed: int) -> str:
    return str(seed)


def _given(found: Found | None) -> Iterator[Found]:
    if found is not None:
        yield found


def rules_for(target: Target) -> list[Rule]:
    """The rules that can fail this target."""
    return [rule for rule in RULES if rule.severity_for(target) != "info" and not rule.not_judged(target)]
