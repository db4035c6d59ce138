"""Judges a target by all rules, without pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from random import Random

from chunkproof_reports.results import Results, RuleResult, TargetRecord
from chunkproof_targets.contract import Target

from .corpus.suite import suite
from .isolation.judging import Isolation
from .isolation.limits import Limits
from .peace import at_peace
from .rule_check import EFFORTS, Effort, check_rule
from .rules import Rule

__all__ = ["EFFORTS", "RELEASE_SEED", "Effort", "check", "check_rule", "describe_target", "resolve_seed"]

RELEASE = version("chunkproof")
#: The seed of every run that asks for no other: fixed by release, so that nobody's CI turns red by chance.
RELEASE_SEED = RELEASE


def resolve_seed(seed: str | int | None) -> str:
    """The seed of a run: the release's own by default, a fresh number for "random", or what is given."""
    if seed is None or seed == "":
        return RELEASE_SEED
    if seed == "random":
        return str(Random().randrange(10**9))
    return str(seed)


def check(
    target: Target,
    effort: str = "default",
    *,
    seed: str | int | None = None,
    rules: Iterable[Rule] | None = None,
    limits: Limits | None = None,
    forked: bool = True,
    after: Callable[[RuleResult], object] = lambda result: None,
) -> Results:
    """Judge a target by all rules, or by those given, without pytest; ``effort`` is the name of one of `EFFORTS`.

    The results are data: `Results.rules` holds one `RuleResult` for each rule, `Results.to_json` writes all of it.
    ``limits`` are for one run of the target. ``forked``: each rule in a child process, where the system can fork.
    ``after`` is given each result as it comes.
    """
    if effort not in EFFORTS:
        raise ValueError(f"{effort=} is no effort of the suite; take one of: {', '.join(EFFORTS)}")
    chosen = resolve_seed(seed)
    results = Results(RELEASE, effort, chosen, [describe_target(target)])
    isolation = Isolation(limits or Limits(), forked=forked)
    try:
        with at_peace():
            judged_by = list(suite(effort).rules if rules is None else rules)
            isolation.know(judged_by)
            for rule in judged_by:
                results.rules.append(isolation.check_rule(rule, target, effort=EFFORTS[effort], seed=chosen))
                after(results.rules[-1])
    finally:
        isolation.close()
    return results


def describe_target(target: Target, baseline: str = "") -> TargetRecord:
    """How a target is driven, what it shows, how it was found and what it declares, in words.

    ``baseline`` names the file of its known failures.
    """
    shows = target.shows
    shown = [
        *(["type"] if shows.type else []),
        "data" if shows.data == "text" else "data (decoded JSON)",
        *(["last event ID"] if shows.last_event_id or shows.end_last_event_id else []),
        *([f"retry ({shows.retry})"] if shows.retry else []),
    ]
    return TargetRecord(target.name, target.shape, ", ".join(shown), target.found, tuple(_departures(target)), baseline)


def _departures(target: Target) -> Iterator[str]:
    """What the target declares that changes a verdict, as it is typed."""
    yield from target.deviations
    if target.strict_utf8:
        yield "invalid_utf8=strict"
    if target.size_limit is not None:
        yield f"size_limit={target.size_limit}"
    if target.empty_chunk_ends:
        yield "empty_chunk=end"
