"""How fast a campaign is, and how soon it finds a fault: `make bench` writes reports/campaign-bench.md.

All figures are CPU time of the processes that do the work, from one run. It takes up to an hour, and may be stopped at
any time: engines that are done by then are written, and ``--kept FILE`` goes on with what it holds of this commit.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from chunkproof.files import write_whole
from chunkproof.fuzzing.state import State
from chunkproof.fuzzing.storm_engine import StormEngine
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof_targets.contract import Target
from chunkproof_targets.loading import load_target
from one_fault import ONE_FAULT
from searches import ENGINES, EXAMPLES, SEEDS_APART, Outcome, cpu_of_bare_loop, cpu_of_harness, search

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "reports" / "campaign-bench.md"
REFERENCE = "reference"
ROUNDS = 5
# The first seed of the storm that is no rule, and checks of one round.
STORM_FROM, STORM_CHECKS = 1000, 300_000
# Executions of the engine up to which both loops have started and read their inputs, and those that are counted.
BEFORE, COUNTED = 5_000, 40_000
SEEDS = range(1, 11)
# Seconds of CPU for one search.
LIMIT = 20.0
# Ten entries of the catalogue, of as many kinds: a fault at a cut, in a chunk, of a character, a field, a value, an ID,
# the end, a name.
FROM_THE_CATALOGUE = (
    "utf8-three-bytes-held-lost",
    "ill-formed-swallows-the-next-byte",
    "cr-forgotten-over-an-empty-chunk",
    "space-behind-a-cut-colon-kept",
    "events-of-a-chunk-in-reverse",
    "field-name-case-folded",
    "trailing-newlines-lost",
    "id-empty-ignored",
    "eof-truncation-silent",
    "type-ends-stream=close",
)
ABOUT = """\
Written by `make bench`. All figures are from one run: CPU time of the process that does the work, {python}, one core.

**Speed on the reference parser**, in {rounds} rounds of each by turns

- storm: {storm} checks a second and core, as a shard runs it: seeds from {storm_from:,} on, in a child with its board,
  and the time of the shard itself in it.
- harness, table: {harness} executions a second. A bare loop on the same instrumented target, which decodes
  inputs of the same engine, runs them and compares nothing: {bare}. The harness does {ratio:.0%} of that, all rounds
  together.

**To find one fault**: twenty parsers with one fault each, of which ten are entries of the catalogue; {seeds} seeds. A
search ends at the first check that fails, and its time counts from its first check. A cell is median / worst. A search
that has found nothing in {limit:g} CPU seconds ends there; where {most} did, the median is known, and no more are
begun.

- *storm*: mixtures, from the seed {apart:,} times the number of the search on. A campaign runs each rule once before.
- *table*, *raw*: atheris with the stored streams as seeds and the dictionary, as a campaign starts it.
- *table alone*: the same with no seeds and no dictionary.
- *plain bytes*: the peer. atheris on the bytes as they are, each input run whole and cut at one place (its last byte
  modulo its length); no table, no marker, no dictionary, no seeds; instrumented and judged as the others are.
