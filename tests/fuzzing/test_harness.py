"""The harness for atheris: what it finds, what it tells, and that a seed does the same each time."""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from pathlib import Path

import pytest

from chunkproof.fuzzing.hand import Hand, in_hand
from chunkproof.fuzzing.state import State

from .atheris_runs import AT_CR, BROKEN, HARNESS, WRONG, found_in, needs_atheris, run

pytestmark = needs_atheris

#: Each drives the parser that takes a CR for no line end, in another shape.
SHAPES = {
    "async": """
        async def events(chunks):
            parser = Wrong()
            async for chunk in chunks:
                for event in parser.feed(chunk):
                    yield event
            for event in parser.close():
                yield event
        """,
    "feed": """
        class Parser:
            def __init__(self):
                self.inner = Wrong()

            def feed(self, chunk):
                return self.inner.feed(chunk)

            def close(self):
                return self.inner.close()
        """,
    "callback": """
        class Parser:
            def __init__(self, on_event):
                self.inner, self.on_event = Wrong(), on_event

            def feed(self, chunk):
                for event in self.inner.feed(chunk):
                    self.on_event(event)

            def close(self):
                for event in self.inner.close():
                    self.on_event(event)
        """,
    "text": """
        def events(chunks):
            parser = Wrong()
            for chunk in chunks:
                yield from parser.feed(chunk.encode())
            yield from parser.close()
        """,
}


