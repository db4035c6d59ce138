"""The code of a parser: its functions, and the texts in it, since a value that it compares with nobody draws by chance.

Theory of operation: the walk starts at the parser and goes breadth-first to what its code names: globals, attributes of
modules, what a class holds, what a function closes over. It stays in the packages that are near: the parser's own and,
for an adapter of ours, those of the library behind it. Methods that the parser inherits from another package are its
code too. What stands next to the parser comes first, so that the bounds cut off what is far. Nothing of the parser is
run: classes are told by `type`, since ``__class__`` may be a property.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import _lru_cache_wrapper, cached_property, partial, partialmethod
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

__all__ = ["Code", "all_code", "code_of", "constants_of", "functions_of"]

# A longer text is a message or a document; more of them is a library and no parser.
_TEXT_MAX = 40
_TEXTS_MAX = 300
_OBJECTS_MAX = 2_000
# A larger list is a table of something else.
_ELEMENTS_MAX = 200
_LISTS = (tuple, list, set, frozenset, dict)
_PLAIN: Any = str | bytes | tuple | list | set | frozenset | dict


class Code(NamedTuple):
    """What is reached from a parser: its functions, nearest first, and the texts in them, sorted."""

    functions: tuple[FunctionType, ...] = ()
    constants: tuple[str, ...] = ()


def code_of(obj: object, packages: Sequence[str] = ()) -> Code:
    """`functions_of` and `constants_of` in one walk."""
    walk = _Walk(obj, packages)
    texts: dict[str, None] = {}
    for one in walk.reached():
        if len(texts) < _TEXTS_MAX:
            # Sorted, for a set has another order in each process.
            texts |= dict.fromkeys(sorted({text for value in _in_object(one) if (text := _text(value)) is not None}))
    return Code(tuple(walk.functions), tuple(sorted(list(texts)[:_TEXTS_MAX])))


def functions_of(obj: object, packages: Sequence[str] = ()) -> Iterator[FunctionType]:
    """The functions and methods that are reached from a parser (a class, a function, an instance), nearest first.

    ``packages`` are top-level names of packages that count as the parser's own, as those of a library behind an adapter
    do; of a module there that the adapter names something of, all is taken. Each function comes once. Functions that a
    function makes as it runs are in its code: `all_code`. Nothing of the parser is run.
    """
    return (one for one in _Walk(obj, packages).reached() if _is(one, FunctionType))


def constants_of(obj: object, packages: Sequence[str] = ()) -> tuple[str, ...]:
    """The short texts in the code of a parser, without line ends; sorted. The arguments are those of `functions_of`.

    Bytes count as the text that they are in UTF-8.
    """
    return code_of(obj, packages).constants


def all_code(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions, generators and comprehensions in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from all_code(const)


def _in_object(one: Any) -> Iterator[object]:
    if not _is(one, FunctionType):
        yield from _in_value(one)
        return
    for inner in all_code(one.__code__):
        for const in inner.co_consts:
            if const is not one.__doc__:
                yield from _in_value(const)


def _in_value(value: object) -> Iterator[object]:
    yield value
    yield from _elements(value)


def _text(value: Any) -> str | None:
    if _is(value, bytes):
        value = bytes.decode(value, "utf-8", "surrogateescape")
    if not _is(value, str):
        return None
    value = str.__str__(value)  # of a class derived from it, the text alone
    if not 0 < len(value) <= _TEXT_MAX or "\n" in value or "\r" in value:
        return None
    return None if any("\ud800" <= character <= "\udfff" for character in value) else value


class _Walk:
    """From one object to the next, each once: functions, classes, modules, and the plain values that they name."""

    def __init__(self, obj: object, packages: Sequence[str]) -> None:
        self.functions: list[FunctionType] = []
        starts = [one if _is(one, type | FunctionType) else type(one) for one in _inside(obj)]
        self._left: deque[Any] = deque(starts)
        self._library = frozenset(packages)
        self._near = self._library | {_package(one) for one in starts[-1:]}
        self._left += (value for one in starts[-1:] for value in self._inherited(one))

    def _inherited(self, one: object) -> Iterator[object]:
        """The methods that a parser has from a class of another package; nothing else there is its code."""
        for cls in one.__mro__ if isinstance(one, type) else ():
            if not self._is_near(cls) and _package(cls) not in sys.stdlib_module_names:
                yield from (part for value in vars(cls).values() for part in _inside(value) if _is(part, FunctionType))

    def reached(self) -> Iterator[Any]:
        """All of them, nearest first."""
        # The objects themselves are kept: the id of one that is gone would be given to another.
        seen: dict[int, object] = {}
        while self._left and len(seen) < _OBJECTS_MAX:
            one = self._left.popleft()
            if id(one) in seen:
                continue
            seen[id(one)] = one
            if _is(one, FunctionType):
                self.functions.append(one)
            yield one
            self._left += self._kept(self._beside(one))

    def _beside(self, one: Any) -> Iterator[object]:
        if _is(one, FunctionType):
            yield from self._named(one)
            yield from _held(one)
        elif _is(one, type):
            yield from (value for cls in one.__mro__ if self._is_near(cls) for value in self._members(cls))
        elif _is(one, ModuleType):
            own = (value for value in vars(one).values() if _is(value, type | FunctionType))
            yield from (value for value in own if value.__module__ == one.__name__)
        elif not _is(one, set | frozenset):  # which has no order
            yield from (element for element in _elements(one) if not _is(element, _PLAIN))

    def _kept(self, values: Iterable[object]) -> Iterator[object]:
        """Of these, what is near and what is a plain value; of an instance, its class."""
        for value in (part for one in values for part in _inside(one)):
            if _is(value, _PLAIN):
                yield value
            elif _is(value, ModuleType):
                # Of a module of the library all is taken, but only where an adapter names it.
                if _package(value) in self._library:
                    yield value
            else:
                one = value if _is(value, type | FunctionType) else type(value)
                if self._is_near(one):
                    yield one

    def _is_near(self, one: object) -> bool:
        return _package(one) in self._near

    def _members(self, cls: type) -> Iterator[object]:
        """What stands in a class. What Python has put there, as it does for a named tuple, is nobody's choice."""
        for name, value in vars(cls).items():
            is_code = any(_is(part, FunctionType) for part in _inside(value))
            if is_code or not name.startswith("__"):
                yield value

    def _named(self, function: FunctionType) -> Iterator[object]:
        """What a function names of its own module, and of the modules that it names there."""
        names = dict.fromkeys(name for inner in all_code(function.__code__) for name in inner.co_names)
        places, modules = [function.__globals__], list[ModuleType]()
        values = list[Any]()
        for place in places:
            for value in (place[name] for name in names if name in place):
                if not _is(value, ModuleType):
                    values.append(value)
                elif self._is_near(value) and value not in modules:
                    modules.append(value)
                    places.append(vars(value))
        yield from values
        if _package(function) not in self._library:
            yield from modules
            yield from (sys.modules.get(value.__module__) for value in values if _is(value, type | FunctionType))


