"""A campaign on a right parser finds nothing: the reference, and every odd but right parser of the gallery.

Forty seeds that are mixtures for each, and the seed of every rule for one parser of each kind: others are held to the
rules by `test_no_false_alarm.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from chunkproof.fuzzing.hunt import Hunt, prompt_rule, seems_late
from chunkproof.fuzzing.storm import Storm
from chunkproof.peace import at_peace
from chunkproof.watch import Watch
from chunkproof_strategies.chunkings import chunks_of, random_cuts_with_empty_chunks
from chunkproof_strategies.generator import RandomSource, generate
from chunkproof_targets.contract import Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import load_target

from .gallery import EACH_KIND, GALLERY

MIXTURES = range(5000, 5040)
#: For parsers of which each run waits for threads.
FEW_MIXTURES = range(5000, 5004)
WAITS = {"awaits_threads", "thread_of_the_module"}


def assert_nothing_found(target: Target, mixtures: Iterable[int], *, rules: bool) -> None:
    with at_peace(), Watch() as watch:
        hunt = Hunt(target, watch, "storm")
        storm = Storm(target, watch, hunt)
        for seed in (*(range(len(storm.rules)) if rules else ()), *mixtures):
            found = list(storm.run(seed))
            assert not found, f"{target.name}, seed {seed}: {found[0]}"
        assert (hunt.repeats, hunt.passed_over) == (0, 0)
        assert storm.checks > 100 * len(list(mixtures))


def test_nothing_is_found_in_the_reference() -> None:
    assert_nothing_found(load_target("reference", folder=Path.cwd()), MIXTURES, rules=True)


@pytest.mark.parametrize("odd", GALLERY, ids=lambda odd: odd.name)
def test_nothing_is_found_in_an_odd_but_right_parser(odd, capfd) -> None:
    target = load_target(odd.target, folder=Path.cwd(), declared=Declared(**odd.declared))
    try:
        mixtures = FEW_MIXTURES if odd.name in WAITS else MIXTURES
        assert_nothing_found(target, mixtures, rules=odd.name in EACH_KIND)
    finally:
        target.close()
        capfd.readouterr()


@pytest.mark.parametrize("odd", GALLERY, ids=lambda odd: odd.name)
def test_an_odd_but_right_parser_is_never_late(odd, capfd) -> None:
    """Nothing seems late either, but of what reads in threads of its own: there the rule has the last word."""
    target = load_target(odd.target, folder=Path.cwd(), declared=Declared(**odd.declared))
    rule = prompt_rule(target)
    source = RandomSource("late")
    with at_peace(), Watch() as watch:
        hunt = Hunt(target, watch, "storm")
        for _, stream in zip(range(20 if odd.name in WAITS else 150), generate("late"), strict=False):
            wire, cuts = stream.wire, random_cuts_with_empty_chunks(source, len(stream.wire)) if stream.wire else ()
            assert hunt.judge(wire, cuts, "late") is None, (wire, cuts)
            may_be_asked = not target.empty_chunk_ends and hunt.any_rule.expectation(target, wire) is not None
            if rule is not None and may_be_asked and odd.name not in WAITS:
                assert not seems_late(target.run(chunks_of(wire, cuts)), wire, cuts), (wire, cuts)
    target.close()
    capfd.readouterr()
