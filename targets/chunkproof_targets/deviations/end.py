"""Deviations at the end of input."""

from __future__ import annotations

from ..contract import DEFAULT_TYPE, Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("completion", "9.2.6: what is left at the end of the stream is discarded")


# What stands unfinished ------------------------------------------------------------------------------------------


@deviation(
    symptom="Where the connection breaks, an incomplete message is shown as if it were whole.",
    mend="Discard what stands in the buffers at the end of input.",
    reports=(
        "openai/openai-node#2725",
        "google-gemini/gemini-cli#29059",
        "a2aproject/a2a-python#1213",
        "rexxars/eventsource-parser#18",
    ),
    aliases=("end-flush",),
)
class EofIncompleteDispatched(ReferenceParser):
    """The end of input dispatches what the whole lines of an unfinished block have brought."""

    def at_end(self) -> None:
        super().at_end()
        self.dispatch()


@deviation(
    symptom="Where the connection breaks, a message that was cut in the middle of a word is shown as if it were whole.",
    mend="Discard what is unfinished at the end of input, and tell the caller of a lost connection.",
    reports=("launchdarkly/okhttp-eventsource#81",),
    aliases=("eof-unfinished-line-taken",),
)
class EofTruncationSilent(ReferenceParser):
    """The end of input in the middle of a line ends that line and dispatches the block."""

    def at_end(self) -> None:
        super().at_end()
        if self._line:
            self.read_line(self._line)
            self.dispatch()


@deviation(
    layer="lines",
    symptom="Where the connection breaks, half a line still counts: a reconnection waits for the wrong time.",
    mend="Throw away what follows the last line end.",
    clause="9.2.5: what follows the last line end is no line",
)
class EofUnfinishedLineIsALine(ReferenceParser):
    """The end of input ends the line and dispatches nothing: a retry in it counts."""

    def at_end(self) -> None:
        super().at_end()
        if self._line:
            self.read_line(self._line)


@deviation(
    symptom="Where the connection breaks, an incomplete message is shown as if it were whole, however it was cut.",
    mend="Put nothing behind the stream: discard what is unfinished at the end of input.",
)
class EofBlankLineAdded(ReferenceParser):
    """Two line feeds are put behind the stream, so that any unfinished line and block count."""

    def decode_end(self) -> str:
        return super().decode_end() + "\n\n"


@deviation(
    symptom="Where the connection breaks behind a whole line, an incomplete message is shown as if it were whole.",
    mend="Put nothing behind the stream: discard what is unfinished at the end of input.",
)
class EofLineEndAdded(ReferenceParser):
    """One line feed is put behind the stream: it ends an unfinished line, or else the block."""

    def decode_end(self) -> str:
        return super().decode_end() + "\n"


@deviation(
    symptom="An answer that was read to its last message ends in an error.",
    mend="Discard what is unfinished at the end of input without an error, or let the caller choose.",
)
class EofIncompleteRaises(ReferenceParser):
    """An unfinished line or block at the end of input raises."""

    def at_end(self) -> None:
        if self._data or self._line:
            raise EOFError("incomplete event")
        super().at_end()


@deviation(
    layer="lines",
    symptom="An answer that was read to its last message ends in an error, as its last line has no end.",
    mend="Throw away what follows the last line end.",
    clause="9.2.5: what follows the last line end is no line",
)
class EofUnfinishedLineRaises(ReferenceParser):
    """An unfinished line at the end of input raises."""

    def at_end(self) -> None:
        if self._line:
            raise EOFError("incomplete line")
        super().at_end()


# A CR at the very end --------------------------------------------------------------------------------------------


@deviation(
    layer="lines",
    symptom="The last message never comes where a server ends its lines with CR.",
    mend="Let a CR end its line at once, or at the end of input at the latest.",
    clause="9.2.5: a line ends in CRLF, LF or CR",
    reports=(
        "universal-tool-calling-protocol/python-utcp#104",
        "universal-tool-calling-protocol/typescript-utcp#45",
    ),
)
class TrailingCrHeldBackLost(ReferenceParser):
    """A CR at the end of a chunk waits for the next one, and at the end of input it is lost."""

    __held = ""

    def read_text(self, text: str) -> None:
        text = self.__held + text
        self.__held = "\r" if text.endswith("\r") else ""
        if text := text.removesuffix("\r"):
            super().read_text(text)


