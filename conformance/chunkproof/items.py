"""The pytest items: one for each rule and target, of a kind of their own.

They are no functions: no fixture of the user reaches them, and they belong to no file of the user's project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from chunkproof_reports.results import RuleResult
from chunkproof_targets.contract import Target

from .baseline import Baseline, judge_known
from .isolation.judging import Isolation
from .peace import at_peace
from .rule_check import Effort
from .rules import Rule

__all__ = ["ROOT", "RuleCollector", "RuleItem", "item_id"]

#: The first part of every id.
ROOT = "chunkproof"
# A file that exists (`--new-first` asks for its age) and that no conftest of the user stands above.
_PATH = Path(__file__)


def item_id(rule: Rule, target: str) -> str:
    """The id of an item; ``target`` is empty where there is only one."""
    return f"{ROOT}::{rule.id}" + (f"[{target}]" if target else "")


class RuleCollector(pytest.Collector):
    """Collects one item for each rule and target that was chosen; ``baselines`` are known failures by target."""

    def __init__(
        self,
        *,
        chosen: list[tuple[Rule, Target, str]],
        baselines: Mapping[str, Baseline],
        effort: Effort,
        seed: str,
        isolation: Isolation,
        **kw: Any,
    ) -> None:
        super().__init__(**kw)
        self.chosen = chosen
        self.baselines = baselines
        self.effort = effort
        self.seed = seed
        self.isolation = isolation

    def collect(self) -> Iterable[pytest.Item]:
        """The items, in the order of the registry."""
        for rule, target, label in self.chosen:
            nodeid = item_id(rule, label)
            yield RuleItem.from_parent(
                self, name=nodeid.partition("::")[2], nodeid=nodeid, path=_PATH, rule=rule, target=target
            )


class RuleItem(pytest.Item):
    """One rule against one target."""

    parent: RuleCollector

    def __init__(self, *, rule: Rule, target: Target, **kw: Any) -> None:
        super().__init__(**kw)
        self.rule = rule
        self.target = target
        self.result: RuleResult | None = None
        if self.config.pluginmanager.hasplugin("timeout"):
            # The suite has a clock of its own; another alarm would end the whole run instead of one run of the target.
            self.add_marker(pytest.mark.timeout(0))

    def runtest(self) -> None:
        """Judge; what comes out is kept, and told by the report."""
        run, rule, target = self.parent, self.rule, self.target
        baseline = run.baselines.get(target.name)
        with at_peace():
            self.result = None if baseline is None else judge_known(baseline, rule, target, run.isolation)
            if self.result is None:
                self.result = run.isolation.check_rule(rule, target, effort=run.effort, seed=run.seed)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where pytest says the item stands."""
        return self.path, None, self.name

    @property
    def location(self) -> tuple[str, int | None, str]:
        """Under the suite's name, not under a file of the installed package."""
        return ROOT, None, self.name
