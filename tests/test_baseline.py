"""Known failures: what the file holds, what is refused, and what becomes of a rule that stands in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from chunkproof.baseline import BaselineError, baseline_text, judge_known, keep_what_repeats, read_baseline
from chunkproof.check import check
from chunkproof.cli import main
from chunkproof.corpus.suite import Suite
from chunkproof.counterexample import Case, encode_token
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.profile import Profile
from chunkproof.rules import find_rule
from chunkproof_reports.results import DeviationRecord, DiagnosisRecord
from chunkproof_targets.loading import load_target

RULES = [find_rule(name) for name in ("bytes/mark-removed", "ids/ids-persist", "lines/crlf")]
SPEC = "deviation:bom-not-stripped+id-per-event"
#: Of bytes/mark-removed.
TOKEN = encode_token(Case("bytes/mark-removed", "bytes", ((b"\xef\xbb\xbfdata: a\n\n", ()),)))


def load(spec=SPEC):
    return load_target(spec, folder=Path.cwd())


@pytest.fixture
def isolation():
    process = Isolation(Limits())
    yield process
    process.close()


@pytest.fixture
def written(tmp_path):
    """A file with what is broken of the target, as the command writes it."""
    results = check(load(), "smoke", rules=RULES)
    one = DeviationRecord("bom-not-stripped", "w", "s", "c", "m", rules=("bytes/mark-removed",))
    results.diagnoses.append(DiagnosisRecord(SPEC, (one,), 2, 2))
    path = tmp_path / "known.json"
    path.write_text(baseline_text(results), "utf-8")
    return path


def judged(path, spec, rule, isolation):
    return judge_known(read_baseline(path, "known.json"), find_rule(rule), load(spec), isolation)


def change(path, **more):
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **more}), "utf-8")
    return path


# The file ------------------------------------------------------------------------------------------------------------


def test_the_file_holds_each_broken_rule_with_its_counterexample_and_deviation(written):
    content = json.loads(written.read_text("utf-8"))
    assert (content["version"], content["target"]) == (1, SPEC)
    assert [(entry["rule"], entry["deviation"]) for entry in content["rules"]] == [
        ("bytes/mark-removed", "bom-not-stripped"),
        ("ids/ids-persist", ""),
    ]
    assert list(read_baseline(written, "known.json").rules) == ["bytes/mark-removed", "ids/ids-persist"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"version": 2}, "known.json is no file of known failures of version 1: found 2; "),
        ({"target": None}, "known.json is damaged: it lacks a text where None stands; "),
        ({"rules": [{"rule": "lines/lf"}]}, "known.json is damaged: it lacks 'kind'; "),
        ({"rules": [{"rule": "a/b", "kind": "lost", "token": TOKEN}]}, "known.json: 'a/b' is no rule of this release"),
        (
            {"rules": [{"rule": "lines/lf", "kind": "lost", "token": TOKEN}]},
            "known.json is damaged: the token of lines/lf is one of bytes/mark-removed; ",
        ),
        (
            {"rules": [{"rule": "bytes/mark-removed", "kind": "lost", "token": TOKEN[:-9]}]},
            "known.json, bytes/mark-removed: ",
        ),
    ],
)
def test_a_file_that_is_damaged_or_of_another_version_says_so_and_what_to_do(written, more, said):
    with pytest.raises(BaselineError) as caught:
        read_baseline(change(written, **more), "known.json")
    assert str(caught.value).startswith(said)
    assert str(caught.value).endswith("`chunkproof baseline` writes it anew")


def test_a_file_that_is_not_there_or_no_json_is_named(tmp_path):
    with pytest.raises(BaselineError, match=r"known\.json: there is no such file"):
        read_baseline(tmp_path / "known.json", "known.json")
    (tmp_path / "known.json").write_text("{")
    with pytest.raises(BaselineError, match=r"known\.json is damaged: Expecting"):
        read_baseline(tmp_path / "known.json", "known.json")


def test_a_file_for_another_target_is_refused(written, tmp_path):
    profile = Profile(tmp_path, deviations=None, declare=[], option="--chunkproof-deviations")
    with pytest.raises(BaselineError, match=r"holds what is known of .*, and not of parser-c: name another"):
        profile.baselines("known.json", ["parser-c"])
    assert list(profile.baselines("known.json", ["parser-c", SPEC])) == [SPEC]


# Judged by it --------------------------------------------------------------------------------------------------------


def test_what_fails_as_it_did_is_known_and_does_not_fail_the_run(written, isolation):
    result = judged(written, SPEC, "bytes/mark-removed", isolation)
    assert (result.status, result.fails, result.checks) == ("known", False, 1)
    assert result.reason == f"known: {result.counterexample.kind}, by bom-not-stripped (known.json)"


def test_what_holds_now_is_stale_and_fails_the_run(written, isolation):
    result = judged(written, "deviation:id-per-event", "bytes/mark-removed", isolation)
    assert (result.status, result.fails) == ("stale", True)
    assert result.reason == "stale, remove it from known.json (`chunkproof baseline` writes it anew)"


def test_what_fails_in_another_way_is_new(written, isolation):
    entry = {"rule": "bytes/mark-removed", "kind": "hung", "token": TOKEN}
    result = judged(change(written, rules=[entry]), SPEC, "bytes/mark-removed", isolation)
    assert (result.status, result.fails) == ("broken", True)


def test_what_does_not_stand_in_it_is_judged_as_ever(written, isolation):
    assert judged(written, SPEC, "lines/crlf", isolation) is None


def test_what_dies_as_it_did_is_known(tmp_path, monkeypatch, isolation):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dying.py").write_text(
        "import os\nfrom chunkproof_targets.reference import ReferenceParser\n\n\nclass Parser(ReferenceParser):\n"
        "    def feed(self, chunk):\n        if chunk.startswith(b'\\xef\\xbb\\xbf'):\n            os._exit(9)\n"
        "        return super().feed(chunk)\n"
    )
    results = check(load("dying"), "smoke", rules=RULES[:1])
    (tmp_path / "known.json").write_text(baseline_text(results))
    result = judged(tmp_path / "known.json", "dying", "bytes/mark-removed", isolation)
    assert (result.status, result.counterexample.kind) == ("known", "died")


def test_a_rule_that_measures_is_measured_again(tmp_path, isolation):
    rule = find_rule("resources/linear-in-a-long-line")
    slow = "deviation:whole-buffer-searched-for-a-line-end"
    (tmp_path / "known.json").write_text(baseline_text(check(load(slow), "smoke", rules=[rule])))
    assert judged(tmp_path / "known.json", slow, rule.id, isolation).status == "known"
    assert judged(tmp_path / "known.json", "reference", rule.id, isolation).status == "stale"


def test_what_does_not_fail_every_time_is_left_out(isolation):
    results = check(load(), "smoke", rules=RULES)
    mended = load("deviation:id-per-event")
    results.rules = [replace(rule, target=mended.name) for rule in results.rules]
    assert [rule.id for rule in keep_what_repeats(results, mended, isolation)] == ["bytes/mark-removed"]
    assert [rule.id for rule in results.rules] == ["ids/ids-persist", "lines/crlf"]


# The command ---------------------------------------------------------------------------------------------------------


def test_the_command_writes_the_file_and_says_what_to_put_where(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("chunkproof.cli.suite", lambda *given: Suite(tuple(RULES)))
    done = CliRunner().invoke(main, ["baseline", "--target", SPEC, "--effort", "smoke"])
    assert done.exit_code == 0, done.output
    assert done.stderr == f"judging {SPEC} by 3 rules, effort smoke\n"
    lines = done.stdout.splitlines()
    assert lines[:6] == [
        f"chunkproof-baseline.json: 2 known failures of {SPEC}",
        "",
        "for pyproject.toml:",
        "",
        "[tool.chunkproof]",
        f'target = "{SPEC}"',
    ]
    assert lines[-3:] == ['baseline = "chunkproof-baseline.json"', "", "next: pytest --chunkproof"]
    assert '# deviations = ["bom-not-stripped", "id-per-event"]' in lines
    # At a greater effort, the run that comes next could find what is not in the file.
    assert 'effort = "smoke"' in lines
    assert len(read_baseline(tmp_path / "chunkproof-baseline.json", "known.json").rules) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--target=SPEC, or target = "),
        (["--target", "reference", "--output", "no/such/known.json"], "--output=no/such/known.json: it is the name of"),
        (["--target", "reference", "--deviations", "nothing"], "--deviations=nothing: 'nothing' is no deviation"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["baseline", *arguments])
    assert done.exit_code == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []
