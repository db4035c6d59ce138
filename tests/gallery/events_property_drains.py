"""`events` is a property, and to read it is to take: the next read gives only what came since."""

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    type: str
    data: str
    id: str


class Inbox:
    def __init__(self):
        self._new = []
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text, self._cr = [], False
        self._block = []
        self._id = ""

    @property
    def events(self):
        new = self._new
        self._new = []
        return new

    def feed(self, chunk):
        text = self._decoder.decode(chunk)
        if self._cr and text:
            self._cr = False
            text = text[1:] if text.startswith("\n") else text
        self._cr = self._cr or text[-1:] == "\r"
        text = text.replace("\r\n", "\r").replace("\n", "\r")
        for number, piece in enumerate(text.split("\r")):
            if number:
                self._line("".join(self._text))
                self._text = []
            self._text.append(piece)

    def _line(self, line):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line == "":
            data = [value for name, value in self._block if name == "data"]
            kind = dict(self._block).get("event") or "message"
            self._block = []
            if data:
                self._new.append(Event(kind, "\n".join(data), self._id))
        elif name in ("data", "event"):
            self._block.append((name, value))
        elif name == "id" and "\0" not in value:
            self._id = value
