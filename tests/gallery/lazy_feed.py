"""`feed` is a generator: nothing is read before it is iterated over, and it must be used up before the next one."""

import codecs
import re
from dataclasses import dataclass


@dataclass
class Event:
    type: str
    data: str
    id: str


class LazyParser:
    def __init__(self):
        self._codec = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line = []
        self._last = ""
        self._data = []
        self._type = self._id = ""

    def feed(self, chunk):
        for token in re.split("([\r\n])", self._codec.decode(chunk)):
            if not token:
                continue
            last, self._last = self._last, token
            if token == "\n" and last == "\r":
                continue
            if token not in ("\r", "\n"):
                self._line.append(token)
                continue
            line = "".join(self._line)
            self._line.clear()
            if line:
                self._field(*line.split(":", 1))
                continue
            if self._data:
                event = Event(self._type or "message", "\n".join(self._data), self._id)
                self._data, self._type = [], ""
                yield event
            self._type = ""

    def close(self):
        yield from ()

    def _field(self, name, value=""):
        if value.startswith(" "):
            value = value[1:]
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
