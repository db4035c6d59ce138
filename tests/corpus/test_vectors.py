"""Entries travel as JSON lines and as vectors, and what a stranger's file says wrongly is never taken."""

from __future__ import annotations

import base64
import itertools
import json
from typing import Any

import pytest

from chunkproof.corpus.entry import Entry, EntryError
from chunkproof.corpus.making import ANY_RULE, Described, entry_of
from chunkproof.corpus.store import own_corpus
from chunkproof.corpus.vectors import Refused, from_json_lines, from_vectors, to_json_lines, to_vectors
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof_strategies.generator import generate


def entry(name: str, question: Question) -> Entry:
    return Entry.of(
        name,
        f'A title with \u2028, "quotes" and ${{braces}}: {name}.',
        question,
        interpret(question.wire),
        rules=[ANY_RULE],
        layer="events",
        # One of them has a retry value that a parser may clamp: the standard leaves that open.
        severity="info",
        origin={"kind": "report", "reference": "somebody/parser#1"},
    )


ENTRIES = [
    entry("plain", Question(b"data: a\n\n")),
    entry("a-character-cut", Question("data: 你\n\n".encode(), (7, 7, 10))),
    entry("no-bytes-at-all", Question(b"", (0, 0))),
    entry("no-chunks", Question(b"")),
    entry("ill-formed", Question(b"\xff\0data: \xed\xa0\x80\n\ndata: \xf0\x9f", (0,))),
    entry("retries", Question(b"retry: 007\nretry: 9007199254740993\nretry: " + b"9" * 5000 + b"\ndata: a\n\n")),
    entry("ids", Question("id: \u2028\\\nevent: `${x}`\ndata\n\ndata: b\r\rid\n\n".encode(), (3, 20))),
    entry("run-before", Question(b"data: b\n\n", (), (b"id: 1\n\n", b"\xff"))),
]


def vectors_of(*entries: Entry) -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = json.loads(to_vectors(entries))
    return vectors


def refused_by(vector: object) -> str:
    """The reason why the only vector of a file is not taken."""
    entries, refused = from_vectors(json.dumps([vector]))
    assert entries == []
    (one,) = refused
    return str(one)


def vector(**more: object) -> dict[str, object]:
    """A vector that is right, with other values."""
    return {
        "id": "one",
        "chunks": ["id: 1\nretry: 5\nda", "ta: a\n\n"],
        "events": [{"event": "message", "data": "a", "id": "1"}],
        "final_last_event_id": "1",
        "retry_updates": [5],
    } | more


# JSON lines -----------------------------------------------------------------------------------------------------------


def test_json_lines_hold_one_entry_each_there_and_back():
    text = to_json_lines(ENTRIES)
    assert text.isascii()
    assert [json.loads(line)["id"] for line in text.splitlines()] == [one.id for one in ENTRIES]
    entries, refused = from_json_lines(text)
    assert [one.data for one in entries] == [one.data for one in ENTRIES]
    assert refused == []


def test_all_entries_of_chunkproof_travel_as_json_lines():
    own = own_corpus().entries
    lines = to_json_lines(own).split("\n")
    assert len(own) > 200
    assert [json.loads(line) for line in lines[:-1]] == [one.data for one in own]
    assert lines[-1] == ""
    # Reading judges each: some of all kinds are enough.
    entries, refused = from_json_lines("\n".join(lines[::16]))
    assert refused == []
    assert [one.data for one in entries] == [one.data for one in own[::16]]


