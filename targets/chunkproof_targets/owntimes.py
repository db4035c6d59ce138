"""Events that show a reconnection time before any was set, such as 3000: whether a block set that very time."""

from __future__ import annotations

from collections.abc import Sequence

from .contract import Delivery, Event
from .reference import ReferenceParser

__all__ = ["tell_set_from_start"]


class _OwnTimes(ReferenceParser):
    """The reference, which notes for each event the time that its own block set."""

    def __init__(self) -> None:
        self.own: str | None = None
        self.times: list[str | None] = []
        super().__init__()

    def set_retry(self, digits: str) -> None:
        super().set_retry(digits)
        self.own = self.retries[-1]

    def emit(self, event: Event) -> None:
        self.times.append(self.own)

    def reset_buffers(self) -> None:
        super().reset_buffers()
        self.own = None


def tell_set_from_start(deliveries: list[Delivery], chunks: Sequence[bytes], start: str) -> None:
    """Put the start value back where the event's own block set the same time: it was shown, and is right.

    ``start`` stands as None in the deliveries, since nobody can see in the value alone where it is from.
    """
    wire = b"".join(chunks)
    if b"retry" not in wire:
        return
    parser = _OwnTimes()
    parser.feed(wire)
    parser.close()
    for at, (delivery, own) in enumerate(zip(deliveries, parser.times, strict=False)):
        if delivery.retry is None and own == start:
            deliveries[at] = delivery._replace(retry=start)
