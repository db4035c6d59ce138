"""What was sent to a server, or set by it, that nobody else may read: found and hidden in all that is shown."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

from chunkproof_reports.visible import show

__all__ = ["Secrets"]

_HIDDEN = b"[hidden]"
# Bytes that are no UTF-8 are kept as they are.
_ANY = "surrogateescape"
# Shorter values are words such as "1" and "en": hiding them makes a message unreadable and guards nothing.
_BYTES_MIN = 4
# So much of the beginning of a longer value is hidden by itself.
_BEGINNING_BYTES = 8
# A stream that holds a value as long as this holds it because the server has repeated it.
_TELLING_BYTES_MIN = 12
# These say what is wanted, not who asks.
_OPEN = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-type", "host"),
        *("origin", "pragma", "user-agent"),
    }
)
# They stand in every answer of JSON.
_PLAIN = frozenset({b"true", b"false", b"null", b"none"})
# The first word of Authorization, which messages of servers use as well ("Bearer token expected").
_SCHEMES = frozenset({"basic", "bearer", "digest", "negotiate", "token", "apikey"})


class Secrets:
    """Values of headers, of cookies and of a query; each is known in the forms that a server may repeat it in."""

    def __init__(self) -> None:
        self._values: set[bytes] = set()

    def add_headers(self, headers: Iterable[tuple[str, str]]) -> None:
        """The values of these headers, but for those that hold no credentials."""
        for name, value in headers:
            if name.lower() not in _OPEN:
                for part in _parts(value):
                    self._add(part)

    def add_query(self, query: str) -> None:
        """A query, without its question mark, and each value in it."""
        self._add(query)
        for pair in re.split("[&;]", query):
            self._add(pair.partition("=")[2] or pair)

    def hide(self, data: bytes, most: int | None = None) -> bytes:
        """The first ``most`` bytes of the data, or all, with a word in the place of each secret.

        So is a secret's beginning at the end of the data: the rest of it may have been on its way.
        """
        most = len(data) if most is None else most
        shown, at = bytearray(), 0
        for start, stop in self._spans(data):
            if start >= most:
                break
            shown += data[at:start] + _HIDDEN
            at = stop
        return bytes(shown + data[at:most])

    def hidden(self, text: str) -> str:
        """The text with a word in the place of each secret."""
        return self.hide(text.encode("utf-8", _ANY)).decode("utf-8", "replace")

    def hidden_in_url(self, url: str) -> str:
        """The URL with a word in the place of each secret, be it percent-encoded or not: then all of it is decoded."""
        url = self.hidden(url)
        plain = _unquoted(url).encode("utf-8", _ANY)
        hidden = self.hide(plain)
        return url if hidden == plain else hidden.decode("utf-8", "replace")

    def shown(self, data: bytes, most: int) -> str:
        """The first ``most`` bytes of the data, without secrets and fit for a terminal."""
        return show(self.hide(data, most).decode("utf-8", "replace"))

    def longest(self) -> int:
        """The bytes of the longest secret."""
        return max(map(len, self._values), default=0)

    def repeated_in(self, wire: bytes) -> bool:
        """Whether the wire holds one of the longer secrets."""
        low = wire.lower()
        return any(len(value) >= _TELLING_BYTES_MIN and value in low for value in self._values)

    def _add(self, value: str) -> None:
        for form in _forms(value):
            data = form.encode("utf-8", _ANY).lower()
            if len(data) >= _BYTES_MIN and data not in _PLAIN:
                self._values.add(data)

    def _spans(self, data: bytes) -> list[tuple[int, int]]:
        """Where secrets stand, sorted, those that touch as one."""
        low = data.lower()
        merged: list[tuple[int, int]] = []
        for start, stop in sorted(span for value in self._values for span in _found(value, low)):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
            else:
                merged.append((start, stop))
        return merged


def _found(value: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    # What stands in the way of the rest (a query that is left out, another form of it) must not show its beginning.
    start = value[:_BEGINNING_BYTES]
    at = data.find(start)
    while at >= 0:
        length = len(start)
        while length < len(value) and data[at + length : at + length + 1] == value[length : length + 1]:
            length += 1
        yield at, at + length
        at = data.find(start, at + 1)
    for length in range(min(len(value) - 1, len(data)), _BYTES_MIN - 1, -1):
        if data.endswith(value[:length]):
            yield len(data) - length, len(data)
            break


def _parts(value: str) -> Iterator[str]:
    """The value of a header, without a scheme too, its words, and what stands behind `=` in them."""
    yield value
    scheme, _, behind = value.strip().partition(" ")
    if scheme.lower() in _SCHEMES:
        yield behind.strip()
    for word in re.split(r"[;,\s]+", value):
        if word.lower() in _SCHEMES:
            continue
        yield word
        yield word.partition("=")[2].strip('"')
        yield from _user_and_password(word)


def _user_and_password(word: str) -> Iterator[str]:
    """What the base64 of Basic authentication holds."""
    try:
        pair = base64.b64decode(word, validate=True).decode()
    except (binascii.Error, ValueError):
        return
    if ":" in pair:
        yield pair
        yield pair.partition(":")[2]


def _forms(value: str) -> set[str]:
    """The value as a server may repeat it: decoded, percent-encoded, in JSON, in HTML."""
    plain = {value, _unquoted(value), _unquoted(value.replace("+", " "))}
    quoted = {quote(text, safe, errors=_ANY) for text in plain for safe in ("/", "")}
    return plain | quoted | {json.dumps(text)[1:-1] for text in plain} | {html.escape(text) for text in plain}


def _unquoted(text: str) -> str:
    return unquote(text, errors=_ANY)
