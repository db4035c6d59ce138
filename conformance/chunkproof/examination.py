"""What a rule that measures works with, and what comes of it.

Most rules search: they write streams, and compare what comes out. A rule that measures (time, memory) makes its streams
grow, and says itself what it found; `Rule.examine` is its function from an `Examination` to an `Examined`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from chunkproof_reports.results import Counterexample, Status
from chunkproof_targets.contract import Target

from .watch import Watch

__all__ = ["Examination", "Examine", "Examined"]


@dataclass(frozen=True, slots=True)
class Examination:
    """One target before one rule: every run of the target goes through ``watch``.

    ``rule`` is the rule's id; ``checks`` are those that the effort gives to a rule (`Effort.checks`), by which an
    examination takes less or more time.
    """

    rule: str
    target: Target
    watch: Watch
    seed: str = ""
    checks: int = 9_500


class Examined(NamedTuple):
    """What came of it: the fields of a `RuleResult` of the same names."""

    status: Status
    reason: str = ""
    advice: str = ""
    counterexample: Counterexample | None = None
    checks: int = 0
    streams: int = 0


Examine = Callable[[Examination], Examined]
