"""The results of a run: what is written can be read, by this release and by others of the same version."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof_reports.results import (
    VERSION,
    Counterexample,
    EventRecord,
    Kind,
    OutcomeRecord,
    Results,
    RuleResult,
    Severity,
    Status,
    StreamRecord,
    TargetRecord,
)

# A target may hand out anything that a str can hold.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=6)
MAYBE = st.none() | TEXTS
NUMBERS = st.integers(0, 10**9)
STREAMS = st.builds(StreamRecord.of, st.binary(max_size=8), st.lists(st.integers(0, 8), max_size=3).map(tuple))
EVENTS = st.builds(EventRecord, MAYBE, MAYBE, MAYBE, MAYBE)
OUTCOMES = st.builds(
    OutcomeRecord,
    st.lists(EVENTS, max_size=2).map(tuple),
    MAYBE,
    st.none() | st.lists(TEXTS, max_size=2).map(tuple),
    TEXTS,
)
COUNTEREXAMPLES = st.builds(
    Counterexample,
    st.sampled_from(get_args(Kind)),
    st.lists(STREAMS, min_size=1, max_size=2).map(tuple),
    OUTCOMES,
    OUTCOMES,
    token=TEXTS,
    token_file=TEXTS,
    traceback=TEXTS,
)
RULES = st.builds(
    RuleResult,
    id=TEXTS,
    target=TEXTS,
    requirement=TEXTS,
    clause=TEXTS,
    severity=st.sampled_from(get_args(Severity)),
    status=st.sampled_from(get_args(Status)),
    checks=NUMBERS,
    streams=NUMBERS,
    seconds=st.floats(0, 1e6).map(lambda seconds: round(seconds, 4)),
    reason=TEXTS,
    advice=TEXTS,
    counterexample=st.none() | COUNTEREXAMPLES,
)
RESULTS = st.builds(
    Results,
    TEXTS,
    TEXTS,
    TEXTS,
    st.lists(
        st.builds(TargetRecord, TEXTS, TEXTS, TEXTS, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), TEXTS), max_size=2
    ),
    rules=st.lists(RULES, max_size=2),
)


@given(RESULTS)
def test_results_go_through_json_and_come_back(results):
    assert Results.from_json(results.to_json()) == results


@given(RULES)
def test_a_rule_result_goes_through_json_by_itself(result):
    # As ASCII, as it crosses from an xdist worker to the controller.
    assert RuleResult.from_data(json.loads(json.dumps(result.to_data()))) == result


@given(st.binary(max_size=30))
def test_a_stream_holds_its_bytes(wire):
    assert StreamRecord.of(wire, (0, 1)).data == wire


def some() -> Results:
    outcome = OutcomeRecord((EventRecord("message", "你\ud800", None, "5"),), "1", ("5",), "ValueError: no")
    found = Counterexample("lost", (StreamRecord.of(b"data: a\n\n", (3,)),), outcome, outcome, "cp1.AA")
    rule = RuleResult("bytes/x", "t", "It holds.", "9.2.5", "must", "broken", counterexample=found)
    return Results("0.1.0", "smoke", "1", [TargetRecord("t", "shape", "data", "here")], rules=[rule])


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(some().to_json()), **fields})


def test_the_file_is_json_with_a_version_first():
    text = some().to_json()
    assert text.endswith("}\n")
    assert next(iter(json.loads(text))) == "version"
    assert json.loads(text)["version"] == VERSION == 1
    assert "你" in text, "readable where it can be"


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_refused(version):
    message = rf"not a chunkproof report of version 1: found {version!r}; write it again with this release"
    with pytest.raises(ValueError, match=message):
        Results.from_json(changed(version=version))


@pytest.mark.parametrize(("text", "found"), [("{}", "None"), ("[]", "'list'"), ("1", "'int'"), ('"x"', "'str'")])
def test_what_is_no_report_is_refused(text, found):
    with pytest.raises(ValueError, match=f"not a chunkproof report of version 1: found {found}"):
        Results.from_json(text)


def test_what_is_no_json_is_refused():
    with pytest.raises(ValueError, match="Expecting value"):
        Results.from_json("")


def with_new_fields(data: Any) -> Any:
    """As a later release of the same version writes it: one field more in every object."""
    if isinstance(data, dict):
        return {**{key: with_new_fields(value) for key, value in data.items()}, "added_later": [1]}
    return [with_new_fields(item) for item in data] if isinstance(data, list) else data


def test_fields_that_a_later_release_added_are_passed_over():
    text = json.dumps(with_new_fields(json.loads(some().to_json())))
    assert Results.from_json(text) == some()
    result = some().rules[0]
    assert RuleResult.from_data(with_new_fields(result.to_data())) == result


def test_fields_that_an_earlier_release_did_not_have_take_their_default():
    data = json.loads(some().to_json())
    for name in ("wpt", "since", "advice", "checks"):
        del data["rules"][0][name]
    for name in ("token_file", "traceback"):
        del data["rules"][0]["counterexample"][name]
    del data["rules"][0]["counterexample"]["actual"]["failure"]
    del data["rules"][0]["counterexample"]["expected"]["events"][0]["retry"]
    read = Results.from_json(json.dumps(data)).rules[0]
    assert read.checks == 0
    assert read.counterexample is not None
    assert (read.counterexample.token, read.counterexample.token_file) == ("cp1.AA", "")
    assert read.counterexample.traceback == ""
    assert read.counterexample.actual.failure == ""
    assert read.counterexample.expected.events[0].retry is None


@pytest.mark.parametrize("name", ["rules", "targets", "seed"])
def test_a_report_that_lacks_what_it_must_hold_is_refused(name):
    data = json.loads(some().to_json())
    del data[name]
    with pytest.raises(ValueError, match=f"not a whole chunkproof report: it lacks '{name}'"):
        Results.from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("severity", "status", "fails"),
    [
        ("must", "broken", True),
        ("should", "broken", True),
        ("info", "broken", False),
        ("must", "held", False),
        ("must", "not judged", False),
        ("must", "fault", False),
        ("must", "known", False),
        ("must", "stale", True),
    ],
)
def test_what_fails_a_run(severity, status, fails):
    assert RuleResult("x/y", "t", "r", "c", severity, status).fails is fails
