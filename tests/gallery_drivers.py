"""How each parser of the gallery is driven, by hand: nothing here comes from `chunkproof_targets.shapes`.

A driver feeds chunks, tells the end of input where there is a way to, and gives back what it saw in comparable form.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import io
import json
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

__all__ = ["DRIVERS", "NOT_SHOWN", "Chunks", "Seen", "Triple"]

Chunks = list[bytes]
Triple = tuple[Any, Any, Any]
Show = Callable[[Any], Triple]
NOT_SHOWN: Any = ...

# What comes back, as type, data and last event ID ---------------------------------------------------------------


def attrs(*names: str) -> Show:
    return lambda item: tuple(getattr(item, name) for name in names)


def keys(*names: str) -> Show:
    return lambda item: tuple(item[name] for name in names)


def as_json(show: Show) -> Show:
    """Decoded data back as canonical text, under a mark of its own."""

    def shown(item: Any) -> Triple:
        kind, data, ident = show(item)
        return kind, ("json", json.dumps(data, sort_keys=True)), ident

    return shown


# How it is driven -----------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What a driver saw: events, and None or what the parser shows of the state at the end."""

    events: list[Triple]
    last_event_id: str | None = None
    retry: str | None = None
    retries: list[str] | None = None
    event_retries: list[str | None] | None = None


Drive = Callable[[Any, Chunks], Seen]
State = Callable[[Any], dict[str, Any]]


def pull(show: Show) -> Drive:
    return lambda function, chunks: Seen([show(item) for item in function(iter(chunks))])


def push(feed: str, show: Show, *, end: str | None = None, state: State | None = None) -> Drive:
    """A method that returns the events of a chunk, and perhaps one that ends the input and returns more."""

    def drive(make: Any, chunks: Chunks) -> Seen:
        parser = make()
        events = [show(item) for chunk in chunks for item in getattr(parser, feed)(chunk)]
        if end:
            events += [show(item) for item in getattr(parser, end)() or ()]
        return Seen(events, **(state(parser) if state else {}))

    return drive


def read_after(feed: str, read: Callable[[Any], Iterable[Any]], show: Show, end: str | None = None) -> Drive:
    """A method that returns nothing; events are fetched after each chunk and after the end."""

    def drive(make: Any, chunks: Chunks) -> Seen:
        parser = make()
        events = []
        for chunk in chunks:
            assert getattr(parser, feed)(chunk) is None
            events += [show(item) for item in read(parser)]
        if end:
            getattr(parser, end)()
            events += [show(item) for item in read(parser)]
        return Seen(events)

    return drive


def drive_write_length(make: Any, chunks: Chunks) -> Seen:
    events: list[Triple] = []
    writer = make(on_event=lambda item: events.append(keys("event", "data", "id")(item)))
    for chunk in chunks:
        assert writer.write(chunk) == len(chunk)
    writer.close()
    return Seen(events)


def drive_feed_callback(make: Any, chunks: Chunks) -> Seen:
    events: list[Triple] = []
    parser = make()
    for chunk in chunks:
        parser.feed(chunk, lambda item: events.append(keys("type", "data", "last_event_id")(item)))
    return Seen(events)


def drive_positional(make: Any, chunks: Chunks) -> Seen:
    events: list[Triple] = []
    parser = make(lambda kind, data, ident: events.append((kind, data, ident)))
    for chunk in chunks:
        parser.push(chunk)
    parser.end()
    return Seen(events)


def drive_sink(make: Any, chunks: Chunks) -> Seen:
    events: list[Triple] = []
    sink = make(lambda item: events.append(attrs("type", "data", "id")(item)))
    for chunk in chunks:
        sink.write(chunk)
    sink.flush()
    return Seen(events)


def drive_accumulator(make: Any, chunks: Chunks) -> Seen:
    parser = make()
    for chunk in chunks:
        parser.write(chunk)
    parser.finish()
    return Seen([keys("type", "data", "id")(item) for item in parser.events], last_event_id=parser.last_event_id)


