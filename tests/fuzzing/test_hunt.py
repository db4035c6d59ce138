"""What is news: a rare fault behind a frequent one that is known, each finding once, in a bounded part of the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chunkproof.corpus.making import ANY_RULE
from chunkproof.fuzzing import hunt as hunt_module
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.hunt import PROMPT, Hunt, explains, prompt_rule, seems_late
from chunkproof.rule_run import Finding, RuleRun
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof.way import LEFT_OUT
from chunkproof_strategies.chunkings import Cuts, chunks_of, random_cuts_with_empty_chunks
from chunkproof_strategies.generator import RandomSource, generate
from chunkproof_targets.contract import Run, Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.deviations import CATALOGUE, find_deviation
from chunkproof_targets.loading import load_target

HERE = Path(__file__).parent
BOM, NUL, SPACE, SPLIT = "bom-not-stripped", "id-nul-accepted", "space-not-removed", "utf8-split-lossy"
MARK = b"\xef\xbb\xbf"


def load(spec: str, **declared: Any) -> Target:
    return load_target(spec, folder=HERE, declared=Declared(**declared))


@pytest.fixture
def watch():
    with Watch() as watch:
        yield watch


class Clock:
    """A clock that stands still but for what a test lets pass."""

    def __init__(self) -> None:
        # As far as the real one is: a hunt that is not told when it began has asked that.
        self.now = time.monotonic()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def streams(seed: str, count: int, *, point: Any = None) -> list[tuple[bytes, Cuts]]:
    """Streams of the grammar that are within a rule's point, each cut anywhere, with empty chunks now and then."""
    source, made = RandomSource(seed), []
    for stream in generate(seed):
        cuts = random_cuts_with_empty_chunks(source, len(stream.wire)) if stream.wire else ()
        if point is None or point(stream.wire, cuts):
            made.append((stream.wire, cuts))
        if len(made) == count:
            break
    return made


def judged(hunt: Hunt, cases: list[tuple[bytes, Cuts]]) -> list[Found]:
    found = [hunt.judge(wire, cuts, str(at)) for at, (wire, cuts) in enumerate(cases)]
    return [one for one in found if one is not None]


def explained(by: str, target: Target, found: Found, watch: Watch) -> bool:
    rule = find_rule(found.rule)
    run = RuleRun(rule, target, watch).run(found.wire, found.cuts, found.before)
    return explains((find_deviation(by),), target, rule, Finding(found.before, found.wire, found.cuts, found.kind, run))


# two faults ----------------------------------------------------------------------------------------------------------

# The space behind the colon is kept: most streams show that.
BOTH = f"deviation:{SPACE}+{NUL}"
CASES = streams("two faults", 400)


def test_a_rare_fault_is_found_behind_a_frequent_one(watch, clock):
    target = load(BOTH)
    hunt = Hunt(target, watch, "storm", (find_deviation(SPACE),))
    found = judged(hunt, CASES)
    assert found
    assert hunt.repeats > 100
    for one in found:
        assert not explained(SPACE, target, one, watch), one
        assert b"id" in one.wire
        assert b"\0" in one.wire


def test_a_stream_is_not_made_small_into_what_is_known(watch, clock):
    target = load(BOTH)
    hunt = Hunt(target, watch, "storm", (find_deviation(SPACE),))
    found = hunt.judge(b": ping\ndata: first\n\nid: a\0b\nevent: ping\ndata: x\ndata: y\n\n", (9, 30), "5")
    assert found is not None
    assert (found.rule, found.seed, found.engine) == (ANY_RULE, "5", "storm")
    assert found.cuts == ()
    assert len(found.wire) < 24
    assert b"\0" in found.wire
    assert not explained(SPACE, target, found, watch)


def test_what_is_known_is_no_news(watch, clock):
    hunt = Hunt(load(BOTH), watch, "storm", (find_deviation(SPACE), find_deviation(NUL)))
    assert judged(hunt, CASES) == []
    assert hunt.repeats > 100
    assert (hunt.checks, hunt.passed_over, hunt.shrinking) == (len(CASES), 0, 0.0)


def test_a_right_parser_has_no_news_and_no_repeats(watch, clock):
    hunt = Hunt(load("reference"), watch, "storm")
    assert judged(hunt, CASES) == []
    assert (hunt.checks, hunt.repeats, hunt.passed_over) == (len(CASES), 0, 0)


def test_a_finding_is_news_once(watch, clock):
    hunt = Hunt(load(f"deviation:{BOM}"), watch, "storm")
    first = hunt.judge(MARK + b"data: one\n\n", (), "1")
    assert first is not None
    assert hunt.judge(MARK + b"data: another\n\n", (4,), "2") is None
    assert (hunt.repeats, hunt.signatures) == (1, {first.signature})
    # Nor where another engine has found it.
    other = Hunt(load(f"deviation:{BOM}"), watch, "atheris-table", signatures={first.signature})
    assert other.judge(MARK + b"data: one\n\n", (), "1") is None
    assert other.repeats == 1


def test_of_several_plans_the_first_that_is_news_is_told(watch, clock):
    target = load(f"deviation:{SPLIT}")
    hunt = Hunt(target, watch, "storm")
    wire = "data: 你\n\n".encode()
    found = hunt.judge_plans(wire, [(), (6,), (7,), (8,)], "1")
    assert found is not None
    assert (hunt.checks, watch.plan[0]) == (3, 2)
    # What is known by then is asked about once for all plans that come to the same.
    hunt = Hunt(target, watch, "storm", (find_deviation(SPLIT),))
    assert hunt.judge_plans(wire, [(), (7,), (7, 9), (8,)], "1") is None
    assert (hunt.checks, hunt.repeats) == (4, 3)


