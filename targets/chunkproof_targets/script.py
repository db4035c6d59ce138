"""A source that keeps to a script, and a consumer that stops: what a plain list of chunks cannot do to a parser.

A `Script` is for one run. Laid over the units that a target is fed (`Script.over`), it fails at their end, goes on
without one, calls something between two units, or hands them out in another form; and it notes what became of it.
Nothing of it can hang: a source without an end gives some hundred units and raises then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = [
    "MORE_BYTES",
    "MORE_UNITS",
    "SOURCE_FAILED",
    "ConsumerStopped",
    "Script",
    "Scripted",
    "SourceFailed",
    "SourceWithoutEnd",
]

#: Units that a source without an end gives beyond its own: comment lines, which mean nothing.
MORE_UNITS = 400
#: The text of a `SourceFailed`.
SOURCE_FAILED = "the source of the chunks failed"

#: Such a unit, for a target that is fed bytes.
MORE_BYTES = b":\n"

_MORE: dict[str, bytes | str] = {"bytes": MORE_BYTES, "text": ":\n", "lines": ":"}


class SourceFailed(ConnectionError):
    """What the source raises in the middle of a stream, as a connection does that is lost."""


class SourceWithoutEnd(BaseException):
    """Ends a source that has no end, so that nothing hangs. Not an Exception: a parser may catch those and go on."""


class ConsumerStopped(BaseException):
    """Raised by `append` where the consumer wants no more events; the driver then closes what it iterates over."""


class Script:
    """What one run's source and consumer do.

    ``fails``: at the end of the units a `SourceFailed` is raised, each time it is asked again. ``endless``: comment
    lines follow without an end. ``stops_after``: the consumer takes so many events. ``between`` is called before each
    unit. ``give`` makes of each unit what is handed out; ``spoils`` overwrites that (a bytearray, or a memoryview of
    one) once the next is asked for. ``pauses``: how often an async source gives others their turn before each unit.

    Noted are ``taken`` (units), ``taken_at_stop``, ``closed`` (by the target), ``changed`` (units that the target wrote
    to) and ``threads`` (whether the target had any that were not there before).
    """

    def __init__(
        self,
        *,
        fails: bool = False,
        endless: bool = False,
        stops_after: int | None = None,
        between: Callable[[], object] | None = None,
        give: Callable[[bytes], Any] | None = None,
        spoils: bool = False,
        pauses: int = 0,
    ) -> None:
        self.fails = fails
        self.endless = endless
        self.stops_after = stops_after
        self.between = between
        self.give = give
        self.spoils = spoils
        self.pauses = pauses
        self.taken = 0
        self.taken_at_stop: int | None = None
        self.closed = False
        self.changed = 0
        self.threads = False
        self._alive = frozenset(threading.enumerate())
        self._given: tuple[Any, bytes] | None = None

    @property
    def took_more(self) -> int:
        """How many units were taken after the consumer had stopped."""
        return 0 if self.taken_at_stop is None else self.taken - self.taken_at_stop

    def over(self, units: Sequence[Any], takes: str = "bytes") -> Scripted:
        """The units, as this script hands them out."""
        return Scripted(units, self, _MORE[takes])

    def stopping(self, append: Callable[[Any], None]) -> Callable[[Any], None]:
        """Append until the consumer stops."""
        if self.stops_after is None:
            return append
        left = self.stops_after

        def append_some(delivery: Any) -> None:
            nonlocal left
            left -= 1
            append(delivery)
            if left <= 0:
                if self.taken_at_stop is None:
                    self.taken_at_stop = self.taken
                raise ConsumerStopped("the consumer takes no more events")

        return append_some

    def handed(self, unit: Any) -> Any:
        """The unit in the form that the target gets."""
        if self.give is None:
            return unit
        given = self.give(unit)
        self._given = (given, bytes(unit))
        return given

    def look_around(self) -> None:
        """Whether there are threads that were not there when the script was made."""
        if not self.threads and threading.active_count() != len(self._alive):
            self.threads = not self._alive.issuperset(threading.enumerate())

    def look_back(self) -> None:
        """Whether the unit that was handed out last is as it was; it is overwritten, where that is in the script."""
        if self._given is None:
            return
        (given, unit), self._given = self._given, None
        if bytes(given) != unit:
            self.changed += 1
        elif self.spoils:
            given[:] = b"\0" * len(unit)


class Scripted(Sequence[Any]):
    """Units under a script; each iteration of them is a source of its own."""

    def __init__(self, units: Sequence[Any], script: Script, more: bytes | str) -> None:
        self._units = units
        self.script = script
        self._more = more

    def __len__(self) -> int:
        return len(self._units)

    def __getitem__(self, index: Any) -> Any:
        return self._units[index]

    def __iter__(self) -> Iterator[Any]:
        return _Source(self._units, self.script, self._more)


class _Source(Iterator[Any]):
    """An iterator that can be closed, as a response can."""

    def __init__(self, units: Sequence[Any], script: Script, more: bytes | str) -> None:
        self._units = iter(units)
        self._script = script
        self._more = more
        self._more_given = 0

    def __next__(self) -> Any:
        script = self._script
        script.look_back()
        script.look_around()
        if script.closed:
            raise StopIteration
        for unit in self._units:
            if script.between is not None:
                script.between()
            script.taken += 1
            return script.handed(unit)
        return self._behind()

    def _behind(self) -> Any:
        """What comes when the units are at their end."""
        script = self._script
        if script.fails:
            raise SourceFailed(SOURCE_FAILED)
        if not script.endless:
            raise StopIteration
        self._more_given += 1
        if self._more_given > MORE_UNITS:
            raise SourceWithoutEnd(f"{MORE_UNITS} chunks more were taken")
        script.taken += 1
        return script.handed(self._more)

    def close(self) -> None:
        """The target wants no more of it."""
        self._script.closed = True
