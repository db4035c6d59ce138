"""What must catch the deviations of delivery; and faults in how a parser is driven."""

from __future__ import annotations

from chunkproof_targets.contract import Event
from chunkproof_targets.reference import ReferenceParser

from .fault import adapted_fault

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "late-by-one-chunk": ("delivery/prompt",),
    "late-dispatch": ("delivery/prompt",),
    "late-by-one-event": ("delivery/prompt",),
    "all-events-at-the-end": ("delivery/prompt",),
    "bytes-gathered=16": ("delivery/prompt",),
    "bytes-gathered=512": ("delivery/prompt",),
    "bytes-gathered=4096": ("delivery/prompt",),
    "holds-a-last-cr": ("delivery/prompt-at-a-bare-cr", "delivery/prompt-at-the-cr-of-a-cut-crlf"),
    "decoder-of-the-class": ("delivery/alone",),
    "line-of-the-class": ("delivery/alone",),
    "data-of-the-class": ("delivery/alone",),
    "id-of-the-class": ("delivery/alone",),
    "empties-a-bytearray": ("delivery/chunks-are-not-changed",),
    "translates-in-place": ("delivery/chunks-are-not-changed",),
    "reads-chunks-later": ("delivery/no-bytearray-is-kept",),
}

# When ----------------------------------------------------------------------------------------------------------------


@adapted_fault("delivery/prompt")
def one_chunk_is_read_ahead(chunks):
    """The next chunk is taken before the events of the last one are handed out."""
    parser = ReferenceParser()
    source = iter(chunks)
    ahead = next(source, None)
    while ahead is not None:
        chunk, ahead = ahead, next(source, None)
        yield from parser.feed(chunk)
    yield from parser.close()


@adapted_fault("delivery/prompt")
def the_last_event_waits_for_the_next(chunks):
    """An event comes out when the next one, or the end, shows that it is over."""
    parser = ReferenceParser()
    held = []
    for chunk in chunks:
        held += parser.feed(chunk)
        while len(held) > 1:
            yield held.pop(0)
    yield from held + parser.close()


@adapted_fault("delivery/prompt", "delivery/lazy")
def reads_everything_first(chunks):
    """A generator that joins the whole body."""
    parser = ReferenceParser()
    yield from parser.feed(b"".join(chunks))
    yield from parser.close()


@adapted_fault("delivery/prompt", "delivery/lazy")
async def async_reads_everything_first(chunks):
    """The same over an async iterable."""
    parser = ReferenceParser()
    body = [chunk async for chunk in chunks]
    for event in parser.feed(b"".join(body)):
        yield event
    for event in parser.close():
        yield event


@adapted_fault("delivery/prompt")
class QueueReadTooEarly:
    """The events are copied out before the chunk is read."""

    def __init__(self):
        self.parser = ReferenceParser()
        self.queue = []
        self.events = []

    def feed(self, chunk):
        self.events = self.events + self.queue
        self.queue = self.parser.feed(chunk)

    def close(self):
        self.events = self.events + self.queue + self.parser.close()


# Who stops, and what fails -------------------------------------------------------------------------------------------


@adapted_fault("delivery/closed")
def goes_on_when_closed(chunks):
    """What a bare except catches is the GeneratorExit."""
    parser = ReferenceParser()
    for chunk in chunks:
        for event in parser.feed(chunk):
            try:
                yield event
            except:  # noqa: E722
                continue
    yield from parser.close()


@adapted_fault("delivery/closed")
async def async_goes_on_when_closed(chunks):
    """The same in an async generator."""
    parser = ReferenceParser()
    async for chunk in chunks:
        for event in parser.feed(chunk):
            try:
                yield event
            except BaseException:
                continue
    for event in parser.close():
        yield event


@adapted_fault("delivery/closed")
def yields_when_closed(chunks):
    """What is pending is handed out at any end."""
    parser = ReferenceParser()
    pending = []
    try:
        for chunk in chunks:
            pending += parser.feed(chunk)
            while pending:
                yield pending[0]
                pending.pop(0)
    finally:
        yield from pending


@adapted_fault("delivery/closed")
def reads_on_when_closed(chunks):
    """The rest of the stream is drained."""
    parser = ReferenceParser()
    source = iter(chunks)
    try:
        for chunk in source:
            yield from parser.feed(chunk)
    finally:
        for _ in source:
            pass


@adapted_fault("delivery/closed")
def raises_when_closed(chunks):
    """A consumer that stops is taken for a lost connection."""
    parser = ReferenceParser()
    try:
        for chunk in chunks:
            yield from parser.feed(chunk)
    except GeneratorExit:
        raise EOFError("the stream is not over") from None


