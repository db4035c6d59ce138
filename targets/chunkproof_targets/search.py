"""The one obvious parser of a module, found by looks alone: nothing is called."""

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass
from enum import Enum
from types import ModuleType
from typing import Any

from .contract import Target, TargetError
from .probe import FEED_NAMES, Parameters

__all__ = ["obvious_parser", "public_names"]

_ITERABLE_NAME = re.compile(
    r"(byte_?|text_?|raw_?|event_?)?(chunks?|stream|source|body|lines?|iterable|iterator|iter|pieces|parts|blocks|feed)"
)
_ITERABLE = re.compile(r"Iter|Generator|Sequence|Collection|[Ll]ist\[|Stream")
_TEXTS = re.compile(r"(Iterator|Iterable|Generator|[Ll]ist)\[(str|bytes)\b")
_NO_EVENTS = re.compile(r"(None|str|bytes|int|bool|float)$")


def public_names(module: ModuleType) -> dict[str, Any]:
    """The classes and functions of a module that are its own: those in its ``__all__``, or else defined in it."""
    listed = getattr(module, "__all__", None)
    names = listed if listed is not None else [name for name in vars(module) if not name.startswith("_")]
    found = {}
    for name in names:
        value = getattr(module, name, None)
        home = str(getattr(value, "__module__", ""))
        own = listed is not None or home == module.__name__ or home.startswith(module.__name__ + ".")
        if own and (inspect.isclass(value) or inspect.isroutine(value)):
            found[name] = value
    return found


def obvious_parser(module: ModuleType, spec: str) -> str:
    """The name of the one class or function that looks like a parser; TargetError where there are two, or none."""
    public = public_names(module)
    likely = [name for name, value in public.items() if _is_likely(value)]
    # A splitter of lines beside a parser is its helper.
    likely = [name for name in likely if not _is_splitter(name, public[name])] or likely
    if len(likely) == 1:
        return likely[0]
    if likely:
        lines = [f"--target={spec} has {len(likely)} things that look like a parser. Type the one you mean:"]
        return _raise(lines, spec, likely)
    if public:
        lines = [
            f"--target={spec} has nothing that looks like a parser: no class with {', '.join(FEED_NAMES[:-1])} or "
            f"{FEED_NAMES[-1]}, and no function over an iterable of chunks. If one of these is the parser, type:"
        ]
        return _raise(lines, spec, [name for name, value in public.items() if _may_parse(value)] or list(public))
    raise TargetError(
        f"--target={spec} has no public class or function of its own. Name the module that defines the parser, or the "
        f"parser itself: --target={spec}:NAME"
    )


def _raise(lines: list[str], spec: str, names: list[str]) -> str:
    raise TargetError("\n".join([*lines, *(f"  --target={spec}:{name}" for name in names[:12])]))


def _may_parse(value: Any) -> bool:
    """Whether it is more than an exception, a set of names, or a record without methods."""
    if not inspect.isclass(value):
        return True
    methods = any(inspect.isroutine(member) and not name.startswith("_") for name, member in vars(value).items())
    return not issubclass(value, (BaseException, Enum)) and (methods or not is_dataclass(value))


def _is_likely(value: Any) -> bool:
    if inspect.isclass(value):
        if issubclass(value, (BaseException, Enum)) or getattr(value, "_is_protocol", False):
            return False
        if issubclass(value, Target) or any(callable(getattr(value, name, None)) for name in FEED_NAMES):
            return not inspect.isabstract(value)
        iterated = any(hasattr(value, name) for name in ("__iter__", "__aiter__", "events"))
        return iterated and not hasattr(value, "_fields") and _takes_chunks(value)
    return not (_NO_EVENTS.match(_returns(value)) and not _has_callback(value)) and _takes_chunks(value)


def _is_splitter(name: str, value: Any) -> bool:
    return inspect.isroutine(value) and ("line" in name.lower() or bool(_TEXTS.search(_returns(value))))


def _returns(value: Any) -> str:
    returns = getattr(value, "__annotations__", {}).get("return", "")
    if isinstance(returns, str):
        return returns
    return returns.__name__ if inspect.isclass(returns) and not hasattr(returns, "__args__") else str(returns)


def _has_callback(value: Any) -> bool:
    return Parameters.of(value).callback is not None


def _takes_chunks(value: Any) -> bool:
    parameters = Parameters.of(value)
    if len(parameters.required) != 1 or not parameters.first:
        return False
    if parameters.annotation:
        return bool(_ITERABLE.search(parameters.annotation))
    return bool(_ITERABLE_NAME.fullmatch(parameters.first.lower()))
