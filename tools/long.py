"""What needs longer than CI gives: the reference and odd but right parsers at default effort, over twenty seeds.

`make long` writes reports/long.md. With ``--loaded`` it judges by the rules that are no musts alone, one parser at a
time, while other processes keep the other cores busy, and writes reports/long-loaded.md. It may be stopped at any time:
what is done by then is written. ``--parsers`` runs some of them, and keeps the rows of the others as they were.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.gallery import EACH_KIND, GALLERY  # noqa: E402

from chunkproof.check import RELEASE, check  # noqa: E402
from chunkproof.rules import RULES  # noqa: E402
from chunkproof_targets.declared import Declared  # noqa: E402
from chunkproof_targets.loading import load_target  # noqa: E402

REPORT = ROOT / "reports" / "long.md"
COLUMNS = 8
LOADED = ROOT / "reports" / "long-loaded.md"
# What a busy machine could make fail: rules on time, memory, and when an event is out.
UNDER_LOAD = [rule for rule in RULES if rule.severity != "must"]


@dataclass
class Row:
    """What was found of one target."""

    seeds: int = 0
    checks: int = 0
    seconds: float = 0.0
    judged: int = 0
    commit: str = ""
    alarms: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """As the report has it."""
        numbers = f"{self.seeds} | {self.judged} | {self.checks:,} | {self.seconds:.0f}"
        return f"| {name} | {numbers} | {self.commit} | {', '.join(self.alarms) or 'none'} |"

    @classmethod
    def read(cls, line: str) -> tuple[str, Row]:
        """The name and the row of a line of the report."""
        name, seeds, judged, checks, seconds, commit, alarms = (cell.strip() for cell in line.strip(" |").split("|"))
        found = [] if alarms == "none" else [alarms]
        return name, cls(int(seeds), int(checks.replace(",", "")), float(seconds), int(judged), commit, found)


def run_one(name: str, seed: int, effort: str, *, loaded: bool) -> tuple[int, float, int, list[str]]:
    """Checks, seconds, rules judged, and the alarms of one target and seed."""
    odd = next((odd for odd in GALLERY if odd.name == name), None)
    spec, declared = (odd.target, Declared(**odd.declared)) if odd else (name, Declared())  # type: ignore[arg-type]
    target = load_target(spec, folder=ROOT, declared=declared)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (one of the parsers prints)
    started = time.perf_counter()
    rules = check(target, effort, seed=seed, rules=UNDER_LOAD if loaded else RULES).rules
    target.close()
    alarms = [f"{rule.id} ({rule.status}, seed {seed})" for rule in rules if rule.fails or rule.status == "fault"]
    judged = sum(rule.status in ("held", "broken") for rule in rules)
    return sum(rule.checks for rule in rules), time.perf_counter() - started, judged, alarms


def run_all(names: list[str], seeds: int, effort: str, jobs: int, *, loaded: bool) -> Iterator[dict[str, Row]]:
    """The rows so far, after each run; parser by parser, so that an early end leaves whole rows."""
    rows: dict[str, Row] = defaultdict(lambda: Row(commit=commit()))
    with ProcessPoolExecutor(jobs, max_tasks_per_child=1) as pool:
        futures = {
            pool.submit(run_one, name, seed, effort, loaded=loaded): name for name in names for seed in range(seeds)
        }
        for done, future in enumerate(as_completed(futures), 1):
            checks, seconds, judged, alarms = future.result()
            row = rows[futures[future]]
            row.seeds += 1
            row.checks += checks
            row.seconds += seconds
            row.judged = judged
            row.alarms += alarms
            print(f"{done}/{len(futures)} {futures[future]}: {checks:,} checks in {seconds:.0f} s", *alarms, flush=True)
            yield rows


def commit() -> str:
    """What is run."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def kept(report: Path) -> dict[str, Row]:
    """The rows of a report."""
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    table = [line for line in lines if line.startswith("| ")]
    return dict(
        Row.read(line) for line in table if line.count("|") == COLUMNS and not line.startswith(("| parser", "| -"))
    )


def write(rows: dict[str, Row], seeds: int, effort: str, *, loaded: bool) -> None:
    """The report, as it stands."""
    judged_by, load = ("all rules", "") if not loaded else (f"the {len(UNDER_LOAD)} rules that are no musts", _load())
    alarms = [alarm for row in rows.values() for alarm in row.alarms]
    lines = [
        f"# No false alarm: {judged_by}, {effort} effort, {seeds} seeds{load}",
        "",
        f"Written by `make long` on {date.today()}: chunkproof {RELEASE}, Python {platform.python_version()}. "
        "Each parser is conformant, so each alarm would be a fault of the suite.",
        "",
        f"**{len(alarms)} alarms** in {sum(row.seeds for row in rows.values())} runs, "
        f"{sum(row.checks for row in rows.values()):,} checks.",
        "",
        "| parser | seeds | rules judged | checks | seconds | at | alarms |",
        "| --- | ---: | ---: | ---: | ---: | --- | --- |",
    ]
    lines += [row.line(name) for name, row in sorted(rows.items())]
    (LOADED if loaded else REPORT).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _load() -> str:
    return f", the other {_others()} of {os.cpu_count()} cores kept busy"


def _others() -> int:
    return max(1, (os.cpu_count() or 1) - 1)


def keep_busy() -> list[subprocess.Popen[bytes]]:
    """A process for each other core that does nothing but use it."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(_others())]


def main() -> int:
    """Run, write, and say whether there was an alarm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true", help="the whole gallery")
    parser.add_argument("--loaded", action="store_true", help="the rules that a busy machine could make fail")
    parser.add_argument("--parsers", nargs="+", metavar="NAME", help="these alone; the other rows stay")
    options = parser.parse_args()
    names = options.parsers or ["reference", *([odd.name for odd in GALLERY] if options.all else sorted(EACH_KIND))]
    loaded = options.loaded
    others = kept(LOADED if loaded else REPORT) if options.parsers else {}
    rows: dict[str, Row] = {}
    busy = keep_busy() if loaded else []
    try:
        for rows in run_all(names, options.seeds, options.effort, 1 if loaded else options.jobs, loaded=loaded):
            write(others | rows, options.seeds, options.effort, loaded=loaded)
    except KeyboardInterrupt:
        print(f"stopped; what was done is in {LOADED if loaded else REPORT}")
    finally:
        for process in busy:
            process.kill()
    return int(any(row.alarms for row in rows.values()))


if __name__ == "__main__":
    raise SystemExit(main())
