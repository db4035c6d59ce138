"""What must catch what one run leaves to the next."""

from __future__ import annotations

CATCHES = {
    "data-in-a-class-attribute": (
        "whole/a-second-run-sees-nothing-of-the-first",
        "end/an-unfinished-event-is-discarded",
    ),
    "type-in-a-class-attribute": (
        "whole/a-second-run-sees-nothing-of-the-first",
        "end/an-unfinished-event-is-discarded",
    ),
    "line-in-a-class-attribute": (
        "whole/a-second-run-sees-nothing-of-the-first",
        "end/an-event-in-an-unfinished-line-is-discarded",
    ),
    "id-in-a-class-attribute": ("whole/a-second-run-sees-nothing-of-the-first", "ids/an-id-with-nul-is-ignored"),
    "retry-in-a-class-attribute": ("whole/a-second-run-sees-nothing-of-the-first", "fields/the-last-retry-counts"),
    "decoder-in-a-class-attribute": ("whole/a-second-run-sees-nothing-of-the-first", "bytes/cut-short-at-the-end"),
    "mark-stripped-only-in-the-first-run": ("bytes/mark-removed",),
    "done-in-a-class-attribute": ("fields/a-value-that-looks-like-more",),
    "ids-of-earlier-runs-dropped": ("dispatch/many-events-in-a-stream", "ids/ids-persist"),
}
