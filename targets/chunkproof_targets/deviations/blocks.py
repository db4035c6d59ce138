"""Deviations in which blocks make an event: those without data, those with empty data, and blank lines in a row."""

from __future__ import annotations

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue
from .steps import StoppingParser

deviation = Catalogue("events", "9.2.6, dispatch: a block whose data buffer is empty makes no event")

_EMPTY = "9.2.6, dispatch: the data buffer loses one LF, and an event with empty data is an event"
_RESET = "9.2.6, dispatch: the data buffer becomes empty"
_DATA_ALONE = "Make an event only where the block had a data field; nothing else in it counts."
_CONTROL = (
    *("openai/openai-python#3833", "openai/openai-python#2722", "openai/openai-python#2721"),
    *("openai/openai-python#2933", "openai/openai-python#2943", "openai/openai-python#3839"),
)


class _Content(ReferenceParser):
    """A block that has something which counts for its content makes an event with empty data."""

    def dispatch(self) -> None:
        if not self._data and self.has_content():
            self._data = [""]
        super().dispatch()

    def has_content(self) -> bool:
        """Whether a block without data is an event; each entry says when, or asks the others."""
        return False


# A block without data ------------------------------------------------------------------------------------------------


@deviation(
    symptom="A block that has a type and no data arrives as an event with empty data; parsing that as JSON fails.",
    mend=_DATA_ALONE,
)
class TypeBlockDispatched(_Content):
    """A block that has a type and no data makes an event."""

    def has_content(self) -> bool:
        return bool(self._type) or super().has_content()


@deviation(
    symptom="A block with an `event` field and no data, even an empty one, arrives as an event with empty data.",
    mend=_DATA_ALONE,
)
class TypeFieldDispatched(_Content):
    """A block that has an `event` field and no data makes an event, even where the type is empty."""

    __seen = False

    def field_event(self, value: str) -> None:
        self.__seen = True
        super().field_event(value)

    def has_content(self) -> bool:
        return self.__seen or super().has_content()

    def reset_buffers(self) -> None:
        self.__seen = False
        super().reset_buffers()


@deviation(
    symptom="A block that has an ID and no data arrives as an event with empty data; parsing that as JSON fails.",
    mend=_DATA_ALONE,
    reports=_CONTROL,
)
class IdBlockDispatched(_Content):
    """A block that has an ID and no data makes an event."""

    __own = ""

    def field_id(self, value: str) -> None:
        super().field_id(value)
        if "\0" not in value or "\0" in self._id:
            self.__own = self._id

    def has_content(self) -> bool:
        return bool(self.__own) or super().has_content()

    def reset_buffers(self) -> None:
        self.__own = ""
        super().reset_buffers()


@deviation(
    symptom="A block with an `id` field and no data, even a wrong one, arrives as an event with empty data.",
    mend=_DATA_ALONE,
)
class IdFieldDispatched(_Content):
    """A block that has an `id` field and no data makes an event, even where it sets no ID."""

    __seen = False

    def field_id(self, value: str) -> None:
        self.__seen = True
        super().field_id(value)

    def has_content(self) -> bool:
        return self.__seen or super().has_content()

    def reset_buffers(self) -> None:
        self.__seen = False
        super().reset_buffers()


@deviation(
    symptom="Once an event had an ID, each heartbeat or blank line behind it arrives as an event with empty data.",
    mend="Ask whether the block has a data field, and not whether an ID is in force: that may be an earlier one.",
)
class IdThatStaysDispatched(_Content):
    """Dispatches every blank line once an ID was seen, as it takes the ID that stays for content of the block."""

    __named = False

    def field_id(self, value: str) -> None:
        super().field_id(value)
        self.__named = self.__named or "\0" not in value or "\0" in self._id

    def has_content(self) -> bool:
        return bool(self._id and not self.__named) or super().has_content()

    def reset_buffers(self) -> None:
        self.__named = False
        super().reset_buffers()


@deviation(
    symptom="A block with only a `retry` arrives as an event with empty data; parsing that as JSON fails.",
    mend=_DATA_ALONE,
    reports=_CONTROL,
)
class ControlBlockDispatched(_Content):
    """A block that sets the reconnection time and has no data makes an event."""

    __set = False

    def set_retry(self, digits: str) -> None:
        self.__set = True
        super().set_retry(digits)

    def has_content(self) -> bool:
        return self.__set or super().has_content()

    def reset_buffers(self) -> None:
        self.__set = False
        super().reset_buffers()


