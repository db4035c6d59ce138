"""How a campaign ends, what it says then, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chunkproof.fuzzing import supervisor
from chunkproof.fuzzing.state import State
from chunkproof.fuzzing.supervisor import Campaign, Ending, ShardFailed
from chunkproof.isolation.process import can_fork
from chunkproof_reports.campaign.record import CampaignRecord

from .campaigns import Command, fuzz, objects, wait_for

pty = pytest.importorskip("pty", reason="no terminals on this system")
termios = pytest.importorskip("termios", reason="no terminals on this system")

pytestmark = pytest.mark.skipif(not can_fork(), reason="no fork on this system")

MARK = "--target=deviation:bom-not-stripped"
Start = Callable[..., Command]


def searching(state: Path) -> bool:
    """Whether a shard has checked something."""
    return any(one["checks"] for one in objects(state / "shards"))


# How it ends ----------------------------------------------------------------------------------------------------------


def test_all_seeds_of_a_range_are_done_once(tmp_path):
    words = ("--target=reference", "--seed-range", "0:40", "--jobs", "2", "--json", "--state", "state")
    once = fuzz(tmp_path, *words)
    assert once.code == 0, once.all
    lines = [json.loads(line) for line in once.out.splitlines()]
    assert lines[-1]["ended"] == "all seeds are done"
    assert once.err == ""
    alone = fuzz(tmp_path, *words[:3], "--jobs", "1", "--json", "--state", "alone")
    checks = json.loads(alone.out.splitlines()[-1])["checks"]
    assert checks == lines[-1]["checks"] > 1000
    # Behind its end a range has nothing left; what was done counts on.
    again = fuzz(tmp_path, *words)
    assert (again.code, json.loads(again.out.splitlines()[-1])["checks"]) == (0, checks)


def test_nothing_found_is_told_and_ends_with_0(tmp_path):
    ended = fuzz(tmp_path, "--target=reference", "--time=6s", "--jobs=1")
    assert ended.code == 0, ended.all
    assert "ended: the time is up" in ended.out
    assert "no finding in " in ended.out
    assert ended.err == ""


def test_it_ends_with_the_first_finding(tmp_path):
    ended = fuzz(tmp_path, MARK, "--until-found", "--time=5m", "--jobs=1", "--summary=told.md")
    assert ended.code == 1, ended.all
    assert "ended: something was found" in ended.out
    assert "1. bom-not-stripped" in ended.out
    assert "bom-not-stripped" in (tmp_path / "told.md").read_text("utf-8")
    assert ended.command.left() == {}


def test_it_ends_when_nothing_new_comes(tmp_path):
    ended = fuzz(tmp_path, MARK, "--until-quiet=8s", "--jobs=1")
    assert ended.code == 1, ended.all
    assert "ended: nothing new for 8 s" in ended.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_a_signal_ends_it_as_if_the_time_were_up(tmp_path, start, number):
    command = start(MARK, "--time=5m", "--jobs=1", "--state=state")
    assert wait_for(lambda: objects(tmp_path / "state" / "inbox"))
    # As a terminal does: to all of the group.
    os.killpg(command.process.pid, number)
    ended = command.end()
    assert ended.code == 1, ended.all
    assert "ended: interrupted" in ended.out
    assert "1. bom-not-stripped" in ended.out
    assert ended.err == ""
    assert command.left() == {}


def test_a_second_signal_ends_it_at_once_and_what_was_found_waits(tmp_path, start):
    (tmp_path / "slow.py").write_text(SLOW)
    command = start("--target=./slow.py:X", "--time=5m", "--jobs=1", "--state=state")
    assert wait_for(lambda: objects(tmp_path / "state" / "inbox"))
    os.killpg(command.process.pid, signal.SIGINT)
    time.sleep(1)
    os.killpg(command.process.pid, signal.SIGINT)
    ended = command.end()
    # What nobody has looked at counts.
    assert ended.code == 1, ended.all
    assert "ended: interrupted" in ended.out
    assert objects(tmp_path / "state" / "inbox") or objects(tmp_path / "state" / "findings")
    assert command.left() == {}


#: Hangs where it is looked for the cause of its finding, as well.
SLOW = """
import time
from chunkproof_targets.reference import ReferenceParser

