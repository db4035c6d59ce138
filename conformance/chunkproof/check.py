"""Runs rules against a target: search for a failure, shrink it, say what it is.

Strategy: the seeded driver makes streams as fast as it can, each interpreted once and run under several plans of
cuts; then Hypothesis adds examples of its own, through the same grammar. The first failure ends the search; the
shrinker makes it small within the same rule and the same kind of difference.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from random import Random

from chunkproof_reports.results import Results, RuleResult, Status, TargetRecord
from chunkproof_targets.contract import Target

from .examination import Examination
from .peace import at_peace
from .rule_run import Finding, RuleRun, search_examples, search_seeded
from .rules import RULES, Rule
from .smaller import counterexample_of
from .watch import Watch

__all__ = ["EFFORTS", "RELEASE_SEED", "Effort", "check", "check_rule", "describe_target", "resolve_seed"]

RELEASE = version("chunkproof")
#: The seed of every run that asks for no other: fixed by release, so that nobody's CI turns red by chance.
RELEASE_SEED = RELEASE


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for each rule: checks of the seeded driver, and Hypothesis examples on top.

    ``checks`` is what a rule of weight 1 makes on streams of ordinary length; a check of a long wire counts for more.
    """

    name: str
    checks: int
    examples: int


EFFORTS = {
    effort.name: effort
    for effort in (Effort("smoke", 250, 0), Effort("default", 9_500, 40), Effort("deep", 120_000, 400))
}

# Why a rule had no stream left to judge by, with and without `Rule.only_cuts`.
_NOTHING_LEFT = {
    False: "the target takes none of this rule's streams",
    True: "the target differs on every stream of this rule uncut, so nothing can be said of the cuts",
}


def resolve_seed(seed: str | int | None) -> str:
    """The seed of a run: the release's own by default, a fresh number for "random", or what is given."""
    if seed is None or seed == "":
        return RELEASE_SEED
    if seed == "random":
        return str(Random().randrange(10**9))
    return str(seed)


def check_rule(rule: Rule, target: Target, *, effort: Effort, seed: str, watch: Watch) -> RuleResult:
    """Judge the target by one rule. A fault of the suite itself comes back as a result of status "fault"."""
    started = time.perf_counter()
    rule_run = RuleRun(rule, target, watch)
    reason = rule.not_judged(target)
    status: Status = "not judged"
    counterexample = None
    advice = ""
    if not reason:
        try:
            if rule.examine is not None:
                return _examined(rule, Examination(rule.id, target, watch, seed, effort.checks), started)
            finding = _search(rule_run, effort, seed)
            status = "held"
            if finding is not None:
                status = "broken"
                counterexample, advice = counterexample_of(rule_run, finding)
            elif not rule_run.streams:
                status, reason = "not judged", _NOTHING_LEFT[rule.only_cuts]
        except Exception:  # a fault of ours is a result too: shown whole, and the run goes on
            status, reason = "fault", traceback.format_exc()
    return rule.result(
        target,
        status,
        checks=rule_run.checks,
        streams=rule_run.streams,
        seconds=round(time.perf_counter() - started, 4),
        reason=reason,
        advice=advice,
        counterexample=counterexample,
    )


def check(
    target: Target, effort: str = "default", *, seed: str | int | None = None, rules: Iterable[Rule] = RULES
) -> Results:
    """Judge a target by all rules, without pytest; ``effort`` is the name of one of `EFFORTS`.

    The results are data: `Results.rules` holds one `RuleResult` for each rule, `Results.to_json` writes all of it.
    """
    if effort not in EFFORTS:
        raise ValueError(f"{effort=} is no effort of the suite; take one of: {', '.join(EFFORTS)}")
    chosen = resolve_seed(seed)
    results = Results(RELEASE, effort, chosen, [describe_target(target)])
    with at_peace(), Watch() as watch:
        for rule in rules:
            results.rules.append(check_rule(rule, target, effort=EFFORTS[effort], seed=chosen, watch=watch))
    return results


def describe_target(target: Target) -> TargetRecord:
    """How a target is driven, what it shows and how it was found, in words."""
    shows = target.shows
    shown = [
        *(["type"] if shows.type else []),
        "data" if shows.data == "text" else "data (decoded JSON)",
        *(["last event ID"] if shows.last_event_id or shows.end_last_event_id else []),
        *([f"retry ({shows.retry})"] if shows.retry else []),
    ]
    return TargetRecord(target.name, target.shape, ", ".join(shown), target.found)


def _examined(rule: Rule, examination: Examination, started: float) -> RuleResult:
    assert rule.examine is not None
    examined = rule.examine(examination)
    seconds = round(time.perf_counter() - started, 4)
    return rule.result(examination.target, seconds=seconds, **examined._asdict())


def _search(rule_run: RuleRun, effort: Effort, seed: str) -> Finding | None:
    found = search_seeded(rule_run, effort.checks * rule_run.rule.weight, f"{seed}/{rule_run.rule.id}")
    if found is not None or not rule_run.streams or not effort.examples:
        return found
    return search_examples(rule_run, effort.examples, f"{seed}/{rule_run.rule.id}/hypothesis")