def inputs_of(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_seed_does_the_same_again_wherever_the_folders_are(tmp_path):
    kept = []
    for name in ("a", "a-folder-of-a-much-longer-name"):
        (tmp_path / name / "inputs").mkdir(parents=True)
        done = run(tmp_path / name, "--target=reference", "--state=s" + name, "-seed=7", "-runs=3000", "inputs")
        assert done.returncode == 0, done.stderr
        kept.append(inputs_of(tmp_path / name / "inputs"))
        assert found_in(tmp_path / name / ("s" + name)) == []
    assert len(kept[0]) > 20
    assert kept[0] == kept[1]


def test_a_seed_finds_the_same_again(tmp_path):
    told = []
    for name in ("a", "another"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "wrong.py").write_text(WRONG)
        done = run(folder, "--target=wrong", "--until-found", "--seed=7", "-seed=7", "-runs=20000")
        assert done.returncode == 77, done.stderr
        (found,) = found_in(folder / "chunkproof-fuzz")
        assert b"\r" in found.wire
        told.append((found, [path.name for path in folder.glob("crash-*")]))
    assert told[0] == told[1]
    assert told[0][0].seed == "7"


def test_the_run_goes_on_behind_a_finding(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    done = run(tmp_path, "--target=wrong", "-seed=1", "-runs=3000")
    assert done.returncode == 0, done.stderr
    assert "#3000\tDONE" in done.stderr
    found = found_in(tmp_path / "chunkproof-fuzz")
    assert {one.engine for one in found} == {"atheris table"}
    assert any(b"\r" in one.wire for one in found)
    said = json.loads((tmp_path / "chunkproof-fuzz" / "logs" / "atheris.progress.json").read_text())
    assert 0 < said["executions"] <= 3000


@pytest.mark.parametrize("mode", ["table", "raw"])
def test_each_mode_finds_a_fault(tmp_path, mode):
    (tmp_path / "wrong.py").write_text(WRONG)
    done = run(tmp_path, "--target=wrong", f"--mode={mode}", "--until-found", "-seed=1", "-runs=100000")
    assert done.returncode == 77, done.stderr
    assert "Departure: whole/any-stream-in-any-chunking, " in done.stdout + done.stderr


@pytest.mark.parametrize("shape", SHAPES)
def test_targets_of_each_shape_are_judged(tmp_path, shape):
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "mine.py").write_text("from wrong import Wrong\n\n" + textwrap.dedent(SHAPES[shape]))
    words = ["--declare=takes=text"] if shape == "text" else []
    done = run(tmp_path, "--target=mine", *words, "--until-found", "-seed=1", "-runs=100000")
    assert done.returncode == 77, done.stderr
    (found,) = found_in(tmp_path / "chunkproof-fuzz")
    assert b"\r" in found.wire
    assert found.takes == ("text" if shape == "text" else "bytes")


# A plain file ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path) -> str:
    shutil.copy(HARNESS, tmp_path / "harness.py")
    return "./harness.py"


def test_a_copy_is_run_with_the_flags_of_the_engine(tmp_path, copied):
    done = run(tmp_path, "--target=reference", "-runs=50", script=copied)
    assert done.returncode == 0, done.stderr
    assert "#50\tDONE" in done.stderr


def test_a_copy_merges_folders_of_inputs(tmp_path, copied):
    for name in ("into", "one", "two"):
        (tmp_path / name).mkdir()
    for content in (b"data: a\n\n", b"data: a\n\nx", b"id\r\n"):
        (tmp_path / "one" / f"{len(content)}").write_bytes(content)
        (tmp_path / "two" / f"{len(content)}").write_bytes(content)
    done = run(tmp_path, "--target=reference", "--mode=raw", "-merge=1", "into", "one", "two", script=copied)
    assert done.returncode == 0, done.stderr
    # The second folder has nothing that the first has not.
    assert 1 <= len(inputs_of(tmp_path / "into")) <= 3


def test_a_copy_forks(tmp_path, copied):
    (tmp_path / "inputs").mkdir()
    done = run(tmp_path, "--target=reference", "-fork=2", "-runs=20000", "-max_total_time=8", "inputs", script=copied)
    assert done.returncode == 0, done.stderr
    assert inputs_of(tmp_path / "inputs")
    assert found_in(tmp_path / "chunkproof-fuzz") == []


def test_of_our_own_folder_nothing_is_imported_by_the_target(tmp_path):
    assert (HARNESS.parent / "progress.py").exists()
    (tmp_path / "mine.py").write_text("import progress\n" + WRONG)
    done = run(tmp_path, "--target=mine", "-runs=1")
    assert done.returncode == 2
    assert "No module named 'progress'" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--target=nothing.like.it"], "there is no module nothing"),
        (["--target=reference", "--mode=other"], "invalid choice: 'other'"),
        (["--target=reference", "--no-such"], "unrecognized arguments: --no-such"),
        ([], "say which parser it is to judge"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_line(tmp_path, words, says):
    done = run(tmp_path, *words, "-runs=1")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


# What must not pass in silence ----------------------------------------------------------------------------------------


def test_a_fault_of_ours_ends_the_run_and_is_told(tmp_path):
    script = tmp_path / "broken.py"
    script.write_text(BROKEN)
    done = run(tmp_path, "--target=reference", "-close_fd_mask=3", "-runs=100", script=script)
    assert done.returncode == 3
    assert "LookupError: broken on purpose" in done.stderr
    assert "broken on purpose" in (tmp_path / "chunkproof-fuzz" / "logs" / "atheris.fault").read_text()
    assert list(tmp_path.glob("crash-*")) == []


def test_an_exception_in_a_thread_of_the_target_is_told(tmp_path):
    at_cr = "import threading\n\n\ndef at_cr():\n    thread = threading.Thread(target=int, args=('x',))\n"
    (tmp_path / "mine.py").write_text(AT_CR + at_cr + "    thread.start()\n    thread.join()\n")
    done = run(tmp_path, "--target=mine:Parser", "-close_fd_mask=3", "-seed=1", "-runs=3000")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("a thread of the target ended with ValueError: invalid literal") == 1
    assert found_in(tmp_path / "chunkproof-fuzz") == []


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit", "BaseException"])
def test_what_a_target_raises_ends_no_run(tmp_path, error):
    (tmp_path / "mine.py").write_text(f"{AT_CR}def at_cr():\n    raise {error}\n")
    done = run(tmp_path, "--target=mine:Parser", "-seed=1", "-runs=2000")
    assert done.returncode == 0, done.stderr
    assert "raised" in {found.kind for found in found_in(tmp_path / "chunkproof-fuzz")}


def test_the_input_in_hand_is_known_when_the_process_exits(tmp_path):
    (tmp_path / "mine.py").write_text(f"import os\n\n{AT_CR}def at_cr():\n    os._exit(5)\n")
    done = run(tmp_path, "--target=mine:Parser", "--mode=raw", "-seed=1", "-runs=100000")
    assert done.returncode == 5
    hand = in_hand(tmp_path / "chunkproof-fuzz" / "logs" / "atheris.hand")
    assert hand is not None
    assert hand.data is not None
    assert hand.number > 1
    assert b"\r" in hand.data


def test_what_is_in_hand_is_read_as_it_was_noted(tmp_path):
    path = tmp_path / "hand"
    assert in_hand(path) is None
    hand = Hand(path)
    assert in_hand(path) is None
    hand.begin(b"longer")
    hand.begin(b"")
    assert in_hand(path) == (2, b"")
    hand.begin(bytes(1 << 16))
    assert in_hand(path) == (3, None)
    # Another process that is started with the file begins anew, and harms nobody who has it.
    Hand(path).begin(b"a")
    assert in_hand(path) == (1, b"a")
    hand.begin(b"b")
    assert in_hand(path) == (4, b"b")


# Only the target ------------------------------------------------------------------------------------------------------

_WHAT_REPORTS = """
import gc, json, sys
from pathlib import Path
from types import FunctionType
import atheris
from chunkproof.fuzzing.hunt import Hunt
from chunkproof.fuzzing.instrument import Instrumented
from chunkproof_targets.loading import load_target

target = load_target(sys.argv[1], folder=Path.cwd())
instrumented = Instrumented(target.functions)

# Made here, so that this file does not hold it.
MARK = "_".join(("__ATHERIS", "INSTRUMENTED__"))

def report():
    functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
    marked = [one for one in functions if MARK in map(str, one.__code__.co_consts)]
    # This script's own code is a function too, of no module, and has the mark as a text.
    others = [one for one in marked if one.__module__ and not one.__module__.startswith("atheris")]
    return sorted(f"{one.__module__}:{one.__qualname__}" for one in others)

found = report()
with instrumented.silent():
    silent = report()
print(json.dumps([instrumented.count, found, silent, report() == found, sorted(atheris.enabled_hooks._enabled_hooks)]))
"""


def what_reports(folder: Path, target: str) -> tuple[int, list[str], list[str], bool, list[str]]:
    (folder / "what.py").write_text(_WHAT_REPORTS)
    environment = {"PYTHONPATH": os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))}
    done = run(folder, target, script=folder / "what.py", **environment)
    count, *others = json.loads(done.stdout.splitlines()[-1])
    return (count, *others)


