"""What ClusterFuzzLite and OSS-Fuzz build: the build step is run as in their image, and what it makes is run.

Slow: PyInstaller packs an interpreter, once. The image's own command is replaced by one that packs in the same way.
"""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from .runner import ROOT
from .test_workflows import RELEASE, lint

LITE, OSS = ROOT / "examples" / "clusterfuzzlite", ROOT / "examples" / "oss-fuzz"
FUZZER = LITE / "fuzz_parser.py"
#: Seconds after which a build, or a run of what was built, has gone wrong.
LIMIT = 280
#: What libFuzzer ends with where the function that it calls has raised.
RAISED = 77

#: Right, or with a fault where the surroundings say so.
PARSER = """\
import os

from chunkproof_targets.reference import ReferenceParser


def events(chunks):
    parser = ReferenceParser()
    if "is wrong" in os.environ.get("PARSER", ""):
        yield from parser.feed(b"data: one more\\n")
    for chunk in chunks:
        yield from parser.feed(chunk)
    yield from parser.close()
"""

#: As the command of the image: packs a script into one file, and writes a script that runs it.
COMPILE = """\
#!/bin/bash -eu
script=$1
shift
name=$(basename -s .py "$script")
mkdir -p "$SRC/packing"
python3 -m PyInstaller --distpath "$OUT" --workpath "$SRC/packing" --onefile --name "$name.pkg" "$@" "$script"
chmod -x "$OUT/$name.pkg"
cat > "$OUT/$name" <<'END'
#!/bin/sh
# LLVMFuzzerTestOneInput for fuzzer detection.
here=$(dirname "$0")
chmod +x $here/NAME.pkg
$here/NAME.pkg $@
END
sed -i "s/NAME/$name/" "$OUT/$name"
chmod +x "$OUT/$name"
"""


class Built(NamedTuple):
    """The folder with what was built, and what was installed with pip."""

    out: Path
    installed: str

    def run(self, *arguments: str | Path, folder: Path, **environ: str) -> tuple[int, str]:
        """The exit code and the output of the fuzzer, run far from the checkout, without a Python of its own."""
        ran = subprocess.run(
            [self.out / "fuzz_parser", *arguments],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "TMPDIR": str(folder), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
        )
        return ran.returncode, ran.stdout


