"""Entries are read as what they are, and whatever is wrong with one is named."""

from __future__ import annotations

import copy
import json
import tracemalloc
from typing import Any

import pytest

from chunkproof.corpus.entry import Entry, EntryError, entry_text, read_entry
from chunkproof.corpus.judging import assert_agrees, kills, rule_of
from chunkproof.corpus.making import Described, entry_of
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof_targets.contract import Event, Outcome

DATA: dict[str, Any] = {
    "version": 1,
    "id": "a-character-cut-in-two",
    "title": "A character that is cut in two arrives whole.",
    "rules": ["bytes/three-byte-character-cut"],
    "layer": "bytes",
    "severity": "must",
    "deviations": ["utf8-split-lossy"],
    "wire": {"text": "data: 你\n\n"},
    "cuts": [7],
    "expected": {
        "events": [{"type": "message", "data": "你", "last_event_id": ""}],
        "last_event_id": "",
        "retries": [],
    },
    "origin": {"kind": "report", "reference": "somebody/parser#1"},
    "licence": "CC0-1.0",
    "date": "2026-11-30",
}


def data_with(*path: str | int, value: object) -> dict[str, Any]:
    """The data with something else at one place."""
    data = copy.deepcopy(DATA)
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


def reason(data: object) -> str:
    with pytest.raises(EntryError) as error:
        read_entry(data)
    return str(error.value)


def test_an_entry_is_what_its_file_says():
    entry = read_entry(DATA)
    assert entry.wire == b"data: \xe4\xbd\xa0\n\n"
    assert entry.cuts == (7,)
    assert entry.question == Question(entry.wire, (7,))
    assert entry.expected == Outcome((Event("message", "你", ""),))
    assert (entry.chapter, entry.severity, entry.layer) == ("bytes", "must", "bytes")
    assert [one.name for one in entry.deviations] == ["utf8-split-lossy"]
    assert_agrees(entry)


def test_what_is_written_is_read_again():
    wire = b"\xef\xbb\xbfdata: \xff\xe2\x80\xa8\x1b[31m\xe4\xbd\xa0\r\n\r\n"
    entry = Entry.of(
        "ill-formed",
        "Ill-formed bytes become U+FFFD.",
        Question(wire, (0, 5, 5, len(wire)), (b"data: a\n\n",)),
        interpret(wire),
        rules=["bytes/ill-formed-is-replaced"],
        layer="characters",
        origin={"kind": "rule", "reference": "bytes/ill-formed-is-replaced"},
        deviations=["utf8-strict"],
    )
    text = entry_text(entry)
    again = read_entry(json.loads(text))
    assert again == entry
    assert again.question == Question(wire, (0, 5, 5, len(wire)), (b"data: a\n\n",))


def test_the_text_of_a_file_holds_nothing_that_cannot_be_seen():
    wire = "data: 你\u2028\u202e\ufeff\x1b\x85\n\n".encode()
    entry = read_entry(
        {
            **DATA,
            "wire": {"text": wire.decode()},
            "cuts": [],
            "expected": {"events": [], "last_event_id": "", "retries": []},
        }
    )
    text = entry_text(entry)
    assert "你" in text
    assert all(character.isprintable() or character == "\n" for character in text)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("version",), 2, "version: 2 stands where 1 belongs"),
        (("version",), True, "version: True"),
        (("id",), "../../etc/passwd", "id: '../../etc/passwd' is not made of words"),
        (("id",), "Ab", "id: 'Ab'"),
        (("id",), "a" * 101, "id: "),
        (("id",), 7, "id: 7 stands where a text belongs"),
        (("title",), "", "title: '' stands where a text belongs"),
        (("title",), "\ud800", "title: it holds half of a surrogate pair"),
        (("title",), "a" * 501, "title: it has 501 characters, and 500 are the most"),
        (("rules",), [], "rules: there is none"),
        (("rules",), ["bytes/nothing"], "rules[0]: 'bytes/nothing' is no rule"),
        (("rules",), ["resources/linear-in-events"], "rules[0]: resources/linear-in-events looks at several streams"),
        (("rules",), "bytes/mark-removed", "rules: 'bytes/mark-removed' stands where a list belongs"),
        (("layer",), "sea", "layer: 'sea' is none of bytes, "),
        (("layer",), ["bytes"], "layer: ['bytes'] is none of"),
        (("severity",), "may", "severity: 'may' is none of must, should, info"),
        (("deviations",), ["no-such"], "deviations[0]: "),
        (("deviations",), ["bom-not-stripped"] * 100_000, "deviations[1]: 'bom-not-stripped' stands there twice"),
        (("wire",), "data: a", "wire: 'data: a' stands where"),
        (("wire",), {"text": "a", "base64": "YQ=="}, "wire: "),
        (("wire",), {"base64": "a$b="}, "wire.base64: "),
        (("wire",), {"text": "\udc80"}, "wire.text: it holds half of a surrogate pair"),
        (("cuts",), [8, 7], "cuts: 8 stands before 7"),
        (("cuts",), [12], "cuts: 12 stands before 11; they are offsets into a wire of 11, sorted"),
        (("cuts",), [-1], "cuts[0]: -1 stands where a whole number from 0 belongs"),
        (("cuts",), [1.0], "cuts[0]: 1.0 stands where"),
        (("cuts",), [True], "cuts[0]: True stands where"),
        (("expected",), [], "expected: [] stands where an object belongs"),
        (("expected", "events"), [{"type": "message"}], "expected.events[0]: it lacks 'data'"),
        (("expected", "retries"), [5], "expected.retries[0]: 5 stands where a text belongs"),
        (("origin",), {"kind": "rumour"}, "origin.kind: 'rumour' is none of report, "),
        (("origin",), {"kind": "report", "by": "me"}, "origin: 'by' is no key of this form"),
        (("date",), "30.11.2026", "date: "),
        (("more",), 1, "entry: 'more' is no key of this form"),
    ],
)
def test_what_is_wrong_is_named(path, value, said):
    assert reason(data_with(*path, value=value)).startswith(said)


