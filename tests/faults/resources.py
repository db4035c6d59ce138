"""Faults in what a parser takes of a machine: time that is quadratic in the bytes, memory that is never given back.

Each quadratic one makes a new object of all that it has at every step. CPython grows a `str` in place where a local
variable alone holds it, so that `text += more` there is linear; on an attribute it copies, as it does for `bytes`, and
for a list or tuple that is put together anew.
"""

from __future__ import annotations

from chunkproof_targets.reference import ReferenceParser

from .fault import fault

_LONG_LINE = "resources/linear-in-a-long-line"
_DATA_LINES = "resources/linear-in-data-lines"
_EVENTS = "resources/linear-in-events"
_COMMENTS = "resources/linear-in-comments"
_BLANK_LINES = "resources/linear-in-blank-lines"
_KEPT = "resources/delivered-data-is-let-go"


@fault(_LONG_LINE)
class WholeBufferSearchedForALineEnd(ReferenceParser):
    """Each chunk is appended to all that came before, and all of it is searched: `buf += chunk; b"\\n" in buf`."""

    buffer = b""

    def feed(self, chunk):
        self.buffer += chunk
        if b"\n" not in self.buffer and b"\r" not in self.buffer:
            return []
        whole, self.buffer = self.buffer, b""
        return super().feed(whole)

    def close(self):
        return [*super().feed(self.buffer), *super().close()]


@fault(_LONG_LINE)
class TextAddedToAnAttribute(ReferenceParser):
    """The line so far is a `str` on the parser, copied for each chunk."""

    line = ""

    def read_text(self, text):
        if "\n" in text or "\r" in text or self._after_cr or self._at_start:
            line, self.line = self.line, ""
            super().read_text(line + text)
        else:
            self.line = self.line + text

    def decode_end(self):
        return self.line + super().decode_end()


@fault(_DATA_LINES, _COMMENTS)
class WholeBufferSearchedForABlankLine(ReferenceParser):
    """An event is read when `b"\\n\\n"` is in the buffer, which is searched from its start for each chunk."""

    buffer = b""

    def feed(self, chunk):
        self.buffer += chunk
        if b"\n\n" not in self.buffer and b"\r" not in self.buffer:
            return []
        whole, self.buffer = self.buffer, b""
        return super().feed(whole)

    def close(self):
        return [*super().feed(self.buffer), *super().close()]


@fault(_EVENTS)
class RestCopiedForEachLine(ReferenceParser):
    """The rest of the buffer is sliced off behind each line: quadratic in one chunk, not in small ones."""

    def split_lines(self, text):
        lines = []
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        while "\n" in text:
            line, text = text.split("\n", 1)
            lines.append(line)
        return [*lines, text]


@fault(_DATA_LINES)
class DataJoinedForEachLine(ReferenceParser):
    """The data buffer is one text with an LF behind each line, made anew for each line."""

    text = ""

    def field_data(self, value):
        self.text = self.text + value + "\n"
        self._data = [self.text[:-1]]

    def reset_buffers(self):
        super().reset_buffers()
        self.text = ""


@fault(_EVENTS)
class EventsCopiedForEachEvent(ReferenceParser):
    """The list of events is made anew for each event."""

    def emit(self, event):
        self._events = [*self._events, event]


@fault(_COMMENTS)
class CommentsCopiedForEachComment(ReferenceParser):
    """Comments are kept, in a tuple that is made anew for each."""

    comments: tuple[str, ...] = ()

    def comment(self, line):
        self.comments = (*self.comments, line)


@fault(_BLANK_LINES)
class BlankLinesCountedAnew(ReferenceParser):
    """What was dispatched is gone through again at each blank line, to see what is new."""

    blocks = b""

    def dispatch(self):
        self.blocks = self.blocks + (b"1" if self._data else b"0")
        self.events = self.blocks.count(b"1")
        super().dispatch()


@fault(_KEPT)
class EventsKept(ReferenceParser):
    """Every event stays in a list of the parser's."""

    def __init__(self):
        super().__init__()
        self.log = []

    def emit(self, event):
        self.log.append(event)
        super().emit(event)


@fault(_KEPT)
class ChunksKept(ReferenceParser):
    """Every chunk stays in a list, for a log of what was received."""

    def __init__(self):
        super().__init__()
        self.received = []

    def feed(self, chunk):
        self.received.append(chunk)
        return super().feed(chunk)


@fault(_KEPT)
class EventsKeptInAClosure(ReferenceParser):
    """Every event has a handler that knows the one before it."""

    last = None

    def emit(self, event):
        before = self.last
        self.last = lambda: (event, before)
        super().emit(event)


@fault("size/a-line-of-1-mib", "size/a-line-of-10-mib")
class LinesBeyondAMillionDropped(ReferenceParser):
    """A line of more than a million characters is dropped."""

    def read_line(self, line):
        if len(line) <= 1_000_000:
            super().read_line(line)


@fault("size/a-line-of-10-mib")
class LinesBeyondEightMillionRaise(ReferenceParser):
    """A line of more than eight million characters raises, and no limit is declared."""

    def read_line(self, line):
        if len(line) > 8_000_000:
            raise BufferError("line too long")
        super().read_line(line)
