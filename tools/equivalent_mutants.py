"""The mutants of the reference parser that no rule catches, each with the reason.

A name is the method, the line as it is, and the line as it was made. `make mutants` fails where one of these is caught
after all, or is gone, and where a mutant survives that is not named here.
"""

from __future__ import annotations

__all__ = ["EQUIVALENT", "LEFT_OPEN"]

#: No stream shows these.
EQUIVALENT: dict[str, tuple[str, ...]] = {
    "Names of codecs are compared without case.": (
        "module: _new_decoder = codecs.getincrementaldecoder('utf-8') -> "
        "_new_decoder = codecs.getincrementaldecoder('UTF-8')",
    ),
    "An LF that comes first in a stream is a blank line with nothing before it: it dispatches nothing and sets no ID, "
    "so it may as well be swallowed.": (
        "__init__: self._after_cr = False -> self._after_cr = True",
        "start_over: self._after_cr = False -> pass",
        "start_over: self._after_cr = False -> self._after_cr = True",
    ),
    "The pieces are only ever joined: an empty one, or one for each character, makes the same text.": (
        "__init__: self._pieces: list[str] = [] -> self._pieces: list[str] = ['']",
        "read_text: self._pieces.append(text) -> self._pieces.extend(text)",
        "_line: self._pieces = [text] if text else [] -> self._pieces = [text] if True else []",
        "_line: self._pieces = [text] if text else [] -> self._pieces = [text] if text else ['']",
    ),
    "At the end the decoder gives U+FFFD or nothing, which ends no line, and `start_over` throws the unfinished line "
    "away: what it holds is only for deviations that read it.": (
        "close: if text: self.read_text(text) -> pass",
        "close: if text: -> if True:",
        "close: if text: -> if False:",
        "close: if text: -> if not text:",
        "close: self.read_text(text) -> pass",
        "decode_end: return self._decoder.decode(b'', True) -> return self._decoder.decode(b'X', True)",
    ),
    "The end of input completes no event, so there is none to hand over.": (
        "close: return self.take_events() -> return []",
    ),
    "A step that does nothing, for deviations to replace.": (
        "close: self.at_end() -> pass",
        "read_line: self.comment(line) -> pass",
        "field: self.field_unknown(name, value) -> pass",
        "field: self.field_unknown(name, value) -> self.field_unknown(value, name)",
    ),
    "An empty list is handed over, and replaced by another empty list.": ("take_events: if events: -> if True:",),
    "No empty text comes here: `feed` and `close` hand on none, and a mark, whose removal leaves none, stands where no "
    "CR can be before it.": ("resume_after_cr: if text: -> if True:",),
    "A comment read as a field has the empty name, and a field whose name begins with another character than those of "
    "the four names is ignored as a comment is.": (
        "read_line: elif line[0] == ':': -> elif False:",
        "read_line: elif line[0] == ':': -> elif line[0] == ':X':",
        "read_line: elif line[0] == ':': -> elif line[0] == '':",
        "read_line: elif line[0] == ':': -> elif line[0] == '=':",
        "read_line: elif line[0] == ':': -> elif line[0] == ': ':",
    ),
    "Of ASCII characters, the same ten are digits, decimal and numeric.": (
        "field_retry: if value.isascii() and value.isdigit(): -> if value.isascii() and value.isdecimal():",
        "field_retry: if value.isascii() and value.isdigit(): -> if value.isascii() and value.isnumeric():",
    ),
    "`commit_id` has just made the one equal to the other.": (
        "dispatch: self.emit(Event(self.event_type(), self.join_data(), self.last_event_id)) -> "
        "self.emit(Event(self.event_type(), self.join_data(), self._id))",
    ),
    "An empty list is replaced by another empty list; where there is data, its event has just been kept.": (
        "reset_buffers: if self._data: -> if True:",
        "reset_buffers: if self._data: -> if self._events:",
    ),
}

#: Another behaviour, which the suite lets pass on purpose. These count as not caught.
LEFT_OPEN: dict[str, tuple[str, ...]] = {
    "Fed again after its end, a parser may keep the last event ID or begin without one: delivery/used-again takes "
    "both. The standard keeps it for the next connection, but a parser need not be what is kept.": (
        "start_over: self._id = self.last_event_id -> self._id = self._type",
    ),
}
