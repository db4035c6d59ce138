"""mistralai: ``EventStream(response, decoder)`` over an ``httpx2.Response`` in memory.

Looked up on mistralai 3.7.0 and httpx2 2.16.2.

Used: the class that each streaming call of the client returns, with its defaults, and the response of httpx2, which
hands on no empty chunk. What it gives its ``decoder``, one JSON text for each event, comes out as the library's own
``ServerEvent``.

Bypassed: client, connection, request; the sentinel, data at which chat ends (``[DONE]``); the typed objects; and the
decoding of data as JSON, after which nobody knows the text (data that is no JSON stays as it is). For this the module
``eventstreaming`` is loaded a second time, for us alone, and its ``json`` finds no JSON in any data; all else in it is
the library's. The calls that watch workflows set ``data_required=False``: there, and not here, a block without data is
an event.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec
from typing import Any

import httpx2
from mistralai.client.utils import eventstreaming
from mistralai.client.utils.eventstreaming import ServerEvent

__all__ = ["parse"]

_HEADERS = {"Content-Type": "text/event-stream"}


class _Json:
    """What the module uses of `json`. It leaves all data as text."""

    JSONDecodeError = json.JSONDecodeError
    dumps = staticmethod(json.dumps)

    @staticmethod
    def loads(text: str) -> Any:
        raise json.JSONDecodeError("left as text", text, 0)


def _copy_of(module: Any) -> Any:
    copy: Any = module_from_spec(module.__spec__)
    module.__spec__.loader.exec_module(copy)
    return copy


_reader = _copy_of(eventstreaming)
_reader.json = _Json


def _event(text: str) -> ServerEvent:
    return ServerEvent(**json.loads(text))


def parse(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Yield the ``ServerEvent`` objects of the stream (``event``, ``data``, ``id``, ``retry``), as they come."""
    response = httpx2.Response(200, headers=_HEADERS, content=iter(chunks))
    with _reader.EventStream(response, _event) as stream:
        yield from stream
