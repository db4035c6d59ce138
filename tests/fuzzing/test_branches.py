"""The directions of branches that a target takes are counted, each once, in its own code alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chunkproof.fuzzing import branches as module
from chunkproof.fuzzing.branches import Branches, branches_missing
from chunkproof.isolation.child import Cell
from chunkproof.isolation.limits import UNKNOWN_PACE, Limits
from chunkproof.isolation.process import can_fork
from chunkproof_strategies.generator import generate
from chunkproof_targets.loading import load_target

MONITORING: Any = getattr(sys, "monitoring", None)

counted = pytest.mark.skipif(branches_missing() != "", reason=branches_missing() or "they are counted")


def counting(*functions):
    return Branches(functions)


def sign(number):
    if number > 0:
        return "+"
    return "-"


def outer(numbers):
    def is_odd(number):
        return 1 if number % 2 else 0

    return [number for number in numbers if is_odd(number)], sum(1 if number else 0 for number in numbers)


def steps(numbers):
    for number in numbers:
        if number < 0:
            return
        yield number


def rare(number):
    return 1 if number == 7 else 2


def twice(number):
    return 1 if number else 2


@counted
def test_each_direction_counts_once():
    with counting(sign) as branches:
        assert branches.count == 0
        for number in (1, 2, 3):
            sign(number)
        assert branches.count == 1
        sign(-1)
        sign(0)
        assert branches.count == 2
    sign(1)
    assert branches.count == 2
    assert len(branches.keys()) == 2


@counted
def test_code_inside_of_functions_counts():
    with counting(outer, steps) as branches:
        outer([1])
        # The one side of the comprehension, the inner function and the generator each; of two loops, both sides.
        once = branches.count
        outer([0])
        assert branches.count == once + 3
        assert list(steps([1, -1])) == [1]
        assert branches.count == once + 3 + 3


@counted
def test_code_that_is_not_given_counts_nothing():
    with counting(sign) as branches:
        assert rare(7) + twice(1) == 2
    assert branches.count == 0


@counted
def test_the_number_of_the_tool_is_given_back_and_others_keep_theirs():
    taken = []
    monitoring = MONITORING
    before = [monitoring.get_tool(number) for number in range(6)]
    monitoring.use_tool_id(2, "another")
    monitoring.register_callback(2, monitoring.events.PY_START, lambda code, offset: taken.append(code.co_name))
    monitoring.set_local_events(2, sign.__code__, monitoring.events.PY_START)
    try:
        with counting(sign) as one, counting(sign) as two:
            sign(1)
            two.wake()
        sign(-1)
        assert (one.count, two.count) == (1, 1)
        assert taken == ["sign", "sign"]
        assert monitoring.get_local_events(2, sign.__code__) == monitoring.events.PY_START
    finally:
        monitoring.set_local_events(2, sign.__code__, 0)
        monitoring.register_callback(2, monitoring.events.PY_START, None)
        monitoring.free_tool_id(2)
    assert [monitoring.get_tool(number) for number in range(6)] == before


@counted
def test_where_other_tools_have_all_numbers_nothing_is_counted_and_it_is_said():
    free = [number for number in (3, 4, 5) if MONITORING.get_tool(number) is None]
    for number in free:
        MONITORING.use_tool_id(number, "another")
    try:
        with counting(sign) as branches:
            sign(1)
            branches.wake()
        assert branches.count is None
        assert branches.missing == "branches are not counted: other tools have taken all numbers of sys.monitoring"
    finally:
        for number in free:
            MONITORING.free_tool_id(number)


@pytest.mark.skipif(sys.version_info < (3, 12), reason=branches_missing() or "it is there")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="each direction is watched until it is seen")
def test_a_branch_that_goes_one_way_for_long_sleeps_until_it_is_woken():
    with counting(rare) as branches:
        for _ in range(2_000):
            rare(0)
        rare(7)
        assert branches.count == 1
        branches.wake()
        for _ in range(900):
            rare(0)
        rare(7)
        assert branches.count == 2
        branches.wake()
        rare(7)
        assert branches.count == 2


@counted
def test_a_direction_that_is_rare_at_first_is_seen_at_once():
    with counting(rare) as branches:
        for number in range(900):
            rare(1000 + number)
        rare(7)
        assert branches.count == 2


@counted
@pytest.mark.skipif(not can_fork(), reason="no fork on this system")
def test_a_forked_child_goes_on_for_itself_and_hands_over_what_it_has():
    def work(watch):
        sign(-1)
        branches.wake()
        return [branches.count, sorted(branches.keys())]

    cell = Cell()
    try:
        with counting(sign) as branches:
            sign(1)
            count, keys = cell.call(work, Limits(), UNKNOWN_PACE)
            assert (count, branches.count) == (2, 1)
            assert branches.keys() < frozenset(keys)
            sign(-1)
            assert branches.keys() == frozenset(keys)
    finally:
        cell.close()


KEYS = """
import json
from pathlib import Path
from chunkproof.fuzzing.branches import Branches
from chunkproof_targets.loading import load_target
target = load_target("reference", folder=Path())
with Branches(target.functions) as branches:
    target.run([b"data: a\\n", b"\\nretry: 7\\n"])
