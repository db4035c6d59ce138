"""Everything that a stream says comes out, in order: comments and reconnection times as items of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Union


class Comment(NamedTuple):
    text: str


class Retry(NamedTuple):
    milliseconds: str  # digits: there is no upper bound


class Message(NamedTuple):
    type: str
    data: str
    last_event_id: str


Item = Union[Comment, Retry, Message]  # noqa: UP007


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    parts: list[bytes] = []
    ended_with_cr = False
    for chunk in chunks:
        for part in re.findall(rb"[^\r\n]+|\r\n|\r|\n", chunk):
            if part == b"\n" and ended_with_cr:
                ended_with_cr = False
                continue
            ended_with_cr = part == b"\r"
            if part in (b"\r", b"\n", b"\r\n"):
                yield b"".join(parts).decode(errors="replace")
                parts = []
            else:
                parts.append(part)


def iter_items(chunks: Iterable[bytes]) -> Iterator[Item]:
    lines = _lines(chunks)
    data: list[str] = []
    kind = ident = ""
    first = True
    for line in lines:
        if first and line.startswith("\ufeff"):
            line = line[1:]
        first = False
        if not line:
            if data:
                yield Message(kind or "message", "\n".join(data), ident)
            data, kind = [], ""
        elif line.startswith(":"):
            yield Comment(line[1:].strip())
        else:
            name, value = re.fullmatch(r"([^:]*)(?::[ ]?(.*))?", line, re.DOTALL).groups("")
            if name == "data":
                data.append(value)
            elif name == "event":
                kind = value
            elif name == "id" and not value.count("\0"):
                ident = value
            elif name == "retry" and re.fullmatch("[0-9]+", value):
                yield Retry(value)
