"""The handler is called with three arguments: handler(type, data, id)."""

import codecs


class Tokenizer:
    def __init__(self, handler):
        self.handler = handler
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.started = self.carriage = False
        self.line = []
        self.fields = {}
        self.id = ""

    def push(self, chunk):
        text = self.decode(chunk)
        if not text:
            return
        if not self.started:
            self.started = True
            if text.startswith("\ufeff"):
                text = text[1:]
        if self.carriage and text.startswith("\n"):
            text = text[1:]
        self.carriage = text.endswith("\r")
        line = self.line
        for char in text.replace("\r\n", "\n"):
            if char == "\n" or char == "\r":
                self.on_line("".join(line))
                line = []
            else:
                line.append(char)
        self.line = line

    def end(self):
        self.fields.clear()

    def on_line(self, line):
        if line:
            name, sep, value = line.partition(":")
            value = value[1:] if sep and value.startswith(" ") else value
            if name in ("data", "event", "id"):
                self.fields.setdefault(name, []).append(value)
            return
        fields, self.fields = self.fields, {}
        for value in fields.get("id", ()):
            if "\0" not in value:
                self.id = value
        if "data" in fields:
            self.handler(fields.get("event", [""])[-1] or "message", "\n".join(fields["data"]), self.id)
