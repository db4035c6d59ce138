"""Failures, text and lines, and what cannot be used as a target."""

from __future__ import annotations

import codecs
import warnings
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from chunkproof_targets.contract import Event, Run, Target, TargetError
from chunkproof_targets.declared import declare
from chunkproof_targets.reference import ReferenceParser

from .bases import Base, assert_right, events_of, load

# failures ------------------------------------------------------------------------------------------------------------


def failing(error: BaseException) -> Any:
    def parse(chunks):
        for event in events_of(chunks):
            yield event
            if event.data == "bad":
                raise error

    return parse


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(1), GeneratorExit(), KeyboardInterrupt(), StopAsyncIteration()]
)
def test_any_exception_is_a_failure_with_the_events_before_it(error: BaseException) -> None:
    run = load(failing(error)).run([b"data: x\n\n", b"data: bad\n\ndata: y\n\n"])
    assert run.failure is error
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("x", 1), ("bad", 2)]


def test_failure_of_a_push_parser_keeps_the_events_before_it() -> None:
    class Parser(Base):
        def feed(self, chunk):
            for event in self._events(chunk):
                yield event
                if event.data == "bad":
                    raise StopIteration

        def close(self):
            raise AssertionError("told the end after a failure")

    run = load(Parser, end="none").run([b"data: x\n\ndata: bad\n\ndata: y\n\n"])
    assert isinstance(run.failure, RuntimeError)
    assert [d.event.data for d in run.deliveries] == ["x", "bad"]


def test_failure_of_the_end_is_a_failure() -> None:
    class Parser(Base):
        feed = Base._events

        def close(self):
            raise StopIteration

    class Managed(Base):
        feed = Base._events

        def __enter__(self):
            return self

        def __exit__(self, *args):
            raise StopIteration

    for cls in (Parser, Managed):
        run = load(cls).run([b"data: x\n\n"])
        assert isinstance(run.failure, StopIteration), cls
        assert len(run.deliveries) == 1, cls


def test_property_that_raises_is_a_failure_of_the_target() -> None:
    class Lazy:
        def __init__(self, event):
            self._event = event

        @property
        def data(self):
            if self._event.data == "bad":
                raise LookupError("a property of the target")
            return self._event.data

    run = load(lambda chunks: map(Lazy, events_of(chunks))).run([b"data: x\n\n", b"data: bad\n\n"])
    assert isinstance(run.failure, LookupError)
    assert [d.event.data for d in run.deliveries] == ["x"]


def test_runs_share_no_state() -> None:
    target = load(ReferenceParser)
    target.run([b"id: 7\nevent: a\ndata: unfinished"])
    run = target.run([b"data: x\n\n"])
    assert [d.event for d in run.deliveries] == [Event("message", "x", "")]


# text and lines ------------------------------------------------------------------------------------------------------


class TextBase:
    def __init__(self) -> None:
        self._parser = ReferenceParser()
        self._parser.decode = lambda text: text  # type: ignore[method-assign,assignment,return-value]
        self._parser.decode_end = lambda: ""  # type: ignore[method-assign]
        self.fed: list[str] = []

    def feed(self, text):
        if not isinstance(text, str):
            raise TypeError("str, please")
        self.fed.append(text)
        return self._parser.feed(text)


def test_text_push() -> None:
    target = assert_right(load(TextBase))
    assert target.takes == "text"
    assert target.shape.endswith("fed text")


def test_text_pull() -> None:
    def parse(texts):
        parser = TextBase()
        for text in texts:
            yield from parser.feed(text)

    assert assert_right(load(parse)).takes == "text"


def test_text_is_decoded_with_state_and_empty_chunks_are_sent() -> None:
    made = []

    def make():
        made.append(TextBase())
        return made[-1]

    target = load(make)
    run = target.run([b"data: \xe4", b"\xbd", b"", b"\xa0\n\n", b"\xf0"])
    assert made[-1].fed == ["data: ", "", "你\n\n", "\ufffd"]
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("你", 4)]


def test_annotation_guides_the_order_only() -> None:
    class Parser(Base):
        def feed(self, chunk: str | bytes):
            return self._events(chunk if isinstance(chunk, bytes) else chunk.encode())

    class TextFirst(Base):
        def feed(self, chunk: str):
            return self._events(chunk if isinstance(chunk, bytes) else chunk.encode())

    assert load(Parser).takes == "bytes"
    assert load(TextFirst).takes == "text"


