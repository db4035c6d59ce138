"""What a target does to its campaign: it ends nothing early, nothing is left out in silence, nothing outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chunkproof.fuzzing.storm import rules_for
from chunkproof.isolation.process import can_fork
from chunkproof_targets.loading import load_target

from .campaigns import ROOT, Command, Ended, fuzz, objects, wait_for

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="no fork on this system"),
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="no list of processes on this system"),
]

HARMFUL = "--target=tests.hostile.harmful:"
Start = Callable[..., Command]


@pytest.fixture(scope="module")
def seeds() -> str:
    """Eight seeds, of which the fifth sends a NUL, and the last again."""
    target = load_target("reference", folder=ROOT)
    at = [rule.id for rule in rules_for(target)].index("bytes/nul-is-text")
    return f"{at - 4}:{at + 4}"


def checks_of(ended: Ended) -> int:
    return int(json.loads(ended.out.splitlines()[-1])["checks"])


def words(target: str, seeds: str, *more: str) -> tuple[str, ...]:
    return f"{HARMFUL}{target}", "--seed-range", seeds, "--jobs=1", "--state=state", "--json", *more


@pytest.mark.parametrize("target", ["EndsItsParent", "InterruptsItsParent"])
def test_a_signal_to_the_shard_leaves_no_seed_out(tmp_path, seeds, target):
    right = fuzz(tmp_path, "--target=reference", "--seed-range", seeds, "--jobs=1", "--state=right", "--json")
    ended = fuzz(tmp_path, *words(target, seeds))
    assert (ended.code, ended.err) == (0, "")
    assert checks_of(ended) == checks_of(right) > 1000


def test_seeds_that_kill_their_shard_are_no_seeds_without_a_finding(tmp_path, seeds):
    for _ in range(2):  # the same command tries them again
        ended = fuzz(tmp_path, *words("KillsItsParent", seeds))
        assert ended.code == 2, ended.all
        assert ended.err == (
            f"chunkproof: the process that ran the seeds {seeds} was killed twice, by the target or by somebody else: "
            "nobody knows what they would have found; the same command tries them again\n"
        )
        assert ended.command.left() == {}


def test_a_folder_that_is_taken_away_is_said_to_be(tmp_path, seeds):
    ended = fuzz(tmp_path, *words("EmptiesTheFolder", seeds))
    assert ended.code == 2, ended.all
    assert ended.err.startswith("chunkproof: --state=state: ")
    assert len(ended.err.splitlines()) == 1
    assert "Traceback" not in ended.all
    assert ended.command.left() == {}


def test_what_a_target_has_started_ends_with_its_shard(tmp_path, start, seeds):
    command = start(*words("SleepsBesideAChild", seeds, "--timeout=600"))

    def asleep() -> set[int]:
        """The shard's child and the child of that: their parents are in the list too."""
        found = command.processes()
        return set(found) if len(found) == 4 else set()

    before = wait_for(asleep)
    assert before, command.processes()
    shard = next(pid for pid in before if pid != command.process.pid and os.getsid(pid) == pid)
    os.kill(shard, signal.SIGKILL)
    assert wait_for(lambda: before & set(command.processes()) == {command.process.pid}, 5)
    # The next shard has gone as far; now the campaign itself.
    assert wait_for(lambda: asleep() - before)
    command.process.kill()
    assert command.end().code == -signal.SIGKILL
    assert command.left() == {}


def test_a_shard_that_belongs_to_no_campaign_goes_on_without_who_started_it(tmp_path):
    shard = (sys.executable, "-P", "-m", "chunkproof", "fuzz", "shard", "--target=reference", "--state=state")
    script = '"$@" & until grep -q searching state/shards/0.json; do sleep 0.05; done 2>/dev/null'
    path = os.pathsep.join([str(ROOT), *sys.path])
    subprocess.run(
        # These take some seconds.
        ["sh", "-c", script, "sh", *shard, "--seed-range", "1000:1600"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    status = tmp_path / "state" / "shards"
    assert objects(status)[0]["doing"] == "searching"
    assert wait_for(lambda: objects(status)[0]["doing"] == "done", 60)
    assert json.loads((tmp_path / "state" / "seeds.json").read_text())["held"] == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device on this system")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_full_disk_under_the_output_is_said_and_is_no_finding(tmp_path, more):
    with open("/dev/full", "wb") as full:
        ended = fuzz(tmp_path, "--target=reference", "--time=60s", "--jobs=1", "--state=state", *more, stdout=full)
    assert ended.code == 2, ended.all
    assert ended.err == (
        "chunkproof: the output cannot be written (No space left on device), and the campaign has ended; what was "
        "found is in state\n"
    )
    assert ended.command.left() == {}