@pytest.mark.parametrize(
    "path", [("version",), ("id",), ("rules",), ("rules", 0), ("deviations", 0), ("wire",), ("date",), ("layer",)]
)
def test_a_message_does_not_repeat_a_long_value(path):
    assert len(reason(data_with(*path, value="a" * 3_000_000))) < 250


@pytest.mark.parametrize("key", [key for key in DATA if key != "version"])
def test_what_is_missing_is_named(key):
    assert reason({name: value for name, value in DATA.items() if name != key}) == f"entry: it lacks {key!r}"


@pytest.mark.parametrize("data", [None, [], "entry", 1, {}])
def test_what_is_no_entry_at_all_is_refused(data):
    assert reason(data).startswith("version: None stands where 1 belongs")


def test_the_times_of_a_recording_are_kept_for_each_chunk():
    entry = read_entry({**DATA, "times": [0.2, 1.25]})
    assert entry.times == (0.2, 1.25)
    assert json.loads(entry_text(entry))["times"] == [0.2, 1.25]
    assert entry.with_question(entry.question, entry.deviations).times == (0.2, 1.25)
    assert entry.with_question(Question(entry.wire, (8,)), entry.deviations).times == ()


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([0.2], "times: there are 1, and 2 chunks; there is one for each, or none"),
        ([0.2, -1], "times[1]: -1 stands where seconds from 0 belong"),
        ([0.2, float("nan")], "times[1]: nan stands where"),
        ([0.2, "1"], "times[1]: '1' stands where"),
        (2, "times: 2 stands where a list belongs"),
    ],
)
def test_times_that_cannot_be_are_named(times, said):
    assert reason({**DATA, "times": times}).startswith(said)


# Recipes --------------------------------------------------------------------------------------------------------------


def test_a_recipe_is_unrolled_piece_by_piece():
    recipe = [
        {"text": "data: "},
        {"repeat": [{"text": "你"}, {"base64": "/w=="}, {"repeat": [{"text": "!"}], "times": 2}], "times": 3},
        {"text": "\n\n"},
    ]
    data = data_with("wire", value={"recipe": recipe})
    data["expected"]["events"] = [
        {
            "type": {"recipe": [{"text": "mess"}, {"text": "age"}]},
            "data": {"recipe": [{"repeat": [{"text": "你�!!"}], "times": 3}]},
            "last_event_id": "",
        }
    ]
    entry = read_entry(data)
    assert entry.wire == b"data: " + b"\xe4\xbd\xa0\xff!!" * 3 + b"\n\n"
    assert entry.expected.events == (Event("message", "你�!!" * 3, ""),)
    assert_agrees(entry)


def test_events_are_repeated_by_a_recipe_too():
    data = data_with("wire", value={"recipe": [{"repeat": [{"text": "data: a\n\n"}], "times": 1000}]})
    data["expected"]["events"] = [{"repeat": [{"type": "message", "data": "a", "last_event_id": ""}], "times": 1000}]
    data["deviations"] = ["events-of-a-chunk-limit=512"]
    data["cuts"] = []
    entry = read_entry(data)
    assert len(entry.expected.events) == 1000
    assert_agrees(entry)


