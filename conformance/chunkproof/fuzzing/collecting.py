"""What becomes of a finding: run again, diagnosed, told from the others, stored.

Engines put what they find into the inbox of a campaign; whoever holds its lock collects. A finding whose fault is known
by then is counted and not kept twice. What does not fail again in a process of its own is kept too, and said to be so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chunkproof_reports.results import DeviationRecord, DiagnosisRecord, RuleResult
from chunkproof_targets.contract import Run, Target, TargetError
from chunkproof_targets.deviations import Deviation, find_deviation

from ..corpus.entry import Entry, EntryError
from ..corpus.making import Described, entry_of, store
from ..corpus.store import read_corpus
from ..counterexample import decode_token
from ..diagnosis.asking import ask
from ..diagnosis.diagnose import diagnose
from ..isolation.judging import Isolation
from ..replay import ReplayError
from ..rule_run import Finding
from ..rules import find_rule
from .found import Found, is_on_what_comes_out
from .hunt import explains
from .state import State

__all__ = ["FINDINGS_MAX", "Collector", "named"]

#: A campaign keeps so many findings; beyond that it counts.
FINDINGS_MAX = 300
# Of so many findings the cause is looked for at a time, the smallest first.
_DIAGNOSED_AT_ONCE = 12
# Bytes of a stream that a record shows.
_SHOWN_MAX = 4096
_SECOND_RUN = "whole/a-second-run-sees-nothing-of-the-first"

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

    def collect(self, *, wait: bool = False) -> bool:
        """Deal with all that waits; false where another does so at the moment, and this does not ``wait``."""
        with self.state.lock(wait=wait) as is_held:
            if not is_held:
                return False
            for path in self.state.waiting():
                self.beat()
                found = self.state.take(path)
                if found is not None:
                    self._take(found)
                path.unlink(missing_ok=True)
            self._diagnose()
            return True

    @property
    def has_work(self) -> bool:
        """Whether something waits, or was never diagnosed."""
        return bool(self.state.waiting()) or any(not record["diagnosed"] for record in self.state.records())

    def known(self) -> tuple[Deviation, ...]:
        """The deviations that are no news: those that the baseline knows, and those found so far."""
        return (*self.baseline, *(one for one in named(self.state.known()) if one not in self.baseline))

    # one finding --------------------------------------------------------------------------------------------------

    def _take(self, found: Found) -> None:
        records = {record["id"]: record for record in self.state.records()}
        if found.signature in self.signatures:
            return
        if found.signature in records:
            self._count(records[found.signature])
        elif len(records) < FINDINGS_MAX:
            self.state.write_record(self._record(found))

    def _count(self, record: Record, times: int = 1) -> None:
        self.state.write_record(record | {"count": record["count"] + times})

    def _record(self, found: Found) -> Record:
        """The finding, run once more where nothing has been before."""
        note = ""
        try:
            result = self.isolation.replay(found.case, self.target)
            again = result.counterexample
            if again is None:
                note = "run alone in a process of its own, the target was right"
            elif again.kind != found.kind:
                note = f"run alone in a process of its own, it failed otherwise: {again.kind}"
        except ReplayError as error:
            again, note = None, str(error)
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
            # Of what does not fail again nobody can look for the cause.
            "diagnosed": again is None,
            "deviations": [],
            "equals": {},
            "entry": "",
            "count": 1,
            "found": round(now, 3),
            "seconds": round(now - self.began, 3),
        }

    # causes -------------------------------------------------------------------------------------------------------

    def _diagnose(self) -> None:
        """Look for the cause of each finding that has none yet, and keep the smallest finding of each cause."""
        pending = [record for record in self.state.records() if not record["diagnosed"]]
        if not pending:
            return
        results = {record["id"]: result for record in pending if (result := self._result(record)) is not None}
        pending = self._explained_by_known(pending, results)
        before = self.state.known()
        while pending:
            pending.sort(key=_size)
            self.beat()
            now, pending = pending[:_DIAGNOSED_AT_ONCE], pending[_DIAGNOSED_AT_ONCE:]
            self._name(now, results)
            pending = self._explained_by_known(pending, results)
        if self.state.known() != before:
            self._ask_again()
        self._one_of_each_cause()

    def _result(self, record: Record) -> RuleResult | None:
        """The broken rule that a finding is; None where it has come to be right."""
        found = Found.from_data(record)
        try:
            result = self.isolation.replay(found.case, self.target)
        except ReplayError:
            return None
        if result.counterexample is None:
            return None
        # The diagnosis tells broken rules apart by their ids: several findings may be of one rule.
        rule = find_rule(result.id)
        if is_on_what_comes_out(rule) and rule.id != _SECOND_RUN:
            result = replace(result, id=f"fuzz/{record['id']}", case_of=rule.id)
        return result

    def _explained_by_known(self, pending: Sequence[Record], results: Mapping[str, RuleResult]) -> list[Record]:
        """Those of them that what is known does not explain; the cause of the others is written down."""
        known, left = self.known(), []
        for record in pending:
            causes = self._causes_among(known, record) if record["id"] in results else ()
            if causes:
                self.state.write_record(record | {"diagnosed": True, "deviations": [one.name for one in causes]})
            else:
                left.append(record)
        return left

    def _causes_among(self, known: Sequence[Deviation], record: Record) -> tuple[Deviation, ...]:
        """The one that explains a finding, or else all of them, if they do."""
        found = Found.from_data(record)
        rule = find_rule(found.rule)
        if found.kind in ("hung", "died", "memory", "output"):
            return ()
        finding = Finding(found.before, found.wire, found.cuts, found.kind, self._run(found))
        for some in (*((one,) for one in known), tuple(known)):
            if some and explains(some, self.target, rule, finding):
                return some
        return ()

    def _run(self, found: Found) -> Run:
        (seen,) = ask(self.target, [found.question], self.isolation, until=float("inf"), apart=True) or (None,)
        return Run() if seen is None else seen.run

    def _name(self, records: Sequence[Record], results: Mapping[str, RuleResult]) -> None:
        """Diagnose some findings at once, beside one of each cause that is known by then."""
        ids = {record["id"] for record in records}
        leads = [record for record in self.state.records() if record["deviations"] and record["id"] not in ids]
        broken = {}
        for record in (*records, *leads[:_DIAGNOSED_AT_ONCE]):
            result = results.get(record["id"]) or self._result(record)
            if result is not None:
                broken.setdefault(result.id, result)
        found = diagnose(self.target, list(broken.values()), self.isolation, seed=self.seed) if broken else None
        if found is not None:
            new = [one for one in found.deviations if not one.declared]
            self.state.write_known({*self.state.known(), *(one.name for one in new)})
            self._seen_in_answers(new)
        for record in records:
            result = results.get(record["id"])
            causes = [] if found is None or result is None else _causes_of(found, result.id)
            names = [one.name for one in causes]
            equals = {one.name: list(one.equals) for one in causes if one.equals}
            self.state.write_record(record | {"diagnosed": True, "deviations": names, "equals": equals})

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
                causes = {"diagnosed": True, "deviations": [one.name], "equals": {one.name: list(one.equals)}}
                self.state.write_record(self._record(found) | causes)

    def _ask_again(self) -> None:
        """What nothing explained may be explained by what was found since."""
        left = [
            one for one in self.state.records() if one["diagnosed"] and one["reproducible"] and not one["deviations"]
        ]
        known = self.known()
        for record in left:
            causes = self._causes_among(known, record)
            if causes:
                self.state.write_record(record | {"deviations": [one.name for one in causes]})

    # one of each --------------------------------------------------------------------------------------------------

    def _one_of_each_cause(self) -> None:
        """Of the findings with one cause the smallest stays, with its entry; what the baseline knows goes."""
        of_cause: dict[tuple[str, ...], list[Record]] = {}
        expected = {one.name for one in self.baseline}
        for record in self.state.records():
            names = tuple(record["deviations"])
            if names and expected.issuperset(names):
                self._drop(record)
            elif record["diagnosed"]:
                # What is in no catalogue, or was seen once, is told by its own stream alone.
                of_cause.setdefault(names or (record["id"],), []).append(record)
        for records in of_cause.values():
            lead, *others = sorted(records, key=_size)
            if others:
                lead = lead | {
                    "count": sum(one["count"] for one in records),
                    "found": min(one["found"] for one in records),
                    "seconds": min(one["seconds"] for one in records),
                }
            self.state.write_record(self._with_entry(lead))
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
            return record | {"note": record["note"] or f"it is no entry of the corpus: {error}"}
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
            origin={"kind": "fuzz", "reference": f"{found.engine}, {found.seed}"},
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


def _causes_of(diagnosis: DiagnosisRecord, result_id: str) -> list[DeviationRecord]:
    return [one for one in diagnosis.deviations if result_id in one.rules]