def script(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A project with the files of the example, built by its build.sh."""
    home = tmp_path_factory.mktemp("image")
    source, out, work, commands = (home / name for name in ("src", "out", "work", "bin"))
    project = source / "mypkg"
    for folder in (out, work, commands, project / "mypkg", project / ".clusterfuzzlite"):
        folder.mkdir(parents=True)
    (project / "mypkg" / "__init__.py").touch()
    (project / "mypkg" / "parser.py").write_text(PARSER, "utf-8")
    for path in LITE.iterdir():
        copy = project / ".clusterfuzzlite" / path.name
        copy.write_bytes(path.read_bytes())
        copy.chmod(path.stat().st_mode)
    script(commands / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    script(commands / "pip3", f'#!/bin/sh\necho "$@" >> "{home}/installed"\n')
    script(commands / "compile_python_fuzzer", COMPILE)
    packages = [str(project), os.environ.get("PYTHONPATH", "")]
    environ = {
        "PATH": f"{commands}:/usr/bin:/bin",
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(filter(None, packages)),
        **{name: str(folder) for name, folder in (("SRC", source), ("OUT", out), ("WORK", work))},
    }
    ran = subprocess.run(
        [project / ".clusterfuzzlite" / "build.sh"],
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=LIMIT,
    )
    assert ran.returncode == 0, ran.stdout
    return Built(out, (home / "installed").read_text("utf-8"))


needs_atheris = pytest.mark.skipif(
    find_spec("atheris") is None, reason="atheris has wheels for Linux on x86-64 alone, as their image is"
)


# What is built --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_atheris
def test_all_that_is_run_stands_in_one_folder(built):
    assert {path.name for path in built.out.iterdir()} == {
        "fuzz_parser",
        "fuzz_parser.pkg",
        "fuzz_parser.options",
        "fuzz_parser.dict",
        "fuzz_parser_seed_corpus.zip",
    }
    assert built.installed == "install .\n"


@pytest.fixture
def seeds(built, tmp_path):
    """The first inputs, as they are unpacked before a run."""
    with zipfile.ZipFile(built.out / "fuzz_parser_seed_corpus.zip") as archive:
        archive.extractall(tmp_path / "seeds")
    return tmp_path / "seeds"


@pytest.mark.slow
@needs_atheris
def test_a_fault_is_a_crash_that_its_file_repeats(built, tmp_path, seeds):
    code, says = built.run("-runs=100", f"-artifact_prefix={tmp_path}/", seeds, folder=tmp_path, PARSER="is wrong")
    assert code == RAISED, says
    assert re.search(r"^Departure: \S+, (changed|extra): chunkproof replay cp1\.\S+$", says, re.MULTILINE), says
    (crash,) = tmp_path.glob("crash-*")
    code, says = built.run(crash, folder=tmp_path, PARSER="is wrong")
    assert code == RAISED, says
    code, says = built.run(crash, folder=tmp_path)
    assert code == 0, says


@pytest.mark.slow
@needs_atheris
def test_a_right_parser_runs_to_the_end_on_seeds_and_dictionary(built, tmp_path, seeds):
    assert sum(path.is_file() for path in seeds.rglob("*")) > 50
    options = configparser.ConfigParser()
    options.read(built.out / "fuzz_parser.options")
    given = [f"-{name}={value}" for name, value in options["libfuzzer"].items() if name != "dict"]
    dictionary = built.out / options["libfuzzer"]["dict"]
    assert dictionary.is_file()
    code, says = built.run("-runs=1000", f"-dict={dictionary}", *given, seeds, folder=tmp_path)
    assert code == 0, says
    assert re.search(r"^Dictionary: [1-9]\d* entries$", says, re.MULTILINE), "the text of the parser's own code"
    assert "Done 1000 runs" in says
    covered = re.search(r"INITED cov: (\d+)", says)
    assert covered, says
    assert int(covered.group(1)) > 3, "the parser is instrumented"


@pytest.mark.slow
@needs_atheris
def test_the_engine_starts_what_was_packed_again(built, tmp_path, seeds):
    """Their batches run the fuzzer with -fork and -merge, which start its file anew."""
    merged = tmp_path / "merged"
    merged.mkdir()
    code, says = built.run("-merge=1", merged, seeds, folder=tmp_path)
    assert code == 0, says
    assert list(merged.iterdir())
    code, says = built.run("-fork=1", "-max_total_time=5", merged, folder=tmp_path)
    assert code == 0, says


# The files ------------------------------------------------------------------------------------------------------------


def test_scripts_pass_shellcheck():
    code, says = lint("shellcheck", LITE / "build.sh")
    assert code == 0, says


@pytest.mark.parametrize("path", [LITE / "build.sh", FUZZER], ids=lambda path: path.name)
def test_scripts_can_be_run(path):
    assert path.stat().st_mode & 0o111 == 0o111
    assert path.read_bytes().startswith(b"#!")


def test_the_target_that_build_sh_reads_is_the_module_that_is_packed():
    text = FUZZER.read_text("utf-8")
    target = re.findall(r'^TARGET = "(.*)"$', text, re.MULTILINE)
    assert target == ["mypkg.parser"]
    assert re.findall(r"^import (\S+)  # noqa", text, re.MULTILINE) == target


def test_options_name_the_dictionary_that_build_sh_writes():
    options = configparser.ConfigParser()
    options.read(FUZZER.with_suffix(".options"))
    assert dict(options["libfuzzer"]) == {"max_len": "256", "dict": "fuzz_parser.dict"}


def test_projects_are_of_python_and_libfuzzer():
    assert yaml.safe_load((LITE / "project.yaml").read_text("utf-8")) == {"language": "python"}
    about = yaml.safe_load((OSS / "project.yaml").read_text("utf-8"))
    assert about["language"] == "python"
    assert about["fuzzing_engines"] == ["libfuzzer"]
    assert about["sanitizers"] == ["address", "undefined"]
    assert {"homepage", "main_repo", "primary_contact"} < set(about)


@pytest.mark.parametrize("folder", [LITE, OSS], ids=lambda path: path.name)
def test_images_are_of_the_base_for_python_and_of_this_release(folder):
    text = (folder / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "FROM gcr.io/oss-fuzz-base/base-builder-python"
    assert set(re.findall(r"chunkproof@v([\w.]+)", text)) == {RELEASE}
    assert lines[-1].endswith(".clusterfuzzlite/build.sh $SRC/")


def test_what_both_need_stands_once():
    assert {path.name for path in OSS.iterdir()} == {"Dockerfile", "project.yaml"}
