"""Slices of a campaign: ranges of seeds that are accounted for, and folders that are handed over as bytes."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.fuzzing.remote.plan import SeedPlan, joined
from chunkproof.fuzzing.remote.slices import Slice, pack, run_slice, unpack

# Seeds ----------------------------------------------------------------------------------------------------------------


def test_ranges_that_touch_are_one():
    assert joined([(5, 9), (0, 5), (20, 30), (22, 24), (12, 12)]) == [(0, 9), (20, 30)]


RANGES = st.lists(
    st.tuples(st.integers(0, 3000), st.integers(0, 3000)).map(lambda pair: tuple(sorted(pair))), max_size=6
)


@given(RANGES, st.lists(st.sampled_from(["done", "half", "back", "lost"]), max_size=40), st.randoms())
def test_every_seed_is_done_or_given_up_and_none_is_given_out_twice(before, fates, random):
    plan = SeedPlan(0, 3000, 10.0, list(before))
    counted = [0] * 3000
    for first, end in joined(before):
        for seed in range(first, min(end, 3000)):
            counted[seed] += 1
    lost = 0
    while (piece := plan.take()) is not None:
        fate = fates.pop() if fates else "done"
        first, end = piece
        behind = {"done": end, "half": (first + end) // 2}.get(fate, first)
        for seed in range(first, behind):
            counted[seed] += 1
        if fate == "lost":
            plan.give_up(piece)
            lost += end - first
            continue
        if behind > first:
            plan.is_done((first, behind), random.choice([0.1, 10.0, 60.0]))
        if behind < end:
            plan.give_back((behind, end))
    assert set(counted) <= {0, 1}
    assert counted.count(0) == lost == sum(end - first for first, end in plan.given_up)
    assert joined([*plan.done, *plan.given_up])[0][0] == 0
    assert joined([*plan.done, *plan.given_up])[-1][1] >= 3000


def test_pieces_grow_until_they_take_as_long_as_they_should_and_shrink_again():
    plan = SeedPlan(0, None, 10.0)
    sizes = []
    for seconds in (0.5, 1.0, 10.0, 40.0, 40.0):
        first, end = plan.take()
        sizes.append(end - first)
        plan.is_done((first, end), seconds)
    assert sizes == [64, 128, 256, 256, 128]


# Folders as bytes -----------------------------------------------------------------------------------------------------

FILES = {
    "campaign.json": b"{}",
    "findings/abc.json": b"1",
    "inbox/def.json": b"22",
    "corpus/whole/fuzz-abc.json": b"333",
    "shards/slice.json": b"4",
    "artefacts/crash-0a": b"5",
    "inputs/table/0a1b": b"\xff\x00",
    "inputs/raw/0a1b": b"7" * 100,
}


def test_a_folder_comes_back_as_it_was(tmp_path):
    unpack(FILES, tmp_path / "a")
    (tmp_path / "a/lock.lock").touch()
    (tmp_path / "a/logs").mkdir()
    (tmp_path / "a/logs/0.log").write_bytes(b"printed")
    (tmp_path / "a/findings/.abc.json.x.part").write_bytes(b"half")
    (tmp_path / "a/findings/link.json").symlink_to("/etc/hostname")
    assert pack(tmp_path / "a") == (FILES, 0)


def test_what_is_too_much_is_left_out_inputs_first(tmp_path):
    unpack(FILES, tmp_path / "a")
    files, left_out = pack(tmp_path / "a", bytes_max=20)
    assert files == {name: content for name, content in FILES.items() if name != "inputs/raw/0a1b"}
    assert left_out == 1
    assert list(pack(tmp_path / "a", bytes_max=5)[0]) == ["campaign.json", "findings/abc.json", "inbox/def.json"]


@pytest.mark.parametrize(
    "name",
    [
        *("../campaign.json", "/etc/passwd", "findings/../../x.json", "findings/.x.json", "corpus/x.json", "x", ""),
        *(
            "inputs/table/../../../x",
            "logs/0.log",
            "lock.lock",
            "findings/x.json\n",
            "findings\\x.json",
            "inputs/a/b/c",
        ),
    ],
)
def test_a_name_that_is_none_of_a_campaign_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="is no file of a campaign"):
        unpack({name: b""}, tmp_path / "a")
    assert not (tmp_path / "a").exists() or list((tmp_path / "a").iterdir()) == []


def test_too_many_bytes_are_refused(tmp_path):
    with pytest.raises(ValueError, match="has more than 16,777,216 bytes or 20,000 files"):
        unpack({"inputs/raw/a": bytes((16 << 20) + 1)}, tmp_path)


# A slice --------------------------------------------------------------------------------------------------------------

STAND_IN = """
import os, sys
from pathlib import Path
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
state = Path(given["--state"])
(state / "findings").mkdir()
(state / "findings/told.json").write_text(repr(sorted(given.items())))
print("printed before the end")
sys.stdout.flush()
ENDS
"""


def ran(folder: Path, monkeypatch: pytest.MonkeyPatch, ends: str, seconds: float = 5.0):
    (folder / "stand_in.py").write_text(STAND_IN.replace("ENDS", ends))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *sys.path]))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    work = Slice("a-1", ("stand_in", "--target", "x"), (3, 7), seconds, str(folder), {"campaign.json": b"{}"})
    handed = run_slice(work)
    assert [path.name for path in folder.iterdir() if path.is_dir()] == []
    return handed


@pytest.mark.parametrize(
    ("ends", "code"), [("sys.exit(1)", 1), ("os.kill(os.getpid(), 11)", -11), ("os._exit(77)", 77), ("1 / 0", 1)]
)
def test_what_a_slice_has_found_is_handed_over_however_it_ends(tmp_path, monkeypatch, ends, code):
    handed = ran(tmp_path, monkeypatch, ends)
    assert (handed.name, handed.code, handed.left_out) == ("a-1", code, 0)
    assert handed.files.keys() == {"campaign.json", "findings/told.json"}
    assert b"('--seed-range', '3:7')" in handed.files["findings/told.json"]
    assert b"('--time', '5')" in handed.files["findings/told.json"]
    assert handed.printed.startswith("printed before the end")
    assert handed.worker == f"process {os.getpid()}"


def has_ended(process: int) -> bool:
    """Whether it is gone, or killed and not waited for; a busy machine takes a moment to kill."""
    status = Path(f"/proc/{process}/stat")
    for _ in range(100):
        with contextlib.suppress(OSError):
            if status.read_text().split()[2] not in "ZX":
                time.sleep(0.05)
                continue
        return True
    return False


def test_a_slice_that_does_not_end_is_ended_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr("chunkproof.fuzzing.remote.slices._COLLECTING", 0.5)
    monkeypatch.setattr("chunkproof.fuzzing.remote.slices._ENDING", 0.2)
    ends = """
import signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid)
sys.stdout.flush()
time.sleep(600)
"""
    handed = ran(tmp_path, monkeypatch, ends, seconds=0.5)
    assert handed.code == -9
    assert "findings/told.json" in handed.files
    child = int(handed.printed.split()[-1])
    assert has_ended(child)
