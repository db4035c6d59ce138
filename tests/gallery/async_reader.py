"""`async for event in AsyncReader(chunks)`: __aiter__ and __anext__, no generator; events complete in batches."""

import re
from collections import deque
from types import SimpleNamespace


class AsyncReader:
    def __init__(self, chunks):
        self._source = aiter(chunks)
        self._ready = deque()
        self._piece, self._cr, self._mark = [], False, True
        self._data, self._event, self._id = [], "", ""

    def __aiter__(self):
        return self

    async def __anext__(self):
        while not self._ready:
            chunk = await anext(self._source)  # StopAsyncIteration passes through
            for part in re.findall(rb"\r\n|\r|\n|[^\r\n]+", chunk):
                self._part(part)
        return self._ready.popleft()

    async def aclose(self):
        self._ready.clear()

    def _part(self, part):
        lf_of_crlf = self._cr and part == b"\n"
        self._cr = part == b"\r"
        if lf_of_crlf:
            return
        if part.strip(b"\r\n"):
            self._piece.append(part)
            return
        raw = b"".join(self._piece)
        self._piece = []
        if self._mark:
            self._mark = False
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        line = raw.decode("utf-8", "replace")
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if self._data:
                data = "\n".join(self._data)
                self._ready.append(SimpleNamespace(event=self._event or "message", data=data, id=self._id))
            self._data, self._event = [], ""
        elif name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
