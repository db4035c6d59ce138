"""A run that ended its process, and the runs that make its input small: each in a fresh child."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from chunkproof_reports.results import Kind
from chunkproof_strategies.chunkings import Cuts
from chunkproof_targets.contract import Run, Target, TargetDied, TargetFlooded, TargetGrew, TargetHung, TargetStopped

from ..rule_run import Finding, RuleRun
from ..rules import Rule
from ..watch import Watch
from .child import Cell, Ended
from .limits import Limits, Pace

__all__ = ["Stop", "Tries"]

_STOPPED: dict[str, type[TargetStopped]] = {
    stopped.kind: stopped for stopped in (TargetHung, TargetDied, TargetGrew, TargetFlooded)
}


@dataclass(frozen=True, slots=True)
class Stop:
    """A run that was stopped or ended its process: the finding, if it is known, and what was done by then."""

    failure: TargetStopped
    finding: Finding | None
    checks: int
    streams: int

    @classmethod
    def of(cls, answer: Any) -> Stop:
        """Of a child that ended, or that has told of the run as data; see `judging`."""
        if not isinstance(answer, Ended):
            failure = _STOPPED[answer["finding"]](answer["failure"])
            before = tuple(bytes.fromhex(wire) for wire in answer["before"])
            wire, cuts = bytes.fromhex(answer["wire"]), tuple(answer["cuts"])
            finding = Finding(before, wire, cuts, failure.kind, Run(failure=failure))
            return cls(failure, finding, answer["checks"], answer["streams"])
        noted, failure = answer.noted, answer.failure
        if noted is None:
            return cls(failure, None, 0, 0)
        finding = Finding(noted.before, noted.wire, noted.cuts, failure.kind, Run(failure=failure))
        return cls(failure, finding, noted.checks, noted.streams)


class Tries(RuleRun):
    """A rule's runs, each in a fresh child, until the time is up: from then on nothing fails any more."""

    def __init__(
        self, rule: Rule, target: Target, watch: Watch, cell: Cell, limits: Limits, pace: Pace, until: float
    ) -> None:
        super().__init__(rule, target, watch)
        self.cell = cell
        self.limits = limits
        self.pace = pace
        self.until = until

    def kind(self, wire: bytes, cuts: Cuts, before: tuple[bytes, ...]) -> Kind | None:
        """See `RuleRun.kind`."""
        if time.monotonic() > self.until:
            return None

        def one(watch: Watch) -> Kind | None:
            return RuleRun(self.rule, self.target, watch).kind(wire, cuts, before)

        answer = self._call(one)
        kind: Kind | None = answer.failure.kind if isinstance(answer, Ended) else answer
        return kind

    def first_that_fails(
        self, streams: Iterable[tuple[bytes, Cuts]], finding: Finding, *, also: frozenset[str] | None
    ) -> tuple[bytes, Cuts] | None:
        """See `RuleRun.first_that_fails`; one child tries them all, and where it ends, the board has the one."""

        def first(watch: Watch) -> tuple[str, Cuts] | None:
            found = RuleRun(self.rule, self.target, watch).first_that_fails(streams, finding, also=also)
            return None if found is None else (found[0].hex(), found[1])

        answer = self._call(first)
        if not isinstance(answer, Ended):
            return None if answer is None else (bytes.fromhex(answer[0]), tuple(answer[1]))
        noted = answer.noted
        return None if noted is None or answer.failure.kind != finding.kind else (noted.wire, noted.cuts)

    def _call(self, work: Callable[[Watch], Any]) -> Any:
        return self.cell.call(work, self.limits, self.pace)
