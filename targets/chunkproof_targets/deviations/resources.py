"""Deviations in what a parser takes of a machine: quadratic time, memory that is never given back, lines too long.

Each quadratic one makes a new object of all that it has at every step. CPython grows a `str` in place where a local
variable alone holds it, so that `text += more` there is linear; on an attribute it copies, as it does for `bytes`, and
for a list or tuple that is put together anew.

No outcome shows them, so they are told apart by the rules that measure, and those of one rule not at all.
"""

from __future__ import annotations

from collections.abc import Callable

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("transport", "no clause: a stream may be long, and 9.2 sets no limit")

_LONG_LINE = "resources/linear-in-a-long-line"
_DATA_LINES = "resources/linear-in-data-lines"
_EVENTS = "resources/linear-in-events"
_COMMENTS = "resources/linear-in-comments"
_BLANK_LINES = "resources/linear-in-blank-lines"
_KEPT = "resources/delivered-data-is-let-go"
_GROWS = "The program's memory grows for as long as the stream runs."
_LET_GO = "Let an event go once it was handed over."

# Time ----------------------------------------------------------------------------------------------------------------


class _WholeBuffer(ReferenceParser):
    """Appends each chunk to all that came before, and reads that only where `is_read` says so."""

    __buffer = b""

    def is_read(self, buffer: bytes) -> bool:
        """Whether all that came is read now; each entry adds a condition of its own."""
        return True

    def feed(self, chunk: bytes) -> list[Event]:
        self.__buffer += chunk
        if not self.is_read(self.__buffer):
            return []
        whole, self.__buffer = self.__buffer, b""
        return super().feed(whole)

    def close(self) -> list[Event]:
        rest, self.__buffer = self.__buffer, b""
        return [*super().feed(rest), *super().close()]


@deviation(
    shows_in=_LONG_LINE,
    symptom="One long event that comes in many small chunks takes seconds, and twice the length four times as long.",
    mend="Search only the new chunk for a line end, and keep the chunks before it in a list.",
    reports=("rexxars/eventsource-parser#19", "speakeasy-api/speakeasy#2078"),
)
class WholeBufferSearchedForALineEnd(_WholeBuffer):
    """Appends each chunk to all that came before, and searches all of it for a line end."""

    def is_read(self, buffer: bytes) -> bool:
        return super().is_read(buffer) and (b"\n" in buffer or b"\r" in buffer)


@deviation(
    shows_in=_LONG_LINE,
    symptom="One long event that comes in many small chunks takes seconds, and twice the length four times as long.",
    mend="Keep the pieces of an unfinished line in a list, and join them when the line ends.",
    reports=("rexxars/eventsource-parser#28", "Recouse/EventSource#49"),
    aliases=("text-added-to-an-attribute",),
)
class QuadraticBuffering(ReferenceParser):
    """Copies the unfinished line for each chunk, as it is a text on the parser to which each chunk is added."""

    __line = ""

    def read_text(self, text: str) -> None:
        if "\n" in text or "\r" in text or self._after_cr or self._at_start:
            line, self.__line = self.__line, ""
            super().read_text(line + text)
        else:
            self.__line = self.__line + text

    def decode_end(self) -> str:
        line, self.__line = self.__line, ""
        return line + super().decode_end()


@deviation(
    shows_in=_DATA_LINES,
    symptom="One event of many lines in small chunks takes seconds, and twice the length takes four times as long.",
    mend="Read each line when it ends, and search only the new chunk for line ends.",
    reports=("middleapi/orpc#1737",),
)
class WholeBufferSearchedForABlankLine(_WholeBuffer):
    """Searches all that came of an event for its blank line, from the start and for each chunk."""

    def is_read(self, buffer: bytes) -> bool:
        return super().is_read(buffer) and (b"\n\n" in buffer or b"\r" in buffer)


@deviation(
    shows_in=_EVENTS,
    symptom="A large chunk with many events takes minutes, while the same in small chunks is quick.",
    mend="Split the whole chunk into lines at once, or keep the place where the next line begins.",
    reports=("encode/httpx#2422", "pydantic/httpx2#719"),
    aliases=("rest-copied-for-each-line",),
)
class QuadraticLineDecoding(ReferenceParser):
    """Slices the rest of the chunk off behind each line."""

    def split_lines(self, text: str) -> list[str]:
        lines = []
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        while "\n" in text:
            line, text = text.split("\n", 1)
            lines.append(line)
        return [*lines, text]


