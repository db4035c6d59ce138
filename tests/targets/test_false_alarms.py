"""Right parsers in forms that once failed: each of them delivers what it should, and nothing else is judged."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chunkproof.judge import expect
from chunkproof_targets.contract import Event, Run, Target, TargetError, TargetHung
from chunkproof_targets.loading import load_target
from chunkproof_targets.reference import ReferenceParser

from .bases import Base, assert_right, events_of, load

TIMES = (
    b"data: a\n\n",
    b"retry: 3000\ndata: b\n\n",
    b"data: c\n\n",
    b"retry: 10\n\n",
    b"data: d\n\n",
    b"retry: 3000\n\ndata: e\n\n",
)


class Times(ReferenceParser):
    """The reference, with the time that each event's own block set."""

    def __init__(self) -> None:
        super().__init__()
        self.own: str | None = None

    def set_retry(self, digits: str) -> None:
        super().set_retry(digits)
        self.own = digits

    def emit(self, event: Event) -> None:
        self._events.append((event, self.own, self.retries[-1] if self.retries else None))  # type: ignore[arg-type]

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.own = None


@dataclass
class Timed:
    data: str | None
    event: str
    id: str
    retry: Any = 3000


def timed(start: Any, *, in_force: bool) -> Callable[[Iterable[bytes]], Iterator[Timed]]:
    def events(chunks: Iterable[bytes]) -> Iterator[Timed]:
        parser = Times()
        for chunk in chunks:
            for (type_, data, last_id), own, force in parser.feed(chunk):  # type: ignore[str-unpack]
                time = force if in_force else own
                yield Timed(data, type_, last_id, start if time is None else int(time))

    return events


def assert_fits(target: Target, *chunks: bytes) -> Run:
    run = target.run(list(chunks))
    expectation = expect(target, b"".join(chunks))
    assert expectation is not None
    assert expectation.differs(run) is None
    return run


@pytest.mark.parametrize("in_force", [False, True])
@pytest.mark.parametrize("start", [3000, -1, 0, None])
def test_start_value_on_events_is_none(start: Any, in_force: bool) -> None:
    target = assert_right(load(timed(start, in_force=in_force)))
    assert target.shows.retry == "event"
    assert assert_fits(target, TIMES[0]).deliveries[0].retry is None
    # A block that sets the start value itself shows it, and nobody can see where it is from.
    assert assert_fits(target, *TIMES).deliveries[1].retry == (None if start == 3000 else "3000")


def test_wrong_time_beside_a_start_value_is_seen() -> None:
    target = load(timed(3000, in_force=True))
    wire = b"retry: 77\ndata: a\n\n"
    expectation = expect(target, wire)
    assert expectation is not None
    assert expectation.differs(target.run([b"data: a\n\n"])) == "state"


def test_times_that_differ_before_any_is_set_are_not_shown() -> None:
    def events(chunks: Iterable[bytes]) -> Iterator[Timed]:
        for at, event in enumerate(timed(0, in_force=False)(chunks)):
            event.retry = event.retry or 100 + at
            yield event

    assert assert_right(load(events)).shows.retry is None


class Commenting(ReferenceParser):
    """The reference, with None for each comment."""

    def comment(self, line: str) -> None:
        self._events.append(None)  # type: ignore[arg-type]


def heartbeats(chunks: Iterable[bytes]) -> Iterator[Event]:
    parser = Commenting()
    for chunk in chunks:
        yield from (Event(None, None, None) if event is None else event for event in parser.feed(chunk))


def test_event_class_without_data_for_comments_is_no_event() -> None:
    assert_right(load(heartbeats))


