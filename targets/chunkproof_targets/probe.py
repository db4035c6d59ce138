"""A first look at a parser, before any trial: its parameters, its feed methods, and how it is told the end."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .contract import TargetError
from .declared import Declared
from .loops import Loop

__all__ = [
    "CALLBACK_NAMES",
    "END_NAMES",
    "EVENTS_NAMES",
    "FEED_NAMES",
    "NEXT_NAMES",
    "Parameters",
    "Probe",
    "ends_of",
    "look",
    "wants_text",
]

FEED_NAMES = ("feed", "push", "write", "receive_data", "decode")
NEXT_NAMES = ("next_event", "nextEvent")
EVENTS_NAMES = ("events", "take_events", "pop_events", "get_events")
CALLBACK_NAMES = ("callback", "on_event", "handler")
# In this order; an `__exit__` comes before `flush`, and after all others.
END_NAMES = ("finish", "end", "close", "aclose", "feed_eof")


@dataclass(frozen=True)
class Parameters:
    """The parameters of a callable: those it must be given, and the one that takes a callback, if any."""

    required: tuple[str, ...] = ()
    callback: str | None = None
    callback_required: bool = False
    takes_one: bool = True
    first: str = ""
    annotation: str = ""

    @classmethod
    def of(cls, call: Any) -> Parameters:
        """Read the signature; a callable that has none is taken to need nothing."""
        try:
            parameters = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            return cls()
        named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        callback = next((p for p in named if p.name in CALLBACK_NAMES and p.kind != p.POSITIONAL_ONLY), None)
        others = [p for p in named if p is not callback]
        positional = (p for p in parameters if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD))
        first = next((p for p in positional if p is not callback), None)
        return cls(
            tuple(p.name for p in others if p.default is p.empty),
            callback.name if callback else None,
            callback is not None and callback.default is callback.empty,
            first is not None,
            first.name if first is not None else "",
            "" if first is None or first.annotation is first.empty else _annotation(first.annotation),
        )


def _annotation(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    plain = inspect.isclass(annotation) and not hasattr(annotation, "__args__")
    return annotation.__name__ if plain else str(annotation)


def wants_text(parameters: Parameters) -> bool:
    """Whether the annotation of the first parameter says text, and not bytes."""
    annotation = parameters.annotation
    return "str" in annotation.lower().replace("stream", "") and "bytes" not in annotation


@dataclass
class Probe:
    """A parser that was made once: what it can be fed with, and its end.

    ``exits``: the end is told by leaving its context. ``nothing``: what each method for the next event gives, or
    raises, while there is none. ``reads_after``: events can be read when its context is closed. ``problem`` says why
    there is no parser.
    """

    parser: Any = None
    feeds: list[str] = field(default_factory=list)
    end: str | None = None
    exits: bool = False
    managed: bool = False
    is_async: bool = False
    nothing: dict[str, tuple[Any, type[BaseException] | None]] = field(default_factory=dict)
    reads_after: bool = True
    problem: str = ""


def look(make: Callable[[], Any], declared: Declared, loop: Loop) -> Probe:
    """Make a parser, enter its context if it has one, and look at it; it is fed nothing."""
    probe = Probe()
    try:
        manager = _settled(_made(make, probe, loop), probe, loop)
        entered = _enter(manager, probe, loop)
    except BaseException as error:
        probe.problem = f"raised {type(error).__name__}: {error}"
        return probe
    probe.parser = next((p for p in (entered, manager) if any(_method(p, name) for name in FEED_NAMES)), None)
    if probe.parser is None:
        probe.problem = f"made a {type(manager).__name__}, which has none of the methods {', '.join(FEED_NAMES)}"
    else:
        probe.feeds = [name for name in FEED_NAMES if _method(probe.parser, name)]
        _find_end(probe, declared)
        for name in NEXT_NAMES:
            if _plain_method(probe.parser, name):
                probe.nothing[name] = _next_of_none(getattr(probe.parser, name), probe, loop)
    _leave(manager, probe, loop)
    probe.reads_after = all(_reads(probe.parser, name) for name in (*probe.nothing, *EVENTS_NAMES))
    return probe


def _made(make: Callable[[], Any], probe: Probe, loop: Loop) -> Any:
    try:
        return make()
    except RuntimeError as error:
        if "event loop" not in str(error):
            raise
    # It wants to be made where a loop runs.
    probe.is_async = True
    return loop.run(_called(make))


async def _called(make: Callable[[], Any]) -> Any:
    return make()


def _settled(value: Any, probe: Probe, loop: Loop) -> Any:
    if not inspect.isawaitable(value):
        return value
    probe.is_async = True
    return loop.run(_awaited(value))


def _next_of_none(next_event: Callable[[], Any], probe: Probe, loop: Loop) -> tuple[Any, type[BaseException] | None]:
    try:
        return _settled(next_event(), probe, loop), None
    except Exception as error:
        return None, type(error)


def _reads(parser: Any, name: str) -> bool:
    """Whether a parser whose context is closed can still be asked for events."""
    try:
        value = getattr(parser, name, None)
        if callable(value) and not inspect.iscoroutinefunction(value):
            value()
    except Exception:
        return False
    return True


async def _awaited(value: Any) -> Any:
    return await value


def _enter(manager: Any, probe: Probe, loop: Loop) -> Any:
    if hasattr(manager, "__enter__"):
        probe.managed = True
        return manager.__enter__()
    if hasattr(manager, "__aenter__"):
        probe.managed = probe.is_async = True
        return _settled(manager.__aenter__(), probe, loop)
    return None


def _leave(manager: Any, probe: Probe, loop: Loop) -> None:
    if not probe.managed:
        return
    leave = getattr(manager, "__exit__", None) or getattr(manager, "__aexit__", None)
    try:
        if leave is not None:
            _settled(leave(None, None, None), probe, loop)
    except BaseException as error:
        # A fault of the end shows in trial, and in the rules; here it only says something of the parser.
        probe.problem = f"raised {type(error).__name__} on leaving its context: {error}"


def _method(parser: Any, name: str) -> bool:
    return parser is not None and callable(getattr(parser, name, None))


def _find_end(probe: Probe, declared: Declared) -> None:
    if declared.end is not None and declared.end != "none" and not _method(probe.parser, declared.end):
        methods = [n for n in dir(probe.parser) if not n.startswith("_") and _method(probe.parser, n)]
        raise TargetError(
            f"end={declared.end}: {type(probe.parser).__name__} has no such method. Declare one of its methods "
            f"({', '.join(methods)}), or end=none"
        )
    if declared.end is not None:
        probe.end = None if declared.end == "none" else declared.end
        return
    probe.end = next((name for name in END_NAMES if _plain_method(probe.parser, name)), None)
    if probe.end is None and probe.managed:
        probe.exits = True
    elif probe.end is None and _plain_method(probe.parser, "flush"):
        probe.end = "flush"


def ends_of(parser: Any) -> list[str]:
    """The methods that may tell a parser the end, likely ones first."""
    return [name for name in (*END_NAMES, "flush") if _plain_method(parser, name)]


def _plain_method(parser: Any, name: str) -> bool:
    return _method(parser, name) and not Parameters.of(getattr(parser, name)).required
