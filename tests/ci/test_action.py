"""The action for GitHub: its steps are run by bash, and end as `chunkproof fuzz` ended, after all is kept."""

from __future__ import annotations

import json
import re
import subprocess
import venv
from pathlib import Path

import pytest

from .runner import ACTION, Job, stand_in

STEPS = [step["name"] for step in ACTION["runs"]["steps"]]
INSTALL, PREPARE, RESTORE, SEARCH, SAVE, UPLOAD, VERDICT = STEPS
#: Does harm where a shell reads it as a part of a script.
HOSTILE = "$(touch harm)`touch harm`\"; touch harm; #' && touch harm | touch harm; $HOME *"

NO_SUMMARY = "chunkproof ended with exit code 2, and there is no summary. The log of the step says why.\n"


class Place:
    """A workspace with a stand-in for Python."""

    def __init__(self, folder: Path) -> None:
        self.workspace, self.cache = folder / "workspace", folder / "cache"
        self.workspace.mkdir()
        self.cache.mkdir()
        self.python, self.notes = stand_in(folder)

    def job(
        self, ends_with: int = 0, *, run_id: str = "7", environ: dict[str, str] | None = None, **inputs: str
    ) -> Job:
        given = {"python": str(self.python), "target": "chat"} | {
            name.replace("_", "-"): value for name, value in inputs.items()
        }
        environ = {"FUZZ_ENDS_WITH": str(ends_with)} | (environ or {})
        return Job(self.workspace, self.cache, given, run_id=run_id, environ=environ).run()

    def calls(self, *start: str) -> list[list[str]]:
        """The arguments behind ``start`` of each call that begins so."""
        calls = map(json.loads, self.notes.read_text("utf-8").splitlines())
        return [call[len(start) :] for call in calls if call[: len(start)] == list(start)]

    def options(self) -> list[str]:
        """The options of the one search."""
        (options,) = self.calls("-P", "-m", "chunkproof", "fuzz")
        return options


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


# How it ends ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "says"), [(1, "departs from the standard"), (3, "a fault of chunkproof")])
def test_what_was_found_is_kept_before_the_job_fails(place, code, says):
    job = place.job(code)
    assert job.code == code
    assert job.outputs["exit-code"] == str(code)
    assert job.ran == STEPS
    assert job.summary == "# What was found\n"
    assert says in job.log.splitlines()[-1]
    assert len(list(place.cache.iterdir())) == 1


def test_nothing_found_is_no_failure_and_no_artifact(place):
    job = place.job(0)
    assert (job.code, job.outputs["exit-code"]) == (0, "0")
    assert job.ran == [step for step in STEPS if step != UPLOAD]
    assert job.artifacts == {}
    assert job.summary == "# What was found\n"


def test_a_search_that_cannot_begin_says_so_where_there_is_no_summary(place):
    job = place.job(2)
    assert job.code == 2
    assert job.summary == NO_SUMMARY
    assert "could not begin" in job.log.splitlines()[-1]


def test_the_artifact_holds_findings_and_summary_and_not_the_corpus_of_the_engine(place):
    job = place.job(1)
    name = job.outputs["artifact"]
    assert re.fullmatch(r"chunkproof-fuzz-0-[0-9a-f]{12}", name)
    assert set(job.artifacts[name]) == {"chunkproof-fuzz/summary.md", "chunkproof-fuzz/findings/0123456789ab.json"}
    assert set(place.job(1, artifact="mine", run_id="8").artifacts) == {"mine"}


def test_the_summary_of_an_earlier_run_is_not_shown_as_this_one(place):
    place.job(1)
    job = place.job(2, run_id="8")
    assert job.summary.endswith(
        "chunkproof ended with exit code 2, and there is no summary. The log of the step says why.\n"
    )
    assert job.summary.count("# What was found") == 1


def test_a_summary_that_github_would_not_show_is_cut(place):
    job = place.job(1, environ={"SUMMARY_TIMES": "60000"})
    assert job.summary == ("# What was found\n" * 60_000)[:1_000_000]


# The cache ------------------------------------------------------------------------------------------------------------


def runs(place: Place) -> str:
    """One x for each search that went on from the last."""
    return (place.workspace / "chunkproof-fuzz" / "runs").read_text("utf-8")


