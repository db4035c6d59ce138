"""A run that would take its process with it is a verdict, with its input; and nothing is left of it."""

from __future__ import annotations

import asyncio
import mmap
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chunkproof.check import EFFORTS, check
from chunkproof.isolation.board import Board
from chunkproof.isolation.child import Cell, Ended
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import UNKNOWN_PACE, Limits, Pace, measure_pace
from chunkproof.isolation.process import can_fork
from chunkproof.rule_check import check_rule
from chunkproof.rules import RULES, find_rule
from chunkproof.watch import Watch
from chunkproof_reports.results import RuleResult
from chunkproof_targets.contract import Run, Target, TargetDied, TargetFlooded, TargetGrew, TargetHung
from chunkproof_targets.loading import load_target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

from .gallery import GALLERY
from .hostile import parsers

pytestmark = pytest.mark.skipif(not can_fork(), reason="no fork on this system")

MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0)
FAST = Pace(1e-7, 1e-6, 1e-5)
SMOKE = EFFORTS["smoke"]


def target_of(parser: Any) -> Target:
    return adapt(parser, name=parser.__name__, found="a test")


def judged(parser: Any, rule: str = "bytes/nul-is-text", **limits: Any) -> RuleResult:
    isolation = Isolation(Limits(**limits))
    try:
        return isolation.check_rule(find_rule(rule), target_of(parser), effort=SMOKE, seed="1")
    finally:
        isolation.close()


@pytest.fixture
def cell() -> Iterator[Cell]:
    opened = Cell()
    yield opened
    opened.close()


# Work in a child ------------------------------------------------------------------------------------------------------


def test_answer_of_a_child_comes_back(cell):
    assert cell.call(lambda watch: ["a", 1, None, "\ud800"], Limits(), FAST) == ["a", 1, None, "\ud800"]


def test_large_answer_comes_back_whole(cell):
    assert len(cell.call(lambda watch: "x" * 3_000_000, Limits(), FAST)) == 3_000_000


def test_exception_of_the_suite_itself_is_told_with_its_traceback(cell):
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*ZeroDivisionError"):
        cell.call(lambda watch: 1 // 0, Limits(), FAST)


def test_answer_that_cannot_be_told_is_a_fault_of_the_suite(cell):
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*not JSON serializable"):
        cell.call(lambda watch: object(), Limits(), FAST)


def test_child_is_another_process_and_has_ended_afterwards(cell):
    pid = cell.call(lambda watch: os.getpid(), Limits(), FAST)
    assert pid != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (lambda: os._exit(7), "the process ended with exit status 7"),
        (lambda: os._exit(0), "the process ended with exit status 0"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "the process was ended by SIGKILL"),
        (lambda: os.abort(), "the process was ended by SIGABRT"),
    ],
    ids=["exit 7", "exit 0", "kill", "abort"],
)
def test_child_that_ends_says_how_and_what_it_was_running(cell, end: Callable[[], None], text):
    def work(watch: Watch) -> None:
        watch.note((b"before",), b"data: a\n\n", [(), (1,), (2, 3)], 40, 5)
        watch.plan[0] = 2
        end()

    ended = cell.call(work, Limits(), FAST)
    assert isinstance(ended, Ended)
    assert type(ended.failure) is TargetDied
    assert str(ended.failure) == text
    assert ended.noted == ((b"before",), b"data: a\n\n", (2, 3), 43, 5)


def test_child_whose_clock_stands_still_is_ended(cell):
    def work(watch: Watch) -> None:
        watch.note((), b"data: a\n\n", [()])
        parsers.HangsWhereNoSignalIsHeard().act()

    ended = cell.call(work, Limits(timeout=0.1), FAST)
    assert isinstance(ended, Ended)
    assert type(ended.failure) is TargetHung
    assert "within which no signal got to Python" in str(ended.failure)


