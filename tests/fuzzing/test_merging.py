"""Folders of campaigns made one: the same in any order, unchanged when it is done again, and nothing found is lost."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.corpus.making import ANY_RULE, Described, entry_of
from chunkproof.corpus.store import read_corpus, write_entry
from chunkproof.fuzzing.found import Found
from chunkproof.fuzzing.merging import command as merge_command
from chunkproof.fuzzing.merging.alike import attributed, merge_findings
from chunkproof.fuzzing.merging.command import merge_
from chunkproof.fuzzing.merging.features import features
from chunkproof.fuzzing.merging.merge import merge
from chunkproof.fuzzing.state import State, StateError
from chunkproof.question import Question

LAST_CR, LOST_BOM, BLANK = "cr-only-lines", "bom-kept", "space-not-removed"


def decode(data: bytes) -> tuple[bytes, tuple[int, ...]]:
    """A stand-in for an engine's decoder: a bar is a cut, and what starts with an X is none of its inputs."""
    if data.startswith(b"X"):
        raise ValueError("no input of this engine")
    pieces = data.split(b"|")
    cuts = [sum(map(len, pieces[: at + 1])) for at in range(len(pieces) - 1)]
    return b"".join(pieces), tuple(cuts)


DECODERS = {"table": decode, "raw": decode}


def found(wire: bytes, kind: str = "lost", cuts: tuple[int, ...] = (), rule: str = ANY_RULE, **more: Any) -> Found:
    return Found(rule, kind, wire, cuts, **more)


def record(one: Found, *deviations: str, count: int = 1, at: float = 100.0, **more: Any) -> dict[str, Any]:
    """What a campaign writes of a finding."""
    return {
        "id": one.signature,
        **one.to_data(),
        "rule": one.rule,
        "wire_bytes": len(one.wire),
        "reproducible": True,
        "note": "",
        "settled": True,
        "deviations": list(deviations),
        "equals": {},
        "entry": "",
        "count": count,
        "found": at,
        "seconds": at - 90,
        **more,
    }


def campaign(folder: Path, *records: dict[str, Any], target: str = "reference", **about: Any) -> State:
    """A state folder with these findings, those that are reproducible with their entries."""
    state = State.open(folder, target, about.get("declared", []))
    put(folder / "campaign.json", {"version": 1, "target": target, "declared": [], "id": folder.name} | about)
    for one in records:
        if one["reproducible"] and one["deviations"]:
            again = Found.from_data(one)
            said = Described(id=f"fuzz-{again.signature}", rules=(again.rule,), origin={"kind": "fuzz"})
            write_entry(state.corpus, entry_of(Question(again.wire, again.cuts), said))
            one = one | {"entry": f"corpus/whole/fuzz-{again.signature}.json"}
        state.write_record(one)
    return state


