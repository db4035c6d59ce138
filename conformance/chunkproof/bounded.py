"""Measures whether a target keeps what it has delivered: its memory along a long stream of events.

Theory of operation: events of about 1 KiB, each unlike the others, one a chunk. Nothing of ours keeps an event or a
chunk (`Target.run_dropping`); `tracemalloc` says what memory is in use after a hundredth of the events, a tenth, all.
What grew between the last two is set against the bytes delivered between them: IDs and counters are a small part, data
that is kept is all of it. An accusation needs more: a second run, with cycles collected before each look, and much
longer, since a parser may well keep the last thousand, or have a cache of some thousands.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from chunkproof_reports.results import Counterexample, OutcomeRecord, StreamRecord
from chunkproof_strategies.chunkings import in_sizes
from chunkproof_targets.contract import Run, Target

from .counterexample import Case, encode_token
from .examination import Examination, Examined
from .judge import expect

__all__ = ["Memory", "bounded"]

# Numbers of events, and the CPU seconds that the longest run may take by a first look at the pace; tracing makes a run
# some four times as long.
_EVENTS = (1000, 500, 200)
_FEW = 10
_SECONDS_MAX = 0.2
_TRACING = 4
# The second run: so many times as long, and as many events as take no more than so many seconds.
_LONGER = 3
_EVENTS_AGAIN = (15_000, 6_000)
_SECONDS_AGAIN = 2.0
_EVENT_BYTES = 1024
# Of what was delivered, the part that may stay.
_KEPT_MAX = 0.5
_ADVICE = "Let an event go once it was handed over: a parser that runs for weeks otherwise takes memory without end."


class Memory(NamedTuple):
    """What memory grew by from one event to a later one, in bytes, and what was delivered in between."""

    first: int
    last: int
    grew: int
    delivered: int

    @property
    def is_kept(self) -> bool:
        """Whether it can only be the data."""
        return self.grew > _KEPT_MAX * self.delivered

    @property
    def words(self) -> str:
        """The figures."""
        return (
            f"From event {self.first:,} to event {self.last:,} memory grew by {self.grew:,} bytes, "
            f"while events of {self.delivered:,} bytes were delivered."
        )


class _Counted(Target):
    """The target under test, run so that nothing is kept of it; looks at the memory after some of the events."""

    def __init__(self, target: Target, looks: Sequence[int], *, collect: bool) -> None:
        self.target = target
        self.name = target.name
        self.looks = frozenset(looks)
        self.collect = collect
        self.events = 0
        self.used: dict[int, int] = {}

    def run(self, chunks: Sequence[bytes]) -> Run:
        """See `Target.run`; the chunks are let go too."""
        assert isinstance(chunks, list)
        return self.target.run_dropping(chunks, self.look) or Run()

    def look(self, let_go: int) -> None:
        """An event came out. Chunks that were let go are no longer there: only if somebody keeps them."""
        self.events += 1
        if self.events in self.looks:
            if self.collect:
                gc.collect()
            self.used[self.events] = tracemalloc.get_traced_memory()[0] + let_go


def bounded(examination: Examination) -> Examined:
    """The examination of the rule that what was delivered is not kept."""
    target = examination.target
    if target.returns_list or target.keeps_events:
        return Examined("not judged", "the events stay in a list that nobody drains")
    if target.run_dropping([], lambda let_go: None) is None:
        return Examined("not judged", "the target is driven in a way that keeps the events")
    wire = b"".join(_events(_FEW))
    examination.watch.note((), wire, [in_sizes(wire, len(wire) // _FEW)])
    expectation = expect(target, wire)
    before = time.process_time()
    run = examination.watch.run(target, _events(_FEW))
    pace = (time.process_time() - before) / _FEW
    if expectation is None or expectation.differs(run) is not None:
        return Examined(
            "not judged", "the stream does not come out right, so its memory says nothing; other rules judge that"
        )
    fits = [events for events in _EVENTS if events * pace * _TRACING <= _SECONDS_MAX]
    events = fits[0] if fits and examination.checks > 1_000 else _EVENTS[-1]
    before = time.process_time()
    memory = _measured(examination, events // 10, events)
    traced_pace = (time.process_time() - before) / events
    checks = 2
    if memory is not None and memory.is_kept:
        fits = [last for last in _EVENTS_AGAIN if last * traced_pace <= _SECONDS_AGAIN]
        last = max(_LONGER * events, *fits, 0)
        memory = _measured(examination, last // _LONGER, last, collect=True)
        checks = 3
    if memory is None:
        return Examined("not judged", "not all events of a long stream came out; other rules judge that")
    if not memory.is_kept:
        return Examined("held", checks=checks, streams=1)
    return Examined("broken", "", _ADVICE, _counterexample(examination, memory), checks, 1)


def _events(number: int) -> list[bytes]:
    """So many events, one a chunk. The data is JSON, for targets that take no other; what fills it packs well."""
    return [b'data: "%d %s"\n\n' % (at, b"x" * (_EVENT_BYTES - 16)) for at in range(10_000, 10_000 + number)]


def _measured(examination: Examination, first: int, last: int, *, collect: bool = False) -> Memory | None:
    counted = _Counted(examination.target, (first // 10, first, last), collect=collect)
    events = _events(last)
    examination.watch.note((), b"".join(events), [in_sizes(b"".join(events), len(events[0]))])
    del events
    with _tracing():
        examination.watch.run(counted, _events(last))
    if counted.events != last:
        return None
    return Memory(first, last, counted.used[last] - counted.used[first], (last - first) * _EVENT_BYTES)


@contextmanager
def _tracing() -> Iterator[None]:
    """Memory is traced; by the user too, perhaps, and then it stays so."""
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def _counterexample(examination: Examination, memory: Memory) -> Counterexample:
    wire = b"".join(_events(2))
    cuts = in_sizes(wire, len(wire) // 2)
    case = Case(examination.rule, examination.target.takes, ((wire, cuts),))
    return Counterexample(
        kind="kept",
        streams=(StreamRecord.of(wire, cuts),),
        expected=OutcomeRecord((), failure="Memory does not grow with the number of events delivered."),
        actual=OutcomeRecord((), failure=memory.words),
        token=encode_token(case),
    )
