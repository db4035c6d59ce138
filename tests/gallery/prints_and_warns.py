"""Left over from a debugging session: it prints, and warns that it is deprecated, while it parses rightly."""

import codecs
import sys
import warnings


class Event:
    def __init__(self, type, data, id):
        self.type, self.data, self.id = type, data, id


class OldParser:
    def __init__(self):
        warnings.warn("OldParser is deprecated, use NewParser", DeprecationWarning, stacklevel=2)
        self.dec = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self.line, self.cr = [], False
        self.data, self.type, self.id = [], "", ""

    def feed(self, chunk):
        print("feed", len(chunk), "bytes")
        out = []
        for c in self.dec.decode(chunk):
            if c == "\n" and self.cr:
                self.cr = False
            elif c in "\r\n":
                self.cr = c == "\r"
                out += self.one_line("".join(self.line))
                self.line = []
            else:
                self.cr = False
                self.line.append(c)
        return out

    def close(self):
        warnings.warn("close() is deprecated, use nothing", PendingDeprecationWarning, stacklevel=2)
        print("closed", file=sys.stderr)

    def one_line(self, s):
        if s == "":
            data, type = self.data, self.type
            self.data, self.type = [], ""
            if data:
                print("event", ascii(type))
                return [Event(type or "message", "\n".join(data), self.id)]
        elif s[0] != ":":
            k, _, v = s.partition(":")
            if v[:1] == " ":
                v = v[1:]
            if k == "data":
                self.data.append(v)
            elif k == "event":
                self.type = v
            elif k == "id" and "\0" not in v:
                self.id = v
        return []
