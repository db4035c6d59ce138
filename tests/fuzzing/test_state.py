"""The folder of a campaign: many processes at once, processes that are killed, and files that are damaged."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chunkproof.corpus.making import ANY_RULE
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.lock import locked
from chunkproof.fuzzing.state import INBOX_MAX, LOG_BYTES_MAX, State, StateError, write_json

FORK = multiprocessing.get_context("fork")
# Generous: nothing is said of how long anything takes, but a test must not hang.
PATIENCE = 60


def found(number: int, size: int = 0) -> Found:
    return Found(ANY_RULE, "lost", b"data: %d%s\n\n" % (number, b"x" * size), (4,), seed=str(number))


def campaign(folder: Path) -> State:
    state = State.open(folder, "chat", [])
    state.set_seeds_once()
    return state


def run_at_once(count: int, work: Callable[[int], None]) -> None:
    """The same work in so many processes, each with its number; what one raises is told by its exit code."""
    processes = [FORK.Process(target=work, args=(number,)) for number in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
    assert [process.exitcode for process in processes] == [0] * count


# many at once --------------------------------------------------------------------------------------------------------


def test_what_many_put_and_one_takes_is_all_there(tmp_path):
    state = campaign(tmp_path / "c")
    count, each = 4, 40
    taken: dict[str, Found] = {}

    def put(number: int) -> None:
        for one in range(number * each, (number + 1) * each):
            # The first ten are found by all of them.
            for made in (found(one, size=3000), found(one % 10)):
                while not State(tmp_path / "c").put(made):
                    time.sleep(0.001)

    def takes() -> None:
        for path in state.waiting():
            one = state.take(path)
            assert one is not None, f"{path.name} was seen half written"
            taken[one.signature] = one
            path.unlink()

    processes = [FORK.Process(target=put, args=(number,)) for number in range(count)]
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes):
        takes()
    takes()
    assert [process.exitcode for process in processes] == [0] * count
    assert set(taken.values()) == {*(found(one, size=3000) for one in range(count * each)), *map(found, range(10))}
    assert list(state.artefacts.iterdir()) == []


def test_nobody_sees_half_a_record_or_status(tmp_path):
    state = campaign(tmp_path / "c")
    one = found(1)
    record = {"id": one.signature, **one.to_data(), "note": "", "settled": True}
    state.write_record(record)

    def write(number: int) -> None:
        for turn in range(60):
            note = str(number) * (1 + 997 * turn % 5000)
            state.write_record(record | {"note": note})
            state.write_status("shard", {"name": note})
            state.write_known([note])

    processes = [FORK.Process(target=write, args=(number,)) for number in range(3)]
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes):
        (seen,) = state.records()
        assert seen["settled"] is True
        assert len(set(seen["note"])) <= 1
        assert len(set(state.status("shard").get("name", ""))) <= 1
        assert len(state.known()) <= 1
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert [path.name for path in state.findings.iterdir()] == [f"{one.signature}.json"]


def test_each_seed_is_taken_once(tmp_path):
    state = campaign(tmp_path / "c")
    state.set_seeds(100, 100 + 4 * 150)

    def take(number: int) -> None:
        mine: list[int] = []
        while some := State(tmp_path / "c").take_seeds(1 + number):
            mine += some
        write_json(tmp_path / f"{number}.json", {"seeds": mine})

    run_at_once(4, take)
    seeds = [seed for number in range(4) for seed in json.loads((tmp_path / f"{number}.json").read_text())["seeds"]]
    assert sorted(seeds) == list(range(100, 700))


def test_a_range_has_an_end_and_keeps_its_place(tmp_path):
    state = campaign(tmp_path / "c")
    assert state.take_seeds(16) == range(16)
    state.set_seeds(5, 12)
    assert state.take_seeds(4) == range(5, 9)
    state.set_seeds(5, 12)
    assert state.take_seeds(4) == range(9, 12)
    assert list(state.take_seeds(4)) == []
    state.set_seeds(0, None)
    assert state.take_seeds(3) == range(3)


def test_many_open_a_new_folder_at_once(tmp_path):
    for number in range(5):
        folder = tmp_path / str(number)

        def opens(number: int, folder: Path = folder) -> None:
            campaign(folder).put(found(number))

        run_at_once(4, opens)
        assert len(State(folder).waiting()) == 4
        assert State(folder).about()["target"] == "chat"


def test_only_one_of_two_targets_gets_a_folder(tmp_path):
    def opens(number: int) -> None:
        try:
            State.open(tmp_path / "c", f"chat{number}", [])
        except StateError as error:
            assert "is the campaign of another target" in str(error)  # noqa: PT017
            write_json(tmp_path / f"{number}.json", {})

    run_at_once(3, opens)
    assert len(list(tmp_path.glob("?.json"))) == 2


def test_an_inbox_has_an_end(tmp_path):
    state = campaign(tmp_path / "c")
    assert all(state.put(found(number)) for number in range(INBOX_MAX))
    assert not state.put(found(INBOX_MAX))
    assert state.put(found(3))  # it waits already
    assert len(state.waiting()) == INBOX_MAX


# locks ---------------------------------------------------------------------------------------------------------------


def hold(folder: Path) -> None:
    """Take the lock, start a process that lives on, say so, and wait to be killed."""
    with State(folder).lock():
        if os.fork() == 0:
            (folder / "child").write_text(str(os.getpid()))
            time.sleep(PATIENCE)
            os._exit(0)
        while not (folder / "child").exists():
            time.sleep(0.01)
        (folder / "held").touch()
        time.sleep(PATIENCE)


def test_a_lock_is_free_when_its_holder_is_killed_though_a_child_of_his_lives_on(tmp_path):
    state = campaign(tmp_path / "c")
    holder = FORK.Process(target=hold, args=(tmp_path / "c",))
    holder.start()
    try:
        while not (tmp_path / "c" / "held").exists():
            assert holder.is_alive()
            time.sleep(0.01)
        with state.lock(wait=False) as is_held:
            assert not is_held
        os.kill(holder.pid, signal.SIGKILL)
        os.waitpid(holder.pid, 0)
        with state.lock(wait=False) as is_held:
            assert is_held
    finally:
        os.kill(int((tmp_path / "c" / "child").read_text()), signal.SIGKILL)


def test_a_lock_is_given_back_and_is_one_for_each_name(tmp_path):
    state = campaign(tmp_path / "c")
    with state.lock() as first, state.lock("other", wait=False) as other, state.lock(wait=False) as again:
        assert (first, other, again) == (True, True, False)
    with state.lock(wait=False) as is_held:
        assert is_held


def test_where_there_can_be_no_lock_that_is_said(tmp_path, monkeypatch):
    def none_here(number: int, how: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", none_here)
    with pytest.raises(OSError, match="No locks available"), locked(tmp_path / "lock", wait=True):
        pytest.fail("nobody holds it")


# killed processes ----------------------------------------------------------------------------------------------------


def test_what_killed_processes_have_begun_is_taken_away(tmp_path):
    state = campaign(tmp_path / "c")
    (state.corpus / "whole").mkdir()
    left = [
        tmp_path / "c" / ".known.json.a1.part",
        state.inbox / ".a.json.a1.part",
        state.findings / ".a.json.a1.part",
        state.corpus / "whole" / ".fuzz-a.json.a1.part",
        state.corpus / ".fuzz-a.claim",
    ]
    young = state.inbox / ".b.json.a1.part"
    entry = state.corpus / "whole" / "fuzz-a.json"
    old = time.time() - 100
    for path in (*left, young, entry):
        path.write_text("{")
        if path != young:
            os.utime(path, (old, old))
    campaign(tmp_path / "c")
    assert [path for path in (*left, young, entry) if path.exists()] == [young, entry]


def test_who_is_killed_at_the_very_start_can_begin_again(tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / ".campaign.json.a1.part").write_text('{"ver')
    (folder / "campaign.lock").touch()
    assert campaign(folder).about()["target"] == "chat"


@pytest.mark.parametrize("after", range(6))
def test_a_process_that_is_killed_leaves_no_half_file(tmp_path, after):
    folder = tmp_path / "c"
    code = (
        "import sys\nfrom pathlib import Path\nfrom chunkproof.fuzzing.found import Found\n"
        "from chunkproof.fuzzing.state import State\n"
        "state = State.open(Path(sys.argv[1]), 'chat', [])\nnumber = 0\n"
        "while True:\n"
        "    state.put(Found('lines/lf', 'lost', b'data: %d\\n\\n' % (number % 150), ()))\n"
        "    state.write_status('0', {'name': '0', 'checks': number})\n"
        "    number += 1\n"
        "    print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(1 + 7 * after)]
        process.kill()
    state = campaign(folder)
    assert len(state.waiting()) >= int(said[-1])
    assert all(state.take(path) is not None for path in state.waiting())
    assert state.status("0")["checks"] >= int(said[-1]) - 1


# damage --------------------------------------------------------------------------------------------------------------


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(StateError, match="holds something else than a campaign: name another folder"):
        campaign(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_refused(tmp_path):
    path = tmp_path / "c"
    path.write_text("")
    with pytest.raises(StateError, match="c is no folder: name another one with --state"):
        campaign(path)


@pytest.mark.parametrize(
    ("target", "declared", "message"),
    [
        ("other", [], "is the campaign of another target: 'chat', and not 'other'; name another folder with --state"),
        ("chat", ["takes=text"], r"is the campaign of another declared: \[\], and not \['takes=text'\]; name another"),
    ],
)
def test_the_folder_of_another_campaign_is_refused(tmp_path, target, declared, message):
    campaign(tmp_path / "c")
    with pytest.raises(StateError, match=message):
        State.open(tmp_path / "c", target, declared)


DEEP = "[" * 100_000
LARGE = '{"a": "' + "x" * (8 << 20) + '"}'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("campaign.json", "", "campaign.json cannot be read: Expecting value"),
        ("campaign.json", "[]", "campaign.json cannot be read: campaign.json holds no object"),
        ("campaign.json", DEEP, "campaign.json cannot be read: campaign.json is nested too deeply"),
        ("campaign.json", LARGE, "campaign.json cannot be read: campaign.json has more than 8,388,608 bytes"),
        ("campaign.json", "\udcff", "campaign.json cannot be read: 'utf-8' codec can't decode"),
        ("campaign.json", '{"version": 7}', "campaign.json is of version 7, and this is 1"),
        ("campaign.json", '{"version": 1}', "is the campaign of another target: None, and not 'chat'"),
        (
            "campaign.json",
            '{"version": 1, "target": "chat", "declared": [], "created": "now"}',
            "campaign.json is damaged: created: 'now' stands where a number belongs",
        ),
        ("known.json", "{", "known.json cannot be used: Expecting property name"),
        ("known.json", "{}", "known.json cannot be used: deviations: None stands where a list of names belongs"),
        ("known.json", '{"deviations": "bom"}', "known.json cannot be used: deviations: 'bom' stands where"),
        ("known.json", '{"deviations": [1]}', "known.json cannot be used: deviations: .1. stands where"),
        ("known.json", DEEP, "known.json cannot be used: known.json is nested too deeply; remove it, and what it"),
        ("known.json", LARGE, "known.json cannot be used: known.json has more than 8,388,608 bytes"),
        ("seeds.json", "", "seeds.json cannot be used: Expecting value.*; remove it, and the seeds begin anew"),
        ("seeds.json", "{}", "seeds.json cannot be used: it lacks 'range'; remove it"),
        ("seeds.json", '{"range": [0, null]}', "seeds.json cannot be used: it lacks 'next'; remove it"),
        ("seeds.json", '{"range": 4, "next": 1}', "seeds.json cannot be used: cannot unpack.*; remove it"),
        ("seeds.json", '{"range": [0, 5], "next": -1}', "seeds.json cannot be used: .* stands where numbers from 0"),
        ("seeds.json", '{"range": [0, "5"], "next": 1}', "seeds.json cannot be used: .* stands where numbers from 0"),
        ("seeds.json", '{"range": [0, 5], "next": 1.5}', "seeds.json cannot be used: .* stands where numbers from 0"),
        ("seeds.json", LARGE, "seeds.json cannot be used: seeds.json has more than 8,388,608 bytes; remove it"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_damaged_file_is_named_with_the_way_out(tmp_path, name, content, message):
    campaign(tmp_path / "c")
    (tmp_path / "c" / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(StateError, match=message) as caught:
        campaign(tmp_path / "c")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["campaign.json", "known.json", "seeds.json"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    campaign(tmp_path / "c")
    (tmp_path / "c" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "c" / name)
    with pytest.raises(StateError, match=f"{name} is no regular file"):
        campaign(tmp_path / "c")


@pytest.mark.parametrize("content", ["", "[]", DEEP, LARGE, '{"kind": "lost"}', '{"kind": "lost", "token": "cp1."}'])
def test_a_damaged_file_of_the_inbox_is_kept_aside(tmp_path, content):
    state = campaign(tmp_path / "c")
    (state.inbox / "bad.json").write_text(content)
    (state.inbox / "a-folder.json").mkdir()
    state.put(found(1))
    taken = [state.take(path) for path in state.waiting()]
    assert [one for one in taken if one is not None] == [found(1)]
    assert (state.artefacts / "bad.json").read_text() == content


def test_damaged_records_harm_no_other(tmp_path):
    state = campaign(tmp_path / "c")
    one, two, three = found(1), found(2), found(3)
    state.write_record({"id": one.signature, **one.to_data(), "count": 4, "settled": True, "note": "here"})
    # What is damaged in a record, the finding itself does not go with.
    damaged = {"count": "many", "settled": 1, "deviations": None, "equals": [], "found": float("inf")}
    state.write_record({"id": two.signature, **two.to_data()} | damaged)
    state.write_record({"id": "0123456789ab", **three.to_data()} | {"token": "cp1."})
    (state.findings / "bad.json").write_text(DEEP)
    write_json(state.findings / "other.json", {"id": three.signature, **three.to_data()})
    records = {record["id"]: record for record in state.records()}
    assert set(records) == {one.signature, two.signature}
    assert (records[one.signature]["count"], records[one.signature]["settled"]) == (4, True)
    sound = {"count": 1, "settled": False, "deviations": [], "equals": {}, "found": 0.0, "rule": ANY_RULE}
    assert {key: records[two.signature][key] for key in sound} == sound


def test_a_record_that_is_written_anew_is_read_anew(tmp_path):
    state, other = campaign(tmp_path / "c"), State(tmp_path / "c")
    one = found(1)
    for count in range(1, 30):
        other.write_record({"id": one.signature, **one.to_data(), "count": count})
        assert [record["count"] for record in state.records()] == [count]
    (state.findings / f"{one.signature}.json").unlink()
    assert state.records() == []


def test_a_log_does_not_grow_for_ever_under_who_writes_to_it(tmp_path):
    state = campaign(tmp_path / "c")
    path = state.log("0")
    path.write_bytes(b"old\n" + b"x" * LOG_BYTES_MAX + b"new\n")
    with path.open("ab") as log:  # as a shard has it open
        state.cut_logs()
        assert path.stat().st_size == LOG_BYTES_MAX // 4
        assert path.read_bytes().endswith(b"xnew\n")
        log.write(b"newer\n")
    assert path.read_bytes().endswith(b"new\nnewer\n")
    state.cut_logs()
    assert path.stat().st_size == LOG_BYTES_MAX // 4 + 6


def test_seeds_that_a_killed_shard_had_in_hand_are_given_out_once_more(tmp_path):
    state = campaign(tmp_path / "c")
    state.set_seeds(0, 40)
    assert [state.take_seeds(16, name) for name in "01"] == [range(16), range(16, 32)]
    assert state.held_seeds("1") == range(16, 32)
    assert state.lost_seeds() == []
    assert state.held_seeds("1") == range(0)
    assert state.lost_seeds() == [range(16, 32)]
    state.hold_seeds(range(10, 16), "0")
    state.set_seeds(0, 40)
    state.free_seeds()
    assert [state.take_seeds(4, name) for name in "555"] == [range(10, 14), range(14, 16), range(16, 20)]
    assert state.lost_seeds() == []
    assert state.held_seeds("0") == range(0)
    state.set_seeds(0, 50)
    assert state.take_seeds(1) == range(1)


def test_seeds_in_hand_that_are_damaged_are_none(tmp_path):
    state = campaign(tmp_path / "c")
    write_json(tmp_path / "c" / "seeds.json", {"range": [0, 9], "next": 4, "left": [[3, 1], 7, ["a", 2]], "held": 3})
    state.free_seeds()
    assert state.held_seeds("0") == range(0)
    assert state.take_seeds(4, "0") == range(4, 8)


def test_seeds_are_done_once_none_is_left_and_a_shard_is_through_with_its_own(tmp_path):
    state = campaign(tmp_path / "c")
    state.set_seeds(0, None)
    assert not state.seeds_are_done("0")
    state.set_seeds(0, 20)
    state.take_seeds(16, "0")
    assert not state.seeds_are_done("1")
    state.take_seeds(16, "1")
    assert not state.seeds_are_done("1")
    assert state.take_seeds(16, "1") == range(20, 20)
    assert state.seeds_are_done("1")
    assert not state.seeds_are_done("0")
    state.hold_seeds(range(0), "0")
    assert state.seeds_are_done("0")
    state.hold_seeds(range(3, 5), "0")
    state.free_seeds()
    assert not state.seeds_are_done("1")


def test_who_holds_a_lock_is_known(tmp_path):
    state = campaign(tmp_path / "c")
    assert state.holder("running") is None
    with state.lock("running") as is_held:
        assert is_held
        assert state.holder("running") == os.getpid()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    state = campaign(tmp_path / "c")
    state.assert_writable()
    assert not [path for path in state.folder.rglob("*") if "probe" in path.name]
    state.inbox.rmdir()
    with pytest.raises(FileNotFoundError):
        state.assert_writable()
