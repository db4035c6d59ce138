"""Events keep their block's bytes; data, type and the rest are worked out when they are read."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

FIELD = re.compile(rb"^(data|event|id)(?::\x20?(.*))?\Z", re.DOTALL)


class LazyEvent:
    def __init__(self, fields: list[tuple[bytes, bytes]], last_event_id: bytes):
        self._fields = fields
        self._last_event_id = last_event_id

    @cached_property
    def data(self) -> str:
        return self._decode(b"\n".join(value for name, value in self._fields if name == b"data"))

    @property
    def type(self) -> str:
        return self._decode(dict(self._fields).get(b"event", b"")) or "message"

    @property
    def id(self) -> str:
        return self._decode(self._last_event_id)

    @staticmethod
    def _decode(raw: bytes) -> str:
        return raw.decode("utf-8", "replace")


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    start = True
    kept = bytearray()
    cr = False
    for chunk in chunks:
        for index, line in enumerate(re.split(b"[\r\n]", chunk.replace(b"\r\n", b"\n"))):
            if index:
                # An empty first piece in front of an LF, behind a chunk that ended in CR: the same line end.
                if not (index == 1 and cr and chunk.startswith(b"\n")):
                    yield bytes(kept.removeprefix(b"\xef\xbb\xbf") if start else kept)
                    start = False
                kept.clear()
            kept += line
        cr = chunk.endswith(b"\r") if chunk else cr


def events(chunks: Iterable[bytes]) -> Iterator[LazyEvent]:
    fields: list[tuple[bytes, bytes]] = []
    ident = b""
    for line in lines(chunks):
        if not line:
            if any(name == b"data" for name, _ in fields):
                yield LazyEvent(fields, ident)
            fields = []
        elif match := FIELD.match(line):
            name, value = match.group(1), match.group(2) or b""
            if name != b"id":
                fields.append((name, value))
            elif b"\0" not in value:
                ident = value