class X(ReferenceParser):
    def feed(self, chunk):
        if b"\\0" in chunk:
            time.sleep(60)
        return super().feed(chunk)
"""


def test_nobody_reads_what_it_says(tmp_path, start):
    reading, writing = os.pipe()
    command = start(MARK, "--time=5m", "--jobs=1", "--json", "--state=state", stdout=writing)
    os.close(writing)
    assert wait_for(lambda: searching(tmp_path / "state"))
    os.close(reading)
    ended = command.end(60)
    assert ended.code in (0, 1)
    assert ended.err == ""
    assert command.left() == {}


# What it says ---------------------------------------------------------------------------------------------------------


def in_a_terminal(start: Start, *words: str, interrupt: str = "") -> tuple[bytes, int, bool]:
    """What a campaign draws, its code, and whether the terminal is as it was; Ctrl-C comes behind ``interrupt``."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    command = start(*words, stdin=slave, stdout=slave, stderr=slave, env={"TERM": "xterm"}, terminal=slave)
    drawn = b""
    interrupted = False
    os.set_blocking(master, False)
    while True:
        is_over = command.process.poll() is not None
        try:
            drawn += os.read(master, 1 << 16)
        except BlockingIOError:
            if is_over:
                break
            time.sleep(0.05)
        if interrupt and not interrupted and interrupt.encode() in drawn:
            os.write(master, b"\x03")
            interrupted = True
    after = termios.tcgetattr(slave)
    os.close(slave)
    os.close(master)
    assert command.left() == {}
    return drawn, command.process.returncode, before == after


@pytest.mark.parametrize("interrupt", ["", "nul-stripped"])
def test_a_terminal_is_left_as_it_was(start, interrupt):
    words = ("--target=tests.hostile.odd:ChangesFolder", "--time=5m", "--jobs=1")
    drawn, code, is_same = in_a_terminal(start, *words, *([] if interrupt else ["--until-found"]), interrupt=interrupt)
    assert code == 1, drawn[-2000:]
    assert is_same
    assert b"checks" in drawn
    assert b"Traceback" not in drawn
    # The cursor is hidden while it is drawn, and back in the end.
    assert drawn.count(b"\x1b[?25l") >= 1
    assert drawn.rfind(b"\x1b[?25h") > drawn.rfind(b"\x1b[?25l")
    assert drawn.count(b"\x1b[?1049h") == drawn.count(b"\x1b[?1049l")
    end = drawn[drawn.rfind(b"\x1b[?25h") :]
    assert (b"interrupted" if interrupt else b"something was found") in end
    assert b"1 finding" in end


