"""Settings of the project's own tests."""

from __future__ import annotations

from hypothesis import settings

# The same examples everywhere: without this, Hypothesis takes another profile where CI is set, and a deadline by the
# clock elsewhere.
settings.register_profile("chunkproof tests", derandomize=True, database=None, deadline=None)
settings.load_profile("chunkproof tests")