@adapted_fault("delivery/closes-its-source")
def leaves_its_source_open(chunks):
    """A plain loop: right, and the source is somebody else's to close."""
    parser = ReferenceParser()
    for chunk in chunks:
        yield from parser.feed(chunk)


@adapted_fault("delivery/failing-source")
def lost_connection_is_an_end(chunks):
    """A connection that is lost ends the stream as if it were over."""
    parser = ReferenceParser()
    try:
        for chunk in chunks:
            yield from parser.feed(chunk)
    except OSError:
        return


@adapted_fault("delivery/failing-source")
async def async_lost_connection_is_an_end(chunks):
    """The same over an async iterable."""
    parser = ReferenceParser()
    try:
        async for chunk in chunks:
            for event in parser.feed(chunk):
                yield event
    except Exception:
        return


@adapted_fault("delivery/failing-source")
def list_of_what_came(chunks):
    """A finished list of what there was before the connection was lost."""
    parser = ReferenceParser()
    events = []
    try:
        for chunk in chunks:
            events += parser.feed(chunk)
    except OSError:
        pass
    return events


@adapted_fault("delivery/failing-source")
def error_told_as_another(chunks):
    """The error is dropped, and another one raised that knows nothing of it."""
    parser = ReferenceParser()
    failed = False
    try:
        for chunk in chunks:
            yield from parser.feed(chunk)
    except OSError:
        failed = True
    if failed:
        raise RuntimeError("something went wrong")


@adapted_fault("delivery/failing-source")
def unfinished_event_when_the_source_fails(chunks):
    """The unfinished event is handed out before the error."""
    parser = ReferenceParser()
    try:
        for chunk in chunks:
            yield from parser.feed(chunk)
    except OSError:
        yield from parser.feed(b"\n\n")
        raise


# Who is not alone ----------------------------------------------------------------------------------------------------


_TEXT = [""]


@adapted_fault("delivery/alone")
async def async_text_of_the_module(chunks):
    """What is not read yet stands in a global, which a new stream empties."""
    parser = ReferenceParser()
    _TEXT[0] = ""
    async for chunk in chunks:
        head, end, _TEXT[0] = (_TEXT[0] + chunk.decode("latin-1")).rpartition("\n")
        for event in parser.feed((head + end).encode("latin-1")):
            yield event
    for event in parser.feed(_TEXT[0].encode("latin-1")) + parser.close():
        yield event


@adapted_fault("delivery/reset")
class ResetForgetsTheLine(ReferenceParser):
    """A reset empties the buffers of the event, and keeps the unfinished line."""

    def reset(self):
        """Get ready for another stream."""
        self.reset_buffers()


@adapted_fault("delivery/reset")
class ResetForgetsTheData(ReferenceParser):
    """A reset begins a new line, within the old event."""

    def reset(self):
        """Start over."""
        self._at_start = True
        self._line = ""
        self._decoder.reset()


@adapted_fault("delivery/used-again")
class EndKeepsTheLine(ReferenceParser):
    """The end leaves the unfinished line where it is."""

    def start_over(self):
        self._data = []


@adapted_fault("delivery/reset")
class ResetForgetsTheMark(ReferenceParser):
    """After a reset, a byte order mark at the start is text."""

    def reset(self):
        """Start over."""
        self.start_over()
        self._at_start = False
        self._decoder.reset()


@adapted_fault("delivery/used-again")
class EndKeepsAnUnfinishedId(ReferenceParser):
    """The ID of the block that the end cut short goes into the first event of the next stream."""

    def start_over(self):
        unfinished = self._id
        super().start_over()
        self._id = unfinished


# What becomes of a chunk ---------------------------------------------------------------------------------------------


@adapted_fault("delivery/no-memoryview-is-kept")
class KeepsMemoryviews:
    """Views of the chunks wait in a list for a line end, though the parser says that it takes buffers."""

    def __init__(self) -> None:
        self.parser = ReferenceParser()
        self.kept: list[memoryview] = []

    def feed(self, chunk: bytes | bytearray | memoryview) -> list[Event]:
        self.kept.append(memoryview(chunk))
        return self.read_kept() if set(b"\r\n") & set(bytes(chunk)) else []

    def read_kept(self) -> list[Event]:
        whole, self.kept = b"".join(self.kept), []
        return self.parser.feed(whole)

    def close(self) -> list[Event]:
        return self.read_kept() + self.parser.close()
