"""One rule against one target, in this process: search for a failure, shrink it, say what it is.

Strategy: the seeded driver makes streams as fast as it can, each interpreted once and run under several plans of
cuts; then Hypothesis adds examples of its own, through the same grammar. The first failure ends the search; the
shrinker makes it small within the same rule and the same kind of difference.
"""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass

from chunkproof_reports.results import Counterexample, RuleResult, Status
from chunkproof_strategies.generator import RandomSource
from chunkproof_targets.contract import Target

from .examination import Examination, Examine, Examined
from .rule_run import Finding, RuleRun, search_cases, search_examples, search_seeded
from .rules import Rule
from .smaller import counterexample_of
from .watch import Watch

__all__ = ["EFFORTS", "Effort", "Look", "check_rule", "conclude", "look"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for each rule: checks of the seeded driver, and Hypothesis examples on top.

    ``checks`` is what a rule of weight 1 makes on streams of ordinary length; a check of a long wire counts for more.
    After so many ``seconds`` no more is tried: this is for targets that are slow, and no other comes near it.
    ``constants``: half of the texts of any kind are those that stand in the target's code.
    """

    name: str
    checks: int
    examples: int
    seconds: float = float("inf")
    constants: bool = False


EFFORTS = {
    effort.name: effort
    for effort in (
        Effort("smoke", 250, 0, 15),
        Effort("default", 9_500, 40, 60),
        Effort("deep", 120_000, 400, 900, constants=True),
    )
}

# Why a rule had no stream left to judge by, with and without `Rule.only_cuts`.
_NOTHING_LEFT = {
    False: "the target takes none of this rule's streams",
    True: "the target differs on every stream of this rule uncut, so nothing can be said of the cuts",
}


@dataclass(frozen=True, slots=True)
class Look:
    """What the search of a rule came to: its status, why it was not judged, and the finding if there is one.

    ``examined`` is what came of a rule that measures.
    """

    status: Status
    reason: str = ""
    finding: Finding | None = None
    examined: Examined | None = None


def check_rule(rule: Rule, target: Target, *, effort: Effort, seed: str, watch: Watch) -> RuleResult:
    """Judge the target by one rule. A fault of the suite itself comes back as a result of status "fault"."""
    started = time.perf_counter()
    rule_run = RuleRun(rule, target, watch)
    return conclude(rule_run, look(rule_run, effort, seed), started)


def look(rule_run: RuleRun, effort: Effort, seed: str) -> Look:
    """Search for a failure."""
    reason = rule_run.rule.not_judged(rule_run.target)
    if reason:
        return Look("not judged", reason)
    try:
        if rule_run.rule.examine is not None:
            return _examined(rule_run, rule_run.rule.examine, effort, seed)
        finding = _search(rule_run, effort, seed)
    except Exception:  # a fault of ours is a result too: shown whole, and the run goes on
        return Look("fault", traceback.format_exc())
    if finding is not None:
        return Look("broken", finding=finding)
    if rule_run.out_of_time:
        return Look("held", f"after {effort.seconds:g} s there was no time for more checks: the target is slow")
    if rule_run.streams:
        return Look("held")
    way = rule_run.rule.way
    return Look("not judged", _NOTHING_LEFT[rule_run.rule.only_cuts] if way is None else way.nothing_left)


def conclude(rule_run: RuleRun, look: Look, started: float) -> RuleResult:
    """The result of a rule: what was found is made small first. ``started`` is when that began, by `perf_counter`."""
    status, reason = look.status, look.reason
    counterexample: Counterexample | None = None
    advice = ""
    if look.examined is not None:
        counterexample, advice = look.examined.counterexample, look.examined.advice
    if look.finding is not None:
        try:
            counterexample, advice = counterexample_of(rule_run, look.finding)
        except Exception:
            status, reason = "fault", traceback.format_exc()
    return rule_run.rule.result(
        rule_run.target,
        status,
        checks=rule_run.checks,
        streams=rule_run.streams,
        seconds=round(time.perf_counter() - started, 4),
        reason=reason,
        advice=advice,
        counterexample=counterexample,
    )


def _examined(rule_run: RuleRun, examine: Examine, effort: Effort, seed: str) -> Look:
    found = examine(Examination(rule_run.rule.id, rule_run.target, rule_run.watch, seed, effort.checks))
    rule_run.checks, rule_run.streams = found.checks, found.streams
    return Look(found.status, found.reason, examined=found)


def _search(rule_run: RuleRun, effort: Effort, seed: str) -> Finding | None:
    rule_run.until = time.monotonic() + effort.seconds
    if rule_run.rule.cases is not None:
        return search_cases(rule_run, rule_run.rule.cases())
    constants = rule_run.target.constants if effort.constants else ()
    source = RandomSource(f"{seed}/{rule_run.rule.id}", constants=constants)
    found = search_seeded(rule_run, effort.checks * rule_run.rule.weight, source)
    if found is not None or not rule_run.streams or not effort.examples:
        return found
    return search_examples(rule_run, effort.examples, f"{seed}/{rule_run.rule.id}/hypothesis")
