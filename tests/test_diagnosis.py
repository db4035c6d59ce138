"""The diagnosis: what is named, what is said of it, and what is left open."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chunkproof.check import check
from chunkproof.diagnosis.diagnose import diagnose, diagnose_all
from chunkproof.diagnosis.telling import telling_cases
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.peace import at_peace
from chunkproof.replay import read_case
from chunkproof.rules import RULES, find_rule
from chunkproof_reports.diagnosis import diagnosis
from chunkproof_reports.paint import Paint
from chunkproof_reports.results import DiagnosisRecord, Results
from chunkproof_targets.contract import Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.deviations import CATALOGUE, find_deviations
from chunkproof_targets.deviations.compose import DeviatingTarget, compose
from chunkproof_targets.loading import load_target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

from .faults import CATCHES

DIAGNOSE = sys.modules[diagnose.__module__]
QUICK = [rule for rule in RULES if rule.examine is None]


def deviating(names: str) -> Target:
    return DeviatingTarget(compose(find_deviations(names)), names)


def judged(target: Target, rules: list[str] | None = None, *, forked: bool = False) -> Results:
    chosen = QUICK if rules is None else [find_rule(rule) for rule in rules]
    return check(target, "smoke", rules=chosen, forked=forked)


def diagnosed(target: Target, rules: list[str] | None = None, *, forked: bool = False) -> DiagnosisRecord:
    results = judged(target, rules, forked=forked)
    isolation = Isolation(Limits(), forked=forked)
    try:
        with at_peace():
            return diagnose(target, [one for one in results.rules if one.fails], isolation, seed="1")
    finally:
        isolation.close()


def named(record: DiagnosisRecord) -> list[set[str]]:
    """The names, each with what it was not told apart from."""
    return [{one.name, *one.equals} for one in record.deviations]


def lines(record: DiagnosisRecord) -> str:
    return "\n".join(diagnosis(record, [], Paint(False)))


# What is named --------------------------------------------------------------------------------------------------------

#: Of each layer some, by a fixed stride; `make long` takes them all.
SOME = [entry for entry in CATALOGUE if not entry.shows_in and not entry.is_choice and not entry.carries][::23]


@pytest.mark.parametrize("entry", SOME, ids=lambda entry: entry.name)
def test_an_entry_is_named(entry):
    record = diagnosed(deviating(entry.name), list(CATCHES[entry.name]))
    assert len(record.deviations) == 1
    assert entry.name in named(record)[0]
    assert record.explained == record.outcomes > 200
    assert record.rules_unexplained == ()


@pytest.mark.parametrize(
    "names",
    [
        "bom-not-stripped+crlf-split-chunks",
        "utf8-split-lossy+eof-incomplete-dispatched",
        "id-per-event+retry-lenient-int",
        "type-block-dispatched+id-that-stays-dispatched+control-block-dispatched",
        "value-overtrimmed+comment-ends-a-block",
        "first-chunk-lost+ill-formed-as-latin1",
    ],
)
def test_several_are_named_together(names):
    record = diagnosed(deviating(names))
    wanted = {one.name for one in find_deviations(names)}
    assert {one.name for one in record.deviations} == wanted
    assert record.explained == record.outcomes


@pytest.mark.parametrize(
    ("parser", "words"),
    [
        ("parser-a", {"json-split-mid-event": "A line that a chunk's end cuts is read as it is"}),
        ("parser-b", {"each-data-line-is-an-event": "Dispatches each data line at once."}),
        ("parser-c", {"utf8-split-lossy": "Decodes each chunk by itself, so a cut character becomes"}),
        ("fetch-loop", {"block-is-the-payload": "Splits the text at two LFs", "done-ends-stream": "[DONE]"}),
    ],
)
def test_a_published_parser_is_named_in_the_words_of_its_article(parser, words):
    record = diagnosed(load_target(parser, folder=Path.cwd()))
    what = {one.name: one.what for one in record.deviations}
    for name, text in words.items():
        assert text in what[name]
    assert record.explained >= 0.99 * record.outcomes


def test_a_library_is_explained():
    record = diagnosed(load_target("httpx-sse", folder=Path.cwd()), forked=True)
    assert {one.name for one in record.deviations} == {
        "bom-not-stripped",
        "retry-lenient-int",
        "type-block-dispatched",
        "id-block-dispatched",
        "id-that-stays-dispatched",
        "control-block-dispatched",
    }
    assert record.explained == record.outcomes
    assert record.rules_unexplained == ()


def test_a_time_is_named_by_its_rule():
    record = diagnosed(deviating("late-dispatch"), ["delivery/prompt"])
    assert "late-dispatch" in named(record)[0]
    assert record.deviations[0].rules == ("delivery/prompt",)


def test_what_no_outcome_shows_is_said_apart():
    record = diagnosed(deviating("bom-not-stripped+late-dispatch"), ["delivery/prompt", "bytes/mark-removed"])
    assert [one.measured for one in record.deviations] == [False, True]
    first, _, second = lines(record).partition("time, memory or delivery: no outcome shows the cause")
    assert "behaves like the reference parser with this deviation" in first
    assert "1. bom-not-stripped" in first
    assert "delivery/prompt" not in first
    assert "breaks 1 rule: delivery/prompt" in second


def test_a_long_line_that_breaks_in_another_way_is_not_named():
    class Reversed(ReferenceParser):
        def emit(self, event):
            super().emit(event._replace(data=event.data[::-1]) if len(event.data) > 2**20 else event)

    rules = ["size/a-line-of-1-mib", "size/a-line-of-10-mib"]
    assert diagnosed(DeviatingTarget(Reversed, "reversed"), rules).deviations == ()
    assert named(diagnosed(deviating("lines-beyond-a-million-dropped"), rules)) == [{"lines-beyond-a-million-dropped"}]


def test_of_several_ways_to_be_late_the_one_that_is_seen_is_named():
    record = diagnosed(deviating("late-by-one-event"), ["delivery/prompt"])
    assert named(record) == [{"late-by-one-event"}]


class InThrees(ReferenceParser):
    """Hands out three events at a time, and the rest at the end."""

    def take_events(self):
        return super().take_events() if len(self._events) >= 3 else []

    def close(self):
        super().close()
        return super().take_events()


def test_who_is_late_in_a_way_of_his_own_is_not_named():
    record = diagnosed(DeviatingTarget(InThrees, "in-threes"), ["delivery/prompt"])
    assert record.deviations == ()
    assert record.rules_unexplained == ("delivery/prompt",)


def test_what_crosses_runs_is_named():
    rule = "whole/a-second-run-sees-nothing-of-the-first"
    record = diagnosed(deviating("data-in-a-class-attribute"), [rule], forked=True)
    assert named(record) == [{"data-in-a-class-attribute"}]


# What is left open ----------------------------------------------------------------------------------------------------


class Strange(ReferenceParser):
    """No deviation of the catalogue: every event whose data has seven characters is said twice."""

    def emit(self, event):
        super().emit(event)
        if len(event.data or "") == 7:
            super().emit(event)


def test_what_no_deviation_explains_is_shown_as_the_smallest_case():
    target = DeviatingTarget(Strange, "strange")
    record = diagnosed(target)
    assert record.explained < record.outcomes
    assert len(read_case(record.unexplained).streams[-1][0]) <= 20
    assert "not explained" in lines(record)
    assert record.unexplained in lines(record)


def test_a_fault_of_the_catalogue_beside_a_strange_one_is_named_still():
    class Both(Strange):
        def strip_mark(self, text):
            return text

    record = diagnosed(DeviatingTarget(Both, "both"))
    assert "bom-not-stripped" in [one.name for one in record.deviations]
    assert record.explained < record.outcomes


def test_all_that_differs_on_fresh_streams_counts(monkeypatch):
    class StrangeOnMuch(ReferenceParser):
        """As `Strange`, on any event that has a type of its own."""

        def emit(self, event):
            super().emit(event)
            if event.type != "message":
                super().emit(event)

    # There is no time to look for more when the first fresh streams have been run.
    monkeypatch.setattr(DIAGNOSE, "_ROUNDS", 1)
    monkeypatch.setattr(DIAGNOSE, "_COUNTEREXAMPLES_MAX", 2)
    monkeypatch.setattr(DIAGNOSE, "telling_cases", dict)
    record = diagnosed(DeviatingTarget(StrangeOnMuch, "strange"), ["lines/lf", "dispatch/the-type-is-reset"])
    assert record.outcomes - record.explained > 10
    assert record.unexplained


def test_what_is_to_be_explained_is_asked_first(monkeypatch):
    asked = []

    def note(target, questions, *given, **more):
        asked.append(questions)
        return []

    monkeypatch.setattr(DIAGNOSE, "ask", note)
    record = diagnosed(deviating("bom-not-stripped"), ["bytes/mark-removed"])
    assert asked[0][0].wire in (b"\xef\xbb\xbfdata\n\n", b"\xef\xbb\xbfdata: a\n\n")
    assert asked[0][1] == next(iter(telling_cases()))
    assert (record.outcomes, record.deviations) == (0, ())
    assert "no cause was found for 1 rule: bytes/mark-removed" in lines(record)


def test_what_a_target_declares_that_it_may_do_is_no_deviation():
    declared = Declared(invalid_utf8="strict")
    target = load_target("deviation:utf8-strict+bom-not-stripped", folder=Path.cwd(), declared=declared)
    record = diagnosed(target, ["bytes/mark-removed", "bytes/ill-formed-is-replaced"])
    assert [one.name for one in record.deviations] == ["bom-not-stripped"]
    assert record.explained == record.outcomes


class LineLimit(ReferenceParser):
    """A limit that no deviation of the catalogue has."""

    def read_line(self, line):
        if len(line) > 8192:
            raise ValueError("line too long")
        super().read_line(line)


def test_what_is_so_in_another_form_is_said_to_be():
    record = diagnosed(DeviatingTarget(LineLimit, "line-limit"), ["size/values-beyond-64-ki-characters"])
    against = [one.against for one in record.deviations if one.against]
    assert against
    assert record.explained < record.outcomes
    assert 4096 < len(read_case(against[0]).streams[-1][0]) <= 8192 + len("data: \n\n")
    assert "not always, or in another form" in lines(record)


def test_what_a_target_does_not_show_is_not_told_apart():
    def data_alone(chunks):
        parser = compose(find_deviations("no-colon-ignored"))()
        for chunk in chunks:
            yield from [event.data for event in parser.feed(chunk)]

    (one,) = diagnosed(adapt(data_alone, name="data-alone", found="here")).deviations
    assert {one.name, *one.equals} == {"no-colon-ignored", "data-without-colon-ignored"}


def test_a_right_target_has_no_diagnosis():
    results = judged(DeviatingTarget(ReferenceParser), ["lines/lf", "bytes/mark-removed"])
    diagnose_all(results, [DeviatingTarget(ReferenceParser)], Isolation(Limits(), forked=False))
    assert results.diagnoses == []


# What is said of it ---------------------------------------------------------------------------------------------------


def test_rules_that_fail_for_one_reason_stand_under_it_once():
    results = judged(deviating("bom-not-stripped+crlf-split-chunks"))
    broken = {one.id for one in results.rules if one.fails}
    record = diagnosed(deviating("bom-not-stripped+crlf-split-chunks"))
    under = [rule for one in record.deviations for rule in one.rules]
    assert len(under) == len(set(under))
    assert set(under) == broken
    of = {one.name: one.rules for one in record.deviations}
    assert "bytes/mark-removed" in of["bom-not-stripped"]
    assert "lines/crlf-cut" in of["crlf-split-chunks"]


def test_the_lines_give_symptom_mend_clause_and_a_command():
    text = lines(diagnosed(deviating("bom-not-stripped"), ["bytes/mark-removed", "bytes/mark-before-other-fields"]))
    for words in (
        "it behaves like the reference parser with this deviation",
        "1. bom-not-stripped: Keeps the byte order mark.",
        "seen as: ",
        "mend: ",
        "clause: 9.2.5",
        "reported: openai/openai-python#3819",
        "breaks 2 rules: bytes/mark-removed, bytes/mark-before-other-fields",
        "chunkproof replay cp1.",
        "--target bom-not-stripped",
    ):
        assert words in text


def test_a_record_crosses_json():
    results = judged(deviating("bom-not-stripped"), ["bytes/mark-removed"])
    diagnose_all(results, [deviating("bom-not-stripped")], Isolation(Limits(), forked=False))
    assert Results.from_json(results.to_json()).diagnoses == results.diagnoses


def declaring(names: str, declared: str) -> Target:
    return load_target(
        f"deviation:{names}", folder=Path.cwd(), declared=Declared(deviations=tuple(declared.split("+")))
    )


def test_a_declared_deviation_is_marked():
    target = declaring("bom-not-stripped+crlf-split-chunks", "bom-not-stripped")
    record = diagnosed(target, ["lines/crlf-cut", "bytes/mark-removed"])
    assert {one.name: one.declared for one in record.deviations} == {
        "bom-not-stripped": True,
        "crlf-split-chunks": False,
    }
    assert record.stale == ()


def test_a_declared_deviation_that_is_not_there_is_stale():
    target = declaring("crlf-split-chunks", "bom-not-stripped")
    record = diagnosed(target, ["lines/crlf-cut", "bytes/mark-removed"])
    assert record.stale == ("bom-not-stripped",)
    assert "bom-not-stripped is declared, and the target does as the standard says: stale, remove it" in lines(record)
    # What it breaks is broken by the declaration, and by nothing else.
    assert record.rules_unexplained == ()


def test_what_is_declared_to_raise_is_no_deviation_that_is_found():
    target = deviating("utf8-strict+bom-not-stripped")
    target.strict_utf8 = True
    record = diagnosed(target, ["bytes/mark-removed"])
    assert named(record) == [{"bom-not-stripped"}]
    assert record.explained == record.outcomes


def test_a_declared_deviation_that_nothing_speaks_of_is_undecided():
    def data_alone(chunks):
        parser = compose(find_deviations("bom-not-stripped"))()
        for chunk in chunks:
            yield from [event.data for event in parser.feed(chunk)]

    declared = Declared(deviations=("id-per-event",))
    record = diagnosed(adapt(data_alone, name="data-alone", found="here", declared=declared), ["bytes/mark-removed"])
    assert (record.stale, record.undecided) == ((), ("id-per-event",))
    assert "id-per-event is declared: undecided" in lines(record)


def test_a_declared_deviation_in_whose_place_there_is_another_is_said_to_be_so():
    record = diagnosed(
        declaring("eof-blank-line-added", "eof-incomplete-dispatched"), ["lines/an-unfinished-line-is-no-line"]
    )
    assert named(record) == [{"eof-blank-line-added"}]
    assert (record.stale, record.otherwise, record.undecided) == ((), ("eof-incomplete-dispatched",), ())
    assert "eof-incomplete-dispatched is declared, and what was found stands without it" in lines(record)
