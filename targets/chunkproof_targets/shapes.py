"""What Python parsers may look like: from a class or function to a `Target`, found by trial on the calibration streams.

`adapt` goes through the drivers that could fit (`candidates`), runs each of them on the calibration streams, and takes
the one that shows most of the expected events; the first of several that show as much.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from .calibration import Reading, UnitsOf, completes_held_line, invents_at_the_end, settle, try_driver
from .candidates import Candidates
from .contract import Delivery, Run, Takes, Target, TargetError, TargetHung
from .declared import NOTHING_DECLARED, Declared, declared_on
from .drivers import Append, Driven
from .extract import Deliver, Update
from .loops import Loop
from .troubles import instance_given, no_event
from .units import line_units, text_units

__all__ = ["Adapted", "adapt"]


def _bytes_units(chunks: Sequence[bytes]) -> tuple[Sequence[bytes], None]:
    return chunks, None


UNITS: dict[Takes, UnitsOf] = {"bytes": _bytes_units, "text": text_units, "lines": line_units}

# Each way that hangs costs seconds; a parser that hangs in two ways is given up.
_HUNG_MAX = 2
# Events beyond one for each byte that a run may hand out before it counts as one without end.
_SPARE = 1000


class Adapted(Target):
    """A Python parser behind the one method, driven and read as calibration found."""

    def __init__(self, reading: Reading, takes: Takes, declared: Declared, loop: Loop) -> None:
        assert reading.view is not None
        self.takes = takes
        self.shows = reading.shows
        self.has_end = reading.driver.has_end
        self.returns_list = reading.driver.saw_list
        self.keeps_events = reading.driver.keeps_events
        self.empty_chunk_ends = declared.empty_chunk == "end"
        self.size_limit = declared.size_limit
        self.strict_utf8 = declared.invalid_utf8 == "strict"
        self.shape = reading.driver.shape + {"bytes": "", "text": ", fed text", "lines": ", fed lines"}[takes]
        self._loop = loop
        self._units = None if takes == "bytes" else UNITS[takes]
        self._drive = reading.driver.drive
        self._convert = reading.view.converter()
        self._updates = reading.updates
        self._read_state = reading.state.reader()

    def run(self, chunks: Sequence[bytes]) -> Run:
        """See `Target.run`."""
        deliveries: list[Delivery] = []
        convert = self._convert
        retries: list[str] | None = None
        if self._updates is not None:
            retries = []
            convert = _noting(convert, self._updates, retries)
        if self._units is None:
            parser, failure = self._drive(chunks, convert, _bounded(deliveries, chunks))
        else:
            parser, failure = self._drive_units(chunks, convert, deliveries)
        run = Run(deliveries, None, None if retries is None else tuple(retries), failure)
        if self._read_state is not None:
            self._read_state(parser, run)
        return run

    def run_dropping(self, chunks: list[bytes], look: Callable[[int], None]) -> Run | None:
        """See `Target.run_dropping`."""
        units: list[Any] = chunks if self._units is None else list(self._units(chunks)[0])
        let_go = gone = 0

        def append(delivery: Delivery) -> None:
            nonlocal let_go, gone
            while gone < delivery.chunks_taken - 1:
                let_go += sys.getsizeof(units[gone])
                units[gone] = None
                gone += 1
            look(let_go)

        _, failure = self._drive(units, self._convert, append)
        return Run(failure=failure)

    def _drive_units(self, chunks: Sequence[bytes], convert: Deliver, deliveries: list[Delivery]) -> Driven:
        assert self._units is not None
        units, taken = self._units(chunks)
        driven = self._drive(units, convert, _bounded(deliveries, chunks))
        if taken is not None:
            deliveries[:] = [delivery._replace(chunks_taken=taken[delivery.chunks_taken]) for delivery in deliveries]
        return driven

    def close(self) -> None:
        """Close the event loop, if there is one."""
        self._loop.close()


def _bounded(deliveries: list[Delivery], chunks: Sequence[bytes]) -> Append:
    """Append to the deliveries, of which there cannot be more than bytes: what never ends must not fill the memory."""
    add = deliveries.append

    def append(delivery: Delivery) -> None:
        add(delivery)
        # The bytes are summed by those that are far beyond most streams alone.
        if len(deliveries) > _SPARE and len(deliveries) > (size := sum(map(len, chunks))) + _SPARE:
            raise TargetHung(f"more events than bytes: {len(deliveries)} events came out of {size} bytes")

    return append


def _noting(convert: Deliver, updates: Update, retries: list[str]) -> Deliver:
    def note(item: Any, taken: int) -> Delivery | None:
        delivery = convert(item, taken)
        if delivery is None:
            digits = updates.digits(item)
            if digits is not None:
                retries.append(digits)
        return delivery

    return note


def adapt(obj: Any, *, name: str, found: str, declared: Declared = NOTHING_DECLARED) -> Target:
    """The target that a class, a function, or a function that makes parsers is.

    ``name`` and ``found`` are what the header and error messages say. A `Target` (an instance, or a class made without
    arguments) is taken as it is. TargetError where the object can be no parser, or shows no event on the calibration
    streams.
    """
    if isinstance(obj, Target):
        return obj
    if isinstance(obj, type) and issubclass(obj, Target):
        try:
            return obj()
        except TypeError as error:
            raise TargetError(
                f"{name} ({found}) is a Target that cannot be made without arguments ({error}). "
                "Name a function without arguments that returns one, or an instance."
            ) from error
    declared = declared.over(declared_on(obj))
    loop = Loop()
    try:
        with _quiet():
            candidates = Candidates(obj, declared, loop)
            if candidates.is_instance:
                raise instance_given(obj, name, found)
            best = _best(candidates)
            if best is None:
                raise no_event(candidates, name, found)
            reading, takes = _with_the_right_end(candidates, best)
            settle(reading, UNITS[takes])
    except BaseException:
        loop.close()
        raise
    target = Adapted(reading, takes, declared, loop)
    target.name, target.found = name, found
    return target


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Trial calls a parser in ways that it was not made for: what it says to that is of no use to anyone."""
    out, err = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with warnings.catch_warnings(), out, err:
        warnings.simplefilter("ignore")
        yield


def _with_the_right_end(candidates: Candidates, best: tuple[Reading, Takes]) -> tuple[Reading, Takes]:
    """The same, told the end by another call where only that one tells it: a ``close`` may do no more than clean up."""
    others = candidates.other_ends()
    if not others or completes_held_line(best[0], UNITS[best[1]]):
        return best
    for end in others:
        another = Candidates(candidates.obj, replace(candidates.declared, end=end), candidates.loop)
        found = _best(another)
        if found is None or found[0].score < best[0].score:
            continue
        reading, units_of = found[0], UNITS[found[1]]
        if completes_held_line(reading, units_of) and not invents_at_the_end(reading, units_of):
            return found
    return best


def _best(candidates: Candidates) -> tuple[Reading, Takes] | None:
    best: tuple[Reading, Takes] | None = None
    hung = 0
    for takes, driver in candidates:
        reading = try_driver(driver, UNITS[takes])
        candidates.tried.append((takes, reading))
        hung += reading.hung
        if reading.view is not None and (best is None or reading.score > best[0].score):
            best = reading, takes
        if reading.perfect or hung >= _HUNG_MAX:
            break
    return best
