"""The storm: a seed decides all that is done, each rule has its seed, and faults are found in few of them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from chunkproof.fuzzing import hunt as hunt_module
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.hunt import Hunt
from chunkproof.fuzzing.storm import STREAMS, Storm, in_hand, rules_for
from chunkproof.oracle import interpret
from chunkproof.rules import RULES, find_rule
from chunkproof.watch import Watch
from chunkproof_strategies.generator import RandomSource, generate
from chunkproof_strategies.grammar import write_stream
from chunkproof_targets.contract import Target
from chunkproof_targets.deviations import CATALOGUE
from chunkproof_targets.loading import load_target

HERE = Path(__file__).parent
TOOLS = HERE.parents[1] / "tools"
sys.path.append(str(TOOLS))
from one_fault import ONE_FAULT  # noqa: E402

# Behind the seeds of all rules.
MIXTURE = 1000


def load(spec: str) -> Target:
    return load_target(spec, folder=HERE)


def own(name: str) -> Target:
    return load(f"./parsers.py:{name}")


REFERENCE = load("reference")


@pytest.fixture
def watch():
    with Watch() as watch:
        yield watch


@pytest.fixture(autouse=True)
def time_for_all(monkeypatch):
    """What is found does not depend on how busy the machine is."""
    monkeypatch.setattr(hunt_module, "_SHRINKING_START", 1e9)


def storm_on(target: Target, watch: Watch) -> Storm:
    return Storm(target, watch, Hunt(target, watch, "storm"))


def until_found(target: Target, watch: Watch, seeds: range) -> tuple[Found | None, int]:
    """The first finding of a range of seeds, and the checks that it took."""
    storm = storm_on(target, watch)
    return next((found for seed in seeds for found in storm.run(seed)), None), storm.checks


# a seed decides ------------------------------------------------------------------------------------------------------


class Noting(type(REFERENCE)):  # type: ignore[misc]
    """The reference, and a hash of all that it was fed."""

    def __init__(self, target: Target) -> None:
        self.__dict__ |= target.__dict__
        self.target = target
        self.fed = hashlib.sha256()

    def run(self, chunks):
        self.fed.update(repr(list(chunks)).encode())
        return self.target.run(chunks)


SEEDS = (0, 7, 40, MIXTURE, MIXTURE + 1, 10**15)
NOTED = """
import sys
from chunkproof.watch import Watch
from tests.fuzzing.test_storm import SEEDS, Noting, load, storm_on
for seed in SEEDS:
    with Watch() as watch:
        target = Noting(load("reference"))
        storm = storm_on(target, watch)
        assert list(storm.run(seed)) == []
        print(seed, target.fed.hexdigest(), storm.checks, storm.streams)