@deviation(
    shows_in=_DATA_LINES,
    symptom="One event of many lines takes seconds, and twice the length takes four times as long.",
    mend="Keep the data lines in a list, and join them when the event is complete.",
)
class DataJoinedForEachLine(ReferenceParser):
    """Makes the whole data anew for each data line."""

    __text = ""

    def field_data(self, value: str) -> None:
        super().field_data(value)
        self.__text = self.__text + value + "\n"

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.__text = ""


@deviation(
    shows_in=_EVENTS,
    symptom="A large chunk with many events takes seconds, while the same in small chunks is quick.",
    mend="Append an event to the list of events.",
)
class EventsCopiedForEachEvent(ReferenceParser):
    """Makes the list of the chunk's events anew for each event."""

    def emit(self, event: Event) -> None:
        super().emit(event)
        self._events = [*self._events]


@deviation(
    shows_in=_COMMENTS,
    symptom="A connection that is kept alive with comments takes more and more time for each.",
    mend="Forget a comment once it was read.",
)
class CommentsCopiedForEachComment(ReferenceParser):
    """Keeps all comments, and copies them for each new one."""

    __comments: tuple[str, ...] = ()

    def comment(self, line: str) -> None:
        self.__comments = (*self.__comments, line)
        super().comment(line)


@deviation(
    shows_in=_BLANK_LINES,
    symptom="A stream with many blank lines, such as a heartbeat of them, takes more and more time for each.",
    mend="Keep a count, and no list of what came.",
)
class BlankLinesCountedAnew(ReferenceParser):
    """Keeps a row of the blank lines that ended no event, and counts it anew at each."""

    __blank = b""
    __count = 0

    def dispatch(self) -> None:
        if not self._data:
            self.__blank = self.__blank + b"0"
            self.__count = self.__blank.count(b"0")
        super().dispatch()


# Memory --------------------------------------------------------------------------------------------------------------


@deviation(shows_in=_KEPT, symptom=_GROWS, mend=_LET_GO)
class EventsKept(ReferenceParser):
    """Keeps every event in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.__log: list[Event] = []

    def emit(self, event: Event) -> None:
        self.__log.append(event)
        super().emit(event)


@deviation(shows_in=_KEPT, symptom=_GROWS, mend="Let a chunk go once it was read.")
class ChunksKept(ReferenceParser):
    """Keeps every chunk in a list, as a log of what was received."""

    def __init__(self) -> None:
        super().__init__()
        self.__received: list[bytes] = []

    def feed(self, chunk: bytes) -> list[Event]:
        self.__received.append(chunk)
        return super().feed(chunk)


@deviation(shows_in=_KEPT, symptom=_GROWS, mend="Let a line go once it was read.")
class LinesKept(ReferenceParser):
    """Keeps every line in a list, as the text of the answer so far."""

    def __init__(self) -> None:
        super().__init__()
        self.__lines: list[str] = []

    def read_line(self, line: str) -> None:
        self.__lines.append(line)
        super().read_line(line)


@deviation(shows_in=_KEPT, symptom=_GROWS, mend="Let no handler know the one before it.")
class EventsKeptInAClosure(ReferenceParser):
    """Gives every event a handler that knows the event before it."""

    __last: Callable[[], object] | None = None

    def emit(self, event: Event) -> None:
        before = self.__last
        self.__last = lambda: (event, before)
        super().emit(event)


# Length --------------------------------------------------------------------------------------------------------------


@deviation(
    shows_in="size/a-line-of-1-mib",
    symptom="An event with a very long line, such as a picture in base64, never arrives, or comes without it.",
    mend="Set no limit; or raise at it, and say so in the documentation.",
)
class LinesBeyondAMillionDropped(ReferenceParser):
    """A line of more than a million characters is dropped."""

    def read_line(self, line: str) -> None:
        if len(line) <= 1_000_000:
            super().read_line(line)


@deviation(
    shows_in="size/a-line-of-10-mib",
    symptom="The stream ends in an exception at a very long line, and no documentation speaks of a limit.",
    mend="Set no limit; or name it in the documentation.",
)
class LinesBeyondEightMillionRaise(ReferenceParser):
    """A line of more than eight million characters raises, and no limit is declared."""

    def read_line(self, line: str) -> None:
        if len(line) > 8_000_000:
            raise BufferError("line too long")
        super().read_line(line)
