"""`await fetch_events(body)` gives all events at once."""

import re
from dataclasses import dataclass


@dataclass
class Event:
    event: str
    data: str
    id: str


async def fetch_events(body) -> list[Event]:
    raw = bytearray()
    async for chunk in body:
        raw += chunk
    text = raw.decode("utf-8-sig", "replace")
    events, fields, ident = [], [], ""
    *lines, _unfinished = re.split("\r\n|\r|\n", text)
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields.append((name, value[1:] if value[:1] == " " else value))
            continue
        ident = next((v for n, v in reversed(fields) if n == "id" and "\0" not in v), ident)
        data = [v for n, v in fields if n == "data"]
        kind = next((v for n, v in reversed(fields) if n == "event"), "")
        if data:
            events.append(Event(kind or "message", "\n".join(data), ident))
        fields.clear()
    return events
