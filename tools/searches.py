"""How long an engine takes to find what is wrong with a parser: one search, in a process of its own.

For `tools/bench_campaign.py`. A search ends at the first check that fails, before anything is made small. The engines
of atheris end their process; here every engine has one, forked from one parent, so that all start alike.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from chunkproof.corpus.making import ANY_RULE
from chunkproof.fuzzing import harness
from chunkproof.fuzzing.hunt import Hunt
from chunkproof.fuzzing.instrument import Instrumented
from chunkproof.fuzzing.seeding import DECODERS, INPUT_BYTES_MAX, write_dictionary, write_seeds
from chunkproof.fuzzing.storm import Storm
from chunkproof.rule_run import Finding, RuleRun, search_examples
from chunkproof.rules import find_rule
from chunkproof.watch import Watch
from chunkproof_strategies.chunkings import Cuts, chunks_of
from chunkproof_strategies.grammar import Stream
from chunkproof_targets.contract import Run, Target
from chunkproof_targets.loading import load_target

__all__ = ["ENGINES", "EXAMPLES", "SEEDS_APART", "Outcome", "cpu_of_bare_loop", "cpu_of_harness", "search"]

#: Between the seeds at which two searches of the storm start; the first are beyond the seeds that are rules.
SEEDS_APART = 1000
#: Examples that Hypothesis is asked for at a time.
EXAMPLES = 1000
_ALLOCATIONS = 20_000

Decode = Callable[[bytes], tuple[bytes, Sequence[Cuts]]]


@dataclass(frozen=True)
class Outcome:
    """What a search came to: whether it has found something, and the checks and CPU seconds that it took."""

    found: bool
    checks: int
    seconds: float


class _Clock:
    """Counts CPU seconds from the first check, and ends the process with what it came to."""

    def __init__(self, limit: float, answer: IO[str]) -> None:
        self.limit = limit
        self.answer = answer
        self.watch = _Watch(self)
        self._started: float | None = None

    def start(self) -> None:
        """At each check: the first one starts the clock."""
        if self._started is None:
            signal.signal(signal.SIGPROF, lambda *_: self.end(found=False))
            signal.setitimer(signal.ITIMER_PROF, self.limit)
            self._started = time.process_time()

    def end(self, *, found: bool) -> NoReturn:
        """Say what came of it, and be gone."""
        assert self._started is not None
        outcome = {"found": found, "checks": self.watch.number, "seconds": time.process_time() - self._started}
        self.answer.write(json.dumps(outcome))
        self.answer.flush()
        os._exit(0)


class _Watch(Watch):
    """Counts every run of the target."""

    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self._clock = clock

    def run(self, target: Target, chunks: Sequence[bytes]) -> Run:
        """See `Watch.run`."""
        self._clock.start()
        return super().run(target, chunks)


class _First(Hunt):
    """A hunt that ends at the first failure."""

    clock: _Clock

    def news(self, *args: object) -> NoReturn:
        """A check has failed."""
        self.clock.end(found=True)

    def measured(self, *args: object) -> NoReturn:
        """What was measured is beyond its bound."""
        self.clock.end(found=True)


class _FirstOfRule(RuleRun):
    """The same for one rule."""

    clock: _Clock

    def try_stream(self, stream: Stream, source: Any) -> Finding | None:
        """See `RuleRun.try_stream`."""
        if super().try_stream(stream, source) is not None:
            self.clock.end(found=True)
        return None


def search(engine: str, target: Target, seed: int, limit: float) -> Outcome:
    """One search; ``limit`` in CPU seconds."""
    with tempfile.TemporaryDirectory(prefix="chunkproof-") as folder:
        said = _forked(lambda answer: _ENGINES[engine](target, seed, Path(folder), _Clock(limit, answer)), Path(folder))
        return Outcome(**json.loads(said))


def _forked(work: Callable[[IO[str]], object], folder: Path) -> str:
    """What the work has written to its file, in a child; what it prints is shown where it has written nothing."""
    answer, printed = folder / "answer", folder / "printed"
    pid = os.fork()
    if not pid:
        with answer.open("w") as file:
            _into(printed, lambda: work(file))
    os.waitpid(pid, 0)
    said = answer.read_text()
    if not said:
        raise RuntimeError(f"a search ended without an answer\n{printed.read_text('utf-8', 'replace')[-4000:]}")
    return said


def _into(printed: Path, work: Callable[[], object]) -> NoReturn:
    """In a child: the work, with all that it prints in a file."""
    try:
        with printed.open("wb") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


# the engines --------------------------------------------------------------------------------------------------------


def _hunt(target: Target, clock: _Clock) -> Hunt:
    hunt = _First(target, clock.watch, "bench")
    hunt.clock = clock
    return hunt


def _storm(target: Target, seed: int, folder: Path, clock: _Clock) -> None:
    with clock.watch as watch:
        storm = Storm(target, watch, _hunt(target, clock))
        number = seed * SEEDS_APART
        while True:
            for _ in storm.run(number):
                pass
            number += 1


def _hypothesis(target: Target, seed: int, folder: Path, clock: _Clock) -> None:
    with clock.watch as watch:
        rule_run = _FirstOfRule(find_rule(ANY_RULE), target, watch)
        rule_run.clock = clock
        number = 0
        while True:
            search_examples(rule_run, EXAMPLES, f"{seed}/{number}")
            number += 1


def _atheris(decode: Decode, mode: str | None) -> Callable[[Target, int, Path, _Clock], None]:
    """atheris with this decoder; with the seeds and the dictionary of a mode as a shard has them, or with nothing."""

    def run(target: Target, seed: int, folder: Path, clock: _Clock) -> None:
        hunt = _hunt(target, clock)

        def one(data: bytes) -> None:
            hunt.judge_plans(*decode(data), "")

        _fuzz(target, one, _flags(target, seed, folder, mode))

    return run


def _flags(target: Target, seed: int, folder: Path, mode: str | None) -> list[str]:
    """Flags as a shard gives them, and the seeds and the dictionary of a mode, where there is one."""
    inputs = folder / "inputs"
    flags = [f"-seed={seed}", f"-max_len={INPUT_BYTES_MAX}", str(inputs)]
    if mode is None:
        inputs.mkdir()
        return flags
    write_seeds(inputs, mode)
    write_dictionary(folder / "dictionary", mode, target.constants)
    return [f"-dict={folder / 'dictionary'}", *flags]


def _fuzz(target: Target, one: Callable[[bytes], None], flags: Sequence[str]) -> None:
    import atheris

    engine: Any = atheris
    Instrumented(target.functions)
    # As the harness has it, and so that a comparison with that is one of the loops.
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
    engine.Setup(["search", *flags], one)
    engine.Fuzz()


def _one_plan(mode: str) -> Decode:
    decode = DECODERS[mode]

    def one(data: bytes) -> tuple[bytes, Sequence[Cuts]]:
        wire, cuts = decode(data)
        return wire, (cuts,)

    return one


def _plain_bytes(data: bytes) -> tuple[bytes, Sequence[Cuts]]:
    """The bytes as they are, whole, and cut at one place, which is the last byte modulo the length."""
    return data, ((), (data[-1] % len(data),)) if data else ((),)


_ENGINES: dict[str, Callable[[Target, int, Path, _Clock], None]] = {
    "storm": _storm,
    "table": _atheris(_one_plan("table"), "table"),
    "raw": _atheris(_one_plan("raw"), "raw"),
    "Hypothesis": _hypothesis,
    "table alone": _atheris(_one_plan("table"), None),
    "plain bytes": _atheris(_plain_bytes, None),
}
#: The names of the engines, in the order of the report.
ENGINES = tuple(_ENGINES)


# the harness and what it is compared with ---------------------------------------------------------------------------


def cpu_of_harness(spec: str, runs: int, seed: int) -> float:
    """CPU seconds of the harness, as a shard starts it, for so many executions; its start is among them."""
    with tempfile.TemporaryDirectory(prefix="chunkproof-") as folder:
        flags = [f"-runs={runs}", *_flags(load_target(spec, folder=Path.cwd()), seed, Path(folder), "table")]
        command = [sys.executable, harness.__file__, f"--target={spec}", f"--state={folder}/state", *flags]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return _cpu_seconds(process.pid)


def cpu_of_bare_loop(spec: str, runs: int, seed: int) -> float:
    """The same for a bare loop: the same inputs to the same instrumented target, and nothing is compared."""
    with tempfile.TemporaryDirectory(prefix="chunkproof-") as folder:
        target = load_target(spec, folder=Path.cwd())
        flags = [f"-runs={runs}", *_flags(target, seed, Path(folder), "table")]
        pid = os.fork()
        if not pid:
            _into(Path(folder) / "printed", lambda: _fuzz(target, _bare(target), flags))
        return _cpu_seconds(pid)


def _bare(target: Target) -> Callable[[bytes], None]:
    decode, run = DECODERS["table"], target.run

    def one(data: bytes) -> None:
        wire, cuts = decode(data)
        run(chunks_of(wire, cuts))

    return one


def _cpu_seconds(pid: int) -> float:
    _, status, used = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"an engine ended with status {status}")
    return used.ru_utime + used.ru_stime