def clean(place: Place) -> None:
    """What each job begins with: nothing of the last."""
    for path in sorted((place.workspace / "chunkproof-fuzz").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def test_each_run_goes_on_where_the_last_one_stopped_also_when_that_failed(place):
    for run_id, code in (("7", 1), ("8", 0), ("9", 3)):
        assert place.job(code, run_id=run_id).code == code
        assert runs(place) == "x" * (int(run_id) - 6)
        clean(place)


def test_what_a_search_left_that_was_killed_is_kept(place):
    job = place.job(0, environ={"STEP_IS_KILLED": "1"})
    assert job.code == -9
    assert job.ran == [step for step in STEPS if step != VERDICT]
    assert "chunkproof-fuzz/summary.md" in job.artifacts[job.outputs["artifact"]]
    assert len(list(place.cache.iterdir())) == 1


def test_a_run_that_only_reads_takes_the_corpus_and_leaves_the_cache(place):
    place.job(0)
    clean(place)
    job = place.job(0, run_id="8", cache="read")
    assert runs(place) == "xx"
    assert SAVE not in job.ran
    assert len(list(place.cache.iterdir())) == 1


def test_a_run_without_a_cache_begins_with_nothing(place):
    place.job(0)
    clean(place)
    job = place.job(0, run_id="8", cache="off")
    assert runs(place) == "x"
    assert not {SAVE, RESTORE} & set(job.ran)


@pytest.mark.parametrize("other", [{"target": "talk"}, {"profile": "--declare=takes=text"}])
def test_another_campaign_has_another_corpus(place, other):
    place.job(0)
    clean(place)
    place.job(0, run_id="8", **other)
    assert runs(place) == "x"


def test_what_pyproject_declares_of_the_target_makes_another_campaign_and_names_it(place):
    project = place.workspace / "pyproject.toml"
    project.write_text('[tool.chunkproof]\ntarget = "chat"\n', "utf-8")
    place.job(0, target="")
    assert [option for option in place.options() if option.startswith("--target")] == []
    clean(place)
    project.write_text('[tool.chunkproof]\ntarget = "chat"\ndeviations = ["bom-not-stripped"]\n', "utf-8")
    place.job(0, target="", run_id="8")
    assert runs(place) == "x"
    clean(place)
    place.job(0, target="", run_id="9")
    assert runs(place) == "xx"


# What is given reaches the command, and nothing else ------------------------------------------------------------------


def test_what_is_given_are_options_of_the_search(place):
    profile = "--declare=takes=text\n\n  --deviations end-of-stream=dispatch, bom-kept  \n"
    place.job(minutes="60", jobs="4", engine="both", profile=profile, baseline="known.json", state="found/here")
    assert place.options() == [
        "--engine=both",
        "--time=60m",
        "--state=found/here",
        "--summary=found/here/summary.md",
        "--target=chat",
        "--jobs=4",
        "--baseline=known.json",
        "--declare=takes=text",
        "--deviations",
        "end-of-stream=dispatch, bom-kept",
    ]


def test_what_is_not_given_is_left_to_the_search(place):
    place.job()
    assert place.options() == [
        "--engine=storm",
        "--time=2m",
        "--state=chunkproof-fuzz",
        "--summary=chunkproof-fuzz/summary.md",
        "--target=chat",
    ]


TEXTS = sorted(set(ACTION["inputs"]) - {"python", "working-directory", "cache"})


@pytest.mark.parametrize("text", [HOSTILE, f"--x={HOSTILE}\n{HOSTILE}"], ids=["one line", "two lines"])
@pytest.mark.parametrize("name", TEXTS)
def test_no_input_is_run(place, name, text):
    job = place.job(1, **{name: text})
    assert [path for path in place.workspace.parent.rglob("harm*") if path.is_file()] == []
    assert job.code in (1, 2)
    if name == "target":
        assert f"--target={text}" in place.options()


def test_no_script_has_an_expression_in_it():
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 4
    assert [script for script in scripts if "${{" in script] == []


def test_each_input_is_used_and_described():
    used = set(re.findall(r"inputs\.([\w-]+)", str(ACTION["runs"])))
    assert used == set(ACTION["inputs"])
    assert [name for name, about in ACTION["inputs"].items() if not about["description"].endswith(".")] == []


def test_what_the_target_prints_drives_no_runner(place):
    job = place.job(0)
    start = re.search(r"^::stop-commands::([0-9a-f]{32})$", job.log, re.MULTILINE)
    assert start
    assert f"\n::{start.group(1)}::\n" in job.log[start.end() - 1 :]


def test_a_folder_of_a_larger_repository(place):
    (place.workspace / "python").mkdir()
    job = place.job(1, working_directory="python")
    assert job.outputs["state"] == "python/chunkproof-fuzz"
    assert (place.workspace / "python" / "chunkproof-fuzz" / "summary.md").is_file()
    assert "python/chunkproof-fuzz/findings/0123456789ab.json" in job.artifacts[job.outputs["artifact"]]


# What cannot be used --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cache": "yes"}, "cache: 'yes' is none of write, read and off"),
        ({"state": ""}, "state: '' names no folder; leave it out for chunkproof-fuzz"),
        ({"state": "a\nb"}, "state: 'a\\nb' has a character that no name has"),
        ({"artifact": "a\nkey=b"}, "artifact: 'a\\nkey=b' has a character that no name has"),
        ({"profile": "takes=text"}, "profile: takes=text is no option; a line is one option, as --declare=takes=text"),
        ({"python": "no-such-python"}, "python: no-such-python is no Python 3.11 or newer"),
    ],
)
def test_an_input_that_cannot_be_used_is_told_before_the_search(place, given, says):
    job = place.job(0, **given)
    assert job.code == 2
    assert f"::error title=chunkproof::{says}" in job.log
    assert place.calls("-P", "-m", "chunkproof", "fuzz") == []


