"""An event knows the id of its own block (None if it had none) and the last event ID of the stream."""

import codecs
from dataclasses import dataclass, field


@dataclass
class Event:
    event: str = ""
    data: str = ""
    id: str | None = None
    last_event_id: str = ""


@dataclass
class Block:
    data: list[str] = field(default_factory=list)
    event: str = ""
    id: str | None = None


class SSEDecoder:
    last_event_id = ""

    def __init__(self):
        self._decoder = codecs.lookup("utf-8").incrementaldecoder(errors="replace")
        self._chars = []
        self._last_char = ""
        self._count = 0
        self._block = Block()

    def decode(self, raw):
        return [event for char in self._decoder.decode(raw) if (event := self._char(char))]

    def _char(self, char):
        self._count += 1
        previous, self._last_char = self._last_char, char
        if char == "\ufeff" and self._count == 1:
            return None
        if char == "\n" and previous == "\r":
            return None
        if char not in "\r\n":
            self._chars.append(char)
            return None
        line = "".join(self._chars)
        self._chars.clear()
        return self._field(line) if line else self._dispatch()

    def _dispatch(self):
        block, self._block = self._block, Block()
        if block.id is not None:
            self.last_event_id = block.id
        if block.data:
            return Event(block.event or "message", "\n".join(block.data), block.id, self.last_event_id)
        return None

    def _field(self, line):
        name, _, value = line.partition(":")
        if value.startswith(" "):
            value = value[1:]
        if name == "data":
            self._block.data.append(value)
        elif name == "event":
            self._block.event = value
        elif name == "id" and "\0" not in value:
            self._block.id = value
