"""Campaigns on parsers of which it is known what is to be found: `make long` writes reports/campaigns.md.

Each entry of the catalogue is a target, for 30 seconds with two jobs, up to the first finding; then the reference and
each odd but right parser of the gallery, which must give none, as choices must that the standard leaves open. It may
be stopped at any time: what is done by then is written, and ``--missing`` goes on with what has no row at this commit.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chunkproof.check import RELEASE
from chunkproof_targets.deviations import CATALOGUE

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.gallery import GALLERY  # noqa: E402

REPORT = ROOT / "reports" / "campaigns.md"
COLUMNS = 7
CHOICES = {f"deviation:{entry.name}" for entry in CATALOGUE if entry.is_choice}


@dataclass(frozen=True)
class Row:
    """What a campaign came to: the name of its target, how long it went on, and the causes it named."""

    name: str
    seconds: float
    checks: int
    findings: str
    commit: str

    def line(self) -> str:
        """As the report has it."""
        return f"| {self.name} | {self.seconds:.0f} | {self.checks:,} | {self.findings or 'none'} | {self.commit} |"

    @classmethod
    def read(cls, line: str) -> Row:
        """A line of the report."""
        name, seconds, checks, findings, commit = (cell.strip() for cell in line.strip(" |").split("|"))
        return cls(name, float(seconds), int(checks.replace(",", "")), "" if findings == "none" else findings, commit)

    @property
    def is_right(self) -> bool:
        """Whether it is one of which nothing may be found."""
        return not self.is_entry or self.name in CHOICES

    @property
    def is_entry(self) -> bool:
        """Whether it is an entry of the catalogue."""
        return self.name.startswith("deviation:")

    @property
    def is_as_wanted(self) -> bool:
        """Whether something was found where there is something, and nothing where there is nothing."""
        return self.is_right == (not self.findings)


def commit() -> str:
    """What is run."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def campaign(name: str, words: list[str], at: str) -> Row:
    """One campaign, as a user would start it."""
    with tempfile.TemporaryDirectory(prefix="chunkproof-") as folder:
        command = [sys.executable, "-m", "chunkproof", "fuzz", *words, "--state", f"{folder}/state", "--json"]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"{name}: exit {ran.returncode}\n{ran.stderr[-2000:]}")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    found = [event for event in events if event["event"] == "finding"]
    end = next(event for event in events if event["event"] == "end")
    causes = dict.fromkeys("+".join(event["deviations"]) or f"{event['rule']} {event['kind']}" for event in found)
    return Row(name, end["elapsed"], end["checks"], ", ".join(causes), at)


def targets(time: str, right_time: str) -> Iterator[tuple[str, list[str]]]:
    """Each target with the options of its campaign."""
    for entry in CATALOGUE:
        name = f"deviation:{entry.name}"
        yield name, ["--target", name, "--jobs", "2", "--time", time, "--until-found"]
    yield "reference", ["--target", "reference", "--jobs", "2", "--time", right_time]
    for odd in GALLERY:
        declared = [word for key, value in odd.declared.items() for word in ("--declare", f"{key}={value}")]
        yield odd.name, ["--target", odd.target, *declared, "--jobs", "2", "--time", right_time]


def kept() -> dict[str, Row]:
    """The rows of the report."""
    lines = REPORT.read_text(encoding="utf-8").splitlines() if REPORT.exists() else []
    table = [line for line in lines if line.startswith("| ") and line.count("|") == COLUMNS - 1]
    rows = [Row.read(line) for line in table if not line.startswith(("| target", "| -"))]
    return {row.name: row for row in rows}


def write(rows: dict[str, Row], time: str, right_time: str) -> None:
    """The report, as it stands."""
    faulty = [row for row in rows.values() if not row.is_right]
    choices = [row for row in rows.values() if row.is_entry and row.is_right]
    right = [row for row in rows.values() if not row.is_entry]
    named = sum(row.name.removeprefix("deviation:") in row.findings for row in faulty)
    lines = [
        "# Campaigns on parsers of which it is known what is to be found",
        "",
        f"Written by `make long`: chunkproof {RELEASE}, Python {platform.python_version()}, engine storm, two jobs.",
        "",
        f"- Entries of the catalogue that are faults, {time} each, up to the first finding: "
        f"{sum(bool(row.findings) for row in faulty)} of {len(faulty)} found, {named} of them by their own name. "
        f"There are {len(CATALOGUE) - len(CHOICES)}; those without a row were not run.",
        f"- Entries that are choices: {sum(bool(row.findings) for row in choices)} of {len(choices)} found.",
        f"- Right parsers, {right_time} each: {sum(bool(row.findings) for row in right)} findings in {len(right)} "
        f"campaigns of {sum(row.checks for row in right):,} checks.",
        "",
        "| target | seconds | checks | findings | at |",
        "| --- | ---: | ---: | --- | --- |",
        *(row.line() for row in rows.values()),
    ]
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Run, write, and say whether all came out as it must."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", default="30s", help="for an entry of the catalogue")
    parser.add_argument("--right-time", default="10m", help="for a right parser")
    parser.add_argument("--only", choices=["catalogue", "right"])
    parser.add_argument("--missing", action="store_true", help="keep the rows of this commit")
    options = parser.parse_args()
    at = commit()
    before = {name: row for name, row in kept().items() if not options.missing or row.commit == at}
    rows = before if options.missing or options.only else {}
    try:
        for name, words in targets(options.time, options.right_time):
            is_right = not name.startswith("deviation:")
            if (options.only and is_right != (options.only == "right")) or (options.missing and name in rows):
                continue
            rows[name] = campaign(name, words, at)
            print(rows[name].line(), "" if rows[name].is_as_wanted else "NOT AS WANTED", flush=True)
            write(rows, options.time, options.right_time)
    except KeyboardInterrupt:
        print(f"stopped; what was done is in {REPORT}")
    return int(not all(row.is_as_wanted for row in rows.values()))


if __name__ == "__main__":
    raise SystemExit(main())