def drive_with_block(make: Any, chunks: Chunks) -> Seen:
    with make() as stream:
        for chunk in chunks:
            stream.write(chunk)
    return Seen([keys("event", "data", "id")(item) for item in stream.events])


def drive_empty_ends(make: Any, chunks: Chunks) -> Seen:
    return push("receive_data", attrs("event", "data", "id"))(make, [*filter(None, chunks), b""])


def drive_one_or_many(make: Any, chunks: Chunks) -> Seen:
    parser = make()
    events = []
    for chunk in chunks:
        result = parser.push(chunk)
        several = result if isinstance(result, list) else [] if result is None else [result]
        events += [attrs("type", "data", "id")(item) for item in several]
    return Seen(events)


def drive_items(function: Any, chunks: Chunks) -> Seen:
    items = list(function(chunks))
    messages = [item for item in items if type(item).__name__ == "Message"]
    retries = [item.milliseconds.lstrip("0") or "0" for item in items if type(item).__name__ == "Retry"]
    return Seen([tuple(item) for item in messages], retries=retries)


def drive_dicts(make: Any, chunks: Chunks) -> Seen:
    parser = make()
    items = [item for chunk in chunks for item in parser.decode(chunk)]
    retries = [None if item["retry"] is None else str(item["retry"]) for item in items]
    return Seen([keys("event", "data", "id")(item) for item in items], event_retries=retries)


def drive_client(make: Any, chunks: Chunks) -> Seen:
    client = make(iter(chunks))
    items = list(client.events())
    retries = [None if item.retry is None else str(item.retry) for item in items]
    return Seen([attrs("event", "data", "id")(item) for item in items], event_retries=retries)


def drive_named_tuples(function: Any, chunks: Chunks) -> Seen:
    """Its retries are those in force: see the test of its own below."""
    return Seen([attrs("event", "data", "id")(item) for item in function(chunks)])


def text_of(chunks: Chunks) -> list[Any]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [*map(decoder.decode, chunks), decoder.decode(b"", True)]


def over_text(drive: Drive) -> Drive:
    return lambda make, chunks: drive(make, text_of(chunks))


def quietly(drive: Drive) -> Drive:
    def quiet(make: Any, chunks: Chunks) -> Seen:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            with contextlib.redirect_stderr(io.StringIO()):
                return drive(make, chunks)

    return quiet


