"""Rules run against a target without pytest: what is drawn, how much, and what comes of faults of our own."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from chunkproof.check import EFFORTS, RELEASE_SEED, Effort, check, check_rule, resolve_seed
from chunkproof.counterexample import decode_token
from chunkproof.plans import uncut
from chunkproof.rules import RULES, Rule, find_rule
from chunkproof.watch import Watch
from chunkproof_reports.results import RuleResult
from chunkproof_strategies.grammar import Draft
from chunkproof_targets.contract import Delivery, Run, Shows, Target
from chunkproof_targets.reference import ReferenceParser

SOME = Effort("some", checks=300, examples=5)
SEEDED = Effort("seeded alone", checks=300, examples=0)
#: Rules of each kind: broad and small, with chunks and without, with a stream that runs before.
A_FEW = (
    "bytes/ill-formed-is-replaced",
    "lines/crlf-cut",
    "retry/only-ascii-digits",
    "end/no-chunks",
    "whole/any-stream-in-any-chunking",
    "whole/a-second-run-sees-nothing-of-the-first",
    "prefix/every-prefix-is-a-stream",
)


class Noting(Target):
    """The reference, fed by hand; every list of chunks is noted."""

    name = "noting"
    shape = "by hand"
    found = "in a test"
    shows = Shows(end_last_event_id=True, retry="updates")

    def __init__(self) -> None:
        self.fed: list[tuple[bytes, ...]] = []

    def run(self, chunks: Sequence[bytes]) -> Run:
        self.fed.append(tuple(chunks))
        parser, run = ReferenceParser(), Run()
        for taken, chunk in enumerate(chunks, 1):
            run.deliveries += [Delivery(event, taken) for event in parser.feed(chunk)]
        run.deliveries += [Delivery(event, len(chunks)) for event in parser.close()]
        run.last_event_id, run.retries = parser.last_event_id, tuple(parser.retries)
        return run

    def run_dropping(self, chunks: list[bytes], look: Callable[[int], None]) -> Run | None:
        parser, let_go = ReferenceParser(), 0
        for at in range(len(chunks)):
            for _ in parser.feed(chunks[at]):
                look(let_go)
            let_go += sys.getsizeof(chunks[at])
            chunks[at] = b""
        return Run()

    @property
    def wires(self) -> list[bytes]:
        """What was fed, whole, each wire once."""
        return list(dict.fromkeys(b"".join(chunks) for chunks in self.fed))


class LosesCR(Noting):
    """Takes CR for text."""

    def run(self, chunks: Sequence[bytes]) -> Run:
        return super().run([chunk.replace(b"\r", b"\\") for chunk in chunks])


def judged(rule: Rule | str, target: Target, effort: Effort = SOME, seed: str = "1") -> RuleResult:
    with Watch() as watch:
        return check_rule(
            find_rule(rule) if isinstance(rule, str) else rule, target, effort=effort, seed=seed, watch=watch
        )


def fed(rule: Rule | str, effort: Effort = SOME, seed: str = "1") -> list[tuple[bytes, ...]]:
    target = Noting()
    assert judged(rule, target, effort, seed).status == "held"
    return target.fed


# What is drawn --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", A_FEW)
def test_the_same_seed_feeds_the_same(rule):
    assert fed(rule) == fed(rule)


@pytest.mark.parametrize("rule", [rule for rule in A_FEW if rule != "end/no-chunks"])
def test_another_seed_feeds_something_else(rule):
    assert fed(rule, SEEDED) != fed(rule, SEEDED, seed="2")


def test_results_are_the_same_for_the_same_seed():
    rules = [rule for rule in RULES if rule.examine is None][::4]  # how far a measure goes depends on the machine
    first, again, other = (
        _without_time(check(LosesCR(), "smoke", seed=seed, rules=rules).rules) for seed in (7, "7", 8)
    )
    assert first == again
    assert first != other


def _without_time(results: Iterable[RuleResult]) -> list[RuleResult]:
    return [replace(result, seconds=0.0) for result in results]


def drawn(rule: Rule) -> list[bytes]:
    target = Noting()
    judged(rule, target, Effort("few", checks=200, examples=0))
    return target.wires


def test_no_two_rules_draw_the_same_streams():
    # Rules with a handful of streams can hardly help to share some; of those with many, no two may draw alike.
    wires = {rule.id: drawn(rule)[:12] for rule in RULES}
    many = {rule: first for rule, first in wires.items() if len(first) == 12}
    assert len(many) > 60
    alike = [(one, other) for one, other in itertools.combinations(many, 2) if many[one] == many[other]]
    assert alike == []


def test_rules_that_share_a_writer_draw_other_streams():
    sharing = (
        "every-single-cut",
        "one-byte-a-chunk",
        "small-sizes",
        "pairs-of-cuts",
        "random-plans",
        "empty-chunks-anywhere",
    )
    wires = [drawn(find_rule(f"chunking/{rule}")) for rule in sharing]
    for one, other in itertools.combinations(wires, 2):
        assert one[:3] != other[:3]


def test_each_rule_id_is_there_once():
    assert len({rule.id for rule in RULES}) == len(RULES)


SCRIPT = """
import hashlib, os, sys
import hypothesis
if "--profile" in sys.argv:
    hypothesis.settings.register_profile("mine", max_examples=1, derandomize=True, phases=[hypothesis.Phase.explicit])
    hypothesis.settings.load_profile("mine")
