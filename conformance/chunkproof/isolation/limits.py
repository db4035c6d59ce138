"""What one run of a target may take, by its own pace and not by a guess in seconds."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunkproof_targets.contract import Run, Target, TargetStopped

__all__ = ["UNKNOWN_PACE", "Limits", "Pace", "measure_pace"]

# Beyond so many times its own pace a run counts as hung, and never before so many seconds.
_TIMES = 50
_SECONDS_MIN = 0.5

_EVENT = b'event: update\nid: 1\ndata: {"delta":"some text"}\n\n'
_EVENTS = 80
_EVENTS_CUT = 8


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds that a target takes for a byte, for a chunk and for a run without any."""

    byte: float
    chunk: float
    run: float

    def seconds(self, size: int, chunks: int) -> float:
        """What a run of so many bytes in so many chunks takes, if the time grows as they do."""
        return self.byte * size + self.chunk * chunks + self.run


#: For a target that was not measured: slower than any that is of use.
UNKNOWN_PACE = Pace(20e-6, 20e-6, 1e-3)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take.

    ``timeout``: seconds; None for 50 times what the target's own pace lets expect, and at least half a second;
    ``patience`` times that. ``memory`` and ``output``: MiB that the process may grow by, and that may be printed.
    ValueError where one is not above 0.
    """

    timeout: float | None = None
    memory: int = 1024
    output: int = 8
    patience: float = 1

    def __post_init__(self) -> None:
        for name, unit in (("timeout", "seconds"), ("memory", "MiB"), ("output", "MiB")):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name}={value:g}: it is a number of {unit} above 0")

    def to_data(self) -> dict[str, float | None]:
        """As JSON holds it: what `Limits` takes by name."""
        return dataclasses.asdict(self)

    def seconds(self, pace: Pace, size: int, chunks: int) -> float:
        """Seconds after which a run of so many bytes and chunks counts as hung."""
        return self.timeout or self.patience * max(_SECONDS_MIN, _TIMES * pace.seconds(size, chunks))


def measure_pace(run: Callable[[Target, Sequence[bytes]], Run], target: Target) -> Pace | None:
    """The pace of a target, from three runs of ordinary events: none, many in one chunk, some in many chunks.

    None where a first run, of one event, goes beyond its limits: then there is no pace.
    """
    wire, cut = _EVENT * _EVENTS, _EVENT * _EVENTS_CUT

    def timed(chunks: Sequence[bytes]) -> float:
        started = time.perf_counter()
        run(target, chunks)
        return time.perf_counter() - started

    # The first run imports and makes what later ones have.
    if isinstance(run(target, [_EVENT]).failure, TargetStopped):
        return None
    for_none = timed([])
    for_bytes = timed([wire])
    for_chunks = timed([cut[at : at + 1] for at in range(len(cut))])
    return Pace(for_bytes / len(wire), for_chunks / len(cut), for_none)
