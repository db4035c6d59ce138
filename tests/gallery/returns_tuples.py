"""Byte by byte, no regular expressions, no decoder state: (type, data, id) tuples."""

CR, LF, COLON, SPACE = 13, 10, 58, 32


class EventParser(object):  # noqa: UP004
    def __init__(self):
        self.buf = bytearray()
        self.saw_cr = False
        self.lines_seen = 0
        self.reset()
        self.last_id = ""

    def reset(self):
        self.data = bytearray()
        self.kind = b""

    def push(self, chunk):
        out = []
        for byte in chunk:
            if self.saw_cr:
                self.saw_cr = False
                if byte == LF:
                    continue
            if byte in (CR, LF):
                self.saw_cr = byte == CR
                self.end_of_line(out)
            else:
                self.buf.append(byte)
        return out

    def end_of_line(self, out):
        line = bytes(self.buf)
        del self.buf[:]
        self.lines_seen += 1
        if self.lines_seen == 1 and line[:3] == b"\xef\xbb\xbf":
            line = line[3:]
        if len(line) == 0:
            if len(self.data) > 0:
                text = self.data[:-1].decode("utf-8", "replace")
                out.append((self.kind.decode("utf-8", "replace") or "message", text, self.last_id))
            self.reset()
            return
        colon = line.find(COLON)
        if colon == 0:
            return
        if colon < 0:
            name, value = line, b""
        else:
            start = colon + 1
            if start < len(line) and line[start] == SPACE:
                start += 1
            name, value = line[:colon], line[start:]
        if name == b"data":
            self.data += value
            self.data.append(LF)
        elif name == b"event":
            self.kind = value
        elif name == b"id" and 0 not in value:
            self.last_id = value.decode("utf-8", "replace")