# What it refuses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--summary=none/told.md",), "--summary=none/told.md: it cannot be written: name a file in a folder that"),
        (("--summary=.",), "--summary=.: it cannot be written"),
        (("--state=file",), "file is no folder: name another one with --state"),
        (("--state=file/state",), "--state=file/state: [Errno 20] Not a directory"),
        (("--state=/proc/state",), "--state=/proc/state: [Errno 2]"),
        (("--state=full",), "full holds something else than a campaign: name another folder"),
        (("--state=other",), "other is the campaign of another target: 'chat', and not 'reference'"),
        (("--engine=atheris", "--seed-range=0:9"), "--seed-range: seeds are of the storm, and not of --engine atheris"),
        (("--memory=0",), "--memory=0: it is a number of MiB above 0"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_what_cannot_be_used_is_refused_before_it_begins(tmp_path, words, told):
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("")
    State.open(tmp_path / "other", "chat", ())
    ended = fuzz(tmp_path, "--target=reference", "--time=5m", *words)
    assert ended.code == 2, ended.all
    assert ended.out == ""
    assert told in ended.err
    assert len(ended.err.splitlines()) == 1


def test_one_folder_is_one_campaigns_at_a_time(tmp_path, start):
    first = start("--target=reference", "--time=5m", "--jobs=1", "--state=state")
    assert wait_for(lambda: searching(tmp_path / "state"))
    ended = fuzz(tmp_path, "--target=reference", "--time=5m", "--jobs=1", "--state=state")
    assert ended.code == 2
    assert ended.err == (
        f"chunkproof: --state=state: another campaign (process {first.process.pid}) is running in it: end that one, or "
        "name another folder\n"
    )
    first.process.terminate()
    assert first.end().code == 0


@pytest.mark.parametrize("engine", ["atheris", "both", "storm"])
def test_without_atheris_that_is_said_and_the_storm_works(tmp_path, engine):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['atheris'] = None\n")
    words = (MARK, f"--engine={engine}", "--until-found", "--time=5m", "--jobs=1")
    ended = fuzz(tmp_path, *words, before=[str(tmp_path)])
    if engine == "storm":
        assert ended.code == 1, ended.all
    else:
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith("chunkproof: the engine atheris is not installed: it is an extra: pip install ")
        assert ended.err.endswith("; --engine storm needs nothing and finds most of what it finds\n")
        assert not (tmp_path / "chunkproof-fuzz").exists()


# What a shard's end means ---------------------------------------------------------------------------------------------


def campaign_of(tmp_path: Path, source: str, **how: float) -> Campaign:
    """A campaign whose shards are such a script."""
    state = State.open(tmp_path / "state", "reference", ())
    state.set_seeds(0, 1)
    state.take_seeds(1)
    about = CampaignRecord("reference", "storm", 1, (), (), 0, 0.0, None, None, 0.0, "state")
    campaign = Campaign(state, ["storm"], [], Ending(60.0), about, lambda record: None)
    script = tmp_path / "shard.py"
    script.write_text(source)
    made = campaign._process

    def process(number: int, engine: str) -> supervisor.Process:
        one = made(number, engine)
        one.command = [sys.executable, str(script), str(state.shards / "0.json")]
        return one

    campaign._process = process  # type: ignore[method-assign]
    return campaign


SAYS = "import json, os, sys, time\nfrom pathlib import Path\n" + (
    "def say(doing): Path(sys.argv[1]).write_text(json.dumps("
    "{'name': '0', 'engine': 'storm', 'doing': doing, 'checks': 1, 'updated': time.time()}))\n"
)


def test_a_fault_of_ours_in_a_shard_ends_it_with_its_text(tmp_path):
    with pytest.raises(ShardFailed) as caught:
        campaign_of(tmp_path, SAYS + "say('searching'); print('A fault of chunkproof itself: x'); sys.exit(3)").run()
    assert (caught.value.code, caught.value.text) == (3, "A fault of chunkproof itself: x")


def test_a_traceback_before_all_else_is_a_fault_of_ours(tmp_path):
    with pytest.raises(ShardFailed) as caught:
        campaign_of(tmp_path, "1 / 0").run()
    assert caught.value.code == 3
    assert "ZeroDivisionError" in caught.value.text


def test_a_shard_that_never_says_anything_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "_STARTING", 0.5)
    with pytest.raises(ShardFailed) as caught:
        campaign_of(tmp_path, "import time; time.sleep(60)").run()
    assert (caught.value.code, caught.value.text) == (2, "chunkproof: --target=reference is not loaded after 0.5 s")


def test_a_shard_that_is_ended_from_outside_at_its_start_is_started_a_few_times(tmp_path):
    with pytest.raises(ShardFailed) as caught:
        campaign_of(
            tmp_path, "import os, signal; print('begun', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
        ).run()
    assert caught.value.code == 2
    assert "takes its process with it when it is loaded: the process was ended by SIGKILL" in caught.value.text
    assert (tmp_path / "state" / "logs" / "0.log").read_text() == 4 * "begun\n"


def test_shards_that_end_again_and_again_end_the_campaign(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "_STARTS_MAX", 2)
    with pytest.raises(ShardFailed) as caught:
        campaign_of(tmp_path, SAYS + "say('searching'); os._exit(7)").run()
    assert caught.value.code == 3
    assert caught.value.text == "its shards have ended 3 times, at last so: the process ended with exit status 7"


def test_a_shard_that_stands_still_is_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "_STANDS_STILL", 0.5)
    source = SAYS + (
        "again = Path(sys.argv[1]).with_name('once'); say('searching')\n"
        "if not again.exists(): again.write_text(''); time.sleep(60)\n"
        "say('done')\n"
    )
    record = campaign_of(tmp_path, source).run()
    assert record.ended == "all seeds are done"
