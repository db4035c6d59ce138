"""Parsers that are odd but right.

Each module is a parser as a stranger would write it in a project of their own: it imports nothing of ours, and
shares no code with another one. Each conforms to the standard; what is odd is how it is fed, what it shows, or when.
The suite must pass every one of them, and `tests/test_gallery_is_right.py` proves against the oracle, with drivers of
its own, that they are right.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["EACH_KIND", "GALLERY", "Odd"]


@dataclass(frozen=True)
class Odd:
    """One parser of the gallery.

    ``declared`` is what its owner has to declare, since no calibration could know it: ``{"size_limit": bytes}`` or
    ``{"empty_chunk": "end"}``. ``expects_info`` says in free text which choice left open it makes, what it does not
    show, or what is easily misread in it.
    """

    name: str
    attribute: str
    oddity: str
    declared: dict[str, object] = field(default_factory=dict)
    expects_info: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The file of the module."""
        return Path(__file__).parent / f"{self.name}.py"

    @property
    def target(self) -> str:
        """What follows `--target=`, whatever the folder of invocation."""
        return f"{self.path}:{self.attribute}"

    def load(self) -> Any:
        """The parser itself: a class or a function."""
        return getattr(importlib.import_module(f".{self.name}", __package__), self.attribute)


_HOLDS = "holds a bare CR for one chunk"
_FOR_EVER = "holds a bare CR for ever: no end of input can be told"

