"""One shard of a campaign: one process that drives one engine, and collects what was found."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

from chunkproof_targets.contract import Target
from chunkproof_targets.deviations import Deviation

from ..counterexample import decode_token
from ..isolation.child import Child, Ended
from ..isolation.judging import Isolation
from ..watch import Watch
from .collecting import Collector, named
from .found import Found
from .hunt import Hunt
from .state import State
from .storm import Storm, in_hand

__all__ = ["Engine", "Progress", "Shard", "StormEngine"]

# Seconds between two signs of life, and about as long a storm goes on by itself.
_STEP = 0.5
# Seeds that are taken at a time: what is lost of them with a process is less than a second's work.
_SEEDS = 16
# Where so many findings wait, it is better to look at them than to make more streams small.
_WAITING_MAX = 16
# Seconds for which no finding is collected while more may come at once.
_GATHERING = 2.0
# Behind a collection it is searched for so many times as long as that took.
_SEARCHING = 2.0
# The part of the time that goes into making small what ends its process, and seconds at the start.
_ENDING, _ENDING_START = 0.3, 15.0


@dataclass(slots=True)
class Progress:
    """What an engine has done so far."""

    checks: int = 0
    streams: int = 0
    repeats: int = 0
    passed_over: int = 0
    coverage: int | None = None
    coverage_of: str = ""
    inputs: int = 0
    note: str = ""


class Engine(Protocol):
    """What looks for faults, in steps of about half a second."""

    progress: Progress

    def step(self, seconds: float) -> bool:
        """Go on for so long; false where nothing is left to do. What is found goes into the inbox."""

    def close(self) -> None:
        """End all that was started."""


@dataclass
class StormEngine:
    """The storm, in a forked child: a run that hangs, crashes or eats memory ends that, and is a finding."""

    target: Target
    isolation: Isolation
    state: State
    baseline: tuple[Deviation, ...] = ()
    progress: Progress = field(default_factory=Progress)
    _child: Child | None = None
    _seeds: list[int] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)
    _ending: float = 0.0
    _shrinking: float = 0.0
    _signatures: set[str] = field(default_factory=set)

    def step(self, seconds: float) -> bool:
        """See `Engine.step`."""
        if not self._seeds:
            self._seeds = list(self.state.take_seeds(_SEEDS))
        if not self._seeds:
            return False
        asked = {
            "seeds": self._seeds,
            "seconds": seconds,
            "known": [one.name for one in (*self.baseline, *named(self.state.known()))],
            "signatures": sorted(self._signatures),
            "began": self._began,
            "shrinking": self._shrinking,
            "holds_back": len(self.state.waiting()) >= _WAITING_MAX,
        }
        if not self.isolation.forks(self.target):
            with self.isolation.watch_here() as watch:
                self._take(_storm(self.target, self.state, asked, watch))
            return True
        if self._child is None or not self._child.alive:
            self._child = Child(self.isolation.cell, lambda asked, watch: _storm(self.target, self.state, asked, watch))
        answer = self._child.ask(asked, self.isolation.limits, self.isolation.pace_here(self.target))
        if isinstance(answer, Ended):
            self._ended(answer)
        else:
            self._take(answer)
        return True

    def _take(self, answer: Mapping[str, Any]) -> None:
        progress = self.progress
        for name in ("checks", "streams", "repeats", "passed_over"):
            setattr(progress, name, getattr(progress, name) + answer[name])
        self._seeds = self._seeds[answer["seeds"] :]
        self._signatures.update(answer["found"])
        self._shrinking = answer["shrinking"]

    def _found(self, found: Found) -> None:
        if found.signature in self._signatures:
            self.progress.repeats += 1
        elif self.state.put(found):
            self._signatures.add(found.signature)

    def _ended(self, ended: Ended) -> None:
        """A run took the child with it: its stream is made small in fresh children, and what is left of its seed is
        left out."""
        self._end_child()
        seed, rule = in_hand(self.isolation.cell.board.mark[0])
        self._seeds = [one for one in self._seeds if one > seed]
        if ended.noted is not None:
            self.progress.checks += ended.noted.checks
            self.progress.streams += ended.noted.streams
        if self._ending > _ENDING_START + _ENDING * (time.monotonic() - self._began):
            self.progress.passed_over += 1
            return
        started = time.monotonic()
        result = self.isolation.stopped(rule, self.target, ended)
        self._ending += time.monotonic() - started
        if result is not None and result.counterexample is not None:
            case, kind = decode_token(result.counterexample.token), result.counterexample.kind
            self._found(Found.of_case(case, kind, engine="storm", seed=str(seed)))
        elif result is not None:
            raise RuntimeError(result.reason)

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def close(self) -> None:
        """See `Engine.close`."""
        self._end_child()


def _storm(target: Target, state: State, asked: Mapping[str, Any], watch: Watch) -> dict[str, Any]:
    """In the child: the seeds one after another, for so many seconds. What is found is in the inbox at once."""
    hunt = Hunt(
        target,
        watch,
        "storm",
        named(asked["known"]),
        set(asked["signatures"]),
        began=asked["began"],
        shrinking=asked["shrinking"],
        holds_back=asked["holds_back"],
    )
    storm = Storm(target, watch, hunt)
    until = time.monotonic() + asked["seconds"]
    kept: list[str] = []
    done = 0
    for seed in asked["seeds"]:
        kept += [found.signature for found in storm.run(seed) if state.put(found)]
        done += 1
        if time.monotonic() > until:
            break
    return {
        "seeds": done,
        "found": kept,
        "checks": storm.checks,
        "streams": storm.streams,
        "repeats": hunt.repeats,
        "passed_over": hunt.passed_over,
        "shrinking": hunt.shrinking,
    }


class Shard:
    """Drives an engine until its time is up, its work is done, or somebody ends it; and collects meanwhile.

    ``name`` is that of its status file. What an earlier process of this name has done counts on.
    """

    def __init__(self, name: str, engine_name: str, engine: Engine, collector: Collector, state: State) -> None:
        self.name = name
        self.engine_name = engine_name
        self.engine = engine
        self.collector = collector
        self.state = state
        self._parent = os.getppid()
        self._told_to_end = False
        self._before = state.status(name)
        self._began = time.monotonic()
        self._collect_at = time.monotonic() + _GATHERING
        collector.beat = lambda: self._say("diagnosing")

    def run(self, seconds: float) -> None:
        """Go on for so many seconds at most."""
        before = signal.signal(signal.SIGTERM, self._end)
        until = time.monotonic() + seconds
        try:
            while not self._is_over(until) and self.engine.step(min(_STEP, max(0.01, until - time.monotonic()))):
                self._say("searching")
                self._collect_now_and_then()
            self.engine.close()
            if not self._is_orphan():
                self._collect(wait=True)
            self._say("done")
        finally:
            self.engine.close()
            signal.signal(signal.SIGTERM, before)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._told_to_end = True

    def _is_over(self, until: float) -> bool:
        return self._told_to_end or self._is_orphan() or time.monotonic() >= until

    def _is_orphan(self) -> bool:
        """Whether the campaign that started this shard is gone: whoever goes on with it starts others."""
        return os.getppid() != self._parent

    def _collect_now_and_then(self) -> None:
        if time.monotonic() > self._collect_at and self.collector.has_work:
            started = time.monotonic()
            self._collect(wait=False)
            # To look for causes takes seconds, in which nothing is searched here.
            self._collect_at = time.monotonic() + max(_GATHERING, _SEARCHING * (time.monotonic() - started))

    def _collect(self, *, wait: bool) -> None:
        if self.collector.has_work:
            self._say("diagnosing")
            self.collector.collect(wait=wait)

    def _say(self, doing: str) -> None:
        progress, before = self.engine.progress, self._before
        status = {
            "name": self.name,
            "engine": self.engine_name,
            "pid": os.getpid(),
            "doing": doing,
            "seconds": round(before.get("seconds", 0) + time.monotonic() - self._began, 3),
            "updated": round(time.time(), 3),
            "coverage": progress.coverage,
            "coverage_of": progress.coverage_of,
            "inputs": progress.inputs,
            "note": progress.note,
        }
        for name in ("checks", "streams", "repeats", "passed_over"):
            status[name] = before.get(name, 0) + getattr(progress, name)
        self.state.write_status(self.name, status)
