"""A campaign whose shards run on the workers of a scheduler: it ends and is shown as one on this machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chunkproof_reports.campaign.record import CampaignRecord

from ..supervisor import COLLECTING, LOOK, Campaign, Process
from .scheduler import Remote

__all__ = ["RemoteCampaign"]


@dataclass
class RemoteCampaign(Campaign):
    """A campaign on other machines; ``remote`` hands out its slices."""

    remote: Remote | None = None

    def run(self) -> CampaignRecord:
        """Run it; SchedulerError where it cannot go on. Ctrl-C ends it: what is not handed over by then is lost."""
        assert self.remote is not None
        self._known = frozenset(record["id"] for record in self.state.records())
        ended = ""
        with self.remote:
            try:
                while not ended:
                    goes_on = self.remote.step(LOOK, self._remaining())
                    self.show(self._record(self._shards()))
                    ended = self._why_it_ends(self._shards())
                    if not goes_on and not ended:
                        # What little time is left is not worth another slice.
                        ended = "the time is up" if self.remote.has_more else "all seeds are done"
                self._take_in_the_rest()
            except KeyboardInterrupt:
                ended = "interrupted"
        if self.remote.given_up:
            ranges = ", ".join(f"{first}:{end}" for first, end in self.remote.given_up)
            ended += f"; seeds {ranges} could not be run: {self.remote.notes[-1]}"
        record = replace(self._record(self._shards()), ended=ended, remaining=None)
        self.show(record)
        return record

    def _remaining(self) -> float | None:
        return None if self.ending.seconds is None else self.ending.seconds - (time.monotonic() - self._began)

    def _take_in_the_rest(self) -> None:
        """Slices that are out end by themselves when the time is up, and collect what they have."""
        assert self.remote is not None
        until = time.monotonic() + COLLECTING
        with contextlib.suppress(KeyboardInterrupt):
            while time.monotonic() < until and self.remote.step(LOOK, 0.0):
                self.show(self._record(self._shards()))

    def _shards(self) -> Sequence[Process]:
        """The workers that have handed something over; and one that has not, so that there is never none."""
        assert self.remote is not None
        workers = [Process(name, engine, [], self.state.logs) for name, engine in self.remote.shards]
        return [*workers, Process("", "", [], self.state.logs)]
