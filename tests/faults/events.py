"""Faults between fields and events."""

from __future__ import annotations

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

from .fault import fault


@fault("dispatch/the-type-is-reset", "dispatch/the-type-is-reset-without-data")
class EventTypeLeaks(ReferenceParser):
    """The type is never reset."""

    def reset_buffers(self):
        self._data = []


@fault("dispatch/the-type-is-reset-without-data")
class EventTypeLeaksOverABlockWithoutData(ReferenceParser):
    """The type is reset only where an event is made."""

    def reset_buffers(self):
        if self._data:
            super().reset_buffers()


@fault("dispatch/an-empty-type-resets-the-type", "fields/event-without-colon")
class EmptyTypeIgnored(ReferenceParser):
    """An empty type leaves the earlier one of the block."""

    def field_event(self, value):
        if value:
            super().field_event(value)


@fault("dispatch/the-default-type-is-message")
class EmptyTypeShown(ReferenceParser):
    """An empty `event` makes the type the empty string."""

    empty = False

    def field_event(self, value):
        self.empty = not value
        super().field_event(value)

    def event_type(self):
        kind = "" if self.empty else super().event_type()
        self.empty = False
        return kind


@fault("dispatch/the-default-type-is-message")
class DefaultTypeIsEmpty(ReferenceParser):
    """An event without a type has the empty one."""

    def event_type(self):
        return self._type


@fault("dispatch/the-type-is-untouched")
class TypeLowerCased(ReferenceParser):
    """Types are lower-cased."""

    def field_event(self, value):
        super().field_event(value.lower())


@fault("dispatch/the-type-is-untouched")
class TypeTrimmed(ReferenceParser):
    """Types are trimmed."""

    def field_event(self, value):
        super().field_event(value.strip())


@fault("dispatch/the-type-is-untouched")
class TypeErrorRaises(ReferenceParser):
    """An event of the type `error` raises."""

    def emit(self, event):
        if event.type == "error":
            raise RuntimeError(event.data)
        super().emit(event)


@fault("dispatch/the-type-is-reset")
class TypePingDropped(ReferenceParser):
    """An event of the type `ping` is dropped."""

    def emit(self, event):
        if event.type != "ping":
            super().emit(event)


@fault("dispatch/the-type-is-reset")
class TypeMessageOnly(ReferenceParser):
    """Only events of the default type come out."""

    def emit(self, event):
        if event.type == "message":
            super().emit(event)


class _Fields(ReferenceParser):
    """Keeps the names of the fields of the block; a block that holds one of ``makes`` is an event without data too."""

    makes: tuple[str, ...] = ()

    def __init__(self):
        super().__init__()
        self.names = set()

    def field(self, name, value):
        self.names.add(name)
        super().field(name, value)

    def dispatch(self):
        if not self._data and self.names.intersection(self.makes):
            self._data = [""]
        self.names.clear()
        super().dispatch()


@fault("dispatch/no-data-no-event")
class TypeBlockDispatched(_Fields):
    """A block with a type makes an event."""

    makes = ("event",)


@fault("dispatch/no-data-no-event", "ids/a-block-without-data-sets-the-id")
class IdBlockDispatched(_Fields):
    """A block with an id makes an event."""

    makes = ("id",)


@fault("dispatch/retry-only-blocks")
class ControlBlockDispatched(_Fields):
    """A block with only a retry makes an event."""

    makes = ("retry",)


@fault("dispatch/unknown-only-blocks")
class UnknownBlockDispatched(_Fields):
    """A block with only unknown fields makes an event."""

    makes = ("x", "foo", "Data", "data ")


@fault("dispatch/blank-lines-in-a-row", "dispatch/no-data-no-event", "dispatch/an-id-that-stays-makes-no-event")
class BlankLinesDispatched(ReferenceParser):
    """Every blank line makes an event."""

    def dispatch(self):
        self._data = self._data or [""]
        super().dispatch()


@fault("dispatch/empty-data-is-an-event")
class EmptyDataDropped(ReferenceParser):
    """An event whose data is empty is dropped."""

    def emit(self, event):
        if event.data:
            super().emit(event)


@fault("dispatch/the-data-is-reset")
class DataLeaks(ReferenceParser):
    """The data of one event stands in the next too."""

    def reset_buffers(self):
        self._type = ""


@fault("dispatch/blank-lines-in-a-row")
class ABlankLineFirstEndsTheStream(ReferenceParser):
    """A blank line before any field ends the stream."""

    over = started = False

    def read_line(self, line):
        self.over = self.over or not (line or self.started)
        self.started = True
        if not self.over:
            super().read_line(line)


