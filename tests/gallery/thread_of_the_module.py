"""Reads in one thread that the module starts and keeps: a forked copy of the process has lost it."""

import codecs
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

_worker = ThreadPoolExecutor(1)


@dataclass
class Received:
    type: str
    data: str
    last_event_id: str


class _State:
    def __init__(self) -> None:
        self.decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self.rest = ""
        self.ended_in_cr = False
        self.values: list[str] = []
        self.type = ""
        self.id = ""

    def read(self, chunk: bytes) -> list[Received]:
        text = self.decode(chunk)
        if self.ended_in_cr and text:
            text = text.removeprefix("\n")
            self.ended_in_cr = False
        if not re.search("[\r\n]", text):
            self.rest += text
            return []
        self.ended_in_cr = text.endswith("\r")
        *lines, self.rest = re.split("\r\n|[\r\n]", self.rest + text)
        return [event for line in lines if (event := self.line(line)) is not None]

    def line(self, line: str) -> Received | None:
        if line == "":
            event = Received(self.type or "message", "\n".join(self.values), self.id) if self.values else None
            self.type, self.values = "", []
            return event
        match = re.fullmatch(r"([^:]*)(?::[ ]?(.*))?", line, re.DOTALL)
        assert match is not None
        name, value = match[1], match[2] or ""
        if name == "event":
            self.type = value
        elif name == "data":
            self.values.append(value)
        elif name == "id" and "\0" not in value:
            self.id = value
        return None


def receive(chunks: Iterable[bytes]) -> Iterator[Received]:
    state = _State()
    for chunk in chunks:
        yield from _worker.submit(state.read, chunk).result()
