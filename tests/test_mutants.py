"""The mutation score: the suite, at smoke effort and with one seed, against every entry of the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from chunkproof.cli import main
from chunkproof.mutants import catch, catches
from chunkproof.peace import at_peace
from chunkproof.rule_check import EFFORTS, look
from chunkproof.rule_run import RuleRun
from chunkproof.rules import RULES
from chunkproof.watch import Watch
from chunkproof_reports.mutants import Catch, markdown, summary
from chunkproof_targets.deviations import CATALOGUE, Deviation, find_deviation
from chunkproof_targets.deviations.compose import DeviatingTarget

from .faults import CATCHES

#: To measure time or memory takes seconds: such an entry counts as missed here, and `make long` runs it.
QUICK = [entry for entry in CATALOGUE if not entry.shows_in.startswith("resources/")]


def is_caught(entry: Deviation, watch: Watch) -> bool:
    """By the rules that must catch it, or else by any other; the order is no matter of whether."""
    target = DeviatingTarget(entry.part, entry.name)
    first = [rule for rule in RULES if rule.id in CATCHES[entry.name]]
    others = [rule for rule in RULES if rule not in first and rule.examine is None]
    for rule in (*first, *others):
        found = look(RuleRun(rule, target, watch), EFFORTS["smoke"], "1")
        if found.status == "broken" and (rule.severity_for(target) != "info" or entry.is_choice):
            return True
    return False


def test_smoke_effort_catches_nineteen_of_twenty():
    with at_peace(), Watch() as watch:
        missed = [entry.name for entry in QUICK if not is_caught(entry, watch)]
    assert len(missed) + len(CATALOGUE) - len(QUICK) <= 0.05 * len(CATALOGUE), missed


def test_a_catch_ends_at_the_first_rule():
    (found,) = catches([find_deviation("utf8-strict")])
    assert (found.entry, found.seed, found.rules) == ("utf8-strict", "1", ("bytes/ill-formed-is-replaced",))
    assert found.checks < 3000
    assert 0 < found.size <= 9


def test_every_rule_goes_on_behind_the_first():
    rules = [rule for rule in RULES if rule.chapter in ("bytes", "prefix")]
    found = catch(find_deviation("bom-not-stripped"), rules=rules, every_rule=True)
    assert {"bytes/mark-removed", "bytes/mark-before-other-fields", "prefix/every-prefix-is-a-stream"} <= set(
        found.rules
    )
    assert found.checks == catch(find_deviation("bom-not-stripped"), rules=rules).checks


def test_a_choice_is_caught_by_its_info():
    rules = [rule for rule in RULES if rule.chapter == "retry"]
    assert catch(find_deviation("retry-clamped"), rules=rules).rules == ("retry/values-beyond-31-bits",)


def test_the_score_names_what_was_missed_and_what_is_broad():
    found = [
        Catch("a", "1", ("lines/lf",), 10, 0.1, 9),
        Catch("b", "1", (), 500, 2.0),
        Catch("c", "1", ("whole/x",), 5, 0.2),
    ]
    text = "\n".join(summary(found, ["lines/lf", "lines/cr", "whole/x"], every_rule=True))
    assert "2 of 3 caught (66.7 %)" in text
    assert "missed: b (seed 1)" in text
    assert "caught by whole and prefix alone: c" in text
    assert "rules that no entry breaks: lines/cr" in text
    assert markdown(found)[2:] == [
        "| a | 1 of 1 | `lines/lf` | 10 | 0.10 | 9 |",
        "| b | 0 of 1 |  | - | - | - |",
        "| c | 1 of 1 | `whole/x` | 5 | 0.20 | 0 |",
    ]


def test_the_command_prints_the_score_and_writes_the_table(tmp_path):
    path = tmp_path / "score.md"
    done = CliRunner().invoke(main, ["mutants", "bom-kept", "utf8-strict", "--jobs", "1", "--output", str(path)])
    assert done.exit_code == 0
    assert "2 of 2 caught (100.0 %)" in done.output
    assert [line.split("|")[1].strip() for line in path.read_text("utf-8").splitlines()[-2:]] == [
        "bom-not-stripped",
        "utf8-strict",
    ]


def test_a_run_that_is_stopped_tells_what_it_has_and_is_no_success(monkeypatch):
    def stopped(*given, **more):
        yield Catch("bom-not-stripped", "1", ("bytes/mark-removed",), 10, 0.1, 9)
        raise KeyboardInterrupt

    monkeypatch.setattr("chunkproof.cli.catches", stopped)
    done = CliRunner().invoke(main, ["mutants", "bom-kept", "utf8-strict"])
    assert done.exit_code == 130
    assert "stopped: 1 of 2 are done" in done.stderr
    assert "1 of 1 caught (100.0 %)" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file that is full")
def test_a_file_that_cannot_be_written_is_told():
    done = CliRunner().invoke(main, ["mutants", "bom-kept", "--jobs", "1", "--output", "/dev/full"])
    assert done.exit_code == 2
    assert "--output=/dev/full: No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["mutants", "deviations"])
def test_an_unknown_name_is_refused_with_what_is_near(command):
    done = CliRunner().invoke(main, [command, "bom-stripped-everywher"])
    assert done.exit_code == 2
    assert "near it: bom-stripped-everywhere" in done.output


def test_all_that_is_known_of_a_deviation_is_told():
    done = CliRunner().invoke(main, ["deviations", "crlf-split"])
    assert done.exit_code == 0
    for text in (
        "crlf-split-chunks (lines)",
        "seen as: ",
        "mend: ",
        "clause: 9.2.5",
        "openai/openai-agents-python#4215",
    ):
        assert text in done.output
    assert "pytest --target=deviation:crlf-split-chunks" in done.output


def test_the_list_can_be_of_one_layer():
    lines = CliRunner().invoke(main, ["deviations", "--layer", "completion"]).output.splitlines()
    assert len(lines) == sum(entry.layer == "completion" for entry in CATALOGUE)
    assert all(" (completion): " in line for line in lines)
