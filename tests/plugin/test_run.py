"""`pytest --target=X`: what is run, what is said, and the exit code."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from chunkproof.check import describe_target
from chunkproof.corpus.suite import suite
from chunkproof.rules import RULES
from chunkproof_targets.contract import Run, Target

EMPTY_CHUNK_ENDS = "--chunkproof-declare=empty_chunk=end"


@pytest.fixture(scope="module")
def good(make_folder, run):
    """One whole run on a conformant parser, in a folder of its own."""
    return run(make_folder(), "--target=parsers:Good", "--effort=smoke", "--chunkproof-report=report.json", plain=False)


@pytest.fixture(scope="module")
def bad(make_folder, run):
    """Some rules on the third published parser, two workers."""
    return run(
        make_folder(), "--target=parser-c", "--effort=smoke", "-n2", "-k", "lines", "--chunkproof-report=report.json"
    )


#: Rules about parsers that take their chunks themselves, or have a method reset: not those that are fed and have none.
OF_OTHERS = [rule for rule in RULES if {"source", "reset"} & rule.needs]


def test_one_item_for_each_rule(good):
    assert good.code == 0, good.all
    counts = good.counts()
    assert counts == {"passed": len(RULES) - len(OF_OTHERS), "skipped": len(OF_OTHERS)}
    assert f"collected {len(RULES)} items" in good.out


def test_header_names_target_shape_what_it_shows_and_how_it_was_found(good):
    assert "target: parsers:Good (class with feed" in good.out
    assert "shows type, data, last event ID, retry" in good.out
    assert "found as parsers:Good" in good.out


def test_header_names_release_seed_and_effort(good):
    assert "chunkproof: 0.1.0, seed 0.1.0, effort smoke" in good.out


def test_a_target_that_shows_all_and_declares_nothing_is_judged_by_every_rule_of_its_shape(good):
    (line,) = [line for line in good.out.splitlines() if " held" in line]
    assert line.endswith(f" held, {len(OF_OTHERS)} not judged")
    assert "the target is given its chunks, and takes none itself" in good.out


def test_what_is_not_judged_is_counted_with_its_reason(folder, run):
    ran = run(folder, "--target=parsers:Good", "--effort=smoke", "-k", "lines or empty", EMPTY_CHUNK_ENDS)
    assert ran.code == 0, ran.all
    needing = [rule for rule in RULES if "empty chunks" in rule.needs]
    assert f"not judged, {len(needing)} rules: an empty chunk ends the input, as the target declares" in ran.out
    assert ran.counts()["skipped"] == len(needing) > 1


def test_verdict_and_next_command_of_a_conformant_target(good):
    assert "\n  conformant\n  next: pytest --target=parsers:Good\n" in good.out


def test_folder_of_the_run_stays_clean(good):
    assert {path.name for path in good.folder.iterdir()} == {"parsers.py", "report.json", ".pytest_cache"}


def test_report_holds_every_rule_in_the_order_of_the_registry(good):
    report = good.report()
    assert [rule["id"] for rule in report["rules"]] == [rule.id for rule in RULES]
    assert (report["version"], report["effort"], report["seed"]) == (1, "smoke", "0.1.0")
    assert [target["name"] for target in report["targets"]] == ["parsers:Good"]


def test_broken_rule_fails_the_run(bad):
    assert bad.code == 1
    assert "not conformant" in bad.out


def test_next_command_of_a_failing_target_is_its_first_broken_rule(bad):
    broken = next(rule["id"] for rule in bad.report()["rules"] if rule["status"] == "broken")
    assert f"next: pytest --target=parser-c chunkproof::{broken}\n" in bad.out


def test_short_summary_has_one_line_a_rule_with_the_wire(bad):
    lines = [line for line in bad.out.splitlines() if line.startswith("FAILED ")]
    assert len(lines) == bad.counts()["failed"]
    assert any(re.fullmatch("FAILED chunkproof::lines/cr - lost: data(: a)?[␊␍]␍", line) for line in lines)


def test_failure_has_no_traceback_of_ours(bad):
    assert "Traceback" not in bad.out
    assert ".py" not in bad.out.partition("= FAILURES =")[2].partition("= chunkproof =")[0]


def test_report_is_merged_over_workers(bad):
    report = bad.report()
    order = [rule.id for rule in RULES]
    places = [order.index(rule["id"]) for rule in report["rules"]]
    assert places == sorted(places)
    counts = bad.counts()
    assert len(places) == counts["failed"] + counts.get("passed", 0) + counts.get("skipped", 0)
    assert all(
        rule["counterexample"]["token"].startswith("cp1.") for rule in report["rules"] if rule["status"] == "broken"
    )


def test_same_results_with_and_without_workers(bad, run):
    alone = run(bad.folder, "--target=parser-c", "--effort=smoke", "-k", "lines", "--chunkproof-report=alone.json")

    def kept(report):
        return [(rule["id"], rule["status"], rule["counterexample"]) for rule in report["rules"]]

    assert kept(alone.report("alone.json")) == kept(bad.report())


def test_unknown_target_is_one_paragraph_and_exit_4(folder, run):
    ran = run(folder, "--target=nosuch.parser")
    assert ran.code == 4
    assert "ERROR: --target=nosuch.parser" in ran.all
    assert "Traceback" not in ran.all
    assert len([line for line in ran.all.splitlines() if line.strip()]) == 1


def test_unknown_target_under_xdist_is_exit_4_too(folder, run):
    ran = run(folder, "--target=nosuch.parser", "-n2")
    assert ran.code == 4
    assert "INTERNALERROR" not in ran.all


def test_wrong_declaration_is_exit_4(folder, run):
    ran = run(folder, "--target=parsers:Good", "--chunkproof-declare=colour=red")
    assert ran.code == 4
    assert "colour=red: not a declaration" in ran.all


def test_report_in_a_folder_that_is_not_there_is_said_at_once(folder, run):
    ran = run(folder, "--target=parsers:Good", "--chunkproof-report=nowhere/report.json")
    assert ran.code == 4
    assert "--chunkproof-report=nowhere/report.json: there is no folder" in ran.all


def test_report_without_a_target_is_refused(folder, run):
    ran = run(folder, "--chunkproof-report=report.json")
    assert ran.code == 4
    assert "add --target=SPEC" in ran.all


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
def test_no_rule_that_ran_is_exit_5(folder, run, workers):
    ran = run(folder, "--target=parsers:Good", "-k", "no_such_rule", *workers)
    assert ran.code == 5


def test_fault_of_the_suite_is_exit_3_and_shows_its_traceback(make_folder, run):
    conftest = """
