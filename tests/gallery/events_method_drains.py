"""`receive_data` takes bytes, `events()` gives what has become complete since it was last called."""

import re


class Event:
    def __init__(self, *, event="message", data="", id=""):
        vars(self).update(event=event, data=data, id=id)

    def __repr__(self):
        return f"Event(event={self.event!r}, data={self.data!r}, id={self.id!r})"


class Connection:
    def __init__(self):
        self._queue = []
        self._bytes = []
        self._ignore_lf = False
        self._seen_a_line = False
        self._block = []
        self._last_id = ""

    def receive_data(self, data: bytes) -> None:
        if data and self._ignore_lf:
            self._ignore_lf = False
            if data[0] == 0x0A:
                data = data[1:]
        # On bytes, unlike on str, splitlines knows CR, LF and CRLF alone.
        for line in data.splitlines(keepends=True):
            self._bytes.append(line)
            if line.endswith((b"\r", b"\n")):
                whole = b"".join(self._bytes).rstrip(b"\r\n")
                self._bytes.clear()
                self._line(whole.decode("utf-8", "replace"))
        self._ignore_lf = self._ignore_lf or data.endswith(b"\r")

    def _line(self, line):
        if not self._seen_a_line:
            self._seen_a_line = True
            line = re.sub("^\ufeff", "", line)
        if line:
            if line.startswith(("data", "event", "id")):
                self._block.append((*re.match("([^:]*):? ?", line).span(), line))
            return
        data, event = [], ""
        for _, end, text in self._block:
            name, value = text.split(":", 1)[0], text[end:]
            if name == "data":
                data.append(value)
            elif name == "event":
                event = value
            elif name == "id" and "\0" not in value:
                self._last_id = value
        self._block = []
        if data:
            self._queue.append(Event(event=event or "message", data="\n".join(data), id=self._last_id))

    def events(self):
        queue, self._queue = self._queue, []
        return queue
