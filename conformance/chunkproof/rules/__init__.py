"""The registry of rules: one module a chapter; pytest items, replay and every report run this same list."""

from __future__ import annotations

from . import bytes as bytes_
from . import chunking, delivery, dispatch, end, fields, ids, lines, prefix, resources, retry, size, whole
from .rule import Rule

__all__ = ["RULES", "Rule", "find_rule"]

#: Every rule, in the order of the chapters.
RULES: tuple[Rule, ...] = tuple(
    rule
    for chapter in (
        bytes_.rule,
        lines.rule,
        fields.rule,
        dispatch.rule,
        ids.rule,
        retry.rule,
        end.rule,
        size.rule,
        resources.rule,
        chunking.rule,
        delivery.rule,
        whole.rule,
        prefix.rule,
    )
    for rule in chapter.rules
)

_BY_ID = {rule.id: rule for rule in RULES}


def find_rule(rule_id: str) -> Rule:
    """The rule of this id; LookupError names it and where to find the list."""
    try:
        return _BY_ID[rule_id]
    except KeyError:
        raise LookupError(f"{rule_id!r} is no rule of this release; `chunkproof rules` lists them") from None
