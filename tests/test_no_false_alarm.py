"""No false alarm, ever: the reference and every odd but right parser of the gallery pass, in each of 20 seeds.

`make long` does the same at default effort.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkproof.check import check
from chunkproof_targets.contract import Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import load_target

from .gallery import GALLERY

SEEDS = range(20)


def assert_conformant(target: Target, seeds: range) -> None:
    """Nothing is broken (info aside), nothing is a fault of ours, and most rules judged."""
    for seed in seeds:
        rules = check(target, "smoke", seed=seed).rules
        alarms = [
            (rule.id, rule.counterexample or rule.reason) for rule in rules if rule.fails or rule.status == "fault"
        ]
        assert not alarms, f"{target.name}, seed {seed}: {alarms}"
        held = sum(rule.status == "held" for rule in rules)
        assert held > len(rules) / 2, f"{target.name}, seed {seed}: only {held} of {len(rules)} rules judged it"


def test_the_reference_passes() -> None:
    assert_conformant(load_target("reference", folder=Path.cwd()), SEEDS)


@pytest.mark.parametrize("odd", GALLERY, ids=lambda odd: odd.name)
def test_an_odd_but_right_parser_passes(odd, capfd) -> None:
    target = load_target(odd.target, folder=Path.cwd(), declared=Declared(**odd.declared))
    try:
        assert_conformant(target, SEEDS)
    finally:
        target.close()
        capfd.readouterr()
