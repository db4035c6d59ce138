"""The bench of a campaign: what a search comes to, how cells are shown, and that a stopped run goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))

from bench_campaign import Kept, shown  # noqa: E402
from chunkproof_targets.loading import load_target  # noqa: E402
from searches import Outcome, search  # noqa: E402


def cell(*seconds: float | None) -> list[Outcome]:
    """Searches that took so long; None has found nothing."""
    return [Outcome(one is not None, 100, 20.0 if one is None else one) for one in seconds]


@pytest.mark.parametrize(
    ("outcomes", "text"),
    [
        (cell(*range(1, 11)), "5.5 / 10.0"),
        (cell(*range(1, 10), None), "5.5 / not found"),
        (cell(*range(1, 7), *[None] * 4), "5.5 / not found"),
        # Half of them: the median lies between one that is known and one that is not.
        (cell(*range(1, 6), *[None] * 5), "not found in 20 s"),
        # No more were begun behind the sixth.
        (cell(1, 2, *[None] * 6), "not found in 20 s"),
        ([], "not measured"),
    ],
)
def test_a_cell_is_median_and_worst_and_never_better_than_what_was_not_found(outcomes, text):
    assert shown(outcomes, lambda one: one.seconds, ".1f", 20.0) == text


@pytest.mark.parametrize("engine", ["storm", "Hypothesis"])
def test_a_search_ends_at_the_first_check_that_fails(engine):
    found = search(engine, load_target(f"{ROOT}/tools/one_fault.py:CharacterCut", folder=ROOT), 1, 60.0)
    assert found.found
    assert 0 < found.checks < 5_000


def test_a_search_that_finds_nothing_ends_at_its_limit():
    found = search("storm", load_target("reference", folder=ROOT), 1, 0.2)
    assert not found.found
    assert found.checks > 0


def test_a_run_goes_on_with_what_is_kept_and_does_again_what_was_cut_short(tmp_path):
    path = tmp_path / "kept"
    assert Kept(path, 20.0).once("a", lambda: 1) == 1
    with path.open("a") as file:
        file.write('["b", 2')
    again = Kept(path, 20.0)
    assert again.once("a", lambda: 3) == 1
    assert again.once("b", lambda: 4) == 4
    assert Kept(path, 20.0).measured == {"a": 1, "b": 4}


def test_what_was_kept_with_another_limit_is_measured_again(tmp_path):
    Kept(tmp_path / "kept", 20.0).once("a", lambda: 1)
    assert Kept(tmp_path / "kept", 10.0).once("a", lambda: 2) == 2
