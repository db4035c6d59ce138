"""Settings of the project's own tests."""

from __future__ import annotations

import threading

import pytest
from hypothesis import settings

from chunkproof import ways

# The same examples everywhere: without this, Hypothesis takes another profile where CI is set, and a deadline by the
# clock elsewhere.
settings.register_profile("chunkproof tests", derandomize=True, database=None, deadline=None)
settings.load_profile("chunkproof tests")


#: Files whose tests share nothing: each test may run in any process. Of all other files, what their tests share is made
#: once, in one process.
SPREAD = ("test_no_false_alarm.py", "test_no_false_finding.py", "test_published_verdicts.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadFileScheduling

    class FileByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if nodeid.partition("::")[0].endswith(SPREAD) else super()._split_scope(nodeid)

    return FileByFile(config, log)


@pytest.fixture(autouse=True)
def threads_of_other_tests(monkeypatch):
    """Threads that an earlier test, or a parser of the gallery, has left in this process belong to no later target."""
    monkeypatch.setattr(ways, "_THREADS", frozenset(threading.enumerate()))
