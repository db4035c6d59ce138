"""The reconnection time is a timedelta on the parser, three seconds at first."""

import codecs
import re
from dataclasses import dataclass
from datetime import timedelta


@dataclass
class Event:
    type: str
    data: str
    id: str


class EventSource:
    def __init__(self):
        self.retry = timedelta(seconds=3)
        self.last_event_id = ""
        self._id = ""
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line, self._cr = [], False
        self._data, self._type = [], ""

    def feed(self, chunk):
        events = []
        text = self._decoder.decode(chunk)
        if text and self._cr:
            self._cr = False
            text = text.removeprefix("\n")
        if text.endswith("\r"):
            self._cr = True
        for number, part in enumerate(re.split("\r\n|\r|\n", text)):
            if number:
                self._on_line("".join(self._line), events)
                self._line = []
            self._line.append(part)
        return events

    def _on_line(self, line, events):
        if not line:
            self.last_event_id = self._id
            if self._data:
                events.append(Event(self._type or "message", "\n".join(self._data), self._id))
            self._data, self._type = [], ""
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            handler = {"data": self._on_data, "event": self._on_event, "id": self._on_id, "retry": self._on_retry}
            handler.get(name, lambda value: None)(value.removeprefix(" "))

    def _on_data(self, value):
        self._data.append(value)

    def _on_event(self, value):
        self._type = value

    def _on_id(self, value):
        if "\0" not in value:
            self._id = value

    def _on_retry(self, value):
        if value and set(value) <= set("0123456789"):
            digits = value.lstrip("0")
            self.retry = timedelta(milliseconds=int(digits or "0")) if len(digits) < 16 else timedelta.max
