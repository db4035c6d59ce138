"""What Python parsers may look like: from a class or function to a `Target`, found by trial on the calibration streams.

`adapt` goes through the drivers that could fit (`candidates`), runs each of them on the calibration streams, and takes
the one that shows most of the expected events; the first of several that show as much.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import methodcaller
from typing import Any, Literal

from .calibration import Reading, UnitsOf, completes_held_line, invents_at_the_end, settle, try_driver
from .candidates import Candidates
from .contract import Delivery, Offer, Run, Takes, Target, TargetError, TargetHung
from .declared import NOTHING_DECLARED, Declared, declared_on
from .drivers import Append, Driven, Driver, Push
from .extract import Deliver, Update
from .general import General, GeneralPush
from .loops import Loop
from .probe import Parameters, Probe
from .script import ConsumerStopped, Script
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
# What is said of a method that makes a used parser ready for another stream; any other `reset` may be of a block alone.
_STARTS_ANEW = re.compile(
    r"\b(reus|another|initial|fresh|clean|all state|new (stream|connection|input)|start\w* (over|anew|again|afresh))",
    re.IGNORECASE,
)
_OF_A_PART = re.compile(r"\b(fresh|new|next|another|clean) (block|event(?!.?stream)|line|message|field)", re.IGNORECASE)
_BUFFERS = re.compile(r"\b(bytearray|memoryview|Buffer|ReadableBuffer|BytesLike|ByteString)\b")


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
        self.deviations = declared.deviations or ()
        self.shape = reading.driver.shape + {"bytes": "", "text": ", fed text", "lines": ", fed lines"}[takes]
        self._loop = loop
        self._units = None if takes == "bytes" else UNITS[takes]
        self._driver = reading.driver
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
                units[gone] = units[gone][:0]
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

    def run_script(self, chunks: Sequence[bytes], script: Script) -> Run:
        """See `Target.run_script`."""
        return self._run_under(self._driver, chunks, script)

    def run_beside(self, chunks: Sequence[bytes], others: Sequence[Sequence[bytes]]) -> Run:
        """See `Target.run_beside`; async parsers are tasks of one loop."""
        if not self._driver.is_async or not isinstance(self._driver, General):
            return super().run_beside(chunks, others)
        first = _Scripted(self, chunks, Script(pauses=1))
        runs = [first, *(_Scripted(self, other, Script(pauses=1)) for other in others)]
        driven = self._driver.drive_together([(run.units, run.deliver, run.append) for run in runs])
        return first.finished(*driven[0])

    def run_used(self, chunks: Sequence[bytes], before: Sequence[bytes], by: Literal["reset", "end"]) -> Run:
        """See `Target.run_used`."""
        driver = self._driver
        assert isinstance(driver, Push), "what offers it is a plain push parser"
        call = methodcaller("reset") if by == "reset" else driver.end
        assert call is not None, "what offers it has an end"
        return self._run_under(driver.used(_units_of(self, before)[0], call), chunks, Script())

    def _run_under(self, driver: Driver, chunks: Sequence[bytes], script: Script) -> Run:
        run = _Scripted(self, chunks, script)
        return run.finished(*driver.drive(run.units, run.deliver, run.append))

    def close(self) -> None:
        """Close the event loop, if there is one."""
        self._loop.close()


def _units_of(target: Adapted, chunks: Sequence[bytes]) -> tuple[Sequence[Any], list[int] | None]:
    return UNITS[target.takes](chunks)


class _Scripted:
    """One run of an adapted parser under a script: what its driver is given, and the `Run` that it makes."""

    def __init__(self, target: Adapted, chunks: Sequence[bytes], script: Script) -> None:
        units, self._taken = _units_of(target, chunks)
        self._read_state = target._read_state
        self._deliveries: list[Delivery] = []
        self._retries: list[str] | None = None
        self.deliver = target._convert
        if target._updates is not None:
            self._retries = []
            self.deliver = _noting(self.deliver, target._updates, self._retries)
        self.units = script.over(units, target.takes)
        self.append = script.stopping(_bounded(self._deliveries, chunks))

    def finished(self, parser: Any, failure: BaseException | None) -> Run:
        """The run, when the driver is done."""
        if isinstance(failure, ConsumerStopped):
            failure = None
        retries = self._retries
        deliveries = [one._replace(chunks_taken=self._chunks(one.chunks_taken)) for one in self._deliveries]
        run = Run(deliveries, None, None if retries is None else tuple(retries), failure)
        if self._read_state is not None:
            self._read_state(parser, run)
        return run

    def _chunks(self, units: int) -> int:
        """The number of chunks that so many units are; of those behind the chunks each is one."""
        taken = self._taken
        if taken is None:
            return units
        beyond = max(0, units - len(taken) + 1)
        return taken[units - beyond] + beyond


def _bounded(deliveries: list[Delivery], chunks: Sequence[bytes]) -> Append:
    """Append to the deliveries, of which there cannot be more than bytes: what never ends must not fill the memory."""
    add = deliveries.append
    most = _SPARE

    def append(delivery: Delivery) -> None:
        nonlocal most
        add(delivery)
        if len(deliveries) > most:
            # The bytes are summed by those that are far beyond most streams alone, and once.
            most = (size := sum(map(len, chunks))) + _SPARE
            if len(deliveries) > most:
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
        loop.end_threads()
    except BaseException:
        loop.close()
        raise
    target = Adapted(reading, takes, declared, loop)
    target.name, target.found = name, found
    target.offers = _offers(reading.driver, candidates.probe)
    return target


def _offers(driver: Driver, probe: Probe) -> frozenset[Offer]:
    """See `Target.offers`."""
    found: set[Offer] = {"script"}
    if driver.pulls:
        found.add("source")
    if driver.stops:
        found.add("stop")
    if isinstance(driver, Push):
        reset = getattr(probe.parser, "reset", None)
        if callable(reset) and not Parameters.of(reset).required:
            found.add("reset")
            said = inspect.getdoc(reset) or ""
            if _STARTS_ANEW.search(said) and not _OF_A_PART.search(said):
                found.add("documented reset")
        if driver.end is not None:
            found.add("again")
    if isinstance(driver, (Push, GeneralPush)):
        feed = getattr(probe.parser, driver.feed, None)
        if _BUFFERS.search(Parameters.of(feed).annotation):
            found.add("buffers")
    return frozenset(found)


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
