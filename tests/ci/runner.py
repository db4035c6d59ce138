"""What GitHub does with a composite action, as far as ours goes: its shell steps are run, those of other actions acted.

The cache is a folder with one folder for each entry, an artifact a dictionary of files. What is not known here (another
action, another form of an expression) is an error, so that nothing passes unread.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
#: Seconds after which a step has gone wrong.
LIMIT = 200

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_GITHUB = {"github.job": "fuzz", "github.run_id": "7", "github.run_attempt": "1", "strategy.job-index": "0"}
# Of the surroundings, steps see this much: no setting of the run that these tests are part of.
_INHERITED = ("PATH", "PYTHONPATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT")


@dataclass
class Job:
    """A job that runs the action once in a workspace; the result of each step is kept here."""

    workspace: Path
    cache: Path
    inputs: Mapping[str, str]
    run_id: str = "7"
    action: Mapping[str, Any] = field(default_factory=lambda: ACTION)
    #: More variables for the shell steps: what the job itself sets by `env:`.
    environ: Mapping[str, str] = field(default_factory=dict)

    code: int = 0
    log: str = ""
    #: The steps that were run, by name, in order.
    ran: list[str] = field(default_factory=list)
    artifacts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    _steps: dict[str, dict[str, str]] = field(default_factory=dict)

    def run(self) -> Job:
        """Run all steps, as far as their conditions let them."""
        unknown = set(self.inputs) - set(self.action["inputs"])
        assert not unknown, f"the action has no input {unknown}"
        for step in self.action["runs"]["steps"]:
            if self._is_due(step):
                self._run_step(step)
        return self

    @property
    def temp(self) -> Path:
        """A folder for what the runner keeps itself, beside the workspace."""
        folder = self.workspace.parent / f"{self.workspace.name}.runner"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def summary(self) -> str:
        """The Markdown that the run shows."""
        path = self.temp / "summary"
        return path.read_text("utf-8") if path.exists() else ""

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the action."""
        return {name: self._filled(output["value"]) for name, output in self.action["outputs"].items()}

    def _is_due(self, step: Mapping[str, Any]) -> bool:
        condition = step.get("if", "")
        if self.code and "always()" not in condition:
            return False
        return not condition or all(self._holds(part.strip()) for part in condition.split("&&"))

    def _holds(self, condition: str) -> bool:
        if condition == "always()":
            return True
        compared = re.fullmatch(r"([\w.-]+) (==|!=) '(\w*)'", condition)
        assert compared, f"not understood: {condition}"
        name, operator, value = compared.groups()
        return (self._value(name) == value) is (operator == "==")

    def _value(self, name: str) -> str:
        """What an expression stands for; only names are known, and only of what is there."""
        of, _, rest = name.partition(".")
        if of == "inputs":
            return self.inputs.get(rest, self.action["inputs"][rest].get("default", ""))
        if of == "steps":
            step, _, key = rest.partition(".")
            assert step in {one.get("id") for one in self.action["runs"]["steps"]}, f"no step {step}"
            assert key == "outcome" or key.startswith("outputs."), f"not understood: {name}"
            return self._steps.get(step, {}).get(key, "")
        return (_GITHUB | {"github.run_id": self.run_id})[name]

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._value(found.group(1)), str(text))

    def _run_step(self, step: Mapping[str, Any]) -> None:
        self.ran.append(step["name"])
        code, output = self._shell(step) if "run" in step else self._acted(step)
        self.code = self.code or code
        outputs = {f"outputs.{name}": value for name, value in output.items()}
        self._steps[step.get("id", step["name"])] = outputs | {"outcome": "failure" if code else "success"}

    def _shell(self, step: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
        assert step["shell"] == "bash"
        script, output = self.temp / "step.sh", self.temp / "output"
        script.write_text(self._filled(step["run"]), "utf-8")
        output.write_text("", "utf-8")
        own = {name: self._filled(value) for name, value in step.get("env", {}).items()}
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.workspace / self._filled(step.get("working-directory", ".")),
            env=self._environ(output) | own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
        )
        self.log += ran.stdout
        written = dict(line.split("=", 1) for line in output.read_text("utf-8").splitlines())
        return ran.returncode, written

    def _environ(self, output: Path) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return {
            **inherited,
            **self.environ,
            "CI": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temp),
        }

    def _acted(self, step: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
        acts: dict[str, Callable[[Mapping[str, str]], None]] = {
            "actions/cache/restore": self._restore,
            "actions/cache/save": self._save,
            "actions/upload-artifact": self._upload,
        }
        acts[step["uses"].partition("@")[0]]({name: self._filled(value) for name, value in step["with"].items()})
        return 0, {}

    def _restore(self, given: Mapping[str, str]) -> None:
        entries = sorted(self.cache.iterdir(), key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
        exact = [entry for entry in entries if entry.name == given["key"]]
        begun = [entry for entry in entries if entry.name.startswith(given["restore-keys"])]
        for entry in (exact + begun)[:1]:
            shutil.copytree(entry, self.workspace / given["path"], dirs_exist_ok=True)

    def _save(self, given: Mapping[str, str]) -> None:
        assert not (self.cache / given["key"]).exists(), "an entry of the cache cannot be written twice"
        if (self.workspace / given["path"]).exists():
            shutil.copytree(self.workspace / given["path"], self.cache / given["key"])

    def _upload(self, given: Mapping[str, str]) -> None:
        assert given["name"] not in self.artifacts, "there is such an artifact"
        found = self.artifacts[given["name"]] = {}
        for line in given["path"].split():
            path = self.workspace / line
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.is_file():
                    found[file.relative_to(self.workspace).as_posix()] = file.read_bytes()


#: Stands in for the Python of a job: notes its calls, acts pip and `chunkproof fuzz`, and is a Python for all else.
_PYTHON = f"""\
#!{sys.executable}
import json
import os
import signal
import sys
from pathlib import Path

with open({{notes!r}}, "a", encoding="utf-8") as notes:
    notes.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1:5] == ["-P", "-m", "chunkproof", "fuzz"] and "FUZZ_ENDS_WITH" in os.environ:
    code = int(os.environ["FUZZ_ENDS_WITH"])
    state, = (Path(option[8:]) for option in sys.argv if option.startswith("--state="))
    runs = state / "runs"
    seen = runs.read_text() if runs.exists() else ""
    if code != 2:
        for folder in ("findings", "inputs"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        runs.write_text(seen + "x")
        (state / "inputs" / "one").write_bytes(b"data")
        (state / "summary.md").write_text("# What was found\\n" * int(os.environ.get("SUMMARY_TIMES", "1")))
    if "STEP_IS_KILLED" in os.environ:
        os.kill(os.getppid(), signal.SIGKILL)
    if code == 1:
        (state / "findings" / "0123456789ab.json").write_text("{{{{}}}}")
    sys.exit(code)
if sys.argv[1:4] == ["-P", "-m", "pip"]:
    sys.exit(int(os.environ.get("INSTALLER_ENDS_WITH", "0")))
os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])
"""


def stand_in(folder: Path) -> tuple[Path, Path]:
    """A Python for a job that installs nothing, and the file with the arguments of each call, as JSON a line."""
    path, notes = folder / "python", folder / "calls.jsonl"
    path.write_text(_PYTHON.format(notes=str(notes)), "utf-8")
    path.chmod(0o755)
    notes.touch()
    return path, notes
