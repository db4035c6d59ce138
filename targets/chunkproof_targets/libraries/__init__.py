"""Real libraries as targets: one small module for each, with one function ``parse(chunks)``.

``parse`` is a generator over an iterable of chunks of bytes that yields the library's own objects, unaltered. Each
module says what of the library it uses, what it bypasses, and on which version that was looked up. There is no network
and no thread in any of them. Nothing here imports a library: that happens when its module is imported.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["LIBRARIES", "Library", "find_library"]


class Library(NamedTuple):
    """One library that can be a target by name.

    ``distributions`` are the names to install: the library first, then what it needs but does not ask for.
    """

    name: str
    module: str
    distributions: tuple[str, ...]

    def versions(self) -> tuple[str, ...]:
        """The installed distributions with their versions (``httpx-sse 0.4.3``), without those that are missing."""
        found = []
        for distribution in self.distributions:
            try:
                found.append(f"{distribution} {importlib.metadata.version(distribution)}")
            except importlib.metadata.PackageNotFoundError:
                continue
        return tuple(found)

    def is_installed(self) -> bool:
        """Whether all that the module imports is there."""
        return len(self.versions()) == len(self.distributions)


_ALL = (
    # httpx-sse imports httpx without asking for it.
    Library("httpx_sse", f"{__name__}.httpx_sse", ("httpx-sse", "httpx")),
    Library("sseclient_py", f"{__name__}.sseclient_py", ("sseclient-py",)),
    Library("openai", f"{__name__}.openai", ("openai",)),
    Library("launchdarkly", f"{__name__}.launchdarkly", ("launchdarkly-eventsource",)),
)

#: The libraries by the name that ``--target`` takes.
LIBRARIES: Mapping[str, Library] = MappingProxyType({library.name: library for library in _ALL})


def find_library(name: str) -> Library | None:
    """The library of this name, or whose distribution has it; ``-`` and ``_`` are one. None if there is none.

    >>> find_library("launchdarkly-eventsource").module
    'chunkproof_targets.libraries.launchdarkly'
    """
    wanted = name.replace("-", "_").lower()
    for library in _ALL:
        if wanted in (library.name, library.distributions[0].replace("-", "_")):
            return library
    return None
