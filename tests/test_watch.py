"""The clock over the runs, and whose Ctrl-C it was."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from chunkproof.check import Effort, check_rule
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof_targets.contract import Run, Target, TargetHung
from chunkproof_targets.loading import load_target
from chunkproof_targets.reference import ReferenceParser
from chunkproof_targets.shapes import adapt

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer on this system")

SOON = 0.2
FEW = Effort("few", checks=60, examples=2)


class At(ReferenceParser):
    """The reference, but for what `act` does at the first CR."""

    act: Callable[[], object]

    def feed(self, chunk):
        if b"\r" in chunk:
            self.act()
        return super().feed(chunk)


def at_cr(act: Callable[[], object]) -> Target:
    return adapt(type("At", (At,), {"act": staticmethod(act)}), name="at", found="in a test")


def spin() -> None:
    while True:
        pass


def swallow() -> None:
    """Hangs, and takes what would end it for an error of its own; the second time it gives up."""
    for _ in range(2):
        try:
            spin()
        except BaseException:  # as some parsers do
            continue
    raise ValueError("enough")


def user_interrupts() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


def exit_with(error: BaseException) -> Callable[[], object]:
    def act() -> None:
        raise error

    return act


# Hangs ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hang", [spin, lambda: time.sleep(30)], ids=["busy", "asleep"])
def test_a_hang_is_a_failure_of_that_run_and_the_next_one_goes_on(hang):
    target = at_cr(hang)
    with Watch(timeout=SOON) as watch:
        hung = watch.run(target, [b"data: a\n\n", b"data: b\r\n\r\n"])
        right = watch.run(target, [b"data: a\n\n"])
    assert type(hung.failure) is TargetHung
    assert str(hung.failure) == "one run took more than 0.2 s"
    assert [delivery.event.data for delivery in hung.deliveries] == ["a"], "what came before the hang is kept"
    assert right.failure is None
    assert len(right.deliveries) == 1


def test_who_swallows_the_first_alarm_gets_another():
    with Watch(timeout=SOON) as watch:
        run = watch.run(at_cr(swallow), [b"\r"])
    assert type(run.failure) is ValueError


def test_a_hang_breaks_its_rule_and_the_next_rule_is_judged():
    target = at_cr(spin)
    with Watch(timeout=SOON) as watch:
        cr, lf = (
            check_rule(find_rule(rule), target, effort=FEW, seed="1", watch=watch) for rule in ("lines/cr", "lines/lf")
        )
    assert (cr.status, lf.status) == ("broken", "held")
    assert cr.counterexample is not None
    assert cr.counterexample.kind == "hung"
    assert "TargetHung: one run took more than 0.2 s" in cr.counterexample.actual.failure


def test_a_tick_that_comes_during_another_does_nothing(monkeypatch):
    depths = []

    def look(watch: Watch) -> None:
        depths.append(len(depths))
        if len(depths) < 100:
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(Watch, "_look", look)
    with Watch(60):
        signal.raise_signal(signal.SIGALRM)
    assert len(depths) < 10


def test_several_runs_that_take_long_together_are_no_hang():
    # Each is seen by two or three ticks of the clock, of which five in one run would be a hang.
    target = at_cr(lambda: time.sleep(0.6))
    with Watch(timeout=1) as watch:
        runs = [watch.run(target, [b"\r"]) for _ in range(4)]
    assert [run.failure for run in runs] == [None] * 4


class HungBeyondItsRun(Target):
    """Lets the alarm through, as a target does that is hit between its last step and its return."""

    def run(self, chunks: Sequence[bytes]) -> Run:
        raise TargetHung("one run took more than 0.2 s")


def test_an_alarm_at_the_very_end_of_a_run_is_that_runs_failure():
    with Watch(timeout=SOON) as watch:
        assert type(watch.run(HungBeyondItsRun(), []).failure) is TargetHung


# Exits and interrupts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), BaseException("odd")], ids=repr)
def test_whatever_the_target_raises_is_its_failure(error):
    target = at_cr(exit_with(error))
    with Watch() as watch:
        run = watch.run(target, [b"data: a\n\n", b"\r"])
        after = watch.run(target, [b"data: a\n\n"])
        result = check_rule(find_rule("lines/cr"), target, effort=FEW, seed="1", watch=watch)
    assert run.failure is error
    assert len(run.deliveries) == 1
    assert after.failure is None
    assert result.status == "broken"
    assert result.counterexample is not None
    assert result.counterexample.kind == "raised"


def test_the_users_interrupt_ends_the_run():
    target = at_cr(user_interrupts)
    with pytest.raises(KeyboardInterrupt), Watch() as watch:
        watch.run(target, [b"\r"])


def test_the_users_interrupt_ends_the_run_also_if_the_target_swallows_it():
    def act() -> None:
        try:
            user_interrupts()
        except BaseException:  # as some parsers do
            return

    with pytest.raises(KeyboardInterrupt), Watch() as watch:
        watch.run(at_cr(act), [b"\r"])


@pytest.mark.parametrize("effort", [FEW, Effort("examples alone", checks=0, examples=50)], ids=["seeded", "hypothesis"])
def test_the_users_interrupt_ends_a_rule(effort):
    with pytest.raises(KeyboardInterrupt), Watch() as watch:
        check_rule(find_rule("lines/cr"), at_cr(user_interrupts), effort=effort, seed="1", watch=watch)


def test_the_users_interrupt_ends_an_async_target(tmp_path):
    (tmp_path / "interrupted.py").write_text(
        "import os, signal, asyncio\n"
        "from chunkproof_targets.reference import ReferenceParser\n"
        "async def parse(chunks):\n"
        "    parser = ReferenceParser()\n"
        "    async for chunk in chunks:\n"
        "        if b'\\r' in chunk:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "            await asyncio.sleep(1)\n"
        "        for event in parser.feed(chunk):\n"
        "            yield event\n"
    )
    target = load_target("./interrupted.py:parse", folder=Path(tmp_path))
    try:
        assert Watch().run(target, [b"data: a\n\n"]).failure is None
        with pytest.raises(KeyboardInterrupt), Watch() as watch:
            watch.run(target, [b"\r"])
    finally:
        target.close()
        sys.modules.pop("interrupted", None)


# Handlers and timers --------------------------------------------------------------------------------------------------


def handlers() -> tuple[object, object]:
    return signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)


def test_handlers_and_timer_are_given_back():
    before = handlers()
    with Watch():
        assert handlers() != before
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert handlers() == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_handlers_and_timer_are_given_back_after_an_error():
    before = handlers()
    with pytest.raises(ZeroDivisionError), Watch():
        1 / 0  # noqa: B018
    assert handlers() == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_timer_that_was_running_runs_on():
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 100)
        with Watch(timeout=SOON) as watch:
            watch.run(at_cr(spin), [b"\r"])
        left, again = signal.getitimer(signal.ITIMER_REAL)
        assert 90 < left <= 100
        assert again == 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == []


def test_without_a_watch_entered_there_is_no_clock():
    before = handlers()
    assert Watch(timeout=0.01).run(at_cr(lambda: time.sleep(0.1)), [b"\r"]).failure is None
    assert handlers() == before


def test_in_another_thread_there_is_no_clock_and_it_works():
    before, runs = handlers(), []

    def work() -> None:
        with Watch(timeout=0.01) as watch:
            runs.append(watch.run(at_cr(lambda: time.sleep(0.1)), [b"data: a\r\r"]))
            runs.append(watch.run(at_cr(exit_with(SystemExit())), [b"\r"]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    slow, left = runs
    assert slow.failure is None
    assert len(slow.deliveries) == 1
    assert type(left.failure) is SystemExit
    assert handlers() == before
