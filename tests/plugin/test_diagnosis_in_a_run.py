"""The diagnosis behind a run of pytest: when there is one, and what becomes of the run if it fails or is stopped."""

from __future__ import annotations

import pytest

from chunkproof_reports.results import Results

WRONG = "--target=deviation:bom-not-stripped+crlf-split"
SMOKE = "--effort=smoke"
CONFTEST = """
import chunkproof.session

def instead(*arguments):
    raise {error}

chunkproof.session.diagnose_all = instead
"""


@pytest.fixture(scope="module")
def whole(make_folder, run):
    """All rules on two faults, two workers."""
    folder = make_folder()
    ran = run(folder, WRONG, SMOKE, "-n2", "--tb=no", "--chunkproof-report=report.json")
    return ran, (folder / "report.json").read_text("utf-8")


def test_causes_are_named_behind_all_rules(whole):
    ran, _ = whole
    assert ran.code == 1
    assert "it behaves like the reference parser with these 2 deviations" in ran.out
    assert "1. bom-not-stripped: Keeps the byte order mark." in ran.out
    assert "2. crlf-split-chunks: A CRLF that is cut is two line ends." in ran.out
    assert "no cause was found" not in ran.out


def test_the_report_holds_them_in_front_of_the_rules(whole):
    _, text = whole
    (found,) = Results.from_json(text).diagnoses
    assert [one.name for one in found.deviations] == ["bom-not-stripped", "crlf-split-chunks"]
    assert text.index('"diagnoses"') < text.index('"rules": [\n  {')


def test_behind_some_rules_nobody_asks_for_a_cause_but_who_says_so(folder, run):
    some = (WRONG, SMOKE, "--tb=no", "chunkproof::bytes/mark-removed")
    assert "diagnosis" not in run(folder, *some).out
    assert "1. bom-not-stripped" in run(folder, *some, "--chunkproof-diagnosis=full").out


def test_there_is_none_where_none_is_wanted(folder, run):
    assert "behaves like" not in run(folder, WRONG, SMOKE, "--tb=no", "--chunkproof-diagnosis=none").out


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        ("KeyboardInterrupt", 2, "the diagnosis was stopped"),
        ("ValueError('of ours')", 3, "The diagnosis failed: a fault of chunkproof itself.\nTraceback"),
    ],
)
def test_whatever_becomes_of_it_the_results_are_told(folder, run, error, code, text):
    (folder / "conftest.py").write_text(CONFTEST.format(error=error), "utf-8")
    ran = run(folder, WRONG, SMOKE, "--tb=no", "--chunkproof-report=report.json")
    assert ran.code == code
    assert text in ran.out
    assert "not conformant" in ran.out
    assert len(Results.from_json((folder / "report.json").read_text("utf-8")).rules) > 100
