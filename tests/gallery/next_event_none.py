"""feed(), then next_event() until it returns None; finish() at the end."""

import codecs
from collections import deque
from dataclasses import dataclass


@dataclass
class Event:
    type: str
    data: str
    lastEventId: str


class Parser:
    def __init__(self):
        self._ready = deque()
        self._lines = self._read_lines()
        next(self._lines)

    def feed(self, chunk):
        self._lines.send(chunk)

    def finish(self):
        self._lines.close()

    def next_event(self):
        return self._ready.popleft() if self._ready else None

    def _read_lines(self):
        """One coroutine for the whole stream: the position in the code is the state."""
        utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
        line, kind, ident, data, cr = [], "", "", [], False
        while True:
            for char in utf8.decode((yield)):
                if char == "\n" and cr:
                    cr = False
                    continue
                cr = char == "\r"
                if char not in ("\r", "\n"):
                    line.append(char)
                    continue
                name, _, value = "".join(line).partition(":")
                if value[:1] == " ":
                    value = value[1:]
                if not line:
                    if data:
                        self._ready.append(Event(kind or "message", "\n".join(data), ident))
                    data, kind = [], ""
                elif name == "data":
                    data.append(value)
                elif name == "event":
                    kind = value
                elif name == "id" and "\x00" not in value:
                    ident = value
                line = []
