"""Server-sent events. A CR at the end of a chunk waits for the next chunk, or for `close`."""

import codecs
from dataclasses import dataclass


@dataclass
class Event:
    type: str
    data: str
    id: str


class Parser:
    def __init__(self):
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._cr = False
        self._first_line = True
        self._partial = []
        self._data = []
        self._type = ""
        self._id = ""

    def feed(self, chunk):
        return list(self._take(self._utf8.decode(chunk)))

    def close(self):
        events = list(self._take(self._utf8.decode(b"", True)))
        if self._cr:
            self._cr = False
            events.extend(self._take("\n"))
        return events

    def _take(self, text):
        if not text:
            return
        if self._cr:
            text = "\r" + text
        self._cr = text.endswith("\r")
        if self._cr:
            text = text[:-1]
        head, *more = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._partial.append(head)
        for piece in more:
            line = "".join(self._partial)
            self._partial = [piece]
            event = self._line(line)
            if event is not None:
                yield event

    def _line(self, line):
        if self._first_line:
            self._first_line = False
            line = line.removeprefix("\ufeff")
        if line == "":
            event = Event(self._type or "message", "\n".join(self._data), self._id) if self._data else None
            self._data, self._type = [], ""
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None
