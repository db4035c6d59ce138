"""Judges rules in forked children, and what becomes of a run that takes its process with it.

A child searches for a failure and makes it small, as `rule_check` does in any process. A run that hangs, exits,
crashes, eats memory or floods the output ends that child; its input is known from the board. It is then made small
here, each try in a fresh child, within a bounded time.
"""

from __future__ import annotations

import re
import signal
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, astuple, replace
from functools import partial
from typing import Any

from chunkproof_reports.results import Counterexample, Kind, RuleResult
from chunkproof_targets.contract import (
    Run,
    Target,
    TargetStopped,
)

from ..counterexample import Case
from ..examples import prepare
from ..replay import ReplayError, replay
from ..rule_check import Effort, check_rule, conclude, look
from ..rule_run import Finding, RuleRun
from ..rules import RULES, Rule, find_rule
from ..smaller import NOT_EVERY_TIME, advice_on, is_ours, record, smaller
from ..watch import Watch
from .board import Board
from .child import Cell, Child, Ended
from .limits import UNKNOWN_PACE, Limits, Pace, measure_pace
from .process import can_fork, fill_standard, how_it_ended
from .rehearsal import rehearse
from .tries import Stop, Tries

__all__ = ["Isolation"]

# The interpreter lists the last call first.
_FRAME = re.compile(r'  File "([^"]*)", line \d+ in ')
# Seconds for which a run that ends its process is made small, and the limits of each try.
_SHRINK_SECONDS = 4.0
_TRY_SECONDS = 0.2
_TRY_SECONDS_ENDING = 2.0
_TRY_TIMES = 50
_TRY_PART = 8
_NOT_AGAIN = (
    "a run took more than 50 times what the target's pace lets expect, or its process was ended from outside, and it "
    "was right when it was run again; --chunkproof-timeout=SECONDS gives each run more time"
)
# How a process ends that the system ends for want of memory, or somebody by hand: no fault of the target unless it does
# so again.
_FROM_OUTSIDE = {how_it_ended(-signal.SIGKILL), how_it_ended(-signal.SIGTERM)} if can_fork() else set()
# What is called a hang in the end was given so many times as long as what looked like one. Where it was none, the rule
# is searched once more with such patience.
_PATIENCE = 6
# Of a target that is known to hang, the next hang is believed sooner: how soon it looks like one, and when it is one.
_LOOKS_KNOWN, _IS_KNOWN = 0.4, 1


