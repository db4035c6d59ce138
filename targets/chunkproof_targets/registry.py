"""The targets that have a name of their own: the reference, the parsers of the articles, real libraries."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TABLE", "Entry", "names", "normal_name"]


class Entry(NamedTuple):
    """Where a named target stands, and the distribution it needs besides ours."""

    name: str
    target: str
    distribution: str | None = None


_PUBLISHED = ("parser-a", "parser-b", "parser-c", "parser-d", "strict-reader", "fetch-loop")
_ENTRIES = (
    Entry("reference", "chunkproof_targets.reference:ReferenceParser"),
    *(Entry(name, f"chunkproof_targets.published:{name.replace('-', '_')}") for name in _PUBLISHED),
    Entry("httpx-sse", "chunkproof_targets.libraries.httpx_sse:parse", "httpx-sse"),
    Entry("sseclient-py", "chunkproof_targets.libraries.sseclient_py:parse", "sseclient-py"),
    Entry("openai", "chunkproof_targets.libraries.openai:parse", "openai"),
    Entry("launchdarkly-eventsource", "chunkproof_targets.libraries.launchdarkly:parse", "launchdarkly-eventsource"),
    Entry("anthropic", "chunkproof_targets.libraries.anthropic:parse", "anthropic"),
    Entry("requests-sse", "chunkproof_targets.libraries.requests_sse:parse", "requests-sse"),
    Entry("langgraph-sdk", "chunkproof_targets.libraries.langgraph_sdk:parse", "langgraph-sdk"),
    Entry("mistralai", "chunkproof_targets.libraries.mistralai:parse", "mistralai"),
)


def normal_name(name: str) -> str:
    """In names, ``-`` and ``_`` are one."""
    return name.replace("_", "-")


#: By normal name.
TABLE = {normal_name(entry.name): entry for entry in _ENTRIES}


def names() -> tuple[str, ...]:
    """Every registered name, in the order of the table."""
    return tuple(TABLE)
