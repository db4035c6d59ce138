"""The ways of the rules on delivery: when an event is out, who stops, who is not alone, and what becomes of a chunk."""

from __future__ import annotations

import re
import threading
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from chunkproof_reports.results import OutcomeRecord
from chunkproof_strategies.chunkings import Cuts, chunks_of
from chunkproof_targets.contract import Delivery, Run, Target
from chunkproof_targets.deviations.compose import DeviatingTarget, compose
from chunkproof_targets.script import MORE_BYTES, MORE_UNITS, SOURCE_FAILED, Script, SourceFailed, SourceWithoutEnd

from .judge import Expectation, record_of_run, text_of
from .way import LEFT_OUT, Records, ScriptedRun, Verdict, Way

__all__ = ["Beside", "Closed", "FailingSource", "Handed", "Lazy", "Prompt", "Used", "due_chunks", "due_sizes"]

# Turns that all other tasks get before an async source gives a chunk.
_TURNS = 50
# 9.2.5: end-of-line = ( cr lf / cr / lf ).
_LINE_END = re.compile(rb"\r\n?|\n")
_THREADS = frozenset(threading.enumerate())


def _has_threads(run: Run) -> bool:
    """Whether the run had threads, or there are some that were not there before there was a target."""
    if isinstance(run, ScriptedRun) and run.script.threads:
        return True
    # The suite itself may run in a thread that was not there either.
    return not _THREADS.union({threading.current_thread()}).issuperset(threading.enumerate())


# When events are due -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def due_sizes(wire: bytes) -> tuple[int, ...]:
    """For each event of the wire, the size of the shortest prefix that has it: up to the byte that ends its blank line.

    That is asked while a target's time runs, so it takes one pass. Ill-formed bytes hide neither a line end nor a name.
    """
    sizes: list[int] = []
    has_data = False
    start = len(BOM_UTF8) if wire.startswith(BOM_UTF8) else 0
    for end in _LINE_END.finditer(wire, start):
        line = wire[start : end.start()]
        if not line:
            if has_data:
                # A CR completes the line at once; an LF behind it belongs to it.
                sizes.append(start + 1)
            has_data = False
        elif line == b"data" or line.startswith(b"data:"):
            has_data = True
        start = end.end()
    return tuple(sizes)


def due_chunks(chunks: Sequence[bytes], *, may_hold: bool) -> list[int]:
    """For each event of a wire cut so, the chunk (from 1) that it is due with.

    ``may_hold``: a CR at a chunk's end ends no line before the next chunk, since an LF may follow.
    """
    wire = b"".join(chunks)
    sizes = due_sizes(wire)
    due: list[int] = []
    at = 0
    for number, chunk in enumerate(chunks, 1):
        at += len(chunk)
        size = at - 1 if may_hold and wire[at - 1 : at] == b"\r" else at
        while len(due) < len(sizes) and sizes[len(due)] <= size:
            due.append(number)
    # What a last CR completes is due when the input is over.
    return due + [len(chunks)] * (len(sizes) - len(due))


def _as_declared(expectation: Expectation, chunks: Sequence[bytes], *, has_end: bool = True) -> list[Delivery] | None:
    """What the reference parser delivers, and when, with the deviations that the target declares; None without any."""
    if not expectation.deviations:
        return None
    return DeviatingTarget(compose(expectation.deviations), has_end=has_end).run(chunks).deliveries


def _timed(record: OutcomeRecord, chunks: Sequence[int]) -> OutcomeRecord:
    events = [replace(event, after_chunk=number) for event, number in zip(record.events, chunks, strict=False)]
    return replace(record, events=(*events, *record.events[len(events) :]))


