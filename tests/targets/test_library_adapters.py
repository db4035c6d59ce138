"""The adapters of the libraries beside the libraries' own clients, and what no stream shows in an event."""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import random
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from chunkproof.oracle import interpret

from .library_models import FAILURES
from .test_libraries import LINES, chunkings, items_of, parser_of, random_stream, run

EVENT_STREAM = {"Content-Type": "text/event-stream"}


def module_of(name: str) -> Any:
    parser_of(name)
    return importlib.import_module(f"chunkproof_targets.libraries.{name.replace('-', '_')}")


def all_of(items: Callable[[], Iterable[Any]]) -> tuple[list[Any], str | None]:
    """All that comes out, and the name of the exception that ended it."""
    found: list[Any] = []
    try:
        for item in items():
            found.append(item)
    except FAILURES as error:
        return found, type(error).__name__
    return found, None


# The adapters beside the clients --------------------------------------------------------------------------------------


def test_anthropic_gives_what_raw_events_gives() -> None:
    module_of("anthropic")
    anthropic: Any = importlib.import_module("anthropic")
    http: Any = importlib.import_module("httpx2")
    rng = random.Random("anthropic")
    for _ in range(200):
        for chunks in chunkings(random_stream(rng), rng):
            response = http.Response(200, headers=EVENT_STREAM, content=iter(chunks))
            raw = all_of(lambda response=response: anthropic.Stream.raw_events(response))  # type: ignore[misc]
            ours = items_of("anthropic", chunks)
            assert ([vars(event) for event in ours[0]], ours[1]) == ([vars(event) for event in raw[0]], raw[1])


def test_mistralai_gives_what_its_client_decodes() -> None:
    module_of("mistralai")
    library: Any = importlib.import_module("mistralai.client.utils.eventstreaming")
    http: Any = importlib.import_module("httpx2")
    assert library.json is json, "the library itself is left as it is"
    rng = random.Random("mistralai")
    lines = [*LINES, 'data: {"a": ["流", 1.50, null]}', "data: 1", "data: null", 'data: "a"']
    for _ in range(200):
        for chunks in chunkings(random_stream(rng, lines), rng):
            response = http.Response(200, headers=EVENT_STREAM, content=iter(chunks))
            decoded = all_of(lambda response=response: library.EventStream(response, json.loads))  # type: ignore[misc]
            items, raised = items_of("mistralai", chunks)
            assert ([in_json(item) for item in items], raised) == decoded


def in_json(item: Any) -> dict[str, Any]:
    fields = {name: value for name, value in dataclasses.asdict(item).items() if value is not None}
    try:
        return {**fields, "data": json.loads(item.data)}
    except json.JSONDecodeError:
        return fields


def test_langgraph_gives_what_its_client_decodes() -> None:
    module = module_of("langgraph-sdk")
    client_module: Any = importlib.import_module("langgraph_sdk._sync.http")
    rng = random.Random("langgraph")
    lines = [line for line in LINES if not line.startswith("data")]
    lines += ['data: {"a": ["流", 1.50, null]}', "data: [1,", "data: 2]", "data: null", "data", "data:  "] * 3
    ends = set()
    for _ in range(300):
        for chunks in chunkings(random_stream(rng, lines), rng):

            def respond(_: Any, chunks: list[bytes] = chunks) -> Any:
                return module.httpx.Response(200, headers=EVENT_STREAM, content=iter(chunks))

            transport = module.httpx.MockTransport(respond)
            with module.httpx.Client(transport=transport, base_url="http://localhost") as http:
                client = client_module.SyncHttpClient(http)
                decoded = all_of(lambda client=client: client.stream("/runs", "GET"))  # type: ignore[misc]
            items, raised = items_of("langgraph-sdk", chunks)
            assert raised is None
            assert in_json_all(items) == decoded, chunks
            ends.add(decoded[1])
    assert ends == {None, "JSONDecodeError"}


def in_json_all(parts: list[Any]) -> tuple[list[Any], str | None]:
    decoded = []
    for part in parts:
        blank = not part.data or part.data.encode().isspace()
        try:
            decoded.append(part._replace(data=None if blank else json.loads(part.data)))
        except json.JSONDecodeError:
            return decoded, "JSONDecodeError"
    return decoded, None


def test_requests_sse_reads_a_body_of_urllib3_in_the_same_way() -> None:
    module = module_of("requests-sse")
    urllib3: Any = importlib.import_module("urllib3")
    rng = random.Random("requests")
    for _ in range(300):
        wire = random_stream(rng)
        session = Session(module, [])
        session.raw = urllib3.HTTPResponse(io.BytesIO(wire), preload_content=False)
        with module.EventSource(module._URL, session=session, on_error=module._at_end) as source:
            events, raised = all_of(lambda source=source: until(module._Ended, source))  # type: ignore[misc]
        assert (events, raised) == items_of("requests-sse", [wire])


def until(end: type[Exception], source: Iterable[Any]) -> Iterator[Any]:
    """What comes out before an exception that is expected."""
    with pytest.raises(end):
        yield from source


class Session:
    """Gives one body after the other."""

    raw: Any = None

    def __init__(self, module: Any, wires: list[bytes]) -> None:
        self.sessions = iter([module._Session([wire]) for wire in wires or [b""]])

    def request(self, **options: Any) -> Any:
        response = next(self.sessions).request(**options)
        response.raw = self.raw or response.raw
        return response


# Beside the events ----------------------------------------------------------------------------------------------------