class Isolation:
    """Judges one rule after another in a child, where the system can fork and ``forked`` is wanted.

    A child that is well goes on to the next rule: to fork anew for each would cost more than a tenth of a run at smoke.
    Behind a rule that is broken comes a new one.
    """

    def __init__(self, limits: Limits, *, forked: bool = True) -> None:
        self.limits = limits
        self.forked = forked and can_fork()
        if self.forked:
            fill_standard()
        self._rules = {rule.id: rule for rule in RULES}
        self._opened: Cell | None = None
        self._targets: list[Target] = []
        self._paces: dict[int, Pace | None] = {}
        self._hanging: list[Target] = []
        self._child: Child | None = None

    def know(self, rules: Iterable[Rule]) -> None:
        """Tell of further rules, so that a child that goes on from rule to rule can be asked for them."""
        self._rules.update((rule.id, rule) for rule in rules)
        self.end_child()

    def check_rule(self, rule: Rule, target: Target, *, effort: Effort, seed: str) -> RuleResult:
        """See `chunkproof.rule_check.check_rule`."""
        if rule.not_judged(target) or not self.forks(target):
            with self.watch_here() as watch:
                return check_rule(rule, target, effort=effort, seed=seed, watch=watch)
        started = time.perf_counter()
        prepare()
        try:
            limits = replace(self.limits, patience=_LOOKS_KNOWN) if target in self._hanging else self.limits
            result = self._judge(rule, target, effort, seed, limits)
            if result is None:
                patient = replace(self.limits, patience=_PATIENCE)
                result = self._judge(rule, target, effort, seed, patient)
            if result is None:
                result = rule.result(target, "not judged", reason=_NOT_AGAIN)
        except Exception:  # a fault of ours, in the child or here
            result = rule.result(target, "fault", reason=traceback.format_exc())
        if result.status in ("broken", "fault"):
            # What the target was in the middle of does not reach the next rule.
            self.end_child()
        return replace(result, seconds=round(time.perf_counter() - started, 4))

    def _judge(self, rule: Rule, target: Target, effort: Effort, seed: str, limits: Limits) -> RuleResult | None:
        """The result; None where a run looked like a hang, or was ended from outside, and was right in the end."""
        answer = self._ask(rule, target, effort, seed, limits)
        if isinstance(answer, Ended) or "finding" in answer:
            self.end_child()
            return self.stopped(rule, target, answer)
        return RuleResult.from_data(answer)

    def _ask(self, rule: Rule, target: Target, effort: Effort, seed: str, limits: Limits) -> Any:
        """What a child says of a rule: the one that has judged others before, where it knows this rule."""
        pace = self.pace_here(target)
        if self._rules.get(rule.id) is not rule:
            return self.cell.call(partial(_judged, rule, target, effort, seed), limits, pace)
        if self._child is None or not self._child.alive:
            self._child = Child(self.cell, self._answer)
        number = next(at for at, known in enumerate(self._targets) if known is target)
        return self._child.ask([rule.id, number, asdict(effort), seed], limits, pace)

    def _answer(self, question: Any, watch: Watch) -> dict[str, Any]:
        rule_id, number, effort, seed = question
        return _judged(self._rules[rule_id], self._targets[number], Effort(**effort), seed, watch)

    def forks(self, target: Target) -> bool:
        """Whether this target is judged in a child: it may live on what a child does not have, such as its threads."""
        return self.forked and self._pace(target) is not None

    def end_child(self) -> None:
        """Let the child end; the next rule gets a new one."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def replay(self, case: Case, target: Target) -> RuleResult:
        """See `chunkproof.replay.replay`."""
        if not self.forks(target):
            with self.watch_here() as watch:
                return replay(case, target, watch)
        answer = self.call(target, partial(_replayed, case, target))
        if isinstance(answer, Ended):
            return self._replay_ended(case, target, answer)
        if "refused" in answer:
            raise ReplayError(answer["refused"])
        return RuleResult.from_data(answer)

    def rehearse(self, look: Callable[[], object], name: str) -> None:
        """See `chunkproof.isolation.rehearsal.rehearse`; without a child, what comes of it comes here."""
        if self.forked:
            rehearse(look, name)

    def close(self) -> None:
        """Give back what is held."""
        self.end_child()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def cell(self) -> Cell:
        """Where children run; opened when it is first needed."""
        if self._opened is None:
            # A target may have closed them since, as it was loaded.
            fill_standard()
            self._opened = Cell()
        return self._opened

    def call(self, target: Target, work: Callable[[Watch], Any], limits: Limits | None = None) -> Any:
        """What a piece of work in a child returns, data that JSON can hold; `Ended` where the child did not live."""
        return self.cell.call(work, limits or self.limits, self.pace_here(target))

    def _pace(self, target: Target) -> Pace | None:
        """The target's own pace, measured once, in a child; None where it hangs there on plain events."""
        if id(target) not in self._paces:
            limits = replace(self.limits, patience=_PATIENCE)
            found = self.cell.call(partial(_pace_of, target), limits, UNKNOWN_PACE)
            if isinstance(found, Ended):
                # Whatever takes a child with it would take this process.
                found = astuple(UNKNOWN_PACE)
            self._paces[id(target)] = None if found is None else Pace(*found)
            # A child knows the targets that there were when it was forked.
            self._targets.append(target)
            self.end_child()
        return self._paces[id(target)]

    def watch_here(self, board: Board | None = None) -> Watch:
        """A watch for a target that is not run in a child; on a ``board`` it notes the run in hand."""
        # Nothing is run once more here to tell slow from hung, so that all have the time from the start.
        return Watch(limits=replace(self.limits, patience=_PATIENCE), board=board)

    def pace_here(self, target: Target) -> Pace:
        """The target's own pace; a slow one where it is not known."""
        return self._pace(target) or UNKNOWN_PACE

    def _printed(self) -> tuple[str, str]:
        out, err = self.cell.printed.texts()
        return out, _without_our_frames(err)

    # a run that ended its process ---------------------------------------------------------------------------------

    def stopped(self, rule: Rule, target: Target, answer: Any) -> RuleResult | None:
        """The result of a rule in the middle of which a child ended: its input is made small in fresh children.

        None where the run looked like a hang, or was ended from outside, and was right in the end.
        """
        found = Stop.of(answer)
        if found.finding is None:
            reason = f"{found.failure}, and no run was noted by then"
            return rule.result(target, "fault", reason=reason)
        # Of the child that ended; the next one begins anew.
        printed = self._printed()
        small = self._smaller(rule, target, found.finding)
        result = self._shown(rule, target, small, found.finding, printed)
        return None if result is None else replace(result, checks=found.checks, streams=found.streams)

    def _smaller(self, rule: Rule, target: Target, finding: Finding) -> Finding:
        pace = self.pace_here(target)
        # A hang costs its whole time at each try; what ends by itself is not to be taken for one on a busy machine.
        seconds = _TRY_SECONDS if finding.kind == "hung" else _TRY_SECONDS_ENDING
        seconds += _TRY_TIMES * pace.seconds(len(finding.wire), len(finding.cuts) + 1)
        limits = Limits(seconds, max(self.limits.memory // _TRY_PART, 1), max(self.limits.output // _TRY_PART, 1))
        tries = Tries(rule, target, Watch(), self.cell, limits, pace, time.monotonic() + _SHRINK_SECONDS)
        if tries.kind(finding.wire, finding.cuts, finding.before) != finding.kind:
            return finding
        return smaller(tries, finding)

    def _shown(
        self, rule: Rule, target: Target, small: Finding, found: Finding, printed: tuple[str, str]
    ) -> RuleResult | None:
        """The result, after one more run with all the time it can need; None where it says nothing of the target."""
        limits = self.limits
        if found.kind == "hung":
            limits = replace(limits, patience=_IS_KNOWN if target in self._hanging else _PATIENCE)
        answer = self.call(target, partial(_run_again, rule, target, small), limits)
        if answer is not None and not isinstance(answer, Ended):
            result = RuleResult.from_data(answer)
            if result.counterexample and result.counterexample.kind == "hung":
                self._hanging.append(target)
            return result
        if isinstance(answer, Ended):
            if answer.failure.kind == "hung":
                self._hanging.append(target)
            small = replace(small, kind=answer.failure.kind, run=Run(failure=answer.failure))
            printed, advice = self._printed(), ""
        elif found.kind == "hung" or str(found.run.failure) in _FROM_OUTSIDE:
            return None
        else:
            small, advice = found, NOT_EVERY_TIME
        return rule.result(
            target, "broken", advice=advice, counterexample=_record(rule, target, small, small.run, small.kind, printed)
        )

    def _replay_ended(self, case: Case, target: Target, ended: Ended) -> RuleResult:
        rule = find_rule(case.rule)
        *before, (wire, cuts) = case.streams
        found = Finding(tuple(earlier for earlier, _ in before), wire, cuts, ended.failure.kind, Run())
        run = Run(failure=ended.failure)
        counterexample = _record(rule, target, found, run, ended.failure.kind, self._printed())
        return rule.result(target, "broken", checks=1, streams=1, counterexample=counterexample)


# what is done in a child ------------------------------------------------------------------------------------------


def _pace_of(target: Target, watch: Watch) -> tuple[float, ...] | None:
    pace = measure_pace(watch.run, target)
    return None if pace is None else astuple(pace)


def _judged(rule: Rule, target: Target, effort: Effort, seed: str, watch: Watch) -> dict[str, Any]:
    started = time.perf_counter()
    rule_run = RuleRun(rule, target, watch)
    found = look(rule_run, effort, seed)
    finding = found.finding
    if finding is None or not isinstance(finding.run.failure, TargetStopped):
        return conclude(rule_run, found, started).to_data()
    return {
        "finding": finding.kind,
        "failure": str(finding.run.failure),
        "before": [wire.hex() for wire in finding.before],
        "wire": finding.wire.hex(),
        "cuts": finding.cuts,
        "checks": rule_run.checks,
        "streams": rule_run.streams,
    }


def _replayed(case: Case, target: Target, watch: Watch) -> dict[str, Any]:
    try:
        return replay(case, target, watch).to_data()
    except ReplayError as error:
        return {"refused": str(error)}


def _run_again(rule: Rule, target: Target, finding: Finding, watch: Watch) -> dict[str, Any] | None:
    """The result of a rule that is judged by one stream; None where that is right now."""
    expectation = rule.expectation(target, finding.wire)
    assert expectation is not None, "what failed can be expected again"
    watch.forget_printed()
    run = RuleRun(rule, target, watch).run(finding.wire, finding.cuts, finding.before)
    kind = rule.differs(expectation, finding.wire, finding.cuts, run)
    if kind is None:
        return None
    counterexample = _record(rule, target, finding, run, kind, watch.printed_texts())
    advice = advice_on(rule, expectation, finding.cuts, run)
    return rule.result(target, "broken", advice=advice, counterexample=counterexample).to_data()


def _without_our_frames(text: str) -> str:
    """What was printed, less the suite's own part of the stack that the interpreter prints when it crashes."""
    lines = text.splitlines(keepends=True)
    frames = (at for at, line in enumerate(lines) if (found := _FRAME.match(line)) and is_ours(found[1]))
    return "".join(lines[: next(frames, None)])


def _record(
    rule: Rule, target: Target, finding: Finding, run: Run, kind: Kind, printed: tuple[str, str]
) -> Counterexample:
    expectation = rule.expectation(target, finding.wire)
    assert expectation is not None, "what failed can be expected again"
    streams = (*((earlier, ()) for earlier in finding.before), (finding.wire, finding.cuts))
    return record(rule, Case(rule.case_of or rule.id, target.takes, streams), expectation, run, kind, printed)
