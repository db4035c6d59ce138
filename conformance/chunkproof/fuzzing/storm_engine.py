"""The engine storm, as a shard drives it: seeds in a forked child."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunkproof_targets.contract import Target
from chunkproof_targets.deviations import Deviation

from ..counterexample import Case
from ..isolation.board import Board
from ..isolation.child import Child, Ended
from ..isolation.judging import Isolation
from ..isolation.process import standard_kept
from ..watch import Watch
from .branches import Branches
from .collecting import named
from .found import Found
from .hunt import Hunt
from .progress import Progress
from .state import WAITING_MAX, State
from .stops import Stops
from .storm import Storm, in_hand

__all__ = ["StormEngine"]

# Seeds that are taken at a time.
_SEEDS = 16


@dataclass
class StormEngine:
    """The storm, in a forked child: a run that hangs, crashes or eats memory ends that, and is a finding."""

    target: Target
    isolation: Isolation
    state: State
    baseline: tuple[Deviation, ...] = ()
    name: str = "0"
    progress: Progress = field(default_factory=Progress)
    _child: Child | None = None
    _seeds: list[int] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)
    _shrinking: float = 0.0
    _signatures: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._stops = Stops(self.target, self.isolation, self.state, "storm")
        self._branches = Branches(self.target.functions)
        self._taken: set[str] = set()
        self._seeds = list(self.state.held_seeds(self.name))
        self._hand = self.state.logs / f"{self.name}.run"
        self._board: Board | None = None

    def step(self, seconds: float, is_over: Callable[[], bool]) -> bool:
        """See `Engine.step`."""
        if not self._seeds:
            self._seeds = list(self.state.take_seeds(_SEEDS, self.name))
        if not self._seeds:
            return False
        asked = {
            "seeds": self._seeds,
            "seconds": seconds,
            "known": [one.name for one in (*self.baseline, *named(self.state.known()))],
            "signatures": sorted(self._signatures),
            "began": self._began,
            "shrinking": self._shrinking,
            "holds_back": len(self.state.waiting()) >= WAITING_MAX,
        }
        if not self.isolation.forks(self.target):
            if self._board is None:
                self._board = Board(self._hand)
            with standard_kept(), self.isolation.watch_here(self._board) as watch:
                self._take(self._storm(asked, watch))
            self._board.clear()
            return True
        if self._child is None or not self._child.alive:
            self._child = Child(self.isolation.cell, self._storm)
        pace = self.isolation.pace_here(self.target)
        answer = self._child.ask(asked, self.isolation.limits, pace, is_over=is_over)
        if isinstance(answer, Ended) and answer.noted is None and is_over():
            self._end_child()
        elif isinstance(answer, Ended):
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
        self._taken.update(answer["branches"])
        if self._taken:
            progress.coverage, progress.coverage_of = len(self._taken), "branches"

    def _ended(self, ended: Ended) -> None:
        """A run took the child with it; what is left of its seed is left out."""
        self._end_child()
        seed, rule = in_hand(self.isolation.cell.board.mark[0])
        self._seeds = [one for one in self._seeds if one > seed]
        if ended.noted is not None:
            self.progress.checks += ended.noted.checks
            self.progress.streams += ended.noted.streams
        before = self._stops.passed_over
        found = self._stops.take(rule, ended, str(seed))
        self.progress.passed_over += self._stops.passed_over - before
        if found is not None:
            self.progress.repeats += found.signature in self._signatures
            self._signatures.add(found.signature)

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def close(self) -> None:
        """See `Engine.close`."""
        self._end_child()
        self._hand.unlink(missing_ok=True)
        self._hold()

    def _hold(self) -> None:
        left = range(self._seeds[0], self._seeds[-1] + 1) if self._seeds else range(0)
        self.state.hold_seeds(left, self.name)

    def take_death(self) -> None:
        """An earlier process of this shard was ended by the target, which runs in it: by the run that it has noted.

        It is not run again here: it would end this process too.
        """
        if not self._hand.exists():
            return
        board = Board(self._hand)
        noted = board.read()
        seed, rule = in_hand(board.mark[0])
        self._hand.unlink(missing_ok=True)
        self._seeds = [one for one in self._seeds if one > seed]
        self._hold()
        if noted is not None:
            streams = (*((wire, ()) for wire in noted.before), (noted.wire, noted.cuts))
            case = Case(rule.case_of or rule.id, self.target.takes, streams)
            self.state.put(Found.of_case(case, "died", engine="storm", seed=str(seed)))

    def _storm(self, asked: Mapping[str, Any], watch: Watch) -> dict[str, Any]:
        """In the child: the seeds one after another, for so many seconds. What is found is in the inbox at once."""
        hunt = Hunt(
            self.target,
            watch,
            "storm",
            named(asked["known"]),
            set(asked["signatures"]),
            began=asked["began"],
            shrinking=asked["shrinking"],
            holds_back=asked["holds_back"],
        )
        storm = Storm(self.target, watch, hunt)
        until = time.monotonic() + asked["seconds"]
        kept: list[str] = []
        done = 0
        with self._branches as branches:
            branches.wake()
            for seed in asked["seeds"]:
                kept += [found.signature for found in storm.run(seed) if self.state.put(found)]
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
            "branches": sorted(branches.keys()),
        }
