"""For time.sleep: `reconnect_delay` in seconds, as a float; None until the server has set it."""

import codecs
import io
from collections import namedtuple


class Message(namedtuple("Message", ["event", "data", "id"])):
    __slots__ = ()


class StreamDecoder:
    reconnect_delay = None

    def __init__(self):
        self._incremental = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = []
        self._at_start, self._cr = True, False
        self._data, self._event, self._id = io.StringIO(newline=""), "", ""

    def decode(self, chunk, final=False):
        """Like an incremental decoder of the codecs module. The `final` argument changes nothing."""
        messages = []
        for char in self._incremental.decode(chunk, final):
            lf_of_crlf = self._cr and char == "\n"
            mark = self._at_start and char == "\ufeff"
            self._cr, self._at_start = char == "\r", False
            if lf_of_crlf or mark:
                pass
            elif char in {"\r", "\n"}:
                message = self._end("".join(self._text))
                self._text.clear()
                if message is not None:
                    messages.append(message)
            else:
                self._text.append(char)
        return messages

    def _end(self, line):
        if line == "":
            data, event = self._data.getvalue(), self._event
            self._data, self._event = io.StringIO(newline=""), ""
            return Message(event or "message", data[:-1], self._id) if data else None
        colon = (line + ":").index(":")
        name, value = line[:colon], line[colon + 1 :]
        if value[:1] == " ":
            value = value[1:]
        if name == "data":
            self._data.write(value + "\n")
        elif name == "event":
            self._event = value
        elif name == "id" and value.find("\0") == -1:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            self.reconnect_delay = float(value) / 1000  # float(), unlike int(), takes any number of digits
        return None