def test_an_older_python_is_told(place):
    old = place.python.with_name("old")
    old.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    old.chmod(0o755)
    job = place.job(0, python=str(old))
    assert (job.code, job.ran) == (2, [INSTALL])
    assert "is no Python 3.11 or newer; set one up before, with actions/setup-python" in job.log


# Installing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "extra"), [("storm", ""), ("atheris", "[fuzz]"), ("both", "[fuzz]")])
def test_the_checkout_of_the_action_is_installed_beside_the_project(place, engine, extra):
    place.job(0, engine=engine)
    root = str(Path(__file__).parents[2])
    assert place.calls("-P", "-m", "pip", "install") == [["--quiet", "--disable-pip-version-check", f"{root}{extra}"]]


def test_an_installation_that_fails_ends_the_job(place):
    uv = place.python.with_name("bin") / "uv"
    uv.parent.mkdir()
    uv.write_text(f"#!/bin/sh\necho uv $* >> {place.workspace}/uv.txt\nexit 1\n", "utf-8")
    uv.chmod(0o755)
    job = place.job(0, environ={"INSTALLER_ENDS_WITH": "1", "PATH": f"{uv.parent}:/usr/bin:/bin"})
    assert (job.code, job.ran) == (1, [INSTALL])
    assert (
        (place.workspace / "uv.txt").read_text("utf-8").startswith(f"uv pip install --quiet --python {place.python} ")
    )
    uv.unlink()
    job = place.job(0, environ={"INSTALLER_ENDS_WITH": "1", "PATH": f"{uv.parent}:/usr/bin:/bin"})
    assert (job.code, job.ran) == (2, [INSTALL])
    assert "has no pip, and there is no uv; one of them has to be installed before" in job.log


# With the real command ------------------------------------------------------------------------------------------------

#: A parser that keeps the byte order mark, or removes it.
PARSER = """\
from chunkproof_targets.reference import ReferenceParser


def events(chunks):
    parser = ReferenceParser()
    chunks = iter(chunks)
    {mark}
    for chunk in chunks:
        yield from parser.feed(chunk)
    yield from parser.close()
"""


def test_a_search_finds_a_fault_and_the_next_one_sees_it_mended(place):
    parser = place.workspace / "chat.py"
    parser.write_text(PARSER.format(mark="yield from parser.feed(b':\\n')"), "utf-8")
    # A module that stands in the folder of a project, under a name that others have.
    (place.workspace / "click.py").write_text("raise ImportError('the wrong one')\n", "utf-8")
    real = {"target": "chat", "python": str(place.python), "minutes": "0.05", "jobs": "1"}
    job = Job(place.workspace, place.cache, real).run()
    assert job.code == 1, job.log
    assert job.summary.startswith("## chunkproof fuzz: <code>chat</code>\n")
    assert "bom-not-stripped" in job.summary
    assert "departs from the standard" in job.log.splitlines()[-1]
    (files,) = job.artifacts.values()
    kinds = {path.split("/")[1] for path in files}
    assert {"findings", "corpus", "logs", "summary.md"} == kinds

    clean(place)
    job = Job(place.workspace, place.cache, real, run_id="8").run()
    assert job.code == 1, "it is not mended yet"
    clean(place)
    parser.write_text(PARSER.format(mark=""), "utf-8")
    job = Job(place.workspace, place.cache, real, run_id="9").run()
    assert job.code == 0, job.log
    assert job.artifacts == {}
    assert "no finding in " in job.summary.split("## chunkproof fuzz")[-1]
    assert "Nothing was found." in job.log


def test_a_search_in_which_nothing_was_checked_does_not_pass(place):
    (place.workspace / "chat.py").write_text(PARSER.format(mark=""), "utf-8")
    job = Job(place.workspace, place.cache, {"target": "chat", "python": str(place.python), "minutes": "0.0001"}).run()
    assert job.code == 2
    assert "nothing was checked in so short a time; give more, as --time 1m" in job.log
    assert "no verdict" in job.summary


def test_a_target_that_is_not_there_is_told(place):
    job = Job(place.workspace, place.cache, {"target": "no_such_parser", "python": str(place.python)}).run()
    assert job.code == 2
    assert "no_such_parser" in job.log
    assert job.summary == NO_SUMMARY


@pytest.mark.slow
def test_it_is_installed_beside_the_project_that_the_job_has_installed(place):
    home = place.workspace.parent / "venv"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, capture_output=True, check=True, encoding="utf-8", timeout=60).stdout.strip()
    (Path(site) / "installed_chat.py").write_text(PARSER.format(mark=""), "utf-8")
    inputs = {"target": "installed_chat:events", "python": str(python), "minutes": "0.1", "jobs": "1"}
    job = Job(place.workspace, place.cache, inputs, environ={"PYTHONPATH": ""}).run()
    assert job.code == 0, job.log
    assert "no finding in " in job.summary