def test_a_line_that_cannot_be_used_is_named_and_harms_no_other():
    good, other = to_json_lines(ENTRIES[:2]).splitlines()
    wrong = json.loads(good) | {"id": "wrong"}
    wrong["expected"]["events"][0]["data"] = "b"
    lines = [good, "", "{", "[" * 100_000, "7", good, json.dumps(wrong), json.dumps({**wrong, "cuts": [99]}), other]
    entries, refused = from_json_lines("\r\n".join(lines))
    assert [one.id for one in entries] == ["plain", "a-character-cut"]
    assert [one.name for one in refused] == ["line 3", "line 4", "line 5", "line 6", "line 7", "line 8"]
    reasons = [one.reason for one in refused]
    assert reasons[0].startswith("it is no JSON: Expecting property name")
    assert reasons[1].startswith("it is no JSON: ")
    assert reasons[2].startswith("version: None stands where 1 belongs")
    assert reasons[3] == "id: plain stands here twice"
    assert reasons[4].startswith("expected.events: (Event(type='message', data='b'")
    assert "data='a'" in reasons[4]
    assert reasons[5].startswith("cuts: 99 stands before 9")


def test_a_line_of_more_than_a_file_may_have_is_not_read():
    entries, refused = from_json_lines(json.dumps({"version": 1, "note": "x" * 5_000_000}))
    assert entries == []
    assert str(refused[0]) == "line 1: it has 5,000,026 characters, and 4,194,304 are the most"


# Vectors --------------------------------------------------------------------------------------------------------------


def test_the_form_of_a_vector():
    one, ill_formed, before = vectors_of(ENTRIES[1], ENTRIES[4], ENTRIES[7])
    assert one == {
        "id": "a-character-cut",
        "purpose": ENTRIES[1].title,
        "severity": "info",
        "rules": ["whole/any-stream-in-any-chunking"],
        "chunks": [{"base64": base64.b64encode(b"data: \xe4").decode()}, "", {"base64": "vaAK"}, "\n"],
        "events": [{"event": "message", "data": "你", "id": ""}],
        "final_last_event_id": "",
        "retry_updates": [],
    }
    assert ill_formed["chunks"] == ["", {"base64": base64.b64encode(ENTRIES[4].wire).decode()}]
    assert before["before"] == ["id: 1\n\n", {"base64": "/w=="}]
    assert vectors_of(ENTRIES[5])[0]["retry_updates"] == [7, "9007199254740993", "9" * 5000]
    assert to_vectors(ENTRIES).isascii()
    assert to_vectors([]) == "[]\n"


def test_vectors_go_there_and_back():
    said = Described(severity="info", origin={"kind": "report", "reference": "somebody/parser#1"})
    entries, refused = from_vectors(to_vectors(ENTRIES), said)
    assert refused == []
    for found, one in zip(entries, ENTRIES, strict=True):
        assert (found.id, found.title, found.question) == (one.id, one.title, one.question)
        assert (found.expected, found.origin, found.severity) == (one.expected, one.origin, "info")


def test_what_is_an_open_choice_is_one_when_it_comes_back():
    names = ("retry-above-31-bits", "retry-of-nothing-is-no-time", "event-is-out-with-a-cr")
    own = {one.id: one for one in own_corpus().entries}
    entries, refused = from_vectors(to_vectors([own[name] for name in names]))
    assert refused == []
    assert [(one.id, one.severity, [rule.id for rule in one.rules]) for one in entries] == [
        ("retry-above-31-bits", "info", ["retry/values-beyond-31-bits"]),
        ("retry-of-nothing-is-no-time", "info", ["retry/an-empty-value-is-ignored"]),
        ("event-is-out-with-a-cr", "info", ["delivery/prompt-at-a-bare-cr"]),
    ]
    assert [one.chapter for one in entries] == ["retry", "retry", "delivery"]


def test_what_a_vector_says_of_itself_counts_over_what_is_said_of_all():
    said = Described(severity="should", rules=("ids/an-id-is-shown",))
    own = vector(id="own", severity="info", rules=["retry/values-beyond-31-bits"])
    entries, refused = from_vectors(json.dumps([own, vector(), vector(id="none", rules=[])]), said)
    assert refused == []
    assert [(one.severity, one.rules[0].id) for one in entries] == [
        ("info", "retry/values-beyond-31-bits"),
        ("should", "ids/an-id-is-shown"),
        ("should", "ids/an-id-is-shown"),
    ]


