"""The lines are made by io.TextIOWrapper, with universal newlines, over a raw stream made of the chunks."""

import io
from types import SimpleNamespace


class _Raw(io.RawIOBase):
    def __init__(self, chunks):
        self._chunks = iter(chunks)
        self._left = b""

    def readable(self):
        return True

    def readinto(self, buffer):
        # To return 0 would mean the end of the file: empty chunks are passed over.
        while not self._left:
            try:
                self._left = next(self._chunks)
            except StopIteration:
                return 0
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count


def read_sse(chunks):
    lines = io.TextIOWrapper(io.BufferedReader(_Raw(chunks)), encoding="utf-8-sig", errors="replace", newline=None)
    data, kind, ident = [], "", ""
    for line in lines:
        if line == "\n":
            if data:
                yield SimpleNamespace(event=kind or "message", data="\n".join(data), id=ident)
            data, kind = [], ""
        elif line.endswith("\n"):
            name, _, value = line[:-1].partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                data.append(value)
            elif name == "event":
                kind = value
            elif name == "id" and "\0" not in value:
                ident = value
