"""Several deviations as one parser, and as a target."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from ..contract import Delivery, Event, Outcome, Run, Shows, Target, TargetError
from ..reference import ReferenceParser
from .deviation import Deviation, Part

__all__ = ["DeviatingTarget", "Interpreter", "compose"]

#: The reconnection time that an event's own block has set, and the one in force; None where none was set.
_Times = tuple[str | None, str | None]


@lru_cache(maxsize=50_000)
def compose(deviations: tuple[Deviation, ...]) -> Part:
    """The reference parser with all of these; TargetError where two of them replace the same step."""
    ordered = _ordered(deviations)
    return type("DeviatingParser", (*(deviation.part for deviation in ordered), ReferenceParser), {})


def _ordered(deviations: tuple[Deviation, ...]) -> list[Deviation]:
    """In the order of the classes: what goes on to the step before comes before what replaces it.

    Otherwise by name, so that a set of deviations is one parser, in whatever order they were named.
    """
    deviations = tuple(sorted(deviations, key=lambda deviation: deviation.name))
    after: dict[Deviation, set[Deviation]] = {deviation: set() for deviation in deviations}
    for one in deviations:
        for other in deviations:
            both = one.steps & other.steps
            if one is not other and both & one.replaces:
                after[one].add(other)
    try:
        return list(TopologicalSorter(after).static_order())
    except CycleError as error:
        one, other = error.args[1][:2]
        steps = ", ".join(sorted(one.steps & other.steps))
        raise TargetError(
            f"deviation:{one.name}+{other.name} cannot be combined: both replace the same step of a parser ({steps}). "
            "Take one of them"
        ) from None


class _Recording(ReferenceParser):
    """Keeps, with each event, the reconnection time of its own block and the one in force."""

    def __init__(self) -> None:
        super().__init__()
        self.emitted: list[tuple[Event, _Times]] = []
        self.own: str | None = None

    def set_retry(self, digits: str) -> None:
        super().set_retry(digits)
        self.own = digits

    def emit(self, event: Event) -> None:
        super().emit(event)
        self.emitted.append((event, (self.own, self.retries[-1] if self.retries else None)))

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.own = None

    def times_of(self, events: Sequence[Event]) -> tuple[_Times, ...]:
        """The times of each of these events: not all that was emitted comes out, and not always in that order."""
        if len(events) == len(self.emitted) and all(map(_same, events, self.emitted)):
            return tuple(times for _, times in self.emitted)
        left, found = list(self.emitted), []
        for event in events:
            at = next((at for at, one in enumerate(left) if _same(event, one)), None)
            found.append((None, None) if at is None else left.pop(at)[1])
        return tuple(found)


def _same(event: Event, emitted: tuple[Event, _Times]) -> bool:
    return event is emitted[0]


class DeviatingTarget(Target):
    """Drives the reference parser with deviations, with nothing between it and the rules."""

    shows = Shows(end_last_event_id=True, retry="updates")
    offers = frozenset({"script"})

    def __init__(self, make: Part, name: str = "reference", *, has_end: bool = True) -> None:
        self.make = make
        self.name = name
        self.has_end = has_end
        self.shape = "subclass of ReferenceParser"
        self.found = "the catalogue of deviations"

    def run(self, chunks: Sequence[bytes]) -> Run:
        """See `Target.run`."""
        return _driven(self.make(), chunks, has_end=self.has_end)

    def run_dropping(self, chunks: list[bytes], look: Callable[[int], None]) -> Run:
        """See `Target.run_dropping`."""
        parser = self.make()
        let_go = 0
        for at, chunk in enumerate(chunks):
            for _ in parser.feed(chunk):
                look(let_go)
            let_go += sys.getsizeof(chunk)
            chunks[at] = b""
            del chunk
        return Run()


def _driven(parser: ReferenceParser, chunks: Sequence[bytes], *, has_end: bool) -> Run:
    run = Run(retries=())
    taken = 0
    try:
        for taken, chunk in enumerate(chunks, 1):
            run.deliveries += [Delivery(event, taken) for event in parser.feed(chunk)]
        if has_end:
            run.deliveries += [Delivery(event, taken) for event in parser.close()]
    except BaseException as error:
        run.failure = error
    run.last_event_id = parser.last_event_id
    run.retries = tuple(parser.retries)
    return run


class Interpreter:
    """Interprets streams as the reference parser with some deviations would, one after another in one process."""

    def __init__(self, deviations: tuple[Deviation, ...], *, has_end: bool = True) -> None:
        # What one run leaves to the next stays in the class, so each interpreter has one of its own then.
        make = _recording if not any(deviation.carries for deviation in deviations) else _recording.__wrapped__
        self._make = make(deviations)
        self._has_end = has_end

    def interpret(self, chunks: Sequence[bytes]) -> tuple[Outcome, BaseException | None]:
        """The outcome of these chunks, and the exception that ended it, or None.

        Behind an exception, the events are those that a parser could have handed out before it, one by one.
        """
        parser = self._make()
        run = _driven(parser, chunks, has_end=self._has_end)
        if type(run.failure) is KeyboardInterrupt:
            raise run.failure  # the user's: a deviation that is interrupted raises one of its own
        events = tuple(delivery.event for delivery in run.deliveries)
        if run.failure is not None:
            events += tuple(parser.take_events())
        times = parser.times_of(events)
        return Outcome(events, parser.last_event_id, tuple(parser.retries), times), run.failure


@lru_cache(maxsize=50_000)
def _recording(deviations: tuple[Deviation, ...]) -> type[_Recording]:
    return type("RecordingParser", (*(each.part for each in _ordered(deviations)), _Recording), {})
