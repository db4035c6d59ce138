"""A push parser on top of io.IncrementalNewlineDecoder. It has no end call, since a stream has no end."""

import codecs
import io


class ServerSentEvent:
    __slots__ = ("data", "event", "id")

    def __init__(self, event, data, id):
        self.event = event
        self.data = data
        self.id = id


class StreamParser:
    def __init__(self):
        decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        # Universal newlines: a CR is held back until it is known whether an LF follows.
        self._newlines = io.IncrementalNewlineDecoder(decoder, translate=True)
        self._tail = io.StringIO(newline="")
        self._fields = {"event": "", "id": ""}
        self._data = []

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        events = []
        for piece in io.StringIO(self._newlines.decode(chunk), newline="\n"):
            self._tail.write(piece)
            if piece.endswith("\n"):
                line = self._tail.getvalue()[:-1]
                self._tail = io.StringIO(newline="")
                self._process(line, events)
        return events

    def _process(self, line, events):
        if not line:
            if self._data:
                kind = self._fields["event"] or "message"
                events.append(ServerSentEvent(kind, "\n".join(self._data), self._fields["id"]))
            self._data = []
            self._fields["event"] = ""
            return
        if line[0] == ":":
            return
        name, value = line.split(":", 1) if ":" in line else (line, "")
        if value[:1] == " ":
            value = value[1:]
        if name == "data":
            self._data.append(value)
        elif name == "event" or (name == "id" and "\x00" not in value):
            self._fields[name] = value
