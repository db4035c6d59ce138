"""What a target must deliver, and in what way a run differs from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from chunkproof.check import Effort, check_rule
from chunkproof.judge import Expectation, expect, record_of_run
from chunkproof.oracle import interpret
from chunkproof.rules import RULES
from chunkproof.watch import Watch
from chunkproof_reports.results import EventRecord, OutcomeRecord
from chunkproof_targets.contract import Delivery, Event, Run, Shows, Target, TargetHung
from chunkproof_targets.reference import ReferenceParser

A = Event("message", "a", "")
B = Event("message", "b", "")
SOME = Effort("some", checks=300, examples=3)


class Known(Target):
    """A target whose runs are never asked for: only what it shows and declares matters."""

    def __init__(self, shows: Shows | None = None, **declared: Any) -> None:
        self.shows = shows or Shows()
        for name, value in declared.items():
            setattr(self, name, value)

    def run(self, chunks: Sequence[bytes]) -> Run:
        raise AssertionError("not run in these tests")


def run(*events: Event, **end: Any) -> Run:
    return Run([Delivery(event, 1) for event in events], **end)


def differs(target: Target, wire: bytes, got: Run, **ignores: Any) -> str | None:
    expectation = expect(target, wire, **ignores)
    assert expectation is not None
    return expectation.differs(got)


# Kinds ----------------------------------------------------------------------------------------------------------------

TWO = b"data: a\n\ndata: b\n\n"


@pytest.mark.parametrize(
    ("got", "kind"),
    [
        (run(A, B), None),
        (run(A), "lost"),
        (run(), "lost"),
        (run(B), "lost"),
        (run(A, B, B), "extra"),
        (run(B, A), "changed"),
        (run(A, Event("message", "b ", "")), "changed"),
        (run(A, Event("b", "b", "")), "changed"),
        (run(A, Event("message", "b", "1")), "changed"),
        (run(A, Event("message", None, "")), "changed"),
        (run(A, Event("message", b"b", "")), "changed"),  # type: ignore[arg-type]
        (run(A, B, failure=ValueError()), "raised"),
        (run(failure=SystemExit(0)), "raised"),
        (run(A, B, failure=KeyboardInterrupt()), "raised"),
        (run(A, failure=TargetHung()), "hung"),
    ],
)
def test_kinds(got, kind):
    assert differs(Known(), TWO, got) == kind


def test_right_events_with_a_wrong_state_are_of_kind_state():
    target = Known(Shows(end_last_event_id=True, retry="updates"))
    wire = b"id: 1\nretry: 5\ndata: a\n\n"
    event = Event("message", "a", "1")
    assert differs(target, wire, run(event, last_event_id="1", retries=("5",))) is None
    assert differs(target, wire, run(event, last_event_id="", retries=("5",))) == "state"
    assert differs(target, wire, run(event, last_event_id=None, retries=("5",))) == "state"
    assert differs(target, wire, run(event, last_event_id="1", retries=())) == "state"
    assert differs(target, wire, run(event, last_event_id="1", retries=("5", "5"))) == "state"


def test_events_are_looked_at_before_the_state():
    target = Known(Shows(end_last_event_id=True))
    assert differs(target, b"id: 1\ndata: a\n\n", run(last_event_id="")) == "lost"


# What is not shown ----------------------------------------------------------------------------------------------------


def test_fields_not_shown_are_not_compared():
    wire = b"id: 1\nevent: x\nretry: 5\ndata: a\n\n"
    data_only = Shows(type=False, last_event_id=False)
    assert differs(Known(data_only), wire, run(Event(None, "a", None))) is None
    assert differs(Known(data_only), wire, run(Event(None, "b", None))) == "changed"
    assert differs(Known(Shows(type=False)), wire, run(Event(None, "a", "1"))) is None
    assert differs(Known(Shows(last_event_id=False)), wire, run(Event("x", "a", None))) is None


def test_a_state_that_is_not_shown_is_not_compared():
    wire = b"id: 1\nretry: 5\ndata: a\n\n"
    assert differs(Known(), wire, run(Event("message", "a", "1"), last_event_id="9", retries=("9",))) is None


def test_ignored_state_is_not_compared():
    target = Known(Shows(end_last_event_id=True, retry="updates"))
    wire = b"id: 1\nretry: 5\ndata: a\n\n"
    got = run(Event("message", "a", "1"), last_event_id="1", retries=())
    assert differs(target, wire, got) == "state"
    assert differs(target, wire, got, ignores=frozenset({"retry"})) is None
    got = run(Event("message", "a", "1"), last_event_id="2", retries=("5",))
    assert differs(target, wire, got, ignores=frozenset({"id"})) is None


# Reconnection times ---------------------------------------------------------------------------------------------------

RETRIES = b"retry: 10\n\nretry: 05\nretry: x\nretry: 7\n\ndata: a\n\n"


def test_updates_are_all_compared_in_order():
    target = Known(Shows(retry="updates"))
    assert differs(target, RETRIES, run(A, retries=("10", "5", "7"))) is None
    for wrong in ((), ("7",), ("10", "7"), ("5", "10", "7"), ("10", "05", "7")):
        assert differs(target, RETRIES, run(A, retries=wrong)) == "state"


@pytest.mark.parametrize("start", [None, "3000"])
def test_of_a_state_the_last_time_counts(start):
    target = Known(Shows(retry="state", retry_start=start))
    assert differs(target, RETRIES, run(A, retries=("7",))) is None
    assert differs(target, RETRIES, run(A, retries=("10", "5", "7"))) == "state"
    assert differs(target, RETRIES, run(A, retries=("3000",))) == "state"


def test_a_state_that_nothing_set_is_the_one_at_the_start():
    wire = b"retry: x\ndata: a\n\n"
    assert differs(Known(Shows(retry="state")), wire, run(A, retries=())) is None
    assert differs(Known(Shows(retry="state")), wire, run(A, retries=("0",))) == "state"
    assert differs(Known(Shows(retry="state", retry_start="3000")), wire, run(A, retries=("3000",))) is None
    assert differs(Known(Shows(retry="state", retry_start="3000")), wire, run(A, retries=())) == "state"


def event_run(*retries: str | None) -> Run:
    return Run([Delivery(A, 1, retry) for retry in retries])


def test_a_time_on_events_is_that_of_the_block_or_none_or_the_one_in_force():
    target = Known(Shows(retry="event"))
    wire = b"data: a\n\nretry: 5\ndata: a\n\ndata: a\n\n"
    assert differs(target, wire, event_run(None, "5", None)) is None
    assert differs(target, wire, event_run(None, "5", "5")) is None
    for wrong in (("5", "5", None), (None, None, None), (None, "6", None), (None, "5", "6")):
        assert differs(target, wire, event_run(*wrong)) == "state"
    assert differs(target, wire, event_run(None, None, None), ignores=frozenset({"retry"})) is None


def test_a_block_without_data_leaves_its_time_in_force():
    target = Known(Shows(retry="event"))
    wire = b"retry: 5\n\ndata: a\n\n"
    assert differs(target, wire, event_run(None)) is None
    assert differs(target, wire, event_run("5")) is None
    assert differs(target, wire, event_run("6")) == "state"


# JSON -----------------------------------------------------------------------------------------------------------------


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def test_data_shown_as_json_is_compared_as_json():
    target = Known(Shows(data="json"))
    wire = 'data: {"b": 1,  "a": "你"}\n\n'.encode()
    assert differs(target, wire, run(Event("message", canonical({"a": "你", "b": 1}), ""))) is None
    assert differs(target, wire, run(Event("message", canonical({"a": "你"}), ""))) == "changed"


def test_data_that_is_no_json_stays_text():
    target = Known(Shows(data="json"))
    assert differs(target, b"data: [DONE]\n\n", run(Event("message", canonical("[DONE]"), ""))) is None
    assert differs(target, b"data:\n\n", run(Event("message", canonical(""), ""))) is None


def test_who_takes_nothing_but_json_is_asked_nothing_else():
    target = Known(Shows(data="json", json_only=True))
    assert expect(target, b"data: a\n\n") is None
    assert expect(target, b"data: 1\n\ndata:\n\n") is None
    assert expect(target, b"data: 1\n\ndata: unfinished\n") is not None
    assert expect(target, b'data: {"a":\ndata: 1}\n\n') is not None


def test_json_that_python_cannot_read_is_no_json():
    target = Known(Shows(data="json", json_only=True))
    for data in (b"[" * 200_000, b"9" * 5000):
        assert expect(target, b"data: " + data + b"\n\n") is None
        assert expect(Known(Shows(data="json")), b"data: " + data + b"\n\n") is not None


# What targets declare -------------------------------------------------------------------------------------------------


def test_text_targets_are_given_no_mark_at_the_start():
    wire = b"\xef\xbb\xbfdata: a\n\n"
    assert expect(Known(takes="text"), wire) is None
    assert expect(Known(takes="lines"), wire) is None
    assert expect(Known(), wire) is not None
    assert expect(Known(takes="text"), b"\n" + wire) is not None


def test_beyond_a_declared_size_a_target_may_raise_and_never_lose():
    target = Known(size_limit=20)
    wire = b"data: a\n\ndata: " + b"b" * 30 + b"\n\n"
    long = Event("message", "b" * 30, "")
    assert differs(target, wire, run(A, long)) is None
    assert differs(target, wire, run(A, failure=ValueError())) is None
    assert differs(target, wire, run(failure=ValueError())) is None
    assert differs(target, wire, run(A)) == "lost"
    assert differs(target, wire, run(A, Event("message", "b" * 20, ""))) == "changed"
    assert differs(target, wire, run(B, failure=ValueError())) == "changed"
    assert differs(target, wire, run(A, long, B, failure=ValueError())) == "changed"
    assert differs(target, wire, run(A, failure=SystemExit())) == "raised"
    assert differs(target, wire, run(A, failure=TargetHung())) == "hung"
    assert differs(target, b"data: a\n\n", run(failure=ValueError())) == "raised"


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"], ids=["LF", "CR", "CRLF"])
def test_a_declared_size_is_that_of_one_event_and_not_of_the_stream(end):
    target = Known(size_limit=56)
    short = b"data: " + b"a" * 14 + end * 2
    # An event is twenty bytes and a blank line, and no longer for what stands around it. The bound is a generous one:
    # every line end counts as CRLF, and the blank lines that follow in a row count with the event behind them.
    event = Event("message", "a" * 14, "")
    assert differs(target, short * 5, run(*[event] * 5)) is None
    assert differs(target, short * 5, run(event, failure=ValueError())) == "raised"
    assert differs(target, short + b":" + end + end * 4 + short, run(event, failure=ValueError())) == "raised"
    assert differs(target, short + b"data: " + b"b" * 51, run(event, failure=ValueError())) is None
    several = (b"data: aaaaaaaa" + end) * 4 + end
    assert differs(target, several, run(failure=ValueError())) is None, "the lines of an event count together"


STRICT = Known(strict_utf8=True)


def test_who_declares_it_may_raise_on_ill_formed_utf_8():
    wire = b"data: a\n\ndata: \xff\n\ndata: b\n\n"
    replaced = Event("message", "\ufffd", "")
    assert differs(STRICT, wire, run(A, failure=UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"))) is None
    assert differs(STRICT, wire, run(failure=ValueError())) is None
    assert differs(STRICT, wire, run(A, replaced, B)) is None
    assert differs(STRICT, wire, run(A, B)) == "lost"
    assert differs(STRICT, wire, run(A, Event("message", "", ""), B)) == "changed"
    assert differs(STRICT, wire, run(B, failure=ValueError())) == "changed"
    assert differs(STRICT, wire, run(A, failure=SystemExit())) == "raised"
    assert differs(Known(), wire, run(A, failure=ValueError())) == "raised"


def test_who_declares_it_may_not_raise_on_well_formed_utf_8():
    assert differs(STRICT, "data: 你\n\n".encode(), run(failure=ValueError())) == "raised"


def test_a_text_target_sees_no_ill_formed_utf_8():
    target = Known(strict_utf8=True, takes="text")
    assert differs(target, b"data: \xff\n\n", run(failure=ValueError())) == "raised"


@pytest.mark.parametrize("wire", [b"data: a\n\n:\xff\n", b"data: a\n\nx: \xe4\n\n", b"data: a\n\ndata: \xe4\xbd"])
def test_who_never_decodes_what_is_thrown_away_is_right_too(wire):
    assert differs(STRICT, wire, run(A)) is None
    assert differs(STRICT, wire, run(A, failure=ValueError())) is None
    assert differs(Known(strict_utf8=True, has_end=False), wire, run(A)) is None


class ValuesDecodedStrictly(Target):
    """Cuts the bytes into lines, and decodes what it needs of them alone: strict, and right."""

    name = "values decoded strictly"
    strict_utf8 = True

    def run(self, chunks: Sequence[bytes]) -> Run:
        wire = b"".join(chunks).removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        parser, found = ReferenceParser(), Run()
        for line in wire.split(b"\n")[:-1]:
            name, _, value = line.partition(b":")
            if name in (b"data", b"event", b"id"):
                try:
                    value.decode()
                except UnicodeDecodeError as error:
                    found.failure = error
                    return found
            text = line if name in (b"", b"data", b"event", b"id", b"retry") else b":"
            found.deliveries += [Delivery(event, len(chunks)) for event in parser.feed(text + b"\n")]
        return found


JUDGING_STRICT = [rule for rule in RULES if rule.layer in ("bytes", "text") and "script" not in rule.needs]


@pytest.mark.parametrize("rule", JUDGING_STRICT, ids=lambda rule: rule.id)
def test_a_parser_that_decodes_values_strictly_and_says_so_passes(rule):
    result = check_rule(rule, ValuesDecodedStrictly(), effort=SOME, seed="1", watch=Watch())
    assert result.status == "held", result.counterexample


# A CR at the end, for who is never told that it is the end ------------------------------------------------------------


@pytest.mark.parametrize("tail", [b"", b"\xe4", b"\xe4\xbd", b"\xf0\x9f\x99", b"\xef\xbb"])
def test_a_line_that_ends_in_the_last_cr_may_be_held_without_an_end(tail):
    wire = b"data: a\n\ndata: b\n\r" + tail
    held = Known(has_end=False)
    assert differs(held, wire, run(A, B)) is None
    assert differs(held, wire, run(A)) is None
    assert differs(held, wire, run()) == "lost"
    assert differs(Known(), wire, run(A)) == "lost"


@pytest.mark.parametrize("tail", [b"\n", b":", b"\xff", b"\xe4\xbd\xa0", b"\xe4a", b"\0"])
def test_no_line_is_held_once_more_of_the_stream_is_known(tail):
    wire = b"data: b\n\r" + tail
    assert differs(Known(has_end=False), wire, run()) == "lost"


def test_the_state_of_a_held_line_may_be_held_too():
    target = Known(Shows(end_last_event_id=True, retry="updates"), has_end=False)
    wire = b"retry: 1\nid: 1\n\rretry: 2\r"
    assert differs(target, wire, run(last_event_id="1", retries=("1", "2"))) is None
    assert differs(target, wire, run(last_event_id="1", retries=("1",))) is None
    assert differs(target, wire, run(last_event_id="", retries=("1",))) == "state"
    assert differs(target, b"id: 1\n\r", run(last_event_id="", retries=())) is None


# What is shown --------------------------------------------------------------------------------------------------------


def test_a_record_holds_what_the_target_shows_and_no_more():
    expectation = expect(Known(Shows(type=False, end_last_event_id=True)), b"id: 1\ndata: a\n\n")
    assert expectation is not None
    assert expectation.record() == OutcomeRecord((EventRecord(None, "a", "1"),), "1", None, "")


def test_a_record_shows_the_time_of_the_block_or_else_the_one_in_force():
    expectation = expect(Known(Shows(retry="event")), b"data: a\n\nretry: 5\ndata: a\n\ndata: a\n\n")
    assert expectation is not None
    assert [event.retry for event in expectation.record().events] == [None, "5", "5"]


def test_a_record_says_that_a_target_may_raise():
    expectation = expect(STRICT, b"data: \xff\n\n")
    assert expectation is not None
    assert "exception" in expectation.record().failure


class Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit("no text")


def test_a_record_of_a_run_holds_the_failure_as_text():
    assert record_of_run(run(A, failure=ValueError("no"))).failure == "ValueError: no"
    assert record_of_run(run(failure=SystemExit(3))).failure == "SystemExit: 3"
    assert record_of_run(run(failure=Mute())).failure == "Mute: (its text cannot be had: SystemExit)"


def test_what_is_no_text_is_shown_as_python_writes_it():
    got = run(Event(1, b"a", None))  # type: ignore[arg-type]
    assert record_of_run(got).events == (EventRecord("1", "b'a'", None),)


def test_a_run_is_compared_with_no_more_than_it_has():
    expectation = Expectation(interpret(b"data: a\n\n"), Shows(retry="event"))
    assert expectation.differs(Run()) == "lost"
    assert expectation.differs(event_run(None, None)) == "extra"


def test_long_text_of_an_exception_is_cut():
    shown = record_of_run(run(failure=ValueError("x" * 1_000_000))).failure
    assert shown.startswith("ValueError: xxx")
    assert shown.endswith("x (and 990,000 characters more)")


def test_who_declares_a_deviation_may_hold_one_cr_and_no_more():
    target = Known(has_end=False, deviations=("bom-not-stripped",))
    expectation = expect(target, b"\xef\xbb\xbfdata: a\r\rdata: b\r\r")
    assert expectation.deviates
    assert expectation.differs(run(B)) is None
    assert expectation.differs(run()) is None
    more = expect(target, b"\xef\xbb\xbfdata: a\r\rdata: b\r\r\r")
    assert more.differs(run(B)) is None
    assert more.differs(run()) == "lost"
    assert expect(target, b"\xef\xbb\xbfdata: a\r\rdata: b\r\r", may_hold=False).differs(run()) == "lost"


def test_many_crs_at_the_end_are_no_matter_of_depth():
    target = Known(has_end=False, deviations=("bom-not-stripped",))
    assert expect(target, b"\xef\xbb\xbfdata: a\r\rdata: b" + b"\r" * 5000).differs(run(B)) is None
