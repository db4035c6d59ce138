"""sseclient-py: ``SSEClient(chunks).events()``. Looked up on 1.9.0.

Used: all of it. Its constructor takes any iterable of chunks of bytes (a urllib3 response, ``response.iter_bytes()`` of
httpx), so it is fed exactly what we are.

Bypassed: nothing but the HTTP client, and ``SSEClient.close()``, which only closes that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sseclient import Event, SSEClient

__all__ = ["parse"]


def parse(chunks: Iterable[bytes]) -> Iterator[Event]:
    """Yield the ``Event`` objects of the stream (``event``, ``data``, ``id``, ``retry`` as text), as they come."""
    yield from SSEClient(iter(chunks)).events()
