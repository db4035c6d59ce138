"""Mutation score of the suite: the reference parser with each small change of its source, judged by all rules.

`make mutants` writes reports/mutants-of-the-reference.md. A mutant is caught when a rule breaks: at smoke effort with
one of three seeds, or else at default effort. What survives has to stand in tools/equivalent_mutants.py with the reason
why no stream shows it; a reason whose mutant is caught, or is gone, is an error too.

Why neither mutmut nor cosmic-ray: both put the mutant in the place of the module, and run a test command on that for
each. Here the module in that place is needed unchanged, since rules on time measure beside the reference parser; and
the mutants are judged by the rules in this process, at some milliseconds a mutant, where a pytest run takes seconds.
The changes that matter for a parser are in neither: one alternative of a pattern, another error handler of a decoder,
`lstrip` for `removeprefix`, one piece of state for another.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from chunkproof.check import EFFORTS, RELEASE
from chunkproof.peace import at_peace
from chunkproof.rule_check import look
from chunkproof.rule_run import RuleRun
from chunkproof.rules import RULES, Rule
from chunkproof.watch import Watch
from chunkproof_targets import reference
from chunkproof_targets.contract import Run, Target
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser
from equivalent_mutants import EQUIVALENT, LEFT_OPEN
from mutation import Mutant, mutants

__all__ = ["Score", "Verdict", "parser_of", "reasons", "reference_mutants", "verdict"]

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "reports" / "mutants-of-the-reference.md"
CAUGHT_MIN = 0.98
# A fault that shows rarely needs another seed more often than more checks.
_TRIES = (("smoke", "1"), ("smoke", "2"), ("smoke", "3"), ("default", "1"))
# What one run of a mutant may take: one that has no end counts as caught.
_TIMEOUT = 10.0
# Rules that measure are the slowest, and few mutants need them; an info never fails a run, so it comes last.
_ORDER = sorted(RULES, key=lambda rule: (rule.severity == "info", rule.examine is not None))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant: the rule that caught it, at what effort, in how many seconds of CPU.

    "no parser" are those whose module cannot be loaded, or that cannot be made: nobody could hand them to the suite.
    """

    number: int
    status: Literal["caught", "survived", "no parser"]
    seconds: float
    effort: str = ""
    rule: str = ""
    severity: str = ""


class MutantTarget(DeviatingTarget):
    """Drives a mutant as deviations are driven, and feeds it again after its end, as the reference allows."""

    offers = frozenset({"script", "again"})

    def run(self, chunks: Sequence[bytes]) -> Run:
        """See `Target.run`."""
        try:
            return super().run(chunks)
        except Exception as error:  # it lacks what the end state is read from
            return Run(failure=error)

    def run_used(self, chunks: Sequence[bytes], before: Sequence[bytes], by: Literal["reset", "end"]) -> Run:
        """See `Target.run_used`."""

        def used() -> ReferenceParser:
            parser = self.make()
            for chunk in before:
                parser.feed(chunk)
            parser.close()
            return parser

        return MutantTarget(used, self.name).run(chunks)  # type: ignore[arg-type]


@cache
def reference_mutants() -> list[Mutant]:
    """All mutants of the reference parser."""
    return mutants(Path(reference.__file__).read_text(encoding="utf-8"))


def parser_of(mutant: Mutant) -> type[ReferenceParser] | None:
    """The mutated class; None where the module cannot be loaded, or no parser be made."""
    module = {"__name__": "chunkproof_targets.mutant", "__package__": "chunkproof_targets"}
    try:
        exec(compile(mutant.source, "mutant", "exec"), module)
        make = module["ReferenceParser"]
        make()  # type: ignore[operator]
    except Exception:
        return None
    return make  # type: ignore[return-value]


def verdict(number: int, tries: Iterable[tuple[str, str]] = _TRIES) -> Verdict:
    """Judge one mutant by all rules, up to the first that breaks; ``tries`` are efforts, each with a seed."""
    mutant = reference_mutants()[number]
    started = time.process_time()
    make = parser_of(mutant)
    if make is None:
        return Verdict(number, "no parser", 0)
    target = MutantTarget(make, mutant.name)
    with at_peace(), Watch(timeout=_TIMEOUT) as watch:
        for effort, seed in tries:
            for rule in _ORDER:
                if breaks(rule, target, effort, seed, watch):
                    seconds = time.process_time() - started
                    return Verdict(number, "caught", seconds, effort, rule.id, rule.severity_for(target))
    return Verdict(number, "survived", time.process_time() - started)


def breaks(rule: Rule, target: Target, effort: str, seed: str, watch: Watch) -> bool:
    """Whether the target breaks the rule; the finding need not be made small."""
    found = look(RuleRun(rule, target, watch), EFFORTS[effort], seed)
    assert found.status != "fault", f"{target.name} under {rule.id}: {found.reason}"
    return found.status == "broken"


