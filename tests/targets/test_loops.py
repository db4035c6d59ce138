"""The event loop that all runs of an async target share."""

from __future__ import annotations

import asyncio
import gc

from chunkproof_targets.loops import Loop


async def _nothing() -> int:
    return 1


def test_a_loop_that_nobody_closed_may_be_collected_inside_another():
    forgotten = Loop()
    assert forgotten.run(_nothing()) == 1
    inner = forgotten._loop

    async def collect() -> None:
        nonlocal forgotten
        del forgotten
        gc.collect()

    # An exception in a finaliser would be an error of this test, by the project's settings.
    asyncio.run(collect())
    assert inner is not None
    assert inner.is_closed()


def test_threads_of_a_loop_are_given_up_and_a_loop_without_any_stays():
    loop = Loop()
    loop.run(_nothing())
    plain = loop._loop
    loop.end_threads()
    assert loop._loop is plain
    assert loop.run(asyncio.to_thread(int)) == 0
    loop.end_threads()
    assert loop._loop is None
    loop.close()
