"""Models of the libraries: the reference parser, less what each of them leaves out."""

from __future__ import annotations

import codecs
import re

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

__all__ = ["FAILURES", "MODELS", "run_model"]

#: What a library may raise at a stream.
FAILURES = (ValueError, OverflowError)
MARK = b"\xef\xbb\xbf"


class KeepsMark(ReferenceParser):
    def strip_mark(self, text: str) -> str:
        return text


class StrictLines(KeepsMark):
    """Splits bytes, then decodes each line and raises: U+DC80 and above stand for the bytes that cannot be decoded."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def read_line(self, line: str) -> None:
        line.encode("utf-8", "surrogateescape").decode()
        super().read_line(line)


class DispatchesWithoutData(KeepsMark):
    """Any of data, type, id (of this block or one before) or retry makes an event."""

    retry: int | None = None

    def field_retry(self, value: str) -> None:
        try:
            self.retry = int(value)
        except ValueError:
            return

    def dispatch(self) -> None:
        self.commit_id()
        if self._data or self._type or self._id or self.retry is not None:
            self.emit(Event(self.event_type(), self.join_data(), self.last_event_id))
        self.retry = None
        self.reset_buffers()


class OpenaiModel(DispatchesWithoutData, StrictLines):
    def at_end(self) -> None:
        """The unfinished line is decoded, and read: no field of it can reach an event."""
        self.read_line(self._line or ":")


class LaunchdarklyModel(StrictLines):
    """An id of a block without data is forgotten."""

    def dispatch(self) -> None:
        if not self._data:
            self._id = self.last_event_id
        super().dispatch()


class Blockwise(KeepsMark):
    """Waits for a blank line of one of three kinds, then reads all lines up to it; the rest at the end."""

    block = b""

    def feed(self, chunk: bytes) -> list[Event]:
        for line in chunk.splitlines(keepends=True):
            self.block += line
            if self.block.endswith((b"\n\n", b"\r\r", b"\r\n\r\n")):
                self.take_block()
        return self.take_events()

    def close(self) -> list[Event]:
        self.take_block()
        return self.take_events()

    def take_block(self) -> None:
        block, self.block = self.block, b""
        self.read_block(block)

    def read_block(self, block: bytes) -> None:
        raise NotImplementedError


class SseclientModel(Blockwise):
    """Takes each block for an event, whatever blank lines are in it; keeps no id."""

    def read_block(self, block: bytes) -> None:
        self._id = ""
        for line in re.split(b"\r\n|\r|\n", block):
            text = line.decode()
            if text:
                self.read_line(text)
        self.dispatch()

    def field_id(self, value: str) -> None:
        self._id = value


class AnthropicModel(Blockwise, DispatchesWithoutData):
    """Reads all lines of a block, the blank ones too."""

    def read_block(self, block: bytes) -> None:
        for line in block.splitlines():
            self.read_line(line.decode())


class RequestsSseModel(StrictLines):
    """Takes an LF at the start of a chunk for a line end; strips more than it should."""

    def at_end(self) -> None:
        """The unfinished line is decoded, and read: no field of it can reach an event."""
        self.read_line(self._line or ":")

    def resume_after_cr(self, text: str) -> str:
        return text

    def strip_space(self, value: str) -> str:
        return value.lstrip(" ")

    def join_data(self) -> str:
        return super().join_data().rstrip("\n")

    def field_id(self, value: str) -> None:
        if value not in ("\0", "\0\0"):
            self._id = value

    def field_retry(self, value: str) -> None:
        try:
            too_long = abs(int(value)) >= 86_400_000 * 10**9
        except ValueError:
            return
        if too_long:
            raise OverflowError


class LanggraphModel(ReferenceParser):
    """A type alone makes an event, and the end of the stream ends a line and a block."""

    def dispatch(self) -> None:
        if self._type and not self._data:
            self.commit_id()
            self.emit(Event(self._type, None, self.last_event_id))
        super().dispatch()

    def at_end(self) -> None:
        if self._line:
            self.read_line(self._line)
        self.dispatch()


class MistralModel(KeepsMark):
    """Decodes a block at its end, which may be that of the stream; looks for a mark where a chunk starts a block."""

    #: A run of line ends that is more than one of them.
    blank = re.compile(rb"(?!\r\n(?![\r\n]))[\r\n]{2,}")
    block = b""

    def feed(self, chunk: bytes) -> list[Event]:
        if not self.block:
            chunk = chunk.removeprefix(MARK)
        *blocks, self.block = self.blank.split(self.block + chunk)
        for block in blocks:
            self.read_block(block)
        return self.take_events()

    def close(self) -> list[Event]:
        self.read_block(self.block)
        return self.take_events()

    def read_block(self, block: bytes) -> None:
        for line in self.split_lines(block.decode()):
            if line:
                self.read_line(line)
        self.dispatch()

    def field_retry(self, value: str) -> None:
        if value.isdigit():
            self.set_retry(str(int(value)))


MODELS: dict[str, type[ReferenceParser]] = {
    "httpx-sse": DispatchesWithoutData,
    "sseclient-py": SseclientModel,
    "openai": OpenaiModel,
    "launchdarkly-eventsource": LaunchdarklyModel,
    "anthropic": AnthropicModel,
    "requests-sse": RequestsSseModel,
    "langgraph-sdk": LanggraphModel,
    "mistralai": MistralModel,
}


def run_model(name: str, chunks: list[bytes]) -> tuple[list[Event], str | None]:
    """The events of the model, and the name of the exception that ended them."""
    model = MODELS[name]()
    events: list[Event] = []
    try:
        for chunk in chunks:
            events += model.feed(chunk)
        events += model.close()
    except FAILURES as error:
        return events + model.take_events(), type(error).__name__
    return events, None
