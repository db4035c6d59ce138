"""`feed` returns a tuple, since a list could be changed by somebody; each event is a tuple for the same reason."""

import functools
import itertools


def _step(state, line):
    """One line; the state is (data lines as nested pairs, type, id), the result (new state, event or None)."""
    data, kind, ident = state
    if line == "":
        event = (kind or "message", "\n".join(reversed(list(_unpair(data)))), ident) if data else None
        return ((), "", ident), event
    name, sep, value = line.partition(":")
    if sep and value[:1] == " ":
        value = value[1:]
    if name == "data":
        return ((data, value), kind, ident), None
    if name == "event":
        return (data, value, ident), None
    if name == "id" and "\0" not in value:
        return (data, kind, value), None
    return state, None


def _unpair(pairs):
    while pairs:
        pairs, value = pairs
        yield value


class Feeder:
    def __init__(self):
        self._state = ((), "", "")
        self._rest = bytearray()
        self._cr = False
        self._start = True

    def feed(self, chunk: bytes) -> tuple[tuple[str, str, str], ...]:
        if self._cr and chunk:
            self._cr = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return ()
        self._cr = chunk[-1:] == b"\r"
        pieces = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest += pieces[0]
        events = []
        for piece in itertools.islice(pieces, 1, None):
            line = functools.reduce(lambda text, strip: strip(text), self._filters(), bytes(self._rest))
            self._rest = bytearray(piece)
            self._state, event = _step(self._state, line.decode("utf-8", "replace"))
            if event:
                events.append(event)
        return tuple(events)

    def _filters(self):
        if self._start:
            self._start = False
            return [lambda raw: raw[3:] if raw.startswith(b"\xef\xbb\xbf") else raw]
        return []
