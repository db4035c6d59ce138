"""The one grammar of streams, over a choice source.

`Draft` writes a stream and keeps what it means as it is written: an event is known because the grammar meant it, not
because somebody parsed it. That is ground truth by construction, and the oracle is held to it. `write_stream` is the
whole grammar; the rules write around one point each with the same methods.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass

from chunkproof_targets.contract import DEFAULT_TYPE, Event, Outcome, normal_retry

from .source import Source
from .values import (
    ILL_FORMED,
    MARK,
    NEAR_NAMES,
    PAYLOADS,
    RETRIES,
    SEPARATORS,
    TEXTS,
    TRAPS,
    WORDS,
    WRONG_RETRIES,
    ZWJ_SEQUENCES,
    Raw,
)

__all__ = ["CR", "CRLF", "FEATURES", "LF", "Draft", "Stream", "Value", "write_stream"]

LF, CR, CRLF = b"\n", b"\r", b"\r\n"

_PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789"

#: A value on the wire: text, or bytes with the text they stand for.
Value = str | Raw


@dataclass(frozen=True, slots=True)
class Stream:
    """A wire with the outcome that the grammar meant by it.

    ``before`` holds wires that are run first, each on its own, for rules about what one run leaves to the next.
    """

    wire: bytes
    outcome: Outcome
    before: tuple[bytes, ...] = ()


class Draft:
    """A stream being written, line by line.

    ``ends`` are the line ends it may use. With ``json_only`` each data value is written as a JSON string, for targets
    that decode data as JSON and take nothing else.
    """

    def __init__(self, source: Source, *, json_only: bool = False) -> None:
        self.source = source
        self.ends: tuple[bytes, ...] = (LF,)
        self.before: list[bytes] = []
        self._json_only = json_only
        self._wire = bytearray()
        self._after_cr = False
        self._data: list[str] = []
        self._type = ""
        self._id = ""
        self._block_retry: str | None = None
        self._events: list[Event] = []
        self._last_event_id = ""
        self._retries: list[str] = []
        self._event_retries: list[tuple[str | None, str | None]] = []

    @property
    def at_start(self) -> bool:
        """Whether nothing has been written yet."""
        return not self._wire

    @property
    def size(self) -> int:
        """How many bytes have been written."""
        return len(self._wire)

    # values ------------------------------------------------------------------------------------------------------

    def word(self) -> str:
        """A short plain word: one of a few, or up to four letters and digits."""
        source = self.source
        if source.below(2):
            return self._shown(source.pick(WORDS))
        return self._shown("".join([source.pick(_PLAIN) for _ in range(1 + source.below(4))]))

    def text(self) -> str:
        """A text of any kind: words, other scripts, emoji, any characters."""
        source = self.source
        kind = source.below(8)
        if kind < 3:
            return self._shown(source.pick(TEXTS))
        if kind < 5:
            return self._shown(source.any_text())
        if kind == 5:
            return self._shown(source.pick(ZWJ_SEQUENCES))
        return self._shown(source.pick(WORDS) + source.pick(TEXTS))

    def value(self, text: str) -> str:
        """The given text, as this draft may send it (a JSON string under ``json_only``)."""
        return self._shown(text)

    def _shown(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False) if self._json_only else text

    # lines -------------------------------------------------------------------------------------------------------

    def line(self, content: bytes) -> None:
        """A line that is not blank, with one of the ends; it means nothing (the meaning is the caller's)."""
        end = self.ends[0] if len(self.ends) == 1 else self.source.pick(self.ends)
        self._wire += content
        self._wire += end
        self._after_cr = end == CR

    def blank(self, end: bytes | None = None) -> None:
        """A blank line: an event, if there is data."""
        if end is None:
            end = self.ends[0] if len(self.ends) == 1 else self.source.pick(self.ends)
        if self._after_cr and end == LF:
            # CR and then LF would be the one end of the line before, and no blank line.
            end = CR
        self._wire += end
        self._after_cr = end == CR
        self._last_event_id = self._id
        if self._data:
            self._events.append(Event(self._type or DEFAULT_TYPE, "\n".join(self._data), self._last_event_id))
            self._event_retries.append((self._block_retry, self._retries[-1] if self._retries else None))
            self._data = []
        self._type = ""
        self._block_retry = None

    def ignored(self, content: str | bytes) -> None:
        """A line that means nothing: a comment, an unknown field, a value that is not valid."""
        self.line(content if isinstance(content, bytes) else content.encode())

    def comment(self, text: Value = "") -> None:
        """A line that starts with a colon."""
        self.line(b":" + _wire_of(text))

    def mark(self) -> None:
        """A byte order mark at the start of the wire."""
        assert not self._wire, "a mark that is not at the start is text"
        self._wire += MARK

    def unfinished(self, content: bytes) -> None:
        """The end of the wire: a line without its end, or a byte order mark cut short. Nothing may follow."""
        self._wire += content

    def raw(self, wire: bytes) -> None:
        """Bytes whose meaning the draft does not follow: for rules whose expectation is the oracle's alone."""
        self._wire += wire

    # fields ------------------------------------------------------------------------------------------------------

    def data(self, value: Value, colon: bytes = b": ") -> None:
        """A data line."""
        self.line(b"data" + colon + _wire_of(value))
        self._data.append(_text_of(value, colon))

    def event(self, value: Value, colon: bytes = b": ") -> None:
        """An event type."""
        self.line(b"event" + colon + _wire_of(value))
        self._type = _text_of(value, colon)

    def id(self, value: Value, colon: bytes = b": ") -> None:
        """A valid event ID: no U+0000 in it."""
        self.line(b"id" + colon + _wire_of(value))
        self._id = _text_of(value, colon)

    def retry(self, digits: str, colon: bytes = b": ") -> None:
        """A valid reconnection time: ASCII digits."""
        self.line(b"retry" + colon + digits.encode())
        self._block_retry = normal_retry(digits)
        self._retries.append(self._block_retry)

    def bare(self, name: str) -> None:
        """A field's name with no colon: an empty value."""
        self.line(name.encode())
        if name == "data":
            self._data.append("")
        elif name == "event":
            self._type = ""
        elif name == "id":
            self._id = ""

    def either(self, *writes: Callable[[], None]) -> None:
        """Write one of these."""
        self.source.pick(writes)()

    # events ------------------------------------------------------------------------------------------------------

    def plain_event(self) -> None:
        """One event of one plain word."""
        self.data(self.word())
        self.blank()

    def message(self, value: Value, colon: bytes = b": ") -> None:
        """One event with this data."""
        self.data(value, colon)
        self.blank()

    def next_run(self) -> None:
        """What was written so far is run first, on its own; what follows is the stream that is judged."""
        before = [*self.before, bytes(self._wire)]
        self.__init__(self.source, json_only=self._json_only)  # type: ignore[misc]
        self.before = before

    def finish(self) -> Stream:
        """The stream, with what it means."""
        outcome = Outcome(tuple(self._events), self._last_event_id, tuple(self._retries), tuple(self._event_retries))
        return Stream(bytes(self._wire), outcome, tuple(self.before))


def _wire_of(value: Value) -> bytes:
    return value.encode() if isinstance(value, str) else value.wire


def _text_of(value: Value, colon: bytes) -> str:
    text = value if isinstance(value, str) else value.text
    if colon == b": ":
        return text
    # Of all that stands behind the colon, one space is no part of the value.
    return (colon[1:].decode() + text).removeprefix(" ")


# The whole grammar -----------------------------------------------------------------------------------------------

# Of the lines that may hold a text that the driver knows, one in so many does; of the data lines fewer.
_CONSTANT, _CONSTANT_DATA = 3, 6
_COLONS = {"no-space": b":", "more-spaces": b":  ", "tabs": b":\t"}


def _constant(draft: Draft) -> str | None:
    return draft.source.constant(_CONSTANT)


def _constant_line(draft: Draft) -> bool:
    """A line that the driver's own texts make: such a text, or a field of that name; false where there is none.

    It means what the standard makes of it: a text may be a comment, or a field with its value.
    """
    text = _constant(draft)
    if text is None or (draft.at_start and text.startswith("\ufeff")):
        return False
    if draft.source.below(2):
        text = f"{text}: {draft.word()}"
    name, colon, rest = text.partition(":")
    if not name:
        draft.comment(rest)
        return True
    value = rest.removeprefix(" ")
    between = colon.encode() + b" " * (len(rest) - len(value))
    if name in ("data", "event") or (name == "id" and "\0" not in value):
        if not colon:
            value, between = "", b":"
        shown = draft.value(value) if name == "data" else value
        {"data": draft.data, "event": draft.event, "id": draft.id}[name](shown, between)
    elif name != "retry":
        draft.ignored(text)
    elif value.isascii() and value.isdigit():
        draft.retry(value, between)
    elif value:  # the empty value is left open
        draft.ignored(text)
    return True


def _comment(draft: Draft) -> None:
    draft.comment(draft.source.pick(("", " ", " ping", ": x", "data: x", " 心跳", "\t", "\ufeff")))


def _unknown_field(draft: Draft) -> None:
    if _constant_line(draft):
        return
    draft.ignored(
        draft.source.pick(("x: 1", "foo", "comment: a", "datetime: 5", "x:", "_: _", "数: 1", "retry-after: 5"))
    )


def _near_name(draft: Draft) -> None:
    name = draft.source.pick(NEAR_NAMES)
    if draft.at_start and name.startswith("\ufeff"):
        name = "x"  # at the very start it would be the mark, and then a field
    draft.ignored(f"{name}: {draft.word()}")


def _no_colon(draft: Draft) -> None:
    # `retry` alone has the empty value, which the standard leaves open: a rule of its own looks at it.
    draft.bare(draft.source.pick(("data", "event", "id")))


def _empty_value(draft: Draft) -> None:
    colon = draft.source.pick((b":", b": "))
    draft.source.pick((draft.data, draft.event))("", colon)


def _id(draft: Draft) -> None:
    known = _constant(draft)
    draft.id(known if known and "\0" not in known else draft.source.pick(("1", "2", "id-9", "a b", "é", "0", " 7")))


def _id_reset(draft: Draft) -> None:
    draft.either(lambda: draft.bare("id"), lambda: draft.id("", b":"))


def _id_nul(draft: Draft) -> None:
    draft.ignored(draft.source.pick(("id: \0", "id: a\0b", "id:\0x", "id: 5\0")))


def _retry(draft: Draft) -> None:
    draft.retry(draft.source.pick(RETRIES))


def _retry_wrong(draft: Draft) -> None:
    # Always with a space behind the colon, so that a wrong value which starts with a space keeps it.
    draft.ignored(f"retry: {draft.source.pick(WRONG_RETRIES)}")


def _type(draft: Draft) -> None:
    draft.event(
        _constant(draft) or draft.source.pick(("ping", "message_start", "a", "error", "Message", "类型", "a b ", "a:b"))
    )


def _separator(draft: Draft) -> None:
    source = draft.source
    draft.data(draft.value(f"{source.pick(WORDS)}{source.pick(SEPARATORS)}{source.pick(WORDS)}"))


def _payload(draft: Draft) -> None:
    draft.data(draft.source.pick(PAYLOADS))


def _ill_formed(draft: Draft) -> None:
    source = draft.source
    raw = source.pick(ILL_FORMED)
    before, behind = source.pick(("", "a", "你")), source.pick(("", "b", "你"))
    draft.data(Raw(before.encode() + raw.wire + behind.encode(), before + raw.text + behind))


def _nul(draft: Draft) -> None:
    draft.source.pick((draft.data, draft.event))(draft.value(draft.source.pick(("\0", "a\0b", "\0a"))))


def _text(draft: Draft) -> None:
    draft.data(draft.text())


def _trap(draft: Draft) -> None:
    draft.data(draft.value(draft.source.pick(TRAPS)), draft.source.pick((b": ", b": ", b":")))


#: Lines that may stand in any block, each under the feature that allows it.
_LINES: dict[str, Callable[[Draft], None]] = {
    "comments": _comment,
    "unknown-fields": _unknown_field,
    "near-names": _near_name,
    "no-colon": _no_colon,
    "empty-values": _empty_value,
    "ids": _id,
    "id-resets": _id_reset,
    "id-nul": _id_nul,
    "retry": _retry,
    "retry-wrong": _retry_wrong,
    "types": _type,
    "separators": _separator,
    "payloads": _payload,
    "ill-formed": _ill_formed,
    "nul": _nul,
    "text": _text,
    "traps": _trap,
}
_ENDS = {"cr": CR, "crlf": CRLF}

#: Every feature of the grammar, by name.
FEATURES = frozenset(
    {*_LINES, *_COLONS, *_ENDS, "multi-line", "empty-data-lines", "blank-lines", "mark", "unfinished", "no-data"}
)

# Lines that a payload-only or byte-level target could not read as JSON stay out of drafts with `json_only`.
_NOT_JSON = frozenset({"no-colon", "empty-values", "ill-formed", "nul", "traps", "multi-line", "empty-data-lines"})


@dataclass(frozen=True, slots=True)
class _Grammar:
    """What a set of features allows, worked out once for all its streams."""

    lines: tuple[Callable[[Draft], None], ...]
    colons: tuple[bytes, ...]
    ends: tuple[tuple[bytes, ...], ...]
    features: frozenset[str]

    @classmethod
    def of(cls, features: frozenset[str]) -> _Grammar:
        ends = (LF, *(end for name, end in _ENDS.items() if name in features))
        mixtures = tuple((end,) for end in ends) + ((ends,) if len(ends) > 1 else ())
        return cls(
            lines=tuple(write for name, write in _LINES.items() if name in features),
            colons=(b": ", b": ", *(colon for name, colon in _COLONS.items() if name in features)),
            ends=mixtures,
            features=features,
        )


_GRAMMARS: dict[tuple[frozenset[str], bool], _Grammar] = {}


def _grammar(features: frozenset[str] | None, json_only: bool) -> _Grammar:
    chosen = FEATURES if features is None else features
    grammar = _GRAMMARS.get((chosen, json_only))
    if grammar is None:
        grammar = _GRAMMARS[chosen, json_only] = _Grammar.of(chosen - _NOT_JSON if json_only else chosen)
    return grammar


def check_features(features: Collection[str] | None) -> frozenset[str] | None:
    """The features as a set; ValueError names the one that is unknown and lists those there are."""
    if features is None:
        return None
    if unknown := sorted(set(features) - FEATURES):
        raise ValueError(
            f"features={unknown[0]!r} is no feature of the grammar; take some of: {', '.join(sorted(FEATURES))}"
        )
    return frozenset(features)


def write_stream(source: Source, *, features: frozenset[str] | None = None, json_only: bool = False) -> Stream:
    """One stream of the grammar: one to three blocks most of the time, about 50 bytes."""
    draft = Draft(source, json_only=json_only)
    write_blocks(draft, _grammar(features, json_only))
    return draft.finish()


def write_blocks(draft: Draft, grammar: _Grammar | None = None) -> None:
    """The blocks of a stream, into a draft that may hold something already."""
    source = draft.source
    grammar = grammar or _grammar(None, draft._json_only)
    features = grammar.features
    draft.ends = source.pick(grammar.ends)
    if "mark" in features and draft.at_start and source.chance(8):
        draft.mark()
    for _ in range(1 + source.below(3)):
        _write_block(draft, grammar)
        draft.blank()
        if "blank-lines" in features and source.chance(8):
            draft.blank()
    if "unfinished" in features and source.chance(4):
        _write_unfinished(draft, grammar)


def _write_block(draft: Draft, grammar: _Grammar) -> None:
    source, lines = draft.source, grammar.lines
    if not lines and "no-data" in grammar.features and source.chance(6):
        _type(draft)  # no feature allows a line that is not data: one that makes no event by itself
        return
    before = source.below(3) if lines else 0
    for _ in range(before):
        source.pick(lines)(draft)
    if not (before and "no-data" in grammar.features and source.chance(6)):
        _write_data(draft, grammar)
    if lines and source.chance(3):
        source.pick(lines)(draft)


def _write_data(draft: Draft, grammar: _Grammar) -> None:
    source, features = draft.source, grammar.features
    colon = source.pick(grammar.colons)
    payload = "payloads" in features and source.chance(10)
    known = source.constant(_CONSTANT_DATA)
    if known is not None:
        draft.data(draft.value(known), colon)
    else:
        draft.data(source.pick(PAYLOADS) if payload else draft.word(), colon)
    if "multi-line" in features and source.chance(5):
        draft.data(draft.word())
    if "empty-data-lines" in features and source.chance(10):
        draft.data("", source.pick((b":", b": ")))


def _write_unfinished(draft: Draft, grammar: _Grammar) -> None:
    source = draft.source
    if source.chance(2):
        # Whole lines, but no blank line behind them. A CR here may not be followed by anything.
        draft.data(draft.word())
        return
    if grammar.lines and source.chance(2):
        source.pick(grammar.lines)(draft)
    draft.unfinished(
        source.pick((b"data: lost", b"data", b"d", b"id: 9", b": x", b"retry: 9", "data: 你".encode()[:-1]))
    )