def test_child_whose_clock_stands_still_while_its_runs_go_on_is_let_be(cell):
    def work(watch: Watch) -> str:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in range(6):
            watch.note((), b"data: %d\n\n" % number, [()])
            time.sleep(0.15)
        return "done"

    assert cell.call(work, Limits(timeout=0.1), FAST) == "done"


def test_engine_that_reserves_addresses_and_uses_few_is_let_be(cell):
    def work(watch: Watch) -> int:
        return len(mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | MAP_NORESERVE, prot=0))

    assert cell.call(work, Limits(memory=16), FAST) == 64 << 30


def test_run_that_catches_what_would_stop_it_is_ended(cell):
    target = target_of(parsers.HangsAndCatchesAll)

    def work(watch: Watch) -> None:
        watch.note((), b"\0", [()])
        watch.run(target, [b"\0"])

    ended = cell.call(work, Limits(timeout=0.1), FAST)
    assert isinstance(ended, Ended)
    assert str(ended.failure) == "one run was told to stop, and went on"


def test_process_that_a_target_has_started_ends_with_the_child(cell, tmp_path):
    def work(watch: Watch) -> None:
        pid = os.fork()
        if pid == 0:
            time.sleep(600)
            os._exit(0)
        (tmp_path / "pid").write_text(str(pid))
        os._exit(1)

    assert isinstance(cell.call(work, Limits(), FAST), Ended)
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not is_running(pid):
            return
        time.sleep(0.02)
    raise AssertionError("it is still there")


def is_running(pid: int) -> bool:
    try:
        # One that nobody has waited for yet is a zombie, and runs no more.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_threads_of_this_process_are_no_reason_to_warn(cell):
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            filters = list(warnings.filters)
            # Of the child, the same: a target that warns is heard as ever.
            assert cell.call(lambda watch: warnings.filters == filters, Limits(), FAST) is True
            assert warnings.filters == filters
    finally:
        end.set()
        thread.join()
    assert [str(one.message) for one in warned] == []


def test_target_that_forks_comes_back_once():
    class Forks(parsers.OnNul):
        def act(self) -> None:
            os.fork()

    result = judged(Forks)
    assert result.status == "held"
    assert result.checks > 200


