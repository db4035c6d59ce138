"""Selecting, ordering and stopping: pytest's own options and those of its plugins work on our items as on any other."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ET

import pytest

SMOKE = ("--target=parser-c", "--effort=smoke")


def needs(module):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def test_short_options_with_a_value_apart(folder, run):
    # A folder of the target's name stands there: the name must not be read as a path.
    (folder / "mypkg").mkdir()
    (folder / "mypkg" / "__init__.py").write_text("from parsers import Good\n\n\nclass Parser(Good):\n    pass\n")
    (folder / "mypkg" / "conftest.py").write_text("raise RuntimeError('the folder of the target is no test folder')\n")
    ran = run(folder, "--target", "mypkg", "--effort", "smoke", "chunkproof::lines/lf")
    assert ran.code == 0, ran.all
    assert ran.counts() == {"passed": 1}


def test_pasted_failing_id_runs_this_rule_alone(folder, run):
    ran = run(folder, *SMOKE, "chunkproof::lines/cr", "-v")
    assert ran.counts() == {"failed": 1}
    assert "chunkproof::lines/cr FAILED" in ran.out


def test_pasted_id_with_the_target_in_brackets(folder, run):
    targets = ("--target=./parsers.py:Good", "--target=parser-c", "--effort=smoke")
    ran = run(folder, *targets, "chunkproof::lines/lf[./parsers.py:Good]", "-v")
    assert ran.code == 0, ran.all
    assert "chunkproof::lines/lf[./parsers.py:Good] PASSED" in ran.out
    assert ran.counts() == {"passed": 1}


def test_pasted_ids_work_under_xdist(folder, run):
    ran = run(folder, *SMOKE, "chunkproof::lines/cr", "chunkproof::lines/lf", "-n2")
    assert ran.counts() == {"failed": 1, "passed": 1}


def test_unknown_id_names_the_near_ones(folder, run):
    ran = run(folder, *SMOKE, "chunkproof::lines/crfl-cut")
    assert ran.code == 4
    assert "chunkproof::lines/crfl-cut is no item of this run; near it: chunkproof::lines/crlf-cut" in ran.all


def test_id_without_a_target_asks_for_one(folder, run):
    ran = run(folder, "chunkproof::lines/cr")
    assert ran.code == 4
    assert "say which parser it is to judge: --target=SPEC" in ran.all


def test_last_failed_and_exitfirst_and_deselect(folder, run):
    chosen = ("chunkproof::lines/lf", "chunkproof::lines/cr", "chunkproof::lines/mixed")
    first = run(folder, *SMOKE, *chosen, "-x")
    assert first.counts() == {"passed": 1, "failed": 1}
    again = run(folder, *SMOKE, "--lf")
    assert again.counts()["failed"] == 1
    assert "run-last-failure: rerun previous 1 failure" in again.out
    less = run(folder, *SMOKE, *chosen, "--deselect", "chunkproof::lines/cr")
    assert less.counts() == {"passed": 1, "failed": 1, "deselected": 1}


def test_new_first_and_stepwise_take_our_items(folder, run):
    ran = run(folder, *SMOKE, "--nf", "--sw", "chunkproof::lines/lf")
    assert ran.counts() == {"passed": 1}


def test_junit_report_has_the_failure_and_the_skip(folder, run):
    rules = ("chunkproof::lines/cr", "chunkproof::dispatch/the-default-type-is-message")
    ran = run(folder, *SMOKE, *rules, "--junitxml=junit.xml")
    assert ran.counts() == {"failed": 1, "skipped": 1}
    cases = {case.get("name"): case for case in ET.parse(folder / "junit.xml").iter("testcase")}
    failure = cases["lines/cr"].find("failure")
    assert failure is not None
    assert re.fullmatch("lost: data(: a)?[␊␍]␍", failure.get("message", ""))
    assert "chunkproof replay cp1." in (failure.text or "")
    skipped = cases["dispatch/the-default-type-is-message"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "the target does not show an event's type"


def test_one_line_style(folder, run):
    ran = run(folder, *SMOKE, "chunkproof::lines/cr", "--tb=line")
    printed = ran.out.partition("= FAILURES =")[2].partition("= chunkproof =")[0].splitlines()
    assert [line[:28] for line in printed if line.strip("=")] == ["chunkproof::lines/cr: lost: "]


def test_without_the_cache_plugin(folder, run):
    ran = run(folder, *SMOKE, "-p", "no:cacheprovider", "chunkproof::lines/cr")
    assert ran.counts() == {"failed": 1}
    assert not (folder / ".pytest_cache").exists()


def test_collect_only_lists_the_rules_and_judges_nothing(folder, run):
    ran = run(folder, *SMOKE, "--collect-only", "-q", "-k", "lines/cr")
    assert ran.code == 0
    assert "chunkproof::lines/crlf-cut" in ran.out.splitlines()
    assert "= chunkproof =" not in ran.out


def test_quiet_run_under_ci_has_the_same_results(folder, run):
    args = (*SMOKE, "-q", "-k", "lines/c", "--chunkproof-report=report.json")
    kept = []
    for env in ({}, {"CI": "true"}):
        kept.append([{**rule, "seconds": 0} for rule in run(folder, *args, env=env).report()["rules"]])
    assert kept[0] == kept[1]


@needs("pytest_randomly")
@needs("random_order")
def test_plugins_that_shuffle(folder, run):
    ran = run(folder, *SMOKE, "-k", "lines/c", "-p", "randomly", "-p", "random_order", "--random-order")
    assert ran.code == 1
    assert ran.counts().get("error", 0) == 0


@needs("pytest_timeout")
def test_timeout_plugin_does_not_end_a_rule(folder, run):
    ran = run(folder, "--target=parsers:Slow", "--effort=smoke", "--timeout=1", "chunkproof::lines/lf")
    assert ran.code == 0, ran.all
    assert ran.counts() == {"passed": 1}


@needs("pytest_cov")
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_coverage_sees_the_import_of_the_target(folder, run, workers):
    rules = ("chunkproof::lines/lf", "chunkproof::lines/cr")
    ran = run(folder, "--target=parsers:Good", "--effort=smoke", "--cov=parsers", "--cov-report=term", *rules, *workers)
    assert ran.code == 0, ran.all
    line = next(line for line in ran.out.splitlines() if line.startswith("parsers.py"))
    assert int(line.split()[-1].rstrip("%")) > 40


@needs("pytest_cov")
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_coverage_sees_what_runs_in_the_child(make_folder, run, workers):
    folder = make_folder(
        mine="""
        from chunkproof_targets.reference import ReferenceParser


        class Parser(ReferenceParser):
            def feed(self, chunk):
                if b"\\0" in chunk:
                    return self.odd(chunk)
                return super().feed(chunk)

            def odd(self, chunk):
                return super().feed(chunk)
        """.replace("\n        ", "\n")
    )
    rules = ("chunkproof::lines/lf", "chunkproof::bytes/nul-is-text")
    ran = run(folder, "--target=mine:Parser", "--effort=smoke", "--cov=mine", "--cov-report=term", *rules, *workers)
    assert ran.code == 0, ran.all
    line = next(line for line in ran.out.splitlines() if line.startswith("mine.py"))
    assert line.split()[-1] == "100%"
    assert [path.name for path in folder.glob(".coverage*")] == [".coverage"]


def test_settings_of_strict_projects(folder, run):
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers --strict-config -ra\ntestpaths = nothing_here\nfilterwarnings = error\n"
    )
    ran = run(folder, *SMOKE, "chunkproof::lines/lf")
    assert ran.code == 0, ran.all
