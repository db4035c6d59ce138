"""Quiet while a target runs: what it warns, logs or raises too late reaches nobody's settings."""

from __future__ import annotations

import gc
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["at_peace", "collect_garbage"]


@contextmanager
def at_peace() -> Iterator[None]:
    """While a target runs: no warning, log record or late exception of it reaches the user's settings.

    A user's ``filterwarnings = error`` is meant for the user's tests; here it would turn a warning of the parser into
    an exception that leaves it.
    """
    unraisable, threads, level = sys.unraisablehook, threading.excepthook, logging.root.manager.disable
    sys.unraisablehook = threading.excepthook = _nothing
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
        sys.unraisablehook, threading.excepthook = unraisable, threads


def collect_garbage() -> None:
    """Let what targets left behind raise now, while nobody listens."""
    with at_peace():
        gc.collect()


def _nothing(what: object) -> None:
    """Take note of nothing."""
