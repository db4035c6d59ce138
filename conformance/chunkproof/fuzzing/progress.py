"""What an engine of a campaign is, to the shard that drives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["Engine", "Progress"]


@dataclass(slots=True)
class Progress:
    """What an engine has done so far."""

    checks: int = 0
    streams: int = 0
    repeats: int = 0
    passed_over: int = 0
    coverage: int | None = None
    coverage_of: str = ""
    inputs: int = 0
    note: str = ""


class Engine(Protocol):
    """What looks for faults, in steps of about half a second."""

    progress: Progress

    def step(self, seconds: float) -> bool:
        """Go on for so long; false where nothing is left to do. What is found goes into the inbox."""

    def close(self) -> None:
        """End all that was started."""
