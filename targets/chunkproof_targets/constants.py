"""The texts that stand in a parser's own code: a value that it compares with is one that nobody draws by chance."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

__all__ = ["constants_of"]

# A longer text is a message or a document; more of them is a library and no parser.
_TEXT_MAX = 40
_TEXTS_MAX = 300
_OBJECTS_MAX = 2_000
_PLAIN: Any = str | bytes | tuple | list | set | frozenset | dict


def constants_of(obj: object) -> tuple[str, ...]:
    """The short texts in the code of a parser (a class, a function, an instance), without line ends; sorted.

    Code is followed to what it names in its own package. Bytes count as the text that they are in UTF-8. Nothing of the
    parser is run.
    """
    texts = {text for value in _Code(obj).constants() if (text := _text(value)) is not None}
    return tuple(sorted(texts)[:_TEXTS_MAX])


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if not isinstance(value, str) or not 0 < len(value) <= _TEXT_MAX or "\n" in value or "\r" in value:
        return None
    return None if any("\ud800" <= character <= "\udfff" for character in value) else value


class _Code:
    """The code that is reached from an object, and the constants in it."""

    def __init__(self, obj: object) -> None:
        starts = [obj.__func__, type(obj.__self__)] if inspect.ismethod(obj) else [obj]
        self.left: list[object] = [
            one if inspect.isclass(one) or isinstance(one, FunctionType) else type(one) for one in starts
        ]
        self.package = _package(self.left[-1])

    def constants(self) -> Iterator[object]:
        """All of them, as they stand there."""
        seen: set[int] = set()
        while self.left and len(seen) < _OBJECTS_MAX:
            one = self.left.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if isinstance(one, FunctionType):
                yield from _in_code(one.__code__, one.__doc__)
                self.left += self._named(one.__code__, one.__globals__)
            elif isinstance(one, type):
                self.left += [value for cls in one.__mro__ if self._is_near(cls) for value in self._members(cls)]
            else:
                yield from _in_value(one)

    def _is_near(self, one: object) -> bool:
        return _package(one) == self.package

    def _members(self, cls: type) -> Iterator[object]:
        """The functions of a class, and the values that stand in it."""
        for name, value in vars(cls).items():
            parts = (value.fget, value.fset) if isinstance(value, property) else (getattr(value, "__func__", value),)
            for part in parts:
                # What Python has put there, as it does for a named tuple, is nobody's choice.
                is_own = self._is_near(part) if isinstance(part, FunctionType) else not name.startswith("__")
                if is_own and isinstance(part, FunctionType | _PLAIN):
                    yield part

    def _named(self, code: CodeType, globals_: dict[str, Any]) -> Iterator[object]:
        """What code names of its module: functions and classes of its package, and plain values."""
        for name in (name for inner in _all_code(code) for name in inner.co_names):
            value = globals_.get(name)
            is_own = self._is_near(value) if isinstance(value, FunctionType | type) else isinstance(value, _PLAIN)
            if is_own:
                yield value


def _package(one: Any) -> str:
    return str(getattr(one, "__module__", "")).partition(".")[0]


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _all_code(const)


def _in_code(code: CodeType, doc: str | None) -> Iterator[object]:
    for inner in _all_code(code):
        for const in inner.co_consts:
            if const is not doc:
                yield from _in_value(const)


def _in_value(value: object) -> Iterator[object]:
    if isinstance(value, str | bytes):
        yield value
    elif isinstance(value, tuple | list | set | frozenset | dict):
        yield from (member for member in value if isinstance(member, str | bytes))
