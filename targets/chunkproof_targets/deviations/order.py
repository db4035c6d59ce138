"""Deviations in the order and the repetition of fields within a block."""

from __future__ import annotations

from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6: fields count in any order, and of several of one name the last")


@deviation(
    symptom="Event names and IDs are missing where the server writes them behind the text.",
    mend="Read all fields of a block before it is dispatched.",
)
class FieldsBehindDataIgnored(ReferenceParser):
    """Ignores what stands behind the first data line of a block, but for more data."""

    def field(self, name: str, value: str) -> None:
        if name == "data" or not self._data:
            super().field(name, value)


@deviation(
    symptom="Event names are missing where the server writes them behind the text.",
    mend="Read all fields of a block before it is dispatched.",
)
class TypeBehindDataIgnored(ReferenceParser):
    """Ignores an event type behind data."""

    def field_event(self, value: str) -> None:
        if not self._data:
            super().field_event(value)


@deviation(
    symptom="After a reconnection events come twice, where the server writes the ID behind the text.",
    mend="Read all fields of a block before it is dispatched.",
)
class IdBehindDataIgnored(ReferenceParser):
    """Ignores an ID behind data."""

    def field_id(self, value: str) -> None:
        if not self._data:
            super().field_id(value)


@deviation(
    symptom="Event names are missing where the server writes the ID first.",
    mend="Read the fields of a block in any order.",
)
class TypeMustComeFirst(ReferenceParser):
    """Ignores an event type behind an ID."""

    __seen = False

    def field(self, name: str, value: str) -> None:
        if name != "event" or not self.__seen:
            super().field(name, value)
        self.__seen = name == "id" or self.__seen

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.__seen = False


@deviation(
    symptom="Texts are missing where the server writes the event name behind them.",
    mend="Keep what was read of the block when the type comes.",
)
class TypeDropsTheDataBefore(ReferenceParser):
    """Throws away the data that stands before an event type."""

    def field_event(self, value: str) -> None:
        self._data = []
        super().field_event(value)


@deviation(
    symptom="Texts come under the name of the event before, where the server writes the name behind the text.",
    mend="End an event at a blank line, and nowhere else.",
    layer="events",
)
class TypeBeginsAnEvent(ReferenceParser):
    """Takes an event type for the start of the next event."""

    def field_event(self, value: str) -> None:
        self.dispatch()
        super().field_event(value)


@deviation(
    symptom="Texts come with the ID of the event before, where the server writes the ID behind the text.",
    mend="End an event at a blank line, and nowhere else.",
    layer="events",
)
class IdBeginsAnEvent(ReferenceParser):
    """Takes an ID for the start of the next event."""

    def field_id(self, value: str) -> None:
        self.dispatch()
        super().field_id(value)


@deviation(
    symptom="An event is handled under a name that the server corrected in the same block.",
    mend="Let a later `event` of a block replace the earlier one.",
)
class FirstTypeWins(ReferenceParser):
    """Takes the first of several event types in a block."""

    def field_event(self, value: str) -> None:
        if not self._type:
            super().field_event(value)


@deviation(
    symptom="An event is handled under no name at all: it has two names in one.",
    mend="Let a later `event` of a block replace the earlier one; only data lines are joined.",
)
class TypesAreJoined(ReferenceParser):
    """Joins several event types of a block with line feeds, as if they were data."""

    def field_event(self, value: str) -> None:
        super().field_event(f"{self._type}\n{value}" if self._type else value)


@deviation(
    symptom="After a reconnection events come twice: the stream goes on from an ID that was corrected in its block.",
    mend="Let a later `id` of a block replace the earlier one.",
)
class FirstIdWins(ReferenceParser):
    """Takes the first of several IDs in a block."""

    __seen = False

    def field_id(self, value: str) -> None:
        if not self.__seen:
            super().field_id(value)
        self.__seen = True

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.__seen = False


@deviation(
    symptom="The client reconnects after a time that the server corrected in the same block.",
    mend="Let a later `retry` of a block replace the earlier one.",
)
class FirstRetryWins(ReferenceParser):
    """Takes the first of several reconnection times in a block."""

    __seen = False

    def set_retry(self, digits: str) -> None:
        if not self.__seen:
            super().set_retry(digits)
        self.__seen = True

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.__seen = False


@deviation(
    symptom="The stream stops with an error where a block names its type or its ID twice.",
    mend="Let a later field of a block replace the earlier one of its name.",
)
class RepeatedFieldRaises(ReferenceParser):
    """Raises at a second event type, ID or retry in a block."""

    __seen: tuple[str, ...] = ()

    def field(self, name: str, value: str) -> None:
        if name in self.__seen:
            raise ValueError(f"duplicate field {name!r}")
        if name in ("event", "id", "retry"):
            self.__seen = (*self.__seen, name)
        super().field(name, value)

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.__seen = ()
