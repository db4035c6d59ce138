"""Deviations in what one run leaves to the next: what should belong to the parser belongs to its class.

Each keeps what it leaves for each class that it is part of, so that a parser that combines it with others and one
that has it alone leave nothing to one another.
"""

from __future__ import annotations

from codecs import BufferedIncrementalDecoder
from typing import ClassVar
from weakref import WeakKeyDictionary

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue, Part

deviation = Catalogue("transport", "9.2.6: all buffers are empty at the start", carries=True)

_MEND = "Make the state in `__init__`, one for each parser, and not in the body of the class."


@deviation(
    layer="events",
    symptom="A message starts with text of an earlier answer, which was broken off.",
    mend=_MEND,
)
class DataInAClassAttribute(ReferenceParser):
    """The data buffer belongs to the class, so a new parser goes on with what the last one left in it."""

    __shared: ClassVar[WeakKeyDictionary[Part, list[str]]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self._data = self.__shared.setdefault(type(self), [])

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self._data = self.__shared[type(self)]
        self._data.clear()


@deviation(
    layer="events",
    symptom="The first message of an answer has the type of one in an earlier answer, which was broken off.",
    mend=_MEND,
)
class TypeInAClassAttribute(ReferenceParser):
    """The event type buffer belongs to the class, so a new parser starts with the type that was left in it."""

    __left: ClassVar[WeakKeyDictionary[Part, str]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self._type = self.__left.get(type(self), "")

    def field_event(self, value: str) -> None:
        super().field_event(value)
        self.__left[type(self)] = self._type

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.__left[type(self)] = self._type


@deviation(
    layer="lines",
    symptom="The first message of an answer is missing or damaged where an earlier answer was broken off.",
    mend=_MEND,
)
class LineInAClassAttribute(ReferenceParser):
    """The unfinished line belongs to the class, so a new parser puts it before its first one."""

    __left: ClassVar[WeakKeyDictionary[Part, str]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self._line = self.__left.get(type(self), "")

    def read_text(self, text: str) -> None:
        super().read_text(text)
        self.__left[type(self)] = self._line


@deviation(
    layer="fields",
    symptom="A message has the ID of another answer, and a reconnection asks for what was never sent.",
    mend=_MEND,
)
class IdInAClassAttribute(ReferenceParser):
    """The last event ID buffer belongs to the class, so a new parser starts with the ID of an earlier stream."""

    __left: ClassVar[WeakKeyDictionary[Part, str]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self._id = self.__left.get(type(self), "")

    def field_id(self, value: str) -> None:
        super().field_id(value)
        self.__left[type(self)] = self._id


@deviation(
    layer="fields",
    symptom="A reconnection waits for as long as another server asked to.",
    mend=_MEND,
)
class RetryInAClassAttribute(ReferenceParser):
    """The reconnection time belongs to the class, so a new parser starts with that of an earlier stream."""

    __left: ClassVar[WeakKeyDictionary[Part, str]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        if digits := self.__left.get(type(self)):
            self.retries.append(digits)

    def set_retry(self, digits: str) -> None:
        super().set_retry(digits)
        self.__left[type(self)] = digits


@deviation(
    layer="bytes",
    symptom="An answer starts with a strange character where an earlier one was broken off.",
    mend="Make a decoder for each parser, or reset the one that there is.",
    clause="9.2.5: the stream is decoded as a whole",
)
class DecoderInAClassAttribute(ReferenceParser):
    """The decoder belongs to the class and is not reset, so a new parser starts with the bytes left in it."""

    __shared: ClassVar[WeakKeyDictionary[Part, BufferedIncrementalDecoder]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self._decoder = self.__shared.setdefault(type(self), self._decoder)

    def decode_end(self) -> str:
        return ""


@deviation(
    layer="characters",
    symptom="The first message of every answer but the first is missing where the server sends a byte order mark.",
    mend="Keep with the parser, and not with its class, whether the stream has begun.",
    clause="9.2.5: one U+FEFF at the start of the stream is removed",
)
class MarkStrippedOnlyInTheFirstRun(ReferenceParser):
    """Whether the stream has begun belongs to the class, so no parser but the first removes a byte order mark."""

    __begun: ClassVar[WeakKeyDictionary[Part, bool]] = WeakKeyDictionary()

    def strip_mark(self, text: str) -> str:
        if self.__begun.setdefault(type(self), False):
            return text
        self.__begun[type(self)] = True
        return super().strip_mark(text)


@deviation(
    layer="completion",
    symptom="The first answer arrives, and no other one after it.",
    mend="Keep with the parser, and not with its class, that the stream is over.",
)
class DoneInAClassAttribute(ReferenceParser):
    """That an event `[DONE]` has come belongs to the class, so the parsers after it give no events."""

    __done: ClassVar[WeakKeyDictionary[Part, bool]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self.__over = self.__done.get(type(self), False)

    def emit(self, event: Event) -> None:
        if event.data == "[DONE]":
            self.__done[type(self)] = True
        if not self.__over:
            super().emit(event)


@deviation(
    layer="events",
    symptom="Messages of an answer are missing where their IDs were used in an earlier one.",
    mend="Forget the IDs with the parser: two streams may use the same ones.",
)
class IdsOfEarlierRunsDropped(ReferenceParser):
    """The IDs that were seen belong to the class, so an event is dropped if an earlier stream had its ID."""

    __seen: ClassVar[WeakKeyDictionary[Part, set[str]]] = WeakKeyDictionary()

    def __init__(self) -> None:
        super().__init__()
        self.__earlier = frozenset(self.__seen.setdefault(type(self), set()))

    def emit(self, event: Event) -> None:
        if event.last_event_id:
            self.__seen[type(self)].add(event.last_event_id)
        if event.last_event_id not in self.__earlier:
            super().emit(event)
