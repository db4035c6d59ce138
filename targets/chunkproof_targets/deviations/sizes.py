"""Deviations in how much there may be of something: limits that nobody declared, on lines, events, chunks and more.

A limit that counts bytes and one that counts characters differ in any script but Latin; one on an event and one on a
line differ where an event has several lines.
"""

from __future__ import annotations

from ..contract import DEFAULT_TYPE, Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("lines", "follows from 9.2.5 and 9.2.6: there is no limit")

_LIMITS = (4096, 65536, 131_072)
_REPORTS = (
    "mark3labs/mcp-go#61",
    "openai/openai-go#368",
    "cloudwego/hertz#1408",
    "cloudwego/hertz#1441",
    "achetronic/magec#45",
    "alevinval/sse#66",
    "stellar/go-stellar-sdk#548",
    "mattn/go-mastodon#145",
    "modelcontextprotocol/go-sdk#726",
    "anomalyco/opencode#3531",
)
_ENDS_IN_AN_ERROR = "An answer with a long message, as a document or an image is, breaks off with an error."
_IS_CUT = "The end of a long message is missing, and the JSON in it does not parse."
_IS_LOST = "A long message never arrives, or a line of it is missing, with no error."
_RAISE_THE_LIMIT = "Read lines of any length, or document a limit that the caller can raise."


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _first(text: str, limit: int) -> str:
    """The first bytes, as a decoder shows them: a character that is cut becomes U+FFFD."""
    return text.encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "replace")


# Lines, in bytes -------------------------------------------------------------------------------------------------


def _line_limit(limit: int) -> None:
    @deviation(value=limit, symptom=_ENDS_IN_AN_ERROR, mend=_RAISE_THE_LIMIT, reports=_REPORTS)
    class LineLimit(ReferenceParser):
        """A line of more than {} bytes raises."""

        def read_line(self, line: str) -> None:
            if _size(line) > limit:
                raise ValueError("line too long")
            super().read_line(line)

    @deviation(value=limit, symptom=_IS_CUT, mend=_RAISE_THE_LIMIT)
    class LineLimitCuts(ReferenceParser):
        """A line is cut at {} bytes."""

        def read_line(self, line: str) -> None:
            super().read_line(_first(line, limit))

    @deviation(value=limit, symptom=_IS_LOST, mend=_RAISE_THE_LIMIT)
    class LineLimitDrops(ReferenceParser):
        """A line of more than {} bytes is dropped."""

        def read_line(self, line: str) -> None:
            if _size(line) <= limit:
                super().read_line(line)


def _line_limit_of_a_reader(limit: int) -> None:
    @deviation(
        value=limit,
        symptom="All that comes behind a long message is missing, with no error.",
        mend="Ask the reader for its error when it has no more lines, and raise its limit.",
    )
    class LineLimitEnds(ReferenceParser):
        """A line of more than {} bytes ends the stream as if it were over."""

        __over = False

        def read_line(self, line: str) -> None:
            self.__over = self.__over or _size(line) > limit
            if not self.__over:
                super().read_line(line)

    @deviation(
        value=limit,
        symptom="The end of a long message is missing, or is shown as something else.",
        mend="Put the pieces of a long line together before they are read.",
    )
    class LineLimitSplits(ReferenceParser):
        """A line of more than {} bytes is read as several, as with a buffer of that size."""

        def read_line(self, line: str) -> None:
            while _size(line) > limit:
                piece = line.encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "ignore") or line[:1]
                super().read_line(piece)
                line = line[len(piece) :]
            super().read_line(line)


for _limit in _LIMITS:
    _line_limit(_limit)
for _limit in _LIMITS[:2]:
    _line_limit_of_a_reader(_limit)


# Lines, in characters --------------------------------------------------------------------------------------------


