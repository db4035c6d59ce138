"""What is given on the command line of a campaign: times, and ranges of seeds."""

from __future__ import annotations

import re
from typing import Any

import click

__all__ = ["Duration", "SeedRange"]

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(s|m|h|)")
_RANGE = re.compile(r"([0-9]{1,18}):([0-9]{1,18})")
# A day of seeds at full speed is some tens of millions; and so large a number is a slip.
_SEED_MAX = 10**15
_SECONDS_MAX = 366 * 24 * 3600


class Duration(click.ParamType[float]):
    """Seconds, minutes or hours: 30s, 10m, 1h; a number alone is seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds."""
        if isinstance(value, float):
            return value
        found = _TIME.fullmatch(str(value))
        seconds = float(found[1]) * _UNITS[found[2]] if found else 0
        if not 0 < seconds <= _SECONDS_MAX:
            self.fail(f"{value!r:.60} is no time of up to a year: write it as 30s, 10m or 1h", param, ctx)
        return seconds


class SeedRange(click.ParamType[tuple[int, int]]):
    """A range of seeds, A:B: from A up to but not with B."""

    name = "A:B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The two numbers."""
        if isinstance(value, tuple):
            return value
        found = _RANGE.fullmatch(str(value))
        first, end = (int(found[1]), int(found[2])) if found else (0, 0)
        if not first < end <= _SEED_MAX:
            self.fail(f"{value!r:.60} is no range of seeds: write it as 0:1000, the first below the second", param, ctx)
        return first, end
