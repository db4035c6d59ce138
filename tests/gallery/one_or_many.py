"""push() returns None if there is nothing, the event if there is one, and a list if there are more."""

import codecs
from dataclasses import dataclass, field


@dataclass
class Event:
    type: str = ""
    data: list = field(default_factory=list)
    id: str = ""

    def finish(self):
        self.data = "\n".join(self.data)
        self.type = self.type or "message"
        return self


class Pusher:
    def __init__(self):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.current = Event()
        self.word = []
        self.history = ""

    def push(self, chunk):
        events = [event for event in map(self._char, self.decoder.decode(chunk)) if event is not None]
        if not events:
            return None
        return events[0] if len(events) == 1 else events

    def _char(self, char):
        before, self.history = self.history, char
        if (before, char) == ("\r", "\n") or (before, char) == ("", "\ufeff"):
            return None
        if char != "\r" and char != "\n":
            self.word.append(char)
            return None
        line, self.word = "".join(self.word), []
        if not line:
            done = self.current
            self.current = Event(id=done.id)
            return done.finish() if done.data else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self.current.data.append(value)
        elif name == "event":
            self.current.type = value
        elif name == "id" and "\0" not in value:
            self.current.id = value
        return None
