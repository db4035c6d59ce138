"""The engine atheris, as a shard drives it: the harness in a process of its own, started again when it ends."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chunkproof_targets.contract import Target, TargetDied, TargetGrew, TargetHung, TargetStopped
from chunkproof_targets.deviations import Deviation

from ..corpus.making import ANY_RULE
from ..isolation.board import Noted
from ..isolation.child import Ended
from ..isolation.judging import Isolation
from ..isolation.process import how_it_ended
from ..rules import find_rule
from . import harness
from .hand import in_hand
from .progress import Progress
from .seeding import DECODERS, INPUT_BYTES_MAX, write_dictionary, write_seeds
from .state import State, cut_log, read_json
from .stops import Stops

__all__ = ["AtherisEngine"]

# Exit codes of the engine: a run that took too long, one that took too much memory.
_HUNG, _GREW = 70, 71
# Seconds that a process may take to its first execution, and between SIGTERM and SIGKILL.
_STARTING, _ENDING = 60.0, 5.0
# Processes in a row that end before any execution, or before they have run the inputs that are there.
_FALSE_STARTS_MAX = 3
# Seconds between two starts at least.
_PAUSE = 1.0
_BEGINS_WITH_NOTHING = "stored streams end the target's process one after another: the engine begins without them"
_COVERAGE = re.compile(rb"cov: \d+ ft: (\d+) corp: (\d+)")


@dataclass
class AtherisEngine:
    """Runs the harness; see `chunkproof.fuzzing.shard.Engine`.

    ``words`` are the options that say which target it is, ``baseline`` the deviations that are no news. What ends the
    harness's process is found by the input that was in hand, and made small in fresh processes without the engine.
    """

    target: Target
    isolation: Isolation
    state: State
    name: str
    mode: str
    words: Sequence[str]
    baseline: Sequence[Deviation] = ()
    progress: Progress = field(default_factory=Progress)
    _process: subprocess.Popen[bytes] | None = None
    _seed: int = 0
    _started: float = 0.0
    _executions: int = 0
    _checks_before: int = 0
    _repeats_before: int = 0
    _moved: float = 0.0
    _false_starts: int = 0
    _early_ends: int = 0
    _loaded: int = 0

    def __post_init__(self) -> None:
        self._stops = Stops(self.target, self.isolation, self.state, f"atheris {self.mode}")
        self._inputs = self.state.inputs / self.mode
        self._said = self.state.logs / f"{self.name}.progress.json"
        self._hand = self.state.logs / f"{self.name}.hand"
        self._log = self.state.log(f"{self.name}.engine")
        self._fault = self.state.logs / f"{self.name}.fault"
        self._dictionary = self.state.logs / f"{self.name}.dict"
        write_seeds(self._inputs, self.mode)
        write_dictionary(self._dictionary, self.mode, self.target.constants)

    def step(self, seconds: float, is_over: Callable[[], bool]) -> bool:
        """See `Engine.step`."""
        if self._process is None:
            time.sleep(max(0.0, min(seconds, self._started + _PAUSE - time.monotonic())))
            self._start()
        process = self._process
        assert process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        self._read()
        code = process.poll()
        if code is not None:
            self.close()
            self._take_end(code)
        elif time.monotonic() - self._moved > (self._patience if self._executions else _STARTING):
            self.close()
            self._take_end(_HUNG)
        return True

    def close(self) -> None:
        """See `Engine.close`."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING)
        # Also where it has ended by itself: what the target has started may go on.
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for path in self._log.parent.glob(f"{self.name}.*-*"):
            path.unlink()  # the engine's own file of an input: the one that counts is in hand

    # the process ----------------------------------------------------------------------------------------------------

    @property
    def _timeout(self) -> int:
        """Whole seconds for one execution: the engine's clock knows no less."""
        size = 8 * INPUT_BYTES_MAX
        return max(1, math.ceil(self.isolation.limits.seconds(self.isolation.pace_here(self.target), size, size)))

    @property
    def _patience(self) -> float:
        """Seconds without an execution after which the engine's own clock has failed."""
        return 2 * self._timeout + 10

    def _start(self) -> None:
        self._seed = random.randrange(1, 1 << 31)
        self._started = self._moved = time.monotonic()
        self._checks_before, self._repeats_before = self.progress.checks, self.progress.repeats
        self._executions = 0
        for path in (self._said, self._hand, self._fault):
            path.unlink(missing_ok=True)
        self._loaded = sum(1 for _ in self._inputs.iterdir())
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                process_group=0,  # and of the session of the shard, which ends as a whole
            )

    def _command(self) -> list[str]:
        limits = self.isolation.limits
        return [
            sys.executable,
            str(Path(harness.__file__)),
            *self.words,
            f"--state={self.state.folder}",
            f"--name={self.name}",
            f"--mode={self.mode}",
            f"--seed={self._seed}",
            f"--parent={os.getpid()}",
            f"--output={limits.output}",
            f"--known={','.join(one.name for one in self.baseline)}",
            f"-seed={self._seed}",
            f"-max_len={INPUT_BYTES_MAX}",
            f"-timeout={self._timeout}",
            f"-rss_limit_mb={limits.memory + 512}",
            f"-dict={self._dictionary}",
            f"-artifact_prefix={self.state.logs / self.name}.",
            "-reload=1",
            # What the target prints goes nowhere: it could fill the disk, or take the engine's place in the log.
            "-close_fd_mask=3",
            str(self._inputs),
        ]

    def _read(self) -> None:
        """What the harness has said since, and the engine."""
        hand = in_hand(self._hand)
        if hand is not None and hand.number > self._executions:
            self._executions, self._moved = hand.number, time.monotonic()
            self.progress.checks = self.progress.streams = self._checks_before + hand.number
        with contextlib.suppress(OSError, ValueError, KeyError):
            said = read_json(self._said)
            self.progress.repeats = self._repeats_before + said["repeats"]
            self.progress.note = str(said["note"]) or self.progress.note
        with contextlib.suppress(OSError):
            cut_log(self._log)
            with self._log.open("rb") as log:
                log.seek(max(0, self._log.stat().st_size - 20_000))
                if found := _COVERAGE.findall(log.read()):
                    self.progress.coverage, self.progress.inputs = map(int, found[-1])
                    self.progress.coverage_of = "features"

    def _take_end(self, code: int) -> None:
        """A process that has ended: by a fault of ours, or with an input in hand that did it."""
        if self._fault.exists():
            raise RuntimeError(f"a fault in the harness\n{self._fault.read_text('utf-8', 'replace')}")
        for path in self._log.parent.glob(f"{self.name}.*-*"):
            path.unlink()  # the engine's own file of the input: it is in hand
        hand = in_hand(self._hand)
        self._false_starts = 0 if hand is not None else self._false_starts + 1
        if self._false_starts > _FALSE_STARTS_MAX:
            raise RuntimeError(
                f"{self._false_starts} processes ended before their first execution\n{self._last_of_log()}"
            )
        if hand is not None and hand.data is not None:
            self._leave_out(hand.data)
            ended = Ended(_failure(code), Noted((), *DECODERS[self.mode](hand.data), 1, 1))
            self._stops.take(find_rule(ANY_RULE), ended, str(self._seed))
            self.progress.passed_over = self._stops.passed_over

    def _leave_out(self, data: bytes) -> None:
        """Let the next process not begin with the input that has ended this one.

        Where one after another ends of what is there, it begins with nothing, and with what others of its kind found.
        """
        (self._inputs / hashlib.sha1(data, usedforsecurity=False).hexdigest()).unlink(missing_ok=True)
        self._early_ends = self._early_ends + 1 if self._executions <= self._loaded else 0
        if self._early_ends > _FALSE_STARTS_MAX:
            self._inputs = self.state.logs / f"{self.name}.inputs"
            self._inputs.mkdir(exist_ok=True)
            self.progress.note = _BEGINS_WITH_NOTHING

    def _last_of_log(self) -> str:
        with self._log.open("rb") as log:
            log.seek(max(0, self._log.stat().st_size - 4000))
            return log.read().decode("utf-8", "replace")


def _failure(code: int) -> TargetStopped:
    if code == _HUNG:
        return TargetHung("the engine's clock ended it")
    return TargetGrew("the engine's limit of memory ended it") if code == _GREW else TargetDied(how_it_ended(code))
