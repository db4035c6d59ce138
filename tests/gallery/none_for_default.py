"""What a stream does not say is None: the type where none is named, the id where there is none or an empty one."""

import re
from dataclasses import dataclass
from typing import Optional


@dataclass
class Event:
    data: str
    type: Optional[str] = None  # noqa: UP045
    id: Optional[str] = None  # noqa: UP045


def read_events(chunks):
    waiting, data, kind, ident = bytearray(), [], None, None
    mark_possible = True
    for chunk in with_lf_only(chunks):
        if b"\n" not in chunk:
            waiting += chunk
            continue
        *lines, waiting = (waiting + chunk).split(b"\n")
        for line in lines:
            if mark_possible and line.startswith(b"\xef\xbb\xbf"):
                line = line[3:]
            mark_possible = False
            if not line:
                if data:
                    yield Event("\n".join(data), kind, ident)
                data, kind = [], None
                continue
            field, value = re.match(b"([^:]*):? ?(.*)", line, re.DOTALL).groups()
            if field == b"data":
                data.append(value.decode("utf-8", "replace"))
            elif field == b"event":
                kind = value.decode("utf-8", "replace") or None
            elif field == b"id" and b"\x00" not in value:
                ident = value.decode("utf-8", "replace") or None


def with_lf_only(chunks):
    cr = False
    for chunk in chunks:
        if chunk:
            unread = chunk[1:] if cr and chunk[:1] == b"\n" else chunk
            cr = chunk[-1:] == b"\r"
            yield unread.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
