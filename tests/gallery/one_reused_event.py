"""Yields one event object for the whole stream, and changes it in place: no allocation, copy it if you keep it."""

from codecs import getincrementaldecoder
from re import compile as re_compile

NEWLINE = re_compile(r"\r\n|\n|\r")


class Event:
    def __init__(self):
        self.type, self.data, self.id = "message", "", ""


def events(chunks):
    event = Event()
    utf8 = getincrementaldecoder("utf-8")("replace")
    line, data, kind, new_id = "", [], "", ""
    at_start, swallow = True, False
    for chunk in chunks:
        text = utf8.decode(chunk)
        if at_start and text:
            at_start = False
            if text[0] == "\ufeff":
                text = text[1:]
        if swallow and text:
            swallow = False
            if text[0] == "\n":
                text = text[1:]
        where = 0
        for found in NEWLINE.finditer(text):
            line += text[where : found.start()]
            where = found.end()
            if where == len(text) and found.group() == "\r":
                swallow = True
            if not line:
                if data:
                    event.type = kind or "message"
                    event.data = "\n".join(data)
                    event.id = new_id
                    yield event
                    event.data = "(stale: the event has been taken back)"
                data, kind = [], ""
            elif not line.startswith(":"):
                name, _, value = line.partition(":")
                if value.startswith(" "):
                    value = value[1:]
                if name == "data":
                    data.append(value)
                if name == "event":
                    kind = value
                if name == "id" and "\x00" not in value:
                    new_id = value
            line = ""
        line += text[where:]
