"""Faults of comments, and of values that look like more than text."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import unquote

from chunkproof_targets.reference import ReferenceParser

from .fault import fault


@fault("dispatch/comment-only-blocks")
class CommentBlockDispatched(ReferenceParser):
    """A block of comments makes an event with empty data."""

    commented = False

    def comment(self, line):
        self.commented = True

    def dispatch(self):
        if self.commented and not self._data:
            self._data = [""]
        self.commented = False
        super().dispatch()


@fault("dispatch/comment-only-blocks")
class CommentBlockCrash(ReferenceParser):
    """A block of comments alone raises."""

    commented = False

    def comment(self, line):
        self.commented = True

    def dispatch(self):
        if self.commented and not self._data:
            raise TypeError("the event is null")
        self.commented = False
        super().dispatch()


@fault("fields/comments-between-data-lines")
class CommentEndsABlock(ReferenceParser):
    """A comment ends the block before it."""

    def comment(self, line):
        self.dispatch()


@fault("fields/comments-between-data-lines")
class CommentInDataLost(ReferenceParser):
    """A comment throws away the data before it."""

    def comment(self, line):
        self._data = []


@fault("fields/comments-between-data-lines")
class CommentAddsALine(ReferenceParser):
    """A comment between data lines is an empty data line."""

    def comment(self, line):
        if self._data:
            self._data.append("")


@fault("fields/comments-are-ignored", "fields/a-comment-may-come-first")
class CommentIsAField(ReferenceParser):
    """The colon at the start is skipped, and the rest read as a line."""

    def comment(self, line):
        if line[1:]:
            self.read_line(line.lstrip(": "))


@fault("fields/comments-are-ignored")
class CommentNeedsASpace(ReferenceParser):
    """A comment is a colon and a space; a colon and anything else is data."""

    def comment(self, line):
        if line[1:2] not in ("", " "):
            self.field_data(line[1:])


@fault("fields/comments-between-data-lines")
class ACommentOfNothingIsBlank(ReferenceParser):
    """A colon alone ends the block, as a blank line does."""

    def comment(self, line):
        if line == ":":
            self.dispatch()


@fault("fields/a-comment-may-come-first")
class CommentFirstCrash(ReferenceParser):
    """A comment as the first line of a stream raises."""

    first = True

    def read_line(self, line):
        if self.first and line.startswith(":"):
            raise ValueError("not an event stream")
        self.first = False
        super().read_line(line)


@fault("fields/comments-cut-anywhere")
class CommentCutForgotten(ReferenceParser):
    """What a chunk holds of a comment is thrown away: the rest, in the next chunk, is a line."""

    def read_text(self, text):
        super().read_text(text)
        if self._line.startswith(":"):
            self._line = ""


@fault("fields/comments-between-data-lines")
class CommentsAfterTheFirstTaken(ReferenceParser):
    """Only one comment is known in a row; the second is data."""

    before = False

    def read_line(self, line):
        if line.startswith(":") and self.before:
            self.field_data(line)
        self.before = line.startswith(":")
        super().read_line(line)


# Values that look like more --------------------------------------------------------------------------------------


class _Data(ReferenceParser):
    """Reads more into data than text."""

    def read(self, value):
        return value

    def field_data(self, value):
        super().field_data(self.read(value))


@fault("fields/a-value-that-looks-like-more")
class EscapesRead(_Data):
    """A backslash and an n in data are an LF."""

    def read(self, value):
        return value.replace("\\n", "\n")


@fault("fields/a-value-that-looks-like-more")
class PercentDecoded(_Data):
    """Percent escapes in data are decoded."""

    def read(self, value):
        return unquote(value)


@fault("fields/a-value-that-looks-like-more")
class EntitiesDecoded(_Data):
    """Entities in data are decoded."""

    def read(self, value):
        return html.unescape(value)


@fault("fields/a-value-that-looks-like-more")
class NullIsEmpty(_Data):
    """Data `null` is no data."""

    def read(self, value):
        return "" if value == "null" else value


@fault("fields/colons-in-the-value")
class JsonRewritten(_Data):
    """JSON in data is read and written anew."""

    def read(self, value):
        try:
            return json.dumps(json.loads(value), ensure_ascii=False)
        except ValueError:
            return value


@fault("fields/a-value-that-looks-like-more")
class NestedFieldRemoved(_Data):
    """A second `data: ` in front of the data is removed, as a gateway put it there."""

    def read(self, value):
        return re.sub(r"\A(data: ?)+", "", value)


@fault("whole/any-stream-in-any-chunking")
class QuotesRemoved(_Data):
    """Quotes around data are removed."""

    def read(self, value):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
