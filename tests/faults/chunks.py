"""Faults of chunks, of sizes, and of what one run leaves to the next."""

from __future__ import annotations

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

from .fault import fault


@fault(
    "chunking/every-single-cut",
    "chunking/one-byte-a-chunk",
    "chunking/small-sizes",
    "chunking/pairs-of-cuts",
    "chunking/random-plans",
)
class EachChunkIsWhole(ReferenceParser):
    """The line that a chunk's end cuts is read as it is."""

    def read_text(self, text):
        super().read_text(text)
        if self._line:
            self.read_line(self._line)
            self._line = ""


@fault("chunking/every-single-cut", "chunking/one-byte-a-chunk")
class EventSplitChunks(ReferenceParser):
    """A chunk's end ends the event."""

    def feed(self, chunk):
        events = super().feed(chunk)
        self.dispatch()
        return events + self.take_events()


@fault("chunking/every-single-cut")
class RestBehindALineEndLost(ReferenceParser):
    """What stands behind the last line end of a chunk is lost."""

    def split_lines(self, text):
        return [*super().split_lines(text)[:-1], ""]


@fault("chunking/text-behind-a-line-end-at-a-chunks-end")
class LongRestBehindALineEndLost(ReferenceParser):
    """What stands behind the last line end of a chunk is lost if a character is cut in it."""

    def read_text(self, text):
        super().read_text(text)
        if "\n" in text and self._decoder.getstate()[0]:
            self._line = ""


@fault("chunking/a-blank-line-cut")
class DelimiterSplitChunks(ReferenceParser):
    """A blank line whose two ends fall on two chunks is missed."""

    def read_text(self, text):
        if text[0] in "\r\n" and not self._line and self._data and not self._after_cr:
            text = text[1:]
        if text:
            super().read_text(text)


@fault("chunking/a-blank-line-cut")
class ChunkStripped(ReferenceParser):
    """Line ends around a chunk are removed."""

    def read_text(self, text):
        super().read_text(text.lstrip("\r\n") or text)


@fault("chunking/every-single-cut", "fields/one-space-is-removed")
class SpaceBehindACutColonKept(ReferenceParser):
    """The space is kept where the colon ended the chunk before."""

    def read_text(self, text):
        super().read_text(" " + text if self._line.endswith(":") and text.startswith(" ") else text)


@fault("chunking/pairs-of-cuts")
class TwoPiecesOfALineAtMost(ReferenceParser):
    """Of a line in three chunks or more the middle is lost."""

    def read_text(self, text):
        if not self._line or "\n" in text or "\r" in text:
            super().read_text(text)


@fault("chunking/every-single-cut")
class NameCutForgotten(ReferenceParser):
    """A chunk that ends inside a field's name loses what it had of it."""

    def read_text(self, text):
        super().read_text(text)
        if self._line in ("d", "da", "dat"):
            self._line = ""


@fault("size/values-up-to-16-kib")
class LineInManyChunksLost(ReferenceParser):
    """A line is kept over a hundred chunks at most."""

    pieces = 0

    def read_text(self, text):
        self.pieces = 0 if "\n" in text else self.pieces + 1
        super().read_text(text if self.pieces <= 100 else "")


@fault("chunking/small-sizes")
class AChunkOfSevenBytesLost(ReferenceParser):
    """A chunk of seven bytes is taken for a frame's header."""

    def feed(self, chunk):
        return super().feed(chunk if len(chunk) != 7 else b"")


@fault("chunking/one-byte-a-chunk")
class ChunkOfOneByteAtTheStartLost(ReferenceParser):
    """A first chunk of one byte is lost."""

    first = True

    def feed(self, chunk):
        first, self.first = self.first, False
        return super().feed(b"" if first and len(chunk) == 1 else chunk)


# Empty chunks ----------------------------------------------------------------------------------------------------


@fault("chunking/empty-chunks-anywhere")
class EmptyChunkEndsStream(ReferenceParser):
    """An empty chunk is taken for the end of input, as read() gives it."""

    over = False

    def feed(self, chunk):
        self.over = self.over or not chunk
        return [] if self.over else super().feed(chunk)


@fault("chunking/empty-chunks-anywhere")
class EmptyChunkResets(ReferenceParser):
    """An empty chunk throws the unfinished line away."""

    def feed(self, chunk):
        if not chunk:
            self._line = ""
        return super().feed(chunk)


@fault("chunking/empty-chunks-anywhere", "end/only-empty-chunks", "end/empty-chunks-at-the-end")
class EmptyChunkRaises(ReferenceParser):
    """The first byte of a chunk is read without looking whether there is one."""

    def feed(self, chunk):
        self.first = chunk[0]
        return super().feed(chunk)


