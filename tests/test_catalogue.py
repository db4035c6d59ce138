"""The catalogue of deviations: what each entry says, and that they can stand together in one parser."""

from __future__ import annotations

import dis
import inspect
import re
from itertools import combinations

import pytest

from chunkproof_strategies.chunkings import chunks_of
from chunkproof_targets.contract import Outcome, TargetError
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviation, find_deviations
from chunkproof_targets.deviations.compose import Interpreter, compose
from chunkproof_targets.reference import ReferenceParser

from .faults import CATCHES

#: Classes of public bug reports that are faults of a parser.
REPORTED = [
    "bare-json-lines",
    "bom-not-stripped",
    "bom-overstripped",
    "bom-split-chunks",
    "comment-block-crash",
    "comment-block-dispatched",
    "control-block-dispatched",
    "crlf-offset-error",
    "crlf-split-chunks",
    "crlf-state-stale",
    "delimiter-split-chunks",
    "done-substring-match",
    "empty-data-line-lost",
    "empty-value-crash",
    "eof-incomplete-dispatched",
    "eof-partial-utf8-crash",
    "eof-truncation-silent",
    "event-split-chunks",
    "event-type-leaks",
    "field-name-case-folded",
    "field-name-trimmed",
    "id-nul-accepted",
    "id-only-block-ignored",
    "json-split-mid-event",
    "late-dispatch",
    "latin1-default-charset",
    "lf-not-supported",
    "line-limit",
    "mixed-line-endings",
    "multiline-data-overwritten",
    "multiple-events-per-chunk",
    "quadratic-buffering",
    "quadratic-line-decoding",
    "retry-invalid-raises",
    "retry-lenient-int",
    "retry-not-stored",
    "space-after-colon-required",
    "trailing-cr-held-back-lost",
    "trailing-newlines-lost",
    "unicode-line-splitting",
    "utf8-split-crash",
    "utf8-split-lossy",
    "value-overtrimmed",
    "value-split-on-colon",
]
#: What all parsers have, and what the entries that end a stream share.
STEPS = {*dir(ReferenceParser), *vars(ReferenceParser())}
SHARED = {"_over"}
#: Read by one helper alone, which replaces the step: two of these cannot be combined.
ASKED_BY_ONE = {"ends", "boundary"}


def outcome(names: str, wire: bytes, *cuts: int) -> Outcome:
    found, failure = Interpreter(find_deviations(names)).interpret(chunks_of(wire, cuts))
    assert failure is None
    return found


def data(names: str, wire: bytes, *cuts: int) -> list[str | None]:
    return [event.data for event in outcome(names, wire, *cuts).events]


def classes(entry: Deviation) -> list[type]:
    return [cls for cls in entry.part.__mro__ if cls not in ReferenceParser.__mro__]


# What an entry says ---------------------------------------------------------------------------------------------------


def test_there_are_many_entries_in_every_layer():
    layers = [entry.layer for entry in CATALOGUE]
    assert len(CATALOGUE) >= 400
    assert min(layers.count(layer) for layer in set(layers)) >= 20
    assert set(layers) == {"bytes", "characters", "lines", "fields", "events", "completion", "transport"}


def test_every_class_of_public_reports_has_an_entry():
    names = {entry.name.partition("=")[0] for entry in CATALOGUE}
    assert set(REPORTED) - names - {alias for entry in CATALOGUE for alias in entry.aliases} == set()


