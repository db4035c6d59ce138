"""A campaign that goes on in a folder runs what was found there before again: the parser may have been mended since."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from chunkproof.counterexample import decode_token
from chunkproof.fuzzing.collecting import Collector
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.state import PAST_MAX, State
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof_targets.loading import load_target

#: A byte order mark in front of a data line, which is kept; and a line without a colon, which is ignored.
MARK = decode_token("cp1.ABJieXRlcy9tYXJrLXJlbW92ZWQAAQzvu79kYXRhOiBhCgoA")
NO_COLON = decode_token("cp1.ABlmaWVsZHMvZGF0YS13aXRob3V0LWNvbG9uAAELZGF0YQpkYXRhCgoA")


@pytest.fixture
def isolation():
    process = Isolation(Limits())
    yield process
    process.close()


def collect(state: State, isolation: Isolation, target: str) -> None:
    loaded = load_target(target, folder=Path.cwd())
    try:
        collector = Collector(state, loaded, isolation, seed="fuzz", began=time.time())
        collector.collect(wait=True)
        assert not collector.has_work
    finally:
        loaded.close()


@pytest.fixture
def state(tmp_path, isolation):
    """The folder of a campaign that has found both faults."""
    state = State.open(tmp_path / "state", "chat", ())
    for case in (MARK, NO_COLON):
        assert state.put(Found.of_case(case, "changed", engine="storm", seed="1"))
    collect(state, isolation, "deviation:bom-not-stripped+no-colon-ignored")
    assert found(state) == ["bom-not-stripped", "no-colon-ignored"]
    return state


def found(state: State) -> list[str]:
    return sorted(name for record in state.records() for name in record["deviations"])


def test_what_fails_still_is_a_finding_as_before(state, isolation):
    before, known = state.records(), state.known()
    state.look_again()
    assert state.records() == []
    collect(state, isolation, "deviation:bom-not-stripped+no-colon-ignored")
    assert state.records() == before
    assert state.known() == known == ("bom-not-stripped", "no-colon-ignored")


def test_what_was_mended_counts_no_more_and_its_entry_stays(state, isolation):
    entries = sorted(state.corpus.rglob("*.json"))
    state.look_again()
    collect(state, isolation, "deviation:bom-not-stripped")
    assert found(state) == ["bom-not-stripped"]
    assert [json.loads(path.read_text("utf-8"))["deviations"] for path in state.past.iterdir()] == [
        ["no-colon-ignored"]
    ]
    assert sorted(state.corpus.rglob("*.json")) == entries
    assert len(entries) == 2


def test_a_fault_that_was_mended_is_news_when_it_comes_back(state, isolation):
    state.look_again()
    collect(state, isolation, "reference")
    assert (state.records(), state.known()) == ([], ())
    state.put(Found.of_case(MARK, "changed", engine="storm", seed="2"))
    collect(state, isolation, "deviation:bom-not-stripped")
    assert found(state) == ["bom-not-stripped"]


def test_a_campaign_that_was_killed_while_it_looked_again_goes_on(state, isolation):
    state.look_again()
    state.look_again()
    assert len(state.of_earlier()) == 2
    collect(state, isolation, "deviation:no-colon-ignored")
    assert found(state) == ["no-colon-ignored"]


def test_a_file_that_is_no_finding_harms_nothing(state, isolation):
    state.look_again()
    (state.earlier / "0.json").write_text("{", "utf-8")
    collect(state, isolation, "reference")
    assert [path.name for path in state.artefacts.iterdir()] == ["0.json"]
    assert state.of_earlier() == []


def test_past_findings_have_a_bound(state, isolation):
    for number in range(PAST_MAX - 1):
        (state.past / f"{number}.json").touch()
    state.look_again()
    collect(state, isolation, "reference")
    assert sum(1 for _ in state.past.iterdir()) == PAST_MAX
