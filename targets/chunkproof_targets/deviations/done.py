"""Deviations in where a stream ends: at end marks that the standard does not know, or in an exception."""

from __future__ import annotations

from ..contract import Event
from ..reference import ReferenceParser
from .deviation import Catalogue
from .steps import StoppingParser

deviation = Catalogue("completion", "9.2.6: data is text, whatever it says, and the stream ends with its input")

_CALLER = "Hand the event over, and leave it to the caller, who knows the provider, to stop there."


@deviation(
    symptom="The event `[DONE]` never arrives, nor does anything behind it.",
    mend=_CALLER,
)
class DoneEndsStream(StoppingParser):
    """Data `[DONE]` ends the stream, and is no event."""

    def emit(self, event: Event) -> None:
        self._over = self._over or event.data == "[DONE]"
        if not self._over:
            super().emit(event)


@deviation(
    symptom="Nothing arrives any more behind the event `[DONE]`.",
    mend=_CALLER,
)
class DoneShownEndsStream(StoppingParser):
    """Data `[DONE]` ends the stream, and comes out as its last event."""

    def emit(self, event: Event) -> None:
        if not self._over:
            super().emit(event)
        self._over = self._over or event.data == "[DONE]"


@deviation(
    symptom="The answer breaks off at an event that begins with `[DONE]`, whatever follows in it.",
    mend="Compare the whole data with the end mark; better, leave that to the caller.",
)
class DonePrefixMatch(StoppingParser):
    """Data that begins with `[DONE]` ends the stream."""

    def emit(self, event: Event) -> None:
        self._over = self._over or (event.data or "").startswith("[DONE]")
        if not self._over:
            super().emit(event)


@deviation(
    symptom="The answer breaks off where the model writes `[DONE]` in its text.",
    mend="Compare the whole data with the end mark; better, leave that to the caller.",
    reports=("BerriAI/litellm#31562",),
)
class DoneSubstringMatch(StoppingParser):
    """`[DONE]` anywhere in the data ends the stream."""

    def emit(self, event: Event) -> None:
        self._over = self._over or "[DONE]" in (event.data or "")
        if not self._over:
            super().emit(event)


@deviation(
    symptom="The event `[DONE]` never arrives, with blanks around it or without, nor does anything behind it.",
    mend=_CALLER,
)
class DoneTrimmedMatch(StoppingParser):
    """Data that is `[DONE]` and blanks around it ends the stream."""

    def emit(self, event: Event) -> None:
        self._over = self._over or (event.data or "").strip() == "[DONE]"
        if not self._over:
            super().emit(event)


@deviation(
    symptom="The answer breaks off, and the event at hand is lost, where one of its lines is `[DONE]`.",
    mend="Read lines up to the blank line, and look at the data of the whole event; better, leave that to the caller.",
)
class DoneLineEndsStream(StoppingParser):
    """A data line `[DONE]` ends the stream at once, before its blank line."""

    def field_data(self, value: str) -> None:
        if value == "[DONE]":
            self._over = True
            self.reset_buffers()
        else:
            super().field_data(value)


@deviation(
    symptom="The event `[DONE]` never arrives, so the caller does not see that the answer is whole.",
    mend=_CALLER,
)
class DoneDropped(ReferenceParser):
    """The event whose data is `[DONE]` is left out."""

    def emit(self, event: Event) -> None:
        if (event.data or "").strip() != "[DONE]":
            super().emit(event)


@deviation(
    symptom="The whole program ends at the event `[DONE]`.",
    mend="End the loop over the events, and never the process.",
)
class DoneExits(ReferenceParser):
    """Data `[DONE]` ends the process."""

    def emit(self, event: Event) -> None:
        super().emit(event)
        if event.data == "[DONE]":
            raise SystemExit


def _type_ends_stream(name: str) -> None:
    @deviation(
        clause="9.2.6: a type is text, whatever it says, and the stream ends with its input",
        symptom=f"Nothing arrives any more from an event of the type `{name}` on.",
        mend=_CALLER,
        value=name,
    )
    class TypeEndsStream(StoppingParser):
        """An event of the type `{}` ends the stream."""

        def emit(self, event: Event) -> None:
            self._over = self._over or event.type == name
            if not self._over:
                super().emit(event)


_type_ends_stream("done")
_type_ends_stream("end")
_type_ends_stream("close")
_type_ends_stream("error")


@deviation(
    clause="9.2.5, end of the file: what is pending is discarded, and that is all",
    symptom="Every stream ends in an exception, though all its events arrived.",
    mend="Return when the input ends; inside a generator, never call next() without a default.",
    aliases=("raises-behind-right-events",),
)
class EndRaises(ReferenceParser):
    """Gives all events, and raises at the end."""

    def at_end(self) -> None:
        super().at_end()
        raise RuntimeError("generator raised StopIteration")
