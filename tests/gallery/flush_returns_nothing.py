"""`flush()` is there for the interface, and does nothing. No other end call exists."""

import codecs
from dataclasses import dataclass


@dataclass
class Event:
    type: str
    data: str
    id: str


class Sink:
    def __init__(self, callback):
        self._callback = callback
        self._chars = codecs.getincrementaldecoder("utf-8")("replace")
        self._stack = [[]]
        self._previous = None
        self._type, self._id = "", ""

    def write(self, chunk):
        for char in self._chars.decode(chunk):
            previous, self._previous = self._previous, char
            if previous is None and char == "\ufeff":
                continue
            if char == "\r" or (char == "\n" and previous != "\r"):
                self._line("".join(self._stack[-1]))
            elif char != "\n":
                self._stack[-1].append(char)

    def flush(self):
        pass

    def _line(self, line):
        if line:
            self._stack[-1] = []
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                self._stack.insert(-1, value)
            elif name == "event":
                self._type = value
            elif name == "id" and "\0" not in value:
                self._id = value
            return
        *data, _ = self._stack
        kind = self._type or "message"
        self._stack, self._type = [[]], ""
        if data:
            self._callback(Event(kind, "\n".join(data), self._id))
