"""
receive_data(data) -> list of events.

As with sockets, an empty ``data`` means that the peer has closed: ``receive_data(b"")`` ends the stream, and no more
data may follow. This is the only way to say so.
"""

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    event: str
    data: str
    id: str


class Protocol:
    def __init__(self):
        self.closed = False
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._pieces = []
        self._cr = False
        self._data, self._event, self._id = [], "", ""

    def receive_data(self, data: bytes) -> list[Event]:
        if self.closed:
            raise RuntimeError("receive_data() after the end of the stream")
        if not data:
            self.closed = True
            return [event for event in [self._end_line()] if event] if self._cr else []
        out = []
        for text in self._decoder.decode(data).splitlines(keepends=True):
            # str.splitlines splits at more than the standard knows; the pieces are put together again.
            body = text.rstrip("\r\n") if text.endswith(("\r", "\n")) else text
            if self._cr:
                self._cr = False
                out.append(self._end_line())
                if text == "\n":
                    continue
            self._pieces.append(body)
            if text.endswith("\n"):
                out.append(self._end_line())
            elif text.endswith("\r"):
                self._cr = True
        return [event for event in out if event is not None]

    def _end_line(self):
        line = "".join(self._pieces)
        self._pieces = []
        if not line:
            data, event = self._data, self._event
            self._data, self._event = [], ""
            return Event(event or "message", "\n".join(data), self._id) if data else None
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None
