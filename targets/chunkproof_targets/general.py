"""The drivers of all less usual protocols, sync and async, as coroutines.

A sync parser is driven by the same coroutine as an async one: nothing in it is awaited then, so one ``send`` runs it
to its end without an event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from .contract import TargetStopped
from .drivers import Append, AsyncFound, Driven, Driver, counted, refuse_async
from .extract import Deliver
from .loops import Loop
from .readers import Reader
from .script import ConsumerStopped, Script, Scripted

__all__ = ["GeneralPull", "GeneralPush"]

# What feed calls mostly return, and what is never to be awaited.
_PLAIN = (type(None), list, int, bool)


class _Held:
    """What a run leaves behind: the parser that it made."""

    parser: Any = None


class General(Driver):
    """A driver whose steps are one coroutine."""

    def __init__(self, loop: Loop, shape: str) -> None:
        self.loop = loop
        self.shape = shape

    def drive(self, units: Sequence[Any], deliver: Deliver, append: Append) -> Driven:
        """See `Driver.drive`."""
        held = _Held()
        steps = self._caught(self.steps(units, deliver, append, held))
        if self.is_async:
            try:
                return held.parser, self.loop.run(steps)
            except BaseException as error:
                return held.parser, error
            finally:
                steps.close()
        try:
            steps.send(None)
        except StopIteration as end:
            return held.parser, end.value
        steps.close()
        return held.parser, AsyncFound("it awaited something")

    def drive_together(self, runs: Sequence[tuple[Sequence[Any], Deliver, Append]]) -> list[Driven]:
        """Several runs as tasks of one loop, each with its own parser; for async parsers."""
        held = [_Held() for _ in runs]
        steps = [self._caught(self.steps(*run, one)) for run, one in zip(runs, held, strict=True)]
        try:
            errors = self.loop.run(_gathered(steps))
        except BaseException as error:
            errors = [error for _ in runs]
        finally:
            for one in steps:
                one.close()
        return [(one.parser, error) for one, error in zip(held, errors, strict=True)]

    async def _caught(self, steps: Awaitable[None]) -> BaseException | None:
        try:
            await steps
        except RuntimeError as error:
            # A StopIteration that leaves a coroutine of ours turns into this one; the target's own is what counts.
            turned = isinstance(error.__cause__, StopIteration) and str(error) == "coroutine raised StopIteration"
            return error.__cause__ if turned else error
        except BaseException as error:
            return error
        return None

    @abstractmethod
    def steps(self, units: Sequence[Any], deliver: Deliver, append: Append, held: _Held) -> Coroutine[Any, Any, None]:
        """One run; what leaves the target is raised."""

    async def settle(self, value: Any) -> Any:
        """The value, awaited where it is to be awaited."""
        if value.__class__ in _PLAIN:
            return value
        if self.is_async:
            return await value if inspect.isawaitable(value) else value
        if not hasattr(value, "__aiter__"):
            refuse_async(value)
        return value

    async def leave_behind(self, manager: Any, error: BaseException) -> None:
        """Leave the context of a manager behind what ended the run: as after a ``break`` where the consumer stopped."""
        if isinstance(error, ConsumerStopped):
            await self.leave(manager)
        else:
            await self.leave_failed(manager, error)

    async def enter(self, manager: Any) -> Any:
        """The context that a manager opens, or None where it is no manager."""
        if self.is_async and hasattr(manager, "__aenter__"):
            return await manager.__aenter__()
        return manager.__enter__() if hasattr(manager, "__enter__") else None

    async def leave(self, manager: Any) -> Any:
        """Leave the context of a manager, if it is one."""
        return await self._exit(manager, None, None, None)

    async def leave_failed(self, manager: Any, error: BaseException) -> None:
        """Leave the context of a manager behind an error. The error is what counts, and not what comes of leaving."""
        if isinstance(error, TargetStopped) or (self.is_async and isinstance(error, GeneratorExit)):
            # It may hang again, with no clock left to stop it; or these steps are being closed, and cannot await.
            return
        with contextlib.suppress(BaseException):
            await self._exit(manager, type(error), error, error.__traceback__)

    async def _exit(self, manager: Any, *details: Any) -> Any:
        if self.is_async and hasattr(manager, "__aenter__"):
            return await manager.__aexit__(*details) if hasattr(manager, "__aexit__") else None
        is_manager = hasattr(manager, "__enter__") and hasattr(manager, "__exit__")
        return manager.__exit__(*details) if is_manager else None


class GeneralPush(General):
    """A class with a feed method; a `Reader` knows how its events are got at.

    ``make(callback)`` makes a parser, or a manager whose context is one; ``pass_callback`` is the parameter of feed
    that takes a callback. ``end`` tells the parser the end, and ``exits`` says that leaving the context does;
    ``reads_after``, that events can be read after it.
    """

    def __init__(
        self,
        loop: Loop,
        shape: str,
        *,
        make: Callable[[Any], Any],
        feed: str,
        reader: Callable[[], Reader],
        end: Callable[[Any], Any] | None = None,
        exits: bool = False,
        reads_after: bool = True,
        pass_callback: str | None = None,
    ) -> None:
        super().__init__(loop, shape)
        self.make = make
        self.feed = feed
        self.reader = reader
        self.end = end
        self.exits = exits
        self.reads_after = reads_after
        self.pass_callback = pass_callback
        self.has_end = exits or end is not None

    async def steps(self, units: Sequence[Any], deliver: Deliver, append: Append, held: _Held) -> None:
        """Make, enter, feed each unit, tell the end."""
        reader = self.reader()
        reader.start(deliver, append, self.is_async)
        manager = await self.settle(self.make(reader.callback))
        held.parser = manager
        entered = await self.enter(manager)
        try:
            parser = entered if hasattr(entered, self.feed) else manager
            held.parser = parser
            await self._feed(parser, units, reader)
            if self.end is not None:
                await reader.read(await self.settle(self.end(parser)))
        except BaseException as error:
            reader.closed = True
            await self.leave_failed(manager, error)
            raise
        # Of a parser that was told the end already, the context is left alone: the end is told once.
        if self.end is None and self.exits:
            result = await self.leave(manager)
            if self.reads_after:
                await reader.read(result)

    async def _feed(self, parser: Any, units: Sequence[Any], reader: Reader) -> None:
        reader.parser = parser
        feed = getattr(parser, self.feed)
        if self.pass_callback is not None:
            feed = partial(feed, **{self.pass_callback: reader.callback})
        always = reader.always
        pauses = units.script.pauses if self.is_async and isinstance(units, Scripted) else 0
        for unit in units:
            if pauses:
                await _paused(pauses)
            reader.taken += 1
            reader.quiet = not unit
            result = feed(unit)
            if result.__class__ not in _PLAIN:
                result = await self.settle(result)
            if always or result is not None:
                await reader.read(result)
        reader.quiet = True


class GeneralPull(General):
    """A function over an iterable, or a class made with the chunks, in any form that is not a plain loop.

    ``async_source``: the chunks come as an async iterable. ``via``: the attribute of what the call returns that holds
    or gives the events; None where they are what it returns. ``callback``: the parameter that takes a callback.
    ``batches``: each item is a list of events.
    """

    pulls = True

    def __init__(
        self,
        loop: Loop,
        shape: str,
        *,
        call: Callable[..., Any],
        async_source: bool = False,
        via: str | None = None,
        callback: str | None = None,
        batches: bool = False,
    ) -> None:
        super().__init__(loop, shape)
        self.call = call
        self.batches = batches
        self.async_source = async_source
        self.is_async = async_source
        self.via = via
        self.callback = callback
        self.stops = callback is None

    async def steps(self, units: Sequence[Any], deliver: Deliver, append: Append, held: _Held) -> None:
        """Call with the chunks, and read all that comes out."""
        plain, left = counted(units)
        size = len(units)
        script = units.script if isinstance(units, Scripted) else None
        asynchronous: AsyncGenerator[Any, None] | None = None
        if self.async_source:
            asynchronous = _asynchronous(plain) if script is None else _asynchronous_script(plain, script)
        source = plain if asynchronous is None else asynchronous
        reader = Reader()
        reader.batches = self.batches
        reader.start(deliver, append, self.is_async, lambda: size - left())
        try:
            extra = {} if self.callback is None else {self.callback: reader.callback}
            result = await self.settle(self.call(source, **extra))
            held.parser = result
            manager = None if inspect.isgenerator(result) or inspect.isasyncgen(result) else result
            entered = await self.enter(manager)
            try:
                if entered is not None:
                    result = held.parser = entered
                if self.via is not None:
                    result = getattr(result, self.via)
                    result = await self.settle(result() if callable(result) else result)
                await reader.drain(result)
            except BaseException as error:
                reader.closed = True
                await self.leave_behind(manager, error)
                raise
            await self.leave(manager)
            self.saw_list = isinstance(result, (list, tuple))
        finally:
            if asynchronous is not None:
                closed = script is not None and script.closed
                # It may still be read by a task that the target left behind, and that ends with the run.
                with contextlib.suppress(RuntimeError):
                    await asynchronous.aclose()
                if script is not None:
                    script.closed = closed  # what we close ourselves is not closed by the target


async def _asynchronous(units: Iterator[Any]) -> AsyncGenerator[Any, None]:
    for unit in units:
        yield unit


async def _asynchronous_script(units: Iterator[Any], script: Script) -> AsyncGenerator[Any, None]:
    try:
        while True:
            await _paused(script.pauses)
            try:
                unit = next(units)
            except StopIteration:
                return
            yield unit
    except GeneratorExit:
        script.closed = True
        raise


async def _paused(turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)


async def _gathered(steps: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    return await asyncio.gather(*steps)
