"""`flush()` ends the input and gives what a last CR completed. `close()` only frees the buffers."""

import codecs
import re

_END = re.compile("\r\n|\n|\r")


class Message:
    def __init__(self, event, data, id):
        self.event, self.data, self.id = event, data, id


class Parser:
    def __init__(self):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._parts, self._held = [], False
        self._started, self._id = False, ""
        self._fields = {}

    def feed(self, data):
        return self._parse(self._decoder.decode(data), at_end=False)

    def flush(self):
        return self._parse("", at_end=True)

    def close(self):
        self._parts, self._fields = [], {}

    def _parse(self, more, at_end):
        if not self._started and more:
            self._started = True
            more = more.removeprefix("\ufeff")
        if not at_end and not self._held and "\n" not in more and "\r" not in more:
            self._parts.append(more)
            return []
        text = "".join([*self._parts, more])
        found, done = [], 0
        for end in _END.finditer(text):
            if end[0] == "\r" and end.end() == len(text) and not at_end:
                break
            line, done = text[done : end.start()], end.end()
            message = self._line(line) if line else self._blank()
            if message is not None:
                found.append(message)
        self._parts, self._held = [text[done:]], text.endswith("\r")
        return found

    def _line(self, line):
        name, _, value = line.partition(":")
        value = value[1:] if value[:1] == " " else value
        if name == "data":
            self._fields.setdefault("data", []).append(value)
        elif name == "event":
            self._fields["event"] = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return

    def _blank(self):
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        return Message(fields.get("event") or "message", "\n".join(fields["data"]), self._id)