GIGABYTE = {"repeat": [{"text": "a" * 1000}], "times": 1_000_000}


@pytest.mark.parametrize(
    "recipe",
    [
        [GIGABYTE],
        [{"repeat": [{"repeat": [{"repeat": [{"text": "a"}], "times": 1000}], "times": 1000}], "times": 1000}],
        [{"repeat": [{"text": ""}], "times": 10**12}],
        [{"repeat": [], "times": 10**12}],
    ],
)
def test_a_recipe_that_gets_too_large_is_refused_before_it_is_built(recipe):
    tracemalloc.start()
    try:
        said = reason(data_with("wire", value={"recipe": recipe}))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "unrolls to more than 67,108,864" in said
    assert peak < 1 << 20


def test_events_that_get_too_many_are_refused_before_they_are_built():
    event = {"type": "message", "data": "", "last_event_id": ""}
    said = reason(data_with("expected", "events", value=[{"repeat": [event], "times": 10**9}]))
    assert said.startswith("expected.events: it unrolls to more than")


def test_a_recipe_of_many_bytes_is_no_list_of_them():
    data = data_with("wire", value={"recipe": [{"repeat": [{"text": "a"}], "times": 1 << 22}]})
    data |= {"cuts": [], "expected": {"events": [], "last_event_id": "", "retries": []}}
    tracemalloc.start()
    try:
        assert len(read_entry(data).wire) == 1 << 22
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 << 22


def test_events_have_a_bound_of_their_own():
    event = {"type": "", "data": "", "last_event_id": ""}
    said = reason(data_with("expected", "events", value=[{"repeat": [event], "times": 1_000_001}]))
    assert said == "expected.events: it unrolls to more than 1,000,000, the most that an entry may hold"


HALF = {"recipe": [{"repeat": [{"text": "a" * 1024}], "times": 33 * 1024}]}
WITH_THIS = "with this it holds more than 67,108,864 bytes, the most that an entry may hold"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"before": [HALF, HALF]}, f"before[1].recipe: {WITH_THIS}"),
        ({"before": [HALF] * 9}, "before: more than 8 streams"),
        ({"before": [{"text": 5}] * 9}, "before: more than 8 streams"),
        ({"expected": {**DATA["expected"], "retries": [HALF, HALF]}}, f"expected.retries[1].recipe: {WITH_THIS}"),
        (
            {"before": [HALF], "expected": {**DATA["expected"], "last_event_id": HALF}},
            f"expected.last_event_id.recipe: {WITH_THIS}",
        ),
    ],
    ids=["before", "nine", "nine-wrong", "retries", "both"],
)
def test_all_texts_of_an_entry_have_one_bound(changes, said):
    assert reason({**DATA, **changes}) == said


def test_what_is_expected_counts_once():
    event = {"type": "message", "data": HALF, "last_event_id": ""}
    assert len(read_entry(data_with("expected", "events", value=[event])).expected.events[0].data) == 33 << 20


def test_repeated_events_count_as_often_as_they_stand_there():
    event = {"type": "message", "data": "a" * 1024, "last_event_id": ""}
    said = reason(data_with("expected", "events", value=[{"repeat": [event], "times": 64 * 1024}]))
    assert said == "expected.events: it unrolls to more than 67,108,864, the most that an entry may hold"


def test_recipes_within_recipes_end():
    piece: object = {"text": "a"}
    for _ in range(5):
        piece = {"repeat": [piece], "times": 1}
    assert "more than 4 deep" in reason(data_with("wire", value={"recipe": [piece]}))


@pytest.mark.parametrize(
    ("piece", "said"),
    [
        ({"repeat": [{"text": "a"}]}, "wire.recipe[0]: it lacks 'times'"),
        ({"repeat": [{"text": "a"}], "times": -1}, "wire.recipe[0].times: -1 stands where"),
        ({"repeat": {"text": "a"}, "times": 1}, "wire.recipe[0].repeat: "),
        ({"exec": "1"}, "wire.recipe[0]: "),
        ("a", "wire.recipe[0]: 'a' stands where"),
    ],
)
def test_a_recipe_that_is_wrong_says_where(piece, said):
    assert reason(data_with("wire", value={"recipe": [piece]})).startswith(said)


# What an entry has to say ---------------------------------------------------------------------------------------------


