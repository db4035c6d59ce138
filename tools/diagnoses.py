"""How well the diagnosis names what is there: every entry of the catalogue, random pairs, and the real libraries.

`python tools/diagnoses.py` writes reports/diagnosis.md. An entry is right if it is named alone, or if what is named is
not told apart from it; a pair, if both are, or if a smaller set explains all that was seen.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random

from chunkproof.check import RELEASE, check
from chunkproof.diagnosis.diagnose import diagnose
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.peace import at_peace
from chunkproof.rules import RULES
from chunkproof_reports.results import DiagnosisRecord
from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import CATALOGUE, find_deviations
from chunkproof_targets.deviations.compose import DeviatingTarget, compose
from chunkproof_targets.loading import load_target
from chunkproof_targets.registry import names

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "reports" / "diagnosis.md"
PUBLISHED = ("parser-a", "parser-b", "parser-c", "parser-d", "strict-reader", "fetch-loop")
# Measures take their time, and say nothing of what comes out.
QUICK = [rule for rule in RULES if rule.examine is None]


@dataclass(frozen=True)
class Named:
    """What was said of one target: the deviations, each with those it was not told apart from."""

    target: str
    sets: tuple[tuple[str, ...], ...]
    outcomes: int
    explained: int
    broken: int
    seconds: float

    @property
    def explains_all(self) -> bool:
        """Whether something was seen, and nothing was left."""
        return self.explained == self.outcomes > 0

    def names(self, wanted: Sequence[str]) -> bool:
        """Whether these are what was named, each once, and nothing else."""
        left = list(self.sets)
        for name in wanted:
            one = next((one for one in left if name in one), None)
            if one is None:
                return False
            left.remove(one)
        return not left


def named(target: Target, *, every_rule: bool = False, forked: bool = False) -> Named:
    """Judge at smoke effort, and diagnose; what crosses runs needs a process of its own for each question."""
    isolation = Isolation(Limits(), forked=forked)
    try:
        for effort, rules in (("smoke", RULES if every_rule else QUICK), ("smoke", RULES), ("default", RULES)):
            results = check(target, effort, rules=rules, forked=forked)
            broken = [result for result in results.rules if result.fails]
            if broken or every_rule:
                break
        started = time.perf_counter()
        if broken:
            with at_peace():
                found = diagnose(target, broken, isolation, seed="1")
        else:
            found = DiagnosisRecord(target.name, (), 0, 0)
        seconds = time.perf_counter() - started
    finally:
        isolation.close()
    sets = tuple((one.name, *one.equals) for one in found.deviations)
    return Named(target.name, sets, found.outcomes, found.explained, len(broken), seconds)


def deviating(name: str) -> Named:
    """What is said of the reference with these deviations."""
    deviations = find_deviations(name)
    return named(DeviatingTarget(compose(deviations), name), forked=any(one.carries for one in deviations))


def library(name: str) -> Named:
    """What is said of a registered parser."""
    target = load_target(name, folder=ROOT)
    try:
        return named(target, every_rule=True, forked=True)
    finally:
        target.close()


def entries() -> list[str]:
    """Every entry that outcomes show."""
    return [entry.name for entry in CATALOGUE if not entry.shows_in and not entry.is_choice]


def pairs(number: int, seed: int) -> Iterator[str]:
    """So many random pairs that can be combined."""
    random = Random(seed)
    while number:
        one, other = random.sample(entries(), 2)
        try:
            compose(find_deviations(f"{one}+{other}"))
        except TargetError:
            continue
        number -= 1
        yield f"{one}+{other}"


def lines(singles: Sequence[Named], doubles: Sequence[Named], real: Sequence[Named], seed: int) -> Iterator[str]:
    """The report."""
    right = [one for one in singles if one.names([one.target])]
    both = [one for one in doubles if one.names(one.target.split("+"))]
    smaller = [one for one in doubles if one not in both and one.explains_all and len(one.sets) == 1]
    yield "# What the diagnosis names"
    yield ""
    yield f"Written by `python tools/diagnoses.py` on {date.today()}: chunkproof {RELEASE}, smoke effort."
    yield ""
    yield f"- Entries: {len(right)} of {len(singles)} are named alone, or with what nothing told them apart from."
    yield (
        f"- Random pairs (seed {seed}): of {len(doubles)}, both are named in {len(both)}; in {len(smaller)} more one "
        "deviation explains all outcomes (it hides the other)."
    )
    slowest = max((one.seconds for one in (*singles, *doubles, *real)), default=0)
    yield f"- The diagnosis took {slowest:.1f} s at most."
    yield ""
    yield "## Registered parsers"
    yield ""
    yield "| parser | rules broken | outcomes explained | deviations |"
    yield "| --- | ---: | ---: | --- |"
    for one in real:
        words = ", ".join(f"`{name}`" + (f" (or {', '.join(rest)})" if rest else "") for name, *rest in one.sets)
        yield f"| {one.target} | {one.broken} | {one.explained} of {one.outcomes} | {words or 'none'} |"
    for title, wrong in (
        ("Entries named otherwise", [one for one in singles if one not in right]),
        ("Pairs named otherwise", [one for one in doubles if one not in both]),
    ):
        if wrong:
            yield ""
            yield f"## {title}"
            yield ""
            yield "| target | named | outcomes explained |"
            yield "| --- | --- | ---: |"
            for one in wrong:
                words = ", ".join(f"`{found[0]}`" for found in one.sets)
                yield f"| {one.target} | {words or 'nothing'} | {one.explained} of {one.outcomes} |"


def main() -> int:
    """Diagnose all, write, and say whether it is good enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th entry alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-libraries", action="store_true")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        singles = list(_shown(pool.map(deviating, entries()[:: options.every])))
        doubles = list(_shown(pool.map(deviating, pairs(options.pairs, options.seed))))
    registered = (
        () if options.no_libraries else ("reference", *PUBLISHED, *sorted(set(names()) - {"reference", *PUBLISHED}))
    )
    real = list(_shown(map(library, registered)))
    text = "\n".join(lines(singles, doubles, real, options.seed)) + "\n"
    REPORT.write_text(text, encoding="utf-8")
    print(text.partition("## ")[0])
    wrong = sum(not one.names([one.target]) for one in singles)
    good = sum(one.names(one.target.split("+")) or (one.explains_all and len(one.sets) == 1) for one in doubles)
    return int(wrong > 0 or good < 0.95 * len(doubles))


def _shown(found: Iterator[Named]) -> Iterator[Named]:
    for one in found:
        if not one.names(one.target.split("+")):
            print(f"{one.target}: {[names[0] for names in one.sets]}, {one.explained} of {one.outcomes}", flush=True)
        yield one


if __name__ == "__main__":
    sys.exit(main())
