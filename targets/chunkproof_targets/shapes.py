"""What Python parsers may look like: from a class or function to a `Target`, found by trial on the calibration streams.

`adapt` lists the drivers that could fit, runs each of them on the calibration streams, and takes the one that shows
most of the expected events.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calibration import Finding, try_driver
from .contract import Run, Takes, Target, TargetError
from .declared import NOTHING_DECLARED, Declared, declared_on
from .drivers import Driver, Pull, Push
from .units import line_units, text_units

__all__ = ["FEED_NAMES", "Adapted", "adapt"]

FEED_NAMES = ("feed", "push", "write", "receive_data", "decode")
END_NAMES = ("finish", "end", "close", "flush")


def _bytes_units(chunks: Sequence[bytes]) -> tuple[Sequence[bytes], None]:
    return chunks, None


UNITS: dict[Takes, Callable[[Sequence[bytes]], tuple[Sequence[Any], list[int] | None]]] = {
    "bytes": _bytes_units,
    "text": text_units,
    "lines": line_units,
}


class Adapted(Target):
    """A Python parser behind the one method, driven and read as calibration found."""

    def __init__(self, finding: Finding, takes: Takes, declared: Declared) -> None:
        assert finding.view is not None
        self.takes = takes
        self.shows = finding.shows
        self.has_end = finding.driver.has_end
        self.returns_list = finding.driver.saw_list
        self.empty_chunk_ends = declared.empty_chunk == "end"
        self.size_limit = declared.size_limit
        self.shape = finding.driver.shape + {"bytes": "", "text": ", over text", "lines": ", over lines"}[takes]
        self.view = finding.view
        self._units = None if takes == "bytes" else UNITS[takes]
        self._drive = finding.driver.drive
        self._convert = finding.view.converter()

    def run(self, chunks: Sequence[bytes]) -> Run:
        """See `Target.run`."""
        deliveries: list[Any] = []
        if self._units is None:
            _parser, failure = self._drive(chunks, self._convert, deliveries.append)
        else:
            units, taken = self._units(chunks)
            _parser, failure = self._drive(units, self._convert, deliveries.append)
            deliveries = [d._replace(chunks_taken=taken[d.chunks_taken]) for d in deliveries] if taken else deliveries
        return Run(deliveries, None, None, failure)


def adapt(obj: Any, *, name: str, found: str, declared: Declared = NOTHING_DECLARED) -> Target:
    """The target that a class, a function or a factory of parsers is; TargetError where none shows an event."""
    declared = declared.over(declared_on(obj))
    best: tuple[Finding, Takes] | None = None
    for driver, takes in _candidates(obj, declared):
        finding = try_driver(driver, UNITS[takes])
        if finding.view is not None and (best is None or finding.matched > best[0].matched):
            best = finding, takes
    if best is None:
        raise TargetError(f"{name} ({found}) shows no event on the calibration streams")
    target = Adapted(*best, declared)
    target.name, target.found = name, found
    return target


def _candidates(obj: Any, declared: Declared) -> Iterator[tuple[Driver, Takes]]:
    takes: tuple[Takes, ...] = (declared.takes,) if declared.takes else ("bytes", "text")
    for kind in takes:
        if inspect.isclass(obj):
            for feed in FEED_NAMES:
                if hasattr(obj, feed):
                    end = next((e for e in END_NAMES if callable(getattr(obj, e, None))), None)
                    yield Push(obj, feed, end, f"class with {feed}"), kind
        yield Pull(obj, "function over an iterable"), kind
