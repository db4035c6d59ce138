"""What a user installs: a wheel built through the sdist, all of the checkout in it, working away from the checkout.

Slow: builds and environments of their own, from PyPI. All of them stand on one build (`--dist loadfile`).
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from chunkproof_targets.registry import TABLE

ROOT = Path(__file__).parents[1]
#: Where each package stands in the checkout, and where its files go in the wheel.
SOURCES = {
    "conformance/chunkproof": "chunkproof",
    "strategies/chunkproof_strategies": "chunkproof_strategies",
    "targets/chunkproof_targets": "chunkproof_targets",
    "reports/chunkproof_reports": "chunkproof_reports",
    "corpus": "chunkproof/corpus",
}
PACKAGES = sorted({target.partition("/")[0] for target in SOURCES.values()})
VERSION = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)[0]
#: Seconds after which a command has gone wrong.
LIMIT = 300

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="copies the files that git knows"),
]


class Built(NamedTuple):
    """A copy of the checkout, and what was built from it."""

    copy: Path
    wheel: Path
    sdist: Path


class Place(NamedTuple):
    """An environment, and an empty folder to run in, both away from the checkout."""

    bin: Path
    folder: Path


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command that has to succeed; nothing of the caller's Python or pytest settings reaches it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COV"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def environment(folder: Path) -> Place:
    """A new environment with pip in it."""
    venv.create(folder / "venv", with_pip=True, symlinks=True)
    (folder / "elsewhere").mkdir()
    return Place(folder / "venv" / "bin", folder / "elsewhere")


def files_of_checkout() -> list[str]:
    """What is tracked, and what is new and not ignored: a test must not depend on what was committed."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def names_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def packed(name: str) -> str | None:
    """Where a file of the checkout goes in the wheel; None if it is no part of a package."""
    for source, target in SOURCES.items():
        if name.startswith(f"{source}/"):
            return target + name.removeprefix(source)
    return None


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    copy = tmp_path_factory.mktemp("packaging") / "checkout"
    for name in files_of_checkout():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    run(sys.executable, "-m", "build", cwd=copy)
    (wheel,) = (copy / "dist").glob("*.whl")
    (sdist,) = (copy / "dist").glob("*.tar.gz")
    return Built(copy, wheel, sdist)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = environment(tmp_path_factory.mktemp("installed"))
    run(place.bin / "python", "-m", "pip", "install", "--quiet", built.wheel, cwd=place.folder)
    return place


# The extras -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLE)
def test_registered_targets_can_be_imported_with_the_extra_libraries(name: str) -> None:
    # Not a skip: `make install` installs the extra, so here a module that is missing is missing from the extra.
    assert importlib.import_module(TABLE[name].target.partition(":")[0])


def test_registered_libraries_are_in_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    declared = {re.split("[><=]", line)[0] for line in extras["libraries"]}
    assert {entry.distribution for entry in TABLE.values() if entry.distribution} <= declared


# The build ------------------------------------------------------------------------------------------------------------


def test_wheel_contents_pass_their_checker(built: Built) -> None:
    checker = shutil.which("check-wheel-contents", path=str(Path(sys.executable).parent))
    assert checker, "check-wheel-contents is part of the extra dev"
    run(checker, "--config", ROOT / "pyproject.toml", built.wheel, cwd=built.copy)


def test_every_module_and_corpus_file_is_in_the_wheel(built: Built) -> None:
    in_wheel = names_in_wheel(built.wheel)
    expected = {target for name in files_of_checkout() if (target := packed(name)) and not name.endswith("/.gitkeep")}
    assert {"chunkproof/plugin.py", "chunkproof/py.typed", "chunkproof/rules/bytes.py"} <= expected
    assert expected - in_wheel == set()


def test_top_level_of_the_wheel_is_the_four_packages(built: Built) -> None:
    top = {name.partition("/")[0] for name in names_in_wheel(built.wheel)}
    assert sorted(top) == sorted([*PACKAGES, f"chunkproof-{VERSION}.dist-info"])


def test_wheel_holds_nothing_but_the_checkout(built: Built) -> None:
    expected = {packed(name) for name in files_of_checkout()}
    extra = {name for name in names_in_wheel(built.wheel) - expected if ".dist-info/" not in name}
    assert extra == set()


def test_wheel_straight_from_the_checkout_is_the_same(built: Built, tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, built.copy, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert names_in_wheel(wheel) == names_in_wheel(built.wheel)


def test_sdist_holds_the_tests_and_all_they_need(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = [name for name in files_of_checkout() if not name.startswith(".") and not name.endswith("/.gitkeep")]
    assert "tests/test_packaging.py" in needed
    assert [name for name in needed if name not in names] == []


# The installed wheel --------------------------------------------------------------------------------------------------


def test_the_four_packages_are_imported_from_the_environment(installed: Place) -> None:
    code = f"import {', '.join(PACKAGES)}; print(*({', '.join(f'{name}.__file__' for name in PACKAGES)}), sep='\\n')"
    files = run(installed.bin / "python", "-c", code, cwd=installed.folder).splitlines()
    assert [Path(file).parent.name for file in files] == PACKAGES
    assert [file for file in files if not Path(file).is_relative_to(installed.bin.parent)] == []


def test_a_user_can_run_the_suite_away_from_the_checkout(installed: Place) -> None:
    output = run(
        *(installed.bin / "python", "-m", "pytest", "--target=reference", "--effort=smoke", "-q", "-k", "lines"),
        cwd=installed.folder,
    )
    assert re.search(r"\d+ passed", output), output
    assert " failed" not in output


def test_the_command_is_installed(installed: Place) -> None:
    assert "Usage:" in run(installed.bin / "chunkproof", "--help", cwd=installed.folder)


# The editable install -------------------------------------------------------------------------------------------------


def test_the_entries_are_installed_too(installed: Place) -> None:
    listed = run(installed.bin / "chunkproof", "corpus", "list", cwd=installed.folder).splitlines()
    entries = {f"{path.parent.name}/{path.stem}" for path in (ROOT / "corpus").glob("*/*.json")}
    assert entries
    assert {line.partition(" ")[0] for line in listed} == entries


def test_editable_install_is_four_plain_paths(built: Built, tmp_path: Path) -> None:
    place = environment(tmp_path)
    run(place.bin / "python", "-m", "pip", "install", "--quiet", "--no-deps", "-e", built.copy, cwd=place.folder)
    (site,) = (place.bin.parent / "lib").glob("python*/site-packages")
    lines = [line for path in site.glob("*chunkproof*.pth") for line in path.read_text("utf-8").splitlines()]
    roots = sorted(str(built.copy / source.partition("/")[0]) for source in SOURCES if source != "corpus")
    assert sorted(lines) == roots, "plain paths, no import hook"
    assert [path.name for path in site.glob("chunkproof*") if path.is_dir()] == [f"chunkproof-{VERSION}.dist-info"]
