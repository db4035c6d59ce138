"""How an item that a target hands out becomes an `Event`.

`Snapshot` is what calibration keeps of an item, copied at once, as a parser may reuse one object. `View` is what
calibration learned; `View.converter` builds from it one specialised closure for the hot path, with a slow path behind
it for items that are not what calibration saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from operator import attrgetter, itemgetter
from typing import Any, Literal, NamedTuple

from .contract import DEFAULT_TYPE, Delivery, Event
from .texts import BYTES, as_text, canonical_json, same, short
from .times import Unit, digits_of

__all__ = [
    "Deliver",
    "ItemKind",
    "Snapshot",
    "Update",
    "View",
    "attributes",
    "kind_of",
    "snapshot",
]

ItemKind = Literal["attribute", "key", "position", "itself"]
Deliver = Callable[[Any, int], "Delivery | None"]

_SCALARS = (str, *BYTES, int, float, Decimal, timedelta)
_MISSING = object()
# Looked for even where `dir` does not list them: an object may make its attributes as they are asked for.
_HIDDEN = ("data", "type", "event", "id", "last_event_id", "lastEventId", "retry", "comment")
# Modules of bases that say nothing of what a class is for.
_COMMON = frozenset({"builtins", "abc", "typing", "collections", "collections.abc"})
_new: Any = tuple.__new__


class Snapshot(NamedTuple):
    """An item as it was when it came out: its class, how its fields are reached, and their values by name."""

    cls: type
    kind: ItemKind
    values: dict[Any, Any]
    text: str


def kind_of(item: object) -> ItemKind:
    """How the fields of an item are reached."""
    if isinstance(item, _SCALARS):
        return "itself"
    # On the class: an object that makes its attributes as they are asked for has any of them.
    if isinstance(item, Mapping) or (hasattr(type(item), "keys") and hasattr(type(item), "__getitem__")):
        return "key"
    if isinstance(item, (tuple, list)) and not hasattr(item, "_fields"):
        return "position"
    return "attribute"


def snapshot(item: object) -> Snapshot:
    """Copy an item: a dict's items, a tuple's positions, the public attributes of an object that are no methods.

    What is its data itself stands under "", beside the attributes that a class derived from `str` or `bytes` may add.
    """
    kind = kind_of(item)
    values: dict[Any, Any]
    if kind == "itself":
        derived = isinstance(item, (str, bytes, bytearray)) and type(item) not in (str, bytes, bytearray)
        values = {**(attributes(item) if derived else {}), "": item}
    elif kind == "key":
        values = dict(item)  # type: ignore[call-overload]
    elif kind == "position":
        values = dict(enumerate(item))  # type: ignore[arg-type]
    else:
        values = attributes(item)
    return Snapshot(type(item), kind, values, short(item))


def attributes(item: object) -> dict[str, Any]:
    """The public attributes of an object that are no methods; a list among them is copied."""
    values: dict[str, Any] = {}
    for name in dict.fromkeys((*dir(item), *_HIDDEN)):
        if name.startswith("_"):
            continue
        try:
            value = getattr(item, name)
        except Exception:  # a property that raises shows nothing
            continue
        if not callable(value):
            values[name] = list(value) if isinstance(value, list) else value
    return values


@dataclass(frozen=True)
class View:
    """Where type, data, id and retry stand on an item, as calibration found it; None is not shown.

    ``classes`` are the classes of the events seen, ``others`` those of items that were no events. Where events share
    their class with items that are none, ``tag`` is the field that tells them apart, and ``tag_value`` what it holds on
    an event. ``none_is_event`` is False where items without data came for comments and the like.
    """

    kind: ItemKind
    data: Any
    form: Literal["text", "json"]
    type: Any = None
    id: Any = None
    retry: Any = None
    unit: Unit = "ms"
    classes: frozenset[type] = frozenset()
    others: frozenset[type] = frozenset()
    tag: Any = None
    tag_value: Any = None
    none_is_event: bool = True
    retry_start: str | None = None

    def field(self, item: Any, name: Any) -> Any:
        """The value of a field on an item; None where there is none."""
        value = _reach(item, self.kind, name)
        return None if value is _MISSING else value

    def is_event(self, item: Any) -> bool:
        """Whether an item is an event: of a class that calibration saw as one, or of a new one that holds data."""
        cls = type(item)
        if kind_of(item) != self.kind or (cls in self.others and cls not in self.classes):
            return False
        if self.tag is not None and not same(self.field(item, self.tag), self.tag_value):
            return False
        data = _reach(item, self.kind, self.data)
        if data is _MISSING or not (cls in self.classes or self._is_kin(item, cls)):
            return False
        if data is not None:
            return self.kind != "itself" or isinstance(data, (str, *BYTES))
        # One class for all that a stream says: a comment or a reconnection time is no event there.
        known = self.none_is_event and issubclass(cls, tuple(self.classes))
        return known and all(_reach(item, self.kind, name) in (None, _MISSING) for name in ("comment", "retry"))

    def _is_kin(self, item: Any, cls: type) -> bool:
        """Whether an item of a class that calibration never saw may be an event: by a base, or by all its fields."""
        if self.kind == "itself":
            return True
        bases = {base for seen in self.classes for base in seen.__mro__ if base.__module__ not in _COMMON}
        shown = [name for name in (self.type, self.id) if name is not None]
        return not bases.isdisjoint(cls.__mro__) or all(_reach(item, self.kind, n) is not _MISSING for n in shown)

    def counts(self, item: Snapshot) -> bool:
        """Whether a copied item would be taken for an event."""
        if item.kind != self.kind or item.cls not in self.classes or self.data not in item.values:
            return False
        if self.tag is not None and not same(item.values.get(self.tag), self.tag_value):
            return False
        extra = [item.values.get(name) for name in ("comment", "retry")]
        return item.values[self.data] is not None or (self.none_is_event and extra == [None, None])

    def slow(self, item: Any, taken: int) -> Delivery | None:
        """Convert any item; None where it is no event."""
        if not self.is_event(item):
            return None
        data = self.field(item, self.data)
        text = as_text(data) if self.form == "text" else canonical_json(data)
        event = Event(
            None if self.type is None else (as_text(self.field(item, self.type)) or DEFAULT_TYPE),
            text,
            None if self.id is None else (as_text(self.field(item, self.id)) or ""),
        )
        retry = None if self.retry is None else digits_of(self.field(item, self.retry), self.unit)
        return Delivery(event, taken, None if retry == self.retry_start else retry)

    def converter(self) -> Deliver:
        """The closure that turns an item into a delivery, or into None where it is no event."""
        slow = self.slow
        if self.kind == "itself" and self.form == "text" and self.classes == {str}:
            return _text_converter(slow)
        if self.form == "json" or self.retry is not None or self.kind == "itself" or self.tag is not None:
            return slow
        read = self._reader()
        classes = self.classes
        default, empty = (None if self.type is None else DEFAULT_TYPE), (None if self.id is None else "")
        type_class, id_class = type(default), type(empty)

        def convert(item: Any, taken: int) -> Delivery | None:
            if item.__class__ in classes:
                try:
                    type_, data, id_ = read(item)
                except (AttributeError, KeyError, IndexError):
                    return slow(item, taken)
                type_ = type_ or default
                id_ = id_ or empty
                if data.__class__ is str and type_.__class__ is type_class and id_.__class__ is id_class:
                    return _new(Delivery, (_new(Event, (type_, data, id_)), taken, None))  # type: ignore[no-any-return]
            return slow(item, taken)

        return convert

    def _reader(self) -> Callable[[Any], tuple[Any, Any, Any]]:
        getter: Any = attrgetter if self.kind == "attribute" else itemgetter
        if self.type is not None and self.id is not None:
            return getter(self.type, self.data, self.id)  # type: ignore[no-any-return]
        data = getter(self.data)
        if self.type is not None:
            pair = getter(self.type, self.data)
            return lambda item: (*pair(item), None)
        if self.id is not None:
            pair = getter(self.data, self.id)
            return lambda item: (None, *pair(item))
        return lambda item: (None, data(item), None)


def _text_converter(slow: Deliver) -> Deliver:
    """Items that are the data themselves."""

    def convert(item: Any, taken: int) -> Delivery | None:
        if item.__class__ is str:
            return _new(Delivery, (_new(Event, (None, item, None)), taken, None))  # type: ignore[no-any-return]
        return slow(item, taken)

    return convert


def _reach(item: Any, kind: ItemKind, name: Any) -> Any:
    if kind == "itself" and name == "":
        return item
    if kind in ("attribute", "itself"):
        return getattr(item, name, _MISSING)
    try:
        return item[name]
    except (KeyError, IndexError):
        return _MISSING


@dataclass(frozen=True)
class Update:
    """Where an item that is no event shows a reconnection time."""

    cls: type
    kind: ItemKind
    name: Any
    unit: Unit
    tag: Any = None
    tag_value: Any = None

    def digits(self, item: Any) -> str | None:
        """The time that an item sets, as digits; None where it sets none."""
        if not isinstance(item, self.cls):
            return None
        if self.tag is not None and not same(_reach(item, self.kind, self.tag), self.tag_value):
            return None
        value = _reach(item, self.kind, self.name)
        return None if value is _MISSING else digits_of(value, self.unit)
