"""The input that a process has in hand, in a file that is there whatever becomes of the process."""

from __future__ import annotations

import mmap
from pathlib import Path
from struct import Struct
from typing import NamedTuple

__all__ = ["Hand", "InHand", "in_hand"]

_BYTES = 1 << 16
# How many inputs there were, with the one in hand, and its length.
_HEAD = Struct("<QI")


class InHand(NamedTuple):
    """The input that was begun last, None where it was too long to be noted, and how many there were by then."""

    number: int
    data: bytes | None


class Hand:
    """The writer's side; processes that share the file spoil what it says, and nothing else."""

    def __init__(self, path: Path) -> None:
        path.touch()
        with open(path, "r+b") as file:
            # It is never made shorter: another process may have it in memory too.
            file.truncate(_BYTES)
            self._memory = mmap.mmap(file.fileno(), _BYTES)
        self._memory[: _HEAD.size] = bytes(_HEAD.size)
        self.count = 0

    def begin(self, data: bytes) -> None:
        """Note the input that is run next."""
        self.count += 1
        head = _HEAD.pack(self.count, len(data))
        if len(data) <= _BYTES - _HEAD.size:
            self._memory[: _HEAD.size + len(data)] = head + data
        else:
            self._memory[: _HEAD.size] = head


def in_hand(path: Path) -> InHand | None:
    """What a file says; None where no input was begun."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if len(content) != _BYTES:
        return None
    count, size = _HEAD.unpack_from(content)
    if not count:
        return None
    data = content[_HEAD.size : _HEAD.size + size] if size <= _BYTES - _HEAD.size else None
    return InHand(count, data)
