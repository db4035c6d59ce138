"""launchdarkly-eventsource: ``SSEClient(connect).all`` over a connection in memory. Looked up on 1.7.4.

Used: the public client with its defaults, and ``ConnectStrategy``, its documented way to read from another source. It
hands the client our iterator of chunks as it is.

Bypassed: urllib3. With the default error strategy the client stops at the end of the stream, so it never reconnects and
never sleeps; an error inside the stream is raised.

Passed on: ``Event`` and ``Comment``, which come from the stream. Dropped: ``Start`` and ``Fault``, which tell of the
connection: a stream here has one of each, ``Start`` before the first byte and ``Fault(None)`` at its orderly end, and
users who read ``SSEClient.events`` see neither. A ``Fault`` that holds an error would be a failure that went unseen, so
its error is raised.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from ld_eventsource import SSEClient
from ld_eventsource.actions import Comment, Event, Fault
from ld_eventsource.config import ConnectionClient, ConnectionResult, ConnectStrategy

__all__ = ["parse"]

# Given to each client: without one, every new client adds one more handler to a logger of the library's own, for good.
_LOGGER = logging.getLogger(__name__)


class _InMemory(ConnectStrategy, ConnectionClient):  # type: ignore[misc]  # not typed
    """A strategy and its one connection, which is the stream."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    def create_client(self, logger: logging.Logger) -> ConnectionClient:
        return self

    def connect(self, last_event_id: str | None) -> ConnectionResult:
        return ConnectionResult(stream=iter(self._chunks), closer=None)


def parse(chunks: Iterable[bytes]) -> Iterator[Event | Comment]:
    """Yield the ``Event`` (``event``, ``data``, ``id``, ``last_event_id``) and ``Comment`` objects, as they come."""
    with SSEClient(_InMemory(chunks), logger=_LOGGER) as client:
        for action in client.all:
            if isinstance(action, (Event, Comment)):
                yield action
            elif isinstance(action, Fault) and action.error is not None:
                raise action.error
