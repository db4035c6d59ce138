"""The pytest plugin: its options, and the hand-over to `chunkproof.session` when there is a target.

This module is imported in every pytest run of everybody who has chunkproof installed. So it imports pytest and the
standard library alone; the rules, Hypothesis and the parsers come in only when ``--target`` is given.

``--target`` and ``--effort`` are short names of ``--chunkproof-target`` and ``--chunkproof-effort``. They are common
words, so they are added last, and only where no conftest and no other plugin has taken them.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Generator
from itertools import pairwise
from typing import Any

import pytest

__all__ = ["OURS", "SHORT_NAMES_TAKEN"]

#: How the ids of our items begin; in a folder below the root pytest shows them with ``../`` in front.
OURS = re.compile(r"(?:\.\./)*chunkproof::")

#: The short names that somebody else owns in this run.
SHORT_NAMES_TAKEN = pytest.StashKey[list[str]]()

_TARGET: dict[str, Any] = {
    "action": "append",
    "dest": "chunkproof_target",
    "metavar": "SPEC",
    "default": [],
    "help": "the parser to judge: a registered name, package.module[:attribute] or ./file.py:attribute; repeatable",
}
_EFFORT: dict[str, Any] = {
    "action": "store",
    "dest": "chunkproof_effort",
    "choices": ("smoke", "default", "deep"),
    "default": "default",
    "help": "how much is done for each rule: seconds, half a minute, minutes",
}
_SHORT: dict[str, dict[str, Any]] = {"--target": _TARGET, "--effort": _EFFORT}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the suite, all under a name of our own."""
    group = _group(parser)
    group.addoption("--chunkproof-target", **_TARGET)
    group.addoption("--chunkproof-effort", **_EFFORT)
    group.addoption(
        "--chunkproof-seed",
        dest="chunkproof_seed",
        metavar="random|N",
        default="",
        help="the seed of the streams: a number, or random; without it, one that is fixed by the release",
    )
    group.addoption(
        "--chunkproof-severity",
        dest="chunkproof_severity",
        choices=("must", "should", "info"),
        default="info",
        help="judge rules of this severity and the graver ones: must alone; must and should; all (the default)",
    )
    group.addoption(
        "--chunkproof-report",
        dest="chunkproof_report",
        metavar="FILE.json",
        default="",
        help="write the results to this file",
    )
    group.addoption(
        "--chunkproof-declare",
        dest="chunkproof_declare",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="say of the parser what trial cannot find (takes, end, empty_chunk, size_limit, invalid_utf8); repeatable",
    )
    group.addoption(
        "--chunkproof-timeout",
        dest="chunkproof_timeout",
        type=float,
        metavar="SECONDS",
        default=None,
        help="how long one run of the target may take before it counts as hung",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Add the short names behind all conftests, where they are free."""
    _hide_values_of_short_names(early_config, args)
    loaded = yield
    taken = [name for name in _SHORT if _is_taken(parser, name)]
    for name, attributes in _SHORT.items():
        if name not in taken:
            _group(parser).addoption(name, **attributes)
    early_config.stash[SHORT_NAMES_TAKEN] = taken
    return loaded


def pytest_configure(config: pytest.Config) -> None:
    """With a target, let the suite run; without one, do nothing at all."""
    if config.option.chunkproof_target:
        # Not at the top: a run without a target must not pay for the suite.
        from .session import SuiteRun

        config.pluginmanager.register(SuiteRun(config), "chunkproof-run")
        return
    pasted = [arg for arg in config.args if OURS.match(arg)]
    if pasted:
        raise pytest.UsageError(f"{pasted[0]} is a rule of chunkproof: say which parser it is to judge: --target=SPEC")
    if config.option.chunkproof_report:
        raise pytest.UsageError("--chunkproof-report: there is no target to report on: add --target=SPEC")


def named_paths(config: pytest.Config) -> list[str]:
    """The paths and ids that the user named in this call; what stands in addopts or testpaths names nothing."""
    if config.args_source is not config.ArgsSource.ARGS:
        return []
    standing = {*config.getini("addopts"), *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))}
    return [arg for arg in config.args if arg not in standing]


def _group(parser: pytest.Parser) -> pytest.OptionGroup:
    return parser.getgroup("chunkproof", "chunkproof, conformance of Server-Sent Events parsers")


def _is_taken(parser: pytest.Parser, name: str) -> bool:
    try:
        _, unknown = parser.parse_known_and_unknown_args([f"{name}=smoke"])
    except pytest.UsageError as error:
        # A flag, or a choice of other values: somebody's option. Another option that is required is not our matter.
        return name in str(error)
    return f"{name}=smoke" not in unknown


def _hide_values_of_short_names(early_config: pytest.Config, args: list[str]) -> None:
    # Until the short names are added, `--target X` reads as a flag and a path X, whose conftests would be loaded.
    paths: list[str] = early_config.known_args_namespace.file_or_dir
    for flag, value in pairwise(args):
        if flag in _SHORT and value in paths:
            paths.remove(value)
