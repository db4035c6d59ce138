"""A scheduler and workers of dask.distributed on the loopback of a network namespace, and scenarios that run on them.

Run as ``unshare --net python cluster.py SCENARIO FOLDER``: nothing of it can be reached from elsewhere, and it reaches
nothing. What came of the scenario is printed as one line of JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.remote import scheduler
from chunkproof.fuzzing.remote.scheduler import SHARD, Remote, SchedulerError
from chunkproof.fuzzing.state import State, read_json

ADDRESS = "tcp://127.0.0.1:8786"
SEEDS = 240
#: A shard that "runs" a seed by writing it into a ledger; every tenth is a finding.
STAND_IN = """
import json, os, sys, time
from pathlib import Path
from chunkproof.corpus.making import ANY_RULE
from chunkproof.fuzzing.remote import scheduler
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.state import State

given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
ledger, parent = Path(__file__).with_name("ledger"), os.getppid()
first, end = map(int, given["--seed-range"].split(":"))
state = State.open(Path(given["--state"]), given["--target"], [])

def told(*words):
    with ledger.open("a") as file:
        file.write(json.dumps([parent, os.getpid(), *words]) + "\\n")

told("start", first, end)
for seed in range(first, end):
    if os.getppid() != parent:
        sys.exit(1)  # as a shard does
    time.sleep(0.02)
    if seed % 10 == 0:
        state.put(Found(ANY_RULE, "lost", b"data:%d\\n\\n" % seed, ()))
    told("seed", seed)
status = {"name": "slice", "doing": "done", "checks": end - first, "seconds": 0.5, "updated": time.time()}
state.write_status("slice", status)
told("end", first, end)
sys.exit(1)
"""
#: A parser with up to two faults: it keeps the space behind the colon, and the byte order mark.
PARSER = """
from chunkproof_targets.reference import ReferenceParser

class Parser(ReferenceParser):
    pass
"""
SPACE = """
    def strip_space(self, value):
        return value
"""
MARK = """
    def strip_mark(self, text):
        return text
"""


def loopback_up() -> None:
    """A new namespace has a loopback, but it is down."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True, timeout=10)


