"""What a user may declare of a parser, where trial cannot or must not find it.

There are two ways to say it: the decorator `declare` in the user's own adapter, and ``--chunkproof-declare KEY=VALUE``
on the command line, which `Declared.parse` reads and which wins over the decorator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Literal, TypeVar

from .contract import Takes, TargetError

__all__ = ["NOTHING_DECLARED", "Declared", "declare", "declared_on"]

_ATTRIBUTE = "__chunkproof_declared__"
_VALUES: dict[str, tuple[str, ...]] = {
    "takes": ("bytes", "text", "lines"),
    "empty_chunk": ("end",),
    "invalid_utf8": ("strict",),
}
_KEYS = ("takes", "end", "empty_chunk", "size_limit", "invalid_utf8")
_RULES = {
    "takes": "takes is one of bytes, text, lines",
    "end": "end is the name of the method that is told the end of input, or none",
    "empty_chunk": "empty_chunk can only be end (an empty chunk means the end of input)",
    "size_limit": "size_limit is a number of bytes, 1 or more, beyond which the parser raises",
    "invalid_utf8": "invalid_utf8 can only be strict (ill-formed UTF-8 raises, by design)",
}
_EXAMPLES = {"takes": "lines", "end": "eof", "empty_chunk": "end", "size_limit": "65536", "invalid_utf8": "strict"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared of a target; None is not declared.

    ``takes``: what it is fed: "bytes", "text" (str, decoded by us) or "lines" (str, whole lines without their ends).
    ``end``: the method that is told the end of input, or "none" where there is none. ``empty_chunk``: "end" where the
    parser documents an empty chunk as the end of input. ``size_limit``: bytes of a line or an event beyond which the
    parser raises. ``invalid_utf8``: "strict" where ill-formed UTF-8 raises by design. ``deviations``: names of the
    catalogue, see `chunkproof_targets.deviations`.
    """

    takes: Takes | None = None
    end: str | None = None
    empty_chunk: Literal["end"] | None = None
    size_limit: int | None = None
    invalid_utf8: Literal["strict"] | None = None
    deviations: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, settings: Iterable[str]) -> Declared:
        """Read ``["takes=lines", "end=eof"]``; TargetError where a key or a value is none of ours."""
        found: dict[str, object] = {}
        for setting in settings:
            key, equals, value = (part.strip() for part in setting.partition("="))
            key = key.replace("-", "_")
            if key not in _KEYS or not equals:
                raise TargetError(
                    f"--chunkproof-declare {setting}: not a declaration. It is KEY=VALUE, with one of the keys "
                    f"{', '.join(_KEYS)}: for instance --chunkproof-declare takes=lines"
                )
            found[key] = _checked(key, int(value) if key == "size_limit" and _is_number(value) else value)
        return cls(**found)  # type: ignore[arg-type]

    def over(self, other: Declared) -> Declared:
        """These declarations, and where one is missing that of the other."""
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        return Declared(**{key: getattr(other, key) if value is None else value for key, value in mine.items()})


NOTHING_DECLARED = Declared()


def declare(
    *,
    takes: Takes | None = None,
    end: str | None = None,
    empty_chunk: Literal["end"] | None = None,
    size_limit: int | None = None,
    invalid_utf8: Literal["strict"] | None = None,
) -> Callable[[T], T]:
    """Decorate a function or class that is to be a target with what trial cannot find: see `Declared`."""
    declared = Declared(takes, end, empty_chunk, size_limit, invalid_utf8)
    for key in _KEYS:
        if getattr(declared, key) is not None:
            _checked(key, getattr(declared, key))

    def mark(target: T) -> T:
        setattr(target, _ATTRIBUTE, declared)
        return target

    return mark


def declared_on(target: object) -> Declared:
    """What `declare` left on a function or class."""
    found = getattr(target, _ATTRIBUTE, None)
    return found if isinstance(found, Declared) else Declared()


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < 20


def _checked(key: str, value: object) -> object:
    if key in _VALUES:
        good = value in _VALUES[key]
    elif key == "end":
        good = isinstance(value, str) and value.isidentifier()
    else:
        good = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not good:
        raise TargetError(f"{key}={value}: {_RULES[key]}: for instance {key}={_EXAMPLES[key]}")
    return value
