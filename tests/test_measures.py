"""Rules that measure: what is sent, what is said, and what is left alone."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections import deque

import pytest

from chunkproof.check import EFFORTS, Effort
from chunkproof.counterexample import TOKEN_LENGTH_MAX, decode_token
from chunkproof.replay import ReplayError, replay
from chunkproof.watch import Watch
from chunkproof_targets.contract import Target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

from .faults import FAULTS, FaultyTarget
from .test_check import Noting, judged

SMOKE = EFFORTS["smoke"]
LONG_LINE = "resources/linear-in-a-long-line"
COMMENTS = "resources/linear-in-comments"
KEPT = "resources/delivered-data-is-let-go"
ONE_MIB = "size/a-line-of-1-mib"
LINEAR = [
    LONG_LINE,
    COMMENTS,
    *(f"resources/linear-in-{what}" for what in ("data-lines", "events", "blank-lines")),
]


def faulty(name: str) -> Target:
    (fault,) = [fault for fault in FAULTS if fault.name == name]
    return fault.target()


# Time -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", LINEAR)
def test_the_reference_is_linear(rule):
    assert judged(rule, FaultyTarget(ReferenceParser), SMOKE).status == "held"


def slow_comments(times: int = 4):
    """The result for a parser that is quadratic in comments, from the first time that its answer is clear."""
    for _ in range(times):
        result = judged(COMMENTS, faulty("comments-copied-for-each-comment"), SMOKE)
        if result.status == "broken":
            break
    return result


def test_a_failure_says_how_much_longer_it_took_and_what_to_do():
    result = slow_comments()
    found = result.counterexample
    assert found is not None
    assert found.kind == "slow"
    assert found.actual.failure.startswith("In one chunk, 8 times the bytes (")
    assert "times the CPU time; the reference parser took" in found.actual.failure
    assert "join them once" in result.advice
    assert len(found.token) < TOKEN_LENGTH_MAX


def test_a_token_measures_again():
    found = slow_comments().counterexample
    assert found is not None
    case = decode_token(found.token)
    with Watch() as watch:
        assert replay(case, FaultyTarget(ReferenceParser), watch).status == "held"
        bounded = FaultyTarget(ReferenceParser)
        bounded.size_limit = 1000
        with pytest.raises(ReplayError, match="size limit of 1000 bytes leaves too little"):
            replay(case, bounded, watch)


def test_what_a_target_does_wrong_there_is_for_other_rules():
    class Raises(ReferenceParser):
        def read_line(self, line):
            if len(line) > 5000:
                raise ValueError
            super().read_line(line)

    result = judged(LONG_LINE, FaultyTarget(Raises), SMOKE)
    assert result.status == "not judged"
    assert result.reason.startswith("the stream of 8,192 bytes does not come out right (raised)")


def test_streams_stay_well_below_a_declared_limit():
    target = Noting()
    target.size_limit = 70_000
    for rule in LINEAR:
        target.fed.clear()
        assert judged(rule, target, SMOKE).status == "held"
        longest = max(len(block) for wire in target.wires for block in wire.split(b"\n\n"))
        assert longest <= 35_000


def test_lines_are_fed_in_one_chunk():
    target = Noting()
    target.takes = "lines"
    assert judged(LONG_LINE, target, SMOKE).status == "not judged"
    assert judged(COMMENTS, target, SMOKE).status == "held"
    assert {len(chunks) for chunks in target.fed} == {1}


def test_collections_are_off_while_times_are_measured_and_then_as_before():
    seen = set()

    class Looks(Noting):
        def run(self, chunks):
            seen.add(gc.isenabled())
            return super().run(chunks)

    assert judged(LONG_LINE, Looks(), SMOKE).status == "held"
    assert (seen, gc.isenabled()) == ({False}, True)
    gc.disable()
    try:
        judged(LONG_LINE, Noting(), SMOKE)
        assert not gc.isenabled()
    finally:
        gc.enable()


# Memory ---------------------------------------------------------------------------------------------------------------


class Cycles(ReferenceParser):
    """Each event is part of a cycle, which is garbage until somebody collects it."""

    def emit(self, event):
        cycle = [event]
        cycle.append(cycle)
        super().emit(event)


class KeepsIDs(ReferenceParser):
    """Keeps a key of each event, to know it again."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def emit(self, event):
        self.seen.add(event.data[:12])
        super().emit(event)


class KeepsTheLast(ReferenceParser):
    """Keeps the last few hundred events, and no more."""

    def __init__(self):
        super().__init__()
        self.last = deque(maxlen=300)

    def emit(self, event):
        self.last.append(event)
        super().emit(event)


class KeepsTheLastThousands(ReferenceParser):
    """As a history or a cache does."""

    def __init__(self):
        super().__init__()
        self.last = deque(maxlen=3000)

    def emit(self, event):
        self.last.append(event)
        super().emit(event)


