"""Mutation score of the suite: the reference parser with each small change of its source, judged by all rules.

`make mutants` writes reports/mutants-of-the-reference.md. A mutant is caught when a rule breaks; smoke effort first,
default effort for what that misses. What survives has to stand in tools/equivalent_mutants.py with the reason why no
stream shows it; a reason whose mutant is caught, or is gone, is an error too.

Why neither mutmut nor cosmic-ray: both put the mutant in the place of the module and run a test suite on that, in a
process of its own for each. Here the module in that place is needed unchanged: rules on time measure beside the
reference parser, and the oracle's test holds on to it. What the mutants are judged by is no pytest run, but the rules
in this process, at a few milliseconds a mutant. And the changes that matter for a parser (one alternative of a pattern,
another error handler of a decoder, `lstrip` for `removeprefix`, one piece of state for another) are in neither.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal

from equivalent_mutants import EQUIVALENT, LEFT_OPEN
from mutation import Mutant, mutants

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

__all__ = ["Verdict", "problems", "reference_mutants", "verdict"]

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "reports" / "mutants-of-the-reference.md"
CAUGHT_MIN = 0.98
# What one run of a mutant may take: one that has no end counts as caught.
_TIMEOUT = 10.0
# Rules that measure are the slowest, and few mutants need them; an info never fails a run, so it comes last.
_ORDER = sorted(RULES, key=lambda rule: (rule.severity == "info", rule.examine is not None))

Make = Callable[[], ReferenceParser]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant: who caught it, at what effort, in what way. ``no parser``: none that can be made."""

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


def verdict(number: int, efforts: Iterable[str] = ("smoke", "default")) -> Verdict:
    """Judge one mutant by all rules, up to the first that breaks."""
    mutant = reference_mutants()[number]
    started = time.perf_counter()
    make = parser_of(mutant)
    if make is None:
        return Verdict(number, "no parser", 0)
    target = MutantTarget(make, mutant.name)
    with at_peace(), Watch(timeout=_TIMEOUT) as watch:
        for effort in efforts:
            for rule in _ORDER:
                if breaks(rule, target, effort, watch):
                    seconds = time.perf_counter() - started
                    return Verdict(number, "caught", seconds, effort, rule.id, rule.severity_for(target))
    return Verdict(number, "survived", time.perf_counter() - started)


def breaks(rule: Rule, target: Target, effort: str, watch: Watch) -> bool:
    """Whether the target breaks the rule; the finding need not be made small."""
    found = look(RuleRun(rule, target, watch), EFFORTS[effort], "1")
    assert found.status != "fault", f"{target.name} under {rule.id}: {found.reason}"
    return found.status == "broken"