def test_generated_streams_go_there_and_back_as_vectors():
    streams = itertools.islice(generate("vectors"), 30)
    made = [entry(f"n-{at}", Question(one.wire, (len(one.wire) // 2,))) for at, one in enumerate(streams)]
    entries, refused = from_vectors(to_vectors(made), Described(severity="info"))
    assert refused == []
    assert [(one.wire, one.cuts) for one in entries] == [(one.wire, one.cuts) for one in made]


def test_an_imported_vector_is_an_entry_with_the_deviations_that_show_on_it():
    (found,), refused = from_vectors(
        json.dumps(
            [
                vector(
                    chunks=["data: \u00e9"[:6], "\u00e9\r\n\r\n"],
                    events=[{"event": "message", "data": "\u00e9", "id": ""}],
                    final_last_event_id="",
                    retry_updates=[],
                )
            ]
        )
    )
    assert refused == []
    assert found.deviations
    assert found == entry_of(found.question, Described(id="one"))


@pytest.mark.parametrize(
    "other",
    [
        {"name": "One!", "title": "t", "chunks": [{"text": "data: a\n\n"}], "events": [{"data": "a"}]},
        {"name": "one", "chunks": [{"hex": "646174613A2061 0a0a"}], "events": [{"type": "message", "data": "a"}]},
        {"id": "one", "chunks": [list(b"data: a"), [10, 10]], "events": [{"event": "", "data": "a", "id": None}]},
        {"id": "one", "chunks": ["data: a\n\n"], "events": [{"data": "a", "lastEventId": ""}], "lastEventId": ""},
        {"id": "one", "chunks": ["data: a\n\n"], "events": [{"data": "a", "retry": 1}], "retries": [], "generator": 0},
    ],
)
@pytest.mark.parametrize("under", [None, "vectors", "cases", "tests"])
def test_other_suites_say_the_same_in_other_words(other, under):
    entries, refused = from_vectors(json.dumps([other] if under is None else {under: [other], "version": 3}))
    assert refused == []
    assert [(one.id, one.wire) for one in entries] == [("one", b"data: a\n\n")]


@pytest.mark.parametrize(
    ("more", "said", "right"),
    [
        (
            {"events": [{"event": "message", "data": "b", "id": "1"}]},
            "events: [{'event': 'message', 'data': 'b', 'id': '1'}]",
            "[{'event': 'message', 'data': 'a', 'id': '1'}]",
        ),
        ({"events": []}, "events: []", "[{'event': 'message', 'data': 'a', 'id': '1'}]"),
        (
            {"events": [{"data": "a"}, {"data": "b"}]},
            "events: [{'event': 'message', 'data': 'a'}, {'event': 'message', 'data': 'b'}]",
            "[{'event': 'message', 'data': 'a'}]",
        ),
        ({"events": [{"data": "a", "id": ""}]}, "'id': ''}]", "'id': '1'}]"),
        ({"events": [{"event": "x", "data": "a"}]}, "[{'event': 'x', 'data': 'a'}]", "'message', 'data': 'a'}]"),
        ({"final_last_event_id": "2"}, "final_last_event_id: '2'", "'1'"),
        ({"retry_updates": []}, "retry_updates: []", "['5']"),
        ({"retry_updates": [5, 5]}, "retry_updates: ['5', '5']", "['5']"),
    ],
)
def test_a_vector_that_disagrees_with_the_standard_is_named_with_both_sides(more, said, right):
    entries, refused = from_vectors(json.dumps([vector(), vector(id="wrong", **more)]))
    assert [one.id for one in entries] == ["one"]
    assert [one.name for one in refused] == ["vectors[1] (wrong)"]
    assert f"{said} stands where the standard says " in refused[0].reason
    assert refused[0].reason.endswith(right)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (7, "vectors[0]: 7 stands where a vector belongs"),
        ({}, "vectors[0]: chunks: there are none; a vector that makes its chunks by a generator is not read"),
        (vector(chunks=7), "vectors[0] (one): chunks: 7 stands where a list belongs"),
        (
            vector(chunks=[7]),
            'chunks[0]: \'7\' is none; a chunk is a text, a list of numbers, or {"text": ...}, {"base64": ...} or',
        ),
        (vector(chunks=[{"utf16": "a"}]), "chunks[0]: \"{'utf16': 'a'}\" is none; a chunk is a text"),
        (vector(chunks=[{}]), "chunks[0]: '{}' is none; a chunk is a text"),
        (vector(chunks=[[256]]), "chunks[0]: '256' is no byte, which is a number from 0 to 255"),
        (vector(chunks=[["a"]]), "chunks[0]: \"'a'\" is no byte"),
        (vector(chunks=[[True]]), "chunks[0]: 'True' is no byte"),
        (vector(chunks=[{"base64": "a"}]), "chunks[0]: 'a' is no base64 ("),
        (vector(chunks=[{"base64": 7}]), "chunks[0]: \"{'base64': 7}\" is none; a chunk is a text"),
        (vector(chunks=[{"hex": "0g"}]), "chunks[0]: '0g' is no hex (non-hexadecimal number"),
        (
            vector(chunks=["\ud800"]),
            "chunks[0]: it holds half a surrogate pair ('\\ud800'), which is no character: give its bytes",
        ),
        (vector(id="\ud800"), "id: it holds half a surrogate pair ('\\ud800'), which is no character"),
        (vector(id=7), "vectors[0]: id: 7 stands where a text belongs"),
        (vector(id="!!"), "id: '!!' has no letter of a-z and no digit"),
        (vector(purpose=7), "purpose: 7 stands where a text belongs"),
        (vector(severity="high"), "severity: 'high' is none of must, should, info"),
        (vector(severity=["must"]), "severity: ['must'] is none of must, should, info"),
        (vector(rules="retry"), "rules: 'retry' stands where a list belongs"),
        (vector(rules=[7]), "rules[0]: 7 stands where a text belongs"),
        (vector(rules=["retry/none"]), "'retry/none' is no rule of this release; `chunkproof rules` lists them"),
        (vector(events=None), "events: None stands where a list belongs"),
        (vector(events=["a"]), "events[0]: 'a' stands where an event belongs"),
        (vector(events=[{}]), "events[0].data: None stands where a text belongs"),
        (vector(events=[{"data": "a", "event": 0}]), "events[0].event: 0 stands where a text belongs"),
        (vector(retry_updates=[1.5]), "retry_updates[0]: 1.5 is no number of milliseconds"),
        (vector(retry_updates=[True]), "retry_updates[0]: True is no number of milliseconds"),
        (vector(retry_updates=[-1]), "retry_updates[0]: -1 is no number of milliseconds"),
        (vector(retry_updates=["٣"]), "retry_updates[0]: '٣' is no number of milliseconds"),
        (vector(retry_updates=7), "retry_updates: 7 stands where a list belongs"),
    ],
)
def test_a_vector_that_cannot_be_used_says_why(wrong, reason):
    assert reason in refused_by(wrong)


def test_the_second_of_two_vectors_of_one_name_is_refused():
    entries, refused = from_vectors(json.dumps([vector(), vector(chunks=["x"], events=[], final_last_event_id="")]))
    assert len(entries) == 1
    assert refused[0].name == "vectors[1] (one)"
    assert refused[0].reason == "retry_updates: ['5'] stands where the standard says []"
    entries, refused = from_vectors(json.dumps([vector(), vector()]))
    assert len(entries) == 1
    assert refused == [Refused("vectors[1] (one)", "id: one stands here twice")]


def test_a_vector_must_hold_what_is_said_of_all():
    entries, refused = from_vectors(json.dumps([vector()]), Described(deviations=("utf8-split-lossy",)))
    assert entries == []
    assert refused[0].reason == "deviations: utf8-split-lossy does on this stream what the standard says"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "{}", '{"vectors": 7}', "7", "[" + "9" * 5000 + "]"])
def test_what_is_no_list_of_vectors_is_refused_whole(text):
    with pytest.raises(EntryError, match=r"^(it is no JSON|vectors): "):
        from_vectors(text)
