"""Events as dicts, with `event`, `data`, `id` and the `retry` of their own block (int or None)."""

import re

EOL = re.compile(rb"\r\n?|\n")
MAX_RETRY = 2**31 - 1


def read_retry(value: bytes):
    # int() refuses more than 4300 digits; nobody waits for longer than 24 days anyway.
    digits = value.lstrip(b"0") or b"0"
    return int(digits) if len(digits) <= 10 else MAX_RETRY


class Decoder:
    def __init__(self):
        self.buffer = bytearray()
        self.checked = 0
        self.skip_lf = False
        self.bom_done = False
        self.id = b""
        self.block = {}

    def decode(self, chunk: bytes) -> list[dict]:
        self.buffer.extend(chunk)
        if self.skip_lf and self.buffer:
            if self.buffer[0] == 10:
                del self.buffer[0]
            self.skip_lf = False
        found, start = [], 0
        for match in EOL.finditer(self.buffer, self.checked):
            line = bytes(self.buffer[start : match.start()])
            start = match.end()
            self.skip_lf = match[0] == b"\r" and start == len(self.buffer)
            self.line(line, found)
        del self.buffer[:start]
        self.checked = len(self.buffer)
        return found

    def line(self, line, found):
        if not self.bom_done:
            self.bom_done = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line:
            name, _, value = line.partition(b":")
            self.field(name, value.removeprefix(b" "))
            return
        block, self.block = self.block, {}
        if "data" in block:
            found.append(
                {
                    "event": text(block.get("event") or b"message"),
                    "data": text(b"\n".join(block["data"])),
                    "id": text(self.id),
                    "retry": block.get("retry"),
                }
            )

    def field(self, name, value):
        if name == b"data":
            self.block.setdefault("data", []).append(value)
        elif name == b"event":
            self.block["event"] = value
        elif name == b"id" and b"\0" not in value:
            self.id = value
        elif name == b"retry" and value.isdigit():
            self.block["retry"] = read_retry(value)


def text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
