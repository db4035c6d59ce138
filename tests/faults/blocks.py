"""What must catch the deviations in which blocks make an event."""

from __future__ import annotations

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "type-block-dispatched": ("dispatch/no-data-no-event",),
    "type-field-dispatched": ("dispatch/no-data-no-event", "dispatch/the-type-is-reset-without-data"),
    "id-block-dispatched": ("dispatch/no-data-no-event", "ids/a-block-without-data-sets-the-id"),
    "id-field-dispatched": ("dispatch/no-data-no-event", "ids/a-block-without-data-sets-the-id"),
    "id-that-stays-dispatched": ("dispatch/an-id-that-stays-makes-no-event",),
    "control-block-dispatched": ("dispatch/retry-only-blocks",),
    "retry-field-dispatched": (
        "dispatch/retry-only-blocks",
        "retry/wrong-values-do-not-raise",
        "fields/retry-without-colon",
    ),
    "unknown-block-dispatched": ("dispatch/unknown-only-blocks",),
    "blank-lines-dispatched": (
        "dispatch/blank-lines-in-a-row",
        "dispatch/no-data-no-event",
        "dispatch/an-id-that-stays-makes-no-event",
    ),
    "no-data-raises": ("dispatch/no-data-no-event", "dispatch/retry-only-blocks"),
    "empty-data-dropped": ("dispatch/empty-data-is-an-event",),
    "blank-data-dropped": ("dispatch/empty-data-is-an-event", "fields/a-value-that-looks-like-more"),
    "empty-data-ends-stream": ("dispatch/empty-data-is-an-event",),
    "data-leaks": ("dispatch/the-data-is-reset",),
    "a-blank-line-first-ends-the-stream": ("dispatch/blank-lines-in-a-row",),
    "two-blank-lines-end-the-stream": ("dispatch/blank-lines-in-a-row",),
    "a-blank-line-repeats-the-event": ("dispatch/blank-lines-in-a-row",),
}
