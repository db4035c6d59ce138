"""No false alarm, ever: the reference and every odd but right parser of the gallery pass, seed after seed.

Twenty seeds for one parser of each kind, three for the others. `make long` does the same at default effort.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkproof.check import check
from chunkproof.corpus.suite import own_rules
from chunkproof.rules import RULES
from chunkproof_reports.results import RuleResult
from chunkproof_targets.contract import Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import load_target

from .gallery import EACH_KIND, GALLERY

SEEDS = range(20)
#: For parsers whose kind another one stands for.
FEW_SEEDS = range(3)
#: For parsers of which each run waits for threads.
ONE_SEED = {"awaits_threads", "thread_of_the_module"}
#: By good sense in few seeds: `make long` does it in twenty, beside a busy core.
GOOD_SENSE = range(2)
MUSTS = [rule for rule in RULES if rule.severity == "must"]
#: Each is one stream, the same in every seed.
ENTRIES = own_rules()


def assert_conformant(target: Target, seeds: range) -> None:
    """Nothing is broken (info aside), nothing is a fault of ours, and most rules judged."""
    for seed in seeds:
        judged_by = [*(RULES if seed in GOOD_SENSE else MUSTS), *(ENTRIES if seed == seeds[0] else ())]
        rules = check(target, "smoke", seed=seed, rules=judged_by).rules
        alarms = [told(rule) for rule in rules if rule.fails or rule.status == "fault"]
        assert not alarms, f"{target.name}, seed {seed}: {len(alarms)} alarms, among them {alarms[:3]}"
        # Of the entries, a parser that takes nothing but JSON is given few.
        written = [rule for rule in rules if not rule.case_of]
        held = sum(rule.status == "held" for rule in written)
        assert held > len(written) / 2, f"{target.name}, seed {seed}: only {held} of {len(written)} rules judged it"


def told(rule: RuleResult) -> str:
    if rule.counterexample is None:
        return f"{rule.id}: {rule.reason}"
    stream = rule.counterexample.streams[-1]
    return f"{rule.id}: {rule.counterexample.kind} on {stream.data[:200]!r} cut at {stream.cuts[:20]}"


def test_the_reference_passes() -> None:
    assert_conformant(load_target("reference", folder=Path.cwd()), SEEDS)


def test_each_kind_is_in_the_gallery() -> None:
    assert {odd.name for odd in GALLERY} >= EACH_KIND


@pytest.mark.parametrize("odd", GALLERY, ids=lambda odd: odd.name)
def test_an_odd_but_right_parser_passes(odd, capfd) -> None:
    target = load_target(odd.target, folder=Path.cwd(), declared=Declared(**odd.declared))
    try:
        assert_conformant(target, range(1) if odd.name in ONE_SEED else SEEDS if odd.name in EACH_KIND else FEW_SEEDS)
    finally:
        target.close()
        capfd.readouterr()
