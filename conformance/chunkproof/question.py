"""One stream to run a target on, with all that bears on what comes out."""

from __future__ import annotations

from dataclasses import dataclass

from chunkproof_strategies.chunkings import Cuts, chunks_of

__all__ = ["Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """One stream to run a target on: the wire and its cuts, and the wires that are run before it, in one chunk each."""

    wire: bytes
    cuts: Cuts = ()
    before: tuple[bytes, ...] = ()

    @property
    def chunks(self) -> list[bytes]:
        """What the target is fed."""
        return chunks_of(self.wire, self.cuts)

    @property
    def size(self) -> int:
        """Bytes and cuts: the smaller, the plainer."""
        return len(self.wire) + len(self.cuts) + sum(map(len, self.before))
