"""What becomes of a finding: one for each cause, the smallest, counted, stored; and nothing is lost by a kill."""

from __future__ import annotations

import json
import shutil
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chunkproof.cli import main
from chunkproof.corpus.making import ANY_RULE
from chunkproof.corpus.store import read_corpus, write_entry
from chunkproof.counterexample import Case, encode_token
from chunkproof.diagnosis.diagnose import diagnose
from chunkproof.fuzzing import collecting
from chunkproof.fuzzing.collecting import Collector
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.state import State
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof_targets.contract import Target
from chunkproof_targets.declared import Declared
from chunkproof_targets.deviations import find_deviation
from chunkproof_targets.loading import load_target

HERE = Path(__file__).parent
BOM, NUL, CRLF = "bom-not-stripped", "id-nul-accepted", "crlf-split-chunks"
MARK = b"\xef\xbb\xbf"


def found(wire: bytes, kind: Any = "lost", cuts: tuple[int, ...] = (), **more: Any) -> Found:
    return Found(ANY_RULE, kind, wire, cuts, **{"seed": "7", **more})


@pytest.fixture
def isolation():
    isolation = Isolation(Limits())
    yield isolation
    isolation.close()


class Folder:
    """A campaign's folder, and what collects in it."""

    def __init__(self, folder: Path, spec: str, isolation: Isolation, **more: Any) -> None:
        declared = more.pop("declared", Declared())
        self.target: Target = load_target(spec, folder=HERE, declared=declared)
        self.state = State.open(folder, spec, [])
        self.isolation = isolation
        self.more: dict[str, Any] = {"began": time.time(), **more}

    def collector(self) -> Collector:
        return Collector(self.state, self.target, self.isolation, seed="fuzz", **self.more)

    def put(self, *findings: Found) -> None:
        for one in findings:
            assert self.state.put(one)

    def collect(self, *findings: Found) -> dict[str, dict[str, Any]]:
        """The records, by what explains them."""
        self.put(*findings)
        assert self.collector().collect()
        assert self.state.waiting() == []
        assert not self.collector().has_work
        return self.records()

    def records(self) -> dict[str, dict[str, Any]]:
        records = self.state.records()
        told = {"+".join(record["deviations"]) or record["id"]: record for record in records}
        assert len(told) == len(records), "one record for each cause"
        return told

    def entries(self) -> set[str]:
        corpus = read_corpus(self.state.corpus)
        assert not corpus.problems
        return {path.relative_to(self.state.folder).as_posix() for path in corpus.paths.values()}


@pytest.fixture
def folder(tmp_path, isolation):
    return lambda spec, **more: Folder(tmp_path / "c", spec, isolation, **more)


# Two streams of each cause, the smaller one first.
MARKS = [found(MARK + b"data: a\n\n"), found(MARK + b"data: a\n\ndata: bb\n\n", cuts=(2,))]
NULS = [found(b"id: \0\ndata: a\n\n", "changed"), found(b"id: a\0b\ndata: a\n\ndata: b\n\n", "changed")]
TWO_FAULTS = f"deviation:{BOM}+{NUL}"


# one of each cause ---------------------------------------------------------------------------------------------------


def test_the_smallest_finding_of_each_cause_stays(folder):
    campaign = folder(TWO_FAULTS)
    records = campaign.collect(*reversed(MARKS), *NULS)
    assert {name: record["id"] for name, record in records.items()} == {
        BOM: MARKS[0].signature,
        NUL: NULS[0].signature,
    }
    assert {record["count"] for record in records.values()} == {2}
    assert all(record["settled"] and record["reproducible"] for record in records.values())
    assert set(campaign.state.known()) == {BOM, NUL}
    assert campaign.entries() == {record["entry"] for record in records.values()}


