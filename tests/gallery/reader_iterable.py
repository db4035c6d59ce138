"""`for event in Reader(chunks)`: an object with __next__, not a generator."""

import codecs
import re
from collections import deque
from dataclasses import dataclass


@dataclass(order=True)
class Event:
    type: str
    data: str
    lastEventId: str = ""


class Reader:
    def __init__(self, chunks):
        self._chunks = iter(chunks)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines = deque()
        self._rest = []
        self._begun, self._cr = False, False
        self._id = ""
        self._type = ""
        self._data = []

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            while not self._lines:
                self._read(next(self._chunks))  # its StopIteration is ours
            line = self._lines.popleft()
            if line:
                self._field(line)
            else:
                event = Event(self._type or "message", "\n".join(self._data), self._id)
                complete = len(self._data) > 0
                self._type, self._data = "", []
                if complete:
                    return event

    def _read(self, chunk):
        text = self._decoder.decode(chunk)
        if not text:
            return
        if not self._begun:
            self._begun = True
            text = re.sub("\\A\ufeff", "", text, count=1)
        if self._cr:
            text = re.sub(r"\A\n", "", text)
        self._cr = text.endswith("\r")
        lines = re.sub("\r\n?", "\n", text).split("\n")
        self._rest.append(lines[0])
        for line in lines[1:]:
            self._lines.append("".join(self._rest))
            self._rest = [line]

    def _field(self, line):
        found = re.match("(data|event|id)(?:: ?|$)", line)
        if not found:
            return
        name, value = found.group(1), line[found.end() :]
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif "\0" not in value:
            self._id = value
