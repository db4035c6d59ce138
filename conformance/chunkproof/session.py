"""One run of the suite under pytest: loads the targets, makes the items, gathers the results, says what came out."""

from __future__ import annotations

import difflib
import json
import os
import traceback
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chunkproof_reports import terminal
from chunkproof_reports.results import Results, RuleResult
from chunkproof_targets.contract import Target, TargetError

from .baseline import BaselineError
from .check import EFFORTS, RELEASE, describe_target, resolve_seed
from .corpus.judging import CHAPTER
from .corpus.suite import Suite, own_rules, suite
from .diagnosis.diagnose import diagnose_all
from .files import write_whole
from .isolation.judging import Isolation
from .isolation.limits import Limits
from .items import ROOT, RuleCollector, RuleItem, item_id
from .options import OURS, SHORT_NAMES_TAKEN, given_limits, named_paths
from .peace import at_peace, collect_garbage
from .profile import Profile
from .replay import replay_command, replay_settings, write_large_token
from .settings import SettingsError

__all__ = ["SuiteRun"]

_GRAVER = {"must": ("must",), "should": ("must", "should"), "info": ("must", "should", "info")}


class SuiteRun:
    """The hooks of a run with a target; registered by the plugin."""

    def __init__(self, config: pytest.Config, pasted: Sequence[str]) -> None:
        self.config = config
        option = config.option
        option.chunkproof_configured = True  # so that a worker asks for the suite too
        try:
            self.profile = Profile(
                config.invocation_params.dir,
                deviations=option.chunkproof_deviations,
                declare=option.chunkproof_declare,
                option="--chunkproof-deviations",
            )
            self.specs = self.profile.specs(option.chunkproof_target)
            if not self.specs:
                raise pytest.UsageError(self.profile.no_target(_asked_by(pasted)))
            self.baselines = self.profile.baselines(option.chunkproof_baseline, self.specs)
        except (SettingsError, TargetError, BaselineError) as error:
            raise pytest.UsageError(str(error)) from None
        try:
            limits = Limits(**given_limits(option))  # type: ignore[arg-type]
        except ValueError as error:
            raise pytest.UsageError(f"--chunkproof-{error}") from None
        # A debugger wants the terminal, which a child does not have.
        self.isolation = Isolation(limits, forked=option.chunkproof_isolation == "fork" and not option.usepdb)
        self.report_path = _writable(option.chunkproof_report, config.invocation_params.dir)
        worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self.is_worker = worker is not None
        given = option.chunkproof_seed if worker is None else worker["chunkproof_seed"]
        self.targets: list[Target] = []
        self.effort = option.chunkproof_effort or self.profile.settings.effort or "default"
        self.suite = self._suite(pasted)
        self._know_entries()
        self.rules = [rule for rule in self.suite.rules if rule.severity in _GRAVER[option.chunkproof_severity]]
        self.isolation.know(self.rules)
        self.results = Results(RELEASE, self.effort, resolve_seed(given))
        self.died: list[str] = []
        self.faulty = False
        self.undiagnosed = ""
        self._take_ids()

    # what is run --------------------------------------------------------------------------------------------------

    def _suite(self, pasted: Sequence[str]) -> Suite:
        """The rules, with the entries of this effort, of the folders that are named, and of the ids that are."""
        # The id of an entry of ours may come from a run of another effort.
        effort = "default" if any(f"::{CHAPTER}/" in one for one in pasted) else self.effort
        folders = [self.config.invocation_params.dir / name for name in self.config.option.chunkproof_corpus]
        try:
            return suite(effort, folders)
        except NotADirectoryError as error:
            raise pytest.UsageError(
                f"--chunkproof-corpus: {error} is no folder; `chunkproof corpus add` makes one"
            ) from None

    def _know_entries(self) -> None:
        """A known failure of an entry that is not there would pass unseen."""
        # One of ours may be known from a run of another effort.
        known = {rule.id for rule in (*self.suite.rules, *own_rules())}
        for baseline in self.baselines.values():
            for name in baseline.rules:
                if name.startswith(f"{CHAPTER}/") and name not in known:
                    raise pytest.UsageError(
                        f"{baseline.file}: {name} is no entry of this run: name its folder with "
                        "--chunkproof-corpus=DIR, or write the file anew (`chunkproof baseline`)"
                    )

    def _take_ids(self) -> None:
        """Take our ids out of the arguments; with nothing else named there, the user's own tests are not collected."""
        named = named_paths(self.config)
        pasted = [OURS.sub(f"{ROOT}::", arg) for arg in named if OURS.match(arg)]
        self.config.option.chunkproof_ids = pasted
        self.config.args = [arg for arg in named if not OURS.match(arg)]
        known = {item_id(rule, label) for rule in self.suite.rules for label in self.labels}
        for nodeid in pasted:
            if nodeid not in known:
                near = difflib.get_close_matches(nodeid, known, 3, 0.5)
                hint = f"near it: {', '.join(near)}" if near else "`chunkproof rules` lists them"
                raise pytest.UsageError(f"{nodeid} is no item of this run; {hint}")

    @property
    def labels(self) -> list[str]:
        """What ids say of each target: nothing where there is only one."""
        return self.specs if len(self.specs) > 1 else [""]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Load the targets: behind the conftests and the start of coverage, before the header is printed."""
        try:
            with at_peace():
                for spec in self.specs:
                    self.targets.append(self.profile.load(spec, self.isolation.rehearse))
        except TargetError as error:
            raise pytest.UsageError(str(error)) from None
        for spec, target in zip(self.specs, self.targets, strict=True):
            baseline = self.baselines.get(spec)
            self.results.targets.append(describe_target(target, baseline.file if baseline else ""))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Every worker of xdist draws from the same seed."""
        node.workerinput["chunkproof_seed"] = self.results.seed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add our items, before anybody selects or orders them."""
        pasted = set(self.config.option.chunkproof_ids)
        chosen = [
            (rule, target, label)
            for target, label in zip(self.targets, self.labels, strict=True)
            for rule in (self.suite.rules if pasted else self.rules)
            if not pasted or item_id(rule, label) in pasted
        ]
        collector = RuleCollector.from_parent(
            session,
            name=ROOT,
            nodeid=ROOT,
            chosen=chosen,
            baselines={
                target.name: self.baselines[spec]
                for spec, target in zip(self.specs, self.targets, strict=True)
                if spec in self.baselines
            },
            effort=EFFORTS[self.effort],
            seed=self.results.seed,
            isolation=self.isolation,
        )
        items.extend(session.genitems(collector))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Keep late exceptions of a target away from the user's settings, around the whole item."""
        if not isinstance(item, RuleItem):
            return (yield)
        with at_peace():
            return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Let the child end with the last rule: what was measured in it is there before pytest-cov gathers it."""
        try:
            return (yield)
        finally:
            self.isolation.end_child()

    # what comes out -----------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Tell the result of the rule by the report, as text: it may have to cross from a worker."""
        report = yield
        if isinstance(item, RuleItem) and report.when == "call" and report.passed and item.result is not None:
            tell(report, item.result)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather the results, where the terminal is."""
        if self.is_worker or not report.nodeid.startswith(f"{ROOT}::"):
            return
        data = getattr(report, "chunkproof", None)
        if data is not None:
            result = write_large_token(RuleResult.from_data(json.loads(data)), self.config)
            # An item that somebody ran again counts once, as it came out last.
            self.results.rules = [r for r in self.results.rules if (r.id, r.target) != (result.id, result.target)]
            self.results.rules.append(result)
            self.faulty |= result.status == "fault"
            if report.failed:
                text = FailureText(result, self.replay_of(result), one_line=self.config.option.tbstyle == "line")
                report.longrepr = text  # type: ignore[assignment]
        elif report.failed:
            self.died.append(report.nodeid)
            # A worker that died is the target's doing; an exception in our own item is ours.
            self.faulty |= report.when in ("setup", "call", "teardown")

    def replay_of(self, result: RuleResult) -> str:
        """The command that runs the counterexample again."""
        return replay_command(result, self.replaying())

    def replaying(self) -> list[str]:
        """The settings of this run that a replay needs too."""
        option = self.config.option
        return replay_settings(option.chunkproof_declare, option.chunkproof_deviations, given_limits(option))

    def pytest_report_header(self) -> list[str]:
        """Which target, how it is driven, what it shows, how it was found; and what repeats this run."""
        results = self.results
        lines = [f"chunkproof: {results.chunkproof}, seed {results.seed}, effort {results.effort}"]
        lines += terminal.describe_targets(results.targets)
        if not self.isolation.forked:
            lines.append("  rules run in this process: a target that exits, crashes or eats memory ends the run")
        else:
            with at_peace():
                lines += [
                    f"  {target.name} hangs in a forked process (it may keep threads): its rules run in this one"
                    for target in self.targets
                    if not self.isolation.forks(target)
                ]
        taken = self.config.stash.get(SHORT_NAMES_TAKEN, [])
        lines += [
            f"  {name} is an option of this project or another plugin: ours is --chunkproof-{name[2:]}"
            for name in taken
        ]
        return lines

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Counts, the verdict in words, and what to type next."""
        if self.is_worker:
            return
        for problem in self.suite.problems:
            terminalreporter.write_line(f"not used: {terminal.show_line(str(problem))}", red=True)
        if self.config.option.collectonly:
            return
        self._sort()
        ran = terminal.Ran(
            rules=len(self.suite.rules),
            option="--chunkproof-target" if "--target" in self.config.stash.get(SHORT_NAMES_TAKEN, []) else "--target",
            settings=self.settings(),
            replaying=self.replaying(),
            died=self.died,
        )
        terminalreporter.write_sep("=", "chunkproof")
        for line in terminal.summary(self.results, ran, colour=terminalreporter.hasmarkup):
            terminalreporter.write_line(line)
        if self.undiagnosed:
            terminalreporter.write_line(self.undiagnosed)
        if self.report_path:
            terminalreporter.write_line(f"results written to {self.report_path}")

    def settings(self) -> list[str]:
        """The options of this run that bear on what is judged how."""
        option = self.config.option
        words = [f"--chunkproof-declare={setting}" for setting in option.chunkproof_declare]
        words += [f"--chunkproof-deviations={names}" for names in option.chunkproof_deviations or ()]
        words += [f"--chunkproof-corpus={folder}" for folder in option.chunkproof_corpus]
        if option.chunkproof_baseline:
            words.append(f"--chunkproof-baseline={option.chunkproof_baseline}")
        if option.chunkproof_seed:
            words.append(f"--chunkproof-seed={self.results.seed}")
        words += [f"--chunkproof-{name}={value:g}" for name, value in given_limits(option).items()]
        if option.chunkproof_isolation != "fork":
            words.append(f"--chunkproof-isolation={option.chunkproof_isolation}")
        return words

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the report, and let a fault of ours, or a run that judged nothing, show in the exit status."""
        collect_garbage()
        if self.is_worker:
            return
        self._sort()
        if not self.config.option.collectonly and exitstatus != pytest.ExitCode.INTERRUPTED:
            self._diagnose(session)
        if self.report_path:
            write_whole(self.report_path, self.results.to_json())
        if self.faulty:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        elif self.config.option.collectonly:
            if exitstatus == pytest.ExitCode.OK and self.suite.problems:
                session.exitstatus = pytest.ExitCode.USAGE_ERROR
        elif exitstatus == pytest.ExitCode.OK and not any(r.judged for r in self.results.rules):
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
        elif exitstatus == pytest.ExitCode.OK and self.suite.problems:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _diagnose(self, session: pytest.Session) -> None:
        """Look for causes; whatever becomes of that, the results are there."""
        targets = list(self._to_be_diagnosed())
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if targets and reporter is not None and reporter.isatty and any(one.fails for one in self.results.rules):
            reporter.write("\nlooking for what is behind it ... ")
        try:
            with at_peace():
                diagnose_all(self.results, targets, self.isolation)
        except KeyboardInterrupt:
            self.undiagnosed = "the diagnosis was stopped"
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        except Exception:  # a fault of ours is told, and takes no result with it
            self.undiagnosed = f"The diagnosis failed: a fault of chunkproof itself.\n{traceback.format_exc()}"
            self.faulty = True

    def _to_be_diagnosed(self) -> Iterator[Target]:
        """The targets by all of whose rules there is a result: by a few, nobody asks for a cause."""
        wanted = self.config.option.chunkproof_diagnosis
        for target in self.targets:
            done = sum(result.target == target.name for result in self.results.rules)
            if wanted == "full" or (wanted == "auto" and done == len(self.rules)):
                yield target

    def pytest_unconfigure(self) -> None:
        """Give back what the targets hold."""
        with at_peace():
            while self.targets:
                self.targets.pop().close()
        self.isolation.close()
        collect_garbage()

    def _sort(self) -> None:
        order = {rule.id: place for place, rule in enumerate(self.suite.rules)}
        targets = {target.name: place for place, target in enumerate(self.results.targets)}
        self.results.rules.sort(key=lambda result: (targets.get(result.target, 0), order.get(result.id, len(order))))


class FailureText:
    """What pytest prints of a failed rule: text that is drawn where the terminal is, as wide as it is.

    Under ``--tb=line`` pytest prints one line of its own making, and this draws nothing.
    """

    def __init__(self, result: RuleResult, replay: str, *, one_line: bool) -> None:
        self.result = result
        self.replay = replay
        self.one_line = one_line
        self.reprcrash = _Crash(f"{ROOT}::{result.id}", terminal.one_line(result))

    def toterminal(self, writer: Any) -> None:
        """Draw it."""
        if not self.one_line:
            width = min(writer.fullwidth, 120)
            writer.line(terminal.failure(self.result, self.replay, width=width, colour=writer.hasmarkup))

    def __str__(self) -> str:
        return terminal.failure(self.result, self.replay)


@dataclass(frozen=True)
class _Crash:
    """What pytest's short summary and other reporters look for."""

    path: str
    message: str
    lineno: int = 0

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def tell(report: pytest.TestReport, result: RuleResult) -> None:
    """Put a result into a report: failed for a broken must or should, skipped with the reason where not judged.

    A known failure is shown as an expected one, which pytest counts apart.
    """
    # Text, and ASCII: what a target hands out may hold lone surrogates, which do not cross to the controller.
    report.__dict__["chunkproof"] = json.dumps(result.to_data())
    if result.fails or result.status == "fault":
        report.outcome = "failed"
        report.longrepr = terminal.one_line(result)
        report.sections = [(name, terminal.last_lines(text)) for name, text in report.sections]
    elif result.status == "not judged":
        report.outcome = "skipped"
        report.longrepr = (ROOT, None, f"Skipped: {result.reason}")  # type: ignore[assignment]
    elif result.status == "known":
        report.outcome = "skipped"
        report.longrepr = (ROOT, None, result.reason)  # type: ignore[assignment]
        report.__dict__["wasxfail"] = result.reason


def _asked_by(pasted: Sequence[str]) -> str:
    return f"{pasted[0]} is a rule of chunkproof" if pasted else "--chunkproof"


def _writable(report: str, folder: Path) -> Path | None:
    if not report:
        return None
    path = folder / report
    if not path.parent.is_dir():
        raise pytest.UsageError(f"--chunkproof-report={report}: there is no folder {path.parent}: make it first")
    if not os.access(path.parent, os.W_OK):
        raise pytest.UsageError(f"--chunkproof-report={report}: the folder {path.parent} cannot be written to")
    if path.is_dir():
        raise pytest.UsageError(f"--chunkproof-report={report}: this is a folder; give the name of a file in it")
    return path
