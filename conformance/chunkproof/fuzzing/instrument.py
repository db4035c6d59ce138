"""Coverage of the target for atheris: its own code is instrumented, and nothing of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from types import FunctionType
from typing import Any

__all__ = ["atheris_missing", "instrument"]


def atheris_missing() -> str:
    """Why the engine atheris cannot be used here, and what can, in one sentence; "" where it can."""
    if find_spec("atheris") is not None:
        return ""
    if sys.platform != "linux":
        why = f"it has no wheels for {sys.platform}"
    else:
        why = "it is an extra: pip install 'chunkproof[fuzz]' (Linux on x86-64, Python up to 3.13)"
    return f"the engine atheris is not installed: {why}; --engine storm needs nothing and finds most of what it finds"


def instrument(functions: Iterable[FunctionType]) -> int:
    """Let these functions report what they do to atheris; the number of those that could be.

    Each keeps its identity, so it does not matter who refers to it by now. Of the hooks "str" alone is on: that for
    regular expressions changes what correct programs do.
    """
    import atheris

    engine: Any = atheris
    engine.enabled_hooks.add("str")
    done = 0
    for function in functions:
        try:
            engine.instrument_func(function)
        except Exception:  # code that no compiler made; the target goes on without it
            continue
        done += 1
    return done
