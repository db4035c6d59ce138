"""All arguments of the constructor have defaults; a reconnecting client passes the last event ID that it had."""

import codecs
import logging
from dataclasses import dataclass


@dataclass
class Event:
    type: str
    data: str
    id: str


class Parser:
    def __init__(self, last_event_id="", *, logger=None, encoding="utf-8", event_class=Event):
        self.last_event_id = last_event_id
        self.log = logger or logging.getLogger(__name__)
        self.event_class = event_class
        self._id = last_event_id
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._tokens = []
        self._cr = self._begun = False
        self._fields = {}

    def feed(self, chunk=b""):
        events = []
        text = self._decoder.decode(chunk)
        if text and not self._begun:
            self._begun = True
            text = text[text[0] == "\ufeff" :]
        if text and self._cr:
            self._cr = False
            text = text[text[0] == "\n" :]
        if text:
            self._cr = text[-1] == "\r"
            parts = "\n".join(text.split("\r\n")).translate({13: 10}).split("\n")
            for index, part in enumerate(parts):
                self._tokens.append(part)
                if index + 1 < len(parts):
                    line, self._tokens = "".join(self._tokens), []
                    events.extend(self._line(line))
        return events

    def _line(self, line):
        if line:
            self.log.debug("line of %d characters", len(line))
            name, colon, value = line.partition(":")
            if colon and value.startswith(" "):
                value = value[1:]
            if name == "data":
                self._fields.setdefault("data", []).append(value)
            elif name == "event":
                self._fields["event"] = value
            elif name == "id" and "\0" not in value:
                self._id = value
            return
        self.last_event_id = self._id
        fields, self._fields = self._fields, {}
        if "data" in fields:
            kind = fields.get("event") or "message"
            yield self.event_class(kind, "\n".join(fields["data"]), self.last_event_id)
