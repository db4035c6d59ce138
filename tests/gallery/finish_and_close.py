"""`finish()` ends the stream and gives what a last CR completed. `close()` gives up, and a second end is an error."""

import codecs


class StreamEnded(Exception):
    pass


class Event:
    __match_args__ = ("event", "data", "id")

    def __init__(self, event, data, id):
        self.event, self.data, self.id = event, data, id


class Parser:
    def __init__(self):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line, self._open, self._cr, self._bom = [], True, False, True
        self._data, self._event, self._id = [], "", ""

    def feed(self, chunk):
        self._check()
        return [e for e in map(self._take, self._decoder.decode(chunk)) if e]

    def finish(self):
        self._check()
        self._open = False
        event = self._end_line() if self._cr else None
        return [event] if event else []

    def close(self):
        self._check()
        self._open = False

    def _check(self):
        if not self._open:
            raise StreamEnded("the stream has ended")

    def _take(self, char):
        event = None
        bom, self._bom = self._bom, False
        if bom and char == "\ufeff":
            return None
        if self._cr:
            event = self._end_line()
            self._cr = False
            if char == "\n":
                return event
        if char == "\r":
            self._cr = True
        elif char == "\n":
            # Never two events for one character: behind a held CR an LF has been dealt with above.
            event = self._end_line()
        else:
            self._line.append(char)
        return event

    def _end_line(self):
        line = "".join(self._line)
        self._line = []
        if line == "":
            event = Event(self._event or "message", "\n".join(self._data), self._id) if self._data else None
            self._data, self._event = [], ""
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None
