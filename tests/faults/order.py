"""What must catch each deviation in the order and the repetition of fields."""

from __future__ import annotations

#: The rules that must be broken by each entry, by its name.
CATCHES = {
    "fields-behind-data-ignored": ("fields/order-does-not-matter",),
    "type-behind-data-ignored": ("fields/order-does-not-matter",),
    "id-behind-data-ignored": ("fields/order-does-not-matter",),
    "type-must-come-first": ("fields/order-does-not-matter",),
    "type-drops-the-data-before": ("fields/order-does-not-matter",),
    "type-begins-an-event": ("fields/order-does-not-matter",),
    "id-begins-an-event": ("fields/order-does-not-matter",),
    "first-type-wins": ("fields/the-last-type-counts",),
    "types-are-joined": ("fields/the-last-type-counts",),
    "first-id-wins": ("fields/the-last-id-counts",),
    "first-retry-wins": ("fields/the-last-retry-counts",),
    "repeated-field-raises": (
        "fields/the-last-type-counts",
        "fields/the-last-id-counts",
        "fields/the-last-retry-counts",
    ),
}