def test_what_comes_later_is_counted_and_what_was_told_stays(folder):
    campaign = folder(f"deviation:{BOM}")
    first = campaign.collect(MARKS[1])[BOM]
    assert first["id"] == MARKS[1].signature
    # A smaller one, and the same again.
    assert campaign.collect(MARKS[0])[BOM] == first | {"count": 2}
    again = campaign.collect(MARKS[1], MARKS[0])[BOM]
    assert (again["id"], again["count"]) == (MARKS[1].signature, 4)
    assert campaign.entries() == {first["entry"]}


def test_two_causes_on_one_stream_are_the_two_that_are_known(folder):
    campaign = folder(TWO_FAULTS)
    both = found(MARK + b"data: x\n\nid: \0\ndata: a\n\n")
    records = campaign.collect(MARKS[0], NULS[0], both)
    assert records[BOM]["id"] == MARKS[0].signature
    assert records[NUL]["id"] == NULS[0].signature
    assert {BOM, NUL} == {name for key in records for name in key.split("+")}


def test_an_entry_is_of_the_finding_and_says_where_it_is_from(folder):
    campaign = folder(f"deviation:{BOM}")
    record = campaign.collect(MARKS[0])[BOM]
    (entry,) = read_corpus(campaign.state.corpus).entries
    assert record["entry"] == f"corpus/whole/fuzz-{MARKS[0].signature}.json"
    assert (entry.question, entry.rules[0].id) == (MARKS[0].question, ANY_RULE)
    assert entry.title == f"Found by a campaign: {find_deviation(BOM).what}"
    assert entry.origin == {"kind": "fuzz", "reference": "storm, seed 7"}


def test_entries_pass_the_check_and_are_read_by_pytest(folder, pytester):
    campaign = folder(TWO_FAULTS)
    records = campaign.collect(*MARKS, *NULS)
    checked = CliRunner().invoke(main, ["corpus", "check", "--corpus", str(campaign.state.corpus)])
    assert checked.exit_code == 0, checked.output
    corpus = f"--chunkproof-corpus={campaign.state.corpus}"
    told = pytester.runpytest_subprocess(f"--target={TWO_FAULTS}", corpus, "-q", "-k", "fuzz-", "--tb=no")
    told.assert_outcomes(failed=2)
    for record in records.values():
        told.stdout.fnmatch_lines(f"FAILED chunkproof::corpus/fuzz-{record['id']}*")


def test_each_cause_that_no_catalogue_has_is_told_by_its_stream(folder):
    campaign = folder("./parsers.py:DropsItsType")
    one, other = found(b"event: keepalive.v2\ndata\n\n"), found(b"event: keepalive.v2\ndata: a\n\n")
    records = campaign.collect(one, other)
    assert set(records) == {one.signature, other.signature}
    assert all(record["entry"] and record["reproducible"] for record in records.values())


def test_a_rule_on_delivery_has_its_finding_and_its_entry(folder):
    campaign = folder("../hostile/parsers.py:LateByOneChunk")
    late = Found("delivery/prompt", "late", b"data: a\n\ndata: b\n\n", (9,), seed="3")
    (record,) = campaign.collect(late).values()
    assert (record["rule"], record["kind"], record["reproducible"]) == ("delivery/prompt", "late", True)
    assert record["entry"] == f"corpus/delivery/fuzz-{late.signature}.json"


# what is not reproducible, or no news --------------------------------------------------------------------------------


def test_what_needs_an_earlier_stream_is_kept_with_a_note(folder):
    campaign = folder("./parsers.py:RemembersAcrossParsers")
    once = found(b"data: a\n\n")
    (record,) = campaign.collect(once).values()
    assert record["id"] == once.signature
    assert (record["reproducible"], record["deviations"], record["entry"]) == (False, [], "")
    assert record["note"] == "run alone in a process of its own, the target was right"
    # With the stream before it, it is another finding, and is reproducible.
    whole = found(b"data: a\n\n", before=(b"data: poison\n\n",))
    records = campaign.collect(whole)
    assert {record["reproducible"] for record in records.values()} == {True, False}


