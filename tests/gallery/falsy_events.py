"""Events have a length, that of their data: one with empty data is false in a boolean context."""

import codecs
import re
from collections import deque


class Event:
    def __init__(self, type, data, last_event_id):
        self.type, self.data, self.last_event_id = type, data, last_event_id

    def __len__(self):
        return len(self.data)

    def __eq__(self, other):
        return self.data == getattr(other, "data", other)

    __hash__ = None


class Parser:
    def __init__(self):
        self._found = deque()
        self._machine = self._run()
        next(self._machine)

    def receive_data(self, data):
        self._machine.send(data)

    def next_event(self):
        if len(self._found) == 0:
            return None
        return self._found.popleft()

    def _run(self):
        id_, utf8 = "", codecs.getincrementaldecoder("utf-8-sig")("replace")
        line, lf_too = [], False
        data, type_ = [], ""
        while True:
            text = utf8.decode((yield))
            for bit in re.finditer("(?P<end>\r\n?|\n)|[^\r\n]+", text):
                word = bit.group()
                skip = lf_too and word == "\n"
                lf_too = word == "\r"
                if skip:
                    continue
                if not bit.group("end"):
                    line.append(word)
                    continue
                name, _, value = "".join(line).partition(":")
                value = re.sub("^ ", "", value)
                if not line:
                    if data:
                        self._found.append(Event(type_ or "message", "\n".join(data), id_))
                    data, type_ = [], ""
                elif name == "data":
                    data.append(value)
                elif name == "event":
                    type_ = value
                elif name == "id" and "\0" not in value:
                    id_ = value
                line = []