def _line_limit_in_characters(limit: int) -> None:
    @deviation(value=limit, symptom=_ENDS_IN_AN_ERROR, mend=_RAISE_THE_LIMIT)
    class LineLimitInCharacters(ReferenceParser):
        """A line of more than {} characters raises."""

        def read_line(self, line: str) -> None:
            if len(line) > limit:
                raise ValueError("line too long")
            super().read_line(line)

    @deviation(value=limit, symptom=_IS_CUT, mend=_RAISE_THE_LIMIT)
    class LineLimitInCharactersCuts(ReferenceParser):
        """A line is cut at {} characters."""

        def read_line(self, line: str) -> None:
            super().read_line(line[:limit])

    @deviation(value=limit, symptom=_IS_LOST, mend=_RAISE_THE_LIMIT)
    class LineLimitInCharactersDrops(ReferenceParser):
        """A line of more than {} characters is dropped."""

        def read_line(self, line: str) -> None:
            if len(line) <= limit:
                super().read_line(line)


for _limit in (1024, *_LIMITS):
    _line_limit_in_characters(_limit)


# Unfinished lines ------------------------------------------------------------------------------------------------


def _buffer_limit(limit: int) -> None:
    @deviation(
        value=limit,
        symptom="An answer with a long message breaks off with an error now and then, as the network delivers it.",
        mend=_RAISE_THE_LIMIT,
    )
    class BufferLimit(ReferenceParser):
        """More than {} bytes of a line that is unfinished at the end of a chunk raise."""

        __kept = 0

        def read_text(self, text: str) -> None:
            super().read_text(text)
            self.__kept = _size(self._line) if "\n" in text or "\r" in text else self.__kept + _size(text)
            if self.__kept > limit:
                raise BufferError("too much text without a line end")

    @deviation(
        value=limit,
        symptom="The beginning of a long message is missing now and then, as the network delivers it.",
        mend=_RAISE_THE_LIMIT,
    )
    class BufferLimitDrops(ReferenceParser):
        """More than {} bytes of a line that is unfinished at the end of a chunk are thrown away."""

        __kept = 0

        def read_text(self, text: str) -> None:
            super().read_text(text)
            self.__kept = _size(self._line) if "\n" in text or "\r" in text else self.__kept + _size(text)
            if self.__kept > limit:
                self.__kept = 0
                self._line = ""


for _limit in _LIMITS[:2]:
    _buffer_limit(_limit)


# Events ----------------------------------------------------------------------------------------------------------


def _event_limit(limit: int) -> None:
    @deviation(value=limit, layer="events", symptom=_ENDS_IN_AN_ERROR, mend=_RAISE_THE_LIMIT)
    class EventLimit(ReferenceParser):
        """An event with more than {} bytes of data raises."""

        def dispatch(self) -> None:
            if _size("\n".join(self._data)) > limit:
                raise ValueError("event too large")
            super().dispatch()

    @deviation(value=limit, layer="events", symptom=_IS_CUT, mend=_RAISE_THE_LIMIT)
    class EventLimitCuts(ReferenceParser):
        """The data of an event is cut at {} bytes."""

        def join_data(self) -> str:
            return _first(super().join_data(), limit)

    @deviation(
        value=limit,
        layer="events",
        symptom="A long message never arrives, with no error.",
        mend=_RAISE_THE_LIMIT,
    )
    class EventLimitDrops(ReferenceParser):
        """An event with more than {} bytes of data is dropped."""

        def dispatch(self) -> None:
            if _size("\n".join(self._data)) > limit:
                self._data = []
            super().dispatch()


for _limit in _LIMITS:
    _event_limit(_limit)


def _data_lines_limit(limit: int) -> None:
    @deviation(
        value=limit,
        layer="events",
        symptom="The end of a message of many lines is missing, with no error.",
        mend="Keep as many data lines as come, or document a limit that the caller can raise.",
    )
    class DataLinesLimit(ReferenceParser):
        """An event keeps {} data lines, and further ones are dropped."""

        def field_data(self, value: str) -> None:
            if len(self._data) < limit:
                super().field_data(value)


for _limit in (256, 1024):
    _data_lines_limit(_limit)


# Chunks and streams ----------------------------------------------------------------------------------------------