import chunkproof.smaller


def pytest_sessionstart():
    chunkproof.smaller.record = lambda *arguments: 1 // 0
"""
    ran = run(make_folder(conftest=conftest), "--target=parser-c", "--effort=smoke", "-k", "lines/c")
    assert ran.code == 3
    assert "A fault of chunkproof itself, not of the target." in ran.out
    assert "ZeroDivisionError" in ran.out
    assert "no verdict: chunkproof itself failed" in ran.out
    assert ran.counts()["passed"] >= 1


def test_all_rules_skipped_is_exit_5(folder, run):
    ran = run(folder, "--target=parsers:Good", "chunkproof::end/only-empty-chunks", EMPTY_CHUNK_ENDS, "-rs")
    assert ran.code == 5, ran.all
    assert "no verdict: no rule was judged" in ran.out
    assert "SKIPPED [1] chunkproof: an empty chunk ends the input, as the target declares" in ran.out


ENDS = """
from chunkproof_targets.reference import ReferenceParser


class EndsAtEmpty:
    # As the callers of sans-I/O parsers know it: receive_data(b"") is the end of input.
    def __init__(self):
        self._parser, self._ended = ReferenceParser(), False

    def receive_data(self, chunk):
        if self._ended or not chunk:
            ended, self._ended = self._ended, True
            return [] if ended else self._parser.close()
        return self._parser.feed(chunk)


class NeverToldTheEnd:
    # Holds a CR back until the next chunk tells whether it is a CRLF; nobody says when there is none.
    def __init__(self):
        self._parser, self._held = ReferenceParser(), b""

    def feed(self, chunk):
        chunk = self._held + chunk
        self._held = b"\\r" if chunk.endswith(b"\\r") else b""
        return self._parser.feed(chunk[: len(chunk) - len(self._held)])
