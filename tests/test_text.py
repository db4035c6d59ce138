"""What is written for readers is true: code runs, commands print what is shown, the changelog names the release.

In README.md, CONTRIBUTING.md and tests/README.md
- a ```python block whose first line is `# name.py` is a file that later blocks find in their folder; any other is run,
  as a doctest if it has `>>>`, and has to succeed;
- in a ```console block, each `$ command` is run, and its output has to be what is shown; `...` stands for any text, and
  on a line by itself for any lines. What differs from run to run (times, counts, versions, folders) is not compared;
- `$ make ...` is not run (these tests may be running inside it): its target has to exist;
- `<!-- not run: why -->` on the line before a block lets it be.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "tests/README.md")
LIMIT = 300

_NOT_RUN = re.compile(r"<!-- not run: \S.* -->")
_FILE = re.compile(r"# (\S+\.py)\n")


class Block(NamedTuple):
    """One block of code in a document, with the line it starts at."""

    document: str
    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The file that the block is, if it is one."""
        named = _FILE.match(self.text) if self.language == "python" else None
        return named.group(1) if named else None


class Step(NamedTuple):
    """A command, and what is shown below it."""

    command: str
    shown: list[str]


def blocks(document: str, text: str) -> Iterator[Block]:
    """The blocks of code that are to be run."""
    language, start, before = "", 0, ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```") and not language:
            language, start = line[3:].strip() or "text", number
        elif line == "```":
            if language in ("python", "console") and not _NOT_RUN.fullmatch(before):
                yield Block(document, start, language, "".join(f"{line}\n" for line in lines[start : number - 1]))
            language, before = "", ""
        elif line and not language:
            before = line


def steps(text: str) -> list[Step]:
    """The commands of a console block; a backslash at the end of a line continues it."""
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], []))
        elif found and found[-1].command.endswith("\\") and not found[-1].shown:
            found[-1] = Step(f"{found[-1].command}\n{line}", [])
        elif found:
            found[-1].shown.append(line)
        else:
            raise ValueError(f"{line!r} stands before the first command: start the block with `$ command`")
    return found


# What differs from run to run, and what is put in its place before two outputs are compared.
_VARIES = (
    (re.compile(r"^(platform|rootdir:|plugins:|cachedir:|configfile:|created:) .*"), r"\1 ..."),
    (re.compile(r"\b\d+(\.\d+)? ?(s|ms|µs|us|seconds|minutes)\b( \(\d+:\d\d:\d\d\))?"), "N s"),
    (re.compile(r"\b\d[\d,]*(?= (checks|streams|examples)\b)"), "N"),
    (re.compile(r"([=_-])\1{2,}"), r"\1\1\1"),
    (re.compile(r"\s+$"), ""),
)


_ANY = re.compile(r"\.{3}(?!\.)")


def normal(line: str) -> str:
    """The line without what differs from run to run."""
    for pattern, replacement in _VARIES:
        line = pattern.sub(replacement, line)
    return line


def fits(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are those printed, but for what differs from run to run; `...` is any text, or lines."""
    parts = []
    for line in trimmed(shown):
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(".*".join(re.escape(part) for part in _ANY.split(normal(line))) + r"\n")
    text = "".join(f"{normal(line)}\n" for line in trimmed(printed))
    return re.fullmatch("".join(parts), text) is not None


def trimmed(lines: list[str]) -> list[str]:
    """The lines without blank ones at both ends."""
    return "\n".join(lines).strip("\n").split("\n") if any(lines) else []


def plain_environment() -> dict[str, str]:
    """Nothing of the run that this test stands in; the commands of this Python come first."""
    # Plugins of this environment that print lines of their own in every header, or are slow to import.
    quiet = {"PYTEST_ADDOPTS": "-p no:randomly -p no:random_order -p no:langsmith_plugin"}
    ours = ("PYTEST", "COV", "HYPOTHESIS", "MAKE", "MFLAGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    path = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", **quiet}


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit status and all that was printed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    return done.returncode, done.stdout


def all_blocks() -> list[Block]:
    return [block for name in DOCUMENTS for block in blocks(name, (ROOT / name).read_text("utf-8"))]


BLOCKS = all_blocks()
CODE = [block for block in BLOCKS if block.language == "python" and not block.file]
CONSOLE = [block for block in BLOCKS if block.language == "console"]


def where(block: Block) -> str:
    return f"{block.document}:{block.line}"


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with the files that the document has shown so far."""
    block: Block = request.getfixturevalue("block")
    for other in BLOCKS:
        if other.file and other.document == block.document and other.line < block.line:
            path = tmp_path / other.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(other.text, "utf-8")
    return tmp_path


# The documents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", CODE, ids=where)
def test_code_in_the_documents_runs(block: Block, folder: Path) -> None:
    file = folder / "block.py"
    file.write_text(block.text, "utf-8")
    doctest = [*("-m", "doctest"), "-o", "ELLIPSIS"] if ">>>" in block.text else []
    status, output = run([sys.executable, *doctest, file.name], folder)
    assert status == 0, f"the block at {where(block)} fails:\n{output}"


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.file], ids=where)
def test_files_in_the_documents_compile(block: Block) -> None:
    compile(block.text, f"{where(block)} ({block.file})", "exec")