# Verdicts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parser", "kind", "failure"),
    [
        (parsers.HangsOnNul, "hung", TargetHung),
        (parsers.SleepsHalfAMinute, "hung", TargetHung),
        (parsers.HangsWhereNoSignalIsHeard, "hung", TargetHung),
        (parsers.HangsAndCatchesAll, "hung", TargetHung),
        (parsers.CrashesOnNul, "died", TargetDied),
        (parsers.LeavesAProcessBehind, "died", TargetDied),
        (parsers.EatsAllMemory, "memory", TargetGrew),
        (parsers.PrintsAHundredMegabytes, "output", TargetFlooded),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_verdict_has_the_smallest_input_that_does_it(parser, kind, failure):
    timeout = 0.2 if kind == "hung" else None
    result = judged(parser, timeout=timeout, memory=100)
    assert result.status == "broken"
    assert result.counterexample is not None
    assert result.counterexample.kind == kind
    assert result.counterexample.actual.failure.startswith(failure.__name__)
    assert result.counterexample.streams[-1].data == b"data: \0\n\n"
    assert result.counterexample.streams[-1].cuts == ()


def test_what_a_crashing_target_printed_is_shown_with_where_it_was():
    found = judged(parsers.CrashesOnNul).counterexample
    assert found is not None
    assert found.stdout == "reading what is not there\n"
    assert "Segmentation fault" in found.stderr
    assert "parsers.py" in found.stderr
    assert "chunkproof/watch.py" not in found.stderr


def test_output_of_a_run_is_its_own_and_not_that_of_all_runs():
    class Chatty(parsers.OnNul):
        def feed(self, chunk):
            print("fed", len(chunk))
            return super().feed(chunk)

        def act(self) -> None:
            raise ValueError("no NUL, please")

    found = judged(Chatty).counterexample
    assert found is not None
    assert found.stdout == "fed 9\n"


def test_target_that_prints_a_little_in_each_of_many_runs_floods_nothing():
    class Talks(ReferenceParser):
        def feed(self, chunk):
            print("x" * 20_000)
            return super().feed(chunk)

    assert judged(Talks, "lines/lf", output=1).status == "held"


def test_output_beside_pythons_streams_counts_too():
    class Writes(parsers.OnNul):
        def act(self) -> None:
            for _ in range(3):
                os.write(1, b"x" * 1_000_000)

    result = judged(Writes, output=1)
    assert result.counterexample is not None
    assert result.counterexample.kind == "output"


def test_memory_error_of_the_system_is_told_as_memory():
    class EatsAtOnce(parsers.OnNul):
        def act(self) -> None:
            bytearray(10**12)

    result = judged(EatsAtOnce)
    assert result.counterexample is not None
    assert result.counterexample.kind == "memory"


def test_memory_error_that_a_parser_raises_as_its_own_is_an_exception_like_any():
    class Refuses(parsers.OnNul):
        def act(self) -> None:
            raise MemoryError("the line is too long")

    result = judged(Refuses)
    assert result.counterexample is not None
    assert result.counterexample.kind == "raised"


def test_slow_run_that_is_right_in_the_end_is_no_hang():
    class SlowOnce(parsers.OnNul):
        def act(self) -> None:
            time.sleep(0.7)

    isolation = Isolation(Limits())
    try:
        effort = type(SMOKE)("few", 3, 0)
        result = isolation.check_rule(find_rule("bytes/nul-is-text"), target_of(SlowOnce), effort=effort, seed="1")
    finally:
        isolation.close()
    assert result.status == "held"


def test_parser_that_works_in_threads_is_not_waited_for_in_a_child_that_has_none():
    async def offloads(chunks):
        parser = ReferenceParser()
        async for chunk in chunks:
            for event in await asyncio.to_thread(parser.feed, chunk):
                yield event

    assert judged(offloads).status == "held"

    pool = ThreadPoolExecutor(1)

    def pooled(chunks):
        parser = ReferenceParser()
        for chunk in chunks:
            yield from pool.submit(parser.feed, chunk).result()

    try:
        assert judged(pooled).status == "held"
    finally:
        pool.shutdown()


def test_text_of_an_exception_that_never_comes_is_a_hang():
    class SaysNothing(Exception):
        def __str__(self):
            time.sleep(3600)
            return ""

    class Raises(parsers.OnNul):
        def act(self):
            raise SaysNothing

    assert judged(Raises, timeout=0.1).counterexample.kind == "hung"


def test_target_that_closes_what_is_open_makes_no_fault_of_ours(cell):
    work = partial(os.closerange, 0, 3)
    assert cell.call(lambda watch: work(), Limits(), FAST) is None


def test_process_that_is_ended_from_outside_is_no_fault_of_the_target(tmp_path):
    class Unlucky(parsers.OnNul):
        def act(self) -> None:
            if not (tmp_path / "once").exists():
                (tmp_path / "once").touch()
                os.kill(os.getpid(), signal.SIGKILL)

    result = judged(Unlucky)
    assert (tmp_path / "once").exists()
    assert result.status == "held"


def test_next_rule_after_a_stopped_one_is_judged():
    rules = [find_rule(name) for name in ("bytes/nul-is-text", "lines/lf", "bytes/nul-in-a-type-is-text", "lines/cr")]
    results = check(target_of(parsers.CrashesOnNul), "smoke", seed=1, rules=rules)
    assert [(r.id, r.status) for r in results.rules] == [
        ("bytes/nul-is-text", "broken"),
        ("lines/lf", "held"),
        ("bytes/nul-in-a-type-is-text", "broken"),
        ("lines/cr", "held"),
    ]


def test_verdicts_are_the_same_in_a_child_and_in_this_process():
    target = load_target("parser-b", folder=Path.cwd())
    # What is measured takes as many checks as the machine lets it.
    rules = [rule for rule in RULES if rule.examine is None]
    apart = check(target, "smoke", seed=1, rules=rules).rules
    here = check(target, "smoke", seed=1, rules=rules, forked=False).rules
    with_no_time = [[{**rule.to_data(), "seconds": 0} for rule in rules] for rules in (apart, here)]
    assert with_no_time[0] == with_no_time[1]
    assert any(rule.status == "broken" for rule in apart)


def test_rule_that_is_in_no_registry_is_judged_in_a_child_too():
    rule = RULES[0]
    mine = type(rule)(**{name: getattr(rule, name) for name in rule.__dataclass_fields__} | {"id": "mine/own"})
    isolation = Isolation(Limits())
    try:
        assert isolation.check_rule(mine, target_of(ReferenceParser), effort=SMOKE, seed="1").status == "held"
    finally:
        isolation.close()


# Limits ---------------------------------------------------------------------------------------------------------------


def test_time_allowed_grows_with_the_stream_and_the_pace():
    limits = Limits()
    assert limits.seconds(FAST, 100, 10) == 0.5
    assert limits.seconds(FAST, 10_000_000, 10) == pytest.approx(50, rel=0.01)
    assert limits.seconds(UNKNOWN_PACE, 10_000, 10) > limits.seconds(FAST, 10_000, 10)
    assert Limits(timeout=3).seconds(UNKNOWN_PACE, 10_000_000, 10) == 3


@pytest.mark.parametrize("limits", [{"timeout": 0}, {"timeout": -1.5}, {"memory": 0}, {"output": -3}])
def test_limit_that_is_not_above_0_is_refused(limits):
    ((name, value),) = limits.items()
    with pytest.raises(ValueError, match=f"{name}={value:g}: it is a number of"):
        Limits(**limits)


def test_pace_is_that_of_the_target():
    class Sleepy(Target):
        def run(self, chunks):
            time.sleep(0.0005 * len(chunks))
            return Run()

    pace = measure_pace(lambda target, chunks: target.run(chunks), Sleepy())
    assert pace.chunk >= 0.0005


# What a child does not have -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "forks"), [("awaits_threads", True), ("thread_of_the_module", False)])
def test_target_that_keeps_threads_is_no_hang(name, forks):
    target = target_of(next(odd for odd in GALLERY if odd.name == name).load())
    isolation = Isolation(Limits())
    try:
        result = isolation.check_rule(find_rule("bytes/nul-is-text"), target, effort=SMOKE, seed="1")
        assert isolation.forks(target) is forks
    finally:
        isolation.close()
        target.close()
    assert result.status == "held"


def test_target_that_takes_the_timer_away_is_judged_and_its_hang_is_seen():
    class TakesTheTimer(parsers.OnNul):
        def feed(self, chunk: bytes) -> Any:
            signal.setitimer(signal.ITIMER_REAL, 0)
            return super().feed(chunk)

        def act(self) -> None:
            time.sleep(30)

    assert judged(TakesTheTimer, "lines/crlf-cut").status == "held"
    result = judged(TakesTheTimer)
    assert (result.status, result.counterexample and result.counterexample.kind) == ("broken", "hung")


# The board ------------------------------------------------------------------------------------------------------------


def test_board_gives_back_what_was_noted():
    board = Board()
    assert board.read() is None
    board.note((b"x",), b"wire", [(), (2,)], 10, 3)
    board.plan[0] = 1
    assert board.read() == ((b"x",), b"wire", (2,), 12, 3)
    board.clear()
    assert board.read() is None


def test_board_that_was_written_over_gives_nothing():
    board = Board()
    board.note((), b"wire", [()])
    board._memory[70] ^= 0xFF
    assert board.read() is None


def test_stream_beyond_the_board_is_not_kept():
    board = Board()
    board.note((), bytes(100 * 1024 * 1024), [()])
    assert board.read() is None


def test_check_in_this_process_notes_nothing_and_works():
    with Watch() as watch:
        result = check_rule(find_rule("lines/lf"), target_of(ReferenceParser), effort=SMOKE, seed="1", watch=watch)
    assert result.status == "held"
