"""For an API whose every event is JSON: `data` is the decoded value, and anything else is a ValueError."""

import codecs
import json
import re
from types import SimpleNamespace

_ENDS = re.compile("\r\n|\r|\n")


class JSONStream:
    """Iterate over it."""

    def __init__(self, chunks):
        self._chunks = chunks

    def __iter__(self):
        data, event, event_id = "", "", ""
        for line in self._lines():
            if not line:
                if data:
                    yield SimpleNamespace(event=event or "message", data=json.loads(data), id=event_id)
                data = event = ""
                continue
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                data += value + "\n"
            elif name == "event":
                event = value
            elif name == "id" and "\0" not in value:
                event_id = value

    def _lines(self):
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        parts, cr = [], False
        for chunk in self._chunks:
            text = decoder.decode(chunk)
            if not text:
                continue
            if cr:
                text = text.removeprefix("\n")
            cr = text.endswith("\r")
            lines = _ENDS.split(text)
            for line in lines[:-1]:
                yield "".join(parts) + line
                parts = []
            parts.append(lines[-1])