@pytest.mark.parametrize("block", CONSOLE, ids=where)
def test_commands_in_the_documents_print_what_is_shown(block: Block, folder: Path) -> None:
    for command, shown in steps(block.text):
        if command.startswith("make "):
            status, printed = run(["make", "--dry-run", *shlex.split(command, comments=True)[1:]], ROOT)
            assert status == 0, f"{where(block)}: `{command}` names no target of the Makefile:\n{printed}"
            continue
        _, printed = run(["bash", "-c", command], folder)
        assert fits(shown, printed.splitlines()), (
            f"{where(block)}: `{command}` prints\n{printed}\nand not what is shown"
        )


def test_each_file_of_tests_is_described_and_no_other() -> None:
    named = set(re.findall(r"^\| `(\S+)`", (ROOT / "tests" / "README.md").read_text("utf-8"), re.MULTILINE))
    tests = ROOT / "tests"
    assert named == {str(path.relative_to(tests)) for path in tests.rglob("test_*.py")}


# The machinery of these tests -----------------------------------------------------------------------------------------


def test_blocks_are_found_with_their_lines() -> None:
    text = (
        "# T\n\n```python\nx = 1\n```\n\n<!-- not run: an example -->\n```python\nx =\n```\n\n```console\n$ ls\n```\n"
    )
    found = list(blocks("T.md", text))
    assert [(block.language, block.line, block.text) for block in found] == [
        ("python", 3, "x = 1\n"),
        ("console", 12, "$ ls\n"),
    ]


def test_a_block_without_a_reason_not_to_run_is_run() -> None:
    assert len(list(blocks("T.md", "<!-- not run: -->\n```python\nx\n```\n"))) == 1


def test_a_named_block_is_a_file() -> None:
    assert Block("T.md", 1, "python", "# adapter.py\nx = 1\n").file == "adapter.py"
    assert Block("T.md", 1, "python", "# a comment\nx = 1\n").file is None


def test_commands_are_split_from_their_output() -> None:
    assert steps("$ a \\\n  b\nout\n$ c\n") == [Step("a \\\n  b", ["out"]), Step("c", [])]
    with pytest.raises(ValueError, match="'out' stands before the first command"):
        steps("out\n$ a\n")


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("=== 3 passed in 1.20s ===", "===== 3 passed in 0.07s ====="),
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a\n...\nd", "a\nd"),
        ("replay cp1.... now", "replay cp1.AbC now"),
        ("made 12,345 checks", "made 9 checks"),
        ("", "\n"),
    ],
)
def test_outputs_that_fit(shown: str, printed: str) -> None:
    assert fits(shown.splitlines(), printed.splitlines())


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("=== 3 passed in 1.20s ===", "=== 4 passed in 1.20s ==="),
        ("a\n...\nd", "a\nb"),
        ("a", "a\nb"),
        ("a", ""),
        ("", "a"),
        ("a.c", "abc"),
    ],
)
def test_outputs_that_do_not_fit(shown: str, printed: str) -> None:
    assert not fits(shown.splitlines(), printed.splitlines())


# The changelog --------------------------------------------------------------------------------------------------------

KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
VERSION = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)[0]
RELEASES = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", CHANGELOG, re.MULTILINE)


def test_changelog_names_the_release_first() -> None:
    assert RELEASES
    assert RELEASES[0][0] == VERSION, "the version in pyproject.toml is the newest entry of CHANGELOG.md"


def test_changelog_is_in_keep_a_changelog_form() -> None:
    assert CHANGELOG.startswith("# Changelog\n")
    for heading in re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE):
        assert heading == "[Unreleased]" or re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading), heading
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) <= KINDS


def test_changelog_goes_from_new_to_old() -> None:
    numbers = [tuple(map(int, version.split("."))) for version, _ in RELEASES]
    days = [date.fromisoformat(day) for _, day in RELEASES]
    assert numbers == sorted(numbers, reverse=True)
    assert days == sorted(days, reverse=True)