from chunkproof.check import Effort, check_rule
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof_targets.contract import Run, Shows, Target
sys.path.insert(0, TESTS)
from test_check import A_FEW, Noting
target = Noting()
with Watch() as watch:
    for rule in A_FEW:
        effort = Effort("some", checks=200, examples=30)
        result = check_rule(find_rule(rule), target, effort=effort, seed="1", watch=watch)
        assert result.status == "held", result
print(len(target.fed), hashlib.sha256(repr(target.fed).encode()).hexdigest())
"""


def in_a_process(folder: Path, *args: str, **env: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTHONHASHSEED")}
    done = subprocess.run(
        [sys.executable, "-c", f"TESTS = {str(Path(__file__).parent)!r}\n{SCRIPT}", *args],
        cwd=folder,
        env={**kept, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What is fed in a process with nothing special."""
    return in_a_process(tmp_path_factory.mktemp("plain"), PYTHONHASHSEED="1")


def test_neither_ci_nor_hashing_changes_what_is_fed(plain, tmp_path):
    assert in_a_process(tmp_path, CI="true", GITHUB_ACTIONS="true", PYTHONHASHSEED="2") == plain


def test_a_users_hypothesis_profile_does_not_matter(plain, tmp_path):
    assert in_a_process(tmp_path, "--profile") == plain


def test_nothing_is_left_in_the_folder(tmp_path):
    in_a_process(tmp_path)
    assert list(tmp_path.iterdir()) == []


def hypothesis_folder() -> str:
    directory = hypothesis.configuration.storage_directory()
    return str(getattr(directory, "path", directory))


def test_settings_of_the_user_are_as_they_were_behind_a_check():
    before = repr(hypothesis.settings())
    folder = hypothesis_folder()
    judged("lines/lf", Noting())
    assert repr(hypothesis.settings()) == before
    assert hypothesis_folder() == folder


# Seeds ----------------------------------------------------------------------------------------------------------------


def test_the_seed_is_the_releases_own_by_default():
    assert resolve_seed(None) == resolve_seed("") == RELEASE_SEED
    assert check(Noting(), "smoke", rules=()).seed == RELEASE_SEED


def test_a_given_seed_is_taken_as_text():
    assert resolve_seed(5) == resolve_seed("5") == "5"
    assert resolve_seed(0) == "0"


def test_a_random_seed_is_a_number_that_can_be_given_again():
    seeds = {resolve_seed("random") for _ in range(20)}
    assert len(seeds) > 1
    assert all(seed.isdigit() for seed in seeds)


# How much -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [r for r in RULES if r.way is None and r.examine is None], ids=lambda rule: rule.id)
def test_the_seeded_driver_keeps_to_its_budget(rule):
    target = Noting()
    result = judged(rule, target, SEEDED)
    # What one stream costs, at most, comes on top: it is run to its end.
    budget = SEEDED.checks * rule.weight
    one_stream = max(len(list(rule.wires(wire))) for wire in target.wires[:50] or [b""]) * 2_000
    assert 0 < result.checks <= budget + one_stream
    assert 0 < result.streams <= result.checks


