"""One run of the suite on all hostile parsers at once: each gets exactly its verdict, and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from chunkproof.isolation.process import can_fork
from chunkproof_reports.results import Results, RuleResult

from .conftest import INTERRUPTIBLE, QUIET, run_in

pytestmark = pytest.mark.skipif(not can_fork(), reason="no fork on this system")

ROOT = Path(__file__).resolve().parent.parent.parent
HABITS, FAULTS = "tests.hostile.parsers", "chunkproof_targets.deviations.resources"

#: What these do they do on a NUL, and on nothing else: the kind of each broken must, and no should is broken.
ON_NUL = {
    "HangsOnNul": "hung",
    "SleepsHalfAMinute": "hung",
    "CrashesOnNul": "died",
    "LeavesAProcessBehind": "died",
    "RaisesSystemExit": "raised",
    "RaisesKeyboardInterrupt": "raised",
    "RecursesForEver": "raised",
    "RaisesTheUnspeakable": "raised",
    "EatsAllMemory": "memory",
    "PrintsAHundredMegabytes": "output",
}
#: All rules that these break, info left out, with the kind of each.
EXACTLY = {
    f"{HABITS}:LateByOneChunk": {"delivery/prompt": "late"},
    f"{HABITS}:reads_everything_first": {
        "delivery/prompt": "late",
        "delivery/lazy": "late",
        "delivery/failing-source": "lost",
    },
    f"{HABITS}:swallows_generator_exit": {"delivery/closed": "greedy"},
    f"{HABITS}:DecoderOfTheClass": {"delivery/alone": "changed"},
    f"{HABITS}:KeepsAllEvents": {"resources/delivered-data-is-let-go": "kept"},
    f"{HABITS}:DropsLinesBeyond64KiB": {
        "size/values-beyond-64-ki-characters": "lost",
        "size/a-line-of-1-mib": "lost",
        "size/a-line-of-10-mib": "lost",
    },
    f"{FAULTS}:WholeBufferSearchedForALineEnd": {"resources/linear-in-a-long-line": "slow"},
    f"{FAULTS}:DataJoinedForEachLine": {"resources/linear-in-data-lines": "slow"},
    f"{FAULTS}:EventsCopiedForEachEvent": {"resources/linear-in-events": "slow"},
    f"{FAULTS}:CommentsCopiedForEachComment": {"resources/linear-in-comments": "slow"},
    f"{FAULTS}:BlankLinesCountedAnew": {"resources/linear-in-blank-lines": "slow"},
}
OTHERS = ("ExitsOnAMark", "LiesAboutItsData", "EventsThatRaise")

MARK = "CHUNKPROOF_TESTS_MARK"


def processes(mark: str) -> list[int]:
    """The processes that have this mark in their environment, zombies left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def left_running(mark: str) -> list[int]:
    """The same, once those that are ending have had two seconds for it."""
    for _ in range(40):
        if not (left := processes(mark)):
            return []
        time.sleep(0.05)
    return left


class Gallery:
    """The one run."""

    def __init__(self, folder: Path) -> None:
        self.mark = uuid.uuid4().hex
        targets = [*(f"{HABITS}:{name}" for name in (*ON_NUL, *OTHERS)), *EXACTLY]
        self.ran = run_in(
            folder,
            *(f"--target={name}" for name in targets),
            *("--effort=smoke", "-n2", "-q", "--chunkproof-report=report.json", "-p", "no:cacheprovider"),
            env={"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), MARK: self.mark},
            timeout=280,
        )
        self.left = left_running(self.mark)
        self.results = Results.from_json((folder / "report.json").read_text(encoding="utf-8"))
        self.targets = targets

    def of(self, name: str) -> list[RuleResult]:
        """The results of one target."""
        return [rule for rule in self.results.rules if rule.target == name]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: Any) -> Gallery:
    return Gallery(tmp_path_factory.mktemp("hostile"))


def kinds(rules: list[RuleResult]) -> dict[str, str]:
    """The kind of each rule that fails."""
    return {rule.id: rule.counterexample.kind for rule in rules if rule.fails and rule.counterexample}


def test_run_is_whole_and_ends_by_itself(gallery):
    assert gallery.ran.code == 1, gallery.ran.all[-2000:]
    counts = {name: len(gallery.of(name)) for name in gallery.targets}
    assert len(set(counts.values())) == 1, counts
    assert {rule.status for rule in gallery.results.rules} == {"held", "broken", "not judged"}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no list of processes on this system")
def test_nothing_is_left_running(gallery):
    assert gallery.left == []


@pytest.mark.parametrize("name", ON_NUL)
def test_what_is_done_on_a_nul_is_told_with_a_nul(gallery, name):
    broken = [rule for rule in gallery.of(f"{HABITS}:{name}") if rule.status == "broken" and rule.severity != "info"]
    assert len(broken) >= 12
    for rule in broken:
        assert rule.counterexample is not None
        assert rule.counterexample.kind == ON_NUL[name], rule.id
        assert rule.severity == "must", rule.id
        assert any(b"\0" in stream.data for stream in rule.counterexample.streams), rule.id
        assert len(rule.counterexample.streams[-1].data) <= 40, rule.id


@pytest.mark.parametrize("name", EXACTLY)
def test_verdict_is_exactly_that_of_the_habit(gallery, name):
    assert kinds(gallery.of(name)) == EXACTLY[name]


def test_exit_on_a_mark_is_told_with_a_mark(gallery):
    broken = [rule for rule in gallery.of(f"{HABITS}:ExitsOnAMark") if rule.fails]
    assert len(broken) >= 15
    for rule in broken:
        assert rule.counterexample is not None
        assert rule.counterexample.kind == "died"
        assert rule.counterexample.actual.failure == "TargetDied: the process ended with exit status 3"
        assert any(b"\xef\xbb\xbf" in stream.data for stream in rule.counterexample.streams), rule.id


@pytest.mark.parametrize(("name", "kind"), [("LiesAboutItsData", "changed"), ("EventsThatRaise", "raised")])
def test_events_that_are_not_what_they_say(gallery, name, kind):
    found = kinds(gallery.of(f"{HABITS}:{name}"))
    assert found["bytes/nul-is-text"] == kind
    assert set(found.values()) == {kind}


# Who ends the run -----------------------------------------------------------------------------------------------------


def started(folder: Path, mark: str, *args: str) -> subprocess.Popen[str]:
    """A run on a parser that hangs, once its child runs."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "pytest", *QUIET, "-p", "no:cacheprovider", "--chunkproof-timeout=60", *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=INTERRUPTIBLE,
        text=True,
    )
    own = 4 if "-n1" in args else 2
    for _ in range(400):
        if len(processes(mark)) >= own - 1 and any(is_busy(pid) for pid in processes(mark) if pid != process.pid):
            return process
        time.sleep(0.05)
    raise AssertionError("it does not hang")


def is_busy(pid: int) -> bool:
    """Whether a process has used half a second of CPU time in user mode and runs."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] == "R" and int(fields[11]) / os.sysconf("SC_CLK_TCK") > 0.5


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no list of processes on this system")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_no_child_outlives_a_run_that_is_ended(tmp_path, number):
    mark = uuid.uuid4().hex
    rules = ("chunkproof::bytes/mark-removed", "chunkproof::ids/an-id-with-nul-is-ignored")
    process = started(tmp_path, mark, f"--target={HABITS}:HangsOnNul", "--effort=smoke", *rules)
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert left_running(mark) == []
    if number is signal.SIGINT:
        assert process.returncode == 2
        assert "KeyboardInterrupt" in out
        assert "1 rule judged" in out