@pytest.mark.parametrize("parser", [ReferenceParser, Cycles, KeepsIDs, KeepsTheLast, KeepsTheLastThousands])
def test_what_does_not_grow_with_the_data_is_not_kept(parser):
    for effort in (SMOKE, EFFORTS["default"]):
        assert judged(KEPT, FaultyTarget(parser), effort).status == "held"
        assert judged(KEPT, adapt(parser, name="t", found="t"), effort).status == "held"


class KeepsChunks(ReferenceParser):
    """Keeps each chunk."""

    def __init__(self):
        super().__init__()
        self.chunks = []

    def feed(self, chunk):
        self.chunks.append(chunk)
        return super().feed(chunk)


def keeps_events(chunks):
    parser, events = ReferenceParser(), []
    for chunk in chunks:
        for event in parser.feed(chunk):
            events.append(event)
            yield event


async def keeps_events_async(chunks):
    parser, events = ReferenceParser(), []
    async for chunk in chunks:
        for event in parser.feed(chunk):
            events.append(event)
            yield event


def keeps_text(texts: list[str]):
    parser, seen = ReferenceParser(), []
    for text in texts:
        seen.append(text)
        yield from parser.feed(text.encode())


@pytest.mark.parametrize("parser", [KeepsChunks, keeps_events, keeps_events_async, keeps_text])
def test_what_is_kept_is_found_however_the_parser_is_driven(parser):
    target = adapt(parser, name="t", found="t")
    try:
        result = judged(KEPT, target, SMOKE)
    finally:
        target.close()
    assert result.status == "broken"
    assert result.counterexample.kind == "kept"
    assert result.counterexample.actual.failure.startswith("From event ")
    assert len(result.counterexample.token) < TOKEN_LENGTH_MAX


def returns_a_list(chunks):
    parser = ReferenceParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


class Grows:
    """Its list of events is never drained."""

    def __init__(self):
        self.events = []
        self._parser = ReferenceParser()

    def feed(self, chunk):
        self.events += self._parser.feed(chunk)


@pytest.mark.parametrize("parser", [returns_a_list, Grows])
def test_a_list_that_nobody_drains_is_not_judged(parser):
    result = judged(KEPT, adapt(parser, name="t", found="t"), SMOKE)
    assert (result.status, result.reason) == ("not judged", "the events stay in a list that nobody drains")


def test_tracing_of_the_users_is_left_as_it_was():
    for traced in (False, True):
        if traced:
            tracemalloc.start()
        try:
            assert judged(KEPT, FaultyTarget(ReferenceParser), SMOKE).status == "held"
            assert tracemalloc.is_tracing() == traced
        finally:
            tracemalloc.stop()


def test_a_target_of_ones_own_that_cannot_drop_is_not_judged():
    class Own(Noting):
        def run_dropping(self, chunks, look):
            return Target.run_dropping(self, chunks, look)

    result = judged(KEPT, Own(), SMOKE)
    assert (result.status, result.reason) == ("not judged", "the target is driven in a way that keeps the events")


# Long lines -----------------------------------------------------------------------------------------------------------


def test_a_long_line_that_is_lost_is_shown_in_the_size_at_which_it_is():
    result = judged(ONE_MIB, faulty("lines-beyond-a-million-dropped"), EFFORTS["default"])
    assert result.status == "broken"
    assert result.counterexample.kind == "lost"
    wire = result.counterexample.streams[0].data
    assert 1_000_000 < len(wire) < 1_000_200


def test_a_declared_limit_may_raise_there_and_not_lose():
    class Raises(ReferenceParser):
        def read_line(self, line):
            if len(line) > 300_000:
                raise ValueError("too long")
            super().read_line(line)

    raises, loses = FaultyTarget(Raises), faulty("lines-beyond-a-million-dropped")
    raises.size_limit = loses.size_limit = 300_000
    assert judged(ONE_MIB, raises, SMOKE).status == "held"
    assert judged(ONE_MIB, loses, SMOKE).status == "broken"


def test_a_long_line_is_not_sent_to_a_slow_parser():
    sizes = []

    class Slow(ReferenceParser):
        def feed(self, chunk):
            sizes.append(len(chunk))
            start = time.process_time()
            while time.process_time() - start < 0.1:
                pass
            return super().feed(chunk)

    result = judged(ONE_MIB, FaultyTarget(Slow), Effort("some", 9_500, 0))
    assert result.status == "not judged"
    assert result.reason == "not sent: at the pace of this parser a line of 1,048,576 bytes takes more than 1 s"
    assert max(sizes) < 70_000


class Sometimes(FaultyTarget):
    """Raises on a long line that is cut, the first few times."""

    runs = 0

    def run(self, chunks):
        self.runs += 1
        run = super().run(chunks)
        if self.runs <= 5 and len(chunks) > 1:
            run.failure = ValueError("now and then")
        return run


def test_a_long_line_that_does_not_fail_every_time_is_shown_as_it_was_found():
    result = judged(ONE_MIB, Sometimes(ReferenceParser), SMOKE)
    assert result.counterexample is not None
    ((wire, cuts),) = decode_token(result.counterexample.token).streams
    assert len(wire) > 1 << 20 > max(cuts) - 1
