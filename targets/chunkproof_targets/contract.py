"""The words that every room shares: event, delivery, outcome, run, target.

A target has one method, ``run(chunks)``. Everything that a rule can know of a parser comes back in the ``Run``: what it
delivered, how many chunks had been taken by then, the state at its end, and the failure that ended it. Functions over
an iterable, async generators, classes with ``feed``, callbacks: `chunkproof_targets.shapes` adapts each of them once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import ClassVar, Literal, NamedTuple

from .script import Script

__all__ = [
    "Delivery",
    "Event",
    "Offer",
    "Outcome",
    "Run",
    "Shows",
    "Takes",
    "Target",
    "TargetDied",
    "TargetError",
    "TargetFlooded",
    "TargetGrew",
    "TargetHung",
    "TargetStopped",
    "normal_retry",
]

Takes = Literal["bytes", "text", "lines"]
RetryShown = Literal["updates", "state", "event"]
#: What can be done with a target beyond feeding it chunks, for the rules that need it; see `Target.offers`.
Offer = Literal["script", "source", "stop", "reset", "documented reset", "again", "buffers"]

#: The type of an event whose block names none, or names the empty one (9.2.6, dispatch).
DEFAULT_TYPE = "message"


class Event(NamedTuple):
    """One event, with what a browser's MessageEvent has of it.

    A field that the target does not show is None, here and in the expected event it is compared with.
    """

    type: str | None
    data: str | None
    last_event_id: str | None


class Delivery(NamedTuple):
    """An event with the number of chunks that had been taken when it came out.

    ``retry`` is what the event itself showed as its reconnection time, as decimal digits (milliseconds), for targets
    that show it there; None where it showed none, or the value that it shows before any was set.
    """

    event: Event
    chunks_taken: int
    retry: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stream means: its events, and the state that is left at its end.

    ``retries`` are the reconnection times set, in order, as decimal digits without leading zeros (milliseconds): they
    have no upper bound in the standard, and text does not lose any of them. ``event_retries`` holds, for each event,
    the time set last in its own block (or None) and the time in force when it was dispatched (or None).
    """

    events: tuple[Event, ...]
    last_event_id: str = ""
    retries: tuple[str, ...] = ()
    event_retries: tuple[tuple[str | None, str | None], ...] = ()


class TargetError(Exception):
    """The target cannot be used: not found, ambiguous, or it shows no event. The message names the way out."""


class TargetStopped(BaseException):
    """The end of a run that went beyond what one run may do; kept as the failure of that run.

    It is raised inside the target, where it is a BaseException so that few parsers take it for an error of their own.
    """

    kind: ClassVar[Literal["hung", "died", "memory", "output"]]


class TargetHung(TargetStopped):
    """One run was not finished within the time allowed."""

    kind = "hung"


class TargetDied(TargetStopped):
    """The process ended in the middle of a run. Nothing raises this: it is what the one who waited for it says."""

    kind = "died"


class TargetGrew(TargetStopped):
    """One run took more memory than allowed."""

    kind = "memory"


class TargetFlooded(TargetStopped):
    """One run printed more than allowed."""

    kind = "output"


@dataclass(slots=True)
class Run:
    """What a target did with one list of chunks.

    ``last_event_id`` is the state at the end, None where the target does not show it. ``retries`` is None where the
    target shows no reconnection time outside its events; else, by ``Shows.retry``, every update in order ("updates")
    or the one value in force at the end ("state"), as decimal digits. ``failure`` is the exception that left the
    target, with the deliveries before it kept: SystemExit and the like too.
    """

    deliveries: list[Delivery] = field(default_factory=list)
    last_event_id: str | None = None
    retries: tuple[str, ...] | None = None
    failure: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Shows:
    """What a target lets a user see, as calibration found it. What is not shown is not judged.

    ``data`` is "text", or "json" where the target hands out decoded JSON: data is then compared as canonical JSON
    (`chunkproof_targets.texts.canonical_json`). ``json_only`` says that it cannot take other data.
    ``retry`` says where reconnection times are seen: "updates" (each one, in order), "state" (the one in force at the
    end) or "event" (on an event, for the block it came from). ``retry_start`` is what it shows before any was set.
    """

    type: bool = True
    data: Literal["text", "json"] = "text"
    json_only: bool = False
    last_event_id: bool = True
    end_last_event_id: bool = False
    retry: RetryShown | None = None
    retry_start: str | None = None


