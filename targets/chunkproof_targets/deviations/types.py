"""Deviations in the type of an event."""

from __future__ import annotations

import re

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("events", "9.2.6, dispatch: the type is the event type buffer, or else message")

_FIELD = "9.2.6, event: the event type buffer becomes the value"
_RESET = "9.2.6, dispatch: the event type buffer becomes empty"

# When it is reset ----------------------------------------------------------------------------------------------------


@deviation(
    clause=_RESET,
    symptom="Events that name no type arrive under the type of an earlier event.",
    mend="Empty the type at every blank line.",
    reports=("Ahoo-Wang/fetcher#1404",),
)
class EventTypeLeaks(ReferenceParser):
    """Never resets the type."""

    def reset_buffers(self) -> None:
        kind = self._type
        super().reset_buffers()
        self._type = kind


@deviation(
    clause=_RESET,
    symptom="Behind a heartbeat that has a type and no data, the next plain event arrives under the heartbeat's type.",
    mend="Empty the type at every blank line, also where it makes no event.",
)
class EventTypeLeaksOverABlockWithoutData(ReferenceParser):
    """Resets the type only where an event is made."""

    def reset_buffers(self) -> None:
        kind = "" if self._data else self._type
        super().reset_buffers()
        self._type = kind


@deviation(
    clause=_FIELD,
    symptom="An event whose type was taken back by an empty `event` field arrives under that type all the same.",
    mend="Set the type to the value of each `event` field, also where that is empty.",
)
class EmptyTypeIgnored(ReferenceParser):
    """An empty type leaves the earlier one of the block."""

    def field_event(self, value: str) -> None:
        if value:
            super().field_event(value)


@deviation(
    clause=_FIELD,
    symptom="An event that names two types arrives under both of them, written as one word.",
    mend="Set the type to the value of each `event` field, in place of what it was.",
)
class TypesAppended(ReferenceParser):
    """A second type of a block is appended to the first."""

    def field_event(self, value: str) -> None:
        super().field_event(self._type + value)


# What it becomes -----------------------------------------------------------------------------------------------------


@deviation(
    symptom="Some events have an empty type, and no handler for `message` sees them.",
    mend="Take an empty type for message when the event is made.",
)
class EmptyTypeShown(ReferenceParser):
    """An empty `event` field makes the type the empty string."""

    __empty = False

    def field_event(self, value: str) -> None:
        self.__empty = not value
        super().field_event(value)

    def event_type(self) -> str:
        return "" if self.__empty and not self._type else super().event_type()

    def reset_buffers(self) -> None:
        self.__empty = False
        super().reset_buffers()


@deviation(
    symptom="Plain events have an empty type, and no handler for `message` sees them.",
    mend="Give an event whose block names no type the type message.",
)
class DefaultTypeIsEmpty(ReferenceParser):
    """An event without a type has the empty one."""

    def event_type(self) -> str:
        return self._type


@deviation(
    clause=_FIELD,
    symptom="A handler for a type with a capital letter is never called.",
    mend="Keep the type as it was sent.",
)
class TypeLowerCased(ReferenceParser):
    """Types are lower-cased."""

    def field_event(self, value: str) -> None:
        super().field_event(value.lower())


@deviation(
    clause=_FIELD,
    symptom="A type with blanks around it arrives without them.",
    mend="Remove the one space behind the colon, and nothing else.",
)
class TypeTrimmed(ReferenceParser):
    """Types are trimmed."""

    def field_event(self, value: str) -> None:
        super().field_event(value.strip())


@deviation(
    clause=_FIELD,
    symptom="A type such as `thread:created` arrives as `thread`.",
    mend="Cut a line at its first colon only.",
)
class TypeCutAtAColon(ReferenceParser):
    """A type ends at a colon."""

    def field_event(self, value: str) -> None:
        super().field_event(value.partition(":")[0])


@deviation(
    clause=_FIELD,
    symptom="A type of two words arrives as its first word.",
    mend="Keep the type as it was sent, blanks within it too.",
)
class TypeCutAtASpace(ReferenceParser):
    """A type ends at a space within it."""

    def field_event(self, value: str) -> None:
        super().field_event(re.sub(r"(?<=[^ ]) .*", "", value))


@deviation(
    clause=_FIELD,
    symptom="Events with a type in another script, or with a dot in it, arrive as plain messages.",
    mend="Take any text for a type.",
)
class TypeOfOtherThanWordsIgnored(ReferenceParser):
    """A type that is no word of ASCII letters, digits, `_` and `-` is ignored."""

    def field_event(self, value: str) -> None:
        if not value or re.fullmatch(r"[A-Za-z0-9_-]+", value):
            super().field_event(value)


# Which come out ------------------------------------------------------------------------------------------------------


@deviation(
    symptom="The stream ends in an exception when the server sends an event of the type `error`.",
    mend="Hand the event over as any other, and leave what it means to the caller.",
)
class TypeErrorRaises(ReferenceParser):
    """An event of the type `error` raises."""

    def emit(self, event: Event) -> None:
        if event.type == "error":
            raise RuntimeError(event.data)
        super().emit(event)


def _type_dropped(name: str, aliases: tuple[str, ...]) -> None:
    @deviation(
        symptom=f"Events of the type `{name}` never arrive.",
        mend="Hand over every event with data, whatever its type.",
        value=name,
        aliases=aliases,
    )
    class TypeDropped(ReferenceParser):
        """An event of the type `{}` is dropped."""

        def emit(self, event: Event) -> None:
            if event.type != name:
                super().emit(event)


_type_dropped("ping", ("type-ping-dropped",))
_type_dropped("heartbeat", ())
_type_dropped("keep-alive", ())
_type_dropped("error", ())
_type_dropped("open", ())


@deviation(
    symptom="Events with a type of their own never arrive.",
    mend="Hand over every event with data, whatever its type.",
)
class TypeMessageOnly(ReferenceParser):
    """Only events of the default type come out."""

    def emit(self, event: Event) -> None:
        if event.type == "message":
            super().emit(event)


@deviation(
    symptom="Plain events, whose block names no type, never arrive.",
    mend="Give an event whose block names no type the type message, and hand it over.",
)
class TypeRequired(ReferenceParser):
    """An event without a type is dropped."""

    __named = False

    def field_event(self, value: str) -> None:
        self.__named = True
        super().field_event(value)

    def emit(self, event: Event) -> None:
        if self.__named:
            super().emit(event)

    def reset_buffers(self) -> None:
        self.__named = False
        super().reset_buffers()
