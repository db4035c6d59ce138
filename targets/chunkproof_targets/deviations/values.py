"""Deviations of values: text that is taken for more than text."""

from __future__ import annotations

import html
import json
import re
from contextlib import suppress
from urllib.parse import unquote

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6: a value is text, whatever it looks like")


@deviation(
    symptom="Code and JSON are broken: a backslash and an n become a new line.",
    mend="Leave escapes to whoever reads the data as JSON.",
)
class EscapesRead(ReferenceParser):
    """Reads a backslash and an n in data as a line feed."""

    def field_data(self, value: str) -> None:
        super().field_data(value.replace("\\n", "\n"))


@deviation(
    symptom="JSON is broken where it holds an escaped quote or line end.",
    mend="Leave escapes to whoever reads the data as JSON.",
)
class UnicodeEscapesRead(ReferenceParser):
    """Reads a backslash, a u and four hex digits in data as a character."""

    def field_data(self, value: str) -> None:
        super().field_data(re.sub(r"\\u([0-9A-Fa-f]{4})", lambda found: chr(int(found[1], 16)), value))


@deviation(
    symptom="Links in the text are broken, and a percent sign with two digits becomes another character.",
    mend="Leave percent escapes as they are: data is no URL.",
)
class PercentDecoded(ReferenceParser):
    """Decodes percent escapes in data."""

    def field_data(self, value: str) -> None:
        super().field_data(unquote(value))


@deviation(
    symptom="Code with HTML in it is shown wrongly: entities become characters.",
    mend="Leave entities as they are: data is no HTML.",
)
class EntitiesDecoded(ReferenceParser):
    """Decodes HTML entities in data."""

    def field_data(self, value: str) -> None:
        super().field_data(html.unescape(value))


@deviation(
    symptom="Tags are missing from code, and all that stands between two angle brackets.",
    mend="Leave tags to whoever shows the text.",
)
class TagsRemoved(ReferenceParser):
    """Removes what looks like an HTML tag from data."""

    def field_data(self, value: str) -> None:
        super().field_data(re.sub("<[^>]*>", "", value))


@deviation(
    symptom="Parts of the answer are missing: what stands between two `think` tags.",
    mend="Leave it to whoever shows the text which parts to show.",
)
class ThinkingRemoved(ReferenceParser):
    """Removes `<think>`, `</think>` and what stands between them from data."""

    def field_data(self, value: str) -> None:
        super().field_data(re.sub("<think>.*?</think>", "", value))


@deviation(
    symptom="Colours are missing from the output of a terminal.",
    mend="Leave control sequences to whoever shows the text.",
)
class TerminalSequencesRemoved(ReferenceParser):
    """Removes the control sequences of a terminal from data."""

    def field_data(self, value: str) -> None:
        super().field_data(re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", value))


@deviation(
    symptom="The word `null` is missing from the text.",
    mend="Leave `null` as it is, or read the data as JSON above the parser.",
)
class NullIsEmpty(ReferenceParser):
    """Takes data `null` for no text."""

    def field_data(self, value: str) -> None:
        super().field_data("" if value == "null" else value)


@deviation(
    symptom="A 0 that comes as a message of its own is missing.",
    mend="Compare the value with the empty string: another language's truth takes 0 for nothing.",
)
class ZeroIsNoData(ReferenceParser):
    """Ignores data `0`, as if it were empty."""

    def field_data(self, value: str) -> None:
        if value != "0":
            super().field_data(value)


@deviation(
    symptom="Numbers are not as they were sent: leading zeros and signs are lost.",
    mend="Leave numbers as they are: data is text.",
)
class NumbersRewritten(ReferenceParser):
    """Reads data that is a whole number, and writes it anew."""

    def field_data(self, value: str) -> None:
        with suppress(ValueError):
            value = str(int(value))
        super().field_data(value)


@deviation(
    symptom="JSON is not as it was sent: checksums and signatures fail.",
    mend="Hand out the text, and let whoever wants JSON read it.",
)
class JsonRewritten(ReferenceParser):
    """Reads data that is JSON, and writes it anew."""

    def field_data(self, value: str) -> None:
        with suppress(ValueError):
            value = json.dumps(json.loads(value), ensure_ascii=False)
        super().field_data(value)


@deviation(
    symptom="`True`, `None` and single quotes stand where JSON was sent, and quotes around text are missing.",
    mend="Hand out the text, and not what it was read as.",
)
class JsonShownAsPython(ReferenceParser):
    """Reads data that is JSON, and shows Python's idea of it."""

    def field_data(self, value: str) -> None:
        with suppress(ValueError):
            value = str(json.loads(value))
        super().field_data(value)


@deviation(
    symptom="Only messages that are JSON arrive: plain text is missing, and nobody is told.",
    mend="Hand out all data, and report what cannot be read above the parser.",
    layer="events",
)
class NotJsonDropped(ReferenceParser):
    """Drops an event whose data is no JSON."""

    def emit(self, event: Event) -> None:
        try:
            json.loads(event.data or "")
        except ValueError:
            return
        super().emit(event)


@deviation(
    symptom="The stream stops with a JSON error at the first message of plain text, such as an end mark.",
    mend="Hand out all data, and read it as JSON above the parser.",
    layer="events",
)
class NotJsonRaises(ReferenceParser):
    """Raises at an event whose data is no JSON."""

    def emit(self, event: Event) -> None:
        json.loads(event.data or "")
        super().emit(event)


@deviation(
    symptom="A message whose data is an empty object is missing.",
    mend="Hand out all data: a keep-alive is a comment.",
    layer="events",
)
class EmptyObjectDropped(ReferenceParser):
    """Drops an event whose data is `{}`, as if it were a keep-alive."""

    def emit(self, event: Event) -> None:
        if event.data != "{}":
            super().emit(event)


@deviation(
    symptom="A text that begins with `data: ` loses it, as in an explanation of this very protocol.",
    mend="Remove the name once; mend the gateway that writes it twice.",
)
class NestedFieldRemoved(ReferenceParser):
    """Removes `data: ` from the start of data, as often as it stands there."""

    def field_data(self, value: str) -> None:
        super().field_data(re.sub(r"\A(data: ?)+", "", value))


@deviation(
    symptom="`data: ` is missing from the text, as in an explanation of this very protocol.",
    mend="Remove the name as a prefix: `replace` removes it everywhere.",
)
class FieldNameRemovedEverywhere(ReferenceParser):
    """Removes `data: ` from data, wherever it stands."""

    def field_data(self, value: str) -> None:
        super().field_data(value.replace("data: ", ""))


@deviation(
    symptom="Quotes around a piece of text are missing, and a JSON string cannot be read.",
    mend="Leave quotes as they are: data is no literal.",
)
class QuotesRemoved(ReferenceParser):
    """Removes quotes around data."""

    def field_data(self, value: str) -> None:
        super().field_data(value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value)
