"""`SSEClient(chunks).events()`, as some clients have it; `close()` closes the response, if it can be closed."""

import io


class Event:
    def __init__(self, id=None, event="message", data="", retry=None):
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry

    def __str__(self):
        return f"{self.event} event" + (f" #{self.id}" if self.id else "") + f", {len(self.data)} characters"


class SSEClient:
    def __init__(self, event_source, char_enc="utf-8"):
        self._event_source = event_source
        self._char_enc = char_enc

    def _read(self):
        line = io.BytesIO()
        cr = False
        for chunk in self._event_source:
            for piece in chunk.splitlines(True):
                if cr and piece == b"\n":
                    cr = False
                    continue
                cr = piece.endswith(b"\r")
                line.write(piece)
                if cr or piece.endswith(b"\n"):
                    yield line.getvalue().strip(b"\r\n")
                    line = io.BytesIO()

    def events(self):
        event, last_id = Event(), ""
        some_data, first = False, True
        parts = []
        for raw in self._read():
            if first:
                first = False
                raw = raw[3:] if raw.startswith(b"\xef\xbb\xbf") else raw
            line = raw.decode(self._char_enc, errors="replace")
            if not line:
                if some_data:
                    event.data = "\n".join(parts)
                    event.id = last_id
                    event.event = event.event or "message"
                    yield event
                event, some_data, parts = Event(), False, []
                continue
            if line.startswith(":"):
                continue
            field, value = line.split(":", 1) if ":" in line else (line, "")
            value = value[1:] if value.startswith(" ") else value
            if field == "id":
                last_id = value if "\0" not in value else last_id
            elif field == "data":
                some_data = True
                parts.append(value)
            elif field == "event":
                event.event = value
            elif field == "retry" and value.isascii() and value.isdigit():
                # On the event of the same block, in milliseconds. No more than a million seconds.
                digits = value.lstrip("0") or "0"
                event.retry = int(digits) if len(digits) < 16 else 10**15

    def close(self):
        getattr(self._event_source, "close", lambda: None)()
