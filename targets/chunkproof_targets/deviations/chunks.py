"""Deviations that depend on where the chunks are cut, and on what a chunk holds."""

from __future__ import annotations

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("lines", "follows from 9.2.5: the stream is decoded as a whole, wherever it is cut")


# A chunk's end ---------------------------------------------------------------------------------------------------


@deviation(
    symptom="Messages are cut now and then, and the JSON in them does not parse.",
    mend="Keep the text of an unfinished line until its end has come.",
    reports=(
        "lianginx/chatgpt-nuxt#12",
        "atomantic/PortOS#7558",
        "alexrudall/ruby-openai#332",
        "chep/gh-copilot-chat.el#16",
        "iexg/IEX-API#969",
        "brainlid/langchain#540",
        "vllm-project/aibrix#2653",
        "lucgagan/completions#15",
    ),
    aliases=("each-chunk-is-whole",),
)
class JsonSplitMidEvent(ReferenceParser):
    """A line that a chunk's end cuts is read as it is, and its rest as another line."""

    def read_text(self, text: str) -> None:
        super().read_text(text)
        if self._line:
            self.read_line(self._line)
            self._line = ""


@deviation(
    layer="events",
    symptom="A message arrives in pieces now and then, the first with its type and the next without.",
    mend="Hand over an event at its blank line only.",
    reports=("Recouse/EventSource#19",),
)
class EventSplitChunks(ReferenceParser):
    """A chunk's end ends the event."""

    def feed(self, chunk: bytes) -> list[Event]:
        events = super().feed(chunk)
        self.dispatch()
        return events + self.take_events()


@deviation(
    layer="events",
    symptom="Two messages that the network joined arrive as one, and the JSON in it does not parse.",
    mend="Hand over an event at each blank line, however many a chunk holds.",
    reports=("tenstorrent/tt-studio#936", "neuralmagic/nm-vllm#142"),
)
class MultipleEventsPerChunk(ReferenceParser):
    """All that a chunk completes is one event, however many blank lines the chunk holds."""

    __feeding = False
    __complete = False

    def feed(self, chunk: bytes) -> list[Event]:
        self.__feeding = True
        events = super().feed(chunk)
        self.__feeding = False
        if self.__complete:
            self.__complete = False
            super().dispatch()
        return events + self.take_events()

    def dispatch(self) -> None:
        if self.__feeding:
            self.__complete = True
        else:
            super().dispatch()


@deviation(
    layer="events",
    symptom="Lines at the start of a message are missing now and then, or all of it.",
    mend="Keep the fields of an unfinished event with the parser, and not with the call that reads a chunk.",
)
class EventForgottenBetweenChunks(ReferenceParser):
    """What a chunk holds of an unfinished event is forgotten with it."""

    def feed(self, chunk: bytes) -> list[Event]:
        self._data = []
        self._type = ""
        return super().feed(chunk)


@deviation(
    layer="events",
    symptom="A message arrives without its type now and then, and nobody listens for it.",
    mend="Keep the type of an unfinished event with the parser, and not with the call that reads a chunk.",
)
class TypeForgottenBetweenChunks(ReferenceParser):
    """The type of an unfinished event is forgotten with the chunk that held it."""

    def feed(self, chunk: bytes) -> list[Event]:
        self._type = ""
        return super().feed(chunk)


@deviation(
    symptom="A message is missing, or its first line is, now and then.",
    mend="Keep what follows the last line end of a chunk, and put it before the next chunk.",
)
class RestBehindALineEndLost(ReferenceParser):
    """What stands behind the last line end of a chunk is lost."""

    def split_lines(self, text: str) -> list[str]:
        return [*super().split_lines(text)[:-1], ""]


@deviation(
    layer="bytes",
    symptom="A message in another script than Latin is missing now and then.",
    mend="Keep the text of an unfinished line where the bytes of an unfinished character are kept too.",
)
class LongRestBehindALineEndLost(ReferenceParser):
    """What stands behind the last line end of a chunk is lost if a character is cut in it."""

    def read_text(self, text: str) -> None:
        super().read_text(text)
        if "\n" in text and self._decoder.getstate()[0]:
            self._line = ""


@deviation(
    layer="events",
    symptom="Two messages arrive as one now and then.",
    mend="Keep what was read of a line end until the next chunk, or cut into lines first.",
    reports=("mpetazzoni/sse.js#36", "danny-avila/LibreChat#4820", "graniet/llm#90"),
)
class DelimiterSplitChunks(ReferenceParser):
    """A blank line whose two line ends fall on two chunks is missed."""

    def read_text(self, text: str) -> None:
        if text[:1] in ("\r", "\n") and not self._line and self._data and not self._after_cr:
            text = text[1:]
        if text:
            super().read_text(text)