print(json.dumps(sorted(branches.keys())))
"""


@counted
def test_keys_are_the_same_in_each_process(tmp_path):
    # Each with a seed of its own for the hashes of texts.
    asked = [
        subprocess.run([sys.executable, "-c", KEYS], cwd=tmp_path, capture_output=True, check=True, timeout=60).stdout
        for _ in range(2)
    ]
    assert asked[0] == asked[1]
    assert len(json.loads(asked[0])) > 10


@counted
def test_the_same_streams_give_the_reference_the_same_branches():
    target = load_target("reference", folder=Path())
    found = []
    for _ in range(2):
        with Branches(target.functions) as branches:
            for stream in islice(generate("1"), 500):
                target.run([stream.wire])
        found.append(branches.keys())
    assert found[0] == found[1]
    assert len(found[0]) > 20


def spin():
    number = 0
    while True:
        number = 0 if number > 1_000_000_000 else number + 1


@counted
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the clock of a run is a timer, which Windows has not")
def test_the_clock_of_a_run_ends_a_target_that_is_counted(monkeypatch):
    # So that the signal arrives in the callback as well.
    monkeypatch.setattr(module, "_WATCHED_MAX", 10**9)

    def end(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        with counting(spin, sign) as branches:
            for _ in range(20):
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.002)
                with pytest.raises(TimeoutError):
                    spin()
            sign(1)
            sign(-1)
            assert branches.count >= 3
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_where_each_direction_has_an_event_of_its_own_each_is_switched_off_at_once(monkeypatch):
    # Python 3.14, of which this knows the documentation alone.
    callbacks, local = {}, {}
    events = SimpleNamespace(BRANCH_LEFT=2, BRANCH_RIGHT=4)
    monitoring = SimpleNamespace(
        events=events,
        DISABLE="off",
        get_tool=lambda number: None,
        use_tool_id=lambda number, name: None,
        free_tool_id=lambda number: None,
        register_callback=lambda number, event, callback: callbacks.__setitem__(event, callback),
        set_local_events=lambda number, code, which: local.__setitem__(code.co_name, which),
    )
    monkeypatch.setattr(module, "_MONITORING", monitoring)
    with counting(sign) as branches:
        assert local == {"sign": 6}
        assert callbacks[2](sign.__code__, 4, 6) == callbacks[4](sign.__code__, 4, 10) == "off"
        assert callbacks[2](sign.__code__, 20, 22) == "off"
        assert branches.count == 3
    assert local == {"sign": 0}
    assert callbacks == {2: None, 4: None}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="sys.monitoring is there")
def test_without_sys_monitoring_it_is_said_and_nothing_is_counted():
    says = "branches are not counted: Python 3.11 has no sys.monitoring, 3.12 has"
    assert branches_missing() == says
    with counting(sign) as branches:
        sign(1)
        branches.wake()
    assert branches.count is None
    assert branches.missing == says
    assert branches.keys() == frozenset()


def test_a_target_without_python_code_is_said_to_have_none():
    with counting() as branches:
        assert branches.count is None
    assert branches.missing == "branches are not counted: the target has no Python code that was found"
