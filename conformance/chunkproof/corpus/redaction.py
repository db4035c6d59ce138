"""Streams without their text: of the same bytes in length and the same structure, so that a fault still shows.

Every character is replaced by the one that stands for its class, so what is left is a function of classes alone: no
pattern of the text survives, as it would in a cipher. Field names, line ends, the byte order mark, the structure of
JSON, ill-formed sequences and ``[DONE]`` stay. Names in JSON objects are told apart where their number of characters
allows it, and stay equal where they were equal: a parser may keep one of two that are the same.

Where the failure goes away with the text, `redact_case` looks for the fewest characters that must stay.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from chunkproof_reports.visible import count_of

from ..question import Question
from .characters import SERIES, STAND_INS, replacement

__all__ = ["Redacted", "RedactionError", "redact", "redact_case"]

_NAMES = ("data", "event", "id", "retry")
_MARK = "\ufeff"
_DONE = "[DONE]"
#: Words of the standard itself: a stream of these alone is nobody's text.
_PUBLIC = frozenset((*_NAMES, "message", "error", "open"))
#: What half of a surrogate pair becomes that stands alone in an escape of JSON, by its upper bits.
_HALVES = {0xD800 >> 10: "\ud83d", 0xDC00 >> 10: "\ude42"}

_LINE_END = re.compile("(\r\n|\r|\n)")
_STRING = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")', re.DOTALL)
_NAMES_A_VALUE = re.compile(r"\s*:")
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"({_PAIR}|\\u[0-9a-fA-F]{{4}}|\\.)", re.DOTALL)
_CAPITALS = re.compile(r"\\u[0-9a-fA-F]{0,3}[A-F]")
_LEADING_ZEROS = re.compile("0*")
_ASCII_DIGITS = re.compile("[0-9]+")
_ILL_FORMED = re.compile("[\udc80-\udcff]+")
_PUNCTUATION = re.compile(r"[!-/;-@\[-`{-~]")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+|[^\s]")

# Runs of the target that the search for what must stay may take, and words that are told.
_TRIES_MAX = 600
_WORDS_MAX = 12
_WORD_MAX = 40


class RedactionError(ValueError):
    """What cannot be redacted; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A wire without its text, and what was kept of it, in short sentences."""

    wire: bytes
    kept: tuple[str, ...]


class Span(NamedTuple):
    """Characters of one of several texts, from ``start`` to before ``stop``."""

    text: int
    start: int
    stop: int


def redact(wire: bytes, *, keep: Sequence[str] = ()) -> Redacted:
    """The wire with every character of its content replaced by another of its class; ``keep`` are words that stay.

    >>> redact(b'data: {"text":"Hi 7"}').wire
    b'data: {"zzzz":"Zz 1"}'
    """
    redactor = _Redactor(_words(keep))
    (text,) = redactor.redact([_decoded(wire)])
    return Redacted(_encoded(text), redactor.kept())


def redact_case(
    question: Question, fails: Callable[[Question], bool], *, keep: Sequence[str] = ()
) -> tuple[Question, tuple[str, ...]]:
    """The question without its text, which still ``fails``, and what was kept of it.

    Where it does not fail so, as little more as it takes is kept. RedactionError where the question does not fail as it
    is, or where only all of its text does.
    """
    if not fails(question):
        raise RedactionError("the stream does not fail as it is, so it cannot be seen whether it does without its text")
    return _Case(question, fails, _words(keep)).redacted()


def _words(keep: Sequence[str]) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(keep))
    if "" in words:
        raise RedactionError("keep: '' is no word; name the characters that may stay as they are")
    return words


def _decoded(wire: bytes) -> str:
    # An ill-formed byte becomes half of a surrogate pair, which no well-formed wire holds.
    return wire.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# one text after another ----------------------------------------------------------------------------------------------


class _Table(dict[int, str]):
    """What stands for each character, worked out once."""

    def __missing__(self, code: int) -> str:
        stands = self[code] = replacement(chr(code))
        return stands


_TABLE = _Table()
_RETRY_DIGITS = str.maketrans("0123456789", "9" * 10)
_NUMBER_DIGITS = str.maketrans("0123456789", "1" * 10)


@dataclass(slots=True)
class _Redactor:
    """Redacts texts that belong together.

    With ``apart``, event types and IDs that differ still differ, where their number of characters allows it.
    """

    words: tuple[str, ...] = ()
    apart: bool = False
    names: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    _numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    # Whether escapes are written with capitals, as it seems from all of them: one alone may hold none.
    _capitals: bool = False

    def redact(self, texts: Sequence[str]) -> list[str]:
        """All of them redacted; names that are equal in two of them stay so."""
        return [self._redacted(text) for text in texts]

    def kept(self) -> tuple[str, ...]:
        """What was kept, in short sentences."""
        counts, said = self.counts, []
        if self.names:
            said.append(f"field names: {', '.join(name for name in _NAMES if name in self.names)}")
        ends = [f"{counts[name]:,} {name}" for name in ("LF", "CRLF", "CR") if counts[name]]
        said += [f"line ends: {', '.join(ends)}"] if ends else []
        said += ["the byte order mark"] if counts["mark"] else []
        said += [f"JSON structure in {count_of(counts['JSON'], 'value')}"] if counts["JSON"] else []
        said += [f"{count_of(counts['ill-formed'], 'ill-formed sequence')}"] if counts["ill-formed"] else []
        said += ["punctuation"] if counts["punctuation"] else []
        said += [f"the word {shown_word(word)} ({times:,})" for word, times in self.found.items()]
        return tuple(said)

    def _redacted(self, text: str) -> str:
        start = len(_MARK) if text.startswith(_MARK) else 0
        self.counts["mark"] += start
        self.counts["punctuation"] += _PUNCTUATION.search(text) is not None
        for run in _ILL_FORMED.findall(text):
            self.counts["ill-formed"] += len(_encoded(run).decode("utf-8", "replace"))
        self._capitals = _CAPITALS.search(text) is not None
        pieces = [text[:start]]
        data: list[tuple[int, str]] = []
        for at, part in enumerate(_LINE_END.split(text[start:])):
            if at % 2:
                pieces.append(part)
                self.counts[{"\n": "LF", "\r": "CR"}.get(part, "CRLF")] += 1
            elif part:
                self._line(part, pieces, data)
            else:
                self._join(pieces, data)
        self._join(pieces, data)
        return _overlaid(text, "".join(pieces), self._spans(text))

    def _line(self, line: str, pieces: list[str], data: list[tuple[int, str]]) -> None:
        name, colon, value = line.partition(":")
        if name not in _NAMES:
            pieces.append(line.translate(_TABLE))
            return
        self.names[name] += 1
        blank = value[:1] if value.startswith(" ") else ""
        value = value[len(blank) :]
        pieces.append(name + colon + blank)
        if name == "data":
            # What it is shows with the other lines of its block.
            data.append((len(pieces), value))
            pieces.append("")
        elif name == "retry":
            pieces.append(_retry(value))
        else:
            plain = value.translate(_TABLE)
            pieces.append(self._told_apart(name, value, plain) if self.apart else plain)

    def _join(self, pieces: list[str], data: list[tuple[int, str]]) -> None:
        """Redact the data lines of one block: as one JSON text, or else each by itself."""
        whole = "\n".join(value for _, value in data)
        if len(data) > 1 and _is_json(whole):
            values = self._json(whole).split("\n")
        else:
            values = [self._json(value) if _is_json(value) else value.translate(_TABLE) for _, value in data]
        for (at, _), value in zip(data, values, strict=True):
            pieces[at] = value
        data.clear()

    def _json(self, text: str) -> str:
        parts = _STRING.split(text)
        # Literals are no text of anybody's.
        self.counts["JSON"] += 1
        for at, part in enumerate(parts):
            if not at % 2:
                parts[at] = part.translate(_NUMBER_DIGITS)
            elif _NAMES_A_VALUE.match(parts[at + 1]):
                parts[at] = self._told_apart("name", part, self._string(part))
            else:
                parts[at] = self._string(part)
        return "".join(parts)

    def _string(self, literal: str) -> str:
        """A string of JSON, with its quotes; escapes keep their form."""
        if "\\" not in literal:
            return literal.translate(_TABLE)
        parts = _ESCAPE.split(literal)
        for at, part in enumerate(parts):
            parts[at] = self._escape(part) if at % 2 else part.translate(_TABLE)
        return "".join(parts)

    def _escape(self, escape: str) -> str:
        if escape[1] != "u":
            return escape
        char = bytes.fromhex(escape.replace("\\u", "")).decode("utf-16-be", "surrogatepass")
        # Half of a pair stays a half of the same kind.
        half = _HALVES.get(ord(char) >> 10)
        stands = half or replacement(char)
        if half is None and stands == char and char not in STAND_INS:
            return escape
        digits = stands.encode("utf-16-be", "surrogatepass").hex()
        digits = digits.upper() if self._capitals else digits
        return "".join(f"\\u{digits[at : at + 4]}" for at in range(0, len(digits), 4))

    def _told_apart(self, kind: str, original: str, plain: str) -> str:
        """The redacted name, varied so that only what was equal is equal, as far as there are such names."""
        numbers = self._numbers.setdefault(f"{kind} {plain}", {})
        number = numbers.setdefault(original, len(numbers))
        parts = _ESCAPE.split(plain) if kind == "name" else [plain]
        for at in range(len(parts) - 1, -1, -1):
            if number and not at % 2:
                number, parts[at] = _varied(number, parts[at])
        return "".join(parts)

    def _spans(self, text: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        for word in dict.fromkeys((_DONE, *self.words)):
            at = text.find(word)
            while at >= 0:
                self.found[word] += 1
                spans.append((at, at + len(word)))
                at = text.find(word, at + 1)
        return sorted(spans)


def _varied(number: int, plain: str) -> tuple[int, str]:
    """A number written with the characters of a name, from its end; what is left of it, and the name."""
    chars = list(plain)
    for at in range(len(chars) - 1, -1, -1):
        if not number:
            break
        series = SERIES.get(chars[at])
        if series is not None:
            number, digit = divmod(number, len(series))
            chars[at] = series[digit]
    return number, "".join(chars)


def _retry(value: str) -> str:
    """A time with as many digits. Zeros before it stay: some parsers read them as another base, or the value as zero.

    Nines, so that what is beyond some bound is so still.
    """
    if not _ASCII_DIGITS.fullmatch(value):
        return value.translate(_TABLE)
    zeros = _LEADING_ZEROS.match(value)
    assert zeros is not None
    return zeros[0] + value[zeros.end() :].translate(_RETRY_DIGITS)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


# Numbers are not made: one of many digits takes long, or is refused.
_JSON = json.JSONDecoder(strict=False, parse_int=len, parse_float=len, parse_constant=_refuse)


def _is_json(text: str) -> bool:
    try:
        _JSON.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _overlaid(original: str, redacted: str, spans: Iterable[tuple[int, int]]) -> str:
    """The redacted text with what stands in these spans of the original; they are sorted by where they start."""
    pieces, done = [], 0
    for start, stop in spans:
        if stop > done:
            start = max(start, done)
            pieces += [redacted[done:start], original[start:stop]]
            done = stop
    return "".join([*pieces, redacted[done:]])


def shown_word(word: str) -> str:
    """A word as it is told: nothing of it drives a terminal, and a long one is cut."""
    shown = word if word.isprintable() and word.strip() == word else ascii(word)
    return shown if len(shown) <= _WORD_MAX else f"{shown[:_WORD_MAX]}…"


# with the failure kept -----------------------------------------------------------------------------------------------


class _Case:
    """A question and its failure; its texts are those of the wires before it, and of its own wire at last."""

    def __init__(self, question: Question, fails: Callable[[Question], bool], words: tuple[str, ...]) -> None:
        self.question = question
        self.words = words
        self.texts = [_decoded(wire) for wire in (*question.before, question.wire)]
        self._fails = fails
        self._tries = 0
        self._redactor = _Redactor(words)
        self._plain = self._redactor.redact(self.texts)

    def redacted(self) -> tuple[Question, tuple[str, ...]]:
        """See `redact_case`."""
        said = self._redactor.kept()
        plain = self._made(self._plain)
        if self._fails(plain):
            return plain, said
        apart = self._made(_Redactor(self.words, apart=True).redact(self.texts))
        if apart != plain and self._fails(apart):
            return apart, (*said, "which event types and IDs are the same")
        spans = self._fewest()
        kept = self._with(spans)
        if kept == self.question and not all(self._is_public(span) for span in spans):
            raise RedactionError(
                "the failure goes away with any part of the text; keep what it needs by --keep WORD, "
                "or all of it by --no-redact, where the text may be shown"
            )
        return kept, (*said, f"words kept for the failure to stay: {self._told(spans)}")

    def _made(self, texts: Sequence[str]) -> Question:
        *before, wire = map(_encoded, texts)
        return replace(self.question, wire=wire, before=tuple(before))

    def _with(self, spans: Sequence[Span]) -> Question:
        """The question with no more than these spans of its texts kept."""
        texts = []
        for at, (text, plain) in enumerate(zip(self.texts, self._plain, strict=True)):
            texts.append(_overlaid(text, plain, [(start, stop) for of, start, stop in spans if of == at]))
        return self._made(texts)

    def _fewest(self) -> list[Span]:
        """What must be kept: of event types, of IDs, of both, or of all, by lines, then words, then characters."""
        lines = list(self._lines())
        types = [span for name, span in lines if name == "event"]
        ids = [span for name, span in lines if name == "id"]
        every = [span for _, span in lines]
        spans = next((part for part in (types, ids, sorted(types + ids)) if part and self._is_enough(part)), every)
        for parts in (lambda span: [span], self._in_words, self._in_characters):
            spans = self._reduced([part for span in spans for part in parts(span)])
        return spans

    def _lines(self) -> Iterator[tuple[str, Span]]:
        """The lines that were changed, each with its field's name."""
        for of, text in enumerate(self.texts):
            at = 0
            for line in _LINE_END.split(text):
                if line != self._plain[of][at : at + len(line)]:
                    yield line.removeprefix(_MARK).partition(":")[0], Span(of, at, at + len(line))
                at += len(line)

    def _in_words(self, span: Span) -> Iterator[Span]:
        of, start, stop = span
        for found in _WORD.finditer(self.texts[of], start, stop):
            if found[0] != self._plain[of][found.start() : found.end()]:
                yield Span(of, *found.span())

    def _in_characters(self, span: Span) -> Iterator[Span]:
        of, start, stop = span
        for at in range(start, stop):
            if self.texts[of][at] != self._plain[of][at]:
                yield Span(of, at, at + 1)

    def _is_enough(self, spans: Sequence[Span]) -> bool:
        self._tries += 1
        return self._tries <= _TRIES_MAX and self._fails(self._with(spans))

    def _reduced(self, spans: list[Span]) -> list[Span]:
        """The spans less those that need not be kept: half of them, a quarter, and so on to single ones."""
        size = len(spans) // 2
        while size and self._tries < _TRIES_MAX:
            at = 0
            while at < len(spans) and self._tries < _TRIES_MAX:
                fewer = spans[:at] + spans[at + size :]
                if fewer and self._is_enough(fewer):
                    spans = fewer
                else:
                    at += size
            size //= 2
        return spans

    def _is_public(self, span: Span) -> bool:
        """Whether it is of a word of the standard."""
        words = _LETTERS.finditer(self.texts[span.text])
        word = next((found[0] for found in words if found.end() >= span.stop), "")
        return word.lower() in _PUBLIC

    def _told(self, spans: Sequence[Span]) -> str:
        words: dict[str, None] = {}
        start: Span | None = None
        for span in [*spans, None]:
            if start is not None and span is not None and (span.text, span.start) == (start.text, start.stop):
                start = start._replace(stop=span.stop)
                continue
            if start is not None:
                words[shown_word(self.texts[start.text][start.start : start.stop])] = None
            start = span
        more = f" and {len(words) - _WORDS_MAX} more" if len(words) > _WORDS_MAX else ""
        return ", ".join([*words][:_WORDS_MAX]) + more