@deviation(
    layer="lines",
    symptom="Where the connection breaks behind a CR, an incomplete message is shown as if it were whole.",
    mend="Let a CR end one line, and let nothing but an empty line end a block.",
    clause="9.2.5: a line ends in CRLF, LF or CR",
)
class ACrAtTheEndIsABlankLine(ReferenceParser):
    """A CR that is the last byte ends its line, and the block with it."""

    def at_end(self) -> None:
        super().at_end()
        if self._after_cr:
            self.dispatch()


# What the end adds, and what it takes away -----------------------------------------------------------------------


@deviation(
    symptom="The last message of an answer is shown twice.",
    mend="Forget an event once it is handed over, and hand over nothing at the end of input.",
)
class EofRepeatsTheLastEvent(ReferenceParser):
    """The end of input gives the last event once more."""

    __last: Event | None = None

    def emit(self, event: Event) -> None:
        self.__last = event
        super().emit(event)

    def at_end(self) -> None:
        super().at_end()
        if self.__last:
            self.emit(self.__last)


@deviation(
    symptom="A text `[DONE]`, which the server did not send, is shown at the end of an answer.",
    mend="End the iteration: an end mark is for servers to send.",
)
class EofEndMarkInvented(ReferenceParser):
    """The end of input adds an event `[DONE]`."""

    def at_end(self) -> None:
        super().at_end()
        self.emit(Event(DEFAULT_TYPE, "[DONE]", self.last_event_id))


@deviation(
    symptom="An empty message is shown at the end of each answer, or its empty text is no JSON and raises.",
    mend="Hand over nothing at the end of input: what follows the last blank line is no event.",
)
class EofEmptyEventAdded(ReferenceParser):
    """The end of input adds an event with empty data, as the last piece of a split at blank lines."""

    def at_end(self) -> None:
        super().at_end()
        self.emit(Event(DEFAULT_TYPE, "", self.last_event_id))


@deviation(
    symptom="After a lost connection the answer starts from its beginning, or what came meanwhile is missing.",
    mend="Keep the last event ID at the end of input: a reconnection wants it.",
    clause="9.2.3: a reconnection sends the last event ID string",
)
class EofForgetsTheId(ReferenceParser):
    """The end of input empties the last event ID."""

    def at_end(self) -> None:
        super().at_end()
        self.last_event_id = ""


@deviation(
    symptom="A request whose answer has no body ends in an error.",
    mend="Take a stream without a single chunk for one without events.",
    clause="9.2.5: a stream may be empty",
)
class EmptyStreamRaises(ReferenceParser):
    """A stream without a single chunk raises."""

    __fed = False

    def feed(self, chunk: bytes) -> list[Event]:
        self.__fed = True
        return super().feed(chunk)

    def at_end(self) -> None:
        if not self.__fed:
            raise EOFError("no response")
        super().at_end()


@deviation(
    symptom="A request whose answer has an empty body ends in an error, depending on the network library below.",
    mend="Take a stream without a single byte for one without events.",
    clause="9.2.5: a stream may be empty",
)
class OnlyEmptyChunksRaise(ReferenceParser):
    """A stream of nothing but empty chunks raises."""

    __fed = False

    def feed(self, chunk: bytes) -> list[Event]:
        self.__fed = True
        return super().feed(chunk)

    def at_end(self) -> None:
        if self.__fed and self._at_start:
            raise EOFError("the response is empty")
        super().at_end()


@deviation(
    symptom="An answer without a message, as of a server that was only asked to wait, ends in an error.",
    mend="Take a stream without events for what it is: whether that is an error is for the caller to say.",
    clause="9.2.5: a stream may be empty",
)
class EofWithoutEventsRaises(ReferenceParser):
    """A stream that has ended without a single event raises."""

    __seen = False

    def emit(self, event: Event) -> None:
        self.__seen = True
        super().emit(event)

    def at_end(self) -> None:
        super().at_end()
        if not self.__seen:
            raise EOFError("no event in the response")


@deviation(
    symptom="A complete answer of a server that sends no `[DONE]` ends in an error.",
    mend="Leave end marks to the caller: the event stream knows none.",
)
class EofWithoutDoneRaises(ReferenceParser):
    """A stream that has ended without an event `[DONE]` raises."""

    __done = False

    def emit(self, event: Event) -> None:
        self.__done = self.__done or event.data == "[DONE]"
        super().emit(event)

    def at_end(self) -> None:
        super().at_end()
        if not self.__done:
            raise EOFError("the response has no end mark")
