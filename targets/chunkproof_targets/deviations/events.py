"""Deviations in how events are handed over: how many of them, in which order, which of them twice or not at all."""

from __future__ import annotations

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("events", "9.2.6, dispatch: each event is dispatched, in the order of the stream")

_ALL = "Hand over every event that the chunk completes, in the order in which they stand in it."

# Several in a chunk --------------------------------------------------------------------------------------------------


@deviation(
    symptom="When the server is quick, only the first of several events that came together arrives.",
    mend=_ALL,
)
class OnlyTheFirstEventOfAChunk(ReferenceParser):
    """Of several events in a chunk the first comes out."""

    def take_events(self) -> list[Event]:
        return super().take_events()[:1]


@deviation(
    symptom="When the server is quick, only the last of several events that came together arrives.",
    mend=_ALL,
)
class OnlyTheLastEventOfAChunk(ReferenceParser):
    """Of several events in a chunk the last comes out."""

    def take_events(self) -> list[Event]:
        return super().take_events()[-1:]


@deviation(
    symptom="Pieces of the answer change places when several events came together.",
    mend=_ALL,
)
class EventsOfAChunkInReverse(ReferenceParser):
    """Several events of a chunk come out in reverse."""

    def take_events(self) -> list[Event]:
        return super().take_events()[::-1]


def _events_of_a_chunk_limit(limit: int, aliases: tuple[str, ...]) -> None:
    @deviation(
        symptom="When the server is quick, some events of a large chunk never arrive.",
        mend=_ALL,
        value=limit,
        aliases=aliases,
    )
    class EventsOfAChunkLimit(ReferenceParser):
        """A chunk gives {} events at most."""

        def take_events(self) -> list[Event]:
            return super().take_events()[:limit]


_events_of_a_chunk_limit(16, ("sixteen-events-of-a-chunk",))
_events_of_a_chunk_limit(100, ())


@deviation(
    symptom="The stream ends in a RecursionError when many lines come in one chunk.",
    mend="Go from line to line in a loop, and not by a call within a call.",
    aliases=("recursion-on-blank-lines",),
)
class ManyLinesAtOnceRaise(ReferenceParser):
    """Each line calls for the next one: more than 400 of them in a chunk are too deep."""

    def read_text(self, text: str) -> None:
        if text.count("\n") > 400:
            raise RecursionError("maximum recursion depth exceeded")
        super().read_text(text)


# Several in a stream -------------------------------------------------------------------------------------------------


def _events_of_a_stream_limit(limit: int, aliases: tuple[str, ...]) -> None:
    key = f"_events_up_to_{limit}"  # two forms of one class would share a private name

    @deviation(
        symptom="A long answer breaks off in its midst, and nothing says so.",
        mend="Hand over every event, however many the stream has.",
        value=limit,
        aliases=aliases,
    )
    class EventsOfAStreamLimit(ReferenceParser):
        """A stream gives {} events at most."""

        def emit(self, event: Event) -> None:
            count = vars(self).get(key, 0) + 1
            vars(self)[key] = count
            if count <= limit:
                super().emit(event)


_events_of_a_stream_limit(256, ("only256-events",))
_events_of_a_stream_limit(1000, ())


@deviation(
    symptom="A word that the answer repeats arrives once.",
    mend="Hand over every event, also one that equals the event before it.",
)
class EqualEventsDropped(ReferenceParser):
    """An event that equals the one before is taken for a repetition."""

    __last: Event | None = None

    def emit(self, event: Event) -> None:
        if event != self.__last:
            super().emit(event)
        self.__last = event


@deviation(
    clause="9.2.6, id: the last event ID stays for the events that follow",
    symptom="Of several events behind one ID only the first arrives.",
    mend="Hand over every event: an ID stays until the next one, so equal IDs are no repetition.",
)
class EqualIdsDropped(ReferenceParser):
    """An event whose ID equals that of the event before is taken for a repetition."""

    __last: str | None = ""

    def emit(self, event: Event) -> None:
        if not event.last_event_id or event.last_event_id != self.__last:
            super().emit(event)
        self.__last = event.last_event_id


@deviation(
    symptom="The first event of each stream never arrives.",
    mend="Hand over the first event as any other: it need not be a greeting.",
)
class FirstEventLost(ReferenceParser):
    """The first event of a stream is dropped."""

    __begun = False

    def emit(self, event: Event) -> None:
        if self.__begun:
            super().emit(event)
        self.__begun = True


@deviation(
    symptom="The last event of each stream never arrives.",
    mend="Hand over an event at its blank line, and do not wait for the next one.",
)
class LastEventLost(ReferenceParser):
    """Each event comes out when the next one is complete, and the last one never."""

    __held: tuple[Event, ...] = ()

    def take_events(self) -> list[Event]:
        events = [*self.__held, *super().take_events()]
        self.__held = tuple(events[-1:])
        return events[:-1]


# What an event holds, and what raises --------------------------------------------------------------------------------


@deviation(
    layer="characters",
    clause="9.2.5: the stream is decoded as UTF-8, and what comes of it is text",
    symptom="Data in another script arrives as bytes, or with `b'...'` around it.",
    mend="Decode the stream once, and hand over text.",
)
class DataShownAsBytes(ReferenceParser):
    """Data that is not ASCII comes out as bytes."""

    def emit(self, event: Event) -> None:
        if isinstance(event.data, str) and not event.data.isascii():
            event = event._replace(data=event.data.encode())  # type: ignore[arg-type]
        super().emit(event)


class _Interrupt(KeyboardInterrupt):
    """One that is not the user's Ctrl-C."""


@deviation(
    clause="9.2.6, data: the value is text, whatever it says",
    symptom="The whole program is interrupted when the data is `null`.",
    mend="Give data no meaning: it is the caller's to parse.",
)
class InterruptedOnAValue(ReferenceParser):
    """Raises KeyboardInterrupt where data is `null`."""

    def emit(self, event: Event) -> None:
        if event.data == "null":
            raise _Interrupt
        super().emit(event)
