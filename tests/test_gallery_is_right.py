"""The gallery is right: each odd parser agrees with the oracle, driven by hand and not by `chunkproof_targets.shapes`.

What a parser's oddity excuses is stated here or in its driver: no end call, JSON only, no empty chunks, no mark.
"""

from __future__ import annotations

import ast
import codecs
import functools
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunkproof.oracle import interpret
from chunkproof_targets.contract import Event, Outcome

from .gallery import GALLERY, Odd
from .gallery_drivers import DRIVERS, NOT_SHOWN, Chunks, Seen, Triple

#: Reconnection times above this are clamped by some, as the standard lets them.
RETRY_EXACT_MAX = 2**31 - 2


# What is expected -----------------------------------------------------------------------------------------------


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def excused(name: str, wire: bytes) -> bool:
    """Streams that a parser is not made for."""
    if name == "text_without_mark":
        return wire.startswith(b"\xef\xbb\xbf")
    return name == "json_strict" and not all(is_json(event.data or "") for event in interpret(wire).events)


def expected_of(name: str, wire: bytes) -> Outcome:
    """By the oracle. Who can never be told the end of input cannot know what a last CR is, and does not use it.

    It is the last one too if only the beginning of a character stands behind it.
    """
    if name == "holds_bare_cr_for_ever":
        known = codecs.getincrementaldecoder("utf-8")("replace").decode(wire)
        return interpret(known.removesuffix("\r").encode())
    if name == "retry_empty_is_zero":
        return interpret_with_empty_retry(wire)
    return interpret(wire)


def interpret_with_empty_retry(wire: bytes) -> Outcome:
    """An empty retry is worth a 0 behind it: the same stream, with the choice left open made plain."""
    text = wire.decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start = "\ufeff" if wire.startswith(b"\xef\xbb\xbf") else ""
    lines[0] = lines[0].removeprefix(start)
    plain = [line.rstrip(" :") + ":0" if line in ("retry", "retry:", "retry: ") else line for line in lines]
    return interpret((start + "\n".join(plain)).encode())


def canonical(data: str | None) -> tuple[str, str]:
    """What the drivers give for data that a parser decodes as JSON, or leaves as text if it is none."""
    text = data or ""
    return "json", json.dumps(json.loads(text) if is_json(text) else text, sort_keys=True)


def matches(shown: Triple, event: Event) -> bool:
    expected = (event.type, canonical(event.data) if isinstance(shown[1], tuple) else event.data, event.last_event_id)
    return all(ours is NOT_SHOWN or ours == theirs for ours, theirs in zip(shown, expected, strict=True))


def small(digits: str | None) -> bool:
    return digits is None or (len(digits) < 11 and int(digits) <= RETRY_EXACT_MAX)


def difference(seen: Seen, expected: Outcome) -> str:
    """In what the two differ; empty if they agree."""
    if len(seen.events) != len(expected.events) or not all(map(matches, seen.events, expected.events)):
        return f"events {seen.events} and not {list(expected.events)}"
    if seen.last_event_id not in (None, expected.last_event_id):
        return f"last event ID {seen.last_event_id!r} and not {expected.last_event_id!r}"
    if seen.retries is not None and seen.retries != list(expected.retries):
        return f"retries {seen.retries} and not {list(expected.retries)}"
    last = expected.retries[-1] if expected.retries else None
    if seen.retry is not None and last is not None and small(last) and seen.retry != last:
        return f"retry {seen.retry} and not {last}"
    for ours, (own, _) in zip(seen.event_retries or (), expected.event_retries, strict=False):
        if small(own) and ours != own:
            return f"retry {ours} of an event and not {own}"
    return ""


# The streams ----------------------------------------------------------------------------------------------------

