"""An async generator that decodes and splits in worker threads, so that a long chunk blocks no loop."""

import asyncio
import codecs
from collections.abc import AsyncIterable, AsyncIterator
from typing import NamedTuple


class ServerEvent(NamedTuple):
    event: str
    data: str
    id: str


class Splitter:
    def __init__(self) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self.open: list[str] = []
        self.skip_newline = False

    def lines(self, chunk: bytes) -> list[str]:
        text = self.decoder.decode(chunk)
        if not text:
            return []
        if self.skip_newline and text[0] == "\n":
            text = text[1:]
        self.skip_newline = text.endswith("\r")
        parts = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.open.append(parts[0])
        whole = []
        for part in parts[1:]:
            whole.append("".join(self.open))
            self.open = [part]
        return whole


async def threaded_events(chunks: AsyncIterable[bytes]) -> AsyncIterator[ServerEvent]:
    splitter = Splitter()
    kind, ident = "", ""
    data: list[str] = []
    async for chunk in chunks:
        for line in await asyncio.to_thread(splitter.lines, chunk):
            field, _, value = line.partition(":")
            value = value[1:] if value[:1] == " " else value
            if not line:
                if data:
                    yield ServerEvent(kind or "message", "\n".join(data), ident)
                kind, data = "", []
            elif field == "data":
                data.append(value)
            elif field == "event":
                kind = value
            elif field == "id" and "\0" not in value:
                ident = value
