"""What a target had to deliver on one wire, and whether it did.

The expectation is the oracle's outcome, seen through what the target shows: a field that it does not show is None on
both sides. It is worked out once for a wire and compared with many runs, so the common case (all is right) is one
comparison of lists.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from chunkproof_reports.results import EventRecord, Kind, OutcomeRecord
from chunkproof_strategies.chunkings import Cuts, chunks_of
from chunkproof_strategies.values import MARK
from chunkproof_targets.contract import Delivery, Event, Outcome, Run, Shows, Target, TargetStopped
from chunkproof_targets.deviations import Deviation, find_deviations
from chunkproof_targets.deviations.compose import Interpreter
from chunkproof_targets.texts import canonical_json_of_text

from .oracle import interpret

__all__ = ["Expectation", "expect", "record_of_run", "text_of"]

# No JSON, or none that Python reads: too deep, or a number of too many digits.
_NO_JSON = (ValueError, RecursionError)
# Characters of an exception's text that are shown.
_TEXT_MAX = 10_000
_new_decoder = codecs.getincrementaldecoder("utf-8")


class Expectation:
    """What a target must deliver on one wire.

    ``others`` are further outcomes that are right as well, for choices the standard leaves open. ``may_raise`` allows
    an Exception: the events before it must then be the first of those expected. ``deviates`` says that what is expected
    is not what the standard says, by a declared deviation; ``deviations`` are those that the target declares.
    """

    __slots__ = ("deviates", "deviations", "event_retries", "events", "last_event_id", "may_raise", "others", "retries")

    def __init__(self, outcome: Outcome, shows: Shows, *, ignores: frozenset[str] = frozenset()) -> None:
        self.events = [_shown(event, shows) for event in outcome.events]
        self.last_event_id = outcome.last_event_id if shows.end_last_event_id and "id" not in ignores else None
        self.retries = _retries_shown(outcome, shows) if "retry" not in ignores else None
        self.event_retries = _event_retries_shown(outcome, shows) if "retry" not in ignores else None
        self.others: list[Expectation] = []
        self.may_raise = False
        self.deviates = False
        self.deviations: tuple[Deviation, ...] = ()

    def at(self, cuts: Cuts) -> Expectation:
        """What must be delivered where the wire is cut so: by the standard, the same however it is cut."""
        return self

    def differs(self, run: Run) -> Kind | None:
        """In what way the run differs from what is expected, or None."""
        failure = run.failure
        if (
            failure is None
            and [delivery[0] for delivery in run.deliveries] == self.events
            and (self.last_event_id is None or run.last_event_id == self.last_event_id)
            and (self.retries is None or run.retries == self.retries)
            and (self.event_retries is None or self._event_retries_fit(run.deliveries))
        ):
            return None
        return self._differs(run)

    def _differs(self, run: Run) -> Kind | None:
        if any(other.differs(run) is None for other in self.others):
            return None
        failure, events = run.failure, [delivery.event for delivery in run.deliveries]
        if failure is not None:
            if isinstance(failure, Exception) and self.may_raise:
                return None if events == self.events[: len(events)] else "changed"
            return failure.kind if isinstance(failure, TargetStopped) else "raised"
        if len(events) != len(self.events):
            return "lost" if len(events) < len(self.events) else "extra"
        return "changed" if events != self.events else "state"

    def _event_retries_fit(self, deliveries: list[Delivery]) -> bool:
        # An event shows the time set in its own block. Where its block sets none, showing none is right, and so is the
        # time in force. A time that is the start value reads as None on both sides: nobody can see where it is from.
        assert self.event_retries is not None
        for delivery, (own, in_force) in zip(deliveries, self.event_retries, strict=True):
            if delivery.retry != own and (own is not None or delivery.retry != in_force):
                return False
        return True

    def agrees(self, other: Expectation) -> bool:
        """Whether two expectations ask for the same."""
        return (self.events, self.last_event_id, self.retries, self.event_retries) == (
            other.events,
            other.last_event_id,
            other.retries,
            other.event_retries,
        )

    def record(self) -> OutcomeRecord:
        """As it is shown."""
        failure = "an exception, or none" if self.may_raise else ""
        retries = [own or in_force for own, in_force in self.event_retries or ()]
        return OutcomeRecord(_records(self.events, retries), self.last_event_id, self.retries, failure)


def expect(
    target: Target,
    wire: bytes,
    *,
    ignores: frozenset[str] = frozenset(),
    may_hold: bool = True,
    deviations: bool = True,
) -> Expectation | None:
    """What the target must deliver on this wire; None where nothing can be asked of it.

    Without ``deviations``, those that it declares are left aside: it is then what the standard says.
    A text target is never given a wire that starts with a mark (its source would have taken the mark off), and a
    target that takes nothing but JSON none with other data.
    """
    if target.takes != "bytes" and wire.startswith(MARK):
        return None
    outcome = interpret(wire)
    if target.shows.json_only and not all(_is_json(event.data) for event in outcome.events):
        return None
    expectation = Expectation(outcome, target.shows, ignores=ignores)
    if may_hold and not target.has_end and (held := _without_held_line(wire)) is not None:
        expectation.others.append(Expectation(interpret(held), target.shows, ignores=ignores))
    if target.size_limit is not None and _longest_event(wire) > target.size_limit:
        expectation.may_raise = True
    # May, not must: who is strict need not decode what is thrown away (a comment, an unfinished line).
    if target.strict_utf8 and target.takes == "bytes" and not _is_utf8(wire):
        expectation.may_raise = True
    if deviations and target.deviations:
        return _Declared(expectation, target, wire, ignores, (), may_hold=may_hold)
    return expectation


class _Declared(Expectation):
    """What a target must deliver that declares deviations: it may depend on the cuts."""

    __slots__ = ("_failure", "_ignores", "_may_hold", "_standard", "_target", "_wire")

    def __init__(
        self,
        standard: Expectation,
        target: Target,
        wire: bytes,
        ignores: frozenset[str],
        cuts: Cuts,
        *,
        may_hold: bool,
    ) -> None:
        deviations = find_deviations("+".join(target.deviations))
        outcome, self._failure = Interpreter(deviations, has_end=target.has_end).interpret(chunks_of(wire, cuts))
        super().__init__(outcome, target.shows, ignores=ignores)
        self.deviations = deviations
        self._standard, self._target, self._wire, self._ignores = standard, target, wire, ignores
        self._may_hold = may_hold
        self.deviates = self._failure is not None or not self.agrees(standard)
        # Then it is also free in what the standard leaves free.
        self.may_raise = standard.may_raise
        if not self.deviates:
            self.others = [standard]
        elif may_hold and not target.has_end and (held := _without_held_line(wire)) is not None:
            # As one that may hold a last CR, and that one alone; see `expect`.
            fewer = tuple(min(at, len(held)) for at in cuts)
            self.others = [_Declared(standard, target, held, ignores, fewer, may_hold=False)]

    def at(self, cuts: Cuts) -> Expectation:
        return _Declared(self._standard, self._target, self._wire, self._ignores, cuts, may_hold=self._may_hold)

    def differs(self, run: Run) -> Kind | None:
        if self._failure is None:
            return super().differs(run)
        events = [delivery.event for delivery in run.deliveries]
        if run.failure is None:
            return "lost" if len(events) < len(self.events) else "extra"
        if not isinstance(run.failure, Exception):
            return self._differs(run)
        # A parser that hands out events one by one has some more of them before it raises.
        for expected in (self.events, self._standard.events):
            if events == expected[: len(events)]:
                return None
        return "changed"

    def record(self) -> OutcomeRecord:
        expected = super().record()
        return expected if self._failure is None else replace(expected, failure="an exception, as it is declared")


def _longest_event(wire: bytes) -> int:
    """The bytes of the longest block, with its line ends as if all were CRLF: no line and no event is longer."""
    blocks = wire.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n")
    return max(len(block) + block.count(b"\n") + len(b"\r\n\r\n") for block in blocks)


def _without_held_line(wire: bytes) -> bytes | None:
    """What a parser that is never told the end may have read: not the line that ends in a last CR.

    It cannot know that no LF follows. The start of a character behind the CR does not tell it either, if it looks for
    line ends in decoded text.
    """
    decoder = _new_decoder("replace")
    decoder.decode(wire)
    held = len(decoder.getstate()[0])
    read = wire[: len(wire) - held]
    return read[:-1] if read.endswith(b"\r") else None


def record_of_run(run: Run) -> OutcomeRecord:
    """What a run gave, as it is shown."""
    failure = run.failure
    shown = "" if failure is None else f"{type(failure).__name__}: {_shortened(text_of(failure))}"
    events = [delivery.event for delivery in run.deliveries]
    retries = [delivery.retry for delivery in run.deliveries]
    return OutcomeRecord(_records(events, retries), run.last_event_id, run.retries, shown)


def _shortened(text: str) -> str:
    """An exception's text as it is shown: some hold all that was read."""
    if len(text) <= _TEXT_MAX:
        return text
    return f"{text[:_TEXT_MAX]} (and {len(text) - _TEXT_MAX:,} characters more)"