def test_what_fails_otherwise_says_so(folder):
    (record,) = folder(f"deviation:{BOM}").collect(found(MARK + b"data: a\n\n", "raised")).values()
    assert record["reproducible"]
    assert record["note"] == "run alone in a process of its own, it failed otherwise: lost"


def test_what_is_no_stream_for_this_target_is_kept_with_a_note(folder):
    text = folder("../gallery/text_without_mark.py:parse_text")
    (record,) = text.collect(found(MARK + b"data: a\n\n")).values()
    assert not record["reproducible"]
    assert "takes text and cannot be given this stream" in record["note"]


def test_what_the_baseline_knows_is_no_news(folder):
    campaign = folder(TWO_FAULTS, baseline=[find_deviation(BOM)], signatures=[NULS[1].signature])
    records = campaign.collect(*MARKS, NULS[1])
    assert records == {}
    assert campaign.entries() == set()
    assert campaign.state.known() == ()
    assert set(campaign.collect(*NULS, *MARKS)) == {NUL}


def test_what_the_baseline_comes_to_know_goes(folder, tmp_path, isolation):
    campaign = folder(TWO_FAULTS)
    campaign.collect(MARKS[0])
    later = Folder(tmp_path / "c", TWO_FAULTS, isolation, baseline=[find_deviation(BOM)])
    assert set(later.collect(NULS[0])) == {NUL}
    assert later.entries() == {later.records()[NUL]["entry"]}


def test_what_is_declared_is_no_news(folder):
    campaign = folder(TWO_FAULTS, declared=Declared(deviations=(BOM,)))
    # On the last stream both show: it is what is known beside what is declared.
    records = campaign.collect(*NULS, found(MARK + b"data: x\n\nid: a\0b\ndata: a\n\n", "changed"))
    assert set(records) == {NUL}
    assert records[NUL]["count"] == 2 + 1
    assert campaign.state.known() == (NUL,)


def test_no_more_findings_are_kept_than_there_may_be(folder, monkeypatch):
    monkeypatch.setattr(collecting, "FINDINGS_MAX", 3)
    campaign = folder("./parsers.py:DropsItsType")
    all_of_them = [found(b"event: keepalive.v2\ndata: %d\n\n" % number) for number in range(6)]
    records = campaign.collect(*all_of_them)
    assert len(records) == 3
    records = campaign.collect(*all_of_them)
    assert [record["count"] for record in records.values()] == [2, 2, 2]
    assert len(campaign.entries()) == 3


def test_what_can_be_no_entry_says_why(folder, monkeypatch):
    monkeypatch.setattr("chunkproof.corpus.store.FILE_BYTES_MAX", 100)
    campaign = folder(f"deviation:{BOM}")
    record = campaign.collect(MARKS[0])[BOM]
    assert record["entry"] == ""
    assert record["note"].startswith("no entry of the corpus can be made of it: fuzz-")
    assert "its file would have" in record["note"]
    assert campaign.entries() == set()


def test_nobody_collects_beside_another(folder):
    campaign = folder(f"deviation:{BOM}")
    campaign.put(MARKS[0])
    with campaign.state.lock():
        assert not campaign.collector().collect(wait=False)
    assert len(campaign.state.waiting()) == 1


# files that others wrote ---------------------------------------------------------------------------------------------


def test_a_record_leads_to_no_file_outside_the_corpus(folder, tmp_path):
    campaign = folder(f"deviation:{BOM}")
    precious = tmp_path / "precious.json"
    precious.write_text("{}")
    (campaign.state.folder / "campaign.txt").write_text("")
    for at, outside in enumerate(("../precious.json", str(precious), "campaign.txt")):
        bad = found(MARK + b"data: a\n\ndata: %d\n\n" % at)
        record = {"id": bad.signature, **bad.to_data(), "deviations": [BOM], "entry": outside, "absorbs": [outside]}
        campaign.state.write_record(record)
    campaign.collect(MARKS[0])
    assert precious.exists()
    assert (campaign.state.folder / "campaign.txt").exists()