# What it comes to -----------------------------------------------------------------------------------------------------


def reasons() -> dict[str, str]:
    """For each mutant that is known to survive, why."""
    return {name: reason for table in (EQUIVALENT, LEFT_OPEN) for reason, names in table.items() for name in names}


@dataclass(frozen=True, slots=True)
class Score:
    """All verdicts, set against what is known of the survivors."""

    verdicts: Sequence[Verdict]

    def of(self, status: str) -> list[Verdict]:
        """The verdicts of this status, in the order of the lines."""
        return sorted((one for one in self.verdicts if one.status == status), key=lambda one: one.number)

    @property
    def deviating(self) -> int:
        """How many mutants behave in another way, as far as is known."""
        equivalent = {name for names in EQUIVALENT.values() for name in names}
        survived = [one for one in self.of("survived") if _name(one) not in equivalent]
        return len(self.of("caught")) + len(survived)

    @property
    def share(self) -> float:
        """The part of these that is caught."""
        return len(self.of("caught")) / self.deviating if self.deviating else 0.0

    def problems(self) -> Iterator[str]:
        """What has to be mended: in the rules, or in the table of reasons."""
        survived = {_name(one) for one in self.of("survived")}
        known = reasons()
        yield from (f"survives, and no reason is known: {name}" for name in sorted(survived - known.keys()))
        yield from (f"has a reason, and does not survive: {name}" for name in sorted(known.keys() - survived))
        if self.share < CAUGHT_MIN:
            yield f"{self.share:.1%} of the mutants that behave in another way are caught, not {CAUGHT_MIN:.0%}"


def _name(found: Verdict) -> str:
    return reference_mutants()[found.number].name


def report(score: Score) -> str:
    """The report, in Markdown."""
    caught, survived, known = score.of("caught"), score.of("survived"), reasons()
    chapters = Counter(one.rule.partition("/")[0] for one in caught)
    infos = sum(one.severity == "info" for one in caught)
    late = sum(one.effort != "smoke" for one in caught)
    equivalent = len(score.verdicts) - score.deviating - len(score.of("no parser"))
    lines = [
        "# Mutants of the reference parser",
        "",
        f"Written by `make mutants` on {date.today()}: chunkproof {RELEASE}, Python {platform.python_version()}. "
        "Each is `targets/chunkproof_targets/reference.py` with one small change, judged by all rules.",
        "",
        f"**{len(caught)} of {score.deviating} mutants that behave in another way are caught ({score.share:.1%})**, "
        f"{late} of them at default effort alone. {infos} show only in a parser that is fed again after its end, which "
        "a rule asks that is an info; the others break a rule that fails a run.",
        "",
        f"{len(score.verdicts)} mutants were made. {len(score.of('no parser'))} are no parser: the module cannot be "
        f"loaded. {equivalent} are equivalent: no stream shows them. {sum(one.seconds for one in score.verdicts):,.0f} "
        f"seconds of CPU, {sum(one.seconds for one in caught):,.0f} of them for the mutants that are caught.",
        "",
        "The first rule that breaks ends a mutant. Most break every rule, and so the first one:",
        "",
        "| chapter | mutants that it was the first to catch |",
        "| --- | ---: |",
        *(f"| {chapter} | {count} |" for chapter, count in chapters.most_common()),
        "",
        "## What survives, and why",
        "",
        "| line | in | from | to | why |",
        "| ---: | --- | --- | --- | --- |",
        *(_row(reference_mutants()[one.number], known) for one in survived),
    ]
    return "\n".join(lines) + "\n"


def _row(mutant: Mutant, known: dict[str, str]) -> str:
    changed = " | ".join("`" + text.replace("|", "\\|") + "`" for text in (mutant.before, mutant.after))
    return f"| {mutant.line} | `{mutant.method}` | {changed} | {known.get(mutant.name, '**no reason is known**')} |"


def judged(numbers: Sequence[int], jobs: int) -> Iterator[Verdict]:
    """The verdicts, as they come."""
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(verdict, number) for number in numbers]):
            yield future.result()


def main() -> int:
    """Judge all mutants, write the report, and say what has to be mended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    numbers = range(len(reference_mutants()))
    verdicts: list[Verdict] = []
    for found in judged(numbers, options.jobs):
        verdicts.append(found)
        by = f" by {found.rule} at {found.effort} effort" if found.rule else ""
        print(f"{len(verdicts)}/{len(numbers)} {found.status}{by}, {found.seconds:.1f} s: {_name(found)}", flush=True)
    score = Score(verdicts)
    REPORT.write_text(report(score), encoding="utf-8")
    wrong = list(score.problems())
    print(f"{score.share:.1%} of {score.deviating} are caught; see {REPORT.relative_to(ROOT)}", *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
