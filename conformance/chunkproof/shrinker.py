"""One shrinker over (wire, cuts): whatever found a failure, its counterexample is made small in the same way.

It works on the parts that a reader sees: lines, then characters, then line ends, then single bytes; and cuts all the
while. Simplest first: no cuts before few, short before long, plain before odd. The result is canonical: the same fault
gives the same counterexample from any start, or one of very few, so that it can serve as the failure's signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from chunkproof_strategies.chunkings import Cuts, in_sizes
from chunkproof_strategies.values import SEPARATORS

__all__ = ["Fails", "shrink"]

#: Whether a wire, cut so, still fails in the way that is being shrunk.
Fails = Callable[[bytes, Cuts], bool]

#: Runs of the target that one shrink may take.
RUNS_MAX = 3000
#: Bytes fed in all of them, a chunk counted as some bytes more; a large wire ends earlier.
BYTES_MAX = 24_000_000

_LARGE = 512

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ATOMS = re.compile(
    rb"\r\n|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x00-\xff]", re.DOTALL
)
#: Atoms that differ in what they mean to some parser: each is tried to be replaced by those before it.
_KINDS: tuple[tuple[bytes, ...], ...] = (
    tuple(bytes([digit]) for digit in b"1023456789"),
    tuple(
        blank.encode()
        for blank in (" ", "\t", *sorted(set(SEPARATORS) - {"\t"}, key=lambda mark: (len(mark.encode()), mark)))
    ),
)
#: What a character is replaced by, by its length in bytes: the plainest of its kind.
_PLAIN = {2: "é".encode(), 3: "你".encode(), 4: "🙂".encode()}


def shrink(wire: bytes, cuts: Cuts, fails: Fails) -> tuple[bytes, Cuts]:
    """The smallest (wire, cuts) found for which ``fails`` still holds; what is given must fail."""
    return _Shrinker(wire, cuts, fails).shrink()


class _Shrinker:
    def __init__(self, wire: bytes, cuts: Cuts, fails: Fails) -> None:
        self.wire = wire
        self.cuts = cuts
        self._fails = fails
        self._known: dict[tuple[bytes, Cuts], bool] = {}
        self._bytes = 0
        self._size = 0

    def shrink(self) -> tuple[bytes, Cuts]:
        before = None
        self._size = self._chunk_size()
        if len(self.wire) > _LARGE:
            # Each run costs: make it short before anything else.
            self._delete(_LINES)
            self._delete(_ATOMS)
        while before != (self.wire, self.cuts) and not self._spent():
            before = (self.wire, self.cuts)
            self._fewer_cuts()
            self._size = self._chunk_size()
            self._delete(_LINES)
            self._delete(_ATOMS)
            self._replace_line_ends()
            self._replace_atoms()
            self._shorter_characters()
            self._delete(re.compile(rb"[\x00-\xff]", re.DOTALL))
            self._place_cuts()
        return self.wire, self.cuts

    def _chunk_size(self) -> int:
        """The size of the chunks where they all have one: the plan is then kept by its size, not by its cuts."""
        cuts = self.cuts
        return cuts[0] if len(cuts) > 2 and cuts[0] and cuts == in_sizes(self.wire, cuts[0]) else 0

    def _spent(self) -> bool:
        return len(self._known) >= RUNS_MAX or self._bytes >= BYTES_MAX

    def _try(self, wire: bytes, cuts: Cuts) -> bool:
        if (wire, cuts) == (self.wire, self.cuts):
            return False
        if self._spent():
            return False
        known = self._known.get((wire, cuts))
        size = len(wire) + 10 * len(cuts)
        # To look up what was run before costs something too.
        self._bytes += size if known is None else size // 64
        if known is None:
            known = self._known[wire, cuts] = self._fails(wire, cuts)
        if known:
            self.wire, self.cuts = wire, cuts
        return known

    # cuts --------------------------------------------------------------------------------------------------------

    def _fewer_cuts(self) -> None:
        """No cut, or one, or two; else leave them out one by one."""
        if not self.cuts or self._try(self.wire, ()):
            return
        if len(self.cuts) > 1 and not self._first(((self.wire, (at,)) for at in dict.fromkeys(self.cuts)), limit=200):
            self._halve_cuts()
        for at in self.cuts:
            if self._spent():
                return
            if len(self.cuts) > 1:
                left = list(self.cuts)
                if at in left:
                    left.remove(at)
                    self._try(self.wire, tuple(left))

    def _halve_cuts(self) -> None:
        size = len(self.cuts) // 2
        while size and not self._spent():
            start = 0
            while start < len(self.cuts) and not self._spent():
                if not self._try(self.wire, self.cuts[:start] + self.cuts[start + size :]):
                    start += size
            size //= 2

    def _place_cuts(self) -> None:
        """Each cut as early as it still fails, so that equal failures have equal cuts."""
        for index in range(len(self.cuts)):
            if self._spent():
                return
            low = self.cuts[index - 1] if index else 0
            places = range(low, self.cuts[index])
            self._first(((self.wire, (*self.cuts[:index], at, *self.cuts[index + 1 :])) for at in places), limit=64)

    def _first(self, candidates: Iterable[tuple[bytes, Cuts]], *, limit: int) -> bool:
        return any(self._try(wire, cuts) for (wire, cuts), _ in zip(candidates, range(limit), strict=False))

    # bytes -------------------------------------------------------------------------------------------------------

    def _delete(self, parts: re.Pattern[bytes]) -> None:
        """Leave out runs of lines, characters or bytes, long runs first."""
        spans = [match.span() for match in parts.finditer(self.wire)]
        size = len(spans)
        while size and not self._spent():
            at = failed = failed_stop = 0
            while at < len(spans) and not self._spent():
                start, stop = spans[at][0], spans[min(at + size, len(spans)) - 1][1]
                if self._leaves_the_same(failed, failed_stop, start, stop):
                    at += size
                elif self._try_edit(start, stop, b""):
                    spans = [match.span() for match in parts.finditer(self.wire)]
                    failed_stop = 0
                else:
                    failed, failed_stop = start, stop
                    at += size
            size //= 2

    def _leaves_the_same(self, first: int, first_stop: int, second: int, second_stop: int) -> bool:
        """Whether either of two spans, left out, leaves the same stream: in a long value of one character, they do."""
        return (
            (not self.cuts or self._size > 0)
            and second_stop - second == first_stop - first
            and self.wire[first:second] == self.wire[first_stop:second_stop]
        )

    def _replace_line_ends(self) -> None:
        """LF is the plainest line end, then CR, then CRLF."""
        for old, new in ((b"\r\n", b"\n"), (b"\r", b"\n"), (b"\r\n", b"\r")):
            at = self.wire.find(old)
            while at >= 0 and not self._spent():
                self._try_edit(at, at + len(old), new)
                at = self.wire.find(old, at + 1)

    def _replace_atoms(self) -> None:
        """Any character of a value by `a`, or by the plainest character of its length."""
        at = 0
        while at < len(self.wire) and not self._spent():
            match = _ATOMS.match(self.wire, at)
            assert match is not None
            atom = match.group()
            for new in self._plainer(atom):
                if self._try_edit(at, at + len(atom), new):
                    break
            # What stands here now may be another one.
            match = _ATOMS.match(self.wire, at)
            at += len(match.group()) if match else 1

    def _plainer(self, atom: bytes) -> Iterator[bytes]:
        if atom in (b"a", b"\n", b"\r", b"\r\n"):
            return
        yield b"a"
        if atom.isalnum() and atom != b"b":
            yield b"b"
        for kind in _KINDS:
            if atom in kind:
                yield from kind[: kind.index(atom)]
        if len(atom) > 1:
            yield from (plain for plain in (_PLAIN[len(atom)],) if plain != atom)
        elif atom > b"\x7f":
            # A byte that is ill-formed by itself; one that lacks what follows it; one that follows.
            kinds = (b"\xff", b"\xe4", b"\xa0")
            yield from kinds[: kinds.index(atom)] if atom in kinds else kinds

    def _shorter_characters(self) -> None:
        """A character of two bytes for one of three or four."""
        for match in list(_ATOMS.finditer(self.wire)):
            if self._spent():
                return
            if len(match.group()) > 2:
                for length in range(2, len(match.group())):
                    if self.wire[match.start() : match.end()] == match.group():
                        self._try_edit(match.start(), match.end(), _PLAIN[length])

    def _try_edit(self, start: int, stop: int, new: bytes) -> bool:
        """Put ``new`` in the place of a span; cuts inside it go to where they are still inside what is new."""
        wire = self.wire[:start] + new + self.wire[stop:]
        if self._size:
            return self._try(wire, in_sizes(wire, self._size))
        shift = len(new) - (stop - start)
        moved = [at if at <= start else at + shift if at >= stop else min(at, start + len(new)) for at in self.cuts]
        return self._try(wire, tuple(moved))
