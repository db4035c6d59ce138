"""The error messages of targets that cannot be used: the value, the rule, the way out."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from .contract import TargetError
from .drivers import AsyncFound
from .probe import END_NAMES, FEED_NAMES, Parameters

if TYPE_CHECKING:
    from .calibration import Reading
    from .candidates import Candidates

__all__ = ["adapter", "instance_given", "no_event"]

_TRIED_MAX = 8
_NOWHERE = "your_package"


def adapter(candidates: Candidates) -> str:
    """The ten lines that make a target of any parser: one that is fed, or one that reads an iterable.

    They run as they stand, but for what only the user knows: arguments come out as ``...``, and a parser that cannot
    be imported by its own name as one of ``your_package``.
    """
    lines = [
        "# adapter.py",
        *_imports(candidates.obj),
        "",
        *(_fed(candidates) or _iterated(candidates)),
    ]
    text = "\n".join(f"    {line}".rstrip() for line in lines)
    return (
        f"The way out is an adapter of a few lines, in a file of your own:\n\n{text}\n\n"
        "and then --target=./adapter.py:target"
    )


def _imports(obj: Any) -> list[str]:
    """What imports it as ``original``: the adapter may well be called what the parser is called."""
    module = str(getattr(obj, "__module__", ""))
    path = str(getattr(obj, "__qualname__", type(obj).__qualname__)).rpartition("<locals>.")[2]
    first, _, inner = path.partition(".")
    by_name: Any = sys.modules.get(module)
    for part in path.split("."):
        by_name = getattr(by_name, part, None)
    # A file that is read alone, or the script that runs, has no name to be imported by.
    if by_name is not obj or module.startswith(("__main__", "chunkproof_target_")):
        module = _NOWHERE
    if not inner:
        return [f"from {module} import {first} as original"]
    return [f"from {module} import {first}", "", f"original = {path}"]


def _fed(candidates: Candidates) -> list[str]:
    """An adapter of what has a feed method; empty where it has none."""
    obj, probe = candidates.obj, candidates.probe
    parser = obj if probe.parser is None and inspect.isclass(obj) else probe.parser
    feed = next((name for name in FEED_NAMES if callable(getattr(parser, name, None))), None)
    if feed is None:
        return []
    end = probe.end or next((name for name in END_NAMES if _takes_nothing(parser, name)), None)
    arguments = ", ".join(f"{name}=..." for name in candidates.parameters.required)
    lines = [
        "def target(chunks):",
        f"    parser = original({arguments})",
        "    for chunk in chunks:",
        f"        yield from parser.{feed}(chunk) or ()  # whatever gives the events, with data, event and id",
    ]
    return [*lines, f"    yield from parser.{end}() or ()  # the input is over"] if end else lines


def _takes_nothing(parser: Any, name: str) -> bool:
    method = getattr(parser, name, None)
    return callable(method) and Parameters.of(method).required in ((), ("self",))


def _iterated(candidates: Candidates) -> list[str]:
    """An adapter of what takes all chunks at once."""
    if _wants_list(candidates):
        # A list, and no generator: then nothing is asked of when an event comes out.
        return [
            "def target(chunks):",
            "    items = original(list(chunks))  # whatever gives the events",
            '    return [{"event": item.event, "data": item.data, "id": item.id} for item in items]',
        ]
    arguments = ", ".join(["chunks", *(f"{name}=..." for name in candidates.parameters.required[1:])])
    asynchronous = "async " if inspect.isasyncgenfunction(candidates.obj) else ""
    return [
        f"{asynchronous}def target(chunks):  # an {asynchronous}iterable of bytes",
        f"    {asynchronous}for item in original({arguments}):  # whatever gives the events",
        '        yield {"event": item.event, "data": item.data, "id": item.id}',
    ]


def _lines_told(candidates: Candidates) -> str:
    """How a parser is declared that is fed lines; with the parameter that says that this one is, if there is one."""
    probe = candidates.probe
    for feed in probe.feeds:
        first = Parameters.of(getattr(probe.parser, feed)).first
        if "line" in first.lower():
            return (
                f"{feed}({first}) looks as if it is fed whole lines. Nothing finds that out: declare it, "
                "with --chunkproof-declare takes=lines"
            )
    return "A parser that is fed whole lines must be declared as one: --chunkproof-declare takes=lines"


def _wants_list(candidates: Candidates) -> bool:
    """Whether all that stood in the way was that the chunks came as an iterator, which has no length or index."""
    failures = [trial.failure for _, reading in candidates.tried for trial in reading.trials]
    return any(isinstance(failure, TypeError) and "'list_iterator'" in str(failure) for failure in failures)


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
    lines.append(_lines_told(candidates))
    lines.append(adapter(candidates))
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