@deviation(
    symptom="Two messages arrive as one, or two lines as one, now and then.",
    mend="Leave the chunk as it is: what stands at its ends belongs to the stream.",
)
class ChunkStripped(ReferenceParser):
    """Line ends at the start of a chunk are removed."""

    def read_text(self, text: str) -> None:
        super().read_text(text.lstrip("\r\n") or text)


@deviation(
    symptom="Words run into each other now and then.",
    mend="Leave the chunk as it is: what stands at its ends belongs to the stream.",
)
class SpacesAroundAChunkLost(ReferenceParser):
    """Spaces at the start and the end of a chunk are removed."""

    def read_text(self, text: str) -> None:
        if text := text.strip(" "):
            super().read_text(text)


@deviation(
    layer="events",
    symptom="Two messages arrive as one now and then, where their blank line came on its own.",
    mend="Read each chunk: one of nothing but line ends ends an event.",
)
class BlankChunkSkipped(ReferenceParser):
    """A chunk of nothing but blanks and line ends is skipped."""

    def read_text(self, text: str) -> None:
        if text.strip():
            super().read_text(text)


@deviation(
    symptom="Long lines are missing, or short pieces of a message are, now and then.",
    mend="Keep the text of an unfinished line, however many chunks it takes.",
)
class ChunkWithoutALineEndLost(ReferenceParser):
    """A chunk that holds no line end is thrown away."""

    def read_text(self, text: str) -> None:
        if "\n" in text or "\r" in text:
            super().read_text(text)


@deviation(
    layer="fields",
    symptom="A message has a space too many in front now and then.",
    mend="Remove the space when the line is whole, and not while it is read.",
    clause="9.2.6: one space behind the colon is removed",
)
class SpaceBehindACutColonKept(ReferenceParser):
    """The space is kept where the colon ended the chunk before."""

    def read_text(self, text: str) -> None:
        super().read_text(" " + text if text.startswith(" ") and self._line.endswith(":") else text)


@deviation(
    symptom="A piece from the middle of a long message is missing now and then.",
    mend="Add each piece of an unfinished line to those before it.",
)
class TwoPiecesOfALineAtMost(ReferenceParser):
    """Of a line in three chunks or more, the middle is lost."""

    def read_text(self, text: str) -> None:
        if not self._line or "\n" in text or "\r" in text:
            super().read_text(text)


@deviation(
    symptom="A line of a message is missing now and then.",
    mend="Read the name of a field when the line is whole.",
)
class NameCutForgotten(ReferenceParser):
    """A chunk that ends inside the name of a data line loses what it had of it."""

    def read_text(self, text: str) -> None:
        super().read_text(text)
        if self._line in ("d", "da", "dat"):
            self._line = ""


@deviation(
    symptom="The end of a long message is missing where the network delivers it in small pieces.",
    mend="Keep the text of an unfinished line, however many chunks it takes.",
)
class LineInManyChunksLost(ReferenceParser):
    """A line is kept over a hundred chunks at most."""

    __pieces = 0

    def read_text(self, text: str) -> None:
        self.__pieces = 0 if "\n" in text else self.__pieces + 1
        if self.__pieces <= 100:
            super().read_text(text)


# What a chunk holds ----------------------------------------------------------------------------------------------


@deviation(
    symptom="Messages are missing where the server, or a proxy, puts a comment before them to keep the connection.",
    mend="Skip a comment line by line: what follows it in the chunk is no comment.",
    clause="9.2.6: a line that starts with a colon is ignored",
)
class CommentChunkSkipped(ReferenceParser):
    """A chunk that starts with a colon is taken for a comment, and skipped whole."""

    def read_text(self, text: str) -> None:
        if not text.startswith(":"):
            super().read_text(text)


@deviation(
    symptom="Most of an answer is missing where the network cuts it elsewhere than the server did.",
    mend="Look for fields in lines, and not in chunks.",
)
class ChunkMustStartWithData(ReferenceParser):
    """A chunk that does not start with a data line is skipped."""

    def read_text(self, text: str) -> None:
        if text.startswith("data"):
            super().read_text(text)


@deviation(
    layer="completion",
    symptom="The last message of an answer is missing where it comes together with `[DONE]`.",
    mend="Look for `[DONE]` in the data of an event, and not in a chunk.",
)
class ChunkWithDoneEndsStream(ReferenceParser):
    """A chunk that holds `[DONE]` ends the stream, and nothing of it is read."""

    __over = False

    def read_text(self, text: str) -> None:
        self.__over = self.__over or "[DONE]" in text
        if not self.__over:
            super().read_text(text)


