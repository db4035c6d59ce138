"""`feed(chunk, callback)`: the callback gets each event that the chunk completes."""

from array import array
from types import MappingProxyType


class Feeder:
    def __init__(self):
        self._line = array("B")
        self._cr = self._past_start = False
        self._data = None
        self._kind = ""
        self._id = ""

    def feed(self, chunk, callback):
        for byte in memoryview(chunk):
            if byte == 10 and self._cr:
                self._cr = False
                continue
            self._cr = byte == 13
            if byte not in (10, 13):
                self._line.append(byte)
                continue
            raw = self._line.tobytes()
            self._line = array("B")
            if not self._past_start and raw.startswith(b"\xef\xbb\xbf"):
                raw = raw[3:]
            self._past_start = True
            if raw == b"":
                data, kind = self._data, self._kind
                self._data, self._kind = None, ""
                if data is not None:
                    text = "\n".join(data)
                    callback(MappingProxyType({"type": kind or "message", "data": text, "last_event_id": self._id}))
            else:
                self._field(str(raw, "utf-8", "replace"))

    def _field(self, line):
        colon = line.find(":")
        name = line if colon == -1 else line[:colon]
        value = "" if colon == -1 else line[colon + 1 :]
        if value and value[0] == " ":
            value = value[1:]
        if name == "data":
            if self._data is None:
                self._data = []
            self._data.append(value)
        elif name == "event":
            self._kind = value
        elif name == "id":
            self._id = self._id if "\0" in value else value
