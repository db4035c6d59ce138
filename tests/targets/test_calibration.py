"""What calibration learns: which fields a target shows and how, which items are events, and how times are shown."""

from __future__ import annotations

import json
from collections import ChainMap, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from chunkproof.oracle import interpret
from chunkproof_targets.calibration import SAMPLES
from chunkproof_targets.contract import Event, Run, Target
from chunkproof_targets.published import fetch_loop, parser_a, parser_b, parser_c, parser_d, strict_reader
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt
from chunkproof_targets.texts import canonical_json
from chunkproof_targets.times import digits_of

TWO = [b"event: a\nid: 3\ndata: x\n\n", b"data: y\n\n"]


class Full(ReferenceParser):
    """The reference, which also hands out comments and times as they come, and knows the id of each block."""

    def __init__(self) -> None:
        super().__init__()
        self.block_id: str | None = None
        self.block_retry: str | None = None

    def field_id(self, value: str) -> None:
        super().field_id(value)
        self.block_id = value

    def field_retry(self, value: str) -> None:
        before = len(self.retries)
        super().field_retry(value)
        if len(self.retries) > before:
            self.block_retry = self.retries[-1]
            self._events.append(("retry", self.retries[-1]))  # type: ignore[arg-type]

    def comment(self, line: str) -> None:
        self._events.append(("comment", line[1:].strip()))  # type: ignore[arg-type]

    def emit(self, event: Event) -> None:
        self._events.append(("event", event, self.block_id, self.block_retry))  # type: ignore[arg-type]

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.block_id = self.block_retry = None


def items(chunks: Any) -> Iterator[tuple[Any, ...]]:
    """("event", event, id of the block, time of the block), ("comment", text), ("retry", digits)."""
    parser = Full()
    for chunk in chunks:
        yield from parser.feed(chunk)


def target_of(
    event: Callable[..., Any],
    retry: Callable[[str], Any] = lambda digits: None,
    comment: Callable[[str], Any] = lambda text: None,
) -> Target:
    """A target that makes an item of each event, time and comment; None makes none."""
    make = {"event": event, "retry": retry, "comment": comment}

    def parse(chunks):
        for kind, *values in items(chunks):
            item = make[kind](*values)
            if item is not None:
                yield item

    return adapt(parse, name="it", found="a test")


def events(run: Run) -> list[Event]:
    assert run.failure is None, run.failure
    return [delivery.event for delivery in run.deliveries]


# which fields --------------------------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "data event")


@dataclass
class Message:
    event: str | None
    data: str
    id: str | None = None
    comment: str | None = None
    retry: int | None = None


def test_names_of_all_kinds() -> None:
    for make in (
        lambda e, i, r: SimpleNamespace(type=e.type, data=e.data, lastEventId=e.last_event_id),
        lambda e, i, r: {"event": e.type, "data": e.data, "id": e.last_event_id},
        lambda e, i, r: (e.last_event_id, e.data, e.type),
        lambda e, i, r: SimpleNamespace(event_type=e.type, payload=e.data, event_id=e.last_event_id),
        lambda e, i, r: SimpleNamespace(zebra=e.type, yak=e.data, xerus=e.last_event_id),
        lambda e, i, r: SimpleNamespace(name=e.type.encode(), data=e.data.encode(), id=e.last_event_id.encode()),
    ):
        target = target_of(make)
        assert events(target.run(TWO)) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_none_and_empty_are_the_default_type_and_the_empty_id() -> None:
    for nothing in (None, ""):
        target = target_of(
            lambda e, i, r, nothing=nothing: Message(
                nothing if e.type == "message" else e.type, e.data, e.last_event_id or nothing
            )
        )
        assert events(target.run([b"data: x\n\n"])) == [Event("message", "x", "")]


def test_keys_that_are_missing_where_nothing_is_set() -> None:
    def make(e: Event, i: str | None, r: str | None) -> dict[str, str]:
        item = {"data": e.data or ""}
        if e.type != "message":
            item["event"] = e.type or ""
        if e.last_event_id:
            item["id"] = e.last_event_id
        return item

    target = target_of(make)
    assert events(target.run([b"data: x\n\n", *TWO])) == [
        Event("message", "x", ""),
        Event("a", "x", "3"),
        Event("message", "y", "3"),
    ]


def test_data_alone() -> None:
    target = target_of(lambda e, i, r: e.data)
    assert not target.shows.type
    assert not target.shows.last_event_id
    assert events(target.run(TWO)) == [Event(None, "x", None), Event(None, "y", None)]


