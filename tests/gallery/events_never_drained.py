"""`write` bytes; all events ever seen stand in `events`. Nothing is returned and nothing is taken away."""

from codecs import getincrementaldecoder


class EventCollector:
    def __init__(self):
        self.events = []
        self.last_event_id = ""
        self._id = ""
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._state = self._bom
        self._name, self._value = [], []
        self._data, self._type = [], ""

    def write(self, chunk):
        for char in self._decoder.decode(chunk):
            self._state = self._state(char) or self._state

    def finish(self):
        """No more bytes will come."""

    # States: each takes a character and returns the next state, or None to stay.

    def _bom(self, char):
        return self._start if char == "\ufeff" else self._start(char) or self._start

    def _after_cr(self, char):
        return self._start if char == "\n" else self._start(char) or self._start

    def _start(self, char):
        if char in "\r\n":
            self._dispatch()
            return self._after_cr if char == "\r" else self._start
        if char == ":":
            return self._comment
        self._name = [char]
        self._value = []
        return self._in_name

    def _comment(self, char):
        return {"\r": self._after_cr, "\n": self._start}.get(char)

    def _in_name(self, char):
        if char == ":":
            return self._before_value
        return self._maybe_end(char, self._name)

    def _before_value(self, char):
        return self._in_value if char == " " else self._maybe_end(char, self._value) or self._in_value

    def _in_value(self, char):
        return self._maybe_end(char, self._value)

    def _maybe_end(self, char, text):
        if char not in "\r\n":
            text.append(char)
            return None
        self._field("".join(self._name), "".join(self._value))
        return self._after_cr if char == "\r" else self._start

    def _field(self, name, value):
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value

    def _dispatch(self):
        self.last_event_id = self._id
        if self._data:
            self.events.append({"type": self._type or "message", "data": "\n".join(self._data), "id": self._id})
        self._data, self._type = [], ""