def test_launchdarkly_retry_never_takes_effect() -> None:
    parser_of("launchdarkly-eventsource")
    module: Any = importlib.import_module("chunkproof_targets.libraries.launchdarkly")
    config: Any = importlib.import_module("ld_eventsource.config")
    delays = config.RetryDelayStrategy.default(jitter_multiplier=None)
    source = module._InMemory([b"retry: 7000\ndata: 1\n\n"])
    with module.SSEClient(source, initial_retry_delay=2, retry_delay_strategy=delays) as client:
        assert [event.data for event in client.events] == ["1"]
        assert client.next_retry_delay == 2
    assert interpret(b"retry: 7000\ndata: 1\n\n").retries == ("7000",)


def test_httpx_sse_decodes_by_the_charset_of_the_response() -> None:
    parser_of("httpx-sse")
    module: Any = importlib.import_module("chunkproof_targets.libraries.httpx_sse")
    headers = {"Content-Type": "text/event-stream; charset=iso-8859-1"}
    response = module.httpx.Response(200, headers=headers, content=iter(["data: 流\n\n".encode()]))
    assert [event.data for event in module.EventSource(response).iter_sse()] == ["æµ\x81"]


def test_httpx_sse_holds_a_line_that_ends_in_cr_until_the_next_chunk() -> None:
    taken: list[bytes] = []

    def source() -> Iterator[bytes]:
        for chunk in (b"data: 1\r\r", b": next"):
            taken.append(chunk)
            yield chunk

    assert next(parser_of("httpx-sse")(source())).data == "1"
    assert len(taken) == 2


def test_requests_sse_shows_an_empty_type_as_empty() -> None:
    items, _ = items_of("requests-sse", [b"event\ndata\n\n"])
    assert [item.type for item in items] == [""]
    assert [event.type for event in interpret(b"event\ndata\n\n").events] == ["message"]


class Stopped(Exception):
    """In place of one more reconnection."""


def reconnections(monkeypatch: pytest.MonkeyPatch, *wires: bytes) -> tuple[list[Any], list[float]]:
    """The events of one connection after the other, and the seconds of sleep between them and after the last."""
    module = module_of("requests-sse")
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == len(wires):
            raise Stopped

    monkeypatch.setattr("requests_sse.client.time.sleep", sleep)
    session = Session(module, list(wires))
    with module.EventSource(module._URL, session=session, reconnection_time=timedelta(seconds=2)) as source:
        events = list(until(Stopped, source))
    return events, slept


@pytest.mark.parametrize(("value", "seconds"), [("7000", 14), ("+7000", 14), ("7_000", 14), ("٧", 0.014), ("x", 4)])
def test_requests_sse_takes_for_a_retry_what_int_takes(
    value: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, slept = reconnections(monkeypatch, f"retry: {value}\n\n".encode())
    assert slept == [seconds], "twice the time: the standard lets a user agent wait longer"
    assert interpret(f"retry: {value}\n\n".encode()).retries == (("7000",) if value == "7000" else ())


def test_requests_sse_forgets_the_time_when_it_reconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reconnections(monkeypatch, b"retry: 7000\n\n", b": x\n")[1] == [14, 4]


def test_requests_sse_keeps_the_id_of_an_unfinished_block_when_it_reconnects(monkeypatch: pytest.MonkeyPatch) -> None:
    events, _ = reconnections(monkeypatch, b"id: 9\n", b"data: x\n\n")
    assert [(event.data, event.last_event_id) for event in events] == [("x", "9")]
    assert interpret(b"id: 9\n").last_event_id == ""


def test_langgraph_retry_never_takes_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    module = module_of("langgraph-sdk")
    client_module: Any = importlib.import_module("langgraph_sdk._sync.http")
    slept: list[float] = []
    monkeypatch.setattr("langgraph_sdk._sync.http.time.sleep", slept.append)

    def cut_off() -> Iterator[bytes]:
        yield b"id: 1\nretry: 60000\ndata: 1\n\n"
        raise module.httpx.ReadError("by the test")

    bodies: Iterator[Any] = iter([cut_off(), iter([b"data: 2\n\n"])])

    def respond(_: Any) -> Any:
        return module.httpx.Response(200, headers={**EVENT_STREAM, "Location": "/runs"}, content=next(bodies))

    with module.httpx.Client(transport=module.httpx.MockTransport(respond), base_url="http://localhost") as http:
        parts = list(client_module.SyncHttpClient(http).stream("/runs", "GET"))
    assert [part.data for part in parts] == [1, 2]
    assert len(slept) == 1
    assert slept[0] < 60


def test_mistralai_raises_on_a_retry_of_thousands_of_digits() -> None:
    wire = b"retry: " + b"9" * 4301 + b"\ndata: x\n\n"
    assert run("mistralai", [wire]) == ([], "ValueError")
    assert len(interpret(wire).events) == 1


@pytest.mark.parametrize("ends", [b"\n\r\n", b"\n\r", b"\r\n\r", b"\r\r\n"])
def test_anthropic_holds_an_event_until_a_blank_line_of_three_kinds(ends: bytes) -> None:
    assert taken_at_the_first_event(b"data" + ends) == 3


@pytest.mark.parametrize("ends", [b"\n\n", b"\r\n\n", b"\r\r", b"\r\n\r\n"])
def test_anthropic_gives_an_event_at_once_at_one_of_these(ends: bytes) -> None:
    assert taken_at_the_first_event(b"data" + ends) == 1


def taken_at_the_first_event(block: bytes) -> int:
    """The number of chunks taken, where the block comes first, a comment then, and at last an event with LF."""
    taken: list[bytes] = []

    def source() -> Iterator[bytes]:
        for chunk in (block, b": x\n", b"data: 2\n\n"):
            taken.append(chunk)
            yield chunk

    assert next(parser_of("anthropic")(source())).data == ""
    return len(taken)
