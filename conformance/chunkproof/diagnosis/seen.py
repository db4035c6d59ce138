"""What was seen of a target, and what deviations say about it.

A `Seen` is one run: the question, and what came out. A set of deviations *explains* it if the reference parser with
these, fed the same chunks, gives the same events, the same state, and an exception or none. Only what the target shows
is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chunkproof_reports.results import Kind
from chunkproof_strategies.chunkings import chunks_of, without_empty_chunks
from chunkproof_targets.contract import Run, Target, TargetStopped
from chunkproof_targets.deviations import Deviation
from chunkproof_targets.deviations.compose import Interpreter

from ..judge import Expectation, expect
from ..question import Question

__all__ = ["Prediction", "Seen", "as_seen", "can_be_asked", "predict"]


def can_be_asked(target: Target, question: Question) -> bool:
    """Whether the target can be fed this: text without a mark, JSON alone, no empty chunks, whole lines."""
    if target.empty_chunk_ends and question.cuts != without_empty_chunks(question.cuts, len(question.wire)):
        return False
    if target.takes == "lines" and question.cuts:
        return False
    return all(expect(target, wire, deviations=False) is not None for wire in (question.wire, *question.before))


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the reference parser with some deviations gives, as far as a target shows it."""

    expectation: Expectation
    failure: BaseException | None

    def fits(self, run: Run, target: Target) -> bool:
        """Whether a run of the target is like it."""
        if self.failure is None:
            return self.expectation.differs(run) is None
        if run.failure is None or _kind(run.failure) != _kind(self.failure):
            return False
        # Of the events before an exception a parser may have handed out all, or kept those of the same chunk, or all.
        events = [delivery.event for delivery in run.deliveries]
        return events == self.expectation.events[: len(events)]

    def kind(self, standard: Prediction) -> Kind | None:
        """In what way it differs from the standard, or None."""
        if self.failure is not None:
            return self.failure.kind if isinstance(self.failure, TargetStopped) else "raised"
        events, expected = self.expectation.events, standard.expectation.events
        if len(events) != len(expected):
            return "lost" if len(events) < len(expected) else "extra"
        if events != expected:
            return "changed"
        return None if self.agrees(standard) else "state"

    def agrees(self, other: Prediction) -> bool:
        """Whether the two cannot be told apart."""
        return _kind(self.failure) == _kind(other.failure) and self.expectation.agrees(other.expectation)


def _kind(failure: BaseException | None) -> str:
    if failure is None:
        return ""
    return failure.kind if isinstance(failure, TargetStopped) else "raised"


def predict(target: Target, question: Question, deviations: Sequence[Deviation]) -> Prediction:
    """What the reference parser with these deviations gives on the question, as far as the target shows it."""
    interpreter = Interpreter(tuple(deviations), has_end=target.has_end)
    for wire in question.before:
        interpreter.interpret(chunks_of(wire, ()))
    outcome, failure = interpreter.interpret(chunks_of(question.wire, question.cuts))
    if not all(type(event.data) is str for event in outcome.events):
        outcome = replace(outcome, events=tuple(event._replace(data=as_seen(event.data)) for event in outcome.events))
    return Prediction(Expectation(outcome, target.shows), failure)


def as_seen(value: Any) -> Any:
    """What a target shows, as it is compared here: what is no text where text belongs is told as Python writes it."""
    return value if value is None or type(value) is str else f"\0{value!r}"


@dataclass(frozen=True, slots=True)
class Seen:
    """A question and the run that came of it."""

    question: Question
    run: Run

    def is_right(self, target: Target) -> bool:
        """Whether this is what the standard says, with all that it leaves open."""
        expectation = expect(target, self.question.wire, deviations=False)
        assert expectation is not None, "it was asked"
        return expectation.differs(self.run) is None

    def fits(self, target: Target, deviations: Sequence[Deviation]) -> bool:
        """Whether the reference parser with these deviations behaves so too."""
        if not deviations:
            return self.is_right(target)
        prediction = predict(target, self.question, deviations)
        if prediction.fits(self.run, target) or self._may_raise(target, prediction):
            return True
        wire, cuts = self.question.wire, self.question.cuts
        if target.has_end or not wire.endswith(b"\r"):
            return False
        # A parser that is never told the end may hold a last CR.
        held = Question(wire[:-1], tuple(min(at, len(wire) - 1) for at in cuts), self.question.before)
        return predict(target, held, deviations).fits(self.run, target)

    def _may_raise(self, target: Target, prediction: Prediction) -> bool:
        """Whether it raised where the target declares that it may: beyond a size, or on ill-formed UTF-8."""
        if prediction.failure is not None or not isinstance(self.run.failure, Exception):
            return False
        expectation = expect(target, self.question.wire, deviations=False)
        events = [delivery.event for delivery in self.run.deliveries]
        return (
            expectation is not None and expectation.may_raise and events == prediction.expectation.events[: len(events)]
        )
