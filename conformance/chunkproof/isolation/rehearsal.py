"""A target is looked at in a child first: one that takes its process with it at once is an error that says so."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from contextlib import suppress

from chunkproof_targets.contract import TargetError

from .process import Process, can_fork, how_it_ended

__all__ = ["rehearse"]

# Calibration ends by itself long before this, as long as Python gets to run.
_SECONDS_MAX = 60.0


def rehearse(look: Callable[[], object], name: str) -> None:
    """Do in a child what will be done here; TargetError where that child did not live to its end.

    What the look returns or raises does not matter: it will do so again.
    """
    if not can_fork():
        return
    reading, writing = os.pipe()
    process = Process(lambda: _look(look, writing))
    os.close(writing)
    told: bytes | None = None
    try:
        # The one byte that says that it is through, nothing where it ended before, None where it takes too long.
        told = os.read(reading, 1) if select.select([reading], [], [], _SECONDS_MAX)[0] else None
    finally:
        os.close(reading)
        status = process.end(at_once=told is None)
    if not told:
        how = how_it_ended(status) if told is not None else f"it was not done after {_SECONDS_MAX:g} s"
        raise TargetError(
            f"{name} takes its process with it when it is given the calibration streams: {how}. It can be judged once "
            "it lives through a few plain events, such as `data: x` and a blank line."
        )


def _look(look: Callable[[], object], writing: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    with suppress(BaseException):
        look()
    os.write(writing, b".")