"""


def test_parser_whose_input_an_empty_chunk_ends_is_told_what_to_declare(make_folder, run):
    folder = make_folder(ends=ENDS)
    args = ("--target=ends:EndsAtEmpty", "--effort=smoke")
    ran = run(folder, *args, "--chunkproof-report=report.json")
    assert ran.code == 1
    broken = [rule for rule in ran.report()["rules"] if rule["status"] == "broken"]
    # It is wrong where empty chunks are sent, and nowhere else; and each time it is said what to type.
    assert [rule["id"] for rule in broken] == [
        "bytes/mark-behind-an-empty-chunk",
        "end/empty-chunks-at-the-end",
        "chunking/empty-chunks-anywhere",
        "whole/any-stream-in-any-chunking",
        "whole/any-bytes-never-stop-a-parser",
        "whole/telling-cases-are-right",
    ]
    assert all(rule["advice"].endswith("declare it: --chunkproof-declare empty_chunk=end") for rule in broken)
    assert ran.out.count("--chunkproof-declare empty_chunk=end") == len(broken)
    again = run(folder, *args, "--chunkproof-declare", "empty_chunk=end")
    assert again.code == 0, again.all
    assert "conformant with 1 declared deviation: empty_chunk=end" in again.out


def test_target_without_an_end_that_holds_a_cr_is_conformant_and_told_so(make_folder, run):
    folder = make_folder(ends=ENDS)
    ran = run(
        folder, "--target=ends:NeverToldTheEnd", "--effort=smoke", "-k", "end or lines", "--chunkproof-report=r.json"
    )
    assert ran.code == 0, ran.all
    assert "info end/a-cr-at-the-very-end-completes-a-blank-line: lost: data" in ran.out
    (found,) = [rule for rule in ran.report("r.json")["rules"] if rule["status"] == "broken"]
    assert (found["id"], found["severity"]) == ("end/a-cr-at-the-very-end-completes-a-blank-line", "info")
    assert "not judged" not in ran.out


def test_severity_must_leaves_the_others_out(folder, run):
    ran = run(folder, "--target=parsers:Good", "--chunkproof-severity=must", "--collect-only", "-q")
    assert ran.code == 0
    ids = {line for line in ran.out.splitlines() if line.startswith("chunkproof::")}
    assert ids == {f"chunkproof::{rule.id}" for rule in suite("default").rules if rule.severity == "must"}


def test_declarations_are_told_as_they_are_typed():
    class Declaring(Target):
        def run(self, chunks):
            return Run()

    target = Declaring()
    target.strict_utf8, target.size_limit, target.empty_chunk_ends = True, 65536, True
    target.deviations = ("bom-not-stripped",)
    declared = describe_target(target).declared
    assert declared == ("bom-not-stripped", "invalid_utf8=strict", "size_limit=65536", "empty_chunk=end")


def test_seed_is_drawn_once_for_all_workers_and_printed(folder, run):
    args = ("--target=parsers:Good", "--effort=smoke", "-k", "lines/c", "-n2", "--chunkproof-seed=random")
    ran = run(folder, *args, "--chunkproof-report=report.json")
    seed = ran.report()["seed"]
    assert seed.isdigit()
    assert f"seed {seed}," in ran.out
    assert f"next: pytest --target=parsers:Good --chunkproof-seed={seed}\n" in ran.out


def test_several_targets_show_in_the_ids(folder, run):
    ran = run(folder, "--target=parsers:Good", "--target=parser-d", "--effort=smoke", "-k", "lines/cr")
    assert "FAILED chunkproof::lines/cr[parser-d]" in ran.out
    assert "parsers:Good: 4 rules judged" in ran.out
    assert "lines/cr[parsers:Good]" not in ran.out


def test_plugin_without_a_target_imports_pytest_and_the_standard_library_only(folder):
    code = """
import sys
import pytest
before = {name.partition('.')[0] for name in sys.modules}
import chunkproof.plugin
new = {name.partition('.')[0] for name in sys.modules} - before
print(sorted(new - set(sys.stdlib_module_names)))
print(sorted(name for name in sys.modules if name.startswith('chunkproof')))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['chunkproof']", "['chunkproof', 'chunkproof.options', 'chunkproof.plugin']"]


def test_whole_run_without_a_target_loads_no_more_than_the_plugin(make_folder, run):
    test = """
import sys


def test_modules():
    ours = {name for name in sys.modules if name.startswith("chunkproof")}
    assert ours == {"chunkproof", "chunkproof.options", "chunkproof.plugin"}
    assert "hypothesis" not in sys.modules
"""
    ran = run(make_folder(test_it=test), "-p", "no:hypothesispytest")
    assert ran.code == 0, ran.all
    assert "chunkproof:" not in ran.out
