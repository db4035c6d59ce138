"""What must catch the deviations in how events are handed over; and a fault that never ends."""

from __future__ import annotations

from chunkproof_targets.reference import ReferenceParser

from .fault import fault

#: The rules that must catch each.
CATCHES: dict[str, tuple[str, ...]] = {
    "only-the-first-event-of-a-chunk": ("dispatch/many-events-in-one-chunk",),
    "only-the-last-event-of-a-chunk": ("dispatch/many-events-in-one-chunk",),
    "events-of-a-chunk-in-reverse": ("dispatch/many-events-in-one-chunk",),
    "events-of-a-chunk-limit=16": ("dispatch/many-events-in-one-chunk",),
    "events-of-a-chunk-limit=100": ("dispatch/a-thousand-events-at-once",),
    "many-lines-at-once-raise": ("dispatch/many-events-in-a-stream",),
    "events-of-a-stream-limit=256": ("dispatch/many-events-in-a-stream",),
    "events-of-a-stream-limit=1000": ("dispatch/a-thousand-events-at-once",),
    "equal-events-dropped": ("dispatch/the-data-is-reset",),
    "equal-ids-dropped": ("ids/ids-persist", "dispatch/an-id-that-stays-makes-no-event"),
    "first-event-lost": ("dispatch/the-data-is-reset", "lines/lf"),
    "last-event-lost": ("dispatch/the-data-is-reset", "lines/lf"),
    "data-shown-as-bytes": ("bytes/three-byte-character-cut",),
    "interrupted-on-a-value": ("fields/a-value-that-looks-like-more",),
}


@fault("fields/a-tab-is-kept", hangs=True)
class EndlessOnATab(ReferenceParser):
    """Does not end on a value that starts with a tab."""

    def field_data(self, value):
        while value.startswith("\t"):
            pass
        super().field_data(value)
