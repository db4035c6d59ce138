"""What becomes of a finding: run again, diagnosed, told from the others, stored.

Engines put what they find into the inbox of a campaign; whoever holds its lock collects. A finding whose fault is known
by then is counted and not kept twice. What does not fail again in a process of its own is kept too, and said to be so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from chunkproof_reports.results import DeviationRecord, RuleResult
from chunkproof_targets.contract import Run, Target, TargetError, TargetStopped
from chunkproof_targets.deviations import Deviation, find_deviation

from ..corpus.entry import Entry, EntryError
from ..corpus.making import Described, entry_of, store
from ..corpus.store import read_corpus
from ..counterexample import decode_token
from ..diagnosis.asking import Asker
from ..diagnosis.diagnose import diagnose
from ..isolation.judging import Isolation
from ..replay import ReplayError
from ..rule_run import Finding
from ..rules import find_rule
from .found import Found, FoundError, is_on_what_comes_out
from .hunt import explains
from .state import State, read_json

__all__ = ["FINDINGS_MAX", "Collector", "named"]

#: A campaign keeps so many findings; beyond that it counts.
FINDINGS_MAX = 300
# Of so many findings the cause is looked for at a time, the smallest first.
_DIAGNOSED_AT_ONCE = 12
# Bytes of a stream that a record shows.
_SHOWN_MAX = 4096
_SECOND_RUN = "whole/a-second-run-sees-nothing-of-the-first"

_ENDS_THIS = (
    "it has ended the process of its shard. This target keeps threads and is run in that process, so it was neither "
    "made small nor run again there: to replay it by hand does so"
)
_STOPPED = ("hung", "died", "memory", "output")

Record = dict[str, Any]


class Collector:
    """Collects the findings of one target's campaign.

    ``baseline`` are the deviations that are no news from the start, ``signatures`` the failures that
    the baseline knows; ``began`` is when the campaign began, by `time.time`. ``beat`` is called between two steps, each
    of which takes some seconds at most.
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
        beat: Callable[[], object] = lambda: None,
    ) -> None:
        self.state = state
        self.target = target
        self.isolation = isolation
        self.seed = seed
        self.began = began
        self.baseline = tuple(baseline)
        self.signatures = frozenset(signatures)
        self.beat = beat
        self._results: dict[str, RuleResult] = {}

    def collect(self, *, wait: bool = False) -> bool:
        """Deal with all that waits; false where another does so at the moment, and this does not ``wait``."""
        with self.state.lock(wait=wait) as is_held:
            if not is_held:
                return False
            asker = Asker(self.target, self.isolation)
            try:
                self._results.clear()
                self._look_again()
                for path in self.state.waiting():
                    self.beat()
                    found = self.state.take(path)
                    if found is not None:
                        self._take(found)
                    path.unlink(missing_ok=True)
                self._find_causes(asker)
            finally:
                asker.close()
            return True

    @property
    def has_work(self) -> bool:
        """Whether something waits, or is not settled yet."""
        return bool(self.state.waiting() or self.state.of_earlier()) or any(
            not record["settled"] for record in self.state.records()
        )

    def known(self) -> tuple[Deviation, ...]:
        """The deviations that are no news: those that the baseline knows, and those found so far."""
        return (*self.baseline, *(one for one in named(self.state.known()) if one not in self.baseline))

    # what was found before ----------------------------------------------------------------------------------------

    def _look_again(self) -> None:
        """A finding of an earlier campaign stays one if it fails still. If not, it is past, and its entry stays."""
        earlier = self.state.of_earlier()
        for path in earlier:
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
        if earlier:
            self.state.write_known({name for record in self.state.records() for name in record["deviations"]})

    def _fails_still(self, found: Found) -> bool:
        try:
            return self._run_again(found).counterexample is not None
        except ReplayError:
            return True  # nobody knows

    # one finding --------------------------------------------------------------------------------------------------

    def _take(self, found: Found) -> None:
        records = {record["id"]: record for record in self.state.records()}
        if found.signature in self.signatures:
            return
        if found.signature in records:
            record = records[found.signature]
            self.state.write_record(record | {"count": record["count"] + 1})
        elif len(records) < FINDINGS_MAX:
            self.state.write_record(self._record(found))

    def _record(self, found: Found) -> Record:
        """The finding, run once more where nothing has been before."""
        note = ""
        try:
            result = self._replayed(found)
        except ReplayError as error:
            again, note = None, str(error)
        else:
            again = result.counterexample
            if again is None:
                note = "run alone in a process of its own, the target was right"
            else:
                self._results[found.signature] = result
                if again.kind != found.kind:
                    note = f"run alone in a process of its own, it failed otherwise: {again.kind}"
        now = time.time()
        shown = len(found.wire) <= _SHOWN_MAX
        return {
            "id": found.signature,
            **found.to_data(),
            "rule": found.rule,
            "wire": found.wire.hex() if shown else "",
            "cuts": list(found.cuts) if shown else [],
            "before": [wire.hex() for wire in found.before] if shown else [],
            "wire_bytes": len(found.wire),
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
        records = self.state.records()
        if all(record["settled"] for record in records):
            return
        pending = [record for record in records if record["reproducible"] and not record["settled"]]
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
            left = [one for one in self.state.records() if one["reproducible"] and not one["deviations"]]
            self._unexplained(left, asker)
        self._settle()

    def _unexplained(self, records: Iterable[Record], asker: Asker) -> list[Record]:
        """Those of them that what is known does not explain; the cause of the others is written down."""
        known, left = self.known(), []
        for record in records:
            self.beat()
            causes = self._causes_among(known, record, asker)
            if causes:
                self.state.write_record(record | {"deviations": [one.name for one in causes]})
            else:
                left.append(record)
        return left

    def _causes_among(self, known: Sequence[Deviation], record: Record, asker: Asker) -> tuple[Deviation, ...]:
        """The one that explains a finding, or else the fewest of all, if all of them do."""
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

        alone = next(((one,) for one in known if does((one,))), None)
        if alone is not None or not does(tuple(known)):
            return alone or ()
        fewest = tuple(known)
        for one in known:
            fewer = tuple(other for other in fewest if other is not one)
            if fewer and does(fewer):
                fewest = fewer
        return fewest

    def _name(self, records: Sequence[Record]) -> None:
        """Diagnose some findings at once, beside one of each cause that is known by then."""
        ids = {record["id"] for record in records}
        leads = [one for one in self.state.records() if one["settled"] and one["deviations"] and one["id"] not in ids]
        broken: dict[str, RuleResult] = {}
        for record in (*records, *leads[:_DIAGNOSED_AT_ONCE]):
            result = self._result(record)
            if result is not None:
                broken.setdefault(result.id, result)
        if not broken:
            return
        found = diagnose(self.target, list(broken.values()), self.isolation, seed=self.seed)
        new = [one for one in found.deviations if not one.declared]
        self.state.write_known({*self.state.known(), *(one.name for one in new)})
        for record in records:
            result = self._result(record)
            causes = [] if result is None else [one for one in found.deviations if result.id in one.rules]
            equals = {one.name: list(one.equals) for one in causes if one.equals}
            self.state.write_record(record | {"deviations": [one.name for one in causes], "equals": equals})
        self._seen_in_answers(new)

    def _seen_in_answers(self, deviations: Iterable[DeviationRecord]) -> None:
        """What the diagnosis has seen in the target's answers is a finding too, though no engine has met it."""
        for one in deviations:
            if not one.token or any(one.name in record["deviations"] for record in self.state.records()):
                continue
            case = decode_token(one.token)
            try:
                again = self.isolation.replay(case, self.target).counterexample
            except ReplayError:
                continue
            if again is not None:
                found = Found.of_case(case, again.kind, engine="diagnosis", seed="")
                causes = {"deviations": [one.name], "equals": {one.name: list(one.equals)}}
                self.state.write_record(self._record(found) | causes)

    # one of each --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Of the findings with one cause one stays, with its entry; what the baseline knows goes.

        It is the one that was told of before, or else the smallest.
        """
        of_cause: dict[tuple[str, ...], list[Record]] = {}
        expected = {one.name for one in self.baseline}
        for record in self.state.records():
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
            lead = lead | {
                "count": sum(one["count"] for one in records),
                "found": min(one["found"] for one in records),
                "seconds": min(one["seconds"] for one in records),
            }
        if others or not lead["settled"]:
            self.state.write_record(self._with_entry(lead) | {"settled": True})
        for other in others:
            self._drop(other)

    def _drop(self, record: Record) -> None:
        if record["entry"]:
            (self.state.folder / record["entry"]).unlink(missing_ok=True)
        (self.state.findings / f"{record['id']}.json").unlink(missing_ok=True)

    def _with_entry(self, record: Record) -> Record:
        """The record with the entry of the corpus that it has; one that can be none says why."""
        if record["entry"] or not record["reproducible"]:
            return record
        found = Found.from_data(record)
        try:
            entry = self._entry(found, record["deviations"])
            path = read_corpus(self.state.corpus).paths.get(entry.id)
            if path is None:
                path, _ = store(self.state.corpus, entry)
        except EntryError as error:
            return record | {"note": record["note"] or f"no entry of the corpus can be made of it: {error}"}
        return record | {"entry": path.relative_to(self.state.folder).as_posix()}

    def _entry(self, found: Found, names: Sequence[str]) -> Entry:
        deviations = named(names)
        title = (
            deviations[0].what if deviations else f"A stream that {self.target.name} has read otherwise ({found.kind})."
        )
        said = Described(
            id=f"fuzz-{found.signature}",
            title=f"Found by a campaign: {title}",
            rules=(found.rule,),
            origin={"kind": "fuzz", "reference": f"{found.engine}, seed {found.seed}" if found.seed else found.engine},
        )
        return entry_of(found.question, said)


def _size(record: Record) -> tuple[int, int, str]:
    return record["wire_bytes"] + len(record["cuts"]), len(record["cuts"]), record["id"]


def named(names: Iterable[str]) -> tuple[Deviation, ...]:
    """The deviations of these names, without those that are in no catalogue of ours."""
    found = []
    for name in names:
        try:
            found.append(find_deviation(name))
        except TargetError:  # it was written by another release
            continue
    return tuple(found)