def test_empty_data_as_an_item_of_its_own_is_an_event() -> None:
    target = target_of(lambda e, i, r: e.data)
    assert events(target.run([b"data\n\n"])) == [Event(None, "", None)]


def test_subclass_of_str_as_data() -> None:
    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "something else"

    found = events(target_of(lambda e, i, r: Text(e.data)).run(TWO))
    assert found == [Event(None, "x", None), Event(None, "y", None)]
    assert type(found[0].data) is str


def test_subclass_of_str_with_attributes() -> None:
    class Text(str):
        event: str | None
        id: str | None

    def make(e: Event, i: str | None, r: str | None) -> Any:
        text = Text(e.data)
        text.event, text.id = (e.type if e.type != "message" else None), e.last_event_id
        # Where nothing is to be said beyond the data, it is a plain str.
        return text if e.type != "message" or e.last_event_id else str(text)

    target = target_of(make)
    assert (target.shows.type, target.shows.data, target.shows.last_event_id) == (True, "text", True)
    wire = [b": c\n\ndata: w\n\n", *TWO]
    assert events(target.run(wire)) == [Event("message", "w", ""), Event("a", "x", "3"), Event("message", "y", "3")]


def test_namedtuple_in_any_order() -> None:
    target = target_of(lambda e, i, r: Pair(e.data, e.type))
    assert events(target.run(TWO)) == [Event("a", "x", None), Event("message", "y", None)]


def test_last_event_id_counts_beside_a_block_id() -> None:
    target = target_of(lambda e, i, r: SimpleNamespace(id=i, data=e.data, event=e.type, last_event_id=e.last_event_id))
    assert [event.last_event_id for event in events(target.run(TWO))] == ["3", "3"]


def test_id_of_the_block_alone_is_shown_and_judged() -> None:
    target = target_of(lambda e, i, r: Message(e.type, e.data, i))
    assert target.shows.last_event_id
    assert [event.last_event_id for event in events(target.run(TWO))] == ["3", ""]


def test_one_object_used_again_and_spoiled() -> None:
    item = SimpleNamespace()

    def make(e: Event, i: str | None, r: str | None) -> Any:
        item.__dict__.update(type=e.type, data=e.data, id=e.last_event_id)
        return item

    assert events(target_of(make).run(TWO)) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_state_of_the_reference() -> None:
    target = adapt(ReferenceParser, name="it", found="a test")
    assert target.shows.end_last_event_id
    assert target.shows.retry == "updates"
    run = target.run([b"id: 7\nretry: 010\n\nretry: 20\nid: 8\n"])
    assert run.last_event_id == "7"
    assert run.retries == ("10", "20")


def test_id_attribute_of_a_parser_is_no_end_state() -> None:
    class Parser(ReferenceParser):
        @property
        def id(self):
            return self.last_event_id

        def __getattribute__(self, name):
            if name == "retries_shown":
                raise AttributeError(name)
            return super().__getattribute__(name)

    class Hidden:
        def __init__(self):
            self._parser = ReferenceParser()
            self.id = ""

        def feed(self, chunk):
            found = self._parser.feed(chunk)
            self.id = self._parser.last_event_id
            return found

    assert not adapt(Hidden, name="it", found="a test").shows.end_last_event_id
    assert adapt(Parser, name="it", found="a test").shows.end_last_event_id


# which items ---------------------------------------------------------------------------------------------------------

Comment = namedtuple("Comment", "text")
CommentData = namedtuple("CommentData", "data")
Retry = namedtuple("Retry", "milliseconds")


def whole(e: Event, i: str | None, r: str | None) -> Message:
    return Message(e.type, e.data or "", e.last_event_id)


@pytest.mark.parametrize("comment", [Comment, CommentData, str, lambda text: {"comment": text}, lambda text: (text,)])
def test_comments_of_another_class_are_no_events(comment: Callable[[str], Any]) -> None:
    target = target_of(whole, comment=comment)
    assert events(target.run([b": c\n\n", *TWO, b": d\n"])) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_comments_of_the_same_class_without_data_are_no_events() -> None:
    target = target_of(whole, comment=lambda text: Message(None, None, None, comment=text))  # type: ignore[arg-type]
    assert events(target.run([b": c\n\n", *TWO])) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_items_of_one_class_told_apart_by_a_tag() -> None:
    class Kind(Enum):
        EVENT = 1
        COMMENT = 2
        RETRY = 3

    for tags in (("event", "comment", "retry"), (Kind.EVENT, Kind.COMMENT, Kind.RETRY)):
        for wrap in (lambda *values: values, lambda *values: dict(zip("kdtr", values, strict=False))):
            target = target_of(
                lambda e, i, r, tags=tags, wrap=wrap: wrap(tags[0], e.data, e.type),
                comment=lambda text, tags=tags, wrap=wrap: wrap(tags[1], text, ""),
                retry=lambda digits, tags=tags, wrap=wrap: wrap(tags[2], digits, ""),
            )
            run = target.run([b": c\n\n", *TWO, b"retry: 5\n\n"])
            assert events(run) == [Event("a", "x", None), Event("message", "y", None)]
            assert target.shows.retry == "updates"
            assert run.retries == ("5",)


