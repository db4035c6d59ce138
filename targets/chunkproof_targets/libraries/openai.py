"""openai: ``SSEDecoder().iter_bytes(chunks)``, the reader inside ``openai.Stream``. Looked up on 3.57.0.

Used: the decoder that every client makes for its streams (``_make_sse_decoder``): bytes to lines to events.

Bypassed: the HTTP client, whose response only hands the bytes on (and drops empty chunks, which the decoder gets here);
and what ``Stream`` does above the event stream: it stops at data that starts with ``[DONE]``, decodes the data of all
other events as JSON, raises on an ``error`` in it, and makes typed objects. So an event that the decoder invents, with
data that is no JSON, shows here as an event; to a user of ``Stream`` it is a JSONDecodeError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openai._streaming import ServerSentEvent, SSEDecoder

__all__ = ["parse"]


def parse(chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Yield the ``ServerSentEvent`` objects of the stream (``event``, ``data``, ``id``, ``retry``), as they come."""
    yield from SSEDecoder().iter_bytes(iter(chunks))
