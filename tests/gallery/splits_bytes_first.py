"""Lines are cut as bytes; each whole line is decoded by itself, so that no character can be torn."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_EOL = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Event:
    event: str
    data: str
    id: str


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    pending: list[bytes] = []
    after_cr = False
    for chunk in chunks:
        if not chunk:
            continue
        if after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        after_cr = chunk.endswith(b"\r")
        *whole, rest = _EOL.split(chunk)
        for part in whole:
            yield b"".join([*pending, part])
            pending.clear()
        if rest:
            pending.append(rest)


def iter_events(chunks: Iterable[bytes]) -> Iterator[Event]:
    data: list[str] = []
    event = last_id = ""
    for number, raw in enumerate(_lines(chunks)):
        if number == 0 and raw.startswith(_BOM):
            raw = raw[3:]
        line = raw.decode("utf-8", "replace")
        if not line:
            if data:
                yield Event(event or "message", "\n".join(data), last_id)
                data = []
            event = ""
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        match field:
            case "data":
                data.append(value)
            case "event":
                event = value
            case "id" if "\0" not in value:
                last_id = value
