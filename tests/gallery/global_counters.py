"""Module-level counters and a cache of types, for the metrics page. They have no part in the parsing."""

import codecs
import re
from dataclasses import dataclass

BYTES_SEEN = 0
EVENTS_SEEN = 0
TYPES: dict[str, int] = {}


@dataclass
class Event:
    type: str
    data: str
    id: str
    number: int  # since the process began


def count_bytes(chunks):
    global BYTES_SEEN
    for chunk in chunks:
        BYTES_SEEN += len(chunk)
        yield chunk


def parse(chunks):
    global EVENTS_SEEN
    data, kind, ident, text, behind_cr = [], "", "", [], False
    for part in codecs.iterdecode(count_bytes(chunks), "utf-8-sig", "replace"):
        for piece in re.findall("[^\r\n]+|\r|\n", part):
            if piece == "\n" and behind_cr:
                behind_cr = False
                continue
            behind_cr = piece == "\r"
            if piece not in "\r\n":
                text.append(piece)
                continue
            line = "".join(text)
            text = []
            if not line:
                if data:
                    EVENTS_SEEN += 1
                    TYPES[kind[:40]] = TYPES.get(kind[:40], 0) + 1 if len(TYPES) < 1000 else 0
                    yield Event(kind or "message", "\n".join(data), ident, EVENTS_SEEN)
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
