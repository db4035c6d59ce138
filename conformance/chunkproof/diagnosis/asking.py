"""Runs a target on questions, where a hang, an exit or a crash takes nothing else down."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from chunkproof_strategies.chunkings import chunks_of
from chunkproof_targets.contract import (
    Delivery,
    Event,
    Run,
    Target,
    TargetDied,
    TargetFlooded,
    TargetGrew,
    TargetHung,
    TargetStopped,
)

from ..isolation.child import Child, Ended
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from ..question import Question
from ..watch import Watch
from .seen import Seen, as_seen

__all__ = ["Asker", "ask"]

_STOPPED: dict[str, type[TargetStopped]] = {
    stopped.kind: stopped for stopped in (TargetHung, TargetDied, TargetGrew, TargetFlooded)
}
# Questions for one child, and children that may end before no more is asked.
_BATCH = 64
_ENDS_MAX = 12


class _Raised(Exception):
    """An exception that left the target in another process."""


def ask(
    target: Target, questions: Sequence[Question], isolation: Isolation, *, until: float, apart: bool = False
) -> list[Seen]:
    """What comes out on each question, in their order; fewer where the time (`time.monotonic`) was up before.

    ``apart``: each question in a process of its own, for a target that keeps something from one run to the next.
    """
    if not isolation.forks(target):
        return _ask_here(target, questions, isolation, until)
    seen: list[Seen] = []
    left = list(questions)
    size, ends = 1 if apart else _BATCH, 0
    while left and ends < _ENDS_MAX and time.monotonic() < until:
        batch = left[:size]
        answer = isolation.call(target, partial(_answers, target, batch, until))
        if not isinstance(answer, Ended):
            # Fewer than were asked, where the time was up.
            seen += [Seen(question, _run_of(data)) for question, data in zip(batch, answer, strict=False)]
            left = left[len(answer) :]
            continue
        ends += 1
        # Where the board has no note, the one is not known: one by one, then.
        at = answer.noted.streams if answer.noted is not None else min(1, len(batch) - 1)
        if at:
            size = at  # those before it once more, without it
            continue
        seen.append(Seen(batch[0], Run(failure=answer.failure)))
        left = left[1:]
        size = 1 if apart else _BATCH
    return seen


class Asker:
    """Asks a target one question after another, in a child that goes on as long as it is well."""

    def __init__(self, target: Target, isolation: Isolation) -> None:
        self.target = target
        self.isolation = isolation
        self._child: Child | None = None

    def ask(self, question: Question, *, apart: bool = False, limits: Limits | None = None) -> Seen:
        """What comes out; ``apart``: in a process that has seen no other question."""
        target, isolation = self.target, self.isolation
        if not isolation.forks(target):
            (seen,) = _ask_here(target, [question], isolation, float("inf"))
            return seen
        if apart:
            self.close()
        if self._child is None:
            self._child = Child(isolation.cell, self._answer)
        asked = [question.wire.hex(), question.cuts, [wire.hex() for wire in question.before]]
        answer = self._child.ask(asked, limits or isolation.limits, isolation.pace_here(target))
        run = Run(failure=answer.failure) if isinstance(answer, Ended) else _run_of(answer)
        if apart or isinstance(run.failure, TargetStopped):
            self.close()
        return Seen(question, run)

    def close(self) -> None:
        """Let the child end."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def _answer(self, asked: Any, watch: Watch) -> dict[str, Any]:
        wire, cuts, before = asked
        question = Question(bytes.fromhex(wire), tuple(cuts), tuple(map(bytes.fromhex, before)))
        return _data_of(_run(self.target, question, watch, 0))


def _ask_here(target: Target, questions: Sequence[Question], isolation: Isolation, until: float) -> list[Seen]:
    seen = []
    with isolation.watch_here() as watch:
        for question in questions:
            if time.monotonic() > until:
                break
            seen.append(Seen(question, _run_of(_data_of(_run(target, question, watch, 0)))))
    return seen


def _run(target: Target, question: Question, watch: Watch, number: int) -> Run:
    watch.note(question.before, question.wire, [question.cuts], number, number)
    for wire in question.before:
        watch.run(target, chunks_of(wire, ()))
    return watch.run_alone(target, chunks_of(question.wire, question.cuts))


def _answers(target: Target, questions: Sequence[Question], until: float, watch: Watch) -> list[Any]:
    answers = []
    for at, question in enumerate(questions):
        # The clock is that of the whole system: it goes on in a child.
        if time.monotonic() > until:
            break
        answers.append(_data_of(_run(target, question, watch, at)))
    return answers


def _data_of(run: Run) -> dict[str, Any]:
    """A run as JSON holds it."""
    failure = None
    if run.failure is not None:
        failure = run.failure.kind if isinstance(run.failure, TargetStopped) else "raised"
    return {
        "deliveries": [[_event(one.event), one.chunks_taken, as_seen(one.retry)] for one in run.deliveries],
        "last_event_id": as_seen(run.last_event_id),
        "retries": None if run.retries is None else [as_seen(digits) for digits in run.retries],
        "failure": failure,
    }


def _event(event: Event) -> list[Any]:
    # An event that a parser makes of a block without data may say so with None: no catalogue would tell it from "".
    return [as_seen(event.type), as_seen("" if event.data is None else event.data), as_seen(event.last_event_id)]


def _run_of(data: dict[str, Any]) -> Run:
    run = Run(
        deliveries=[Delivery(Event(*event), taken, retry) for event, taken, retry in data["deliveries"]],
        last_event_id=data["last_event_id"],
        retries=None if data["retries"] is None else tuple(data["retries"]),
    )
    kind = data["failure"]
    if kind is not None:
        run.failure = _STOPPED[kind]() if kind in _STOPPED else _Raised()
    return run
