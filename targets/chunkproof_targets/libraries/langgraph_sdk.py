"""langgraph-sdk: ``iter_lines_raw(response)`` and ``SSEDecoder`` over an ``httpx.Response`` in memory.

Looked up on langgraph-sdk 0.4.14 and httpx 0.28.1.

Used: the two readers of ``langgraph_sdk.sse``, and what ``SyncHttpClient.stream`` does around them, which is repeated
here: it ends each stream with a blank line of its own, and passes on the parts that have a type or data. A test holds
this to the client. httpx hands on no empty chunk.

Bypassed: client, connection, request, reconnection; and JSON. ``SSEDecoder`` decodes the data of each block as JSON,
raises on what is none, and makes None of blanks. Here a part holds the data as text, with U+FFFD for ill-formed UTF-8:
what the decoder would have decoded. A part without data has None, as there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import httpx
from langgraph_sdk.schema import StreamPart
from langgraph_sdk.sse import SSEDecoder, iter_lines_raw

__all__ = ["parse"]

_HEADERS = {"Content-Type": "text/event-stream"}


class _TextDecoder(SSEDecoder):  # type: ignore[misc]  # an extra, not looked into
    """Less the JSON: at a blank line it sees an empty data line in place of the data."""

    _data: bytearray

    def decode(self, line: bytes) -> StreamPart | None:
        data = self._data
        if data and not line:
            self._data = bytearray(b"\n")
        part = super().decode(line)
        if part is None or not self.has_data:
            return part
        return part._replace(data=data[:-1].decode(errors="replace"))


def parse(chunks: Iterable[bytes]) -> Iterator[StreamPart]:
    """Yield the ``StreamPart`` tuples of the stream (``event``, ``data``, ``id``), as they come."""
    response = httpx.Response(200, headers=_HEADERS, content=iter(chunks))
    decoder = _TextDecoder()
    try:
        for line in chain(iter_lines_raw(response), (b"",)):
            part = decoder.decode(bytes(line))
            if part is not None and (part.event or decoder.has_data):
                yield part
    finally:
        response.close()
