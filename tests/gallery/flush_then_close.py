"""`flush()` ends the input and gives what a last CR completed. `close()` only frees the buffers."""

import codecs


class Message:
    def __init__(self, event, data, id):
        self.event, self.data, self.id = event, data, id


class Parser:
    def __init__(self):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text, self._started, self._id = "", False, ""
        self._fields = {}

    def feed(self, data):
        return self._parse(self._decoder.decode(data), at_end=False)

    def flush(self):
        return self._parse("", at_end=True)

    def close(self):
        self._text, self._fields = "", {}

    def _parse(self, more, at_end):
        text = self._text + more
        if text and not self._started:
            self._started = True
            text = text.removeprefix("\ufeff")
        found = []
        while (end := self._line_end(text, at_end)) is not None:
            line, text = text[: end[0]], text[end[1] :]
            message = self._line(line) if line else self._blank()
            if message is not None:
                found.append(message)
        self._text = text
        return found

    @staticmethod
    def _line_end(text, at_end):
        for at, char in enumerate(text):
            if char == "\n":
                return at, at + 1
            if char == "\r":
                if at + 1 == len(text) and not at_end:
                    return None
                return at, at + 2 if text[at + 1 : at + 2] == "\n" else at + 1
        return None

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