class Prompt(Way):
    """Each event is out when the chunk that it is due with has been taken; ``may_hold``: see `due_chunks`.

    An async target that reads ahead in a task of its own is late only if it is so with a source that lets all others go
    first. One that has threads is left out: what they do in time cannot be said in chunks.
    """

    follows_declared = True

    def __init__(self, *, may_hold: bool) -> None:
        self.may_hold = may_hold

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        run = target.run(chunks)
        if "script" not in target.offers or not _is_late(run, due_chunks(chunks, may_hold=self.may_hold)):
            return run
        script = Script(pauses=_TURNS)
        return ScriptedRun.of(target.run_script(chunks, script), script, run)

    def _due(self, expectation: Expectation, chunks: Sequence[bytes]) -> list[int]:
        """The chunk that each event is due with: by the standard, or later by what is declared."""
        due = due_chunks(chunks, may_hold=self.may_hold)
        declared = _as_declared(expectation, chunks)
        if declared is None:
            return due
        return [max(number, one.chunks_taken) for number, one in zip(due, declared, strict=False)]

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        if expectation.differs(run) is not None:
            return LEFT_OUT
        if not _is_late(run, self._due(expectation, chunks_of(wire, cuts))):
            return None
        return LEFT_OUT if _has_threads(run) else "late"

    def records(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Records:
        """See `Way.records`."""
        due = self._due(expectation, chunks_of(wire, cuts))
        # Earlier than due is no difference.
        came = [max(one.chunks_taken, number) for one, number in zip(run.deliveries, due, strict=False)]
        return _timed(expectation.record(), due), _timed(record_of_run(run), came)


def _is_late(run: Run, due: Sequence[int]) -> bool:
    return any(one.chunks_taken > number for one, number in zip(run.deliveries, due, strict=False))


class Lazy(Way):
    """All events of the wire come out of a source that has no end."""

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        plain = target.run(chunks)
        script = Script(endless=True, stops_after=len(plain.deliveries) or None)
        return ScriptedRun.of(target.run_script(chunks, script), script, plain)

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        if _is_wrong(expectation, run) or not expectation.events:
            return LEFT_OUT
        events = [one.event for one in run.deliveries]
        if events == expectation.events:
            return None
        ended = isinstance(run.failure, SourceWithoutEnd)
        declared = _as_declared(expectation, [*chunks_of(wire, cuts), *[MORE_BYTES] * MORE_UNITS], has_end=False)
        if declared is not None and len(declared) < len(expectation.events):
            return LEFT_OUT
        return "late" if ended and events == expectation.events[: len(events)] else LEFT_OUT

    def records(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Records:
        """See `Way.records`."""
        actual = replace(record_of_run(run), failure="", note=f"{run.failure}, and it did not come")
        due = due_chunks(chunks_of(wire, cuts), may_hold=True)
        return _timed(_events_alone(expectation.record()), due), _timed(_events_alone(actual), due)


def _events_alone(record: OutcomeRecord) -> OutcomeRecord:
    return replace(record, last_event_id=None, retries=None)


def _is_wrong(expectation: Expectation, run: Run) -> bool:
    """Whether the plain run beside this one differs."""
    assert isinstance(run, ScriptedRun)
    return run.plain is not None and expectation.differs(run.plain) is not None


# Who stops -----------------------------------------------------------------------------------------------------------


class Closed(Way):
    """The consumer stops after the first event; the source would have had more.

    ``source``: what is asked is whether the target closes its source, and nothing else.
    """

    nothing_left = "the target gives no event of this rule's streams"

    def __init__(self, *, source: bool = False) -> None:
        self.source = source

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        run, script = self._stopped(target, chunks, 0)
        if script.took_more:
            # A task that reads ahead gets its turns to be ended in.
            run, script = self._stopped(target, chunks, _TURNS)
        return ScriptedRun.of(run, script)

    def _stopped(self, target: Target, chunks: Sequence[bytes], pauses: int) -> tuple[Run, Script]:
        script = Script(endless=True, stops_after=1, pauses=pauses)
        return target.run_script(chunks, script), script

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        assert isinstance(run, ScriptedRun)
        if run.script.taken_at_stop is None or [one.event for one in run.deliveries] != expectation.events[:1]:
            return LEFT_OUT
        if self.source:
            return None if run.script.closed else "open"
        if run.script.took_more:
            return LEFT_OUT if _has_threads(run) else "greedy"
        return "raised" if run.failure is not None else None

    def records(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Records:
        """See `Way.records`."""
        assert isinstance(run, ScriptedRun)
        expected, actual = _events_alone(expectation.record()), _events_alone(record_of_run(run))
        expected = replace(expected, events=expected.events[:1])
        if self.source:
            notes = ("then the consumer stops, and the source is closed", "then the source is left open")
            return replace(expected, note=notes[0]), replace(actual, failure="", note=notes[1])
        more = run.script.took_more
        if not more:
            return expected, actual
        failure = "" if isinstance(run.failure, SourceWithoutEnd) else actual.failure
        expected = replace(expected, note="then the consumer stops, and no chunk is taken")
        return expected, replace(actual, failure=failure, note=f"then {more:,} more are taken")


class FailingSource(Way):
    """The source fails behind the chunks."""

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        script = Script(fails=True)
        scripted = ScriptedRun.of(target.run_script(chunks, script), script, target.run(chunks))
        if target.returns_list and scripted.failure is not None:
            # What would have been returned nobody can have.
            scripted.deliveries = scripted.plain.deliveries if scripted.plain is not None else []
        return scripted

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        if _is_wrong(expectation, run):
            return LEFT_OUT
        if not _comes_from_source(run.failure):
            return "swallowed"
        declared = _as_declared(expectation, chunks_of(wire, cuts), has_end=False)
        if declared is not None and len(declared) < len(expectation.events):
            return LEFT_OUT
        return expectation.differs(_without_failure(run))

    def records(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Records:
        """See `Way.records`."""
        expected, actual = _events_alone(expectation.record()), _events_alone(record_of_run(run))
        if _comes_from_source(run.failure):
            return replace(expected, failure=actual.failure), actual
        instead = f"{type(run.failure).__name__} arrives in its place" if run.failure else "no error arrives"
        return replace(expected, note="then the source's error arrives"), replace(actual, note=f"then {instead}")


def _without_failure(run: Run) -> Run:
    """The run as if nothing had been raised."""
    return Run(run.deliveries, run.last_event_id, run.retries, None)


def _comes_from_source(failure: BaseException | None) -> bool:
    """Whether the error is the source's own, tells its text, or was raised because of it, or while it was handled."""
    seen: set[int] = set()
    waiting = [failure]
    while waiting:
        error = waiting.pop()
        if error is None or id(error) in seen:
            continue
        if isinstance(error, SourceFailed) or SOURCE_FAILED in text_of(error):
            return True
        seen.add(id(error))
        waiting += [error.__cause__, error.__context__]
        if isinstance(error, BaseExceptionGroup):
            waiting += error.exceptions
    return False


# Who is not alone ----------------------------------------------------------------------------------------------------


class _Outcome(Way):
    """The outcome of a run in this way is compared; a plain run with the same cuts has to be right."""

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        return LEFT_OUT if _is_wrong(expectation, run) else expectation.differs(run)


class Beside(_Outcome):
    """Other parsers of the same kind read the wires before it in turn with this one, and are dropped."""

    others = "run in turn with it"

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        plain = target.run(chunks)
        others = [chunks_of(wire, ()) if len(wire) < 2 else chunks_of(wire, (len(wire) // 2,)) for wire in before]
        return ScriptedRun.of(target.run_beside(chunks, others), Script(), plain)


class Used(_Outcome):
    """The parser has read the wires before it, and was then reset or told the end."""

    def __init__(self, by: Literal["reset", "end"]) -> None:
        self.by: Literal["reset", "end"] = by
        if by == "end":
            self.nothing_left = "the target raises when it is fed after its end"

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        return ScriptedRun.of(target.run_used(chunks, before, self.by), Script(), target.run(chunks))

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        if self.by == "end" and run.failure is not None:
            return LEFT_OUT
        return super().differs(expectation, wire, cuts, run)


# What becomes of a chunk ---------------------------------------------------------------------------------------------


class Handed(Way):
    """The chunks are handed out as bytearrays, or as memoryviews of such.

    ``spoils``: each is overwritten when the next is asked for, as a buffer is that is read into again.
    """

    nothing_left = "the target takes bytes alone"

    def __init__(self, form: Literal["bytearray", "memoryview"], *, spoils: bool = False) -> None:
        self.form = form
        self.spoils = spoils

    def run(self, target: Target, chunks: Sequence[bytes], before: tuple[bytes, ...]) -> Run:
        """See `Way.run`."""
        script = Script(give=self._give)
        run = target.run_script(chunks, script)
        script.look_back()
        if not self.spoils or script.changed:
            return ScriptedRun.of(run, script, run)
        spoiling = Script(give=self._give, spoils=True)
        return ScriptedRun.of(target.run_script(chunks, spoiling), script, run)

    def _give(self, chunk: bytes) -> Any:
        return bytearray(chunk) if self.form == "bytearray" else memoryview(bytearray(chunk))

    def differs(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Verdict:
        """See `Way.differs`."""
        assert isinstance(run, ScriptedRun)
        if run.script.changed and not self.spoils:
            return "spoilt"
        if run.script.changed or _is_wrong(expectation, run):
            return LEFT_OUT
        return expectation.differs(run)

    def records(self, expectation: Expectation, wire: bytes, cuts: Cuts, run: Run) -> Records:
        """See `Way.records`."""
        assert isinstance(run, ScriptedRun)
        expected, actual = expectation.record(), record_of_run(run)
        if run.script.changed:
            note = f"{self.form}s changed: {run.script.changed:,}"
            return replace(expected, note=f"each {self.form} is as it was"), replace(actual, note=note)
        return expected, actual
