"""The engine atheris, by the table of tokens and from nothing: it finds each of the ten parsers with one fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .atheris_runs import found_in, needs_atheris, run

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.append(str(TOOLS))
from one_fault import ONE_FAULT  # noqa: E402

pytestmark = needs_atheris

#: The longest takes a third of them, of the seeds that were tried.
RUNS = 60_000


@pytest.mark.parametrize("fault", ONE_FAULT)
def test_each_fault_is_found_from_nothing(tmp_path, fault):
    target = f"{TOOLS / 'one_fault.py'}:{ONE_FAULT[fault].__name__}"
    done = run(tmp_path, f"--target={target}", "--until-found", "-seed=1", f"-runs={RUNS}")
    assert done.returncode == 77, f"{fault}: {done.stderr[-2000:]}"
    assert len(found_in(tmp_path / "chunkproof-fuzz")) == 1
