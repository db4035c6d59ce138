"""Which branches of the target's own code were taken, by `sys.monitoring` (Python 3.12 and later), at nearly no cost.

Theory of operation: a branch has two directions. Once both are seen, its event is switched off, and the code runs as
fast as without us. Python 3.14 switches off each direction by itself. Before, an event is off for both, and most
branches of a parser go one way for long: switched off at the first event, half of the directions are never seen; kept
until the second, a parser that looks at each character takes twice its time. So there a branch that goes one way is
watched for a number of times, and then sleeps until `Branches.wake`. What happens very rarely may so be counted late.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import PurePath
from types import CodeType, FunctionType
from typing import Any, Self

from chunkproof_targets.constants import all_code

__all__ = ["Branches", "branches_missing"]

_MONITORING: Any = getattr(sys, "monitoring", None)
# Numbers 0 to 2 are for debuggers, coverage and profilers, and 3 is Hypothesis' own: they may want them later.
_TOOLS = (4, 5, 3)
_NAME = "chunkproof"
# Times that a branch is seen to go one way before it sleeps: at most, and of all of them together from one waking on.
_WATCHED_MAX = 1_000
_WATCHED_TOGETHER = 20_000
_KEY_DIGITS = 12

_Place = tuple[int, int]


def branches_missing() -> str:
    """Why branches cannot be counted in this process, in one sentence; "" where they can."""
    if _MONITORING is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return f"branches are not counted: Python {version} has no sys.monitoring, 3.12 has"
    if all(_MONITORING.get_tool(number) is not None for number in _TOOLS):
        return "branches are not counted: other tools have taken all numbers of sys.monitoring"
    return ""


class Branches:
    """Counts the directions of branches that these functions take, and the code in them, while this is entered.

    ``missing`` says why nothing is counted, "" where it is. A forked child goes on from what its parent has seen.
    """

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        # By identity: two pieces of code may be equal, and only one of them is run.
        self._codes = {id(code): code for function in functions for code in all_code(function.__code__)}
        self._seen: dict[_Place, set[int]] = {}
        self._left: dict[_Place, int] = {}
        self._watched = _WATCHED_MAX
        self._keys: dict[tuple[int, int, int], str] = {}
        self._tool: int | None = None
        self.missing = branches_missing()
        if not self._codes:
            self.missing = "branches are not counted: the target has no Python code that was found"

    @property
    def count(self) -> int | None:
        """The number of directions seen; None where nothing is counted."""
        return None if self.missing else len(self.keys())

    def keys(self) -> frozenset[str]:
        """The directions seen, as short texts: the same in each process with this Python and this code."""
        directions = [(*place, to) for place, ways in list(self._seen.items()) for to in list(ways)]
        for one in directions:
            if one not in self._keys:
                self._keys[one] = self._key(*one)
        return frozenset(self._keys.values())

    def wake(self) -> None:
        """Watch again the branches that sleep. It costs some milliseconds, so it is for every half second or so."""
        asleep = {code for (code, _), left in self._left.items() if left <= 0}
        self._left.clear()
        one_way = sum(len(ways) == 1 for ways in self._seen.values())
        self._watched = min(_WATCHED_MAX, _WATCHED_TOGETHER // max(1, one_way) + 1)
        for code in asleep if self._tool is not None else ():
            # Off and on: that takes back what was switched off, for this tool and this code alone.
            _MONITORING.set_local_events(self._tool, self._codes[code], 0)
            _MONITORING.set_local_events(self._tool, self._codes[code], sum(_events()))

    def __enter__(self) -> Self:
        self.missing = self.missing or branches_missing()
        if self.missing:
            return self
        tool = self._tool = next(number for number in _TOOLS if _MONITORING.get_tool(number) is None)
        _MONITORING.use_tool_id(tool, _NAME)
        for event in _events():
            _MONITORING.register_callback(tool, event, self._callback())
        for code in self._codes.values():
            _MONITORING.set_local_events(tool, code, sum(_events()))
        return self

    def __exit__(self, *_: object) -> None:
        tool, self._tool = self._tool, None
        if tool is None:
            return
        for code in self._codes.values():
            _MONITORING.set_local_events(tool, code, 0)
        for event in _events():
            _MONITORING.register_callback(tool, event, None)
        _MONITORING.free_tool_id(tool)

    def _callback(self) -> Callable[[CodeType, int, int], object]:
        """Called with the offsets of a branch and of where it goes. What it gives may switch the event off."""
        seen, left, off = self._seen, self._left, _MONITORING.DISABLE
        has_directions = len(_events()) > 1

        def on_branch(code: CodeType, offset: int, to: int) -> object:
            place = id(code), offset
            ways = seen.setdefault(place, set())
            ways.add(to)
            if has_directions or len(ways) > 1:
                return off
            left[place] = watched = left.get(place, self._watched) - 1
            return off if watched <= 0 else None

        return on_branch

    def _key(self, code_id: int, offset: int, to: int) -> str:
        code = self._codes[code_id]
        text = f"{PurePath(code.co_filename).name}:{code.co_qualname}:{code.co_firstlineno}:{offset}>{to}"
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_KEY_DIGITS]


def _events() -> tuple[int, ...]:
    """The events of a branch: one for each direction from Python 3.14 on."""
    events = _MONITORING.events
    return (events.BRANCH_LEFT, events.BRANCH_RIGHT) if hasattr(events, "BRANCH_LEFT") else (events.BRANCH,)
