"""One event loop for all runs of an async target, made when it is first needed."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Coroutine
from typing import Any

__all__ = ["Loop"]


class Loop:
    """Runs coroutines one after another; none leaves a task behind."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run to the end. What interrupts the loop itself (an alarm) is raised, and the loop is thrown away."""
        # A loop of the process that this one was forked from shares its selector with it, and has lost its threads.
        if self._loop is None or self._process != os.getpid():
            self._loop, self._process = asyncio.new_event_loop(), os.getpid()
            # Whoever forgets `close` gets no ResourceWarning out of our loop.
            weakref.finalize(self, _shut, self._loop)
        task = self._loop.create_task(_tidily(coroutine))
        try:
            return self._loop.run_until_complete(task)
        except BaseException:
            # The task may hang: it is not to be asked to end, and not to complain that nobody did.
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            loop, self._loop = self._loop, None
            loop.close()
            raise

    def end_threads(self) -> None:
        """Close the loop if it has threads: the next run may be in a forked process, which has none of them."""
        if getattr(self._loop, "_default_executor", None) is not None:
            self.close()

    def close(self) -> None:
        """Close the loop, and the async generators that still hang on it."""
        loop, self._loop = self._loop, None
        if loop is not None:
            _shut(loop)


def _shut(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        # Garbage may be collected while another loop runs, inside which this one cannot.
        if asyncio._get_running_loop() is None:
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _tidily(coroutine: Coroutine[Any, Any, Any]) -> Any:
    result = await coroutine
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.gather(*others, return_exceptions=True)
    return result
