"""A campaign on a scheduler and workers, in a network namespace of its own (`cluster.py` holds the scenarios)."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chunkproof.corpus.store import read_corpus
from chunkproof.fuzzing.remote.scheduler import Remote, SchedulerError
from chunkproof.fuzzing.state import State

SEEDS = 240
FINDINGS = list(range(0, SEEDS, 10))

pytestmark = pytest.mark.slow


@cache
def lacking() -> str:
    """Why there can be no namespace with a scheduler here; empty where there can be one."""
    if importlib.util.find_spec("distributed") is None:
        return "dask.distributed is not installed: it is the extra `distributed`"
    if not (shutil.which("unshare") and shutil.which("ip")):
        return "there is no `unshare` or no `ip`, of util-linux and iproute2"
    done = subprocess.run(
        ["unshare", "--net", "ip", "link", "set", "lo", "up"], capture_output=True, text=True, timeout=10, check=False
    )
    return f"no network namespace can be had here: {done.stderr.strip()}" if done.returncode else ""


def scenario(name: str, folder: Path) -> dict[str, Any]:
    """What came of a scenario."""
    if reason := lacking():
        pytest.skip(reason)
    script = Path(__file__).with_name("cluster.py")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    command = ["unshare", "--net", sys.executable, str(script), name, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def runs(ledger: list[list[Any]], what: str) -> list[tuple[int, int]]:
    return [(line[3], line[4]) for line in ledger if line[2] == what]


def test_a_worker_that_is_killed_costs_its_slice_alone(tmp_path):
    told = scenario("a_worker_is_killed", tmp_path)
    piece, handed_over, _ = told["killed"]
    assert told["done"] == [[0, SEEDS]]
    assert told["given_up"] == []
    assert told["found"] == FINDINGS
    assert told["checks"] == SEEDS
    assert told["slices"] == []
    # What was handed over by then had not to be found again: that slice alone was run twice.
    assert len(handed_over) >= 4
    assert not {f"data:{seed}\n\n" for seed in range(*piece)} & set(handed_over)
    starts, ends = runs(told["ledger"], "start"), runs(told["ledger"], "end")
    assert [one for one in starts if starts.count(one) > 1] == [tuple(piece)] * 2
    assert sorted(ends) == sorted(set(starts))
    assert told["orphan"] is False


def test_a_campaign_that_is_killed_goes_on_with_what_was_handed_over(tmp_path):
    told = scenario("the_campaign_is_killed", tmp_path)
    assert sum(end - first for first, end in told["resumed"]) >= 100
    assert (told["done"], told["found"], told["checks"]) == ([[0, SEEDS]], FINDINGS, SEEDS)
    again = [one for one in runs(told["ledger"], "end") if runs(told["ledger"], "end").count(one) > 1]
    assert not any(first <= one[0] < end for one in again for first, end in told["resumed"])


def test_when_the_time_is_up_all_that_was_handed_out_is_taken_in(tmp_path):
    told = scenario("the_time_is_up", tmp_path)
    ((first, end),) = told["done"]
    assert (first, told["checks"]) == (0, end)
    assert end >= 64
    assert sorted(runs(told["ledger"], "end")) == sorted(runs(told["ledger"], "start"))
    assert told["found"] == list(range(0, end, 10))


def test_without_its_scheduler_a_campaign_says_how_it_goes_on(tmp_path):
    told = scenario("the_scheduler_goes", tmp_path)
    assert told["said"] == (
        "the scheduler at tcp://127.0.0.1:8786 is gone; what was handed over is in "
        f"{tmp_path / 'state'}: the same command goes on from there"
    )
    (handed_over,) = told["done"]
    assert told["found"] == [seed for seed in FINDINGS if seed < handed_over[1]]


def test_no_scheduler_is_a_clear_error(tmp_path):
    assert re.fullmatch(
        r"--scheduler=tcp://127\.0\.0\.1:8786: no scheduler answers there \(.*\); "
        "`dask scheduler` starts one, `dask worker ADDRESS` its workers",
        scenario("nobody_answers", tmp_path)["said"],
    )


def test_what_a_shard_says_of_its_target_is_told(tmp_path):
    said = scenario("a_shard_refuses", tmp_path)["said"]
    assert re.match(r"a shard cannot be run on tcp://127\.0\.0\.1:\d+: chunkproof: ", said)
    assert "no_such_module" in said


def test_seeds_that_cannot_be_run_are_tried_three_times_and_named(tmp_path):
    told = scenario("a_shard_fails_every_time", tmp_path)
    assert told["given_up"] == [[64, 128]]
    assert told["done"] == [[0, 64], [128, SEEDS]]
    # What it found before it failed was handed over.
    assert told["found"] == FINDINGS[:8] + FINDINGS[13:]
    assert runs(told["ledger"], "start").count((64, 128)) == 3
    assert told["notes"] == [
        "seeds 64:128 tried again: its process ended with 9: ",
        "seeds 64:128 given up after 3 tries: its process ended with 9: ",
    ]


def test_real_shards_find_a_fault_and_hand_over_its_entry(tmp_path):
    told = scenario("real_shards", tmp_path)
    assert (told["done"], told["notes"]) == ([[0, 96]], [])
    (record,) = told["records"]
    assert record["deviations"] == ["space-not-removed"]
    # Slices are no campaigns of their own: what they have counted is the one campaign's.
    (campaign,) = {origin for counted in record["seen"].values() for origin in counted}
    assert State(tmp_path / "state").about()["merged"] == [campaign]
    assert sum(sum(counted.values()) for counted in record["seen"].values()) == record["count"]
    corpus = read_corpus(tmp_path / "state/corpus")
    assert corpus.problems == []
    assert [tmp_path / "state" / record["entry"]] == list(corpus.paths.values())


def test_findings_of_an_earlier_campaign_are_run_again_by_one_slice_before_all_others(tmp_path):
    both, mended, again = scenario("goes_on_with_a_mended_parser", tmp_path)["steps"]
    assert (set(both["findings"]), both["past"]) == ({"bom-not-stripped", "space-not-removed"}, [])
    assert (mended["findings"], mended["past"]) == (["bom-not-stripped"], ["space-not-removed"])
    assert mended["known"] == ["bom-not-stripped"]
    # What was mended is news when it is back.
    assert set(again["findings"]) == {"bom-not-stripped", "space-not-removed"}
    assert [one["earlier"] + one["notes"] for one in (both, mended, again)] == [[], [], []]


def test_the_command_runs_a_campaign_on_a_scheduler_and_goes_on_in_its_folder(tmp_path):
    told = scenario("the_command", tmp_path)
    assert (told["codes"], told["err"]) == ([1, 1], "")
    seeds, seconds = told["out"]
    assert "  ended: all seeds are done\n" in seeds
    assert "  ended: the time is up\n" in seconds
    for said in told["out"]:
        assert "  1. space-not-removed: " in said
        assert said.splitlines()[-1] == (
            "  next: pytest --target=deviation:space-not-removed --chunkproof-corpus=state/corpus"
        )


def test_without_the_extra_one_sentence_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    remote = Remote("tcp://127.0.0.1:1", State.open(tmp_path / "state", "reference", []), [], {})
    with pytest.raises(SchedulerError) as error, remote:
        pass
    assert str(error.value) == (
        "--scheduler needs dask.distributed: install it with `pip install 'chunkproof[distributed]'`"
    )


def test_an_address_that_is_none_is_a_clear_error(tmp_path):
    if importlib.util.find_spec("distributed") is None:
        pytest.skip(lacking())
    remote = Remote("nonsense://x", State.open(tmp_path / "state", "reference", []), [], {})
    with pytest.raises(SchedulerError, match="--scheduler=nonsense://x: no scheduler answers there"), remote:
        pass
