"""The error messages of targets that cannot be used: the value, the rule, the way out."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from .contract import TargetError
from .drivers import AsyncFound
from .probe import FEED_NAMES

if TYPE_CHECKING:
    from .calibration import Reading
    from .candidates import Candidates

__all__ = ["adapter", "instance_given", "no_event"]

_TRIED_MAX = 8
_PUSH_LINES = """\
        parser = {name}(...)
        for chunk in chunks:
            yield from parser.feed(chunk)  # whatever gives the events, with data, event and id
        yield from parser.close()  # if it can be told that the input is over
"""
_PULL_LINES = """\
        for item in {name}(chunks):  # whatever gives the events; chunks is an iterable of bytes
            yield {{"event": item.event, "data": item.data, "id": item.id}}
"""


def adapter(name: str, *, pushed: bool) -> str:
    """The ten lines that make a target of any parser: one that is fed, or one that reads an iterable."""
    return (
        "The way out is an adapter of a few lines, in a file of your own:\n\n"
        "    # adapter.py\n"
        f"    from ... import {name}\n\n"
        "    def parse(chunks):\n"
        f"{(_PUSH_LINES if pushed else _PULL_LINES).format(name=name)}\n"
        "and then --target=./adapter.py:parse"
    )


def instance_given(obj: Any, name: str, found: str) -> TargetError:
    """An object that lives already, where a class or a function is needed."""
    cls = type(obj)
    if not any(callable(getattr(obj, feed, None)) for feed in FEED_NAMES):
        return TargetError(
            f"{_who(name, found)} is of the type {cls.__name__}, which is no parser. Name a class with "
            f"{', '.join(FEED_NAMES[:-1])} or {FEED_NAMES[-1]}, or a function over an iterable of chunks."
        )
    return TargetError(
        f"{_who(name, found)} is an instance of {cls.__name__}. An instance serves one stream, and the suite "
        f"needs a new parser for each: name the class (--target={cls.__module__}:{cls.__qualname__}), or a function "
        "without arguments that makes one."
    )


def _who(name: str, found: str) -> str:
    return name if name == found else f"{name} ({found})"


def no_event(candidates: Candidates, name: str, found: str) -> TargetError:
    """Nothing that was tried showed an event."""
    obj, parameters = candidates.obj, candidates.parameters
    short = str(getattr(obj, "__name__", type(obj).__name__))
    kind = "class" if inspect.isclass(obj) else "function"
    lines = [f"{_who(name, found)} shows no event on the calibration streams, so it cannot be judged."]
    if len(parameters.required) > 1 or (parameters.required and inspect.isclass(obj)):
        lines.append(f"The {kind} {short} needs arguments: {', '.join(parameters.required)}. They are not guessed.")
    elif candidates.probe.problem:
        lines.append(f"Called without arguments, {short} {candidates.probe.problem}.")
    if not any(reading.failures for _, reading in candidates.tried):
        lines += [f"{short}().{line}" for line in candidates.returned()]
    tried = _tried(candidates)
    if tried:
        lines.append("What was tried:")
        lines += tried[:_TRIED_MAX]
        if len(tried) > _TRIED_MAX:
            lines.append(f"- and {len(tried) - _TRIED_MAX} ways more")
    elif not lines[1:]:
        lines.append(f"It is a {kind} that takes no iterable of chunks, and makes nothing with a feed method.")
    lines.append("A parser that is fed whole lines must be declared as one: --chunkproof-declare takes=lines")
    pushed = inspect.isclass(obj) and any(callable(getattr(obj, feed, None)) for feed in FEED_NAMES)
    lines.append(adapter(short, pushed=pushed))
    return TargetError("\n".join(lines))


def _tried(candidates: Candidates) -> list[str]:
    """One line for each way, with what came of it; ways that are one to the reader are told once."""
    fed: dict[tuple[str, str], list[str]] = {}
    for takes, reading in candidates.tried:
        if not any(isinstance(trial.failure, AsyncFound) for trial in reading.trials):
            kinds = fed.setdefault((reading.driver.shape, _outcome(reading)), [])
            if takes not in kinds:
                kinds.append(takes)
    return [f"- {shape}, fed {' or '.join(kinds)}: {outcome}" for (shape, outcome), kinds in fed.items()]


def _outcome(reading: Reading) -> str:
    items = [item.text for trial in reading.trials for item in trial.items]
    failure = next((trial.failure for trial in reading.trials if trial.failure is not None), None)
    parts = []
    if items:
        parts.append(f"gave {len(items)} items without the data of the events, the first {items[0]}")
    if failure is not None:
        text = " ".join(str(failure).split())
        parts.append(f"raised {type(failure).__name__}: {text if len(text) <= 120 else text[:117] + '...'}")
    return ", then ".join(parts) or "gave no event"
