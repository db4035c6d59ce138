"""The targets that have a name of their own: the reference, the parsers of the articles, real libraries."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TABLE", "Entry", "names", "normal_name"]


class Entry(NamedTuple):
    """Where a named target stands, and the distribution it needs besides ours.

    ``packages`` are the top-level packages of that distribution in which the parser stands.
    """

    name: str
    target: str
    distribution: str | None = None
    packages: tuple[str, ...] = ()


_PUBLISHED = ("parser-a", "parser-b", "parser-c", "parser-d", "strict-reader", "fetch-loop")
_ENTRIES = (
    Entry("reference", "chunkproof_targets.reference:ReferenceParser"),
    *(Entry(name, f"chunkproof_targets.published:{name.replace('-', '_')}") for name in _PUBLISHED),
    Entry("httpx-sse", "chunkproof_targets.libraries.httpx_sse:parse", "httpx-sse", ("httpx_sse",)),
    Entry("sseclient-py", "chunkproof_targets.libraries.sseclient_py:parse", "sseclient-py", ("sseclient",)),
    Entry("openai", "chunkproof_targets.libraries.openai:parse", "openai", ("openai",)),
    Entry(
        "launchdarkly-eventsource",
        "chunkproof_targets.libraries.launchdarkly:parse",
        "launchdarkly-eventsource",
        ("ld_eventsource",),
    ),
    Entry("anthropic", "chunkproof_targets.libraries.anthropic:parse", "anthropic", ("anthropic",)),
    Entry("requests-sse", "chunkproof_targets.libraries.requests_sse:parse", "requests-sse", ("requests_sse",)),
    Entry("langgraph-sdk", "chunkproof_targets.libraries.langgraph_sdk:parse", "langgraph-sdk", ("langgraph_sdk",)),
    Entry("mistralai", "chunkproof_targets.libraries.mistralai:parse", "mistralai", ("mistralai",)),
)


def normal_name(name: str) -> str:
    """In names, ``-`` and ``_`` are one."""
    return name.replace("_", "-")


#: By normal name.
TABLE = {normal_name(entry.name): entry for entry in _ENTRIES}


def names() -> tuple[str, ...]:
    """Every registered name, in the order of the table."""
    return tuple(TABLE)