class HeldBase(Base):
    """``events`` holds what the last feed completed, and stays as it is until the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.held: Any = ()

    def feed(self, chunk: bytes) -> None:
        if chunk:
            self.held = tuple(self._events(chunk))

    def close(self) -> None:
        pass


class HeldMethod(HeldBase):
    def events(self) -> Any:
        return self.held


class HeldCopies(HeldBase):
    def events(self) -> Any:
        return [dict(event._asdict()) for event in self.held]


class HeldTuple(HeldBase):
    @property
    def events(self) -> Any:
        return self.held


class HeldDeque(HeldBase):
    def __init__(self) -> None:
        super().__init__()
        self.queue: deque[Any] = deque()

    @property
    def events(self) -> Any:
        return self.queue

    def feed(self, chunk: bytes) -> None:
        super().feed(chunk)
        if chunk:
            self.queue = deque(self.held)


class Taken(HeldBase):
    def feed(self, chunk: bytes) -> None:
        self.held += tuple(self._events(chunk))

    def take_events(self) -> Any:
        held, self.held = self.held, ()
        return list(held)


@pytest.mark.parametrize("parser", [HeldMethod, HeldCopies, HeldTuple, HeldDeque, Taken])
def test_events_that_stay_until_the_next_feed_come_once(parser: Any) -> None:
    assert_right(load(parser))


class Answers:
    """Any attribute that it is asked for, None where it holds none."""

    def __init__(self, **values: Any) -> None:
        self.__dict__["_values"] = values

    def __getattr__(self, name: str) -> Any:
        return self._values.get(name)


class Answering(Base):
    def feed(self, chunk: bytes) -> list[Answers]:
        return [Answers(event=e.type, data=e.data, id=e.last_event_id) for e in self._events(chunk)]


class AnsweringOne(Base):
    def feed(self, chunk: bytes) -> Iterator[Answers]:
        for e in self._events(chunk):
            yield Answers(event=e.type, data=e.data, id=e.last_event_id)


@pytest.mark.parametrize("parser", [Answering, AnsweringOne])
def test_events_that_answer_every_attribute(parser: Any) -> None:
    assert_right(load(parser))


class NeedData:
    pass


class Asked(Base):
    def __init__(self) -> None:
        super().__init__()
        self.queue: list[Event] = []

    def receive_data(self, chunk: bytes) -> None:
        self.queue += self._events(chunk)

    def next_event(self) -> Any:
        return self.queue.pop(0) if self.queue else NeedData()


def test_new_object_for_nothing_each_time() -> None:
    assert_right(load(Asked))


class InLoop(Base):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.get_running_loop()

    async def feed(self, chunk: bytes) -> list[Event]:
        await asyncio.sleep(0)
        return self._events(chunk)

    async def close(self) -> None:
        assert self.loop is asyncio.get_running_loop()


def test_parser_that_is_made_in_a_running_loop() -> None:
    assert_right(load(InLoop))


@dataclass
class Discarded:
    data: str


class Calibrated:
    """No `Discarded` in calibration, whose streams hold nothing unfinished."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.chunks = [*chunks]

    def __iter__(self) -> Iterator[Any]:
        yield from events_of(self.chunks)
        if not b"".join(self.chunks).endswith(b"\n\n"):
            yield Discarded("left")


def test_unrelated_class_with_data_is_no_event() -> None:
    target = load(Calibrated)
    assert [d.event.data for d in target.run([b"data: a\n\ndata: b"]).deliveries] == ["a"]


class OwnId(ReferenceParser):
    """The reference, whose events show the ID of their own block."""

    def __init__(self) -> None:
        super().__init__()
        self.own: str | None = None

    def field_id(self, value: str) -> None:
        super().field_id(value)
        self.own = value if "\0" not in value else self.own

    def emit(self, event: Event) -> None:
        self._events.append({"event": event.type, "data": event.data, "id": self.own})  # type: ignore[arg-type]

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.own = None


def test_own_ids_on_events_are_not_judged_beside_the_string_on_the_parser() -> None:
    target = assert_right(load(OwnId))
    assert not target.shows.last_event_id
    assert target.shows.end_last_event_id
    assert target.run([b"id: 3\ndata: a\n\ndata: b\n\n"]).last_event_id == "3"