- *Hypothesis*: the rule on streams of any kind by choices of Hypothesis, {examples:,} examples at a time.
"""

Cell = list[Outcome]


@dataclass(frozen=True)
class Speeds:
    """Checks a second of the storm, executions a second of the harness and of a bare loop, in each round."""

    storm: list[float]
    harness: list[float]
    bare: list[float]


class Kept:
    """What was measured by now, in a file: a name and what it was, a line; the first line says by what."""

    def __init__(self, path: Path, limit: float) -> None:
        self.path = path
        head = json.dumps([platform.python_version(), _commit(), limit])
        text = path.read_text() if path.exists() else ""
        # Of a run that was stopped in the middle of a line, that one is done again.
        lines = text[: text.rfind("\n") + 1].splitlines()
        if lines[:1] != [head]:
            lines = [head]
        path.write_text("".join(f"{line}\n" for line in lines))
        self.measured: dict[str, Any] = dict(json.loads(line) for line in lines[1:])

    def once(self, name: str, measure: Callable[[], Any]) -> Any:
        """What was measured by this name, now or earlier."""
        if name not in self.measured:
            self.measured[name] = measure()
            with self.path.open("a") as file:
                file.write(json.dumps([name, self.measured[name]]) + "\n")
            print(f"{name}: {self.measured[name]}", flush=True)
        return self.measured[name]


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def parsers() -> dict[str, str]:
    """The spec of each parser, by the name that the report has for it."""
    own = {name: f"{ROOT / 'tools' / 'one_fault.py'}:{parser.__name__}" for name, parser in ONE_FAULT.items()}
    return own | {name: f"deviation:{name}" for name in FROM_THE_CATALOGUE}


# speed --------------------------------------------------------------------------------------------------------------


def storm_speed() -> float:
    """Checks a CPU second: those of the child, and of what asks it."""
    target = load_target(REFERENCE, folder=Path.cwd())
    isolation = Isolation(Limits())
    isolation.pace_here(target)
    with tempfile.TemporaryDirectory(prefix="chunkproof-") as folder:
        state = State.open(Path(folder) / "state", REFERENCE, ())
        state.set_seeds(STORM_FROM, None)
        engine = StormEngine(target, isolation, state)
        before = _cpu_of_children(), time.process_time()
        while engine.progress.checks < STORM_CHECKS:
            engine.step(0.5, lambda: False)
        engine.close()
        spent = _cpu_of_children() - before[0] + time.process_time() - before[1]
    isolation.close()
    return engine.progress.checks / spent


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def executions_a_second(cpu: Callable[[str, int, int], float], seed: int) -> float:
    """Of a loop, without its start."""
    return COUNTED / (cpu(REFERENCE, BEFORE + COUNTED, seed) - cpu(REFERENCE, BEFORE, seed))


def speeds(kept: Kept) -> Speeds:
    """In rounds by turns: what else the machine does is then in all of them."""
    found = Speeds([], [], [])
    for number in range(1, ROUNDS + 1):
        found.storm.append(kept.once(f"storm {number}", storm_speed))
        for name, cpu in (("harness", cpu_of_harness), ("bare", cpu_of_bare_loop)):
            measured = kept.once(f"{name} {number}", partial(executions_a_second, cpu, number))
            getattr(found, name).append(measured)
    return found


# finding ------------------------------------------------------------------------------------------------------------


def find(kept: Kept, engine: str, spec: str, limit: float) -> Cell:
    """The searches of one engine for one fault, up to that by which the median is known to be beyond the limit."""
    found: Cell = []
    target = load_target(spec, folder=Path.cwd())
    for seed in SEEDS:
        name = f"{spec.rpartition('/')[2]} {engine} {seed}"
        found.append(Outcome(**kept.once(name, partial(_search, engine, target, seed, limit))))
        if sum(not one.found for one in found) > len(SEEDS) / 2:
            break
    return found


def _search(engine: str, target: Target, seed: int, limit: float) -> dict[str, Any]:
    return asdict(search(engine, target, seed, limit))


def shown(cell: Cell, value: Callable[[Outcome], float], form: str, limit: float) -> str:
    """The median and the worst of a cell; searches that have found nothing are worse than any others."""
    if not cell:
        return "not measured"
    values = sorted(value(one) if one.found else inf for one in cell)
    # Where the others were not begun, it is beyond the limit whatever they would have come to.
    median = statistics.median(values) if len(cell) == len(SEEDS) else inf
    if median == inf:
        return f"not found in {limit:g} s"
    return f"{median:{form}} / {'not found' if values[-1] == inf else format(values[-1], form)}"


# the report ---------------------------------------------------------------------------------------------------------


def report(speed: Speeds, cells: dict[str, dict[str, Cell]], limit: float) -> str:
    """The Markdown of it all."""
    about = ABOUT.format(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        storm=_spread(speed.storm),
        harness=_spread(speed.harness),
        bare=_spread(speed.bare),
        # Each round is of as many executions.
        ratio=statistics.harmonic_mean(speed.harness) / statistics.harmonic_mean(speed.bare),
        storm_from=STORM_FROM,
        rounds=ROUNDS,
        seeds=len(SEEDS),
        most=len(SEEDS) // 2 + 1,
        limit=limit,
        apart=SEEDS_APART,
        examples=EXAMPLES,
    )
    lines = ["# The speed of a campaign, and how soon it finds a fault", "", about]
    lines += _table("CPU seconds", cells, lambda one: one.seconds, ".3f", limit)
    lines += _table("Checks", cells, lambda one: one.checks, ",.0f", limit)
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):,.0f} (median; {min(values):,.0f} to {max(values):,.0f})"


def _table(
    title: str, cells: dict[str, dict[str, Cell]], value: Callable[[Outcome], float], form: str, limit: float
) -> Iterator[str]:
    yield f"| {title} | {' | '.join(ENGINES)} |"
    yield f"| --- |{' ---: |' * len(ENGINES)}"
    for name, row in cells.items():
        yield f"| {name} | {' | '.join(shown(row[engine], value, form, limit) for engine in ENGINES)} |"
    columns = [[one for row in cells.values() for one in row[engine]] for engine in ENGINES]
    found = (f"{sum(one.found for one in column)} of {len(column)}" for column in columns)
    yield f"| *searches that found it* | {' | '.join(found)} |"
    yield ""


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, help="a file for what is measured, to go on with")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--limit", type=float, default=LIMIT, help="CPU seconds of one search")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chunkproof-") as folder:
        kept = Kept(options.kept or Path(folder) / "kept", options.limit)
        speed = speeds(kept)
        cells: dict[str, dict[str, Cell]] = {name: {engine: [] for engine in ENGINES} for name in parsers()}
        # By engines, of which the first find everything: the others take nearly all of the time.
        for engine in ENGINES:
            for name, spec in parsers().items():
                cells[name][engine] = find(kept, engine, spec, options.limit)
            write_whole(options.report, report(speed, cells, options.limit))
            print(f"written: {options.report}", flush=True)


if __name__ == "__main__":
    main()
