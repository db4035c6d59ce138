"""Deviations of delivery: events that come late, parsers that share their state, chunks that are not left alone.

No outcome shows them, but for the number of chunks that were taken when an event came out: ``shows_in`` names the rule.
"""

from __future__ import annotations

from typing import ClassVar

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("events", "good sense: an event is due as soon as the last byte of its blank line was read")

_ALONE = "good sense: what one stream sends is no part of another"
_CHUNKS = "good sense: a chunk is its owner's, to be read and left as it is"
_MIXED = "Text of one stream turns up in another one that is read at the same time."
_OWN = "Keep all state on the parser, and none on its class or module."
_AT_ONCE = "Hand over every event as soon as the last byte of its blank line was read."

# Late ----------------------------------------------------------------------------------------------------------------


@deviation(
    shows_in="delivery/prompt",
    symptom="Each piece of the answer is shown only when the next one comes, so the latest is always missing.",
    mend=_AT_ONCE,
)
class LateByOneChunk(ReferenceParser):
    """What a chunk completes comes out with the next one."""

    __held: tuple[Event, ...] = ()

    def feed(self, chunk: bytes) -> list[Event]:
        ready, self.__held = self.__held, tuple(super().feed(chunk))
        return [*ready]

    def close(self) -> list[Event]:
        ready, self.__held = self.__held, ()
        return [*ready, *super().close()]


@deviation(
    shows_in="delivery/prompt",
    symptom="While the server is quiet, the latest event is always missing.",
    mend=_AT_ONCE,
    reports=("mpetazzoni/sseclient#6", "huacnlee/omamail#111"),
)
class LateDispatch(ReferenceParser):
    """An event comes out when the next one begins, or at the end."""

    __held: tuple[Event, ...] = ()
    __begun = True

    def read_line(self, line: str) -> None:
        self.__begun = self.__begun or line != ""
        super().read_line(line)

    def emit(self, event: Event) -> None:
        self.__begun = False
        super().emit(event)

    def start_over(self) -> None:
        self.__begun = True
        super().start_over()

    def take_events(self) -> list[Event]:
        events = [*self.__held, *super().take_events()]
        self.__held = () if self.__begun else tuple(events[-1:])
        return events if self.__begun else events[:-1]


@deviation(
    shows_in="delivery/prompt",
    symptom="While the server is quiet, the latest event is always missing, even where the next has half arrived.",
    mend=_AT_ONCE,
)
class LateByOneEvent(ReferenceParser):
    """An event comes out when the next one is complete, or at the end."""

    __held: tuple[Event, ...] = ()
    __over = False

    def start_over(self) -> None:
        self.__over = True
        super().start_over()

    def take_events(self) -> list[Event]:
        events = [*self.__held, *super().take_events()]
        self.__held = () if self.__over else tuple(events[-1:])
        return events if self.__over else events[:-1]


@deviation(
    shows_in="delivery/prompt",
    symptom="The answer is shown all at once, when it is whole.",
    mend=_AT_ONCE,
)
class AllEventsAtTheEnd(ReferenceParser):
    """All events come out at the end of the stream."""

    def __init__(self) -> None:
        super().__init__()
        self.__held: list[Event] = []

    def feed(self, chunk: bytes) -> list[Event]:
        self.__held += super().feed(chunk)
        return []

    def close(self) -> list[Event]:
        ready, self.__held = self.__held, []
        return [*ready, *super().close()]


def _bytes_gathered(size: int) -> None:
    @deviation(
        shows_in="delivery/prompt",
        symptom="Small events are shown several at once, in bursts, or only when the stream ends.",
        mend="Read what is there, and do not wait for a buffer to fill.",
        value=size,
    )
    class BytesGathered(ReferenceParser):
        """Waits for {} bytes before it reads any of them."""

        __buffer = b""

        def feed(self, chunk: bytes) -> list[Event]:
            self.__buffer += chunk
            if len(self.__buffer) < size:
                return []
            whole, self.__buffer = self.__buffer, b""
            return super().feed(whole)

        def close(self) -> list[Event]:
            whole, self.__buffer = self.__buffer, b""
            return [*super().feed(whole), *super().close()]


_bytes_gathered(16)
_bytes_gathered(512)
_bytes_gathered(4096)


@deviation(
    is_choice=True,
    shows_in="delivery/prompt-at-a-bare-cr",
    symptom="Where a server ends its lines in CR, the latest event waits for the next chunk.",
    mend="End the line at the CR, and skip an LF that comes first in the next chunk.",
)
class HoldsALastCr(ReferenceParser):
    """A CR at the end of a chunk waits for what follows: right, and not as early as could be."""

    __held = ""

    def read_text(self, text: str) -> None:
        text, self.__held = self.__held + text, ""
        if text.endswith("\r"):
            text, self.__held = text[:-1], "\r"
        if text:
            super().read_text(text)

    def close(self) -> list[Event]:
        text, self.__held = self.__held, ""
        if text:
            super().read_text(text)
        return super().close()