def disagreement(data: object) -> str:
    with pytest.raises(EntryError) as error:
        assert_agrees(read_entry(data))
    return str(error.value)


def test_an_entry_that_disagrees_with_the_standard_is_refused():
    data = data_with("expected", "events", 0, "data", value="You")
    assert disagreement(data).startswith("expected.events: (Event(type='message', data='You'")
    assert disagreement(data_with("expected", "last_event_id", value="1")).startswith(
        "expected.last_event_id: '1' stands"
    )
    assert disagreement(data_with("expected", "retries", value=["1"])).startswith("expected.retries: ('1',) stands")


def test_an_entry_that_no_deviation_justifies_is_refused():
    assert disagreement(data_with("deviations", value=["event-type-leaks"])) == (
        "deviations: event-type-leaks does on this stream what the standard says"
    )
    assert disagreement(data_with("deviations", value=[])).startswith("deviations: none shows on this stream")
    assert_agrees(read_entry({**data_with("deviations", value=[]), "severity": "info"}))


def test_an_entry_is_no_graver_than_its_first_rule():
    data = {**DATA, "rules": ["size/values-beyond-64-ki-characters", "bytes/three-byte-character-cut"]}
    assert disagreement(data) == (
        "severity: must is graver than size/values-beyond-64-ki-characters, a should: give --severity should"
    )
    assert_agrees(read_entry({**data, "severity": "should"}))


@pytest.mark.parametrize(
    ("rules", "severity"),
    [((), "must"), (("delivery/prompt",), "should"), (("retry/an-empty-value-is-ignored", "lines/lf"), "info")],
)
def test_a_made_entry_weighs_what_its_first_rule_does(rules, severity):
    question = Question(b"retry:\n\ndata: a\n\ndata: b\n\n", (17,))
    if not rules:
        question = Question(b"data: a\n\ndata: b\n\n", (9,))
    made = entry_of(question, Described(rules=rules))
    assert (made.severity, made.rules[0].severity) == (severity, severity)
    assert entry_of(question, Described(rules=rules, severity="info")).severity == "info"


CHOICE = {
    **DATA,
    "rules": ["whole/any-stream-in-any-chunking"],
    "wire": {"text": "retry: " + "9" * 400 + "\ndata: 你\n\n"},
    "deviations": ["utf8-split-lossy"],
    "cuts": [415],
    "expected": {**DATA["expected"], "retries": ["9" * 400]},
}


@pytest.mark.parametrize("severity", ["must", "should"])
def test_what_the_standard_leaves_open_is_an_info(severity):
    assert disagreement({**CHOICE, "severity": severity}) == (
        f"severity: {severity} stands where the standard leaves open what is done: retry-clamped shows on this stream, "
        "and is a choice: give --severity info"
    )
    assert_agrees(read_entry({**CHOICE, "severity": "info"}))


def test_what_the_rule_does_not_compare_is_left_open_by_nobody():
    rules = ["retry/thousands-of-digits-do-not-raise"]
    assert_agrees(read_entry({**CHOICE, "rules": rules, "deviations": ["retry-overflow-raises"]}))


def test_the_deviations_that_show_are_found():
    shown = {one.name for one in kills(read_entry(DATA))}
    assert {"utf8-split-lossy", "utf8-split-crash", "ascii-only", "lf-not-supported"} <= shown
    assert not shown & {"event-type-leaks", "bom-not-stripped", "late-dispatch", "utf8-strict"}


def test_a_rule_on_delivery_judges_its_entries_in_its_own_way():
    wire = b"data: a\n\ndata: b\n\n"
    entry = Entry.of(
        "an-event-is-out-with-its-blank-line",
        "An event is out with the chunk that ends its blank line.",
        Question(wire, (9,)),
        interpret(wire),
        rules=["delivery/prompt"],
        layer="events",
        severity="should",
        origin={"kind": "rule", "reference": "delivery/prompt"},
        deviations=["late-by-one-chunk"],
    )
    assert_agrees(entry)
    assert {one.name for one in kills(entry)} >= {"late-by-one-chunk", "all-events-at-the-end"}
    assert rule_of(entry).severity == "should"


def test_an_entry_is_a_case_of_its_first_rule():
    entry = read_entry(DATA)
    rule = rule_of(entry)
    assert (rule.id, rule.case_of) == ("corpus/a-character-cut-in-two", "bytes/three-byte-character-cut")
    assert rule.requirement == DATA["title"]
    assert rule.clause == entry.rules[0].clause
    assert list(rule.cases()) == [Question(b"data: \xe4\xbd\xa0\n\n", (7,))]