def test_item_of_a_class_that_calibration_did_not_see_counts_if_it_holds_data() -> None:
    class Done(SimpleNamespace):
        pass

    def make(e: Event, i: str | None, r: str | None) -> Any:
        done = Done(event=e.type, data=e.data, id=e.last_event_id)
        return done if e.data == "[DONE]" else whole(e, i, r)

    assert events(target_of(make).run([*TWO, b"data: [DONE]\n\n"]))[2] == Event("message", "[DONE]", "3")


def test_event_with_data_none_is_an_event_that_is_wrong() -> None:
    target = target_of(lambda e, i, r: Message(e.type, e.data or None, e.last_event_id))  # type: ignore[arg-type]
    assert events(target.run([b"data\n\n"])) == [Event("message", None, "")]


def test_values_of_a_wrong_class_are_shown_as_what_they_are() -> None:
    target = target_of(lambda e, i, r: Message(e.type, 5 if e.data == "5" else e.data, e.last_event_id))  # type: ignore[arg-type]
    assert events(target.run([b"data: 5\n\n"])) == [Event("message", "<int: 5>", "")]


def test_parser_that_leaves_a_blank_in_its_data_is_judged() -> None:
    target = target_of(lambda e, i, r: Message(e.type, f" {e.data}", e.last_event_id))
    assert events(target.run([b"data: x\n\n"])) == [Event("message", " x", "")]


# JSON ----------------------------------------------------------------------------------------------------------------


def test_json_data_that_cannot_be_other() -> None:
    target = target_of(lambda e, i, r: Message(e.type, json.loads(e.data or ""), e.last_event_id))
    assert target.shows.data == "json"
    assert target.shows.json_only
    wire = 'data: {"b": [1, null], "a": "你"}\n\n'.encode()
    assert events(target.run([wire])) == [Event("message", canonical_json({"a": "你", "b": [1, None]}), "")]


def test_json_data_where_it_can_be() -> None:
    def make(e: Event, i: str | None, r: str | None) -> Message:
        try:
            return Message(e.type, json.loads(e.data or ""), e.last_event_id)
        except ValueError:
            return whole(e, i, r)

    target = target_of(make)
    assert target.shows.data == "json"
    assert not target.shows.json_only
    assert events(target.run([b"data: plain\n\ndata: 1\n\n"])) == [
        Event("message", '"plain"', ""),
        Event("message", "1", ""),
    ]


def test_json_that_drops_what_is_none() -> None:
    def parse(chunks):
        for kind, *values in items(chunks):
            if kind == "event" and values[0].data.startswith("{"):
                yield json.loads(values[0].data), values[0].type

    target = adapt(parse, name="it", found="a test")
    assert target.shows.json_only


# times ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "show", [int, str, lambda d: int(d) / 1000, lambda d: timedelta(milliseconds=int(d)), lambda d: Decimal(d) / 1000]
)
def test_times_of_all_kinds(show: Callable[[str], Any]) -> None:
    as_items = target_of(whole, retry=lambda digits: Retry(show(digits)))
    assert as_items.shows.retry == "updates"
    assert as_items.run([b"retry: 7\n\nretry: 0\nretry: 15001\n"]).retries == ("7", "0", "15001")

    as_values = target_of(whole, retry=show)
    assert as_values.shows.retry == "updates"
    assert as_values.run([b"retry: 7\n\nretry: 15001\n"]).retries == ("7", "15001")

    on_events = target_of(
        lambda e, i, r: Message(e.type, e.data, e.last_event_id, None, None if r is None else show(r))
    )
    assert on_events.shows.retry == "event"
    run = on_events.run([b"data: x\n\nretry: 15001\ndata: y\n\n"])
    assert [d.retry for d in run.deliveries] == [None, "15001"]

    class Parser:
        def __init__(self):
            self._parser = ReferenceParser()
            self.reconnection_time = show("3000")

        def feed(self, chunk):
            found = self._parser.feed(chunk)
            if self._parser.retries:
                self.reconnection_time = show(self._parser.retries[-1])
            return found

    on_parser = adapt(Parser, name="it", found="a test")
    assert on_parser.shows.retry == "state"
    assert on_parser.shows.retry_start == "3000"
    assert on_parser.run([b"data: x\n\n"]).retries == ("3000",)
    assert on_parser.run([b"retry: 7\nretry: 15001\n"]).retries == ("15001",)


