"""What coverage.py has measured in a child: written before the child ends, to be combined with the parent's."""

from __future__ import annotations

import sys
from contextlib import suppress

__all__ = ["save_coverage"]


def save_coverage() -> None:
    """Save what runs in this process, if anything does; a fault of the measurement is none of the run's."""
    coverage = sys.modules.get("coverage")
    if coverage is None:
        return
    with suppress(Exception):
        current = coverage.Coverage.current()
        if current is not None:
            current.stop()
            current.save()
