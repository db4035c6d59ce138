"""Ways to run a stream other than feeding it, and what is then asked of the run.

Most rules have none: the target is fed the chunks, and the outcome is compared. A rule on delivery has a `Way`; those
there are stand in `ways`. It runs the target under a script (`chunkproof_targets.script`), and it judges its own point
alone: a stream whose outcome is wrong in a plain run with the same cuts is left out, since that is another rule's
matter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from chunkproof_reports.results import Kind, OutcomeRecord
from chunkproof_strategies.chunkings import Cuts
from chunkproof_targets.contract import Run, Target, TargetStopped
from chunkproof_targets.script import Script

from .judge import Expectation, record_of_run

__all__ = ["LEFT_OUT", "InItsWay", "Records", "ScriptedRun", "Verdict", "Way"]

#: The stream says nothing of the rule's point for this target.
LEFT_OUT: Literal["left out"] = "left out"
Verdict = Kind | Literal["left out"] | None

#: Expected and actual, as they are shown.
Records = tuple[OutcomeRecord, OutcomeRecord]


@dataclass(slots=True)
class ScriptedRun(Run):
    """A run with what the script noted, and a plain run with the same cuts where one was needed."""

    script: Script = field(default_factory=Script)
    plain: Run | None = None

    @classmethod
    def of(cls, run: Run, script: Script, plain: Run | None = None) -> ScriptedRun:
        """A run as the target gave it, and the script that it was run under."""
        return cls(run.deliveries, run.last_event_id, run.retries, run.failure, script, plain)


class Way(ABC):
    """How a rule's streams are run, and what is asked of the run.

    ``nothing_left`` says why a target is not judged of whom all streams were left out; ``others`` how the rule's other
    wires are run. ``follows_declared`` says that what a target declares is judged too; else a rule is not asked where
    it is the one that shows a declared deviation.
    """

    follows_declared = False

    others = "run before"

    nothing_left = "the target differs on every stream of this rule in a plain run, or reads in a thread of its own"

    @abstractmethod
    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """Run the chunks; ``before`` are the rule's other wires."""

    def verdict(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """What a run comes to: one that went beyond its limits is no matter of the way."""
        if isinstance(run.failure, TargetStopped):
            return run.failure.kind
        expectation = expectation.at(cuts)
        if expectation.deviates:
            # When events are due, who may stop: that is said of the standard's own.
            return LEFT_OUT
        return self.differs(expectation, wire, cuts, run)

    @abstractmethod
    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """In what way the run differs, None where it is right, or `LEFT_OUT`."""

    def records(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Records:
        """Expected and actual, as they are shown."""
        return expectation.record(), record_of_run(run)


class InItsWay(Target):
    """A target as a way runs it."""

    def __init__(self, way: Way, target: Target, before: tuple[bytes, ...]) -> None:
        self.way = way
        self.target = target
        self.before = before

    def run(self, chunks: Sequence[bytes]) -> Run:
        """See `Way.run`."""
        return self.way.run(self.target, chunks, self.before)
