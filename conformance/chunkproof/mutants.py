"""The mutation score: the suite against every entry of the catalogue.

Each entry is judged rule by rule, in the order of the registry, until the first rule that it breaks: that is the catch.
Beyond smoke effort, all rules take a first turn at smoke: the streams of a greater effort begin with the same ones.
Then come the rules that measure, which take no longer with effort. With ``every_rule`` all rules judge it, so that
rules which no entry needs, and entries that few rules catch, are seen.
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
    entry: Deviation, *, effort: str = "smoke", seed: str = "1", rules: Sequence[Rule] = RULES, every_rule: bool = False
) -> Catch:
    """Judge one entry; an info counts only for a choice that the standard leaves open."""
    target = DeviatingTarget(entry.part, entry.name)
    broken: list[str] = []
    checks, size, started = 0, 0, time.perf_counter()
    seconds = 0.0
    with at_peace(), Watch(timeout=_TIMEOUT) as watch:
        for result in _results(target, rules, effort, seed, watch):
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
    target: DeviatingTarget, rules: Sequence[Rule], effort: str, seed: str, watch: Watch
) -> Iterator[RuleResult]:
    measuring = [rule for rule in rules if rule.examine is not None]
    searching = [rule for rule in rules if rule.examine is None]
    turns = [("smoke", searching), (effort, measuring), (effort, searching)]
    for name, several in turns if effort != "smoke" else [("smoke", rules)]:
        for rule in several:
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
    """All of them under all seeds, as they are done."""
    wanted = [(entry.name, seed) for seed in seeds for entry in entries]
    if jobs == 1:
        for name, seed in wanted:
            yield _catch(name, effort, seed, every_rule)
        return
    pool = ProcessPoolExecutor(jobs)
    try:
        futures = [pool.submit(_catch, name, effort, seed, every_rule) for name, seed in wanted]
        for future in as_completed(futures):
            yield future.result()
    finally:
        # Where the user waits no longer, those in hand are done with and no more.
        pool.shutdown(cancel_futures=True)


def _catch(name: str, effort: str, seed: str, every_rule: bool) -> Catch:
    return catch(find_deviation(name), effort=effort, seed=seed, every_rule=every_rule)