@pytest.mark.parametrize(
    "damage", [{"absorbs": 4}, {"absorbs": [[]]}, {"seen": 3}, {"equals": {"a": 1}}, {"count": ""}]
)
def test_a_damaged_record_is_collected_all_the_same(folder, damage):
    campaign = folder(f"deviation:{BOM}")
    campaign.collect(MARKS[1])
    path = campaign.state.findings / f"{MARKS[1].signature}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    record = campaign.collect(MARKS[0])[BOM]
    assert record["id"] == MARKS[1].signature
    assert record["count"] == 2
    assert "absorbs" not in record


def test_a_token_of_another_release_is_kept_aside(folder):
    campaign = folder(f"deviation:{BOM}")
    data = MARKS[0].to_data() | {"token": encode_token(Case("lines/of-tomorrow", "bytes", ((b"", ()),)))}
    (campaign.state.inbox / "tomorrow.json").write_text(json.dumps(data))
    assert set(campaign.collect(MARKS[0])) == {BOM}
    assert [path.name for path in campaign.state.artefacts.iterdir()] == ["tomorrow.json"]


# kills ---------------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


def killed_after(monkeypatch: pytest.MonkeyPatch, writes: int) -> list[str]:
    """End what goes on at the write or removal after so many; what was written before."""
    done: list[str] = []

    def counted(name: str, real: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            if len(done) == writes:
                raise Killed(name)
            done.append(name)
            return real(*given, **more)

        return call

    monkeypatch.setattr(State, "write_record", counted("record", State.write_record))
    monkeypatch.setattr(State, "write_known", counted("known", State.write_known))
    monkeypatch.setattr(Path, "unlink", counted("unlink", Path.unlink))
    monkeypatch.setattr(collecting, "write_entry", counted("entry", write_entry))
    return done


def end_of(campaign: Folder) -> Any:
    """What a campaign came to, but for when, and for what the next one needs."""
    records = {
        key: {name: value for name, value in record.items() if name not in ("found", "seconds", "taken")}
        for key, record in campaign.records().items()
    }
    return records, campaign.state.known(), campaign.entries()


@pytest.fixture
def diagnosed_once(monkeypatch):
    """What the diagnosis says of some broken rules is the same each time, and takes seconds."""
    said: dict[Any, Any] = {}

    def remembered(target: Target, broken: Any, *given: Any, **more: Any) -> Any:
        key = target.name, *(result.counterexample.token for result in broken)
        if key not in said:
            said[key] = diagnose(target, broken, *given, **more)
        return said[key]

    monkeypatch.setattr(collecting, "diagnose", remembered)


@pytest.mark.usefixtures("diagnosed_once")
def test_a_kill_between_any_two_writes_loses_nothing(tmp_path, isolation, monkeypatch):
    first = Folder(tmp_path / "first", TWO_FAULTS, isolation)
    first.collect(MARKS[1])
    # What is told already, what becomes known, two causes at once, and what is right.
    first.put(MARKS[0], *NULS, found(b"data: a\r\n\r\n", "lost", (8,)), found(MARK + b"id: \0\ndata: a\n\ndata: b\n\n"))

    def another(name: str) -> Folder:
        shutil.copytree(first.state.folder, tmp_path / name)
        return Folder(tmp_path / name, TWO_FAULTS, isolation)

    whole = another("whole")
    whole.collect()
    expected = end_of(whole)
    assert {BOM, NUL} <= set(expected[0])
    for writes in count():
        campaign = another(str(writes))
        with monkeypatch.context() as patch:
            done = killed_after(patch, writes)
            try:
                campaign.collector().collect()
                break
            except Killed as killed:
                where = f"killed before {killed}, after {done}"
        campaign.collect()
        assert end_of(campaign) == expected, where
    assert writes > 12
    assert end_of(campaign) == expected