@deviation(
    layer="transport",
    symptom="A piece of a message is missing where the network delivers the same bytes twice in a row.",
    mend="Read each chunk: that nothing comes twice is what the transport sees to.",
)
class EqualChunksDropped(ReferenceParser):
    """A chunk that equals the one before is taken for a repetition, and dropped."""

    __last = b""

    def feed(self, chunk: bytes) -> list[Event]:
        repeated, self.__last = bool(chunk) and chunk == self.__last, bytes(chunk)
        return super().feed(b"" if repeated else chunk)


@deviation(
    layer="transport",
    symptom="The beginning of an answer is missing, or all of it where it came in one piece.",
    mend="Put back what was read to see whether the answer is an error.",
)
class FirstChunkLost(ReferenceParser):
    """The first chunk that holds anything is looked at, and not read."""

    __seen = False

    def feed(self, chunk: bytes) -> list[Event]:
        seen, self.__seen = self.__seen, self.__seen or bool(chunk)
        return super().feed(chunk if seen else b"")


@deviation(
    layer="transport",
    symptom="An answer is damaged now and then.",
    mend="Read each chunk, whatever its size.",
)
class AChunkOfSevenBytesLost(ReferenceParser):
    """A chunk of seven bytes is taken for the header of a frame, and dropped."""

    def feed(self, chunk: bytes) -> list[Event]:
        return super().feed(chunk if len(chunk) != 7 else b"")


@deviation(
    layer="transport",
    symptom="The first message of an answer is missing now and then.",
    mend="Keep the first byte where it comes alone.",
)
class ChunkOfOneByteAtTheStartLost(ReferenceParser):
    """A first chunk of one byte is lost."""

    __first = True

    def feed(self, chunk: bytes) -> list[Event]:
        first, self.__first = self.__first, False
        return super().feed(b"" if first and len(chunk) == 1 else chunk)


# Empty chunks ----------------------------------------------------------------------------------------------------


@deviation(
    layer="transport",
    symptom="An answer ends too early now and then, with no error.",
    mend="Go on after an empty chunk: the end of input is told otherwise.",
)
class EmptyChunkEndsStream(ReferenceParser):
    """An empty chunk is taken for the end of input, as `read()` gives it."""

    __over = False

    def feed(self, chunk: bytes) -> list[Event]:
        self.__over = self.__over or not chunk
        return [] if self.__over else super().feed(chunk)


@deviation(
    symptom="A line of a message loses its beginning now and then.",
    mend="Do nothing where a chunk is empty.",
)
class EmptyChunkResets(ReferenceParser):
    """An empty chunk throws the unfinished line away."""

    def feed(self, chunk: bytes) -> list[Event]:
        if not chunk:
            self._line = ""
        return super().feed(chunk)


@deviation(
    symptom="Messages are missing now and then, or a later one has a strange first character.",
    mend="Do nothing where a chunk is empty.",
)
class EmptyChunkStartsOver(ReferenceParser):
    """An empty chunk throws all that is unfinished away, and what follows is read as a new stream."""

    def feed(self, chunk: bytes) -> list[Event]:
        if not chunk:
            self.start_over()
        return super().feed(chunk)


@deviation(
    layer="transport",
    symptom="An answer breaks off with an error now and then, deep in the parser.",
    mend="Look whether a chunk holds anything before its first byte is read.",
)
class EmptyChunkRaises(ReferenceParser):
    """An empty chunk raises, as its first byte is read without looking whether there is one."""

    def feed(self, chunk: bytes) -> list[Event]:
        if not chunk:
            raise IndexError("index out of range")
        return super().feed(chunk)


@deviation(
    layer="transport",
    symptom="An answer breaks off with an error where the server is slow.",
    mend="Do nothing where a chunk is empty, however often that happens.",
)
class EmptyChunksInARowRaise(ReferenceParser):
    """Three empty chunks in a row raise, as a reader that makes no progress."""

    __empty = 0

    def feed(self, chunk: bytes) -> list[Event]:
        self.__empty = 0 if chunk else self.__empty + 1
        if self.__empty == 3:
            raise OSError("no progress")
        return super().feed(chunk)


@deviation(
    layer="events",
    symptom="A message arrives in two halves now and then.",
    mend="Do nothing where a chunk is empty.",
)
class EmptyChunkDispatches(ReferenceParser):
    """An empty chunk ends the event."""

    def feed(self, chunk: bytes) -> list[Event]:
        if not chunk:
            self.dispatch()
        return super().feed(chunk)