SHARP: dict[str, tuple[bytes, ...]] = {
    "bytes": (
        "data: 流式🙂👩‍👩‍👧\n\n".encode(),
        b"data: \xf0\x9f\n\ndata: \xed\xa0\x80\xc0\x80\xff\n\nda\xe4ta: x\ndata: \xe4\xbd:\xe4\n\n",
        b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\ndata: \xef\xbb\xbf\n\n",
        b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n",
        b"\xef\xbb\xbf\n\xef\xbb\xbf\ndata: a\n\n",
        b"\n\xef\xbb\xbfdata: a\n\ndata: b\n\n",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"\xef\xbbdata: a\n\ndata: b\n\n",
        b"\xff\xfed\0a\0\n\ndata: a\n\n",
        b"data: a\0b\nevent: \0\n: \0\nda\0ta: x\n\n",
        "data: e\u0301 é \ufffe \U0010ffff\n\n".encode(),
        b"data: a\n\ndata: \xe4\xbd",
        b"\xef\xbb\xbf\r\n\r\ndata: a\r\r",
    ),
    "lines": (
        b"data: a\r\ndata: b\rdata: c\ndata: d\n\r\ndata: e\r\r\ndata: f\r\n\rdata: g\n\n\r\r\n",
        b"data: a\r\n\r\ndata: b\r\rdata: c\n\n",
        b"data: a\r\ndata: b\r\n\n",
        "data: a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei\u0085j\n\n".encode() + b"data: \x85\n\n",
        b" \ndata: a\n \n\t\n\n",
        b"data: a\n\ndata: b\n",
        b"data: a\r\r",
        b"data: a\r",
        b"\n\r\n\r\r\n\n\ndata: a\n\n\n\n",
    ),
    "fields": (
        b"data:a\ndata: b\ndata:  c\ndata:\td\ndata: e \n\n",
        b"data\ndata:\ndata: \n\ndata\n\ndata:\n\n",
        b"event\nid\nretry\ndata\n\n:\n::\n: data: x\ndata: a:b: c\n\n",
        b"Data: x\n data: x\ndata : x\ndatax: x\ndat: x\nDATA: x\ndata: a\nids: 4\nevents: n\n\n",
        b"data: a\nid: 1\nevent: t\n\nid: 2\nid: 3\nevent: u\nevent: v\ndata: b\n\n",
        b"data: \ndata: a\ndata:\n\n",
    ),
    "dispatch": (
        b"event: x\n\ndata: a\n\nevent: y\ndata: b\n\ndata: c\n\n",
        b"event: x\nevent:\ndata: a\n\nevent:  X \ndata: b\n\n",
        b"retry: 5\n\n: c\n\nid: 7\n\ndata: a\n\n",
        b"data: x\n\n" * 300,
        b"data: [DONE]\n\n",
    ),
    "ids": (
        b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: 2\n\ndata: d\n\nid: 3\ndata: e\n",
        b"id: 1\nid: a\0b\ndata: a\n\nid: \0\n\ndata: b\n\nid:  2 \ndata: c\n\n",
    ),
    "retry": (
        b"retry: 05\nretry: +6\nretry: 7 \nretry: 8.0\nretry: 1e3\nretry: 1_000\nretry: -5\ndata: a\n\n",
        "retry: ٣\nretry: ²\nretry: 10\nretry: x\nretry:\ndata: a\n\ndata: b\n\nretry: 12\n".encode(),
        b"retry: " + b"9" * 5000 + b"\ndata: a\n\n",
        b"retry: " + b"0" * 5000 + b"3\ndata: a\n\n",
        b"retry: " + "٣".encode() * 5000 + b"\ndata: a\n\n",
        b"retry: 2147483648\nretry: 3000000000000000000000\ndata: a\n\nretry: 0\ndata: b\n\n",
    ),
    "end": (b"", b"\n", b"\r", b"\r\n", b"data: a", b"data: a\n", b"id: 1\n", b"id: 1\n\nid: 2\nretry: 4\n", b":"),
    "json": (
        b'data: {"a": "\xe6\xb5\x81\xf0\x9f\x99\x82"}\n\ndata: [1,\ndata: 2]\n\ndata: null\n\ndata: 1\n\ndata: ""\n\n',
        b"event: e\nid: 1\ndata: 0\n\ndata: -1.5e3\n\ndata: false\n\ndata: {}\n\ndata: []\n\n",
    ),
}

