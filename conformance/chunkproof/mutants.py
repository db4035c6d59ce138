"""The mutation score: the suite against every entry of the catalogue.

Each entry is judged rule by rule, in the order of the registry, until the first rule that it breaks: that is the catch.
Beyond smoke effort, all rules take a first turn at smoke: the streams of a greater effort begin with the same ones.
Then come the rules that measure, which take no longer with effort. From the second seed on, the rules that have caught
an entry come first: what it takes to the catch is told by the first seed. With ``every_rule`` all rules judge it, so
that rules which no entry needs, and entries that few rules catch, are seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from chunkproof_reports.mutants import Catch
from chunkproof_reports.results import RuleResult
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviation
from chunkproof_targets.deviations.compose import DeviatingTarget

from .peace import at_peace, collect_garbage
from .rule_check import EFFORTS, check_rule
from .rules import RULES, Rule
from .watch import Watch

__all__ = ["catch", "catches"]

# Seconds for one run of an entry: none of them is slow but those that hang.
_TIMEOUT = 20.0


def catch(
    entry: Deviation,
    *,
    effort: str = "smoke",
    seed: str = "1",
    rules: Sequence[Rule] = RULES,
    every_rule: bool = False,
    first: Iterable[str] = (),
) -> Catch:
    """Judge one entry, by the rules of the ids ``first`` before all others.

    An info counts only for a choice that the standard leaves open.
    """
    target = DeviatingTarget(entry.part, entry.name)
    broken: list[str] = []
    checks, size, started = 0, 0, time.perf_counter()
    seconds = 0.0
    with at_peace(), Watch(timeout=_TIMEOUT) as watch:
        for result in _results(target, rules, effort, seed, watch, frozenset(first)):
            if not broken:
                checks += result.checks
                seconds = time.perf_counter() - started
            if result.fails or (entry.is_choice and result.status == "broken"):
                size = size or _size(result)
                broken += [result.id] if result.id not in broken else []
                if not every_rule:
                    break
    collect_garbage()
    return Catch(entry.name, seed, tuple(broken), checks, round(seconds, 3), size)


def _results(
    target: DeviatingTarget, rules: Sequence[Rule], effort: str, seed: str, watch: Watch, first: frozenset[str]
) -> Iterator[RuleResult]:
    measuring = [rule for rule in rules if rule.examine is not None]
    searching = [rule for rule in rules if rule.examine is None]
    turns = (
        [("smoke", searching), (effort, measuring), (effort, searching)] if effort != "smoke" else [("smoke", rules)]
    )
    for soon in (True, False):
        for name, several in turns:
            for rule in several:
                if (rule.id in first) == soon:
                    yield check_rule(rule, target, effort=EFFORTS[name], seed=seed, watch=watch)


def _size(result: RuleResult) -> int:
    found = result.counterexample
    return 0 if found is None else sum(len(stream.data) for stream in found.streams)


def catches(
    entries: Sequence[Deviation] = CATALOGUE,
    *,
    effort: str = "smoke",
    seeds: Iterable[str] = ("1",),
    jobs: int = 1,
    every_rule: bool = False,
) -> Iterator[Catch]:
    """All of them under all seeds, seed by seed, as they are done."""
    known: dict[str, set[str]] = {}
    for seed in seeds:
        wanted = [(entry.name, effort, seed, every_rule, tuple(known.get(entry.name, ()))) for entry in entries]
        for one in _one_by_one(wanted) if jobs == 1 else _together(wanted, jobs):
            known.setdefault(one.entry, set()).update(one.rules)
            yield one


Wanted = tuple[str, str, str, bool, tuple[str, ...]]


def _one_by_one(wanted: Sequence[Wanted]) -> Iterator[Catch]:
    for one in wanted:
        yield _catch(*one)


def _together(wanted: Sequence[Wanted], jobs: int) -> Iterator[Catch]:
    pool = ProcessPoolExecutor(jobs)
    try:
        futures = [pool.submit(_catch, *one) for one in wanted]
        for future in as_completed(futures):
            yield future.result()
    finally:
        # Where the user waits no longer, those in hand are done with and no more.
        pool.shutdown(cancel_futures=True)


def _catch(name: str, effort: str, seed: str, every_rule: bool, first: tuple[str, ...]) -> Catch:
    return catch(find_deviation(name), effort=effort, seed=seed, every_rule=every_rule, first=first)