@fault("chunking/empty-chunks-anywhere")
class EmptyChunkDispatches(ReferenceParser):
    """An empty chunk ends the event."""

    def feed(self, chunk):
        if not chunk:
            self.dispatch()
        return super().feed(chunk)


@fault("end/only-empty-chunks")
class OnlyEmptyChunksRaise(ReferenceParser):
    """A stream of nothing but empty chunks raises."""

    fed = False

    def feed(self, chunk):
        self.fed = True
        return super().feed(chunk)

    def at_end(self):
        if self.fed and self._at_start:
            raise EOFError("the response is empty")


# Sizes -----------------------------------------------------------------------------------------------------------


@fault("size/chunks-beyond-4-kib")
class ChunkLimitOf4Kib(ReferenceParser):
    """Of a chunk only the first 4,096 bytes are read."""

    def feed(self, chunk):
        return super().feed(chunk[:4096])


@fault("size/chunks-beyond-64-kib")
class ChunkLimitOf64Kib(ReferenceParser):
    """Of a chunk only the first 65,536 bytes are read."""

    def feed(self, chunk):
        return super().feed(chunk[:65536])


@fault("size/values-up-to-16-kib")
class LineLimitOf1024(ReferenceParser):
    """A line is cut at 1,024 characters."""

    def read_line(self, line):
        super().read_line(line[:1024])


@fault("size/values-up-to-16-kib")
class LineLimitOf4096Raises(ReferenceParser):
    """A line of more than 4,096 characters raises, and no limit is declared."""

    def read_line(self, line):
        if len(line) > 4096:
            raise ValueError("line too long")
        super().read_line(line)


@fault("size/values-beyond-64-ki-characters")
class LineLimitOf64Ki(ReferenceParser):
    """A line of more than 65,536 characters is dropped."""

    def read_line(self, line):
        if len(line) <= 65536:
            super().read_line(line)


@fault("size/many-data-lines")
class DataLimitOf256Lines(ReferenceParser):
    """An event keeps 256 data lines."""

    def field_data(self, value):
        if len(self._data) < 256:
            super().field_data(value)


# What one run leaves to the next ---------------------------------------------------------------------------------


@fault("whole/a-second-run-sees-nothing-of-the-first")
class DataInAClassAttribute(ReferenceParser):
    """The data buffer belongs to the class."""

    shared: list[str] = []  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._data = self.shared

    def reset_buffers(self):
        self.shared.clear()
        self._type = ""


@fault("whole/a-second-run-sees-nothing-of-the-first")
class LineInAClassAttribute(ReferenceParser):
    """The unfinished line belongs to the class."""

    left = [""]  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._line = self.left[0]

    def read_text(self, text):
        super().read_text(text)
        self.left[0] = self._line


@fault("whole/a-second-run-sees-nothing-of-the-first")
class IdInAClassAttribute(ReferenceParser):
    """The last event ID buffer belongs to the class."""

    left = [""]  # noqa: RUF012

    def __init__(self):
        super().__init__()
        self._id = self.left[0]

    def field_id(self, value):
        super().field_id(value)
        self.left[0] = self._id


@fault("whole/a-second-run-sees-nothing-of-the-first")
class DecoderInAClassAttribute(ReferenceParser):
    """The decoder belongs to the class, and is not reset."""

    shared = ReferenceParser()._decoder

    def __init__(self):
        super().__init__()
        self._decoder = self.shared

    def decode_end(self):
        return ""


@fault("bytes/mark-removed")
class MarkStrippedOnlyInTheFirstRun(ReferenceParser):
    """Whether the stream has begun belongs to the class."""

    left = [True]  # noqa: RUF012

    def strip_mark(self, text):
        first, self.left[0] = self.left[0], False
        return super().strip_mark(text) if first else text


@fault("size/chunks-of-any-size")
class AChunkOf512LosesItsLastByte(ReferenceParser):
    """A buffer of 512 bytes holds 511."""

    def feed(self, chunk):
        return super().feed(chunk[:511] if len(chunk) == 512 else chunk)


@fault("size/long-lines-of-every-kind")
class TypesCutAt64(ReferenceParser):
    """A type of more than 64 characters is cut."""

    def field_event(self, value):
        super().field_event(value[:64])


@fault("size/long-lines-of-every-kind")
class CommentsBeyond512AreLines(ReferenceParser):
    """A comment of more than 512 characters ends the block."""

    def comment(self, line):
        if len(line) > 512:
            self.dispatch()
            self.emit(Event("message", "", self.last_event_id))


@fault("dispatch/a-thousand-events-at-once")
class EventsOfAChunkBeyond512Lost(ReferenceParser):
    """A queue of 512 events between two reads."""

    def take_events(self):
        return super().take_events()[:512]
