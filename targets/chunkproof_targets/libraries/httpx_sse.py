"""httpx-sse: ``EventSource(response).iter_sse()`` over an ``httpx.Response`` in memory.

Looked up on httpx-sse 0.4.3 and httpx 0.28.1.

Used: all of httpx-sse's reading (``EventSource``, ``SSELineDecoder``, ``SSEDecoder``) and the response of httpx, whose
``iter_text`` decodes the bytes: that is part of what users get, since httpx-sse takes text from it. httpx hands on no
empty chunk and no empty text. The response declares ``text/event-stream`` without a charset; with another charset httpx
would decode by that.

Bypassed: client, connection, request. httpx-sse imports httpx but does not ask for it, so both are to be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import httpx
from httpx_sse import EventSource, ServerSentEvent

__all__ = ["parse"]

_HEADERS = {"Content-Type": "text/event-stream"}


def parse(chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yield the ``ServerSentEvent`` objects of the stream (``event``, ``data``, ``id``, ``retry``), as they come."""
    response = httpx.Response(200, headers=_HEADERS, content=iter(chunks))
    try:
        yield from EventSource(response).iter_sse()
    finally:
        response.close()