def _chunk_limit(limit: int) -> None:
    @deviation(
        value=limit,
        layer="transport",
        symptom="Pieces of an answer are missing where much of it comes at once.",
        mend="Read on until the chunk is used up.",
    )
    class ChunkLimit(ReferenceParser):
        """Of a chunk, only the first {} bytes are read."""

        def feed(self, chunk: bytes) -> list[Event]:
            return super().feed(chunk[:limit])

    @deviation(
        value=limit,
        layer="transport",
        symptom="An answer breaks off with an error where much of it comes at once.",
        mend="Read a large chunk in parts.",
    )
    class ChunkLimitRaises(ReferenceParser):
        """A chunk of more than {} bytes raises."""

        def feed(self, chunk: bytes) -> list[Event]:
            if len(chunk) > limit:
                raise BufferError("chunk too large")
            return super().feed(chunk)


for _limit in _LIMITS[:2]:
    _chunk_limit(_limit)


@deviation(
    value=512,
    layer="transport",
    symptom="A character of a message is missing now and then.",
    mend="Hand on as many bytes as were read: no zero byte stands behind them.",
)
class FullChunkLosesItsLastByte(ReferenceParser):
    """A chunk of exactly {} bytes loses the last one, as with a buffer that ends in a zero byte."""

    def feed(self, chunk: bytes) -> list[Event]:
        return super().feed(chunk[:511] if len(chunk) == 512 else chunk)


@deviation(
    value=512,
    layer="events",
    symptom="Messages are missing where many come at once.",
    mend="Let the queue grow, or stop reading until there is room in it.",
)
class EventsOfAChunkLimit(ReferenceParser):
    """Of the events of a chunk, the first {} come out."""

    def take_events(self) -> list[Event]:
        return super().take_events()[:512]


@deviation(
    value=65536,
    layer="transport",
    symptom="The end of a long answer is missing, with no error.",
    mend="Read to the end of the response.",
)
class StreamLimit(ReferenceParser):
    """Nothing behind the first {} bytes of a stream is read."""

    __left = 65536

    def feed(self, chunk: bytes) -> list[Event]:
        chunk = chunk[: self.__left]
        self.__left -= len(chunk)
        return super().feed(chunk)


# Types, IDs, names and comments ----------------------------------------------------------------------------------


@deviation(
    value=64,
    layer="fields",
    symptom="Nobody listens for a message with a long type.",
    mend="Keep the type as long as it is.",
)
class TypeLimitCuts(ReferenceParser):
    """A type is cut at {} characters."""

    def field_event(self, value: str) -> None:
        super().field_event(value[:64])


@deviation(
    value=64,
    layer="fields",
    symptom="After a lost connection the server does not know the ID that it is sent.",
    mend="Keep the ID as long as it is.",
)
class IdLimitCuts(ReferenceParser):
    """An ID is cut at {} characters."""

    def field_id(self, value: str) -> None:
        super().field_id(value[:64])


@deviation(
    value=255,
    layer="fields",
    symptom="After a lost connection messages come again or are missing.",
    mend="Keep the ID as long as it is.",
)
class IdLimitDrops(ReferenceParser):
    """An ID of more than {} characters is ignored."""

    def field_id(self, value: str) -> None:
        if len(value) <= 255:
            super().field_id(value)


@deviation(
    value=64,
    layer="fields",
    symptom="An answer breaks off with an error where a server sends a field that the standard does not know.",
    mend="Ignore a field with another name, however long it is.",
)
class NameLimit(ReferenceParser):
    """A field whose name has more than {} characters raises."""

    def field(self, name: str, value: str) -> None:
        if len(name) > 64:
            raise ValueError("field name too long")
        super().field(name, value)


@deviation(
    value=512,
    layer="fields",
    symptom="An empty message is shown where a server sends a long comment.",
    mend="Ignore a comment, however long it is.",
    clause="9.2.6: a line that starts with a colon is ignored",
)
class CommentLimit(ReferenceParser):
    """A comment of more than {} characters ends the block, and is an empty event."""

    def comment(self, line: str) -> None:
        super().comment(line)
        if len(line) > 512:
            self.dispatch()
            self.emit(Event(DEFAULT_TYPE, "", self.last_event_id))
