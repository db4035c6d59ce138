"""A project of somebody else: flat layout, not installed, its own `--target`, its own settings, its own tests."""

from __future__ import annotations

import pytest

PARSER = '''
import warnings


class Parser:
    """Lines end at LF or CR LF; data alone; an event at each blank line."""

    def __init__(self):
        warnings.warn("use the new parser", DeprecationWarning)
        self._buffer = b""
        self._data = []

    def feed(self, chunk):
        self._buffer += chunk
        *lines, self._buffer = self._buffer.split(b"\\n")
        events = []
        for line in lines:
            line = line.removesuffix(b"\\r").decode("utf-8", "replace")
            if line.startswith("data:"):
                self._data.append(line[5:].removeprefix(" "))
            elif not line and self._data:
                events.append({"data": "\\n".join(self._data)})
                self._data = []
        return events
'''

CONFTEST = """
import pytest


def pytest_addoption(parser):
    parser.addoption("--target", default="staging", help="the machine that the tests of this project talk to")


def pytest_runtest_setup(item):
    assert item.function, "this project has test functions alone"


@pytest.fixture(autouse=True)
def nobody_gets_past(request):
    if request.node.name != "test_ours":
        raise RuntimeError("a fixture of this project ran for something else")


@pytest.fixture
def machine(request):
    return request.config.getoption("--target")
"""

TESTS = """
def test_ours(machine):
    assert machine in ("staging", "production")
"""

SETTINGS = """
[tool.pytest.ini_options]
addopts = "--strict-markers --strict-config"
testpaths = ["tests"]
filterwarnings = ["error"]
xfail_strict = true
"""


@pytest.fixture(scope="module")
def project(make_folder):
    folder = make_folder(conftest=CONFTEST)
    (folder / "pyproject.toml").write_text(SETTINGS)
    (folder / "mypkg").mkdir()
    (folder / "mypkg" / "__init__.py").write_text("")
    (folder / "mypkg" / "parser.py").write_text(PARSER)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_project.py").write_text(TESTS)
    return folder


@pytest.fixture(scope="module")
def judged(project, run):
    args = ("--chunkproof-target=mypkg.parser", "--effort=smoke", "--chunkproof-report=report.json")
    return run(project, *args, "-n2", plain=False)


def test_suite_runs_in_it_and_finds_what_is_wrong(judged):
    assert judged.code == 1, judged.all
    assert "FAILED chunkproof::lines/cr - " in judged.out
    report = {rule["id"]: rule["status"] for rule in judged.report()["rules"]}
    assert report["lines/lf"] == "held"
    assert report["lines/crlf-cut"] == "held"
    assert report["bytes/three-byte-character-cut"] == "held"


def test_its_hooks_fixtures_and_warning_filters_touch_no_rule(judged):
    assert "a fixture of this project" not in judged.all
    assert "test functions alone" not in judged.all
    assert "DeprecationWarning" not in judged.all
    assert judged.counts().get("error", 0) == 0


def test_nothing_is_left_in_its_folders(judged):
    left = {path.name for path in judged.folder.rglob("*")}
    assert ".hypothesis" not in left
    assert "report.json" in left


def test_its_own_tests_are_not_collected_beside_the_suite(judged):
    assert "test_ours" not in judged.out
    assert "2 workers [" in judged.out


def test_header_says_that_the_short_name_is_taken(judged):
    assert "--target is an option of this project or another plugin: ours is --chunkproof-target" in judged.out
    assert "next: pytest --chunkproof-target=mypkg.parser chunkproof::" in judged.out


def test_its_own_option_still_works(project, run):
    ran = run(project, "--target", "production", "-v")
    assert ran.code == 0, ran.all
    assert ran.counts() == {"passed": 1}
    assert "chunkproof:" not in ran.out


def test_paths_that_are_named_run_beside_the_suite(project, run):
    ran = run(
        project, "--chunkproof-target=mypkg.parser", "--effort=smoke", "tests", "-k", "lines/crlf-cut or ours", "-v"
    )
    assert ran.code == 0, ran.all
    assert "tests/test_project.py::test_ours PASSED" in ran.out
    assert "chunkproof::lines/crlf-cut PASSED" in ran.out


def test_pasted_id_runs_alone_in_a_folder_below_the_root_too(project, run):
    ran = run(project / "tests", "--chunkproof-target=parser-c", "--effort=smoke", "../chunkproof::lines/lf", "-v")
    assert ran.code == 0, ran.all
    assert ran.counts() == {"passed": 1}
