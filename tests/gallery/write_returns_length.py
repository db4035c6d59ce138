"""File-like: `write` returns the number of bytes it took. Events go to the `on_event` given to the constructor."""

import codecs
import re


class EventWriter:
    """
    >>> EventWriter(on_event=print).write(b"data: hello\\n\\n")
    {'event': 'message', 'data': 'hello', 'id': ''}
    13
    """

    _newline = re.compile("\r\n|\r|\n")

    def __init__(self, on_event):
        self._on_event = on_event
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = []
        self._cr = False
        self._event = {"event": "", "data": [], "id": ""}

    def writable(self):
        return True

    def write(self, b):
        text = self._decoder.decode(b)
        if text and self._cr:
            text = text[1:] if text[0] == "\n" else text
            self._cr = False
        if text:
            self._cr = text[-1] == "\r"
            first, *others = self._newline.split(text)
            self._text.append(first)
            for other in others:
                self._line("".join(self._text))
                self._text = [other]
        return len(b)

    def close(self):
        self._text = []

    def _line(self, line):
        event = self._event
        if not line:
            if event["data"]:
                shown = {"event": event["event"] or "message", "data": "\n".join(event["data"]), "id": event["id"]}
                self._on_event(shown)
            self._event = {"event": "", "data": [], "id": event["id"]}
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            event["data"].append(value)
        elif name == "event" or (name == "id" and "\0" not in value):
            event[name] = value