def test_checks_and_streams_are_what_was_run():
    target = Noting()
    result = judged("lines/lf", target)
    assert result.checks == len(target.fed)
    assert result.streams >= len(target.wires)


def test_long_wires_cost_more():
    short, long = (judged(rule, Noting(), SEEDED) for rule in ("lines/lf", "size/chunks-beyond-4-kib"))
    assert long.checks < short.checks / 3


def test_efforts_grow():
    smoke, default, deep = (EFFORTS[name] for name in ("smoke", "default", "deep"))
    assert smoke.checks < default.checks < deep.checks
    assert smoke.examples < default.examples < deep.examples


def test_hypothesis_adds_its_examples():
    seeded, both = Noting(), Noting()
    judged("whole/any-stream-in-any-chunking", seeded, SEEDED)
    judged("whole/any-stream-in-any-chunking", both, Effort("both", checks=300, examples=40))
    added = both.fed[len(seeded.fed) :]
    assert both.fed[: len(seeded.fed)] == seeded.fed
    assert len({b"".join(chunks) for chunks in added}) >= 20


def test_a_rule_with_few_streams_ends_early():
    target = Noting()
    assert judged("end/no-chunks", target, Effort("much", checks=10**9, examples=3)).status == "held"
    assert set(target.wires) == {b""}


# What comes of it -----------------------------------------------------------------------------------------------------


def rule_of(write: Callable[[Draft], None], **fields: Any) -> Rule:
    return replace(find_rule("lines/lf"), id="test/rule", write=write, **{"point": lambda wire, cuts: True, **fields})


def test_a_broken_rule_holds_a_counterexample_that_its_token_replays():
    result = judged("lines/cr", LosesCR())
    assert result.status == "broken"
    found = result.counterexample
    assert found is not None
    case = decode_token(found.token)
    assert case.rule == "lines/cr"
    assert [wire for wire, _ in case.streams] == [stream.data for stream in found.streams]
    assert found.expected.events != found.actual.events
    assert result.advice == ""


class LosesNowAndThen(Noting):
    """Right, but for one run in 37."""

    def run(self, chunks: Sequence[bytes]) -> Run:
        run = super().run(chunks)
        if len(self.fed) % 37 == 0:
            run.deliveries = run.deliveries[:-1]
        return run


def test_what_fails_now_and_then_is_shown_as_it_failed():
    result = judged("lines/lf", LosesNowAndThen())
    assert result.status == "broken"
    found = result.counterexample
    assert found is not None
    assert found.kind == "lost"
    assert len(found.actual.events) == len(found.expected.events) - 1
    assert "not every time" in result.advice


def test_a_rule_that_raises_is_a_fault_of_ours_and_the_run_goes_on():
    def write(draft: Draft) -> None:
        raise ZeroDivisionError("a fault of the rule")

    results = check(Noting(), "smoke", rules=(rule_of(write), find_rule("lines/lf"))).rules
    assert [result.status for result in results] == ["fault", "held"]
    assert "Traceback (most recent call last)" in results[0].reason
    assert "ZeroDivisionError: a fault of the rule" in results[0].reason
    assert not results[0].fails
    assert results[0].counterexample is None


@pytest.mark.parametrize("field", ["plans", "wires", "advice"])
def test_any_part_of_a_rule_that_raises_is_a_fault(field):
    def fault(*args: Any) -> Any:
        raise LookupError(f"a fault in {field}")

    result = judged(rule_of(find_rule("lines/cr").write, **{field: fault}), LosesCR())
    assert result.status == "fault"
    assert f"LookupError: a fault in {field}" in result.reason


def test_a_fault_while_shrinking_is_a_fault():
    def point(wire: bytes, cuts: tuple[int, ...]) -> bool:
        raise LookupError("a fault in the point")

    result = judged(rule_of(find_rule("lines/cr").write, point=point), LosesCR())
    assert result.status == "fault"
    assert "a fault in the point" in result.reason


def test_a_fault_that_hypothesis_alone_finds_is_a_fault():
    drawn: list[int] = []

    def write(draft: Draft) -> None:
        if type(draft.source).__name__ == "DrawSource":
            raise LookupError("a fault under Hypothesis")
        drawn.append(draft.source.below(100))
        draft.message(str(len(drawn)))

    result = judged(rule_of(write, plans=uncut), Noting())
    assert drawn
    assert result.status == "fault"
    assert "LookupError: a fault under Hypothesis" in result.reason


