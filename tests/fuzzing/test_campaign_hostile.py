"""Hostile parsers as targets: the campaign goes on to its end, each gets its finding, and nothing is left behind."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from chunkproof.fuzzing.instrument import atheris_missing
from chunkproof.fuzzing.storm import rules_for
from chunkproof.isolation.process import can_fork
from chunkproof_targets.loading import load_target

from .campaigns import ROOT, Ended, fuzz, objects, size_of

pytestmark = pytest.mark.skipif(not can_fork(), reason="no fork on this system")

HABITS, ODD = "tests.hostile.parsers:", "tests.hostile.odd:"
NUL, MARK, LONE = "bytes/nul-is-text", "bytes/mark-removed", "delivery/alone"

#: Each target, the rule whose seed shows it, and the kind of what is found.
STORM = {
    f"{HABITS}HangsOnNul": (NUL, "hung"),
    f"{HABITS}HangsWhereNoSignalIsHeard": (NUL, "hung"),
    f"{HABITS}HangsAndCatchesAll": (NUL, "hung"),
    f"{HABITS}SleepsHalfAMinute": (NUL, "hung"),
    f"{HABITS}ExitsOnAMark": (MARK, "died"),
    f"{HABITS}CrashesOnNul": (NUL, "died"),
    f"{HABITS}LeavesAProcessBehind": (NUL, "died"),
    f"{HABITS}RaisesSystemExit": (NUL, "raised"),
    f"{HABITS}RaisesKeyboardInterrupt": (NUL, "raised"),
    f"{HABITS}RecursesForEver": (NUL, "raised"),
    f"{HABITS}RaisesTheUnspeakable": (NUL, "raised"),
    f"{HABITS}EatsAllMemory": (NUL, "memory"),
    f"{HABITS}PrintsAHundredMegabytes": (NUL, "output"),
    f"{HABITS}LiesAboutItsData": (NUL, "changed"),
    f"{HABITS}EventsThatRaise": (NUL, "raised"),
    f"{HABITS}LateByOneChunk": ("delivery/prompt", "late"),
    f"{HABITS}reads_everything_first": ("delivery/prompt", "late"),
    f"{HABITS}swallows_generator_exit": ("delivery/closed", "raised"),
    f"{HABITS}DecoderOfTheClass": (LONE, "changed"),
    f"{HABITS}KeepsAllEvents": ("resources/delivered-data-is-let-go", "kept"),
    f"{HABITS}DropsLinesBeyond64KiB": ("size/values-beyond-64-ki-characters", "lost"),
    "chunkproof_targets.deviations.resources:DataJoinedForEachLine": ("resources/linear-in-data-lines", "slow"),
    f"{ODD}ClosesStandard": (NUL, "changed"),
    f"{ODD}ChangesFolder": (NUL, "changed"),
    f"{ODD}HearsNoSignal": (NUL, "changed"),
    f"{ODD}ForksEachTime": (NUL, "changed"),
    f"{ODD}WritesToItsLog": (NUL, "changed"),
}
ATHERIS = {
    f"{HABITS}HangsOnNul": "hung",
    f"{HABITS}CrashesOnNul": "died",
    f"{HABITS}ExitsOnAMark": "died",
    f"{HABITS}LeavesAProcessBehind": "died",
    f"{HABITS}PrintsAHundredMegabytes": "output",
}
#: What the folder of a campaign takes on the disk here: one log of a MiB and a half, and small files.
DISK_BYTES_MAX = 4 << 20


@dataclass
class Hostile:
    """A campaign on one of them."""

    ended: Ended
    state: Path

    @property
    def kinds(self) -> set[str]:
        return {record["kind"] for record in objects(self.state / "findings")}


def storm(folder: Path, target: str) -> Hostile:
    # What is odd must not be loaded here; its rules are those of any other class.
    loaded = load_target(f"{HABITS}HangsOnNul" if target.startswith(ODD) else target, folder=ROOT)
    try:
        seed = [rule.id for rule in rules_for(loaded)].index(STORM[target][0])
    finally:
        loaded.close()
    state = folder / target.partition(":")[2]
    words = ("--target", target, "--state", str(state), "--seed-range", f"{seed}:{seed + 1}", "--jobs", "1")
    return Hostile(fuzz(folder, *words), state)


def atheris(folder: Path, target: str) -> Hostile:
    state = folder / target.partition(":")[2]
    words = ("--target", target, "--state", str(state), "--engine", "atheris", "--time", "60s", "--until-found")
    return Hostile(fuzz(folder, *words, "--jobs", "1"), state)


@pytest.fixture(scope="module")
def storms(tmp_path_factory) -> dict[str, Hostile]:
    """All of them, some side by side: most of the time they wait for something that hangs."""
    folder = tmp_path_factory.mktemp("storm")
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(STORM, pool.map(lambda target: storm(folder, target), STORM), strict=True))


@pytest.mark.parametrize("target", STORM)
def test_each_gets_its_finding_from_the_storm(storms, target):
    hostile = storms[target]
    assert hostile.ended.code == 1, hostile.ended.all
    assert STORM[target][1] in hostile.kinds
    assert "ended: all seeds are done" in hostile.ended.out
    assert hostile.ended.err == ""
    assert all(record["settled"] and record["reproducible"] for record in objects(hostile.state / "findings"))


@pytest.mark.parametrize("target", STORM)
def test_nothing_is_left_of_a_storm(storms, target):
    hostile = storms[target]
    assert hostile.ended.command.left() == {}
    assert list((hostile.state / "inbox").iterdir()) == []
    assert list((hostile.state / "artefacts").iterdir()) == []
    assert size_of(hostile.state) < DISK_BYTES_MAX


@pytest.fixture(scope="module")
def engine_runs(tmp_path_factory) -> dict[str, Hostile]:
    folder = tmp_path_factory.mktemp("atheris")
    with ThreadPoolExecutor(3) as pool:
        return dict(zip(ATHERIS, pool.map(lambda target: atheris(folder, target), ATHERIS), strict=True))


@pytest.mark.skipif(bool(atheris_missing()), reason="no atheris for this Python and system")
@pytest.mark.parametrize("target", ATHERIS)
def test_each_gets_its_finding_from_the_engine(engine_runs, target):
    hostile = engine_runs[target]
    assert hostile.ended.code == 1, hostile.ended.all
    assert hostile.kinds == {ATHERIS[target]}
    assert "ended: something was found" in hostile.ended.out
    assert hostile.ended.command.left() == {}
    assert list((hostile.state / "artefacts").iterdir()) == []
    assert size_of(hostile.state) < DISK_BYTES_MAX


# Targets that live in the process of their shard ----------------------------------------------------------------------


def in_one_process(folder: Path, name: str) -> Hostile:
    words = ("--target", f"tests.hostile.threads:{name}", "--seed-range", "22:27", "--jobs", "1")
    return Hostile(fuzz(folder, *words, "--state", "state"), folder / "state")


def test_a_target_with_threads_is_judged_in_its_shard(tmp_path):
    hostile = in_one_process(tmp_path, "FloodsItsLog")
    assert hostile.ended.code == 1, hostile.ended.all
    assert [record["deviations"] for record in objects(hostile.state / "findings")] == [["nul-stripped"]]
    assert size_of(hostile.state) < DISK_BYTES_MAX


def test_a_target_that_ends_its_shard_is_a_finding_that_is_not_run_again(tmp_path):
    hostile = in_one_process(tmp_path, "ExitsOnNul")
    assert hostile.ended.code == 1, hostile.ended.all
    assert "ended: all seeds are done" in hostile.ended.out
    records = objects(hostile.state / "findings")
    assert {(record["kind"], record["reproducible"]) for record in records} == {("died", False)}
    assert {record["rule"] for record in records} >= {NUL}
    assert all("00" in record["wire"] and "ended the process of its shard" in record["note"] for record in records)
    assert hostile.ended.command.left() == {}


# Targets that cannot be loaded ----------------------------------------------------------------------------------------

UNLOADABLE = {
    "import missing_here": "its import raised ModuleNotFoundError: No module named 'missing_here'",
    "import sys; sys.exit(0)": "its import raised SystemExit: 0",
    "import os; os._exit(0)": "when it is loaded: the process ended with exit status 0",
    "import os; os._exit(3)": "when it is loaded: the process ended with exit status 3",
    "import ctypes; ctypes.string_at(0)": "when it is loaded: the process was ended by SIGSEGV",
    "X = 3": "./odd.py:X is of the type int, which is no parser",
}


@pytest.mark.parametrize("source", UNLOADABLE)
def test_a_target_that_cannot_be_loaded_ends_the_campaign_at_once(tmp_path, source):
    (tmp_path / "odd.py").write_text(source)
    ended = fuzz(tmp_path, "--target=./odd.py:X", "--time", "10m", "--jobs", "2")
    assert ended.code == 2, ended.all
    assert ended.err.startswith("chunkproof: ")
    assert UNLOADABLE[source] in ended.err
    assert "Traceback" not in ended.err
    assert ended.command.left() == {}


def test_no_such_module_is_told_once(tmp_path):
    ended = fuzz(tmp_path, "--target=no_such_module", "--time", "10m", "--jobs", "2")
    assert ended.code == 2
    assert ended.err.count("there is no module no_such_module") == 1


SILENT = """
class X:
    def feed(self, chunk):
        return []
"""


def test_a_parser_that_says_nothing_is_told_as_calibration_tells_it(tmp_path):
    (tmp_path / "odd.py").write_text(SILENT)
    ended = fuzz(tmp_path, "--target=./odd.py:X", "--time", "10m", "--jobs", "2")
    assert ended.code == 2
    assert "calibration streams" in ended.err
