"""What becomes of a finding: run again, diagnosed, told from the others, stored.

Engines put what they find into the inbox of a campaign; whoever holds its lock collects. A finding whose fault is known
by then is counted and not kept twice. What does not fail again in a process of its own is kept too, and said to be so.

Who collects may be killed between any two writes. The next one comes to the same end: a record says which file of the
inbox it has counted (``taken``), which records are counted in it and can go (``absorbs``), and that its entry is to be
written anew (``due``); it is ``settled`` last, and stays so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from chunkproof_reports.results import DeviationRecord, RuleResult
from chunkproof_targets.contract import Run, Target, TargetError, TargetStopped
from chunkproof_targets.deviations import Deviation, find_deviation

from ..corpus.entry import Entry, EntryError
from ..corpus.making import Described, entry_of
from ..corpus.store import rewrite_entry, write_entry
from ..counterexample import decode_token
from ..diagnosis.asking import Asker
from ..diagnosis.diagnose import diagnose
from ..isolation.judging import Isolation
from ..replay import ReplayError
from ..rule_run import Finding
from ..rules import find_rule
from .causes import fewest, sets_of
from .found import Found, FoundError, is_on_what_comes_out
from .hunt import explains
from .state import State, read_json, shown

__all__ = ["FINDINGS_MAX", "Collector", "named"]

#: A campaign keeps so many findings; beyond that it counts those that it has, and lets go what is new.
FINDINGS_MAX = 300
# Of so many findings the cause is looked for at a time, the smallest first.
_DIAGNOSED_AT_ONCE = 12
# Rules on everything at once: that one is known to be broken says nothing of what else breaks it.
_OF_ALL = ("whole/", "prefix/")
_ENTRY = "fuzz-"
_SECOND_RUN = "whole/a-second-run-sees-nothing-of-the-first"

_ENDS_THIS = (
    "it has ended the process of its shard. This target keeps threads and is run in that process, so it was neither "
    "made small nor run again there: to replay it by hand does so"
)
_STOPPED = ("hung", "died", "memory", "output")

Record = dict[str, Any]


class Collector:
    """Collects the findings of one target's campaign.

    ``baseline`` are the deviations that are no news from the start. ``signatures`` and ``failures`` (the rule, and in
    what way) are what the baseline knows. ``began`` is when the campaign began, by `time.time`; ``beat`` is called
    between two steps, each of which takes some seconds at most.
    """

    def __init__(
        self,
        state: State,
        target: Target,
        isolation: Isolation,
        *,
        seed: str,
        began: float,
        baseline: Sequence[Deviation] = (),
        signatures: Iterable[str] = (),
        failures: Iterable[tuple[str, str]] = (),
        beat: Callable[[], object] = lambda: None,
    ) -> None:
        self.state = state
        self.target = target
        self.isolation = isolation
        self.seed = seed
        self.began = began
        self.baseline = tuple(baseline)
        self.signatures = frozenset(signatures)
        self.failures = frozenset(one for one in failures if not one[0].startswith(_OF_ALL))
        self.beat = beat
        self._results: dict[str, RuleResult] = {}
        self._records: dict[str, Record] = {}

    def collect(self, *, wait: bool = False) -> bool:
        """Deal with all that waits; false where another does so at the moment, and this does not ``wait``."""
        with self.state.lock(wait=wait) as is_held:
            if not is_held:
                return False
            asker = Asker(self.target, self.isolation)
            try:
                self._results.clear()
                self._look_again()
                self._records = {record["id"]: record for record in self.state.records()}
                self._resume()
                for path in self.state.waiting():
                    self.beat()
                    self._take(path)
                self._find_causes(asker)
            finally:
                asker.close()
            return True

    @property
    def has_work(self) -> bool:
        """Whether something waits, or is not settled yet."""
        return bool(self.state.waiting() or self.state.of_earlier()) or not all(map(_is_done, self.state.records()))

    def known(self) -> tuple[Deviation, ...]:
        """The deviations that are no news: those that the baseline knows, and those found so far."""
        return (*self.baseline, *(one for one in named(self.state.known()) if one not in self.baseline))

    # what was found before ----------------------------------------------------------------------------------------

    def _look_again(self) -> None:
        """A finding of an earlier campaign stays one if it fails still. If not, it is past, and its entry stays."""
        for path in self.state.of_earlier():
            self.beat()
            try:
                record = read_json(path)
                fails_still = self._fails_still(Found.from_data(record))
            except (FoundError, OSError, ValueError):
                path.replace(self.state.artefacts / path.name)
                continue
            if fails_still:
                path.replace(self.state.findings / path.name)
            else:
                self.state.put_away(path)

    def _fails_still(self, found: Found) -> bool:
        try:
            return self._run_again(found).counterexample is not None
        except ReplayError:
            return True  # nobody knows

    # one finding --------------------------------------------------------------------------------------------------

    def _write(self, record: Record) -> None:
        self.state.write_record(record)
        self._records[record["id"]] = record

    def _resume(self) -> None:
        """End what was begun by who collected before: records that are counted in others go."""
        for record in list(self._records.values()):
            if "absorbs" in record:
                self._absorb(record)
        self._write_known()

    def _write_known(self) -> None:
        """Known is what explains a finding, and no sooner than the finding says so; what is expected is no finding."""
        expected = {*(one.name for one in self.baseline), *self.target.deviations}
        names = {name for record in self._records.values() for name in record["deviations"]}
        if names - expected != set(self.state.known()):
            self.state.write_known(names - expected)

    def _take(self, path: Path) -> None:
        """A file of the inbox: it becomes a record, or is counted in the one there is."""
        try:
            taken = path.stat().st_mtime_ns
        except FileNotFoundError:
            return
        found = self.state.take(path)
        if found is None:
            return
        record = self._records.get(found.signature)
        if record is not None:
            if record.get("taken") != taken:
                self._write(record | {"count": record["count"] + 1, "taken": taken})
        elif not self._is_expected(found) and len(self._records) < FINDINGS_MAX:
            self._write(self._record(found) | {"taken": taken})
        path.unlink(missing_ok=True)

    def _is_expected(self, found: Found) -> bool:
        return found.signature in self.signatures or (found.rule, found.kind) in self.failures

    def _record(self, found: Found) -> Record:
        """The finding, run once more where nothing has been before."""
        note = ""
        try:
            result = self._replayed(found)
        except ReplayError as error:
            again, note = None, str(error)
        else:
            again = result.counterexample
            if result.status == "fault":
                note = f"it could not be run alone: {result.reason.strip().splitlines()[-1]}"
            elif again is None:
                note = "run alone in a process of its own, the target was right"
            else:
                self._results[found.signature] = result
                if again.kind != found.kind:
                    note = f"run alone in a process of its own, it failed otherwise: {again.kind}"
        now = time.time()
        return {
            "id": found.signature,
            **found.to_data(),
            "rule": found.rule,
            **shown(found),
            "reproducible": again is not None,
            "note": note,
            "settled": False,
            "deviations": [],
            "equals": {},
            "entry": "",
            "count": 1,
            "found": round(now, 3),
            "seconds": round(now - self.began, 3),
        }

    def _replayed(self, found: Found) -> RuleResult:
        """What a process of its own says of a finding. A rule that measures has done so several times."""
        if found.result is not None:
            return RuleResult.from_data(dict(found.result))
        return self._run_again(found)

    def _run_again(self, found: Found) -> RuleResult:
        """The same, in any case run again; ReplayError where that would end this process."""
        if found.kind == "died" and not self.isolation.forks(self.target):
            raise ReplayError(_ENDS_THIS)
        return self.isolation.replay(found.case, self.target)

    def _result(self, record: Record) -> RuleResult | None:
        """The broken rule that a finding is; None where it has come to be right."""
        result = self._results.get(record["id"])
        if result is None:
            try:
                result = self._replayed(Found.from_data(record))
            except ReplayError:
                return None
            if result.counterexample is None:
                return None
            self._results[record["id"]] = result
        # The diagnosis tells broken rules apart by their ids: several findings may be of one rule.
        rule = find_rule(result.id)
        if is_on_what_comes_out(rule) and rule.id != _SECOND_RUN:
            result = replace(result, id=f"fuzz/{record['id']}", case_of=rule.id)
        return result

    # causes -------------------------------------------------------------------------------------------------------

    def _find_causes(self, asker: Asker) -> None:
        """Look for the cause of each finding that has none yet, and keep the smallest finding of each cause."""
        records = list(self._records.values())
        if all(map(_is_done, records)):
            return
        pending = [one for one in records if one["reproducible"] and not one["settled"] and not one["deviations"]]
        pending = self._unexplained(pending, asker)
        before = self.state.known()
        while pending:
            self.beat()
            pending.sort(key=_size)
            now, pending = pending[:_DIAGNOSED_AT_ONCE], pending[_DIAGNOSED_AT_ONCE:]
            self._name(now)
            pending = self._unexplained(pending, asker)
        if self.state.known() != before:
            # What nothing explained may be explained by what was found since.
            left = [one for one in self._records.values() if one["reproducible"] and not one["deviations"]]
            self._unexplained(left, asker)
        self._settle()

    def _unexplained(self, records: Iterable[Record], asker: Asker) -> list[Record]:
        """Those of them that what is known does not explain; the cause of the others is written down."""
        known, left = self.known(), []
        for record in records:
            self.beat()
            causes = self._causes_among(known, record, asker)
            if causes:
                # An entry that was made by then does not say so.
                self._drop_entry(record)
                changed = {"deviations": [one.name for one in causes], "entry": "", "due": True}
                self._write(record | changed)
            else:
                left.append(record)
        return left

    def _causes_among(self, known: Sequence[Deviation], record: Record, asker: Asker) -> tuple[Deviation, ...]:
        """The one that explains a finding, or else a few that do together."""
        found = Found.from_data(record)
        rule = find_rule(found.rule)
        if not known or found.kind in _STOPPED:
            return ()
        finding = Finding(found.before, found.wire, found.cuts, found.kind, Run())
        if is_on_what_comes_out(rule):
            seen = asker.ask(found.question, apart=rule.id == _SECOND_RUN)
            if isinstance(seen.run.failure, TargetStopped):
                return ()
            finding = replace(finding, run=seen.run)

        def does(some: tuple[Deviation, ...]) -> bool:
            return explains(some, self.target, rule, finding)

        return next((fewest(some, does) for some in sets_of(tuple(known)) if does(some)), ())

    def _name(self, records: Sequence[Record]) -> None:
        """Diagnose some findings at once, beside one of each cause that is known by then."""
        ids = {record["id"] for record in records}
        leads = [one for one in self._records.values() if one["settled"] and one["deviations"] and one["id"] not in ids]
        broken: dict[str, RuleResult] = {}
        for record in (*records, *leads[:_DIAGNOSED_AT_ONCE]):
            result = self._result(record)
            if result is not None:
                broken.setdefault(result.id, result)
        if not broken:
            return
        found = diagnose(self.target, list(broken.values()), self.isolation, seed=self.seed)
        # What the target declares is no cause: the stream fails all the same.
        seen = [one for one in found.deviations if not one.declared]
        told_of = []
        for record in records:
            result = self._result(record)
            causes = [] if result is None else [one for one in seen if result.id in one.rules]
            equals = {one.name: list(one.equals) for one in causes if one.equals}
            told_of.append(record | {"deviations": [one.name for one in causes], "equals": equals})
        told = {name for record in (*self._records.values(), *told_of) for name in record["deviations"]}
        self._seen_in_answers(one for one in seen if one.name not in told)
        for record in told_of:
            self._write(record)
        self._write_known()

    def _seen_in_answers(self, deviations: Iterable[DeviationRecord]) -> None:
        """What the diagnosis has seen in the target's answers is a finding too, though no engine has met it."""
        for one in deviations:
            if not one.token:
                continue
            case = decode_token(one.token)
            try:
                again = self.isolation.replay(case, self.target).counterexample
            except ReplayError:
                continue
            if again is not None:
                found = Found.of_case(case, again.kind, engine="diagnosis", seed="")
                causes = {"deviations": [one.name], "equals": {one.name: list(one.equals)}}
                self._write(self._record(found) | causes)

    # one of each --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Of the findings with one cause one stays, with its entry; what the baseline knows goes.

        It is the one that was told of before, or else the smallest.
        """
        of_cause: dict[tuple[str, ...], list[Record]] = {}
        expected = {one.name for one in self.baseline}
        for record in list(self._records.values()):
            names = tuple(record["deviations"])
            if names and expected.issuperset(names):
                self._drop(record)
            else:
                # What is in no catalogue, or was seen once, is told by its own stream alone.
                of_cause.setdefault(names or (record["id"],), []).append(record)
        for records in of_cause.values():
            self.beat()
            self._keep_one(sorted(records, key=lambda one: (not one["settled"], _size(one))))

    def _keep_one(self, records: Sequence[Record]) -> None:
        lead, *others = records
        if others:
            equals = {name: alike for one in reversed(records) for name, alike in one["equals"].items()}
            lead = lead | {
                "count": sum(one["count"] for one in records),
                "found": min(one["found"] for one in records),
                "seconds": min(one["seconds"] for one in records),
                "equals": {name: alike for name, alike in equals.items() if name in lead["deviations"]},
                "absorbs": [one["id"] for one in others],
            }
            if seen := _seen_by_all(records):
                lead["seen"] = seen
            self._write(lead)
            lead = self._absorb(lead)
        if not _is_done(lead):
            done = self._with_entry(lead) | {"settled": True}
            self._write({key: value for key, value in done.items() if key != "due"})

    def _absorb(self, lead: Record) -> Record:
        """Let go the records that are counted in this one."""
        names = lead["absorbs"] if isinstance(lead["absorbs"], list) else []
        for record in list(self._records.values()):
            if record["id"] in names and record["id"] != lead["id"]:
                self._drop(record)
        lead = {key: value for key, value in lead.items() if key != "absorbs"}
        self._write(lead)
        return lead

    def _drop(self, record: Record) -> None:
        self._drop_entry(record)
        (self.state.findings / f"{record['id']}.json").unlink(missing_ok=True)
        del self._records[record["id"]]

    def _drop_entry(self, record: Record) -> None:
        """Remove the entry of a record, also one that it does not know of yet."""
        self._entry_path(record).unlink(missing_ok=True)
        corpus = self.state.corpus.resolve()
        path = (self.state.folder / record["entry"]).resolve()
        if record["entry"] and path.is_relative_to(corpus):
            with suppress(FileNotFoundError):
                path.unlink()

    def _entry_path(self, record: Record) -> Path:
        return self.state.corpus / find_rule(record["rule"]).chapter / f"{_ENTRY}{record['id']}.json"

    def _with_entry(self, record: Record) -> Record:
        """The record with the entry of the corpus that it has; one that can be none says why."""
        if not record["reproducible"] or (record["entry"] and (self.state.folder / record["entry"]).is_file()):
            return record
        path = self._entry_path(record)
        try:
            entry = self._entry(Found.from_data(record), record["deviations"])
            try:
                path = write_entry(self.state.corpus, entry)
            except FileExistsError:
                # Of one who was killed before the record could say so.
                rewrite_entry(path, entry)
        except EntryError as error:
            return record | {
                "entry": "",
                "note": record["note"] or f"no entry of the corpus can be made of it: {error}",
            }
        return record | {"entry": path.relative_to(self.state.folder).as_posix()}

    def _entry(self, found: Found, names: Sequence[str]) -> Entry:
        deviations = named(names)
        title = (
            deviations[0].what if deviations else f"A stream that {self.target.name} has read otherwise ({found.kind})."
        )
        said = Described(
            id=f"{_ENTRY}{found.signature}",
            title=f"Found by a campaign: {title}",
            rules=(found.rule,),
            origin={"kind": "fuzz", "reference": f"{found.engine}, seed {found.seed}" if found.seed else found.engine},
        )
        return entry_of(found.question, said)


def _is_done(record: Record) -> bool:
    """Whether nothing is left to do for a record."""
    return bool(record["settled"]) and "absorbs" not in record and "due" not in record


def _size(record: Record) -> tuple[int, int, str]:
    return record["wire_bytes"] + len(record["cuts"]), len(record["cuts"]), record["id"]


def _seen_by_all(records: Iterable[Record]) -> dict[str, dict[str, int]]:
    """How often campaigns that were merged have seen each signature; see `alike`."""
    seen: dict[str, dict[str, int]] = {}
    for record in records:
        for signature, counted in record.get("seen", {}).items():
            if isinstance(counted, dict):
                seen.setdefault(signature, {}).update(counted)
    return seen


def named(names: Iterable[str]) -> tuple[Deviation, ...]:
    """The deviations of these names, without those that are in no catalogue of ours."""
    found = []
    for name in names:
        try:
            found.append(find_deviation(name))
        except TargetError:  # it was written by another release
            continue
    return tuple(found)