class LineParser:
    """Fed line by line, as openai's decoder is."""

    def __init__(self):
        self._parser = ReferenceParser()

    def decode(self, line):
        assert not set(line) & {"\r", "\n"}
        self._parser.read_line(line)
        events = self._parser.take_events()
        return events[0] if events else None


def test_lines_are_never_inferred() -> None:
    with pytest.raises(TargetError, match="--chunkproof-declare takes=lines"):
        load(LineParser)


def test_declared_lines() -> None:
    target = assert_right(load(LineParser, takes="lines"))
    assert target.takes == "lines"


def test_lines_are_split_as_the_standard_says() -> None:
    lines: list[str] = []

    @declare(takes="lines")
    def parse(given):
        parser = LineParser()
        for line in given:
            lines.append(line)
            event = parser.decode(line)
            if event:
                yield event

    target = load(parse)
    lines.clear()
    run = target.run([b"\xef\xbb", b"\xbfdata: a\x0b\r", b"\n\r", b"\r\ndata: \xe2\x80\xa8\n\nrest"])
    assert lines == ["data: a\x0b", "", "", "data: \u2028", ""]
    assert [(d.event.data, d.chunks_taken) for d in run.deliveries] == [("a\x0b", 3), ("\u2028", 4)]


# what cannot be used -------------------------------------------------------------------------------------------------


def test_instance_is_refused() -> None:
    with pytest.raises(TargetError, match=r"An instance serves one stream.*--target=\S+:ReferenceParser"):
        load(ReferenceParser())


def test_class_that_needs_arguments() -> None:
    class Client:
        def __init__(self, url, timeout):
            pass

        def feed(self, chunk):
            return []

    with pytest.raises(TargetError, match=r"needs arguments: url, timeout") as caught:
        load(Client)
    assert "from your_package import Client as original" in str(caught.value)
    assert "--target=./adapter.py:target" in str(caught.value)


def test_no_event_says_what_came_back() -> None:
    class Parser:
        def feed(self, chunk):
            raise NotImplementedError("not yet")

    with pytest.raises(TargetError, match="shows no event") as caught:
        load(Parser)
    assert (
        "- class with feed, events returned, no end of input, fed bytes or text: raised NotImplementedError: not yet\n"
    ) in str(caught.value)


def test_no_event_says_what_feed_returned() -> None:
    class Parser:
        def feed(self, chunk):
            return len(chunk)

    with pytest.raises(TargetError, match=r"Parser\(\).feed\(.*\) returned 23"):
        load(Parser)


def test_parser_that_hangs_in_trial_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkproof_targets.calibration._SECONDS_MAX", 0.1)

    class Parser:
        def feed(self, chunk):
            while True:
                pass

    with pytest.raises(TargetError, match=r"raised TargetHung: it had not finished 0\.1 s after"):
        load(Parser)


def test_constructor_that_raises_is_named() -> None:
    class Parser:
        def __init__(self):
            raise OSError("no socket")

        def feed(self, chunk):
            return []

    with pytest.raises(TargetError, match="Parser raised OSError: no socket"):
        load(Parser)


def test_a_target_is_taken_as_it_is() -> None:
    class Own(Target):
        def run(self, chunks):
            return Run()

    own = Own()
    assert load(own) is own
    assert isinstance(load(Own), Own)


@dataclass
class Item:
    data: str


def test_endless_items_do_not_hang_calibration() -> None:
    def parse(chunks):
        while True:
            yield Item("x")

    with pytest.raises(TargetError, match="more than 1000 items"):
        load(parse)


def test_trial_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    class Parser(Base):
        def feed(self, chunk):
            print("fed")
            warnings.warn("old", DeprecationWarning, stacklevel=2)
            return self._events(chunk)

    load(Parser)
    assert capsys.readouterr() == ("", "")


def test_class_of_codecs_is_no_parser() -> None:
    with pytest.raises(TargetError, match="shows no event"):
        load(codecs.getincrementaldecoder("utf-8"))


def test_namespace_items() -> None:
    def parse(chunks):
        for event in events_of(chunks):
            yield SimpleNamespace(**event._asdict())

    assert_right(load(parse))
