"""Runs that took a process with them: made small in fresh children, and kept, within a part of the time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from chunkproof_targets.contract import Target

from ..counterexample import decode_token
from ..isolation.child import Ended
from ..isolation.judging import Isolation
from ..rules import Rule
from .found import Found
from .state import State

__all__ = ["Stops"]

# The part of the time that goes into it, and seconds at the start.
_SHARE, _START = 0.3, 15.0


@dataclass
class Stops:
    """What an engine's ended processes have shown of a target.

    ``passed_over`` are those for which there was no time.
    """

    target: Target
    isolation: Isolation
    state: State
    engine: str
    passed_over: int = 0
    _began: float = field(default_factory=time.monotonic)
    _spent: float = 0.0

    def take(self, rule: Rule, ended: Ended, seed: str) -> Found | None:
        """The finding, in the inbox by now; None where the run was right in the end, or there is no time to tell."""
        if self._spent > _START + _SHARE * (time.monotonic() - self._began):
            self.passed_over += 1
            return None
        started = time.monotonic()
        result = self.isolation.stopped(rule, self.target, ended)
        self._spent += time.monotonic() - started
        if result is None:
            return None
        if result.counterexample is None:
            raise RuntimeError(result.reason)
        case, kind = decode_token(result.counterexample.token), result.counterexample.kind
        found = Found.of_case(case, kind, engine=self.engine, seed=seed)
        self.state.put(found)
        return found