def text_of(failure: BaseException) -> str:
    """The text of an exception; one that cannot be had is told."""
    try:
        return str(failure)
    except BaseException as error:  # the target's own __str__ may do anything
        return f"(its text cannot be had: {type(error).__name__})"


def _records(events: list[Event], retries: Sequence[str | None]) -> tuple[EventRecord, ...]:
    paired = zip_longest(events, retries[: len(events)])
    return tuple(
        EventRecord(_as_text(event.type), _as_text(event.data), _as_text(event.last_event_id), retry)
        for event, retry in paired
    )


def _as_text(value: Any) -> str | None:
    # A target may show something else than text where text belongs: a difference, and shown as Python writes it.
    return value if value is None or type(value) is str else repr(value)


def _shown(event: Event, shows: Shows) -> Event:
    if shows.type and shows.last_event_id and shows.data == "text":
        return event
    return Event(
        event.type if shows.type else None,
        event.data if shows.data == "text" else canonical_json_of_text(event.data),
        event.last_event_id if shows.last_event_id else None,
    )


def _event_retries_shown(outcome: Outcome, shows: Shows) -> tuple[tuple[str | None, str | None], ...] | None:
    if shows.retry != "event":
        return None
    start = shows.retry_start
    pairs = [[None if time == start else time for time in times] for times in outcome.event_retries]
    return tuple((own, in_force) for own, in_force in pairs)


def _retries_shown(outcome: Outcome, shows: Shows) -> tuple[str, ...] | None:
    if shows.retry == "updates":
        return outcome.retries
    if shows.retry == "state":
        if outcome.retries:
            return outcome.retries[-1:]
        return (shows.retry_start,) if shows.retry_start is not None else ()
    return None


def _is_json(data: str | None) -> bool:
    try:
        json.loads(data or "")
    except _NO_JSON:
        return False
    return True


def _is_utf8(wire: bytes) -> bool:
    try:
        wire.decode()
    except UnicodeDecodeError:
        return False
    return True
