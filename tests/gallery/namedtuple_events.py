"""Named tuples of (data, event, id, retry); `retry` is the time in force, a str of digits."""

import itertools
from collections import namedtuple

ServerEvent = namedtuple("ServerEvent", ("data", "event", "id", "retry"), defaults=("message", "", None))


def byte_lines(chunks):
    """groupby over single bytes: runs of text and of line ends."""
    line, previous = bytearray(), None
    for is_end, run in itertools.groupby(itertools.chain.from_iterable(chunks), key=lambda byte: byte in b"\r\n"):
        if not is_end:
            line.extend(run)
            previous = None
            continue
        for byte in run:
            if byte == 13 or previous != 13:
                yield bytes(line)
                line.clear()
                previous = byte
            else:
                previous = None


def parse(chunks):
    lines = byte_lines(chunks)
    event, retry = {}, None
    ident = ""
    for index, line in enumerate(lines):
        if index == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line == b"":
            if "data" in event:
                data = event.pop("data")
                yield ServerEvent("\n".join(data), id=ident, retry=retry, **event)
            event = {}
            continue
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value[value.startswith(" ") :]
        if name == "data":
            event.setdefault("data", []).append(value)
        elif name == "event":
            event["event"] = value or "message"
        elif name == "id" and "\0" not in value:
            ident = value
        elif name == "retry" and value.isdigit() and value.isascii():
            retry = value
