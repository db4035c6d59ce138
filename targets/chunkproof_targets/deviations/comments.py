"""Deviations of comments: the lines that start with a colon, which many servers send to keep a connection alive."""

from __future__ import annotations

from ..contract import DEFAULT_TYPE, Event
from ..reference import ReferenceParser
from .deviation import Catalogue

deviation = Catalogue("fields", "9.2.6: a line that starts with a colon is ignored")

_DISPATCH = "9.2.6, dispatch: a block without a data line makes no event"


@deviation(
    symptom="Empty messages come in while the server only keeps the connection alive, or JSON errors end the stream.",
    mend="Dispatch nothing where the block had no data line.",
    layer="events",
    clause=_DISPATCH,
    reports=(
        "openai/openai-go#621",
        "coder/coder#28185",
        "stacklok/mecatl#309",
        "mckinsey/agents-at-scale-ark#2567",
        "tmc/langchaingo#1171",
    ),
)
class CommentBlockDispatched(ReferenceParser):
    """Dispatches a block of comments alone as an event with empty data."""

    __commented = False

    def comment(self, line: str) -> None:
        super().comment(line)
        self.__commented = True

    def dispatch(self) -> None:
        if self.__commented and not self._data:
            self._data = [""]
        self.__commented = False
        super().dispatch()


@deviation(
    symptom="The stream stops with an error as soon as the server keeps the connection alive.",
    mend="Make nothing of a block without a data line.",
    layer="events",
    clause=_DISPATCH,
    reports=("spring-projects/spring-framework#24389",),
)
class CommentBlockCrash(ReferenceParser):
    """Raises at a block of comments alone."""

    __commented = False

    def comment(self, line: str) -> None:
        super().comment(line)
        self.__commented = True

    def dispatch(self) -> None:
        if self.__commented and not self._data:
            raise TypeError("the event is null")
        self.__commented = False
        super().dispatch()


@deviation(
    symptom="The stream stops with an error at the first comment.",
    mend="Ignore a line that starts with a colon: its name is not empty, it has none.",
)
class CommentRaises(ReferenceParser):
    """Raises at any comment."""

    def comment(self, line: str) -> None:
        raise ValueError(f"a field without a name: {line!r}")


@deviation(
    symptom="An event comes out in two halves where a keep-alive fell into it.",
    mend="Ignore a comment, within an event too.",
    layer="events",
)
class CommentEndsABlock(ReferenceParser):
    """Takes a comment for a blank line."""

    def comment(self, line: str) -> None:
        super().comment(line)
        self.dispatch()


@deviation(
    symptom="The start of a text is missing where a keep-alive fell into its event.",
    mend="Ignore a comment, within an event too.",
)
class CommentInDataLost(ReferenceParser):
    """Throws away the data before a comment in its block."""

    def comment(self, line: str) -> None:
        super().comment(line)
        self._data = []


@deviation(
    symptom="An event is not handled where a keep-alive fell into it: its name is gone.",
    mend="Ignore a comment, within an event too.",
)
class CommentDropsTheType(ReferenceParser):
    """Throws away the event type before a comment in its block."""

    def comment(self, line: str) -> None:
        super().comment(line)
        self._type = ""


@deviation(
    symptom="An event is missing, or half of it, where a keep-alive fell into it.",
    mend="Ignore a comment, within an event too.",
)
class CommentDropsTheBlock(ReferenceParser):
    """Throws away all that stands before a comment in its block."""

    def comment(self, line: str) -> None:
        super().comment(line)
        self.reset_buffers()


@deviation(
    symptom="An empty line stands in the text where a keep-alive fell into its event.",
    mend="Ignore a comment, within an event too.",
)
class CommentAddsALine(ReferenceParser):
    """Takes a comment behind data for an empty data line."""

    def comment(self, line: str) -> None:
        super().comment(line)
        if self._data:
            self.field_data("")


@deviation(
    symptom="What the server wrote as a comment changes the text, the type or the ID.",
    mend="Ignore the whole of a line that starts with a colon.",
)
class CommentIsAField(ReferenceParser):
    """Skips the colon at the start of a comment, and reads the rest as a line."""

    def comment(self, line: str) -> None:
        super().comment(line)
        if line[1:]:
            self.read_line(line.lstrip(": "))


