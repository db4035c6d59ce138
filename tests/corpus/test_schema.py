"""What the published schema refuses, `read_entry` refuses too, and what is read is what the schema allows."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chunkproof.corpus import entry as entry_module
from chunkproof.corpus.copying import SCHEMA
from chunkproof.corpus.entry import Entry, EntryError, read_entry
from chunkproof.corpus.making import ANY_RULE
from chunkproof.corpus.store import own_corpus
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof.rules import RULES
from chunkproof_targets.deviations import CATALOGUE

VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))


def made(question: Question, **more: Any) -> dict[str, Any]:
    entry = Entry.of(
        "an-entry-1",
        "A title.",
        question,
        interpret(question.wire),
        rules=[ANY_RULE],
        layer="events",
        origin={"kind": "report", "reference": ""},
        severity="should",
    )
    return {**copy.deepcopy(dict(entry.data)), **more}


def nested(depth: int, leaf: Any) -> list[Any]:
    """Pieces, each repeated within the next, so many lists deep."""
    pieces = [leaf]
    for _ in range(depth - 1):
        pieces = [leaf, {"repeat": pieces, "times": 2}, leaf]
    return pieces


EVENT = {"type": "message", "data": "a", "last_event_id": ""}


def expected(**more: Any) -> dict[str, Any]:
    return {"events": [EVENT], "last_event_id": "", "retries": [], **more}


VALID: list[dict[str, Any]] = [
    made(Question(b"id: 1\nretry: 5\ndata: a\n\n", (0, 3, 3), (b"x", b"\xff"))),
    made(Question(b"")),
    made(Question(b"\xff\xfe\0")),
    made(Question(b"a"), wire={"base64": ""}, note={"any": ["thing", None]}),
    made(Question(b"a"), wire={"recipe": []}, deviations=["line-limit=65536"]),
    made(
        Question(b"a"), wire={"recipe": nested(4, {"base64": "QQ=="})}, before=[{"recipe": nested(4, {"text": ""})}] * 8
    ),
    made(Question(b"a"), expected=expected(events=nested(4, EVENT))),
    made(Question(b"a"), expected=expected(events=[{key: {"recipe": nested(4, {"text": "é"})} for key in EVENT}])),
    made(Question(b"a"), expected=expected(retries=["", {"recipe": [{"repeat": [{"text": "9"}], "times": 0}]}])),
    made(Question(b"a"), origin={"kind": "article", "also": ["b"]}, id="a" * 100, title="t" * 500, licence="l" * 100),
]


def refused(data: Any) -> str:
    try:
        read_entry(data)
    except EntryError as error:
        return str(error)
    return ""


def test_the_schema_is_a_schema_and_is_strict():
    Draft202012Validator.check_schema(VALIDATOR.schema)
    objects = [VALIDATOR.schema]
    count = 0
    while objects:
        one = objects.pop()
        if isinstance(one, dict):
            if one.get("type") == "object":
                count += 1
                assert one["additionalProperties"] is False, one
                assert one["description"], one
            objects += one.values()
        elif isinstance(one, list):
            objects += one
    assert count > 8
    for name, one in VALIDATOR.schema["properties"].items():
        assert one["description"], name


def test_the_schema_names_the_same_keys_and_words_as_the_code():
    schema = VALIDATOR.schema
    assert set(schema["required"]) == set(entry_module._KEYS)
    assert set(schema["properties"]) == {*entry_module._KEYS, "before", "times", "note"}
    assert tuple(schema["properties"]["layer"]["enum"]) == entry_module._LAYERS
    assert tuple(schema["properties"]["severity"]["enum"]) == entry_module._SEVERITIES
    assert tuple(schema["properties"]["origin"]["properties"]["kind"]["enum"]) == entry_module._ORIGINS
    assert schema["properties"]["version"]["const"] == entry_module.VERSION


@pytest.mark.parametrize("data", VALID, ids=range(len(VALID)))
def test_entries_of_many_forms_are_read_and_valid(data):
    assert refused(data) == ""
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


def test_all_entries_of_chunkproof_are_valid():
    own = own_corpus().entries
    assert len(own) > 200
    for one in own:
        assert [error.message for error in VALIDATOR.iter_errors(one.data)] == [], one.id


def test_every_rule_and_deviation_can_be_named():
    data = made(Question(b"a"), rules=[rule.id for rule in RULES], deviations=[one.name for one in CATALOGUE])
    assert VALIDATOR.is_valid(data)


@pytest.mark.parametrize(
    "more",
    [
        {"version": 2},
        {"version": "1"},
        {"version": True},
        {"id": "A"},
        {"id": "a--b"},
        {"id": "../a"},
        {"id": "a" * 101},
        {"title": ""},
        {"title": "t" * 501},
        {"rules": []},
        {"rules": ["any"], "more": 1},
        {"layer": "wire"},
        {"severity": "may"},
        {"wire": "data"},
        {"wire": {"text": "", "base64": ""}},
        {"wire": {"base64": "a"}},
        {"wire": {"base64": "QQ"}},
        {"wire": {"base64": "QQ =="}},
        {"wire": {"base64": "Q-Q="}},
        {"wire": {"recipe": nested(5, {"text": "a"})}},
        {"wire": {"recipe": [{"recipe": []}]}},
        {"wire": {"recipe": [{"repeat": []}]}},
        {"wire": {"recipe": [{"repeat": [], "times": -1}]}},
        {"wire": {"recipe": [{"repeat": [], "times": 1.5}]}},
        {"wire": {"repeat": [], "times": 1}},
        {"before": [{"text": ""}] * 9},
        {"before": {}},
        {"cuts": [-1]},
        {"cuts": ["1"]},
        {"cuts": [True]},
        {"expected": expected(events=nested(5, EVENT))},
        {"expected": expected(events=[{**EVENT, "id": ""}])},
        {"expected": expected(events=[{**EVENT, "data": None}])},
        {"expected": expected(retries=[5])},
        {"expected": expected(more=1)},
        {"origin": {}},
        {"origin": {"kind": "dream"}},
        {"origin": {"kind": "file", "reference": "r" * 501}},
        {"origin": {"kind": "file", "also": [""]}},
        {"licence": ""},
        {"date": "20261130"},
        {"date": "2026-W48-1"},
        {"date": "2026-11-30T00:00:00"},
    ],
    ids=json.dumps,
)
def test_what_is_wrong_is_refused_by_both(more):
    data = made(Question(b""), **more)
    assert refused(data)
    assert not VALIDATOR.is_valid(data)


@pytest.mark.parametrize("key", sorted(entry_module._KEYS))
def test_each_key_is_needed_by_both(key):
    data = made(Question(b""))
    del data[key]
    assert refused(data)
    assert not VALIDATOR.is_valid(data)


# Mutations ------------------------------------------------------------------------------------------------------------


def places(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The ways to all values in the data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in items for place in places(value, (*path, key)))]


OTHERS: list[Any] = [
    *(
        None,
        True,
        0,
        1,
        -1,
        1.0,
        0.5,
        "",
        "a",
        "a-b",
        "\n",
        "QQ==",
        [],
        {},
        [[]],
        [0],
        [""],
        10**20,
        "2026-11-30",
        "must",
    ),
    *({"text": ""}, {"base64": "QQ=="}, {"recipe": []}, {"repeat": [], "times": 1}, EVENT, [EVENT], "bytes", "rule"),
]


def mutate(data: dict[str, Any], choose: Any) -> dict[str, Any]:
    """The data with a key dropped or added, another value at one place, or a part of it at another place."""
    data = copy.deepcopy(data)
    path = choose(places(data)[1:])
    holder: Any = data
    for key in path[:-1]:
        holder = holder[key]
    what = choose(["drop", "value", "value", "part", "add", "grow"])
    if what == "drop":
        del holder[path[-1]]
    elif what == "value":
        holder[path[-1]] = copy.deepcopy(choose(OTHERS))
    elif what == "part":
        part: Any = data
        for key in choose(places(data)[1:]):
            part = part[key]
        holder[path[-1]] = copy.deepcopy(part)
    elif isinstance(holder, dict):
        holder[choose(["id", "text", "recipe", "repeat", "times", "x", "kind", "note"])] = copy.deepcopy(choose(OTHERS))
    else:
        holder.insert(choose(range(len(holder) + 1)), copy.deepcopy(choose(OTHERS)))
    return data


def assert_refused_by_both(data: Any) -> bool:
    """Whether the schema refuses it; then it must not be read."""
    if VALIDATOR.is_valid(data):
        return False
    assert refused(data), json.dumps(data)
    return True


@settings(max_examples=300)
@given(st.data())
def test_mutations_that_the_schema_refuses_are_not_read(data):
    mutated = data.draw(st.sampled_from(VALID), label="entry")
    for _ in range(data.draw(st.integers(1, 2), label="mutations")):
        mutated = mutate(mutated, lambda items: data.draw(st.sampled_from(list(items))))
        assume(len(places(mutated)) > 1)
    assert_refused_by_both(mutated)


def test_few_mutations_are_allowed_by_the_schema_and_refused_by_the_code():
    rng = random.Random(0)
    both = neither = only_code = 0
    for _ in range(3000):
        mutated = mutate(rng.choice(VALID), rng.choice)
        if assert_refused_by_both(mutated):
            both += 1
        elif reason := refused(mutated):
            # What no schema can say: names of the catalogue, real dates, cuts within the wire, 1.0, texts in UTF-8.
            said = reason.partition(":")[0].partition("[")[0]
            assert said in {"rules", "deviations", "date", "cuts", "version"} or "64" in reason or "1.0" in reason, (
                reason
            )
            only_code += 1
        else:
            neither += 1
    assert both > 1500
    assert neither > 100
    assert only_code < 500
