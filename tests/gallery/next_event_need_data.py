"""After the manner of h11: receive_data(), then next_event() until it is NEED_DATA."""

import re
from typing import Final


class _Sentinel(type):
    def __repr__(cls):
        return cls.__name__


class NEED_DATA(metaclass=_Sentinel):
    pass


class Event:
    __slots__ = ("data", "id", "type")

    def __init__(self, type, data, id):
        self.type, self.data, self.id = type, data, id


LINE_END: Final = re.compile(rb"[\r\n]")


class Connection:
    def __init__(self):
        self._buffer = bytearray()
        self._at = 0
        self._searched = 0
        self._after_cr = False
        self._line_count = 0
        self._data, self._type, self._id = [], "", ""

    def receive_data(self, data: bytes) -> None:
        del self._buffer[: self._at]
        self._searched -= self._at
        self._at = 0
        self._buffer += data

    def next_event(self):
        while (line := self._maybe_next_line()) is not None:
            if line:
                self._field(line)
            elif (event := self._dispatch()) is not None:
                return event
        return NEED_DATA

    def _maybe_next_line(self):
        buffer = self._buffer
        if self._after_cr and self._at < len(buffer):
            self._after_cr = False
            if buffer[self._at] == 0x0A:
                self._at += 1
        found = LINE_END.search(buffer, max(self._at, self._searched))
        if found is None:
            self._searched = len(buffer)
            return None
        end = found.start()
        line = bytes(buffer[self._at : end])
        self._after_cr = buffer[end] == 0x0D
        self._at = self._searched = end + 1
        self._line_count += 1
        if self._line_count == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        return line.decode("utf-8", "replace")

    def _field(self, line):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value

    def _dispatch(self):
        data, kind = self._data, self._type
        self._data, self._type = [], ""
        return Event(kind or "message", "\n".join(data), self._id) if data else None