def test_the_target_alone_is_instrumented(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    count, found, silent, is_back, hooks = what_reports(tmp_path, "wrong")
    assert {"wrong:Wrong.split_lines", "chunkproof_targets.reference:ReferenceParser.feed"} <= set(found)
    # What it inherits is its code; nothing of the suite is.
    assert {name.partition(":")[0] for name in found} == {"wrong", "chunkproof_targets.reference"}
    assert count == len(found)
    assert (silent, is_back) == ([], True)
    assert hooks == ["str"]


def test_of_a_library_behind_an_adapter_its_own_code_is_instrumented(tmp_path):
    _, found, *_ = what_reports(tmp_path, "httpx_sse")
    modules = {name.partition(":")[0] for name in found}
    assert "httpx_sse._decoders" in modules
    assert {name for name in modules if name.startswith("chunkproof")} <= {"chunkproof_targets.libraries.httpx_sse"}


def test_without_code_of_python_the_engine_runs_and_says_so(tmp_path):
    script = tmp_path / "without.py"
    script.write_text(
        "from chunkproof.fuzzing import harness\n\nplain = harness.Instrumented\n"
        "harness.Instrumented = lambda functions: plain(())\nharness.main()\n"
    )
    done = run(tmp_path, "--target=reference", "-runs=200", script=script)
    assert done.returncode == 0, done.stderr
    assert "no Python code of the target was found" in done.stdout
    assert State(tmp_path / "chunkproof-fuzz").waiting() == []
