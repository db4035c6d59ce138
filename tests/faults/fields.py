"""What must catch each deviation between lines and fields."""

from __future__ import annotations

#: The rules that must be broken by each entry, by its name.
CATCHES = {
    "space-after-colon-required": ("fields/no-space",),
    "no-space-raises": ("fields/no-space",),
    "space-not-removed": ("fields/one-space-is-removed",),
    "space-kept-in-types": ("fields/one-space-in-a-type",),
    "space-kept-in-ids": ("fields/one-space-in-an-id",),
    "space-kept-in-retries": ("retry/digits-set-the-time",),
    "value-overtrimmed": (
        "fields/a-second-space-is-kept",
        "fields/a-tab-is-kept",
        "fields/trailing-blanks-are-kept",
    ),
    "value-trimmed-at-the-end": ("fields/trailing-blanks-are-kept",),
    "value-trimmed-at-the-start": (
        "fields/a-second-space-is-kept",
        "fields/a-tab-is-kept",
    ),
    "all-spaces-removed": ("fields/a-second-space-is-kept",),
    "space-removed-twice": ("fields/a-second-space-is-kept",),
    "a-tab-is-removed": ("fields/a-tab-is-kept",),
    "any-blank-removed": ("fields/a-tab-is-kept",),
    "any-first-character-removed": ("fields/no-space",),
    "name-letters-removed": ("fields/one-space-is-removed",),
    "empty-value-crash": (
        "dispatch/empty-data-is-an-event",
        "fields/empty-data-lines-count",
        "fields/a-leading-empty-data-line-counts",
        "fields/a-trailing-empty-data-line-counts",
    ),
    "value-split-on-last-colon": ("fields/colons-in-the-value",),
    "value-split-on-colon": ("fields/colons-in-the-value",),
    "value-split-on-colon-space": ("fields/colons-in-the-value",),
    "colon-in-the-value-raises": ("fields/colons-in-the-value",),
    "colon-space-in-the-value-raises": ("fields/colons-in-the-value",),
    "no-colon-ignored": (
        "fields/data-without-colon",
        "fields/event-without-colon",
        "fields/id-without-colon",
    ),
    "no-colon-raises": (
        "fields/data-without-colon",
        "fields/event-without-colon",
        "fields/id-without-colon",
        "fields/retry-without-colon",
    ),
    "no-colon-is-data": (
        "fields/data-without-colon",
        "fields/event-without-colon",
        "fields/id-without-colon",
    ),
    "no-colon-cuts-the-name": (
        "fields/data-without-colon",
        "fields/event-without-colon",
        "fields/id-without-colon",
    ),
    "data-without-colon-ignored": ("fields/data-without-colon",),
    "event-without-colon-ignored": ("fields/event-without-colon",),
    "id-without-colon-ignored": ("fields/id-without-colon",),
    "retry-without-colon-raises": ("fields/retry-without-colon",),
}