ENDS = [b"\n", b"\n", b"\r", b"\r\n", b"\n\n", b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r", b"\r\n\r"]
NAMES = [b"data", b"data", b"data", b"id", b"event", b"retry", b"", b"Data", b"id "]
VALUES = [
    *(b"", b"1", b"x", b"05", b"7 ", b"0", b" ", b"a:b", b"\t", b"\0", b"[DONE]", b'{"a":1}', "流🙂".encode()),
    *(b"\xef\xbb\xbf", b"\xe4\xbd", b"\xa0", b"\xf0\x9f\x99", b"\xed\xa0\x80", b"\xff", b"\xc2\x85", b"\xe2\x80\xa8"),
]
TOKENS = [
    *(b"data", b"id", b"event", b"retry", b":", b" ", b"\r", b"\n", b"\r\n", b"\0", b"\t", b"1", b"05", b"x"),
    *(b"\xef\xbb\xbf", b"\xef", b"\xbb", b"\xbf", b"\xe4", b"\xbd", b"\xa0", b"\xf0\x9f", b"\x99\x82"),
    *(b"\xed\xa0\x80", b"\xc0", b"\xff", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0b", b"[DONE]"),
]
JSON_LINES = [
    *(b"data: 1", b'data: "\xe4\xbd\xa0"', b'data:{"a":\ndata\ndata: [1,2]}', b"id: 1", b"event: e", b": c"),
    *(b"id", b"event", b"retry: 5", b'data: "\xf0\x9f"', b"other: 3"),
    *(b"id: 2\0", b"event:  f"),
]


def cut(wire: bytes, cuts: list[int]) -> Chunks:
    edges = [0, *sorted(cuts), len(wire)]
    return [wire[a:b] for a, b in itertools.pairwise(edges)]


def chunkings(wire: bytes, source: random.Random) -> list[Chunks]:
    """Whole, bytewise, and one random plan, in which a repeated cut is an empty chunk."""
    cuts = [source.randint(0, len(wire)) for _ in range(source.randint(0, 6))]
    return [[wire], [wire[i : i + 1] for i in range(len(wire))], cut(wire, cuts)]


def random_wire(source: random.Random) -> bytes:
    """Lines and stray tokens in a row, so that each may fall into any other."""
    wire = b"\xef\xbb\xbf" if source.random() < 0.1 else b""
    for _ in range(source.randint(1, 12)):
        if source.random() < 0.3:
            wire += source.choice(TOKENS)
        else:
            colon = source.choice((b":", b": ", b": ", b":  ", b""))
            wire += source.choice(NAMES) + colon + source.choice(VALUES) + source.choice(ENDS)
    return wire


def random_json_wire(source: random.Random) -> bytes:
    mark = b"\xef\xbb\xbf" if source.random() < 0.1 else b""
    lines = source.choices(JSON_LINES, k=source.randint(1, 8))
    return mark + b"".join(line + source.choice(ENDS) for line in lines)


@functools.cache
def streams(count: int, seed: int, make: Callable[[random.Random], bytes]) -> list[tuple[bytes, list[Chunks]]]:
    source = random.Random(seed)
    wires = [make(source) for _ in range(count)]
    return [(wire, chunkings(wire, source)) for wire in wires]


def check(odd: Odd, wire: bytes, chunks: Chunks) -> int:
    """The number of events, or a failure that says all."""
    expected = expected_of(odd.name, wire)
    try:
        wrong = difference(DRIVERS[odd.name](odd.load(), chunks), expected)
    except Exception as error:
        wrong = f"raised {error!r}"
    assert not wrong, f"{odd.name} fed {chunks} shows {wrong}"
    return len(expected.events)


each = pytest.mark.parametrize("odd", GALLERY, ids=lambda odd: odd.name)


# The tests ------------------------------------------------------------------------------------------------------


def test_every_module_is_listed_and_driven() -> None:
    folder = Path(__file__).parent / "gallery"
    modules = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    assert sorted(odd.name for odd in GALLERY) == modules
    assert sorted(DRIVERS) == modules


@each
def test_it_imports_nothing_of_ours(odd: Odd) -> None:
    tree = ast.parse(odd.path.read_text(encoding="utf-8"))
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    imported += ["." * node.level + (node.module or "") for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in imported if name.startswith((".", "chunkproof", "tests", "gallery"))]


@each
def test_it_agrees_on_sharp_streams_of_each_chapter(odd: Odd) -> None:
    source = random.Random(1)
    events = 0
    for wire in [wire for wires in SHARP.values() for wire in wires]:
        if not excused(odd.name, wire):
            pairs = [cut(wire, [i]) for i in range(len(wire))] if len(wire) < 100 else []
            events += sum(check(odd, wire, chunks) for chunks in [*chunkings(wire, source), *pairs])
    assert events > 100


@each
def test_it_agrees_on_random_streams(odd: Odd) -> None:
    wires = streams(1500, 1, random_wire) if odd.name != "json_strict" else []
    events = 0
    for wire, plans in [*wires, *streams(400, 1, random_json_wire)]:
        if not excused(odd.name, wire):
            events += sum(check(odd, wire, chunks) for chunks in plans)
    assert events > 1000


@each
def test_it_takes_long_values(odd: Odd) -> None:
    wire = b'event: e\ndata: "' + "流🙂a".encode() * 2048 + b'"\nid: 1\n\ndata: 1\n\n'
    for size in (len(wire), 4096, 7, 1):
        assert check(odd, wire, [wire[i : i + size] for i in range(0, len(wire), size)]) == 2


@each
def test_it_takes_values_beyond_64_ki_characters(odd: Odd) -> None:
    wire = b'data: "' + "流".encode() * 70_000 + b'"\n\n' + b"data: 1\n\n" * 3
    if "size_limit" in odd.declared:
        with pytest.raises(ValueError, match="more than 70000 bytes"):
            DRIVERS[odd.name](odd.load(), [wire])
        return
    assert check(odd, wire, [wire]) == 4
    assert check(odd, wire, [wire[i : i + 4096] for i in range(0, len(wire), 4096)]) == 4


def odd_named(name: str) -> Any:
    return next(odd for odd in GALLERY if odd.name == name).load()


def test_what_holds_a_bare_cr_gives_the_event_one_chunk_later() -> None:
    for name in ("holds_bare_cr", "holds_bare_cr_for_ever"):
        parser = odd_named(name)()
        assert parser.feed(b"data: a\r\r") == []
        assert parser.feed(b"") == []
        assert len(parser.feed(b":")) == 1


def test_what_has_a_size_limit_raises_beyond_it_and_not_at_it() -> None:
    make = odd_named("size_limit")
    at_limit = b"data:" + b"x" * 69_995 + b"\n\n"
    assert len(make().feed(at_limit)) == 1
    with pytest.raises(ValueError, match="a line has more than"):
        make().feed(b":" + b"x" * 70_000)
    with pytest.raises(ValueError, match="an event has more than"):
        make().feed((b"data:" + b"x" * 999 + b"\n") * 71)


def test_the_reused_event_is_one_object() -> None:
    events = list(odd_named("one_reused_event")([b"data: a\n\ndata: b\n\n"]))
    assert len(events) == 2
    assert events[0] is events[1]
    assert events[0].data not in ("a", "b")


def test_two_ids_differ_where_a_block_has_none() -> None:
    events = odd_named("two_ids")().decode(b"id: 1\ndata: a\n\ndata: b\n\n")
    assert [(event.id, event.last_event_id) for event in events] == [("1", "1"), (None, "1")]


def test_comments_and_retries_come_as_items_of_their_own() -> None:
    items = odd_named("comment_and_retry_items")([b": c\nretry: 5\ndata: a\n\n"])
    assert [type(item).__name__ for item in items] == ["Comment", "Retry", "Message"]


def test_named_tuples_show_the_retry_in_force() -> None:
    for wire, plans in streams(1500, 1, random_wire):
        for chunks in plans:
            shown = [
                event.retry and (event.retry.lstrip("0") or "0") for event in odd_named("namedtuple_events")(chunks)
            ]
            assert shown == [in_force for _, in_force in interpret(wire).event_retries]


def test_strict_json_raises_for_other_data() -> None:
    with pytest.raises(ValueError, match="Expecting value"):
        list(odd_named("json_strict")([b"data: [DONE]\n\n"]))


def test_what_ends_at_an_empty_chunk_refuses_more() -> None:
    parser = odd_named("empty_chunk_ends")()
    assert parser.receive_data(b"data: a\n\r") == []
    assert len(parser.receive_data(b"")) == 1
    with pytest.raises(RuntimeError, match="after the end"):
        parser.receive_data(b"data: b\n\n")


def test_the_second_end_is_an_error() -> None:
    parser = odd_named("finish_and_close")()
    parser.finish()
    with pytest.raises(Exception, match="has ended"):
        parser.close()


def test_an_event_with_empty_data_is_false() -> None:
    parser = odd_named("falsy_events")()
    parser.receive_data(b"data\n\n")
    event = parser.next_event()
    assert event is not None
    assert not event


def test_one_event_comes_bare_and_several_as_a_list() -> None:
    parser = odd_named("one_or_many")()
    assert parser.push(b": c\n\n") is None
    assert parser.push(b"data: a\n\n").data == "a"
    assert len(parser.push(b"data: a\n\ndata: b\n\n")) == 2
