"""A class with coroutines: `events = await parser.feed(chunk)`, then `await parser.close()`."""

import asyncio
import codecs
from dataclasses import dataclass


@dataclass
class Message:
    type: str
    data: str
    id: str


class AsyncParser:
    def __init__(self):
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._chars = []
        self._was_cr = False
        self._data, self._type, self._id = [], None, ""

    async def feed(self, chunk: bytes) -> list[Message]:
        text = self._decode(chunk)
        await asyncio.sleep(0)
        out = []
        for char in text:
            if char == "\n" and self._was_cr:
                self._was_cr = False
                continue
            self._was_cr = char == "\r"
            if char == "\n" or char == "\r":
                line, self._chars = "".join(self._chars), []
                if message := await self._on_line(line):
                    out.append(message)
            else:
                self._chars.append(char)
        return out

    async def close(self) -> list[Message]:
        await asyncio.sleep(0)
        self._chars = []
        return []

    async def _on_line(self, line):
        if not line:
            await asyncio.sleep(0)
            message = None
            if self._data:
                message = Message(self._type or "message", "\n".join(self._data), self._id)
            self._data, self._type = [], None
            return message
        name, found, value = line.partition(":")
        if found and value.startswith(" "):
            value = value[1:]
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None