@fault("dispatch/blank-lines-in-a-row")
class TwoBlankLinesEndTheStream(ReferenceParser):
    """Two blank lines in a row end the stream."""

    over = blank = False

    def read_line(self, line):
        self.over = self.over or (not line and self.blank)
        self.blank = not line
        if not self.over:
            super().read_line(line)


@fault("dispatch/blank-lines-in-a-row")
class ABlankLineRepeatsTheEvent(ReferenceParser):
    """Each further blank line gives the event before it once more."""

    last = None

    def dispatch(self):
        if not self._data and self.last and not self._type:
            self.emit(self.last)
        super().dispatch()

    def emit(self, event):
        self.last = event
        super().emit(event)

    def read_line(self, line):
        if line:
            self.last = None
        super().read_line(line)


@fault("dispatch/many-events-in-one-chunk")
class OnlyTheFirstEventOfAChunk(ReferenceParser):
    """Of several events in a chunk the first comes out."""

    def take_events(self):
        return super().take_events()[:1]


@fault("dispatch/many-events-in-one-chunk")
class OnlyTheLastEventOfAChunk(ReferenceParser):
    """Of several events in a chunk the last comes out."""

    def take_events(self):
        return super().take_events()[-1:]


@fault("dispatch/many-events-in-one-chunk")
class EventsOfAChunkInReverse(ReferenceParser):
    """Several events of a chunk come out in reverse."""

    def take_events(self):
        return super().take_events()[::-1]


@fault("dispatch/many-events-in-one-chunk")
class SixteenEventsOfAChunk(ReferenceParser):
    """A chunk gives sixteen events at most."""

    def take_events(self):
        return super().take_events()[:16]


@fault("dispatch/many-events-in-a-stream")
class Only256Events(ReferenceParser):
    """A stream gives 256 events at most."""

    count = 0

    def emit(self, event):
        self.count += 1
        if self.count <= 256:
            super().emit(event)


@fault("dispatch/the-data-is-reset")
class EqualEventsDropped(ReferenceParser):
    """An event that equals the one before is taken for a repetition."""

    last = None

    def emit(self, event):
        if event != self.last:
            super().emit(event)
        self.last = event


@fault("dispatch/the-data-is-reset", "lines/lf")
class LastEventLost(ReferenceParser):
    """Each event comes out when the next one begins, and the last one never."""

    held = None

    def emit(self, event):
        if self.held:
            super().emit(self.held)
        self.held = event


@fault("fields/a-value-that-looks-like-more")
class DoneEndsStream(ReferenceParser):
    """Data `[DONE]` ends the stream, and is no event."""

    over = False

    def emit(self, event):
        self.over = self.over or event.data == "[DONE]"
        if not self.over:
            super().emit(event)


@fault("fields/a-value-that-looks-like-more")
class DoneSubstringMatch(ReferenceParser):
    """`[DONE]` anywhere in the data ends the stream."""

    over = False

    def emit(self, event):
        self.over = self.over or "[DONE]" in event.data
        if not self.over:
            super().emit(event)


@fault("fields/a-value-that-looks-like-more")
class DoneDropped(ReferenceParser):
    """The event whose data is `[DONE]` is left out."""

    def emit(self, event):
        if event.data.strip() != "[DONE]":
            super().emit(event)


@fault("fields/a-value-that-looks-like-more")
class DoneExits(ReferenceParser):
    """Data `[DONE]` ends the process."""

    def emit(self, event):
        super().emit(event)
        if event.data == "[DONE]":
            raise SystemExit


@fault("fields/a-value-that-looks-like-more")
class InterruptedOnAValue(ReferenceParser):
    """Raises KeyboardInterrupt where data is `null`."""

    def emit(self, event):
        if event.data == "null":
            raise KeyboardInterrupt
        super().emit(event)


@fault("end/nothing-is-invented", "end/no-chunks")
class RaisesBehindRightEvents(ReferenceParser):
    """Gives all events, and raises at the end."""

    def at_end(self):
        raise RuntimeError("generator raised StopIteration")


@fault("fields/a-tab-is-kept", hangs=True)
class EndlessOnATab(ReferenceParser):
    """Does not end on a value that starts with a tab."""

    def field_data(self, value):
        while value.startswith("\t"):
            pass
        super().field_data(value)


@fault("dispatch/many-events-in-a-stream")
class RecursionOnBlankLines(ReferenceParser):
    """Each line calls for the next one: many of them are too deep."""

    def read_text(self, text):
        if text.count("\n") > 400:
            raise RecursionError("maximum recursion depth exceeded")
        super().read_text(text)


@fault("bytes/three-byte-character-cut")
class DataShownAsBytes(ReferenceParser):
    """Data that is not ASCII comes out as bytes."""

    def emit(self, event):
        data = event.data if event.data.isascii() else event.data.encode()
        super().emit(Event(event.type, data, event.last_event_id))