def test_what_hypothesis_alone_finds_breaks_the_rule():
    class LosesLate(Noting):
        def run(self, chunks: Sequence[bytes]) -> Run:
            run = super().run(chunks)
            if "h" in str([delivery.event.data for delivery in run.deliveries]):
                run.deliveries.clear()
            return run

    def write(draft: Draft) -> None:
        drawn = type(draft.source).__name__ == "DrawSource"
        draft.message(draft.source.pick(("a", "h" if drawn else "b")))

    result = judged(rule_of(write, plans=uncut), LosesLate(), Effort("both", checks=50, examples=30))
    assert result.status == "broken"
    assert result.counterexample is not None
    assert result.counterexample.streams[0].data == b"data: h\n\n"


class Unfit(Noting):
    """Takes nothing but JSON, and does not show event types."""

    shows = Shows(data="json", json_only=True, type=False)


def test_a_target_that_takes_none_of_the_streams_is_not_judged():
    result = judged("dispatch/empty-data-is-an-event", Unfit())
    assert result.status == "not judged"
    assert result.reason == "the target takes none of this rule's streams"
    assert (result.checks, result.streams) == (0, 0)
    assert not result.fails


@pytest.mark.parametrize(
    ("rule", "declared", "reason"),
    [
        ("dispatch/the-type-is-untouched", {"shows": Shows(type=False)}, "does not show an event's type"),
        ("ids/ids-persist", {"shows": Shows(last_event_id=False)}, "does not show event IDs"),
        ("retry/leading-zeros", {"shows": Shows()}, "does not show reconnection times"),
        ("end/only-empty-chunks", {"empty_chunk_ends": True}, "an empty chunk ends the input"),
        ("bytes/mark-removed", {"takes": "text"}, "the target is fed text, which was decoded before it"),
        ("lines/cr", {"takes": "lines"}, "the target is fed lines"),
    ],
)
def test_what_a_target_does_not_show_or_have_is_not_judged(rule, declared, reason):
    target = Noting()
    for name, value in declared.items():
        setattr(target, name, value)
    result = judged(rule, target)
    assert result.status == "not judged"
    assert reason in result.reason
    assert target.fed == []


def test_no_empty_chunk_is_sent_where_it_ends_the_input():
    target = Noting()
    target.empty_chunk_ends = True
    for rule in RULES:
        judged(rule, target, Effort("few", checks=60, examples=1))
    assert len(target.fed) > 1000
    assert not any(b"" in chunks for chunks in target.fed)


def test_a_target_of_lines_gets_each_stream_whole():
    target = Noting()
    target.takes = "lines"
    assert judged("fields/no-space", target).status == "held"
    assert {len(chunks) for chunks in target.fed} == {1}


def test_streams_that_run_before_run_each_time():
    target = Noting()
    judged("whole/a-second-run-sees-nothing-of-the-first", target, SEEDED)
    earlier, judged_ones = target.fed[::2], target.fed[1::2]
    assert all(len(chunks) == 1 and b"left" in chunks[0] for chunks in earlier)
    assert all(b"left" not in b"".join(chunks) for chunks in judged_ones)


def test_the_results_name_the_target_and_the_release():
    results = check(Noting(), "smoke", rules=(find_rule("lines/lf"),))
    (target,) = results.targets
    assert (target.name, target.shape, target.found) == ("noting", "by hand", "in a test")
    assert target.shows == "type, data, last event ID, retry (updates)"
    assert (results.effort, results.chunkproof) == ("smoke", RELEASE_SEED)
    (result,) = results.rules
    assert (result.id, result.target, result.status) == ("lines/lf", "noting", "held")
    assert result.requirement == "LF ends a line."
    assert result.clause == "9.2.5 (end-of-line)"


def test_an_unknown_effort_is_an_error_that_names_it_and_lists_the_known():
    target = Noting()
    message = "effort='huge' is no effort of the suite; take one of: smoke, default, deep$"
    with pytest.raises(ValueError, match=message):
        check(target, "huge", rules=(find_rule("lines/lf"),))
    assert target.fed == []
