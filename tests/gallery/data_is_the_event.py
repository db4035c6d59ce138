"""An event *is* its data, a str, with `type` and `last_event_id` as attributes."""

import re

LINE_END = re.compile(rb"\r(?!\n)|\r?\n")


class Message(str):
    type: str
    last_event_id: str

    def __new__(cls, data, type, last_event_id):
        self = super().__new__(cls, data)
        self.type = type
        self.last_event_id = last_event_id
        return self


class Messages:
    """`feed` bytes, get a list of messages."""

    def __init__(self):
        self.pending = bytearray()
        self.position = 0
        self.discard_lf = False
        self.mark = b"\xef\xbb\xbf"
        self.data, self.type, self.last_event_id = None, "", ""
        self.next_id = ""

    def feed(self, chunk):
        if self.discard_lf and chunk:
            self.discard_lf = False
            chunk = chunk.removeprefix(b"\n")
        self.pending += chunk
        out, begin = [], 0
        # A CR that is the last byte so far ends its line, and what comes next may still be its LF.
        for hit in LINE_END.finditer(self.pending, self.position):
            line, begin = self.pending[begin : hit.start()], hit.end()
            out.extend(self.line(self.unmark(line)))
        if chunk:
            self.discard_lf = chunk[-1] == 13
        del self.pending[:begin]
        self.position = len(self.pending)
        return out

    def unmark(self, line):
        mark, self.mark = self.mark, b""
        return line.removeprefix(mark).decode("utf-8", errors="replace")

    def line(self, line):
        if line == "":
            self.last_event_id = self.next_id
            data, type = self.data, self.type
            self.data, self.type = None, ""
            return [] if data is None else [Message("\n".join(data), type or "message", self.last_event_id)]
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self.data = [] if self.data is None else self.data
            self.data.append(value)
        elif name == "event":
            self.type = value
        elif name == "id" and "\0" not in value:
            self.next_id = value
        return []