def test_no_name_or_alias_stands_twice():
    names = [name for entry in CATALOGUE for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(=[a-z0-9-]+)?", name)] == []


@pytest.mark.parametrize("word", ["what", "symptom", "mend"])
def test_every_entry_speaks_in_sentences(word):
    texts = [getattr(entry, word) for entry in CATALOGUE]
    assert [text for text in texts if not re.fullmatch(r"[A-Z`\"'[].{10,200}\.", text)] == []


def test_reports_are_references_alone():
    reports = [report for entry in CATALOGUE for report in entry.reports]
    assert len(reports) > 100
    assert [report for report in reports if not re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", report)] == []


def test_every_entry_names_its_clause():
    assert [
        entry.name for entry in CATALOGUE if not re.search(r"9\.2|Encoding|no clause|good sense", entry.clause)
    ] == []


def test_every_entry_has_rules_that_must_catch_it():
    assert {entry.name for entry in CATALOGUE} == set(CATCHES)


# Together -------------------------------------------------------------------------------------------------------------


def own_names(entry: Deviation) -> set[str]:
    """The attributes that it sets, of itself or of its class, under a name that another entry could take too."""
    own = tuple(f"_{cls.__name__.lstrip('_')}__" for cls in classes(entry))
    names = {
        name
        for cls in classes(entry)
        for name, value in vars(cls).items()
        if not inspect.isfunction(value) and not name.startswith("__")
    }
    for cls in classes(entry):
        for method in filter(inspect.isfunction, vars(cls).values()):
            names |= {one.argval for one in dis.get_instructions(method) if one.opname == "STORE_ATTR"}
    return {name for name in names if not name.startswith(own)}


def test_an_entry_keeps_its_state_to_itself():
    assert {entry.name: left for entry in CATALOGUE if (left := own_names(entry) - STEPS - SHARED - ASKED_BY_ONE)} == {}


def test_any_two_that_replace_no_common_step_can_be_combined():
    refused = 0
    for one, other in combinations(CATALOGUE, 2):
        try:
            compose.__wrapped__((one, other))
        except TargetError:
            refused += 1
            assert one.steps & other.steps & (one.replaces | other.replaces), f"{one.name}+{other.name}"
    assert 0 < refused < 500


def test_two_deviations_show_together():
    wire = b"\xef\xbb\xbfdata: a\n\ndata: b\n\nid: 1\ndata: c"
    assert data("bom-not-stripped+eof-incomplete-dispatched", wire + b"\n") == ["b", "c"]
    assert data("bom-not-stripped", wire + b"\n") == ["b"]
    assert data("eof-incomplete-dispatched", wire + b"\n") == ["a", "b", "c"]


def test_two_on_one_step_show_together_where_each_goes_on():
    assert data("percent-decoded+escapes-read", b"data: %41\\n\n\n") == ["A\n"]


def test_a_set_is_one_parser_in_any_order():
    wire = "data: ä\0a\u0308\n\n".encode()
    assert data("nfc-normalises+nfd-normalises", wire) == data("nfd-normalises+nfc-normalises", wire)


def test_what_crosses_runs_does_not_cross_interpreters():
    (entry,) = find_deviations("data-in-a-class-attribute")
    first, second = Interpreter((entry,)), Interpreter((entry,))
    first.interpret([b"data: a\n"])
    assert [event.data for event in second.interpret([b"data: b\n\n"])[0].events] == ["b"]
    assert [event.data for event in first.interpret([b"data: b\n\n"])[0].events] == ["a\nb"]


def test_times_go_with_their_events_also_in_another_order():
    found = outcome("events-of-a-chunk-in-reverse", b"retry: 1\ndata: a\n\nretry: 2\ndata: b\n\n")
    assert [event.data for event in found.events] == ["b", "a"]
    assert found.event_retries == (("2", "2"), ("1", "1"))


def test_an_interrupt_of_the_user_is_no_failure_of_a_deviation(monkeypatch):
    (entry,) = find_deviations("interrupted-on-a-value")
    _, failure = Interpreter((entry,)).interpret([b"data: null\n\n"])
    assert isinstance(failure, KeyboardInterrupt)

    def interrupted(self, text):
        raise KeyboardInterrupt

    monkeypatch.setattr(ReferenceParser, "read_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Interpreter((entry,)).interpret([b"data: null\n\n"])


# What is typed --------------------------------------------------------------------------------------------------------


def test_an_alias_names_the_entry():
    assert find_deviation("crlf-split") is find_deviation("crlf-split-chunks")
    assert [one.name for one in find_deviations("bom-kept+end-flush")] == [
        "bom-not-stripped",
        "eof-incomplete-dispatched",
    ]


def test_an_unknown_name_is_told_with_what_is_near():
    with pytest.raises(TargetError, match=r"'bom-stript' is no deviation of the catalogue; near it: bom-"):
        find_deviation("bom-stript")


def test_two_that_replace_one_step_are_told_so():
    with pytest.raises(
        TargetError,
        match=r"cannot be combined: both replace the same step of a parser \(resume_after_cr, split_lines\)",
    ):
        compose(find_deviations("cr-not-supported+crlf-required"))
