"""Rules with a way of their own: when events are due, what is judged, what is left out, and how it is shown."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from chunkproof.check import Effort, check_rule
from chunkproof.counterexample import decode_token
from chunkproof.oracle import interpret
from chunkproof.peace import at_peace
from chunkproof.question import Question
from chunkproof.replay import replay
from chunkproof.rule_run import RuleRun
from chunkproof.rules import RULES, find_rule
from chunkproof.watch import Watch
from chunkproof.ways import due_chunks
from chunkproof_reports.results import RuleResult
from chunkproof_reports.terminal import failure
from chunkproof_strategies.chunkings import bytewise, chunks_of, random_cuts_with_empty_chunks
from chunkproof_strategies.generator import RandomSource
from chunkproof_targets.contract import Delivery, Run, Target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

from .faults import FAULTS

SOME = Effort("some", checks=300, examples=3)
DELIVERY = [rule for rule in RULES if rule.chapter == "delivery"]


def judged(name: str, target: Target | Callable[..., Any], effort: Effort = SOME) -> RuleResult:
    if not isinstance(target, Target):
        target = adapt(target, name="t", found="in a test")
    with at_peace(), Watch() as watch:
        return check_rule(find_rule(f"delivery/{name}"), target, effort=effort, seed="1", watch=watch)


def faulty(name: str) -> Target:
    (fault,) = [fault for fault in FAULTS if fault.name == name]
    return fault.target()


# When an event is due -------------------------------------------------------------------------------------------------


def test_an_event_is_due_with_the_chunk_of_its_blank_line():
    chunks = [b"data: a\n", b"\ndata: b\n\nda", b"ta: c", b"\n\n"]
    assert due_chunks(chunks, may_hold=True) == [2, 2, 4]
    assert due_chunks([b"data: a\n\n: x\n\ndata", b"\n\n"], may_hold=True) == [1, 2]
    assert due_chunks([b": x\n\n"], may_hold=True) == due_chunks([], may_hold=True) == []


def test_who_may_hold_a_cr_has_one_chunk_more():
    crlf = [b"data: a\r\n\r", b"\n", b"data: b\r\n\r\n"]
    assert due_chunks(crlf, may_hold=False) == [1, 3]
    assert due_chunks(crlf, may_hold=True) == [2, 3]
    bare = [b"data: a\r\r", b"data: b\r", b"\r"]
    assert due_chunks(bare, may_hold=False) == [1, 3]
    # The last is completed by the end of input, which comes after the last chunk.
    assert due_chunks(bare, may_hold=True) == [2, 3]


def test_bytewise_an_event_is_due_with_its_last_byte():
    wire = "data: 你\n\ndata: b\r\n\r\n".encode()
    assert due_chunks(chunks_of(wire, bytewise(wire)), may_hold=True) == [11, len(wire)]


PARTS = (
    *(b"data", b"data:", b"data: a", b"data:\xff", b"dat", b"datas: a", b"Data: a", b" data: a", b": data: a"),
    *(b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c", b"\0"),
    *(b"\xef\xbb\xbf", b"\xef\xbb", b"\xf0\x9f", b"\xe4", b"id: 1", b"event: e", b"retry: 5"),
)


def due_by_prefixes(chunks: list[bytes], *, may_hold: bool) -> list[int]:
    """The same from what the oracle says of each prefix."""
    wire = b"".join(chunks)
    due: list[int] = []
    at = 0
    for number, chunk in enumerate(chunks, 1):
        at += len(chunk)
        size = at - 1 if may_hold and wire[:at].endswith(b"\r") else at
        due += [number] * (len(interpret(wire[:size]).events) - len(due))
    return due + [len(chunks)] * (len(interpret(wire).events) - len(due))


def test_an_event_is_due_as_soon_as_the_oracle_has_it_in_what_was_read():
    source, several = RandomSource("due"), 0
    for number in range(2000):
        wire = b"".join(PARTS[source.below(len(PARTS))] for _ in range(4 + source.below(20)))
        if number % 2:
            wire = b"data: a" + wire.replace(b"dat", b"\n\ndat")
        plan = bytewise(wire) if number % 3 else random_cuts_with_empty_chunks(source, len(wire))
        chunks = chunks_of(wire, plan)
        for may_hold in (False, True):
            due = due_by_prefixes(chunks, may_hold=may_hold)
            assert due_chunks(chunks, may_hold=may_hold) == due, (wire, plan, may_hold)
        several += len(due) > 1
    assert several > 500


@pytest.mark.parametrize("plan", [(), tuple(range(9, 72_000, 9))])
def test_a_long_stream_is_no_hang_for_what_is_computed_beside_the_target(plan):
    rule, wire = find_rule("delivery/prompt"), b"data: x\n\n" * 8000
    # What the pace of the reference comes to.
    with at_peace(), Watch(timeout=3) as watch:
        rule_run = RuleRun(rule, right_target("right"), watch)
        assert rule_run.try_case(Question(wire, plan)) is None
    assert rule_run.checks == 1


# What is shown --------------------------------------------------------------------------------------------------------


def test_a_late_event_is_shown_with_the_chunks_that_it_was_due_and_came_with():
    result = judged("prompt", faulty("late-by-one-chunk"))
    found = result.counterexample
    assert found is not None
    assert found.kind == "late"
    (stream,) = found.streams
    assert (stream.data, len(stream.cuts)) == (b"data: a\n\ndata: a\n\n", 2) or len(stream.data) <= 20
    assert found.expected.events[0].after_chunk == 1
    assert found.actual.events[0].after_chunk == 2
    text = failure(result)
    assert "after chunk 1" in text
    assert "after chunk 2" in text


@pytest.mark.parametrize(
    ("rule", "fault", "kind", "shown"),
    [
        ("lazy", "reads-everything-first", "late", "400 chunks more were taken, and it did not come"),
        ("closed", "reads-on-when-closed", "greedy", "then 400 more are taken"),
        ("closed", "yields-when-closed", "raised", "generator ignored GeneratorExit"),
        ("closes-its-source", "leaves-its-source-open", "open", "then the source is left open"),
        ("failing-source", "lost-connection-is-an-end", "swallowed", "then no error arrives"),
        ("failing-source", "error-told-as-another", "swallowed", "then RuntimeError arrives in its place"),
        ("failing-source", "unfinished-event-when-the-source-fails", "extra", "(no event)"),
        ("chunks-are-not-changed", "empties-a-bytearray", "spoilt", "bytearrays changed: 1"),
        ("alone", "decoder-of-the-class", "changed", "run in turn with it"),
        ("reset", "reset-forgets-the-data", "changed", "run before"),
    ],
)
def test_what_is_wrong_is_said(rule, fault, kind, shown):
    result = judged(rule, faulty(fault))
    assert result.counterexample is not None
    assert result.counterexample.kind == kind
    assert shown in failure(result)
    assert len(result.counterexample.streams[-1].data) <= 20


@pytest.mark.parametrize("name", ["prompt", "closed", "failing-source", "alone", "no-memoryview-is-kept"])
def test_the_token_alone_replays_a_failure(name):
    fault = next(fault for fault in FAULTS if f"delivery/{name}" in fault.breaks)
    result = judged(name, fault.target())
    assert result.counterexample is not None
    case = decode_token(result.counterexample.token)
    with at_peace(), Watch() as watch:
        again = replay(case, fault.target(), watch)
        assert (again.status, again.counterexample) == ("broken", replace(result.counterexample, unshrunk=None))
        assert replay(case, right_target(name), watch).status == "held"


def right_target(name: str) -> Target:
    def right(chunks):
        parser = ReferenceParser()
        for chunk in chunks:
            yield from parser.feed(chunk)
        yield from parser.close()

    return adapt(right, name="right", found="in a test")


# What is not judged ---------------------------------------------------------------------------------------------------


def test_a_finished_list_is_not_judged_on_time():
    def finished(chunks):
        return list(ReferenceParser().feed(b"".join(chunks)))

    for name in ("prompt", "lazy", "closed"):
        result = judged(name, finished)
        assert (result.status, result.reason) == (
            "not judged",
            "all events come back at once, so it cannot be seen when each is out",
        )
    assert judged("failing-source", finished).status == "held"


def test_a_parser_that_is_fed_takes_no_chunk_itself():
    for name in ("lazy", "closed", "failing-source"):
        result = judged(name, ReferenceParser)
        assert (result.status, result.reason) == ("not judged", "the target is given its chunks, and takes none itself")
    assert judged("prompt", ReferenceParser).status == "held"


def test_who_takes_bytes_alone_is_not_judged_on_bytearrays():
    class BytesAlone(ReferenceParser):
        def feed(self, chunk):
            if type(chunk) is not bytes:
                raise TypeError("bytes, please")
            return super().feed(chunk)

    for name in ("chunks-are-not-changed", "no-bytearray-is-kept", "no-memoryview-is-kept"):
        result = judged(name, BytesAlone)
        assert (result.status, result.reason) == ("not judged", "the target takes bytes alone")


def test_who_raises_when_fed_after_the_end_is_not_judged_on_that():
    class Ends(ReferenceParser):
        over = False

        def feed(self, chunk):
            if self.over:
                raise RuntimeError("the input is over")
            return super().feed(chunk)

        def start_over(self):
            self.over = True

    result = judged("used-again", Ends)
    assert (result.status, result.reason) == ("not judged", "the target raises when it is fed after its end")


def test_wrong_events_are_the_matter_of_other_rules():
    class LosesAll(ReferenceParser):
        """Of what is fed in several chunks nothing comes out."""

        fed = 0

        def feed(self, chunk):
            self.fed += 1
            return super().feed(chunk if self.fed == 1 else b"")

    for rule in DELIVERY:
        result = judged(rule.id.partition("/")[2], LosesAll)
        assert result.status in ("held", "not judged") or result.severity == "info", (rule.id, result.counterexample)


# Right, though it looks late, greedy or deaf --------------------------------------------------------------------------


def test_a_task_that_reads_ahead_is_neither_late_nor_greedy():
    async def reads_ahead(chunks):
        waiting: asyncio.Queue[bytes | None] = asyncio.Queue(1)

        async def fill():
            async for chunk in chunks:
                await waiting.put(chunk)
            await waiting.put(None)

        task, parser = asyncio.create_task(fill()), ReferenceParser()
        try:
            while (chunk := await waiting.get()) is not None:
                for event in parser.feed(chunk):
                    yield event
        finally:
            task.cancel()

    for name in ("prompt", "lazy", "closed"):
        assert judged(name, reads_ahead).status == "held"


def test_a_thread_that_reads_ahead_is_left_out():
    def reads_ahead(chunks):
        waiting: queue.Queue[bytes | None] = queue.Queue(2)
        over = threading.Event()

        def put(chunk):
            while not over.is_set():
                try:
                    waiting.put(chunk, timeout=0.01)
                    break
                except queue.Full:
                    continue

        def fill():
            try:
                for chunk in chunks:
                    put(chunk)
                    if over.is_set():
                        break
            finally:
                put(None)

        thread, parser = threading.Thread(target=fill), ReferenceParser()
        thread.start()
        try:
            while (chunk := waiting.get()) is not None:
                yield from parser.feed(chunk)
        finally:
            over.set()
            thread.join()

    few = Effort("few", checks=60, examples=0)
    for name in ("prompt", "closed"):
        assert judged(name, reads_ahead, few).status in ("held", "not judged")


def test_an_error_of_the_source_may_come_as_another_that_tells_of_it():
    class ParseError(Exception):
        pass

    def from_it(chunks):
        parser = ReferenceParser()
        try:
            for chunk in chunks:
                yield from parser.feed(chunk)
        except OSError as error:
            raise ParseError("lost") from error

    def with_its_text(chunks):
        parser, text = ReferenceParser(), ""
        try:
            for chunk in chunks:
                yield from parser.feed(chunk)
        except OSError as error:
            text = str(error)
        if text:
            raise ParseError(text)

    for parser in (from_it, with_its_text):
        assert judged("failing-source", parser).status == "held"


def test_a_target_of_its_own_kind_is_not_failed_on_when_its_events_are_out():
    class AtTheEnd(Target):
        name = "at the end"

        def run(self, chunks):
            parser = ReferenceParser()
            events = [event for chunk in chunks for event in parser.feed(chunk)]
            return Run([Delivery(event, len(chunks)) for event in events])

    result = judged("prompt", AtTheEnd())
    assert (result.status, result.severity, result.fails) == ("broken", "info", False)
    assert judged("alone", AtTheEnd()).reason == "a target of its own kind is run in its own way"


def test_a_reset_that_does_not_say_that_it_starts_anew_is_an_info():
    class ResetsTheBlock(ReferenceParser):
        def reset(self):
            self.reset_buffers()

    result = judged("reset", ResetsTheBlock)
    assert (result.status, result.severity, result.fails) == ("broken", "info", False)
    assert judged("reset", faulty("reset-forgets-the-line")).fails