def finish(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that awaits nothing but `sleep(0)`: no event loop is needed."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value


async def slowly(chunks: Chunks) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def async_pull(show: Show, run: Callable[[Coroutine[Any, Any, Any]], Any] | None = None) -> Drive:
    """By hand, or by ``run`` where the parser needs an event loop."""

    async def collect(make: Any, chunks: Chunks) -> list[Triple]:
        return [show(item) async for item in make(slowly(chunks))]

    return lambda make, chunks: Seen((run or finish)(collect(make, chunks)))


def drive_async_list(function: Any, chunks: Chunks) -> Seen:
    return Seen([attrs("event", "data", "id")(item) for item in finish(function(slowly(chunks)))])


def drive_async_feed(make: Any, chunks: Chunks) -> Seen:
    async def feed_all() -> list[Any]:
        parser = make()
        fed = [await parser.feed(chunk) for chunk in chunks]
        return [item for items in [*fed, await parser.close()] for item in items]

    return Seen([attrs("type", "data", "id")(item) for item in finish(feed_all())])


def until(last: str | None) -> Callable[[Any], Iterator[Any]]:
    """`next_event()` until None, or until a thing of that name."""

    def read(parser: Any) -> Iterator[Any]:
        while (item := parser.next_event()) is not None and getattr(item, "__name__", "") != last:
            yield item

    return read


def milliseconds(value: timedelta) -> str:
    return str(value // timedelta(milliseconds=1))


def last_id(parser: Any) -> dict[str, Any]:
    return {"last_event_id": parser.last_event_id}


T, E = attrs("type", "data", "id"), attrs("event", "data", "id")

DRIVERS: dict[str, Drive] = {
    "holds_bare_cr": push("feed", T, end="close"),
    "holds_bare_cr_for_ever": push("feed", E),
    "splits_bytes_first": pull(E),
    "returns_tuples": push("push", tuple),
    "tuples_in_other_order": pull(lambda item: (item[2], item[1], item[0])),
    "tuple_of_tuples": push("feed", tuple),
    "returns_dicts": drive_dicts,
    "strings_only": pull(lambda item: (NOT_SHOWN, item, NOT_SHOWN)),
    "one_reused_event": pull(T),
    "comment_and_retry_items": drive_items,
    "two_ids": push("decode", attrs("event", "data", "last_event_id"), state=last_id),
    "json_strict": pull(as_json(E)),
    "json_or_text": push("feed", as_json(keys("event", "data", "id"))),
    "awaits_inside": async_pull(attrs("type", "data", "last_event_id")),
    "awaits_threads": async_pull(E, asyncio.run),
    "thread_of_the_module": pull(attrs("type", "data", "last_event_id")),
    "async_list": drive_async_list,
    "async_reader": async_pull(E),
    "async_feed": drive_async_feed,
    "events_never_drained": drive_accumulator,
    "events_method_drains": read_after("receive_data", lambda parser: parser.events(), E),
    "events_property_drains": read_after("feed", lambda parser: parser.events, T),
    "next_event_none": read_after("feed", until(None), attrs("type", "data", "lastEventId"), "finish"),
    "next_event_need_data": read_after("receive_data", until("NEED_DATA"), T),
    "write_returns_length": drive_write_length,
    "feed_with_callback": drive_feed_callback,
    "callback_positional": drive_positional,
    "text_without_mark": over_text(pull(T)),
    "text_with_mark": over_text(push("feed", keys("event", "data", "id"), end="close")),
    "context_manager_only": drive_with_block,
    "finished_list": pull(keys("type", "data", "last_event_id")),
    "keeps_chunks_in_a_list": push("feed", T, end="close"),
    "size_limit": push("feed", attrs("type", "data", "last_event_id"), end="close"),
    "empty_chunk_ends": drive_empty_ends,
    "one_or_many": drive_one_or_many,
    "retry_timedelta": push(
        "feed", T, state=lambda p: {"retry": milliseconds(p.retry), "last_event_id": p.last_event_id}
    ),
    "retry_seconds": push(
        "decode",
        E,
        state=lambda p: {"retry": None if p.reconnect_delay is None else f"{p.reconnect_delay * 1000:.0f}"},
    ),
    "retry_empty_is_zero": push(
        "push",
        attrs("event", "data", "last_event_id"),
        end="end",
        state=lambda p: {"retry": str(p.retry), "last_event_id": p.last_event_id},
    ),
    "none_for_default": pull(lambda item: (item.type or "message", item.data, item.id or "")),
    "camel_case": push(
        "feed",
        attrs("type", "data", "lastEventId"),
        state=lambda p: {"retry": str(p.reconnectionTime), "last_event_id": p.lastEventId},
    ),
    "lazy_feed": push("feed", T, end="close"),
    "namedtuple_events": drive_named_tuples,
    "reader_iterable": pull(attrs("type", "data", "lastEventId")),
    "events_on_object": drive_client,
    "optional_init_args": push("feed", T, state=last_id),
    "keys_missing": pull(lambda item: (item.get("event", "message"), item["data"], item.get("id", ""))),
    "data_as_bytes": push("receive_data", lambda item: (item.type.decode(), item.data.decode(), item.id.decode())),
    "prints_and_warns": quietly(push("feed", T, end="close")),
    "global_counters": pull(T),
    "flush_returns_nothing": drive_sink,
    "text_io_wrapper": pull(E),
    "data_is_the_event": push(
        "feed",
        lambda item: (item.type, str(item), item.last_event_id),
        state=last_id,
    ),
    "finish_and_close": push("feed", E, end="finish"),
    "flush_then_close": push("feed", E, end="flush"),
    "falsy_events": read_after("receive_data", until(None), attrs("type", "data", "last_event_id")),
    "lazy_properties": pull(T),
}
