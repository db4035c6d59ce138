"""An async generator that lets others run between any two lines."""

import asyncio
import codecs
import dataclasses
from collections.abc import AsyncIterable, AsyncIterator


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    type: str
    data: str
    last_event_id: str


async def aiter_lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces: list[str] = []
    start, after_cr = True, False
    async for chunk in chunks:
        text = decoder.decode(chunk)
        await asyncio.sleep(0)
        if not text:
            continue
        if start:
            text, start = text.removeprefix("\ufeff"), False
        if after_cr and text[:1] == "\n":
            text = text[1:]
        after_cr = text[-1:] == "\r"
        head, *more = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        pieces.append(head)
        for piece in more:
            yield "".join(pieces)
            pieces = [piece]


async def aiter_events(chunks: AsyncIterable[bytes]) -> AsyncIterator[Event]:
    data: list[str] = []
    kind, ident = "", ""
    async for line in aiter_lines(chunks):
        await asyncio.sleep(0)
        if not line:
            if data:
                yield Event(kind or "message", "\n".join(data), ident)
            data, kind = [], ""
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            ident = value
