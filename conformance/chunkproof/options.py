"""The options of the suite under pytest, and how they share the command line with the user's own.

``--target`` and ``--effort`` are short names of ``--chunkproof-target`` and ``--chunkproof-effort``. They are common
words, so they are added last, and only where no conftest and no other plugin has taken them.

Imported in every pytest run, as `chunkproof.plugin` is: pytest and the standard library alone.
"""

from __future__ import annotations

import os
import re
import shlex
from itertools import pairwise
from typing import Any

import pytest

__all__ = ["OURS", "SHORT_NAMES_TAKEN", "add_options", "add_short_names", "given_limits", "hide_values", "named_paths"]

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
    "help": "how much is done for each rule: seconds, half a minute (the default), minutes",
}
_SHORT: dict[str, dict[str, Any]] = {"--target": _TARGET, "--effort": _EFFORT}
_LONG: dict[str, dict[str, Any]] = {
    "--chunkproof": {
        "dest": "chunkproof_configured",
        "action": "store_true",
        "help": "judge the target that [tool.chunkproof] in pyproject.toml names",
    },
    "--chunkproof-target": _TARGET,
    "--chunkproof-effort": _EFFORT,
    "--chunkproof-seed": {
        "metavar": "random|N",
        "default": "",
        "help": "the seed of the streams: a number, or random; without it, one that is fixed by the release",
    },
    "--chunkproof-severity": {
        "choices": ("must", "should", "info"),
        "default": "info",
        "help": "judge rules of this severity and the graver ones: must alone; must and should; all (the default)",
    },
    "--chunkproof-report": {"metavar": "FILE.json", "default": "", "help": "write the results to this file"},
    "--chunkproof-declare": {
        "action": "append",
        "metavar": "KEY=VALUE",
        "default": [],
        "help": "say what trial cannot find (takes, end, empty_chunk, size_limit, invalid_utf8); repeatable",
    },
    "--chunkproof-deviations": {
        "action": "append",
        "metavar": "NAME,NAME",
        "help": "departures from the standard that the target has by design; repeatable, wins over pyproject.toml",
    },
    "--chunkproof-baseline": {
        "metavar": "FILE",
        "help": "known failures, as `chunkproof baseline` writes them: they do not fail the run, new ones do",
    },
    "--chunkproof-corpus": {
        "action": "append",
        "metavar": "DIR",
        "default": [],
        "help": "judge by the entries of this folder too, as `chunkproof corpus` writes them; repeatable",
    },
    "--chunkproof-diagnosis": {
        "choices": ("auto", "full", "none"),
        "default": "auto",
        "help": "look for the causes of what is broken, some seconds a target: after all rules (auto), always, never",
    },
    "--chunkproof-timeout": {
        "type": float,
        "metavar": "SECONDS",
        "help": "how long one run of the target may take; without it, by its own pace, at least half a second",
    },
    "--chunkproof-memory": {
        "type": int,
        "metavar": "MiB",
        "help": "how much memory one run of the target may take (1024)",
    },
    "--chunkproof-output": {"type": int, "metavar": "MiB", "help": "how much one run of the target may print (8)"},
    "--chunkproof-isolation": {
        "choices": ("fork", "none"),
        "default": "fork",
        "help": "judge each rule in a child process (where the system can fork), or all in this one, for a debugger",
    },
}


def add_options(parser: pytest.Parser) -> None:
    """The options under a name of our own."""
    for name, attributes in _LONG.items():
        _group(parser).addoption(name, **{"dest": name[2:].replace("-", "_"), **attributes})


def add_short_names(parser: pytest.Parser) -> list[str]:
    """Add the short names that are free; those that somebody else owns are returned."""
    taken = [name for name in _SHORT if _is_taken(parser, name)]
    for name, attributes in _SHORT.items():
        if name not in taken:
            _group(parser).addoption(name, **attributes)
    return taken


def hide_values(paths: list[str], args: list[str]) -> None:
    """Take what follows a short name out of the paths, in place.

    Until the short names are added, `--target X` reads as a flag and a path X, whose conftests would be loaded.
    """
    for flag, value in pairwise(args):
        if flag in _SHORT and value in paths:
            paths.remove(value)


def named_paths(config: pytest.Config) -> list[str]:
    """The paths and ids that the user named in this call; what stands in addopts or testpaths names nothing."""
    if config.args_source is not config.ArgsSource.ARGS:
        return []
    standing = {*config.getini("addopts"), *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))}
    return [arg for arg in config.args if arg not in standing]


def given_limits(option: Any) -> dict[str, float]:
    """The limits of one run that the user gave, by name."""
    values = {name: getattr(option, f"chunkproof_{name}") for name in ("timeout", "memory", "output")}
    return {name: value for name, value in values.items() if value is not None}


def _group(parser: pytest.Parser) -> pytest.OptionGroup:
    return parser.getgroup("chunkproof", "chunkproof, conformance of Server-Sent Events parsers")


def _is_taken(parser: pytest.Parser, name: str) -> bool:
    try:
        _, unknown = parser.parse_known_and_unknown_args([f"{name}=smoke"])
    except pytest.UsageError as error:
        # A flag, or a choice of other values: somebody's option. Another option that is required is not our matter.
        return name in str(error)
    return f"{name}=smoke" not in unknown