def test_times_of_any_length_do_not_raise() -> None:
    digits = "9" * 20_000
    assert digits_of(10**20_000 - 1, "ms") == digits
    assert digits_of(digits, "ms") == digits
    assert digits_of(10**20_000 - 1, "seconds") == digits + "000"
    for value in (float("inf"), float("nan"), Decimal("1e999999"), object(), -5, "abc", b"12", 1.5, True):
        assert isinstance(digits_of(value, "ms"), str)
        assert isinstance(digits_of(value, "seconds"), str)


def test_seconds_as_float_lose_nothing_below_two_to_the_31() -> None:
    for milliseconds in (1, 10, 999, 1001, 2**31 - 1, 123_456_789):
        assert digits_of(milliseconds / 1000, "seconds") == str(milliseconds)


# targets that are known ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parser", [parser_a, parser_b, parser_c, parser_d, strict_reader, fetch_loop])
def test_published_parsers_show_their_data(parser: Any) -> None:
    target = adapt(parser, name="it", found="a test")
    assert target.takes == "bytes"
    assert not target.returns_list
    assert [e.data for e in events(target.run([b"data: x\n\n", b"data: y\n\n"]))] == ["x", "y"]
    assert (target.shows.type, target.shows.last_event_id, target.shows.retry) == (False, False, None)


def test_streams_are_what_the_standard_reads_in_them() -> None:
    for sample in SAMPLES:
        found = interpret(b"".join(sample.chunks))
        assert [event.data for event in found.events] == [event.data for event in sample.events]
        for got, expected in zip(found.events, sample.events, strict=True):
            assert got.type == (expected.type or "message")
            assert expected.id in (None, got.last_event_id)
            json.loads(expected.data)


def test_attributes_that_dir_does_not_list() -> None:
    class Proxy:
        __slots__ = ("_values",)

        def __init__(self, **values):
            self._values = values

        def __getattr__(self, name):
            try:
                return self._values[name]
            except KeyError:
                raise AttributeError(name) from None

    target = target_of(lambda e, i, r: Proxy(event=e.type, data=e.data, id=e.last_event_id))
    assert events(target.run(TWO)) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_objects_that_are_read_by_key_and_are_no_mapping() -> None:
    class Row:
        def __init__(self, **values):
            self._values = values

        def keys(self):
            return list(self._values)

        def __getitem__(self, name):
            return self._values[name]

    target = target_of(lambda e, i, r: Row(event=e.type, data=e.data, id=e.last_event_id))
    assert events(target.run(TWO)) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_mapping_returned_alone() -> None:
    class Parser(ReferenceParser):
        def feed(self, chunk):  # type: ignore[override]
            found = [ChainMap(event._asdict()) for event in super().feed(chunk)]
            return found if len(found) > 1 else found[0] if found else None

    target = adapt(Parser, name="it", found="a test")
    assert events(target.run(TWO)) == [Event("a", "x", "3"), Event("message", "y", "3")]


def test_items_as_lists() -> None:
    target = target_of(lambda e, i, r: [e.data, e.type])
    assert events(target.run(TWO)) == [Event("a", "x", None), Event("message", "y", None)]


def test_frozen_slots_and_classes_by_type() -> None:
    @dataclass(frozen=True, slots=True)
    class Base:
        type: str
        data: str
        id: str

    @dataclass(frozen=True, slots=True)
    class Named(Base):
        pass

    class Late(Base):
        pass

    def make(e: Event, i: str | None, r: str | None) -> Any:
        cls = Late if e.type == "late" else Named if e.type != "message" else Base
        return cls(e.type or "", e.data or "", e.last_event_id or "")

    found = events(target_of(make).run([*TWO, b"event: late\ndata: z\n\n"]))
    assert found == [Event("a", "x", "3"), Event("message", "y", "3"), Event("late", "z", "3")]
