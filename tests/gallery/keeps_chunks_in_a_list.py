"""Chunks are kept as they come; when one holds a line end, what has been kept is joined, once."""

import re
from dataclasses import dataclass


@dataclass
class Event:
    type: str
    data: str
    id: str


class ChunkKeeper:
    def __init__(self):
        self._chunks = []
        self._head = True
        self._drop_lf = False
        self._data = []
        self._type = b""
        self._id = b""

    def feed(self, chunk):
        if self._drop_lf and chunk:
            self._drop_lf = False
            if chunk[0:1] == b"\n":
                chunk = chunk[1:]
        self._chunks.append(chunk)
        if b"\n" not in chunk and b"\r" not in chunk:
            return iter(())
        joined = b"".join(self._chunks)
        lines = re.split(rb"\r\n|[\r\n]", joined)
        self._chunks = [lines.pop()]
        self._drop_lf = joined.endswith(b"\r")
        return iter([event for line in lines for event in self._line(line)])

    def close(self):
        self._chunks.clear()
        return iter(())

    def _line(self, line):
        if self._head:
            self._head = False
            if line.startswith(b"\xef\xbb\xbf"):
                line = line[3:]
        if line == b"":
            data, kind = self._data, self._type
            self._data, self._type = [], b""
            if data:
                as_text = [raw.decode("utf-8", errors="replace") for raw in (kind, b"\n".join(data), self._id)]
                return [Event(as_text[0] or "message", *as_text[1:])]
            return []
        match line.split(b":", 1):
            case [name]:
                value = b""
            case [name, value] if value.startswith(b" "):
                value = value[1:]
            case [name, value]:
                pass
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._type = value
        elif name == b"id" and b"\0" not in value:
            self._id = value
        return []
