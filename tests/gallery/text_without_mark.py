"""For `response.iter_text()`: chunks of str. A byte order mark is the business of whoever decodes."""

import re
from collections import namedtuple
from collections.abc import Iterable, Iterator

Event = namedtuple("Event", "type data id")


def parse_text(chunks: Iterable[str]) -> Iterator[Event]:
    line, cr = [], False
    data, kind, ident = [], "", ""
    for chunk in chunks:
        for token in re.findall("\r\n|\r|\n|[^\r\n]+", chunk):
            if cr and token == "\n":
                cr = False
                continue
            cr = token == "\r"
            if token not in ("\r", "\n", "\r\n"):
                line.append(token)
                continue
            text, line = "".join(line), []
            if not text:
                if data:
                    yield Event(kind or "message", "\n".join(data), ident)
                data, kind = [], ""
            elif m := re.fullmatch("(data|event|id)(?:: ?(.*))?", text, re.DOTALL):
                value = m[2] or ""
                if m[1] == "data":
                    data.append(value)
                elif m[1] == "event":
                    kind = value
                elif "\0" not in value:
                    ident = value
