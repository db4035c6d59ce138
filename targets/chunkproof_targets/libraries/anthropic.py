"""anthropic: ``SSEDecoder().iter_bytes(chunks)``, the reader inside ``anthropic.Stream``. Looked up on 2.14.0.

Used: the decoder that every client makes for its streams (``_make_sse_decoder``), and that ``Stream.raw_events`` uses:
bytes to lines to events.

Bypassed: the HTTP client, whose response only hands the bytes on (and drops empty chunks, which the decoder gets here);
and what ``Stream`` does above the event stream: it passes over events that have no type, the type ``ping`` or no data,
raises on the type ``error``, decodes the data of all others as JSON, and makes typed objects. So an event that the
decoder invents without a type or without data shows here, and a user of ``Stream`` does not see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anthropic._streaming import ServerSentEvent, SSEDecoder

__all__ = ["parse"]


def parse(chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yield the ``ServerSentEvent`` objects of the stream (``event``, ``data``, ``id``, ``retry``), as they come."""
    yield from SSEDecoder().iter_bytes(iter(chunks))
