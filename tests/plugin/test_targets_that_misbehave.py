"""A target may hang, exit, print, warn and leave threads behind: that is a verdict on it, never the end of the run."""

from __future__ import annotations

import pytest


def test_target_that_hangs_breaks_the_rule_and_the_run_goes_on(folder, run):
    ran = run(
        folder,
        "--target=parsers:HangsAtCR",
        "--effort=smoke",
        "--chunkproof-timeout=0.2",
        "-k",
        "lines/lf or lines/crlf",
    )
    assert ran.code == 1
    assert ran.counts()["passed"] >= 1
    assert "FAILED chunkproof::lines/crlf - hung: " in ran.out
    assert "--timeout 0.2\n" in ran.out


def test_sys_exit_of_a_target_is_a_failure_like_any_other(folder, run):
    ran = run(folder, "--target=parsers:ExitsAtCR", "--effort=smoke", "chunkproof::lines/cr", "chunkproof::lines/lf")
    assert ran.code == 1
    assert ran.counts() == {"failed": 1, "passed": 1}
    assert "FAILED chunkproof::lines/cr - raised SystemExit: " in ran.out


def test_target_that_ends_its_process_on_plain_events_cannot_be_used(folder, run):
    ran = run(folder, "--target=parsers:DiesAtOnce")
    assert ran.code == 4
    assert "parsers:DiesAtOnce takes its process with it when it is given the calibration streams" in ran.err
    assert "the process ended with exit status 9" in ran.err


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "in a worker"])
def test_target_that_ends_its_process_breaks_the_rule_and_the_run_goes_on(folder, run, workers):
    rules = ("chunkproof::lines/cr", "chunkproof::lines/lf", "chunkproof::lines/mixed")
    ran = run(folder, "--target=parsers:DiesAtCR", "--effort=smoke", *rules, *workers)
    assert ran.code == 1
    assert ran.counts() == {"failed": 2, "passed": 1}
    assert "TargetDied: the process ended with exit status 9" in ran.out
    assert "FAILED chunkproof::lines/cr - died: " in ran.out


def test_worker_that_dies_is_no_conformant_target(folder, run):
    rules = ("chunkproof::lines/cr", "chunkproof::lines/lf", "chunkproof::lines/mixed")
    ran = run(folder, "--target=parsers:DiesAtCR", "--effort=smoke", *rules, "-n1", "--chunkproof-isolation=none")
    assert ran.code == 1
    assert "chunkproof::lines/cr ended without a result" in ran.out
    assert "\n  conformant" not in ran.out


def test_escape_sequences_of_a_target_do_not_reach_the_terminal(folder, run):
    ran = run(folder, "--target=parsers:ExitsAtCR", "--effort=smoke", "chunkproof::lines/cr", "--color=no")
    assert "SystemExit: that was a ␛[31mCR␇" in ran.out
    assert "\x1b" not in ran.out


def test_what_a_failing_target_printed_is_abridged_and_made_harmless(folder, run):
    ran = run(folder, "--target=parsers:NoisyAndWrong", "--effort=smoke", "chunkproof::lines/crlf-cut", "--color=no")
    assert ran.code == 1
    printed = ran.out.partition("\non stdout:\n")[2].partition("= chunkproof =")[0]
    assert "␛[2Jcleared" in printed
    assert len(printed) < 4000
    assert "\x1b" not in ran.out


def test_interrupt_ends_the_run_with_what_was_done(folder, run):
    ran = run(
        folder, "--target=parsers:Interrupted", "--effort=smoke", "chunkproof::lines/cr", "chunkproof::lines/crlf"
    )
    assert ran.code == 2
    assert "KeyboardInterrupt" in ran.out
    assert "parsers:Interrupted: 1 rule judged" in ran.out
    assert "no must is broken in the 1 of" in ran.out


def test_warnings_threads_and_finalisers_of_a_target_fail_nothing(folder, run):
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    ran = run(folder, "--target=parsers:Noisy", "--effort=smoke", "-k", "lines/cr")
    assert ran.code == 0, ran.all
    assert "warning" not in ran.counts()


def test_large_counterexample_is_replayed_from_a_file(folder, run, chunkproof):
    ran = run(folder, "--target=parsers:DropsLong", "--effort=smoke", "chunkproof::size/values-up-to-16-kib")
    assert ran.code == 1
    command = next(line for line in ran.out.splitlines() if line.startswith("chunkproof replay "))
    again = chunkproof(folder, *command.split()[1:])
    assert again.code == 1
    assert "lost" in ran.out
    assert "size/values-up-to-16-kib (must)" in again.out
