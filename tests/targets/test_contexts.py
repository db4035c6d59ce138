"""A context that was entered is left again, whatever happens in it."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest

from chunkproof_targets.contract import Event, TargetHung

from .bases import Base, load


class Managed(Base):
    """Counts its open contexts; raises on "bad", and tries to have its own way on leaving."""

    left: ClassVar[list[BaseException | None]] = []
    opened = 0

    def __init__(self, callback=None):
        super().__init__()
        self.callback = callback

    def enter(self):
        type(self).opened += 1
        return self

    def leave(self, kind, error, traceback):
        type(self).opened -= 1
        self.left.append(error)
        if error is not None and self.callback is not None:
            self.callback(Event("message", "late", ""))
        if error is not None and str(error) == "bad, and leaving too":
            raise OSError("leaving failed")
        return True

    def raising(self, chunk):
        for event in self._events(chunk):
            if event.data.startswith("bad"):
                raise ValueError(event.data)
            yield event


class SyncManaged(Managed):
    def __enter__(self):
        return self.enter()

    def __exit__(self, *details):
        return self.leave(*details)


class FedInContext(SyncManaged):
    def feed(self, chunk):
        yield from self.raising(chunk)


class FedInContextWithCallback(SyncManaged):
    def feed(self, chunk):
        for event in self.raising(chunk):
            self.callback(event)


class EndsInContext(SyncManaged):
    def feed(self, chunk):
        self.bad = b"bad" in chunk and chunk.split(b": ")[1].strip().decode()
        return [] if self.bad else self._events(chunk)

    def close(self):
        type(self).opened -= not self.bad
        if self.bad:
            raise ValueError(self.bad)
        return []


class AsyncFedInContext(Managed):
    async def __aenter__(self):
        return self.enter()

    async def __aexit__(self, *details):
        await asyncio.sleep(0)
        return self.leave(*details)

    async def feed(self, chunk):
        await asyncio.sleep(0)
        return list(self.raising(chunk))


class IteratedInContext(SyncManaged):
    def __init__(self, chunks):
        super().__init__()
        self.chunks = chunks

    def __iter__(self):
        for chunk in self.chunks:
            yield from self.raising(chunk)


class IteratedInNamelessContext(IteratedInContext):
    def __enter__(self):
        super().__enter__()


@pytest.mark.parametrize(
    "cls",
    [
        FedInContext,
        FedInContextWithCallback,
        EndsInContext,
        AsyncFedInContext,
        IteratedInContext,
        IteratedInNamelessContext,
    ],
)
@pytest.mark.parametrize("data", ["bad", "bad, and leaving too"])
def test_context_is_left_after_a_failure_which_is_what_counts(
    cls: type[Managed], data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = load(cls)
    monkeypatch.setattr(cls, "left", [])
    monkeypatch.setattr(cls, "opened", 0)
    run = target.run([b"data: x\n\n", f"data: {data}\n\n".encode()])
    assert isinstance(run.failure, ValueError)
    assert str(run.failure) == data
    assert [d.event.data for d in run.deliveries] == ["x"]
    assert cls.left == [run.failure]
    target.run([b"data: x\n\n"])
    assert cls.opened == 0


def test_context_is_not_left_by_a_parser_that_hung() -> None:
    class Parser(FedInContext):
        def feed(self, chunk):
            if b"hang" in chunk:
                raise TargetHung("as the clock raises it")
            return self._events(chunk)

    target = load(Parser)
    Managed.left.clear()
    assert isinstance(target.run([b"data: hang\n\n"]).failure, TargetHung)
    assert not Managed.left
