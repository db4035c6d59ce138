"""What a user has settled for a project: ``[tool.chunkproof]`` in its pyproject.toml.

Read only when the suite is asked for. The command line wins over it, key by key. What it says of its ``target``
(``deviations``, ``baseline``) holds for that target alone, and for any where it names none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkproof_targets.contract import TargetError
from chunkproof_targets.declared import Declared
from chunkproof_targets.deviations.choices import declared_by
from chunkproof_targets.registry import normal_name

from .rule_check import EFFORTS

__all__ = ["Settings", "SettingsError", "find_settings", "is_same_target"]

_FILE = "pyproject.toml"
_EXAMPLES = {
    "target": 'a text: target = "mypkg.parser"',
    "deviations": 'a list of texts: deviations = ["end-of-stream=dispatch", "bom-not-stripped"]',
    "effort": 'one of smoke, default, deep: effort = "smoke"',
    "baseline": 'the name of a file that `chunkproof baseline` wrote: baseline = "chunkproof-baseline.json"',
}


class SettingsError(ValueError):
    """What a pyproject.toml says cannot be used: the message names the file, the key, the value and the way out."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings, and the file they stand in; None where a key, or the whole section, is not there."""

    path: Path | None = None
    target: str | None = None
    deviations: tuple[str, ...] | None = None
    effort: str | None = None
    baseline: str | None = None

    def folder(self, spec: str, default: Path) -> Path:
        """Where a target is looked for: beside the file if it is the target of the file, else in ``default``."""
        return self.path.parent if self.path is not None and self._is_mine(spec) else default

    def declared(self, spec: str, given: Sequence[str] | None, declare: Declared) -> Declared:
        """What is declared of a target.

        ``given`` are the names on the command line, or None, and ``declare`` what is declared there by key and value.
        """
        if given is not None:
            return declare.over(declared_by(given))
        return declare.over(declared_by(self.deviations or ()) if self.holds_for(spec) else Declared())

    def baseline_for(self, spec: str) -> Path | None:
        """The baseline that the file names for a target."""
        if self.path is None or self.baseline is None or not self.holds_for(spec):
            return None
        return self.path.parent / self.baseline

    def holds_for(self, spec: str) -> bool:
        """Whether what is said of the target is said of this one."""
        return self.target is None or self._is_mine(spec)

    def _is_mine(self, spec: str) -> bool:
        return self.target is not None and is_same_target(self.target, spec)


def is_same_target(one: str, other: str) -> bool:
    """Whether two specs are spelled alike, but for what is one in names."""
    return _normal(one) == _normal(other)


def _normal(spec: str) -> str:
    return normal_name(spec.strip().removeprefix("./"))


def find_settings(folder: Path) -> Settings:
    """The settings of the nearest pyproject.toml, in this folder or above it, that has the section."""
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        path = place / _FILE
        if path.is_file():
            section = _section(path)
            if section is not None:
                return _settings(path, section)
    return Settings()


def _section(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    tool = content.get("tool")
    return tool.get("chunkproof") if isinstance(tool, dict) else None


def _settings(path: Path, section: Any) -> Settings:
    where = f"{path}, [tool.chunkproof]"
    if not isinstance(section, dict):
        raise SettingsError(f"{path}: tool.chunkproof = {section!r}: it is a section, [tool.chunkproof], with keys")
    for key, value in section.items():
        if key not in _EXAMPLES:
            raise SettingsError(f"{where}: {key} = {value!r}: there is no such key; they are {', '.join(_EXAMPLES)}")
        if not _has_right_type(key, value):
            raise SettingsError(f"{where}: {key} = {value!r}: it is {_EXAMPLES[key]}")
    deviations = section.get("deviations")
    try:
        declared_by(deviations or ())
    except TargetError as error:
        raise SettingsError(f"{where}: deviations = {deviations!r}: {error}") from None
    return Settings(
        path,
        section.get("target"),
        None if deviations is None else tuple(deviations),
        section.get("effort"),
        section.get("baseline"),
    )


def _has_right_type(key: str, value: Any) -> bool:
    if key == "deviations":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if key == "effort":
        return value in EFFORTS if isinstance(value, str) else False
    return isinstance(value, str) and bool(value.strip())