def _is(value: object, kind: Any) -> bool:
    return issubclass(type(value), kind)


def _package(one: Any) -> str:
    name = one.__name__ if _is(one, ModuleType) else getattr(one, "__module__", "")
    return str(name).partition(".")[0]


def _inside(value: Any) -> Iterator[object]:
    """What is called in the end where a value is called, or looked up in a class: functions without their wrapping."""
    parts: tuple[object, ...] = ()
    if _is(value, property):
        parts = value.fget, value.fset, value.fdel
    elif _is(value, MethodType):
        parts = value.__func__, value.__self__
    elif _is(value, staticmethod | classmethod):
        parts = (value.__func__,)
    elif _is(value, cached_property | partial | partialmethod):
        parts = (value.func,)
    elif _is(value, _lru_cache_wrapper):
        parts = (value.__wrapped__,)
    else:
        yield value
    for part in parts:
        yield from _inside(part)


def _held(function: FunctionType) -> Iterator[object]:
    """The defaults of a function, and what it closes over, as a decorated one does over what stands under that."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # it is empty
            yield cell.cell_contents


def _elements(one: Any) -> list[object]:
    """What stands in a list, and in the keys and values of a dict; not by methods of a class derived from it."""
    kind: Any = next((kind for kind in _LISTS if _is(one, kind)), None)
    if kind is None or kind.__len__(one) > _ELEMENTS_MAX:
        return []
    return [*kind.__iter__(one), *(dict.values(one) if kind is dict else ())]