@deviation(
    symptom="The word `ping` and the like stand in the text, or cannot be read as JSON.",
    mend="Ignore the whole of a line that starts with a colon.",
)
class CommentIsData(ReferenceParser):
    """Takes the text of a comment for data."""

    def comment(self, line: str) -> None:
        super().comment(line)
        self.field_data(self.strip_space(line[1:]))


@deviation(
    symptom="A message with the word `ping`, or with none, comes each time the server keeps the connection alive.",
    mend="Ignore a line that starts with a colon, or hand comments out apart from events.",
    layer="events",
)
class CommentIsAnEvent(ReferenceParser):
    """Hands out each comment as an event of its own."""

    def comment(self, line: str) -> None:
        super().comment(line)
        self.emit(Event(DEFAULT_TYPE, self.strip_space(line[1:]), self.last_event_id))


@deviation(
    symptom="The word `ping` stands in the text at a server that leaves out the space in its comments.",
    mend="Ignore a line that starts with a colon, whatever comes next.",
)
class CommentNeedsASpace(ReferenceParser):
    """Knows a comment by a colon and a space, and takes a colon and anything else for data."""

    def comment(self, line: str) -> None:
        super().comment(line)
        if line[1:2] not in ("", " "):
            self.field_data(line[1:])


@deviation(
    symptom="An event comes out in two halves where a bare colon, as a keep-alive, fell into it.",
    mend="Ignore a line that is a colon alone: it is not blank.",
    layer="events",
)
class ACommentOfNothingIsBlank(ReferenceParser):
    """Takes a colon alone for a blank line."""

    def comment(self, line: str) -> None:
        super().comment(line)
        if line == ":":
            self.dispatch()


@deviation(
    symptom="The stream stops with an error at once, at a server that greets with a comment.",
    mend="Take a comment for the first line of a stream.",
)
class CommentFirstCrash(ReferenceParser):
    """Raises at a comment in the first line of a stream."""

    __first = True

    def read_line(self, line: str) -> None:
        if self.__first and line.startswith(":"):
            raise ValueError("not an event stream")
        self.__first = False
        super().read_line(line)


@deviation(
    symptom="The stream is over as soon as the server keeps the connection alive.",
    mend="Skip a comment, and go on with the next line.",
)
class CommentEndsTheStream(ReferenceParser):
    """Reads nothing behind a comment."""

    __over = False

    def comment(self, line: str) -> None:
        super().comment(line)
        self.__over = True

    def read_line(self, line: str) -> None:
        if not self.__over:
            super().read_line(line)


@deviation(
    symptom="Parts of a comment are read as text now and then, as the network cuts the stream.",
    mend="Keep the start of an unfinished line, also where it begins with a colon.",
    layer="lines",
)
class CommentCutForgotten(ReferenceParser):
    """Forgets that a comment that is cut has begun: the rest, in the next chunk, is a line."""

    def read_text(self, text: str) -> None:
        super().read_text(text)
        if self._line.startswith(":"):
            self._line = ""


@deviation(
    symptom="Two messages come out as one, or none comes, where a keep-alive stands before the blank line.",
    mend="Read the line behind a comment as any other.",
    layer="events",
)
class BlankLineBehindACommentSkipped(ReferenceParser):
    """Skips a blank line behind a comment."""

    __commented = False

    def read_line(self, line: str) -> None:
        skipped = self.__commented and not line
        self.__commented = line.startswith(":")
        if not skipped:
            super().read_line(line)


@deviation(
    symptom="A line of the text is missing, or two messages come out as one, behind a keep-alive.",
    mend="Read the line behind a comment as any other.",
)
class LineBehindACommentSkipped(ReferenceParser):
    """Skips the line behind a comment, whatever it is."""

    __commented = False

    def read_line(self, line: str) -> None:
        skipped, self.__commented = self.__commented, False
        if not skipped:
            self.__commented = line.startswith(":")
            super().read_line(line)


@deviation(
    symptom="A colon and the word `ping` stand in the text where two keep-alives come in a row.",
    mend="Ignore each line that starts with a colon.",
)
class CommentsAfterTheFirstTaken(ReferenceParser):
    """Takes a comment right behind another one for data."""

    __before = False

    def read_line(self, line: str) -> None:
        if line.startswith(":") and self.__before:
            self.field_data(line)
        self.__before = line.startswith(":")
        super().read_line(line)
