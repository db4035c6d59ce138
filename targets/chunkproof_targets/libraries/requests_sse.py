"""requests-sse: iteration of ``EventSource`` over a ``requests.Response`` in memory.

Looked up on requests-sse 0.5.3 and requests 2.34.2.

Used: all of the reading: ``EventSource`` with its defaults, and ``Response.iter_lines`` of requests, which cuts the
lines for it. Two documented arguments make it possible: ``session`` gives the response, and ``on_error`` is called at
the end of the stream, before the source sleeps and connects again.

Bypassed: connection, request, reconnection, and urllib3. In its place stands a body that hands on each chunk as it
comes, but for empty ones. requests asks urllib3 for 512 bytes at a time and gets no more in one chunk, so that a user
has cuts at least every 512 bytes. Where a response declares its length, urllib3 waits until it has them.

At the end of the stream reading stops. An error of requests' own inside the stream would be such an end too: the source
connects again after one, and says no more of it than ``on_error``. All others are raised.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import requests
from requests_sse import EventSource, MessageEvent

__all__ = ["parse"]

_URL = "http://localhost/"


class _Ended(Exception):
    """The stream is at its end."""


class _Body:
    """The body of a response, as far as requests asks urllib3 for it."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    def stream(self, amt: int, decode_content: bool) -> Iterator[bytes]:
        return (chunk for chunk in self._chunks if chunk)

    def close(self) -> None:
        """There is no connection."""


class _Session:
    """The one request that is made, and its response."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    def request(self, **_: Any) -> requests.Response:
        response = requests.Response()
        response.status_code = 200
        response.headers["Content-Type"] = "text/event-stream"
        response.url = _URL
        response.raw = _Body(self._chunks)
        return response


def _at_end() -> None:
    raise _Ended


def parse(chunks: Iterable[bytes]) -> Iterator[MessageEvent]:
    """Yield the ``MessageEvent`` objects of the stream (``type``, ``data``, ``last_event_id``), as they come."""
    with EventSource(_URL, session=_Session(chunks), on_error=_at_end) as source, contextlib.suppress(_Ended):
        yield from source
