"""`with EventStream() as stream:` and the end of the block is the end of the stream; a last CR counts there."""

import codecs


class EventStream:
    def __init__(self):
        self.events = []
        self._open = False

    def __enter__(self):
        self._open = True
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._parts, self._pending_cr = [], False
        self._block = {"data": [], "event": "", "id": ""}
        return self

    def __exit__(self, *exc_info):
        if exc_info[0] is None and self._pending_cr:
            self._end_line()
        self._open = False

    def write(self, chunk):
        if not self._open:
            raise RuntimeError("write() outside of the with block")
        for char in self._decoder.decode(chunk):
            if self._pending_cr:
                self._pending_cr = False
                self._end_line()
                if char == "\n":
                    continue
            if char == "\r":
                self._pending_cr = True
            elif char == "\n":
                self._end_line()
            else:
                self._parts.append(char)

    def _end_line(self):
        line = "".join(self._parts)
        del self._parts[:]
        if line == "":
            block = self._block
            if block["data"]:
                data = "\n".join(block["data"])
                self.events.append({"event": block["event"] or "message", "data": data, "id": block["id"]})
            self._block = {"data": [], "event": "", "id": block["id"]}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            value = value[1:] if value[:1] == " " else value
            if name == "data":
                self._block["data"].append(value)
            elif name == "event" or (name == "id" and "\0" not in value):
                self._block[name] = value