# Not alone -----------------------------------------------------------------------------------------------------------


@deviation(
    layer="bytes",
    clause=_ALONE,
    shows_in="delivery/alone",
    symptom="When several answers come at once, characters outside ASCII are garbled now and then.",
    mend=_OWN,
)
class DecoderOfTheClass(ReferenceParser):
    """All parsers have one decoder, new with each parser."""

    __shared = ReferenceParser()._decoder

    def __init__(self) -> None:
        super().__init__()
        DecoderOfTheClass.__shared = self._decoder

    def decode(self, chunk: bytes) -> str:
        self._decoder = self.__shared
        return super().decode(chunk)

    def decode_end(self) -> str:
        self._decoder = self.__shared
        return super().decode_end()


@deviation(
    layer="lines",
    clause=_ALONE,
    shows_in="delivery/alone",
    symptom=_MIXED,
    mend=_OWN,
)
class LineOfTheClass(ReferenceParser):
    """All parsers have one unfinished line, empty with each new parser."""

    __shared = ""

    def __init__(self) -> None:
        super().__init__()
        LineOfTheClass.__shared = ""

    def read_text(self, text: str) -> None:
        self._line = self.__shared
        super().read_text(text)
        LineOfTheClass.__shared = self._line

    def start_over(self) -> None:
        super().start_over()
        LineOfTheClass.__shared = ""


@deviation(
    layer="fields",
    clause=_ALONE,
    shows_in="delivery/alone",
    symptom=_MIXED,
    mend=_OWN,
)
class DataOfTheClass(ReferenceParser):
    """All parsers have one data buffer, empty with each new parser."""

    __shared: ClassVar[list[str]] = []

    def __init__(self) -> None:
        super().__init__()
        DataOfTheClass.__shared = []

    def read_line(self, line: str) -> None:
        self._data = self.__shared
        super().read_line(line)
        DataOfTheClass.__shared = self._data

    def start_over(self) -> None:
        super().start_over()
        DataOfTheClass.__shared = []


@deviation(
    layer="fields",
    clause=_ALONE,
    shows_in="delivery/alone",
    symptom="When several streams come at once, an event arrives under the ID of another stream.",
    mend=_OWN,
)
class IdOfTheClass(ReferenceParser):
    """All parsers have one last event ID, empty with each new parser."""

    __shared = ""

    def __init__(self) -> None:
        super().__init__()
        IdOfTheClass.__shared = ""

    def read_line(self, line: str) -> None:
        self._id = self.__shared
        super().read_line(line)
        IdOfTheClass.__shared = self._id


# What becomes of a chunk ---------------------------------------------------------------------------------------------


@deviation(
    layer="bytes",
    clause=_CHUNKS,
    shows_in="delivery/chunks-are-not-changed",
    symptom="A program that logs or forwards what it received finds its buffer empty.",
    mend="Copy a chunk that has to be changed.",
)
class EmptiesABytearray(ReferenceParser):
    """A chunk that can be emptied is."""

    def feed(self, chunk: bytes) -> list[Event]:
        events = super().feed(bytes(chunk))
        if isinstance(chunk, bytearray):
            chunk.clear()
        return events


@deviation(
    layer="bytes",
    clause=_CHUNKS,
    shows_in="delivery/chunks-are-not-changed",
    symptom="A program that logs or forwards what it received finds other bytes in its buffer.",
    mend="Copy a chunk that has to be changed.",
)
class TranslatesInPlace(ReferenceParser):
    """Line ends are made alike in the chunk itself, where that can be written to."""

    def feed(self, chunk: bytes) -> list[Event]:
        events = super().feed(bytes(chunk))
        if isinstance(chunk, bytearray):
            chunk[:] = chunk.replace(b"\n", b"\r")
        return events


@deviation(
    is_choice=True,
    layer="bytes",
    clause=_CHUNKS,
    shows_in="delivery/no-bytearray-is-kept",
    symptom="A program that reads into the same buffer again and again gets events put together of several reads.",
    mend="Copy what is left of a chunk, and do not keep the chunk.",
)
class ReadsChunksLater(ReferenceParser):
    """Keeps the chunks themselves until a line end comes, and reads them then."""

    def __init__(self) -> None:
        super().__init__()
        self.__kept: list[bytes] = []

    def feed(self, chunk: bytes) -> list[Event]:
        self.__kept.append(chunk)
        if b"\n" not in bytes(chunk) and b"\r" not in bytes(chunk):
            return []
        whole, self.__kept = b"".join(self.__kept), []
        return super().feed(whole)

    def close(self) -> list[Event]:
        whole, self.__kept = b"".join(self.__kept), []
        return [*super().feed(whole), *super().close()]