def decimals(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for event in events_of(chunks):
        yield {"event": event.type, "data": json.loads(event.data, parse_float=Decimal), "id": event.last_event_id}


def test_decimal_in_decoded_json_is_a_number() -> None:
    assert_fits(load(decimals), b'data: {"a":[1,1.50,1e400,0.1]}\n\n')


class Raises(str):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = str.__hash__


class Equal(str):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class AllEqual:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


@pytest.mark.parametrize("text", [Raises, Equal])
def test_text_with_a_comparison_of_its_own(text: Any) -> None:
    def events(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        for e in events_of(chunks):
            yield {"id": text(e.last_event_id), "data": text(e.data), "event": text(e.type)}

    target = assert_right(load(events))
    assert target.shows.type
    assert target.shows.last_event_id


def test_what_equals_everything_shows_nothing() -> None:
    def events(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        for e in events_of(chunks):
            yield {"type": AllEqual(), "id": Equal("x"), "retry": AllEqual(), "data": e.data}

    target = assert_right(load(events))
    assert not target.shows.type
    assert not target.shows.last_event_id
    assert target.shows.retry is None


def test_events_without_end_are_a_verdict() -> None:
    def events(chunks: Iterable[bytes]) -> Iterator[Event]:
        for event in events_of(chunks):
            yield event
            while event.data == "again":
                yield event

    run = load(events).run([b"data: again\n\n"])
    assert isinstance(run.failure, TargetHung)
    assert "more events than bytes" in str(run.failure)


def test_address_is_not_called_with_chunks() -> None:
    called = []

    def connect(url: Any) -> Any:
        called.append(url)
        return events_of(url)

    with pytest.raises(TargetError, match="shows no event"):
        load(connect)
    assert called == []


class TimesOfChunks(ReferenceParser):
    """The reference, whose events show the time in force when their chunk was read."""

    def feed(self, chunk: bytes) -> list[Any]:  # type: ignore[override]
        events = super().feed(chunk)
        time = int(self.retries[-1]) if self.retries else 3000
        return [Timed(e.data, e.type or "", e.last_event_id or "", time) for e in events]


def test_time_of_the_chunk_on_its_events_is_not_judged() -> None:
    target = assert_right(load(TimesOfChunks))
    assert target.shows.retry != "event"


class OnlyLines:
    def decode(self, line: str) -> None:
        return None


def test_parameter_called_line_is_told() -> None:
    with pytest.raises(TargetError, match=r"decode\(line\) looks as if it is fed whole lines"):
        load(OnlyLines)


def test_function_that_wants_a_list_is_told_how() -> None:
    def parse(chunks: Any) -> list[Event]:
        return [*events_of(chunks[at] for at in range(len(chunks)))]

    with pytest.raises(TargetError, match=r"original\(list\(chunks\)\)"):
        load(parse)
    assert_right(load(lambda chunks: parse(list(chunks))))


def test_folder_called_like_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(TargetError, match=r"is a folder\. Name a file in it: --target=\./folder\.py/file\.py"):
        load_target("./folder.py", folder=tmp_path)


def test_records_and_exceptions_are_not_offered_as_parsers(tmp_path: Path) -> None:
    text = (
        "from dataclasses import dataclass\nfrom enum import Enum\n\n\nclass Wrong(ValueError):\n    pass\n\n\n"
        "class Kind(Enum):\n    A = 1\n\n\n@dataclass\nclass Record:\n    data: str\n\n\ndef start(a, b):\n    pass\n"
    )
    (tmp_path / "offered_names.py").write_text(text)
    with pytest.raises(TargetError) as caught:
        load_target("./offered_names.py", folder=tmp_path)
    assert "offered_names.py:start" in str(caught.value)
    for name in ("Wrong", "Kind", "Record"):
        assert name not in str(caught.value)