@contextmanager
def cluster(workers: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A scheduler and behind it its workers; all are ended."""

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", *arguments, "--no-dashboard"], stderr=log, stdout=log)
        started.append(process)
        return process

    started: list[subprocess.Popen[bytes]] = []
    with open("cluster.log", "wb") as log:
        try:
            front = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "8786")
            worker: tuple[str, ...] = (
                "distributed.cli.dask_worker",
                ADDRESS,
                "--nthreads",
                "1",
                "--no-nanny",
                "--host",
                "127.0.0.1",
            )
            worker += ("--local-directory", os.getcwd())
            yield [front, *(start(*worker, "--name", f"w{number}") for number in range(workers))]
        finally:
            for process in started:
                process.kill()
                process.wait()


def ledger() -> list[list[Any]]:
    path = Path("ledger")
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("]")] if path.exists() else []


def remote(target: str = "reference", **more: Any) -> Remote:
    state = State.open(Path("state").absolute(), target, [])
    given = {"seeds": (0, SEEDS), "start": ("stand_in",), "command": ["--target", target]} | more
    return Remote(address=ADDRESS, state=state, decoders={}, **given)


def connected(target: str = "reference", **more: Any) -> Remote:
    """A campaign on a scheduler that may still be starting."""
    until = time.monotonic() + 60
    while True:
        try:
            return remote(target, **more).__enter__()
        except SchedulerError:
            if time.monotonic() > until:
                raise


def outcome(one: Remote) -> dict[str, Any]:
    state = one.state
    waiting = [found.wire.decode() for path in state.waiting() if (found := state.take(path)) is not None]
    return {
        "done": one._plan.done,
        "given_up": one.given_up,
        "notes": one.notes,
        "found": sorted(int(wire[5:]) for wire in waiting),
        "slices": [path.name for path in (state.folder / "slices").iterdir()],
        "checks": sum(status["checks"] for status in state.statuses()),
        "workers": len(one.shards),
        "ledger": ledger(),
    }


def a_worker_is_killed() -> dict[str, Any]:
    """One of two workers is killed in the middle of a slice, when others have been handed over."""
    with cluster(2) as (_, _, victim):
        one = connected()
        killed: list[Any] = []
        while one.step(0.1):
            told = ledger()
            own = [line for line in told if line[0] == victim.pid]
            if not killed and one._plan.done and own and own[-1][2] == "seed":
                start = next(line for line in reversed(own) if line[2] == "start")
                handed_over = list(one.state.folder.rglob("inbox/*.json"))
                victim.send_signal(signal.SIGKILL)
                killed = [start[3:], [Found.from_data(read_json(path)).wire.decode() for path in handed_over], start[1]]
        one.close()
        time.sleep(0.3)
        return outcome(one) | {"killed": killed, "orphan": Path(f"/proc/{killed[2]}").exists()}


def the_campaign_is_killed() -> dict[str, Any]:
    """The process that hands out slices is killed; the next one goes on with what was handed over."""
    with cluster(2):
        child = os.fork()
        if child == 0:
            one = connected()
            while one.step(0.1):
                if sum(end - first for first, end in one._plan.done) >= 100:
                    os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        before = [(line[3], line[4]) for line in ledger() if line[2] == "end"]
        one = connected()
        resumed = list(one._plan.done)
        while one.step(0.1):
            pass
        one.close()
        return outcome(one) | {"resumed": resumed, "before": before}


def the_time_is_up() -> dict[str, Any]:
    """Seeds without an end: when the time is up, no slice is handed out any more, and those that run are taken in."""
    with cluster(2):
        one = connected(seeds=(0, None))
        until = time.monotonic() + 3
        while one.step(0.1, until - time.monotonic()):
            pass
        one.close()
        return outcome(one)


def the_scheduler_goes() -> dict[str, Any]:
    """The scheduler ends in the middle: what was handed over is kept, and the error says how to go on."""
    with cluster(1) as (front, _):
        one = connected()
        said = ""
        try:
            while one.step(0.1):
                if one._plan.done:
                    front.kill()
        except SchedulerError as error:
            said = str(error)
        one.close()
        return outcome(one) | {"said": said}


def nobody_answers() -> dict[str, Any]:
    scheduler._CONNECTING = 2.0
    try:
        remote().__enter__()
    except SchedulerError as error:
        return {"said": str(error)}
    return {}


def a_shard_refuses() -> dict[str, Any]:
    """The real command, with a target that no worker has."""
    with cluster(1):
        one = connected("no_such_module", start=SHARD)
        try:
            while one.step(0.1):
                pass
        except SchedulerError as error:
            return {"said": str(error)}
        finally:
            one.close()
    return {}


def a_shard_fails_every_time() -> dict[str, Any]:
    """A part of the seeds cannot be run: they are tried three times and named, and all others are run."""
    Path("stand_in.py").write_text(STAND_IN.replace('    told("seed", seed)', "    if seed == 70: os._exit(9)"))
    with cluster(1):
        one = connected()
        while one.step(0.1):
            pass
        one.close()
        return outcome(one)


def real_shards() -> dict[str, Any]:
    """The real command on a parser with a fault: found by one of the workers, with its entry."""
    with cluster(2):
        one = connected("deviation:space-not-removed", start=SHARD, seeds=(0, 96))
        while one.step(0.1):
            pass
        one.close()
        return {"done": one._plan.done, "notes": one.notes, "records": one.state.records()}


def the_command() -> dict[str, Any]:
    """`chunkproof fuzz --scheduler`, for some seeds and for some seconds, into one folder."""
    called = ("chunkproof", "fuzz", "--target", "deviation:space-not-removed", "--state", "state")
    with cluster(2):
        connected("deviation:space-not-removed").close()
        shutil.rmtree("state")
        done = [
            subprocess.run(
                [sys.executable, "-m", *called, "--scheduler", ADDRESS, *how],
                capture_output=True,
                text=True,
                timeout=60,
            )
            for how in (("--seed-range", "0:96"), ("--time", "3s"))
        ]
    return {"codes": [one.returncode for one in done], "out": [one.stdout for one in done], "err": done[0].stderr}


def goes_on_with_a_mended_parser() -> dict[str, Any]:
    """Two faults are found; one of them is mended, and comes back."""
    faulty, steps = SPACE + MARK, []
    with cluster(2):
        for source in (faulty, MARK, faulty):
            Path("mended.py").write_text(PARSER + source)
            state = State.open(Path("state").absolute(), "mended.py:Parser", [])
            state.look_again()
            one = connected("mended.py:Parser", start=SHARD, seeds=(len(steps) * 96, len(steps) * 96 + 96))
            while one.step(0.1):
                pass
            one.close()
            folders = {name: one.state.folder / name for name in ("findings", "earlier", "past")}
            steps.append(
                {
                    name: [cause for path in sorted(folder.iterdir()) for cause in read_json(path)["deviations"]]
                    for name, folder in folders.items()
                }
                | {"known": one.state.known(), "notes": one.notes}
            )
    return {"steps": steps}


if __name__ == "__main__":
    scenarios: dict[str, Callable[[], dict[str, Any]]] = {
        one.__name__: one
        for one in (
            *(a_worker_is_killed, the_campaign_is_killed, the_scheduler_goes, the_time_is_up),
            *(
                nobody_answers,
                a_shard_refuses,
                a_shard_fails_every_time,
                real_shards,
                the_command,
                goes_on_with_a_mended_parser,
            ),
        )
    }
    os.chdir(sys.argv[2])
    Path("stand_in.py").write_text(STAND_IN)
    loopback_up()
    print(json.dumps(scenarios[sys.argv[1]]()))
