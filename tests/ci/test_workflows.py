"""What GitHub reads is in order: the action and the example workflows, by three linters and by rules of our own."""

from __future__ import annotations

import re
import subprocess
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .runner import ACTION, ROOT

EXAMPLES = ROOT / "examples" / "workflows"
WORKFLOWS = sorted(EXAMPLES.glob("*.yml"))
RELEASE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
#: Where pip puts the linters' commands.
SCRIPTS = Path(sysconfig.get_path("scripts"))
#: Each other action that is used, with the major version that runs on a Node.js which GitHub still has.
VERSIONS = {
    "actions/checkout": "v6",
    "actions/setup-python": "v6",
    "actions/cache/restore": "v5",
    "actions/cache/save": "v5",
    "actions/upload-artifact": "v6",
    "OWNER/chunkproof": f"v{RELEASE}",
}
# Major versions are what is pinned here: hashes in an example are outdated when it is read.
ZIZMOR = "rules: {unpinned-uses: {config: {policies: {'*': ref-pin}}}}"


def lint(*command: str | Path, stdin: str = "") -> tuple[int, str]:
    """The exit code and the output of a linter."""
    name, *arguments = command
    ran = subprocess.run(
        [SCRIPTS / name, *arguments],
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout


def schema(kind: str, *files: Path) -> tuple[int, str]:
    return lint("check-jsonschema", "--builtin-schema", f"vendor.github-{kind}", *files)


def audited(folder: Path, *files: Path) -> tuple[int, str]:
    config = folder / "zizmor.yml"
    config.write_text(ZIZMOR, "utf-8")
    return lint("zizmor", "--offline", "--no-progress", "--config", config, *files)


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return content


def steps(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps of a workflow or of an action."""
    for job in content.get("jobs", {"": content.get("runs")}).values():
        yield from job["steps"]


ALL = [ROOT / "action.yml", *WORKFLOWS]
by_file = pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
by_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def test_there_are_both_examples():
    assert [path.name for path in WORKFLOWS] == ["nightly.yml", "pull-request.yml"]


# By linters -----------------------------------------------------------------------------------------------------------


def test_files_are_what_the_schemas_of_github_ask_for():
    assert schema("actions", ROOT / "action.yml")[0] == 0
    assert schema("workflows", *WORKFLOWS)[0] == 0


@pytest.mark.parametrize(("kind", "path"), [("actions", ALL[0]), ("workflows", ALL[1])], ids=["action", "workflow"])
def test_the_schemas_see_a_wrong_key(tmp_path, kind, path):
    wrong = tmp_path / path.name
    wrong.write_text(
        path.read_text("utf-8").replace("shell: bash", "shel: bash").replace("runs-on:", "run-on:"), "utf-8"
    )
    code, says = schema(kind, wrong)
    assert code == 1, says


def test_an_audit_of_security_finds_nothing(tmp_path):
    code, says = audited(tmp_path, *ALL)
    assert code == 0, says


def test_the_audit_sees_an_input_in_a_script(tmp_path):
    wrong = tmp_path / "action.yml"
    wrong.write_text((ROOT / "action.yml").read_text("utf-8").replace('"$TARGET"', '"${{ inputs.target }}"'), "utf-8")
    code, says = audited(tmp_path, wrong)
    assert code != 0
    assert "template-injection" in says


@by_file
def test_scripts_pass_shellcheck(path):
    for step in steps(read(path)):
        if "run" in step:
            code, says = lint("shellcheck", "--shell=bash", "--severity=style", "-", stdin=step["run"])
            assert code == 0, f"{step['name']}\n{says}"


# By rules of our own --------------------------------------------------------------------------------------------------


@by_file
def test_other_actions_are_of_the_versions_that_were_looked_at(path):
    used = [step["uses"] for step in steps(read(path)) if "uses" in step]
    assert used
    assert [use for use in used if VERSIONS.get(use.partition("@")[0]) != use.partition("@")[2]] == []


@by_workflow
def test_the_release_that_is_named_is_this_one(path):
    assert set(re.findall(r"chunkproof@v([\w.]+)", path.read_text("utf-8"))) == {RELEASE}
    assert f"v{RELEASE} for a release" in path.read_text("utf-8")


@by_workflow
def test_the_action_is_used_with_inputs_that_it_has(path):
    ours = [step for step in steps(read(path)) if step.get("uses", "").startswith("OWNER/chunkproof@")]
    assert len(ours) == 1
    given = ours[0]["with"]
    assert given["target"] == "mypkg.parser"
    assert set(given) <= set(ACTION["inputs"])
    assert [value for value in given.values() if not isinstance(value, str)] == []


@by_workflow
def test_a_workflow_may_read_and_no_more_and_ends(path):
    content = read(path)
    assert content["permissions"] == {"contents": "read"}
    assert content["concurrency"]["group"]
    for job in content["jobs"].values():
        assert "permissions" not in job
        minutes = sum(int(step["with"]["minutes"]) for step in job["steps"] if "minutes" in step.get("with", {}))
        assert 0 < minutes < job["timeout-minutes"]


@by_workflow
def test_scripts_of_a_workflow_have_no_expression_in_them(path):
    assert [step["run"] for step in steps(read(path)) if "${{" in step.get("run", "")] == []
