"""Parsers with one fault each that is bound to a text of their own; and helpers of the tests of campaigns.

They stand apart from the tests: pytest writes texts of its own into the asserts of a test file.
"""

from __future__ import annotations

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser


class EndsAtItsData(ReferenceParser):
    _ended = False

    def emit(self, event: Event) -> None:
        self._ended = self._ended or event.data == "#FINISHED#"
        if not self._ended:
            super().emit(event)


class DropsItsType(ReferenceParser):
    def emit(self, event: Event) -> None:
        if event.type != "keepalive.v2":
            super().emit(event)


class StartsOverAtItsId(ReferenceParser):
    def field_id(self, value: str) -> None:
        super().field_id("" if value == "!reset!" else value)


class EndsAtItsField(ReferenceParser):
    _ended = False

    def field_unknown(self, name: str, value: str) -> None:
        self._ended = self._ended or name == "x-close"

    def emit(self, event: Event) -> None:
        if not self._ended:
            super().emit(event)


class GivesAnEventForItsComment(ReferenceParser):
    def comment(self, line: str) -> None:
        if line == ": +beat+":
            self.emit(Event("beat", "", ""))


class ClearsAtItsLine(ReferenceParser):
    def read_line(self, line: str) -> None:
        if line == "data: -clear-":
            self._data = []
        else:
            super().read_line(line)


class Right(ReferenceParser):
    """None: for a target of another name than the reference."""


_SEEN_BEFORE: list[str] = []


class RemembersAcrossParsers(ReferenceParser):
    """Once one of them has read a certain text, all others are silent."""

    def emit(self, event: Event) -> None:
        if not _SEEN_BEFORE:
            super().emit(event)
        if event.data == "poison":
            _SEEN_BEFORE.append(event.data)
