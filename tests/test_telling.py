"""The telling cases: they tell all entries of the catalogue apart, and say rightly what shows where."""

from __future__ import annotations

from collections import defaultdict

from chunkproof.diagnosis.seen import Prediction, predict
from chunkproof.diagnosis.telling import telling_cases
from chunkproof.question import Question
from chunkproof.rule_check import EFFORTS, look
from chunkproof.rule_run import RuleRun
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof_targets.deviations import CATALOGUE, Deviation
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser

TARGET = DeviatingTarget(ReferenceParser)
#: What no outcome shows is not told apart by outcomes.
ENTRIES = [entry for entry in CATALOGUE if not entry.shows_in]
#: A longer wire is not run with all entries again here.
LONG = 2000


def given(question: Question, *entries: Deviation) -> Prediction:
    return predict(TARGET, question, entries)


def text_of(prediction: Prediction) -> str:
    wanted = prediction.expectation
    return repr((wanted.events, wanted.last_event_id, wanted.retries, prediction.failure is not None))


def test_all_pairs_are_told_apart():
    outcomes: dict[Deviation | None, list[str]] = defaultdict(list)
    for question, shown in telling_cases().items():
        standard = text_of(given(question))
        for entry in ENTRIES:
            # What is said not to show there gives what the standard does; the next test holds that.
            outcomes[entry].append(text_of(given(question, entry)) if entry in shown else standard)
        outcomes[None].append(standard)
    alike = defaultdict(list)
    for one, told in outcomes.items():
        alike["\n".join(told)].append("the standard" if one is None else one.name)
    assert [names for names in alike.values() if len(names) > 1] == []


def test_the_table_says_what_shows_where():
    for question, shown in telling_cases().items():
        if len(question.wire) <= LONG:
            standard = given(question)
            found = {entry for entry in ENTRIES if not given(question, entry).agrees(standard)}
            assert found == set(shown), question


def test_the_rule_on_them_breaks_on_every_entry_that_shows_in_a_short_stream_of_its_own():
    rule = find_rule("whole/telling-cases-are-right")
    shown = {
        entry
        for question, entries in telling_cases().items()
        if len(question.wire) <= LONG and not question.before and not any(entry.is_choice for entry in entries)
        for entry in entries
    }
    assert len(shown) > 380
    with Watch() as watch:
        # What keeps something from run to run breaks on streams that are right when they are run alone.
        for entry in (entry for entry in ENTRIES if not entry.carries):
            target = DeviatingTarget(entry.part)
            status = look(RuleRun(rule, target, watch), EFFORTS["smoke"], "1").status
            assert status == ("broken" if entry in shown else "held"), entry.name


def test_most_telling_cases_are_read_at_a_glance():
    sizes = sorted(question.size for question in telling_cases())
    assert len(sizes) >= 200
    assert sizes[len(sizes) // 2] <= 24
    assert sizes == sorted(sizes)


def test_no_telling_case_stands_twice():
    assert len({(one.wire, one.cuts, one.before) for one in telling_cases()}) == len(telling_cases())
