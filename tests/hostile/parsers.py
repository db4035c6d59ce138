"""Parsers that hang, exit, crash, eat, flood, or are slow: the reference, but for one habit each."""

from __future__ import annotations

import codecs
import ctypes
import os
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser


class OnNul(ReferenceParser):
    """Does something else as soon as there is a NUL."""

    def feed(self, chunk: bytes) -> list[Event]:
        if b"\0" in chunk:
            self.act()
        return super().feed(chunk)

    def act(self) -> None:
        raise NotImplementedError


# What ends a run, or would not end ------------------------------------------------------------------------------------


class HangsOnNul(OnNul):
    def act(self) -> None:
        while True:
            pass


class HangsWhereNoSignalIsHeard(OnNul):
    def act(self) -> None:
        ctypes.PyDLL(None).pthread_mutex_lock(_LOCKED)


_LOCKED = ctypes.create_string_buffer(256)
ctypes.PyDLL(None).pthread_mutex_lock(_LOCKED)


class HangsAndCatchesAll(OnNul):
    def act(self) -> None:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class SleepsHalfAMinute(OnNul):
    def act(self) -> None:
        time.sleep(30)


class ExitsOnAMark(ReferenceParser):
    def feed(self, chunk: bytes) -> list[Event]:
        if b"\xef\xbb\xbf" in chunk:
            os._exit(3)
        return super().feed(chunk)


class CrashesOnNul(OnNul):
    def act(self) -> None:
        print("reading what is not there")
        ctypes.string_at(0)


class LeavesAProcessBehind(OnNul):
    def act(self) -> None:
        if os.fork() == 0:
            time.sleep(600)
        os._exit(4)


class RaisesSystemExit(OnNul):
    def act(self) -> None:
        raise SystemExit("no more")


class RaisesKeyboardInterrupt(OnNul):
    def act(self) -> None:
        raise KeyboardInterrupt


class RecursesForEver(OnNul):
    def act(self) -> None:
        self.act()


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class RaisesTheUnspeakable(OnNul):
    def act(self) -> None:
        raise Unspeakable


class EatsAllMemory(OnNul):
    def act(self) -> None:
        kept = []
        while True:
            kept.append(b"x" * 100_000)


class PrintsAHundredMegabytes(OnNul):
    def act(self) -> None:
        for _ in range(100):
            print("x" * 1_000_000)


# Events that are not what they say ------------------------------------------------------------------------------------


class Agreeable(str):
    """Equal to anything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LiesAboutItsData(ReferenceParser):
    def feed(self, chunk: bytes) -> list[Event]:
        return [e._replace(data=Agreeable((e.data or "").replace("\0", ""))) for e in super().feed(chunk)]


class Thorny:
    def __init__(self, event: Event) -> None:
        self._event = event

    @property
    def data(self) -> str | None:
        if "\0" in (self._event.data or ""):
            raise LookupError("not for you")
        return self._event.data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._event, name)


class EventsThatRaise(ReferenceParser):
    def feed(self, chunk: bytes) -> list[Any]:
        return [Thorny(event) for event in super().feed(chunk)]


# When events come out, and what is shared -----------------------------------------------------------------------------


class LateByOneChunk(ReferenceParser):
    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Event] = []

    def feed(self, chunk: bytes) -> list[Event]:
        out, self.waiting = self.waiting, super().feed(chunk)
        return out

    def close(self) -> list[Event]:
        out, self.waiting = self.waiting, []
        return out + super().close()


def reads_everything_first(chunks: Iterable[bytes]) -> Iterator[Event]:
    parser = ReferenceParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    yield from events
    yield from parser.close()


def swallows_generator_exit(chunks: Iterable[bytes]) -> Iterator[Event]:
    parser = ReferenceParser()
    for chunk in chunks:
        for event in parser.feed(chunk):
            try:
                yield event
            except GeneratorExit:
                continue
    yield from parser.close()


class Message(NamedTuple):
    event: str
    data: str
    id: str


class DecoderOfTheClass:
    """Right in all, but that one decoder serves all parsers: made anew by each, it drops what another was in."""

    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def __init__(self) -> None:
        type(self).decoder.reset()
        self.inner = ReferenceParser()

    def feed(self, chunk: bytes) -> list[Event]:
        return self.inner.feed(self.decoder.decode(chunk).encode())

    def close(self) -> list[Event]:
        return self.inner.feed(self.decoder.decode(b"", True).encode()) + self.inner.close()


class KeepsAllEvents(ReferenceParser):
    def __init__(self) -> None:
        super().__init__()
        self._history: list[Event] = []

    def feed(self, chunk: bytes) -> list[Event]:
        events = super().feed(chunk)
        self._history += events
        return events


class DropsLinesBeyond64KiB(ReferenceParser):
    def feed(self, chunk: bytes) -> list[Event]:
        return [event for event in super().feed(chunk) if len(event.data or "") <= 65_530]
