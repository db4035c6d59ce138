"""The board: what a child notes of the run in hand, in memory that its parent reads whatever becomes of the child."""

from __future__ import annotations

import marshal
import mmap
import struct
import zlib
from pathlib import Path
from typing import NamedTuple

from chunkproof_strategies.chunkings import Cuts

__all__ = ["Board", "Noted"]

# Pages that nobody writes cost nothing.
_BYTES = 96 * 1024 * 1024
# In a file it is smaller: what is larger is not known afterwards.
_FILE_BYTES = 1024 * 1024
_WORDS = 8
_PLAN, _LENGTH, _SUM, _CHECKS, _STREAMS, _BEAT, _STOPPED, _MARK = range(8)
_HEADER = _WORDS * 8
_pack_into = struct.Struct("=5Q").pack_into


class Noted(NamedTuple):
    """The run in hand: the streams before it, its wire and cuts; and the checks and streams that were done by then."""

    before: tuple[bytes, ...]
    wire: bytes
    cuts: Cuts
    checks: int
    streams: int


class Board:
    """Shared between a parent and its forked children.

    A stream is noted once, with all its plans; each check writes no more than the number of its plan, into ``plan[0]``.
    ``mark[0]`` is a number of the work's own. In a file, by its ``path``, what was noted outlives this process too.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._size = _BYTES if path is None else _FILE_BYTES
        if path is None:
            self._memory = mmap.mmap(-1, _BYTES)
        else:
            with open(path, "a+b") as file:
                file.truncate(_FILE_BYTES)
                self._memory = mmap.mmap(file.fileno(), _FILE_BYTES)
        self._words = memoryview(self._memory)[:_HEADER].cast("Q")
        self.plan = self._words[_PLAN : _PLAN + 1]
        self.mark = self._words[_MARK : _MARK + 1]

    def note(
        self, before: tuple[bytes, ...], wire: bytes, plans: list[Cuts], checks: int = 0, streams: int = 0
    ) -> None:
        """Note a stream before it is run; what is too large for the board is not known afterwards."""
        # A version that looks for no object that comes twice: three times as fast, and the half of what a note costs.
        record = marshal.dumps((before, wire, plans), 2)
        length = len(record)
        if length > self._size - _HEADER:
            record, length = b"", 0
        self._memory[_HEADER : _HEADER + length] = record
        # The sum tells a record that was being written when the child died.
        _pack_into(self._memory, 0, 0, length, zlib.crc32(record), checks, streams)

    def read(self) -> Noted | None:
        """The run in hand; None where nothing was noted. A child that wrote all over the board left nothing either."""
        words = self._words
        record = self._memory[_HEADER : _HEADER + min(words[_LENGTH], self._size)]
        if not record or zlib.crc32(record) != words[_SUM]:
            return None
        before, wire, plans = marshal.loads(record)
        if words[_PLAN] >= len(plans):
            return None
        return Noted(
            tuple(before), wire, tuple(plans[words[_PLAN]]), words[_CHECKS] + words[_PLAN] + 1, words[_STREAMS]
        )

    def beat(self, *, stopped: bool) -> None:
        """The child's clock ticked; ``stopped``: it has told a run to stop that goes on all the same."""
        self._words[_BEAT] += 1
        self._words[_STOPPED] = stopped

    @property
    def life(self) -> tuple[int, ...]:
        """What changes as long as the child's clock ticks or its runs go on; some targets take the timer away."""
        return tuple(self._words[:_STOPPED])

    @property
    def stopped(self) -> bool:
        """Whether a run was told to stop and had not done so when the clock ticked last."""
        return bool(self._words[_STOPPED])

    def clear(self) -> None:
        """Forget all of it."""
        for at in range(_WORDS):
            self._words[at] = 0
