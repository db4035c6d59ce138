"""A push parser of the event stream in which every step is one small method.

Theory of operation: `feed` decodes a chunk, cuts the text into lines, and hands each line to `read_line`; a step that
departs from the standard can be made by overriding one method, as the tests' faulty parsers do. Three pieces
of state cross a chunk's end, and each belongs to one boundary: the decoder's bytes of an unfinished character, the text
of an unfinished line, and the fields of an unfinished event.

Speed matters here, since this parser judges the suite's own share of the time: `feed` looks for a line end first and
only keeps the text when there is none.
"""

from __future__ import annotations

import codecs
import re

from .contract import DEFAULT_TYPE, Event, normal_retry

__all__ = ["ReferenceParser"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_new_decoder = codecs.getincrementaldecoder("utf-8")


class ReferenceParser:
    """The event stream by WHATWG HTML 9.2.5 and 9.2.6, fed in chunks of bytes of any size.

    `feed` returns the events that the chunk completed, `close` those that the end of input completes: none, as an
    unfinished block is discarded. ``last_event_id`` is the last event ID string, ``retries`` every reconnection time
    that was set, in order, as digits.
    """

    def __init__(self) -> None:
        self.last_event_id = ""
        self.retries: list[str] = []
        self._decoder = _new_decoder("replace")
        self._at_start = True
        self._after_cr = False
        self._pieces: list[str] = []
        self._data: list[str] = []
        self._type = ""
        self._id = ""
        self._events: list[Event] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """Take one chunk; return the events that it completed, in order."""
        text = self.decode(chunk)
        if text:
            self.read_text(text)
        return self.take_events()

    def close(self) -> list[Event]:
        """Take the end of input; return the events that it completed."""
        text = self.decode_end()
        if text:
            self.read_text(text)
        self.at_end()
        self.start_over()
        return self.take_events()

    def take_events(self) -> list[Event]:
        """Hand over the events dispatched since the last call."""
        events = self._events
        if events:
            self._events = []
            return events
        return []

    # bytes to text -----------------------------------------------------------------------------------------------

    def decode(self, chunk: bytes) -> str:
        """UTF-8 decode: an unfinished character waits for its bytes, an ill-formed one becomes U+FFFD (Encoding)."""
        return self._decoder.decode(chunk)

    def decode_end(self) -> str:
        """A character that the end of input cuts short becomes U+FFFD."""
        return self._decoder.decode(b"", True)

    def strip_mark(self, text: str) -> str:
        """One byte order mark at the very start is no text (9.2.5: UTF-8 decode)."""
        return text.removeprefix("\ufeff")

    # text to lines -----------------------------------------------------------------------------------------------

    def read_text(self, text: str) -> None:
        """Cut the text at CRLF, LF and CR; hand on each whole line and keep the rest."""
        if self._at_start:
            self._at_start = False
            text = self.strip_mark(text)
        if self._after_cr:
            text = self.resume_after_cr(text)
        if "\n" not in text and "\r" not in text:
            self._pieces.append(text)
            return
        self._after_cr = text[-1] == "\r"
        lines = self.split_lines(self._line + text)
        self._line = lines.pop()
        for line in lines:
            self.read_line(line)

    @property
    def _line(self) -> str:
        """The text of the unfinished line. It comes in pieces: to join them at each would be quadratic."""
        return "".join(self._pieces)

    @_line.setter
    def _line(self, text: str) -> None:
        self._pieces = [text] if text else []

    def resume_after_cr(self, text: str) -> str:
        """An LF that comes first after a CR belongs to that CR, and ends no further line (9.2.5)."""
        if text:
            self._after_cr = False
        return text.removeprefix("\n")

    def split_lines(self, text: str) -> list[str]:
        """The lines of the text; the last item is what has no line end yet."""
        return _LINE_END.split(text)

    # lines to fields ---------------------------------------------------------------------------------------------

    def read_line(self, line: str) -> None:
        """One line: blank, a comment, or a field (9.2.6)."""
        if not line:
            self.dispatch()
        elif line[0] == ":":
            self.comment(line)
        else:
            name, value = self.split_field(line)
            self.field(name, value)

    def comment(self, line: str) -> None:
        """A line that starts with a colon is ignored."""

    def split_field(self, line: str) -> tuple[str, str]:
        """Name and value: cut at the first colon, less one space behind it; without a colon, an empty value."""
        name, _, value = line.partition(":")
        return name, self.strip_space(value)

    def strip_space(self, value: str) -> str:
        """One U+0020 behind the colon is removed, and nothing else."""
        return value.removeprefix(" ")

    def field(self, name: str, value: str) -> None:
        """Names are compared exactly; any other name is ignored."""
        if name == "data":
            self.field_data(value)
        elif name == "event":
            self.field_event(value)
        elif name == "id":
            self.field_id(value)
        elif name == "retry":
            self.field_retry(value)
        else:
            self.field_unknown(name, value)

    def field_data(self, value: str) -> None:
        """Append the value, then an LF, to the data buffer (kept here as a list, joined at dispatch)."""
        self._data.append(value)

    def field_event(self, value: str) -> None:
        """The event type buffer becomes the value."""
        self._type = value

    def field_id(self, value: str) -> None:
        """The last event ID buffer becomes the value, unless that holds U+0000."""
        if "\0" not in value:
            self._id = value

    def field_retry(self, value: str) -> None:
        """Nothing but ASCII digits is a reconnection time; any other value is ignored."""
        if value.isascii() and value.isdigit():
            self.set_retry(normal_retry(value))

    def set_retry(self, digits: str) -> None:
        """The reconnection time becomes this, in milliseconds."""
        self.retries.append(digits)

    def field_unknown(self, name: str, value: str) -> None:
        """Any other field is ignored."""

    # fields to events --------------------------------------------------------------------------------------------

    def dispatch(self) -> None:
        """A blank line: set the last event ID string, then make an event if there is data (9.2.6, dispatch)."""
        self.commit_id()
        if self._data:
            self.emit(Event(self.event_type(), self.join_data(), self.last_event_id))
        self.reset_buffers()

    def commit_id(self) -> None:
        """The last event ID string becomes the last event ID buffer, also in a block without data."""
        self.last_event_id = self._id

    def event_type(self) -> str:
        """The event type buffer, or "message" if it is empty."""
        return self._type or DEFAULT_TYPE

    def join_data(self) -> str:
        """The data lines joined with LF: the buffer less its last LF."""
        return "\n".join(self._data)

    def emit(self, event: Event) -> None:
        """Dispatch the event."""
        self._events.append(event)

    def reset_buffers(self) -> None:
        """The data and event type buffers become empty; the last event ID buffer stays."""
        if self._data:
            self._data = []
        self._type = ""

    def at_end(self) -> None:
        """The end of input: what stands in the buffers is discarded."""

    def start_over(self) -> None:
        """What is fed after the end is another stream. The last event ID stays: a reconnection wants it."""
        self._at_start = True
        self._after_cr = False
        self._line = ""
        self._data = []
        self._type = ""
        self._id = self.last_event_id
