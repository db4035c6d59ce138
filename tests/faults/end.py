"""What must catch each deviation at the end of input."""

from __future__ import annotations

from chunkproof_targets.deviations.end import TrailingCrHeldBackLost
from chunkproof_targets.deviations.lines import CrNotSupported

from .fault import fault

CATCHES = {
    "eof-incomplete-dispatched": ("end/an-unfinished-event-is-discarded", "prefix/every-prefix-is-a-stream"),
    "eof-truncation-silent": ("end/an-event-in-an-unfinished-line-is-discarded", "lines/an-unfinished-line-is-no-line"),
    "eof-unfinished-line-is-a-line": ("lines/an-unfinished-line-is-no-line", "prefix/every-prefix-is-a-stream"),
    "eof-blank-line-added": ("end/an-unfinished-event-is-discarded", "end/an-event-in-an-unfinished-line-is-discarded"),
    "eof-line-end-added": ("end/an-unfinished-event-is-discarded", "end/nothing-is-invented"),
    "eof-incomplete-raises": ("end/an-unfinished-event-is-discarded", "end/empty-chunks-at-the-end"),
    "eof-unfinished-line-raises": (
        "lines/an-unfinished-line-is-no-line",
        "end/an-event-in-an-unfinished-line-is-discarded",
    ),
    "trailing-cr-held-back-lost": ("end/a-cr-at-the-very-end-completes-a-blank-line",),
    "a-cr-at-the-end-is-a-blank-line": ("end/a-field-before-a-cr-at-the-end",),
    "eof-repeats-the-last-event": ("end/nothing-is-invented",),
    "eof-end-mark-invented": ("end/nothing-is-invented", "end/no-chunks", "end/only-empty-chunks"),
    "eof-empty-event-added": ("end/nothing-is-invented", "end/no-chunks"),
    "eof-forgets-the-id": ("ids/an-id-is-shown", "ids/ids-persist"),
    "empty-stream-raises": ("end/no-chunks", "whole/telling-cases-are-right"),
    "only-empty-chunks-raise": ("end/only-empty-chunks",),
    "eof-without-events-raises": ("end/no-chunks", "end/only-empty-chunks"),
    "eof-without-done-raises": ("end/nothing-is-invented", "end/no-chunks"),
}


@fault("end/a-cr-at-the-very-end-completes-a-blank-line", has_end=False)
class CrHeldBackForEver(TrailingCrHeldBackLost):
    """A CR at a chunk's end waits, in a parser that is never told the end: a choice left open, and shown as such."""


@fault("end/a-cr-at-the-very-end-completes-a-blank-line", has_end=False)
class CrIsNoEndWithoutAnEndCall(CrNotSupported):
    """CR is text, in a parser that is never told the end."""