@deviation(
    symptom="A block with only a `retry`, even a wrong one, arrives as an event with empty data.",
    mend=_DATA_ALONE,
)
class RetryFieldDispatched(_Content):
    """A block that has a `retry` field and no data makes an event, even where it sets no time."""

    __seen = False

    def field_retry(self, value: str) -> None:
        self.__seen = True
        super().field_retry(value)

    def has_content(self) -> bool:
        return self.__seen or super().has_content()

    def reset_buffers(self) -> None:
        self.__seen = False
        super().reset_buffers()


@deviation(
    symptom="A block of fields that the standard does not know arrives as an event with empty data.",
    mend=_DATA_ALONE,
)
class UnknownBlockDispatched(_Content):
    """A block of unknown fields alone makes an event."""

    __seen = False

    def field_unknown(self, name: str, value: str) -> None:
        self.__seen = True
        super().field_unknown(name, value)

    def has_content(self) -> bool:
        return self.__seen or super().has_content()

    def reset_buffers(self) -> None:
        self.__seen = False
        super().reset_buffers()


@deviation(
    symptom="Empty events arrive between the real ones, wherever a server sends a comment or one blank line more.",
    mend=_DATA_ALONE,
)
class BlankLinesDispatched(_Content):
    """Every blank line makes an event."""

    def has_content(self) -> bool:
        return True


@deviation(
    symptom="The stream ends in an exception when a block has fields and none of them is data.",
    mend="Make no event of a block without a data field, and go on.",
)
class NoDataRaises(ReferenceParser):
    """A block that has fields and no data raises."""

    __seen = False

    def field(self, name: str, value: str) -> None:
        self.__seen = True
        super().field(name, value)

    def dispatch(self) -> None:
        if self.__seen and not self._data:
            raise KeyError("data")
        super().dispatch()

    def reset_buffers(self) -> None:
        self.__seen = False
        super().reset_buffers()


# Empty data ----------------------------------------------------------------------------------------------------------


@deviation(
    clause=_EMPTY,
    symptom="An event with empty data never arrives.",
    mend="Ask whether there was a data field, and not whether the data is empty.",
)
class EmptyDataDropped(ReferenceParser):
    """An event whose data is empty is dropped."""

    def emit(self, event: Event) -> None:
        if event.data:
            super().emit(event)


@deviation(
    clause=_EMPTY,
    symptom="An event whose data is only blanks or line feeds never arrives, and a generated text loses its breaks.",
    mend="Ask whether there was a data field, and not what stands in it.",
)
class BlankDataDropped(ReferenceParser):
    """An event whose data is empty or blank is dropped."""

    def emit(self, event: Event) -> None:
        if event.data and event.data.strip():
            super().emit(event)


@deviation(
    layer="completion",
    clause=_EMPTY,
    symptom="Nothing arrives any more behind an event with empty data.",
    mend="Take the end of the input for the end of the stream, and no data.",
)
class EmptyDataEndsStream(StoppingParser):
    """An event whose data is empty ends the stream."""

    def emit(self, event: Event) -> None:
        self._over = self._over or not event.data
        if not self._over:
            super().emit(event)


@deviation(
    clause=_RESET,
    symptom="Each event begins with the text of all events before it.",
    mend="Empty the data at every blank line.",
)
class DataLeaks(ReferenceParser):
    """The data of one event stands in the next too."""

    def reset_buffers(self) -> None:
        data = self._data
        super().reset_buffers()
        self._data = data


# Blank lines in a row ------------------------------------------------------------------------------------------------


@deviation(
    layer="completion",
    symptom="Nothing arrives of a stream that begins with a blank line.",
    mend="Let a blank line that ends no block do nothing.",
)
class ABlankLineFirstEndsTheStream(StoppingParser):
    """A blank line before any other line ends the stream."""

    __started = False

    def read_line(self, line: str) -> None:
        self._over = self._over or not (line or self.__started)
        self.__started = True
        super().read_line(line)


@deviation(
    layer="completion",
    symptom="Nothing arrives any more behind two blank lines in a row.",
    mend="Let a blank line that ends no block do nothing.",
)
class TwoBlankLinesEndTheStream(StoppingParser):
    """Two blank lines in a row end the stream."""

    __blank = False

    def read_line(self, line: str) -> None:
        self._over = self._over or (not line and self.__blank)
        self.__blank = not line
        super().read_line(line)


@deviation(
    symptom="An event arrives twice where the server sends one blank line more behind it.",
    mend="Forget the event when it has been handed over.",
)
class ABlankLineRepeatsTheEvent(ReferenceParser):
    """Each further blank line gives the event before it once more."""

    __last: Event | None = None

    def dispatch(self) -> None:
        if not self._data and self.__last and not self._type:
            self.emit(self.__last)
        super().dispatch()

    def emit(self, event: Event) -> None:
        self.__last = event
        super().emit(event)

    def read_line(self, line: str) -> None:
        if line:
            self.__last = None
        super().read_line(line)