"""


def test_a_seed_sends_the_same_streams_in_any_process():
    runs = [
        subprocess.run(
            [sys.executable, "-c", NOTED],
            env={"PATH": "/usr/bin", "PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": hash_seed},
            cwd=HERE.parents[1],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    lines = [line.split() for line in runs[0].splitlines()]
    assert [int(line[0]) for line in lines] == list(SEEDS)
    assert len({line[1] for line in lines}) == len(SEEDS)
    assert all(int(line[2]) > 0 for line in lines)


@pytest.mark.parametrize("name", ["CharacterCut", "SeparatorsEndLines"])
def test_a_seed_finds_the_same_each_time(name, watch):
    target = load(f"{TOOLS}/one_fault.py:{name}")
    once, again = ({seed: list(storm_on(target, watch).run(seed)) for seed in range(1000, 1008)} for _ in "ab")
    assert once == again
    assert any(once.values())
    assert all(found.seed == str(seed) for seed, some in once.items() for found in some)


def test_what_an_earlier_seed_has_found_is_not_found_again(watch):
    target = load(f"{TOOLS}/one_fault.py:CrIsNoLineEnd")
    storm = storm_on(target, watch)
    found = [found.signature for seed in range(1001, 1005) for found in storm.run(seed)]
    assert len(set(found)) == len(found)
    # No more is lost by that than what is known.
    assert set(found) >= {found.signature for seed in range(1001, 1005) for found in storm_on(target, watch).run(seed)}


def test_without_constants_the_streams_are_what_they_were():
    drawn = hashlib.sha256()
    for _, stream in zip(range(2000), generate("what they were"), strict=False):
        drawn.update(stream.wire)
    assert drawn.hexdigest()[:16] == "8ada2fc90064b3ee"


# the seeds of the rules ----------------------------------------------------------------------------------------------


def test_each_rule_has_a_seed_and_is_reached(watch):
    target = REFERENCE
    storm = storm_on(target, watch)
    assert storm.rules == rules_for(target)
    assert {rule.id for rule in storm.rules} == {
        rule.id for rule in RULES if not rule.not_judged(target) and rule.severity_for(target) != "info"
    }
    measuring = [rule for rule in storm.rules if rule.examine is not None]
    assert measuring, "those that measure are among them"
    for seed, rule in enumerate(storm.rules):
        before = storm.checks, storm.streams
        assert list(storm.run(seed)) == []
        assert in_hand(watch.mark[0]) == (seed, rule)
        assert storm.checks > before[0], f"nothing was done for {rule.id}"
        assert storm.streams > before[1]


#: Rules that alone show some fault, and judge a parser that is fed: all but those that measure time, and the largest.
SHOWN_IN = {
    one.shows_in: one.name
    for one in CATALOGUE
    if one.shows_in
    and not one.shows_in.startswith("resources/linear")
    and find_rule(one.shows_in) in rules_for(REFERENCE)
}


def test_ways_and_measures_are_among_them():
    assert {"delivery/prompt", "delivery/alone", "resources/delivered-data-is-let-go"} <= set(SHOWN_IN)


@pytest.mark.parametrize("rule_id", sorted(SHOWN_IN))
def test_what_shows_in_one_rule_alone_is_found_by_its_seed(rule_id, watch):
    storm = storm_on(load(f"deviation:{SHOWN_IN[rule_id]}"), watch)
    (found,) = storm.run(storm.rules.index(find_rule(rule_id)))
    assert found.rule == rule_id


@pytest.mark.parametrize(
    "seed_of", ["lines/crlf-cut", "bytes/four-byte-character-cut", "ids/an-id-with-nul-is-ignored"]
)
def test_the_seed_of_a_rule_finds_what_breaks_it(seed_of, watch):
    breaks = {
        "lines/crlf-cut": "deviation:crlf-split-chunks",
        "bytes/four-byte-character-cut": "deviation:utf8-split-lossy",
        "ids/an-id-with-nul-is-ignored": f"{TOOLS}/one_fault.py:NulInAnId",
    }
    storm = storm_on(load(breaks[seed_of]), watch)
    (found,) = storm.run(storm.rules.index(find_rule(seed_of)))
    assert found.rule == seed_of


# mixtures ------------------------------------------------------------------------------------------------------------


def test_a_mixture_is_of_so_many_streams_of_all_kinds(watch):
    storm = storm_on(REFERENCE, watch)
    marks = set()
    for seed in range(MIXTURE, MIXTURE + 30):
        before = storm.streams
        assert list(storm.run(seed)) == []
        # Streams of a rule that writes several wires count for each; such as nothing can be asked of, for none.
        assert STREAMS // 2 <= storm.streams - before <= 4 * STREAMS
        marks.add(in_hand(watch.mark[0]))
    assert {seed for seed, _ in marks} == set(range(MIXTURE, MIXTURE + 30))
    assert len({rule.id for _, rule in marks}) > 3


#: Measured: 21 seeds and 6,416 checks in the worst of a hundred runs.
SEEDS_MAX, CHECKS_MAX = 100, 40_000


@pytest.mark.parametrize("name", [parser.__name__ for parser in ONE_FAULT.values()])
def test_each_of_ten_faults_is_found_in_few_seeds(name, watch):
    target = load(f"{TOOLS}/one_fault.py:{name}")
    for first in (MIXTURE, 5 * MIXTURE):
        found, checks = until_found(target, watch, range(first, first + SEEDS_MAX))
        assert found is not None, f"{name} was not found in {SEEDS_MAX} seeds"
        assert checks < CHECKS_MAX
        assert len(found.wire) < 40


#: Measured: 74 seeds in the worst of sixty runs, with eleven texts in the parser's code.
TEXT_SEEDS_MAX, TEXT_CHECKS_MAX = 400, 150_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("EndsAtItsData", b"#FINISHED#"),
        ("DropsItsType", b"keepalive.v2"),
        ("StartsOverAtItsId", b"!reset!"),
        ("EndsAtItsField", b"x-close"),
        ("GivesAnEventForItsComment", b"+beat+"),
        ("ClearsAtItsLine", b"-clear-"),
    ],
)
def test_a_fault_that_is_bound_to_a_text_of_the_parser_is_found(name, text, watch):
    found, checks = until_found(own(name), watch, range(MIXTURE, MIXTURE + TEXT_SEEDS_MAX))
    assert found is not None, f"{name} was not found in {TEXT_SEEDS_MAX} seeds"
    assert text in found.wire
    assert checks < TEXT_CHECKS_MAX


HARD = ["data", "data:", "event: x", "id", "id: 5", "id:\0", "a\0b", "retry", "retry:", "retry: 5", "retry:  5"]
HARD += [
    "retry: x",
    "retry: ٣",
    ": ping",
    ":",
    "::",
    "beat",
    "\ufeffdata: x",
    "data: two",
    "data:  two",
    " data",
    "\u2028",
]


@pytest.mark.parametrize("json_only", [False, True])
def test_streams_with_texts_of_the_target_mean_what_the_standard_makes_of_them(json_only):
    source = RandomSource("constants", constants=HARD)
    types, ids = set(), set()
    for _ in range(4000):
        stream = write_stream(source, json_only=json_only)
        outcome, meant = interpret(stream.wire), stream.outcome
        assert (outcome.events, outcome.last_event_id, outcome.retries) == (
            meant.events,
            meant.last_event_id,
            meant.retries,
        ), stream.wire
        types |= {event.type for event in outcome.events}
        ids |= {event.last_event_id for event in outcome.events}
    assert {"beat", "retry: ٣", " data"} <= types
    assert {"beat", "\u2028", "data:  two"} <= ids