GALLERY: list[Odd] = [
    Odd("holds_bare_cr", "Parser", "A CR at the end of a chunk waits for the next one or for `close`.", {}, (_HOLDS,)),
    Odd("holds_bare_cr_for_ever", "StreamParser", "Holds a bare CR, and has no end call at all.", {}, (_FOR_EVER,)),
    Odd("splits_bytes_first", "iter_events", "Splits bytes at line ends, then decodes each line by itself."),
    Odd("returns_tuples", "EventParser", "`push` returns a list of (type, data, id) tuples; no end call."),
    Odd("tuples_in_other_order", "parse", "Yields (id, data, event) tuples."),
    Odd("tuple_of_tuples", "Feeder", "`feed` returns a tuple of (type, data, id) tuples."),
    Odd("returns_dicts", "Decoder", "`decode` returns dicts, with the retry of the event's own block."),
    Odd("strings_only", "stream_data", "Yields the data as str, nothing else.", {}, ("shows data only",)),
    Odd("one_reused_event", "events", "Yields one event object again and again, and spoils its data afterwards."),
    Odd("comment_and_retry_items", "iter_items", "Yields comments and retries as items of other tuple classes."),
    Odd("two_ids", "SSEDecoder", "Events show the id of their own block (or None) and a last event ID as well."),
    Odd("json_strict", "JSONStream", "An iterable whose data is decoded JSON; other data raises.", {}, ("JSON only",)),
    Odd("json_or_text", "Client", "Data is decoded JSON where it can be, else text.", {}, ("1 and text 1 look alike",)),
    Odd("awaits_inside", "aiter_events", "An async generator that awaits within and between lines."),
    Odd("awaits_threads", "threaded_events", "An async generator that reads in worker threads of its loop."),
    Odd("thread_of_the_module", "receive", "Reads in one thread, which the module starts and keeps."),
    Odd("async_list", "fetch_events", "An async function over an async iterable that returns all events at the end."),
    Odd("async_reader", "AsyncReader", "An object with __aiter__ and __anext__, made from an async iterable."),
    Odd("async_feed", "AsyncParser", "A class whose `feed` and `close` are coroutines."),
    Odd("events_never_drained", "EventCollector", "`write` returns None; `events` grows and nobody drains it."),
    Odd("events_method_drains", "Connection", "`receive_data`, then `events()`, which drains."),
    Odd("events_property_drains", "Inbox", "`events` is a property, and to read it is to drain it."),
    Odd("next_event_none", "Parser", "`next_event()` until None; `finish`; ids as `lastEventId`."),
    Odd("next_event_need_data", "Connection", "`next_event()` until a sentinel class, as in h11."),
    Odd("write_returns_length", "EventWriter", "`write` returns a length; events go to the constructor's `on_event`."),
    Odd("feed_with_callback", "Feeder", "`feed(chunk, callback)`; events are mappings that are no dicts."),
    Odd("callback_positional", "Tokenizer", "The constructor's `handler` is called with (type, data, id)."),
    Odd("text_without_mark", "parse_text", "Over str chunks; leaves the mark to the decoder.", {}, ("takes text",)),
    Odd("text_with_mark", "TextParser", "`feed` takes str, and strips the mark itself.", {}, ("takes text",)),
    Odd("context_manager_only", "EventStream", "Fed within a `with` block, whose end is its only end.", {}, (_HOLDS,)),
    Odd("finished_list", "parse", "A function that reads everything and returns a list."),
    Odd("keeps_chunks_in_a_list", "ChunkKeeper", "Keeps chunks as a list, joins at a line end; returns iterators."),
    Odd(
        "size_limit",
        "BoundedParser",
        "Raises ValueError for a line or an event of more than 70,000 bytes.",
        {"size_limit": 70_000},
    ),
    Odd(
        "empty_chunk_ends",
        "Protocol",
        'Documents `receive_data(b"")` as the end, and raises when fed after it.',
        {"empty_chunk": "end"},
        (_HOLDS,),
    ),
    Odd("one_or_many", "Pusher", "`push` returns None, one event, or a list of several."),
    Odd("retry_timedelta", "EventSource", "`retry` is a timedelta on the parser, 3 s at first.", {}, ("clamps retry",)),
    Odd(
        "retry_seconds",
        "StreamDecoder",
        "`reconnect_delay` in float seconds, None at first; `decode(chunk, final=False)`.",
        {},
        ("shows retry as infinity beyond 308 digits",),
    ),
    Odd(
        "retry_empty_is_zero",
        "Source",
        "Reads an empty retry as 0, which the standard leaves open.",
        {},
        ("empty retry is 0", "clamps retry"),
    ),
    Odd("none_for_default", "read_events", "None stands for the default type and for the empty id."),
    Odd("camel_case", "EventStreamParser", "camelCase throughout; shows `reconnectionTime`.", {}, ("clamps retry",)),
    Odd("lazy_feed", "LazyParser", "`feed` is a generator: nothing is read before it is iterated over."),
    Odd(
        "namedtuple_events",
        "parse",
        "Named tuples in the order data, event, id, retry.",
        {},
        ("retry is the one in force, as text, with its leading zeros",),
    ),
    Odd("reader_iterable", "Reader", "An iterator class with __next__, made from the chunks."),
    Odd("events_on_object", "SSEClient", "An object made from the chunks, with `.events()`.", {}, ("clamps retry",)),
    Odd("optional_init_args", "Parser", "Four optional arguments, one of them a last event ID to start from."),
    Odd("keys_missing", "sse", "Dicts without the keys for a default type or an empty id."),
    Odd("data_as_bytes", "RawParser", "Type, data and id are bytes, ill-formed sequences replaced."),
    Odd("prints_and_warns", "OldParser", "Prints to stdout and stderr, and warns, while it parses."),
    Odd("global_counters", "parse", "Counts in module globals; each event has a number unlike any other's."),
    Odd("flush_returns_nothing", "Sink", "`flush` returns None and is the only end; events go to a `callback`."),
    Odd("text_io_wrapper", "read_sse", "Reads lines through io.TextIOWrapper.", {}, (_HOLDS,)),
    Odd("data_is_the_event", "Messages", "An event is a str, its data, with type and id as attributes."),
    Odd(
        "finish_and_close",
        "Parser",
        "`finish` ends the input, `close` gives up; a second end raises.",
        {},
        (_HOLDS, "to call close alone loses the held CR"),
    ),
    Odd("flush_then_close", "Parser", "`flush` ends the input, and `close` only frees.", {}, (_HOLDS,)),
    Odd("falsy_events", "Parser", "Events with empty data are false, and equal any event with the same data."),
    Odd("lazy_properties", "events", "Events work out type, data and id when they are read."),
]

#: One of each kind: when a CR is held, what comes back, how it is read, what is fed, what is shown, what is declared.
EACH_KIND = {
    "holds_bare_cr",
    "holds_bare_cr_for_ever",
    "splits_bytes_first",
    "returns_tuples",
    "returns_dicts",
    "strings_only",
    "one_reused_event",
    "comment_and_retry_items",
    "two_ids",
    "json_strict",
    "awaits_inside",
    "events_never_drained",
    "write_returns_length",
    "text_without_mark",
    "context_manager_only",
    "finished_list",
    "keeps_chunks_in_a_list",
    "retry_seconds",
    "size_limit",
    "empty_chunk_ends",
}
