"""Binary all through: type, data and id are bytes, well-formed UTF-8 (what was not, is EF BF BD)."""

import codecs
from dataclasses import dataclass


@dataclass
class RawEvent:
    type: bytes
    data: bytes
    id: bytes


class RawParser:
    def __init__(self):
        self._clean = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line = bytearray()
        self._cr = False
        self._data = bytearray()
        self._has_data = False
        self._type = self._id = b""

    def receive_data(self, data: bytes) -> list[RawEvent]:
        events = []
        clean = self._clean.decode(data).encode("utf-8")
        for line in clean.splitlines(keepends=True):
            if self._cr:
                self._cr = False
                if line == b"\n":
                    continue
            if line[-1] not in b"\r\n":
                self._line += line
                continue
            self._cr = line[-1] == 13
            self._line += line.rstrip(b"\r\n")
            self._end_line(bytes(self._line), events)
            self._line = bytearray()
        return events

    def _end_line(self, line, events):
        if not line:
            if self._has_data:
                events.append(RawEvent(self._type or b"message", bytes(self._data[1:]), self._id))
            self._data, self._has_data, self._type = bytearray(), False, b""
            return
        name, _, value = line.partition(b":")
        value = value[1:] if value[:1] == b" " else value
        if name == b"data":
            self._has_data = True
            self._data += b"\n" + value
        elif name == b"event":
            self._type = value
        elif name == b"id" and 0 not in value:
            self._id = value
