"""The engine atheris as a shard drives it: a process that ends is a finding, and is started again."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chunkproof.fuzzing import harness, instrument
from chunkproof.fuzzing.atheris_engine import AtherisEngine
from chunkproof.fuzzing.instrument import atheris_missing
from chunkproof.fuzzing.state import State
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.peace import at_peace
from chunkproof_targets.loading import load_target

from .atheris_runs import AT_CR, BROKEN, WRONG, found_in, needs_atheris

#: Seconds after which a test has gone wrong, however busy the machine is.
LIMIT = 100.0


@contextmanager
def engine(folder: Path, parser: str, *, mode: str = "table", limits: Limits | None = None) -> Iterator[AtherisEngine]:
    """The engine before the parser of this source."""
    (folder / "under_test.py").write_text(parser)
    spec = f"{folder / 'under_test.py'}:Parser"
    isolation = Isolation(limits or Limits(timeout=1))
    try:
        with at_peace():
            target = load_target(spec, folder=folder, first=isolation.rehearse)
            state = State.open(folder / "state", spec, [])
            state.set_seeds_once()
            driven = AtherisEngine(target, isolation, state, "0", mode, [f"--target={spec}"])
            try:
                yield driven
            finally:
                driven.close()
    finally:
        isolation.close()
        sys.modules.pop("under_test", None)


def steps(driven: AtherisEngine, until: Callable[[], object]) -> None:
    """Go on until something is so."""
    deadline = time.monotonic() + LIMIT
    while not until():
        assert time.monotonic() < deadline, f"{driven.progress}\n{driven._last_of_log()}"
        assert driven.step(0.2, lambda: False)


def kinds(folder: Path) -> set[str]:
    return {found.kind for found in found_in(folder / "state")}


RIGHT = "from chunkproof_targets.reference import ReferenceParser as Parser\n"


@needs_atheris
def test_it_says_what_it_does_and_leaves_no_process(tmp_path):
    with engine(tmp_path, RIGHT) as driven:
        steps(driven, lambda: driven.progress.checks > 300 and driven.progress.coverage)
        progress = driven.progress
        assert progress.coverage_of == "features"
        assert progress.coverage is not None
        assert progress.coverage > 100
        assert progress.inputs > 20
        pid = driven._process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert kinds(tmp_path) == set()
    # What stands in the corpus, in the words of the table.
    assert len(list((tmp_path / "state" / "inputs" / "table").iterdir())) > 100


@needs_atheris
@pytest.mark.parametrize("mode", ["table", "raw"])
def test_findings_are_in_the_inbox_while_it_goes_on(tmp_path, mode):
    with engine(tmp_path, WRONG + "\n\nParser = Wrong\n", mode=mode) as driven:
        steps(driven, lambda: kinds(tmp_path) and driven.progress.checks > 300)
        assert driven._process.poll() is None
    found = found_in(tmp_path / "state")
    assert {one.engine for one in found} == {f"atheris {mode}"}
    assert any(b"\r" in one.wire for one in found)


@needs_atheris
@pytest.mark.parametrize(
    ("kind", "at_cr"),
    [
        # Exit statuses that the harness and the engine have a meaning for as well.
        ("died", "os._exit(3)"),
        ("died", "os._exit(70)"),
        ("died", "os.kill(os.getpid(), 11)"),
        ("hung", "while True: pass"),
        ("hung", "time.sleep(1000)"),
    ],
)
def test_what_ends_its_process_is_found_and_it_is_started_again(tmp_path, kind, at_cr):
    parser = f"import os, time\n\n{AT_CR}def at_cr():\n    {at_cr}\n"
    with engine(tmp_path, parser) as driven:
        seeds = set()

        def again() -> bool:
            if driven._process is not None:
                seeds.add(driven._seed)
            return bool(kinds(tmp_path)) and len(seeds) > 1

        steps(driven, again)
    (found, *_) = found_in(tmp_path / "state")
    assert found.kind == kind
    assert b"\r" in found.wire
    assert len(found.wire) <= len(b"data: a\r\r")
    assert found.engine == "atheris table"


@needs_atheris
def test_what_the_target_prints_reaches_no_file(tmp_path):
    noisy = f"import os\n\n{AT_CR}def at_cr():\n    print('x' * 50_000)\n    os.write(2, b'x' * 50_000)\n"
    with engine(tmp_path, noisy) as driven:
        steps(driven, lambda: driven.progress.checks > 2000)
    size = sum(path.stat().st_size for path in (tmp_path / "state" / "logs").iterdir())
    assert size < 1 << 20


@needs_atheris
def test_a_harness_that_does_not_get_to_an_execution_is_no_finding(tmp_path):
    with engine(tmp_path, RIGHT) as driven:
        driven.words = ["--target=another"]
        with pytest.raises(
            RuntimeError, match=r"before their first execution\n(.*\n)*.* the campaign of another target"
        ):
            steps(driven, lambda: False)
    assert kinds(tmp_path) == set()


@needs_atheris
def test_a_fault_of_the_harness_is_no_finding(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text(BROKEN)
    monkeypatch.setattr(harness, "__file__", str(tmp_path / "broken.py"))
    told = pytest.raises(RuntimeError, match=r"a fault in the harness\n(.*\n)*LookupError: broken on purpose")
    with engine(tmp_path, RIGHT) as driven, told:
        steps(driven, lambda: False)
    assert kinds(tmp_path) == set()


@needs_atheris
def test_an_input_that_ends_a_process_is_not_what_the_next_begins_with(tmp_path):
    with engine(tmp_path, RIGHT) as driven:
        folder = tmp_path / "state" / "inputs" / "table"
        first, *others = sorted(folder.iterdir())
        driven._leave_out(first.read_bytes())
        assert not first.exists()
        assert all(path.exists() for path in others)
        # One after another ends of what is there: those that are left may do so too.
        for path in others[:3]:
            driven._leave_out(path.read_bytes())
        assert str(tmp_path / "state" / "logs" / "0.inputs") in driven._command()
        assert str(folder) not in driven._command()


# Where there is none --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "machine", "says"),
    [
        ("darwin", "arm64", "it has wheels for Linux on x86-64 alone, and this is darwin on arm64"),
        ("win32", "AMD64", "it has wheels for Linux on x86-64 alone, and this is win32 on AMD64"),
        ("linux", "aarch64", "it has wheels for Linux on x86-64 alone, and this is linux on aarch64"),
        ("linux", "x86_64", "it is an extra: pip install 'chunkproof[fuzz]'"),
    ],
)
def test_where_atheris_is_missing_one_sentence_says_why_and_what_works(monkeypatch, system, machine, says):
    monkeypatch.setattr(instrument, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert atheris_missing() == (
        f"the engine atheris is not installed: {says}; --engine storm needs nothing and finds most of what it finds"
    )


@needs_atheris
def test_here_it_is_not_missing():
    assert atheris_missing() == ""