class Target(ABC):
    """The parser under test.

    ``name`` is what ids show; ``shape`` one line on how it is driven; ``found`` one line on how it was found.
    ``takes`` says what it is fed: bytes, our decoded text, or (only ever declared) whole lines without their ends.
    ``has_end`` is False for a push parser that cannot be told that the input is over: it may hold a line that ends in
    a bare CR. ``returns_list`` is True where all events come back at once, behind the last chunk: it is there for rules
    on when an event comes out, which cannot judge such a target. ``keeps_events`` is True where all events stay in a
    list of the parser's, which nobody drains.
    ``empty_chunk_ends`` is declared by parsers that document an empty chunk as the end of input; none is sent then.
    ``size_limit`` is declared by parsers that raise beyond so many bytes of a line or an event.
    ``strict_utf8`` is declared by parsers that raise on ill-formed UTF-8 by design. ``deviations`` are those declared,
    by their names in the catalogue: what is expected is then the reference parser with these.

    ``offers`` says what else can be done with it. "script": `run_script` and `run_beside` may be called. "source": it
    takes its chunks itself, from an iterator that may be without an end, or fail. "stop": its events are iterated over,
    and who does that may stop. "reset" and "again": `run_used` may be called, since the parser has a method ``reset``,
    or an end that it may be fed after. "documented reset": by its docstring that starts anew. "buffers": by its
    annotation it is fed bytearrays or memoryviews too.

    ``constants`` are short texts that stand in its code: values that are worth sending. ``functions`` are the functions
    and methods of that code, as far as it is Python and reached from the parser, nearest first: what to instrument, and
    whose branches to count.
    """

    name: str = "target"
    shape: str = ""
    found: str = ""
    takes: Takes = "bytes"
    shows: Shows = Shows()
    has_end: bool = True
    returns_list: bool = False
    keeps_events: bool = False
    empty_chunk_ends: bool = False
    size_limit: int | None = None
    strict_utf8: bool = False
    deviations: tuple[str, ...] = ()
    offers: frozenset[Offer] = frozenset()
    constants: tuple[str, ...] = ()
    functions: tuple[FunctionType, ...] = ()

    @abstractmethod
    def run(self, chunks: Sequence[bytes]) -> Run:
        """Feed the chunks to a new parser, one by one, then tell it the end of input once.

        Never raises for what the target does: an exception that leaves the target, BaseException too, is kept as
        ``Run.failure``. The one exception is a KeyboardInterrupt that the user caused.
        """

    def run_script(self, chunks: Sequence[bytes], script: Script) -> Run:
        """Run as `run` does, with a source and a consumer that keep to the script.

        A consumer that stops is no failure: what the target raises when it is then closed is.
        """
        return self.run(script.over(chunks))

    def run_beside(self, chunks: Sequence[bytes], others: Sequence[Sequence[bytes]]) -> Run:
        """Run as `run` does, while other parsers of the same kind read the others in turn with this one.

        Here the others are run whole before each chunk.
        """
        return self.run_script(chunks, Script(between=lambda: [self.run(other) for other in others]))

    def run_used(self, chunks: Sequence[bytes], before: Sequence[bytes], by: Literal["reset", "end"]) -> Run:
        """Run as `run` does, on a parser that has read the chunks of ``before`` and was then reset, or told the end."""
        raise NotImplementedError(f"{type(self).__name__} does not offer it")

    def run_dropping(self, chunks: list[bytes], look: Callable[[int], None]) -> Run | None:
        """As `run`, but nothing is kept: not the events, and no chunk once the one behind it was taken.

        The list of chunks is emptied on the way. ``look`` is called for each event with the size in memory of all that
        was let go by then. A target that cannot be run so gives None.
        """
        return None

    def close(self) -> None:  # noqa: B027  (most targets hold nothing)
        """Give back what the target holds over its runs (an event loop, a process). No run follows."""


def normal_retry(digits: str) -> str:
    """The digits of a reconnection time without leading zeros: how two of them are compared, however long."""
    return digits.lstrip("0") or "0"