def test_a_target_of_lines_gets_no_cuts_and_one_that_ends_with_an_empty_chunk_none(watch, clock):
    fed: list[list[bytes]] = []

    class Noting(Target):
        def run(self, chunks: Sequence[bytes]) -> Run:
            fed.append(list(chunks))
            return Run()

    target = Noting()
    target.empty_chunk_ends = True
    Hunt(target, watch, "storm").judge(b": a\n", (1, 1, 2), "1")
    target.empty_chunk_ends, target.takes = False, "lines"
    Hunt(target, watch, "storm").judge(b": a\n", (1, 1, 2), "1")
    assert fed == [[b":", b" ", b"a\n"], [b": a\n"]]


# time ----------------------------------------------------------------------------------------------------------------


def test_no_more_than_a_part_of_the_time_goes_into_making_small(watch, clock, monkeypatch):
    took = 2.0

    def takes_long(rule_run: RuleRun, finding: Finding) -> Finding:
        clock.now += took
        return finding

    monkeypatch.setattr(hunt_module, "smaller", takes_long)
    # Everything fails, and each stream is another finding.
    began = clock.now
    hunt = Hunt(load(BOTH), watch, "storm", began=began)
    for at in range(400):
        hunt.judge(b"data: %d\n\n" % at, (), str(at))
        clock.now += 0.1
        allowed = hunt_module._SHRINKING_START + hunt_module._SHRINKING * (clock.now - began)
        assert hunt.shrinking <= allowed + took
    assert hunt.passed_over > 100
    # And that part is used.
    assert hunt.shrinking > 0.2 * (clock.now - began)


def test_one_stream_of_a_slow_target_is_made_small_for_a_bounded_time(watch, clock):
    wire = MARK + b"".join(b"event: x\ndata: %d\n\n" % number for number in range(100))

    class Slow(type(load("reference"))):  # type: ignore[misc]
        def __init__(self, target: Target) -> None:
            self.__dict__ |= target.__dict__
            self.target = target

        def run(self, chunks: Sequence[bytes]) -> Run:
            clock.now += 0.5
            return self.target.run(chunks)

    began = clock.now
    found = Hunt(Slow(load(f"deviation:{BOM}")), watch, "storm", began=began).judge(wire, (40,), "1")
    assert found is not None
    assert found.kind == "changed"
    assert clock.now - began <= hunt_module._ONE_STREAM + 2 * 0.5


def test_who_holds_back_makes_nothing_small(watch, clock):
    hunt = Hunt(load(BOTH), watch, "storm", holds_back=True)
    assert judged(hunt, CASES[:50]) == []
    assert hunt.passed_over > 10
    assert hunt.shrinking == 0.0


def test_time_that_went_into_it_before_counts(watch, clock):
    hunt = Hunt(load(BOTH), watch, "storm", began=clock.now - 10, shrinking=5.0)
    assert hunt.judge(b"data: a\n\n", (), "1") is None
    assert hunt.passed_over == 1


# when events come ----------------------------------------------------------------------------------------------------

LATE_BY_ONE = "../hostile/parsers.py:LateByOneChunk"
LATE = [f"deviation:{one.name}" for one in CATALOGUE if one.shows_in == PROMPT]


@pytest.mark.parametrize("spec", ["reference", LATE_BY_ONE, *LATE])
def test_what_seems_late_is_what_the_rule_says(spec, watch):
    target = load(spec)
    rule = prompt_rule(target)
    assert rule is not None
    assert rule.way is not None
    said = 0
    for wire, cuts in streams("late", 1500, point=rule.point):
        chunks = chunks_of(wire, cuts)
        expectation = rule.expectation(target, wire)
        verdict = rule.verdict(expectation, wire, cuts, rule.way.run(target, chunks, ()))
        if verdict != LEFT_OUT:
            assert seems_late(target.run(chunks), wire, cuts) == (verdict == "late"), (wire, cuts)
            said += verdict == "late"
    assert (said > 0) == (spec != "reference")


def test_nothing_seems_late_of_the_reference_on_any_stream(watch):
    target = load("reference")
    for wire, cuts in streams("any stream", 2000):
        assert not seems_late(target.run(chunks_of(wire, cuts)), wire, cuts), (wire, cuts)


def test_what_is_late_is_a_finding_of_the_rule_on_that(watch, clock):
    hunt = Hunt(load(LATE_BY_ONE), watch, "storm")
    found = hunt.judge(b"id: 1\ndata: one\n\n: ping\ndata: two\n\n", (5, 17, 20), "1")
    assert found is not None
    assert (found.rule, found.kind) == (PROMPT, "late")
    assert len(found.wire) < 30
    # Once it is known, it is no news.
    assert all(one.rule == PROMPT for one in judged(hunt, CASES))


@pytest.mark.parametrize("spec", LATE)
def test_what_is_late_as_is_known_is_no_news(spec, watch, clock):
    known = (find_deviation(spec.removeprefix("deviation:")),)
    hunt = Hunt(load(spec), watch, "storm", known)
    assert judged(hunt, streams("late", 400)) == []
    assert hunt.repeats > 0


def test_of_a_target_that_gives_all_at_once_nothing_is_late(watch, clock):
    target = load("../gallery/finished_list.py:parse")
    assert prompt_rule(target) is None
    assert judged(Hunt(target, watch, "storm"), streams("late", 300)) == []
