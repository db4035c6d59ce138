"""Campaigns that are killed at random moments: no finding is lost, the corpus is whole at any time, nothing goes on."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from chunkproof.corpus.store import read_corpus
from chunkproof.fuzzing.instrument import atheris_missing
from chunkproof.isolation.process import can_fork

from .campaigns import ROOT, Command, objects, wait_for

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="no fork on this system"),
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="no list of processes on this system"),
]

FAULTS = ["bom-not-stripped", "crlf-split-chunks", "id-per-event"]
TARGET = f"deviation:{'+'.join(FAULTS)}"
WORDS = (f"--target={TARGET}", "--state=state", "--jobs=2")

#: Reads all that there is, again and again, until its input ends; says what was damaged, or went back.
READER = """
import select, sys
from pathlib import Path
from chunkproof.corpus.store import read_corpus
from chunkproof.fuzzing.state import read_json

state, done, looks, problems = Path(sys.argv[1]), {}, 0, []
while not select.select([sys.stdin], [], [], 0.02)[0] and len(problems) < 5:
    looks += 1
    # What was taken away meanwhile, or is not there yet, is no damage.
    problems += [str(one) for one in read_corpus(state / "corpus").problems if one.path.exists()]
    for folder in ("inbox", "findings", "earlier", "shards"):
        for path in (state / folder).glob("*.json"):
            try:
                found = read_json(path)
            except FileNotFoundError:
                continue
            except Exception as error:
                problems.append(f"{path}: {error!r}")
                continue
            if folder == "shards":
                for key in ("checks", "streams", "seconds"):
                    before = done.get((path.name, key), 0)
                    if found[key] < before:
                        problems.append(f"{path.name}: {key} went from {before} to {found[key]}")
                    done[path.name, key] = found[key]
print(looks, *problems, sep="\\n")
"""


class Reader:
    """A process that looks at the folder of a campaign all the time."""

    def __init__(self, state: Path) -> None:
        path = os.pathsep.join([str(ROOT), *sys.path])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", READER, str(state)],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def problems(self) -> list[str]:
        out, _ = self.process.communicate("", timeout=60)
        looks, *problems = out.splitlines()
        assert problems or int(looks) > 20
        return problems


def kill(*pids: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def shards(command: Command) -> list[int]:
    return [pid for pid, words in command.processes().items() if " fuzz shard " in words and os.getpgid(pid) == pid]


def causes(state: Path) -> set[str]:
    return {
        name
        for folder in ("findings", "earlier")
        for record in objects(state / folder)
        for name in record["deviations"]
    }


def test_twenty_kills_lose_no_finding(tmp_path, start):
    with Reader(tmp_path / "state") as reader:
        _kill_twenty_times(tmp_path / "state", start)
        last = start(*WORDS, "--time=60s", "--until-quiet=10s").end()
        problems = reader.problems()
    state = tmp_path / "state"
    assert last.code == 1, last.all
    assert problems == []
    assert causes(state) == set(FAULTS)
    # One stream may show two of them.
    found = {tuple(record["deviations"]) for record in objects(state / "findings")}
    assert found >= {(name,) for name in FAULTS}
    assert () not in found
    # What a killed process has begun to write is taken away a minute later.
    assert list((state / "inbox").glob("*.json")) == []
    assert len(read_corpus(state / "corpus").entries) >= len(FAULTS)
    assert last.command.left() == {}


def _kill_twenty_times(state: Path, start: Callable[..., Command]) -> None:
    moments = random.Random(20)
    seen: set[str] = set()
    command: Command | None = None
    for number in range(20):
        who = ("shard", "shard", "supervisor", "all")[number % 4]
        command = command or start(*WORDS, "--time=5m")
        assert wait_for(partial(shards, command)), command.end(5).all
        # From the time before the target is loaded on to that in which causes are looked for.
        time.sleep(moments.uniform(0.0, 2.5))
        assert command.process.poll() is None, command.end().all
        assert seen <= causes(state)
        seen = causes(state)
        if who == "shard":
            kill(*shards(command)[:1])
        elif who == "supervisor":
            kill(command.process.pid)
        else:
            kill(command.process.pid, *command.processes())
        if who != "shard":
            assert command.end().code == -signal.SIGKILL
            assert command.left() == {}, who
            command = None
    assert command is None


@pytest.mark.skipif(bool(atheris_missing()), reason="no atheris for this Python and system")
def test_the_engine_ends_with_its_shard_and_is_started_again(tmp_path, start):
    command = start("--target=reference", "--state=state", "--jobs=1", "--engine=atheris", "--time=5m")
    status = tmp_path / "state" / "shards"

    def harness() -> list[int]:
        return [pid for pid, words in command.processes().items() if "harness.py" in words]

    def checks() -> int:
        return sum(one["checks"] for one in objects(status))

    assert wait_for(checks), command.processes()
    before = harness()
    kill(*shards(command))
    assert wait_for(lambda: not set(before) & set(harness()), 5)
    done = checks()
    assert wait_for(lambda: checks() > done)
    # By itself, it is no finding.
    kill(*harness())
    done = checks()
    assert wait_for(lambda: checks() > done)
    kill(command.process.pid)
    assert command.end().code == -signal.SIGKILL
    assert command.left() == {}
    assert objects(tmp_path / "state" / "findings") == objects(tmp_path / "state" / "inbox") == []
