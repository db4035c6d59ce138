"""A push parser of str chunks that takes a U+FEFF off the start itself."""


class TextParser:
    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._fresh = True
        self._cr = False
        self._data: list[str] = []
        self._type = ""
        self._id = ""

    def feed(self, text: str) -> list[dict[str, str]]:
        if not isinstance(text, str):
            raise TypeError(f"feed() takes str, not {type(text).__name__}: decode the bytes first")
        if text and self._fresh:
            self._fresh = False
            text = text[1:] if text[0] == "\ufeff" else text
        if text and self._cr:
            self._cr = False
            text = text[1:] if text[0] == "\n" else text
        events: list[dict[str, str]] = []
        start = 0
        for end, char in enumerate(text):
            if char == "\n" and end and text[end - 1] == "\r":
                start = end + 1
            elif char == "\n" or char == "\r":
                self._pieces.append(text[start:end])
                start = end + 1
                self._line("".join(self._pieces), events)
                self._pieces.clear()
        self._pieces.append(text[start:])
        self._cr = self._cr or text.endswith("\r")
        return events

    def close(self) -> None:
        self._pieces.clear()

    def _line(self, line: str, events: list[dict[str, str]]) -> None:
        if not line:
            if self._data:
                events.append({"event": self._type or "message", "data": "\n".join(self._data), "id": self._id})
            self._data, self._type = [], ""
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