def put(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    path.write_bytes(content)


def content_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder, but for locks."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def findings(state_folder: Path) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in State(state_folder).records()}


SMALL, LARGE = found(b"data:a\r"), found(b"data:aa\r")
ALONE, WAITS = found(b"id:\0\n\n", "changed"), found(b"data:w\n\n", "extra")


def three(tmp_path: Path) -> list[Path]:
    """Three campaigns that overlap in all there is."""
    a = campaign(tmp_path / "aaa", record(LARGE, LAST_CR, count=3, at=101.0), record(ALONE, count=2), created=50)
    b = campaign(
        *(tmp_path / "bbb", record(SMALL, LAST_CR, count=2, at=105.0), record(ALONE, count=1, at=99.0)), created=40
    )
    c = campaign(tmp_path / "ccc", record(found(b"\xef\xbb\xbfdata:b\n\n"), LOST_BOM), created=60)
    c.put(WAITS)
    c.put(ALONE)
    a.write_known([LAST_CR])
    c.write_known([LOST_BOM])
    for state, name, checks in ((a, "storm-0", 10), (a, "atheris-1", 5), (b, "storm-0", 100)):
        state.write_status(name, {"name": name, "pid": 7, "doing": "searching", "checks": checks, "updated": 1.0})
    for state, inputs in ((a, (b"data:a\n\n", b"data:b\n\n")), (b, (b"data|:b\n\n", b"data:b\n\n", b"id:7\n"))):
        for data in inputs:
            put(state.inputs / "table" / str(random.random()), data)
    put(c.inputs / "raw" / "one", b"Xbroken")
    put(c.inputs / "other" / "two", b"of an engine that nobody knows")
    put(c.artefacts / "crash-1", b"bytes of an engine")
    put(a.folder / "seeds.json", {"range": [0, None], "next": 48})
    put(b.folder / "seeds.json", {"range": [0, None], "next": 16})
    return [a.folder, b.folder, c.folder]


# What becomes of findings ---------------------------------------------------------------------------------------------


def test_of_one_diagnosis_the_smallest_stays_with_its_entry_and_counts_are_added(tmp_path):
    merge(three(tmp_path), tmp_path / "all", DECODERS)
    kept = findings(tmp_path / "all")
    one = kept[SMALL.signature]
    assert LARGE.signature not in kept
    assert (one["count"], one["found"], one["seconds"]) == (5, 101.0, 11.0)
    assert one["seen"] == {LARGE.signature: {"aaa": 3}, SMALL.signature: {"bbb": 2}}
    corpus = read_corpus(tmp_path / "all/corpus")
    assert corpus.problems == []
    assert one["entry"] == f"corpus/whole/fuzz-{SMALL.signature}.json"
    assert corpus.paths[f"fuzz-{SMALL.signature}"] == tmp_path / "all" / one["entry"]
    assert f"fuzz-{LARGE.signature}" not in corpus.paths


def test_what_has_no_diagnosis_stays_and_the_same_signature_is_one(tmp_path):
    merge(three(tmp_path), tmp_path / "all", DECODERS)
    one = findings(tmp_path / "all")[ALONE.signature]
    assert (one["count"], one["found"], one["deviations"]) == (3, 99.0, [])
    assert len(findings(tmp_path / "all")) == 3


def test_what_waits_still_waits_unless_it_is_a_finding_by_now(tmp_path):
    merged = merge(three(tmp_path), tmp_path / "all", DECODERS)
    state = State(tmp_path / "all")
    assert [state.take(path) for path in state.waiting()] == [WAITS]
    assert merged.waiting == 1


def test_a_finding_that_is_not_reproducible_is_alone_and_yields_to_one_that_is(tmp_path):
    shaky = record(LARGE, LAST_CR, reproducible=False, note="it was right")
    campaign(tmp_path / "a", shaky)
    campaign(tmp_path / "b", record(SMALL, LAST_CR))
    merge([tmp_path / "a", tmp_path / "b"], tmp_path / "ab", DECODERS)
    assert findings(tmp_path / "ab").keys() == {SMALL.signature, LARGE.signature}
    campaign(tmp_path / "c", record(LARGE))
    merge([tmp_path / "c", tmp_path / "ab"], tmp_path / "abc", DECODERS)
    assert findings(tmp_path / "abc")[LARGE.signature]["reproducible"] is True


def test_entries_that_nobody_names_stay_and_two_of_one_id_stand_apart(tmp_path):
    for name, wire in (("a", b"data:1\n\n"), ("b", b"data:2\n\n"), ("c", b"data:2\n\n")):
        state = campaign(tmp_path / name)
        write_entry(state.corpus, entry_of(Question(wire), Described(id="mine")))
    merge([tmp_path / name for name in "abc"], tmp_path / "all", DECODERS)
    corpus = read_corpus(tmp_path / "all/corpus")
    assert corpus.problems == []
    assert sorted(entry.wire for entry in corpus.entries) == [b"data:1\n\n", b"data:2\n\n"]
    assert all(entry.id.startswith("mine-") for entry in corpus.entries)
    before = content_of(tmp_path / "all")
    merge([tmp_path / "a"], tmp_path / "all", DECODERS)
    assert content_of(tmp_path / "all") == before


def test_what_was_found_before_waits_to_be_run_again_unless_it_was_found_again(tmp_path):
    other = record(found(b"data:x\n\n", "extra"), BLANK)
    a = campaign(tmp_path / "a", record(LARGE, LAST_CR), record(ALONE), other)
    a.look_again()
    b = campaign(tmp_path / "b", record(SMALL, LAST_CR))
    c = campaign(tmp_path / "c", record(ALONE), record(WAITS))
    c.look_again()
    for path in c.of_earlier():
        c.put_away(path)
    merged = merge([a.folder, b.folder, c.folder], tmp_path / "all", DECODERS)
    state = State(tmp_path / "all")
    assert findings(state.folder).keys() == {SMALL.signature}
    assert {path.stem for path in state.of_earlier()} == {ALONE.signature, other["id"]}
    assert {path.stem for path in state.past.iterdir()} == {WAITS.signature}
    assert merged.waiting == 2
    expected = content_of(state.folder)
    for some in ([a.folder], [b.folder, c.folder], [c.folder]):
        merge(some, state.folder, DECODERS)
        assert content_of(state.folder) == expected


def test_findings_that_a_merged_campaign_adds_are_counted_once(tmp_path):
    folders = three(tmp_path)
    merge(folders, tmp_path / "all", DECODERS)
    state = State(tmp_path / "all")
    one = findings(state.folder)[SMALL.signature]
    state.write_record(one | {"count": one["count"] + 4})
    for into in ("again", "and-again"):
        merge([*folders, state.folder], tmp_path / into, DECODERS)
    merge([tmp_path / "and-again", folders[0], state.folder], tmp_path / "again", DECODERS)
    assert findings(tmp_path / "again")[SMALL.signature]["count"] == 9


NAMES = st.lists(st.sampled_from([LAST_CR, LOST_BOM, BLANK]), max_size=2, unique=True)
WIRES = st.sampled_from(
    [found(b"data:" + b"a" * more + b"\r", kind) for more in range(4) for kind in ("lost", "extra")]
)


def records_of(origin: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    def made(one: Found, names: list[str], count: int, reproducible: bool) -> dict[str, Any]:
        return attributed(record(one, *names, count=count, at=100.0 + count, reproducible=reproducible), origin)

    whole = st.builds(made, WIRES, NAMES, st.integers(1, 9), st.booleans())
    return st.lists(whole, max_size=5, unique_by=lambda one: one["id"])


@given(records_of("aaa"), records_of("bbb"), records_of("ccc"), st.randoms())
def test_merged_findings_do_not_depend_on_order_and_merging_again_changes_nothing(a, b, c, random):
    merged = merge_findings([*a, *b, *c])
    assert merge_findings(random.sample([*a, *b, *c], len(a) + len(b) + len(c))) == merged
    for some in ([], a, b, c, [*a, *c], [*a, *b, *c]):
        assert merge_findings([*some, *merged]) == merged
    assert sum(one["count"] for one in merged) == sum(one["count"] for one in (*a, *b, *c))


@given(records_of("aaa"), records_of("bbb"))
def test_no_signature_and_no_diagnosis_is_lost(a, b):
    merged = merge_findings([*a, *b])
    assert {signature for one in merged for signature in one["seen"]} == {one["id"] for one in (*a, *b)}
    for one in (*a, *b):
        stands_for_it = [kept for kept in merged if one["id"] in kept["seen"]]
        assert len(stands_for_it) == 1
        if not one["deviations"] or not one["reproducible"]:
            assert stands_for_it[0]["id"] == one["id"] or stands_for_it[0]["deviations"]


# What becomes of the rest ---------------------------------------------------------------------------------------------


def test_inputs_that_try_nothing_new_are_dropped(tmp_path):
    folders = three(tmp_path)
    merged = merge(folders, tmp_path / "all", DECODERS)
    kept = [path.read_bytes() for path in sorted((tmp_path / "all/inputs/table").iterdir())]
    # The two with "a" and "b" are alike, and the one with a cut has all that they have.
    assert sorted(kept) == [b"data:a\n\n", b"data|:b\n\n", b"id:7\n"]
    assert (merged.inputs, merged.inputs_read) == (4, 6)


def test_kept_inputs_try_all_that_the_given_ones_try(tmp_path):
    chance = random.Random(7)
    pieces = (b"data", b"id", b":", b" ", b"|", b"\r", b"\n", b"\n\n", b"7", b"\xff", b"[")
    for name in ("a", "b"):
        state = campaign(tmp_path / name)
        for number in range(200):
            put(state.inputs / "raw" / f"{number}", b"".join(chance.choices(pieces, k=chance.randint(0, 9))))
    merge([tmp_path / "a", tmp_path / "b"], tmp_path / "all", DECODERS)

    def tried(*folders: Path) -> frozenset[Any]:
        inputs = [path.read_bytes() for folder in folders for path in (folder / "inputs/raw").iterdir()]
        return frozenset().union(*(features(*decode(data)) for data in inputs))

    assert tried(tmp_path / "all") == tried(tmp_path / "a", tmp_path / "b")
    assert len(list((tmp_path / "all/inputs/raw").iterdir())) < 300


def test_files_of_engines_are_kept_apart(tmp_path):
    merge(three(tmp_path), tmp_path / "all", DECODERS)
    names = [path.name for path in sorted((tmp_path / "all/artefacts").iterdir())]
    assert sorted(name.partition("-")[2] for name in names)[0] == "crash-1"
    assert sorted(path.read_bytes() for path in (tmp_path / "all/artefacts").iterdir()) == [
        b"Xbroken",
        b"bytes of an engine",
    ]
    assert [path.read_bytes() for path in (tmp_path / "all/inputs/other").iterdir()] == [
        b"of an engine that nobody knows"
    ]


def test_totals_of_all_shards_stay_under_names_of_their_own(tmp_path):
    merged = merge(three(tmp_path), tmp_path / "all", DECODERS)
    statuses = {one["name"]: one for one in State(tmp_path / "all").statuses()}
    assert {name: one["checks"] for name, one in statuses.items()} == {
        "aaa-storm-0": 10,
        "aaa-atheris-1": 5,
        "bbb-storm-0": 100,
    }
    assert {(one["doing"], one["pid"]) for one in statuses.values()} == {("done", 0)}
    assert merged.checks == 115


def test_what_is_known_and_which_seeds_are_done_is_the_sum(tmp_path):
    merge(three(tmp_path), tmp_path / "all", DECODERS)
    state = State(tmp_path / "all")
    assert state.known() == (LOST_BOM, LAST_CR)
    assert json.loads((state.folder / "seeds.json").read_bytes()) == {"range": [0, None], "next": 48}
    assert state.about()["created"] == 40
    assert state.about()["merged"] == ["aaa", "bbb", "ccc"]


# The folder as a whole ------------------------------------------------------------------------------------------------


def test_the_order_of_folders_and_of_their_files_does_not_matter(tmp_path):
    folders = three(tmp_path)
    merge(folders, tmp_path / "all", DECODERS)
    expected = content_of(tmp_path / "all")
    for number, order in enumerate(((2, 0, 1), (1, 2, 0), (2, 1, 0))):
        # Files made in another order are listed in another order by most file systems.
        copies = []
        for at in order:
            copy = tmp_path / f"copy-{number}" / folders[at].name
            for name, content in reversed(content_of(folders[at]).items()):
                put(copy / name, content)
            copies.append(copy)
        merge(copies, tmp_path / f"all-{number}", DECODERS)
        assert content_of(tmp_path / f"all-{number}") == expected


def test_merging_again_with_any_of_the_sources_changes_nothing(tmp_path):
    folders = three(tmp_path)
    merge(folders, tmp_path / "all", DECODERS)
    expected = content_of(tmp_path / "all")
    for some in (folders[:1], folders[1:], folders[2:], folders):
        merge([tmp_path / "all", *some], tmp_path / f"with-{len(list(tmp_path.iterdir()))}", DECODERS)
        merge(some, tmp_path / "all", DECODERS)
        assert content_of(tmp_path / "all") == expected
    for made in tmp_path.glob("with-*"):
        assert content_of(made) == expected
    assert len(list(tmp_path.glob("with-*"))) == 4


def test_in_steps_or_at_once_is_the_same(tmp_path):
    a, b, c = three(tmp_path)
    merge([a, b, c], tmp_path / "at-once", DECODERS)
    merge([c, b], tmp_path / "steps", DECODERS)
    merge([a], tmp_path / "steps", DECODERS)
    assert content_of(tmp_path / "steps") == content_of(tmp_path / "at-once")


def test_a_campaign_can_go_on_in_one_of_the_folders(tmp_path):
    a, b, c = three(tmp_path)
    merge([a, b, c], tmp_path / "all", DECODERS)
    merge([a, b, c], b, DECODERS)
    assert content_of(b) == content_of(tmp_path / "all")
    assert State.open(b, "reference", []).known() == (LOST_BOM, LAST_CR)


def test_sources_are_left_as_they_are(tmp_path):
    folders = three(tmp_path)
    before = [content_of(folder) for folder in folders]
    merge(folders, tmp_path / "all", DECODERS)
    assert [content_of(folder) for folder in folders] == before


KILLED = """
import os, sys
from pathlib import Path

left = int(sys.argv[1])

def counted(change):
    def changed(path, *more, **how):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return change(path, *more, **how)
    return changed

os.replace, os.link = counted(os.replace), counted(os.link)
Path.unlink = counted(Path.unlink)
from chunkproof.fuzzing.merging.merge import merge
merge([Path(one) for one in sys.argv[3:]], Path(sys.argv[2]), {"table": lambda data: (data, ())})
print(-left)
"""


def run_killed(after: int, into: Path, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Merge in a process that is killed at its so-manieth change of a file; at none for 0."""
    command = [sys.executable, "-c", KILLED, str(after), str(into), *map(str, folders)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("into", ["new", "ccc"])
def test_a_merge_that_is_killed_at_any_moment_can_be_run_again(tmp_path, into):
    folders = three(tmp_path)
    kept = tmp_path / "kept"
    for folder in folders:
        shutil.copytree(folder, kept / folder.name)
    others = [folder for folder in folders if folder.name != into]
    done = run_killed(0, tmp_path / into, *others)
    assert done.returncode == 0, done.stderr
    expected, changes = content_of(tmp_path / into), int(done.stdout)
    assert changes > 30
    for after in (1, *random.Random(3).sample(range(2, changes), 4), changes):
        shutil.rmtree(tmp_path / into)
        if into == "ccc":
            shutil.copytree(kept / into, tmp_path / into)
        assert run_killed(after, tmp_path / into, *others).returncode == -signal.SIGKILL
        again = run_killed(0, tmp_path / into, *others)
        assert (again.returncode, again.stderr) == (0, "")
        assert {name for name in content_of(tmp_path / into) if ".part" not in name} == expected.keys()
        for name, content in expected.items():
            assert (tmp_path / into / name).read_bytes() == content, (after, name)


# What cannot be used --------------------------------------------------------------------------------------------------


def test_damaged_files_are_named_kept_and_lose_nothing_else(tmp_path):
    folders = three(tmp_path)
    merge(folders, tmp_path / "whole", DECODERS)
    a = folders[0]
    damaged = {
        "findings/broken.json": b"{",
        "findings/no-token.json": b'{"id": "x", "kind": "lost"}',
        "findings/not-settled.json": json.dumps(record(SMALL, LAST_CR, settled=None)).encode(),
        "findings/bad-count.json": json.dumps(record(SMALL, LAST_CR, count=-1)).encode(),
        "findings/deep.json": b'{"a":' * 5000,
        "inbox/half.json": b'{"token": "cp1.',
        "inbox/bytes.json": b"\xff\xfe",
        "corpus/whole/none.json": b"[]",
        "shards/list.json": b"[1]",
        "known.json": b'{"deviations": 5}',
        "seeds.json": b'{"range": "x"}',
    }
    for name, content in damaged.items():
        put(a / name, content)
    merged = merge(folders, tmp_path / "all", DECODERS)
    assert {problem.path.relative_to(a).as_posix() for problem in merged.problems} == damaged.keys()
    kept = {path.read_bytes() for path in (tmp_path / "all/artefacts").iterdir()}
    assert kept >= set(damaged.values())
    expected = content_of(tmp_path / "whole")
    for name in ("findings", "inbox", "corpus", "shards", "inputs"):
        assert {one for one in content_of(tmp_path / "all") if one.startswith(name)} == {
            one for one in expected if one.startswith(name)
        }
    before = content_of(tmp_path / "all")
    merge([a], tmp_path / "all", DECODERS)
    assert content_of(tmp_path / "all") == before


def test_what_is_too_large_is_named_and_left_where_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr("chunkproof.fuzzing.merging.merge.FILE_BYTES_MAX", 100)
    monkeypatch.setattr("chunkproof.fuzzing.merging.sources.FILE_BYTES_MAX", 100)
    state = campaign(tmp_path / "a")
    put(state.inputs / "table" / "large", b"data:" + b"a" * 100)
    put(state.artefacts / "crash", b"a" * 101)
    merged = merge([state.folder], state.folder, DECODERS)
    assert sorted(problem.reason for problem in merged.problems) == [
        "it has more than 100 bytes, and is left where it is",
        "it has more than 100 bytes, and is no input",
    ]
    assert (state.inputs / "table" / "large").exists()
    assert (state.artefacts / "crash").exists()


@pytest.mark.parametrize(
    ("about", "said"),
    [
        (
            {"target": "other.py:parse"},
            "b is the campaign of another target than .*a: 'other.py:parse' and not 'reference'",
        ),
        ({"declared": ["no-retry"]}, r"b is the campaign of another profile than .*a: \['no-retry'\] and not \[\]"),
        ({"version": 2}, "campaign.json is of version 2, and this is 1"),
        ({"merged": 5}, "merged: 5 stands where a list of ids belongs"),
    ],
)
def test_folders_of_something_else_are_refused_and_nothing_is_made(tmp_path, about, said):
    campaign(tmp_path / "a")
    campaign(tmp_path / "b", **about)
    with pytest.raises(StateError, match=said):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "all", DECODERS)
    assert not (tmp_path / "all").exists()


def test_a_folder_that_holds_something_else_is_not_written_to(tmp_path):
    campaign(tmp_path / "a")
    put(tmp_path / "mine/notes.txt", b"mine")
    with pytest.raises(StateError, match="mine holds something else than a campaign: name another folder with --into"):
        merge([tmp_path / "a"], tmp_path / "mine", DECODERS)
    with pytest.raises(StateError, match=r"mine is no folder of a campaign: there is no campaign\.json in it"):
        merge([tmp_path / "mine"], tmp_path / "all", DECODERS)
    assert content_of(tmp_path / "mine") == {"notes.txt": b"mine"}


def test_a_campaign_that_is_running_is_not_written_to(tmp_path):
    state = campaign(tmp_path / "a")
    campaign(tmp_path / "b")
    with state.lock(), pytest.raises(StateError, match=r"a campaign is running in .*a: wait for its end"):
        merge([tmp_path / "b"], tmp_path / "a", DECODERS)


# The command ----------------------------------------------------------------------------------------------------------


def called(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(merge_, [*arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_the_command_says_what_was_kept_and_what_to_type_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(merge_command, "DECODERS", DECODERS)
    three(tmp_path)
    code, said = called("aaa", "bbb", "ccc", "--into", "all")
    assert code == 0
    assert said.splitlines() == [
        "all: 3 folders of reference merged, 115 checks in all",
        "findings: 3 of 5 kept, the others are the same, 1 to be looked at",
        "inputs: 4 of 6 kept, the others try nothing new",
        "next: chunkproof fuzz --target reference --state all",
    ]
    assert called("aaa", "bbb", "--into", "ab")[1].splitlines()[-1] == (
        "next: pytest --target=reference --chunkproof-corpus=ab/corpus"
    )


def test_the_command_ends_with_2_and_one_line_where_it_cannot_merge(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    campaign(tmp_path / "a")
    campaign(tmp_path / "b", target="other")
    put(tmp_path / "file", b"")
    assert called("a", "none", "--into", "all") == (
        2,
        "chunkproof: none: there is no such folder; name those that --state named\n",
    )
    assert called("a", "b", "--into", "all") == (
        2,
        "chunkproof: b is the campaign of another target than a: 'other' and not 'reference'; "
        "merge those of one target at a time\n",
    )
    assert called("a", "--into", "file") == (2, "chunkproof: --into=file: it is a file; name a folder\n")
    assert called("--into", "all")[0] == 2
    (tmp_path / "empty").mkdir()
    assert called("empty", "--into", "empty")[0] == 2
    put(tmp_path / "a/findings/x.json", b"{")
    code, said = called("a", "--into", "all")
    assert code == 2
    assert "not used: a/findings/x.json: it holds nothing of a campaign" in said
    assert "all: 1 folder of reference merged" in said
