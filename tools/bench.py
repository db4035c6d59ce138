"""How fast the suite is on this machine: `make bench`. Ratios in one run; no figure here is a test.

A check is one chunking of one stream, run and compared. The share of the target is the time of a bare feed loop over
the same chunks, against the time of the whole pipeline, both on the reference parser.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from chunkproof.check import EFFORTS, check_rule
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.peace import at_peace
from chunkproof.rule_run import RuleRun, search_examples, search_seeded
from chunkproof.rules import RULES, find_rule
from chunkproof.watch import Watch
from chunkproof_strategies.generator import RandomSource
from chunkproof_targets.contract import Run, Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import load_target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt
from one_fault import ONE_FAULT

BROAD = "whole/any-stream-in-any-chunking"
ROUNDS = 5
ISOLATION_ROUNDS = 3


class Recorder(Target):
    """The reference, with every list of chunks kept that it was given."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.shows = target.shows
        self.seen: list[Sequence[bytes]] = []

    def run(self, chunks: Sequence[bytes]) -> Run:
        """One run of the reference."""
        self.seen.append(chunks)
        return self.target.run(chunks)


def reference() -> Target:
    """The reference parser as users load it."""
    return load_target("reference", folder=Path.cwd())


def seeded(target: Target, budget: float) -> RuleRun:
    """A run of the broad rule with the seeded driver."""
    with Watch() as watch:
        rule_run = RuleRun(find_rule(BROAD), target, watch)
        assert search_seeded(rule_run, budget, RandomSource("bench")) is None
    return rule_run


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU time."""
    started = time.process_time()
    work()
    return time.process_time() - started


def bare(chunked: list[Sequence[bytes]]) -> None:
    """The target alone: a bare feed loop."""
    for chunks in chunked:
        parser = ReferenceParser()
        feed = parser.feed
        for chunk in chunks:
            feed(chunk)
        parser.close()


def speed() -> None:
    """Checks a second of each driver, and the share of the target."""
    recorder = Recorder(reference())
    checks = seeded(recorder, 20_000).checks
    wires = [sum(map(len, chunks)) for chunks in recorder.seen]
    target = reference()
    pipeline, alone = [], []
    for _ in range(ROUNDS):
        pipeline.append(cpu(lambda: seeded(target, 20_000)))
        alone.append(cpu(lambda: bare(recorder.seen)))
    share = statistics.median(one / whole for one, whole in zip(alone, pipeline, strict=True))
    ours = statistics.median((whole - one) / checks for one, whole in zip(alone, pipeline, strict=True))
    rate = checks / statistics.median(pipeline)
    print(f"seeded driver      {rate:>10,.0f} checks/s, mean wire {statistics.mean(wires):.0f} bytes")
    print(f"share of target    {share:>10.0%} of the time (median of {ROUNDS} interleaved)")
    print(f"ours               {ours * 1e6:>10.1f} microseconds a check")

    with Watch() as watch:
        rule_run = RuleRun(find_rule(BROAD), target, watch)
        seconds = cpu(lambda: search_examples(rule_run, 1000, "bench"))
    rate, drawn = rule_run.checks / seconds, rule_run.streams / seconds
    print(f"Hypothesis driver  {rate:>10,.0f} checks/s ({drawn:,.0f} examples/s)")


def time_to_find(seeds: range) -> None:
    """Checks and CPU time until the seeded driver finds each of ten one-fault parsers."""
    print(f"\nto find one fault, {len(seeds)} seeds   checks: median   worst   CPU ms: median   worst")
    with Watch() as watch:
        for name, parser in ONE_FAULT.items():
            target = adapt(parser, name=name, found="bench", declared=Declared())
            checks, seconds = [], []
            for seed in seeds:
                rule_run = RuleRun(find_rule(BROAD), target, watch)
                started = time.process_time()
                found = search_seeded(rule_run, 200_000, RandomSource(f"{seed}"))
                seconds.append(time.process_time() - started)
                checks.append(rule_run.checks)
                assert found is not None, f"{name}: not found with seed {seed} in {rule_run.checks} checks"
            print(
                f"  {name:30} {statistics.median(checks):>11,.0f} {max(checks):>7,}"
                f"   {statistics.median(seconds) * 1e3:>14.1f} {max(seconds) * 1e3:>7.1f}"
            )


def default_run() -> None:
    """A whole run at default effort, in this process."""
    target = reference()
    started, checks = time.perf_counter(), 0
    with Watch() as watch:
        for rule in RULES:
            checks += check_rule(rule, target, effort=EFFORTS["default"], seed="bench", watch=watch).checks
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\ndefault run        {checks:,} checks in {seconds:.1f} s on one core ({checks / seconds:,.0f} checks/s)")
    print(f"peak memory        {peak:.0f} MiB")


def isolation() -> None:
    """What a child process costs a default run: rule by rule in turn, here and there, the searched rules alone."""
    target = reference()
    rules = [rule for rule in RULES if rule.examine is None]
    ratios = []
    for _ in range(ISOLATION_ROUNDS):
        apart = Isolation(Limits())
        seconds = {True: 0.0, False: 0.0}
        with at_peace():
            for number, rule in enumerate(rules):
                for forked in (True, False) if number % 2 else (False, True):
                    started = time.perf_counter()
                    if forked:
                        apart.check_rule(rule, target, effort=EFFORTS["default"], seed="bench")
                    else:
                        with Watch() as watch:
                            check_rule(rule, target, effort=EFFORTS["default"], seed="bench", watch=watch)
                    seconds[forked] += time.perf_counter() - started
        apart.close()
        ratios.append(seconds[True] / seconds[False] - 1)
    shown = ", ".join(f"{ratio:+.1%}" for ratio in ratios)
    print(f"isolation          {statistics.median(ratios):+.1%} of a default run (median of {shown})")


def main() -> None:
    """All of it."""
    print(f"Python {sys.version.split()[0]}")
    speed()
    time_to_find(range(20))
    default_run()
    isolation()


if __name__ == "__main__":
    main()
