"""Coverage of the target for atheris: its own code is instrumented, and nothing of ours."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from types import CodeType, FunctionType
from typing import Any

__all__ = ["Instrumented", "atheris_missing"]

# Where there are wheels of it.
_SYSTEM, _MACHINES = "linux", ("x86_64", "amd64")


def atheris_missing() -> str:
    """Why the engine atheris cannot be used here, and what can, in one sentence; "" where it can."""
    if find_spec("atheris") is not None:
        return ""
    machine = platform.machine()
    if sys.platform != _SYSTEM or machine.lower() not in _MACHINES:
        why = f"it has wheels for Linux on x86-64 alone, and this is {sys.platform} on {machine or 'another machine'}"
    else:
        why = "it is an extra: pip install 'chunkproof[fuzz]'"
    return f"the engine atheris is not installed: {why}; --engine storm needs nothing and finds most of what it finds"


class Instrumented:
    """The functions of a target that report what they do to atheris; ``count`` is the number of them.

    Each keeps its identity, so it does not matter who refers to it by now. Of the hooks "str" alone is on: that for
    regular expressions changes what correct programs do.
    """

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        import atheris

        engine: Any = atheris
        engine.enabled_hooks.add("str")
        self._codes: list[tuple[FunctionType, CodeType, CodeType]] = []
        with _numbered_alike():
            for function in functions:
                plain = function.__code__
                try:
                    engine.instrument_func(function)
                except Exception:  # code that no compiler made; the target goes on without it
                    continue
                self._codes.append((function, plain, function.__code__))

    @property
    def count(self) -> int:
        """How many functions report."""
        return len(self._codes)

    @contextmanager
    def silent(self) -> Iterator[None]:
        """While a stream is made small: those runs are none of the engine's input, and nothing is reported of them."""
        for function, plain, _ in self._codes:
            function.__code__ = plain
        try:
            yield
        finally:
            for function, _, reporting in self._codes:
                function.__code__ = reporting


@contextmanager
def _numbered_alike() -> Iterator[None]:
    """While code is instrumented: the same branch has the same number in each process.

    atheris numbers the branches of a function in the order of a set of objects, which are hashed by their addresses:
    a seed would do something else as soon as a path on the command line is longer.
    """
    instruction: Any = getattr(sys.modules.get("atheris.instrument_bytecode"), "Instruction", None)
    by_address = getattr(instruction, "__hash__", None)
    if by_address is None:
        yield
        return
    numbers = count()
    instruction.__hash__ = lambda self: self.__dict__.setdefault("number", next(numbers))
    try:
        yield
    finally:
        instruction.__hash__ = by_address
