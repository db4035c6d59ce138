"""The pytest file and the TypeScript table run as they are written, whatever bytes are in an entry."""

from __future__ import annotations

import ast
import itertools
import json
import random
import re
import shutil
import subprocess
from typing import Any

import pytest

from chunkproof.corpus.entry import Entry, EntryError
from chunkproof.corpus.making import ANY_RULE, Described, entry_of
from chunkproof.corpus.store import own_corpus
from chunkproof.corpus.tables import to_pytest, to_typescript
from chunkproof.oracle import interpret
from chunkproof.question import Question
from chunkproof_reports.results import Severity
from chunkproof_strategies.generator import generate

#: What could end a literal, a line or a comment, in Python or in TypeScript.
TRAPS = "'\"\"\"\\'''`${x}{{%s}}\r\n\u2028\u2029\u0085\0\x1b]\ufeff*/ </script> # // \\u{0} \\N{DASH} 你🙂\U0010ffff"


def entry(name: str, question: Question, *, title: str = "A title.", severity: Severity = "should") -> Entry:
    return Entry.of(
        name,
        title,
        question,
        interpret(question.wire),
        rules=[ANY_RULE],
        layer="events",
        severity=severity,
        origin={"kind": "file"},
    )


ENTRIES = [
    entry("plain", Question(b"data: a\n\n"), title=TRAPS),
    entry("a-character-cut", Question("data: 你\n\n".encode(), (7, 7))),
    entry("traps", Question(f"event: {TRAPS}\ndata: {TRAPS}\nid: {TRAPS}x\ndata: {TRAPS}\n\n\n".encode(), (9, 40))),
    entry("no-bytes", Question(b"", (0,))),
    entry("no-chunks", Question(b"")),
    entry("every-byte", Question(b"data:" + bytes(range(256)) + b"\n\n", tuple(range(0, 260, 7)))),
    entry("ids", Question(b"id: 1\ndata: a\n\nretry: 5\nretry: 006\nid: 2\n\n", (3,))),
    entry("long-time", Question(b"retry:" + b"9" * 5000 + b"\nretry: 0\n")),
    entry("run-before", Question(b"data: b\n\n", (), (b"id: 1\ndata: x", b"\xff"))),
]

#: The file by itself, in its own order, whatever plugins are installed.
PLAIN = ("-p", "no:randomly", "-p", "no:random_order", "-p", "no:langsmith_plugin")

FILLED = """\
    from chunkproof_targets.deviations import find_deviation
    from chunkproof_targets.reference import ReferenceParser

    name = {name!r}
    parser = (find_deviation(name).part if name else ReferenceParser)()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    events += parser.close()
    return events, parser.last_event_id, parser.retries
"""


def pytest_file(entries: list[Entry], name: str = "") -> str:
    """The file with a parser filled in: the reference, or one with a deviation."""
    source, count = re.subn(r"    raise NotImplementedError.*\n", FILLED.format(name=name), to_pytest(entries))
    assert count == 1
    return source


# pytest ---------------------------------------------------------------------------------------------------------------


def test_the_file_needs_nothing_but_pytest_and_says_what_to_fill_in(pytester):
    source = to_pytest(ENTRIES)
    assert source.isascii()
    imported = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == ["import pytest"]
    result = pytester.runpytest_inprocess(*PLAIN, pytester.makepyfile(source))
    result.assert_outcomes(failed=len(ENTRIES))
    result.stdout.fnmatch_lines(["*NotImplementedError: let parse() in this file feed your parser*"])


def test_the_reference_parser_passes_the_file(pytester):
    result = pytester.runpytest_inprocess(*PLAIN, "-v", pytester.makepyfile(pytest_file(ENTRIES)))
    result.assert_outcomes(passed=len(ENTRIES))
    passed = re.findall(r"::test_stream\[(\S+)\] PASSED", result.stdout.str())
    assert passed == [one.id for one in ENTRIES]


def test_a_deviation_fails_the_entries_that_it_shows_on(pytester):
    result = pytester.runpytest_inprocess(*PLAIN, pytester.makepyfile(pytest_file(ENTRIES, "utf8-split-lossy")))
    failed = set(re.findall(r"FAILED \S+\[(\S+)\]", result.stdout.str()))
    # The cuts of the trap go through no character; those of every byte cut none that is well-formed.
    assert "a-character-cut" in failed
    assert not failed & {"plain", "no-bytes", "no-chunks", "ids", "run-before"}


def run_only_case(source: str, **names: object) -> None:
    """Run the only case of a file without pytest."""
    namespace: dict[str, Any] = dict(names)
    exec(compile(source, "file", "exec"), namespace)
    (case,) = namespace["CASES"]
    namespace["test_stream"](*case.values)


def test_the_last_id_is_compared_where_the_parser_shows_one():
    source = pytest_file([ENTRIES[6]]).replace("return events, parser.last_event_id,", "return events, LAST,")
    run_only_case(source, LAST="2")
    run_only_case(source, LAST=None)
    with pytest.raises(AssertionError):
        run_only_case(source, LAST="1")


def test_the_reconnection_times_are_compared_where_the_parser_shows_them():
    source = pytest_file([ENTRIES[6]]).replace("parser.last_event_id, parser.retries", "parser.last_event_id, TIMES")
    run_only_case(source, TIMES=[5, 6])
    run_only_case(source, TIMES=("5", "6"))
    run_only_case(source, TIMES=None)
    for wrong in ([], [5], [6, 5], [5, 6, 6], [5, 6.5]):
        with pytest.raises(AssertionError):
            run_only_case(source, TIMES=wrong)


def test_a_failure_says_how_severe_it_is(pytester):
    must = entry_of(Question(b"data: a\n\n"), Described(id="must"))
    source = re.sub(r"    raise NotImplementedError.*\n", "    return [], None, None\n", to_pytest([ENTRIES[0], must]))
    result = pytester.runpytest_inprocess(*PLAIN, pytester.makepyfile(source))
    assert re.findall(r"AssertionError: (\w+)$", result.stdout.str(), re.MULTILINE)[:2] == ["should", "must"]


@pytest.mark.parametrize(("write", "comment"), [(to_pytest, "#"), (to_typescript, "//")])
def test_open_choices_are_left_out_and_counted(write, comment):
    info = [entry(f"open-{number}", Question(b"retry: 4294967297\n"), severity="info") for number in range(2)]
    why = "of severity info (open choices: a parser that differs is not wrong)."
    for left_out, said in ((info[:1], f"1 entry {why}"), (info, f"2 entries {why}")):
        source = write([*left_out, ENTRIES[1]])
        assert source.replace(f"\n{comment} Left out: {said}\n", "\n", 1) == write([ENTRIES[1]])
        assert source.index("Left out") < 250
    assert "Left out" not in write(ENTRIES)
    assert "{left_out}" not in write(ENTRIES)
    with pytest.raises(
        EntryError, match=r"^all entries are of severity info, and a parser that differs there fails no"
    ):
        write(info)


def test_what_runs_before_is_run_before():
    fed: list[list[bytes]] = []
    run_only_case(
        pytest_file([ENTRIES[8]]).replace("    name = ''\n", "    FED(chunks)\n    name = ''\n"), FED=fed.append
    )
    assert fed == [[b"id: 1\ndata: x"], [b"\xff"], [b"data: b\n\n"]]


def assert_python_holds(entries: list[Entry], held: list[Entry] | None = None) -> None:
    """The table of the file is the entries, or those it should hold of them, read without pytest."""
    tree = ast.parse(to_pytest(entries))
    (table,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    assert isinstance(table, ast.List)
    for call, one in zip(table.elts, held or entries, strict=True):
        assert isinstance(call, ast.Call)
        values = [ast.literal_eval(value) for value in (*call.args, call.keywords[0].value)]
        assert values == [
            list(one.question.before),
            one.question.chunks,
            [tuple(event) for event in one.expected.events],
            one.expected.last_event_id,
            list(one.expected.retries),
            one.severity,
            one.id,
        ]


def hostile_entries() -> list[Entry]:
    rng = random.Random(0)
    entries = list(ENTRIES)
    for number, stream in enumerate(itertools.islice(generate("tables"), 150)):
        wire = stream.wire + rng.randbytes(rng.randrange(20)) + TRAPS[rng.randrange(len(TRAPS)) :].encode() + b"\n\n"
        title = "".join(rng.choices(TRAPS, k=30))
        entries.append(entry(f"n-{number}", Question(wire, (rng.randrange(len(wire)),)), title=title))
    return entries


def test_the_python_table_holds_any_bytes():
    assert_python_holds(hostile_entries())


def test_all_entries_of_chunkproof_go_into_both_tables():
    own = own_corpus().entries
    judged = [one for one in own if one.severity != "info"]
    assert len(judged) > 200
    assert [one.id for one in own if one not in judged and one.chapter == "retry"] == [
        "retry-above-31-bits",
        "retry-of-nothing-is-no-time",
    ]
    assert_python_holds(own, judged)
    assert_typescript_holds(own, judged)


# TypeScript -----------------------------------------------------------------------------------------------------------

BYTES = re.compile(r'bytes\(("(?:[^"\\]|\\.)*")\)')
CASE = re.compile(r"  \{\n((?:    \w+: .*,\n)+)  \},\n")


def read_typescript(source: str) -> list[dict[str, Any]]:
    """The cases of the table. All literals are JSON, which is a part of TypeScript."""
    head, table = source.split("export const cases: readonly Case[] = [\n")
    assert not CASE.search(head)
    assert table.endswith("];\n")
    table = table.removesuffix("];\n")
    cases = []
    at = 0
    for found in CASE.finditer(table):
        assert found.start() == at
        at = found.end()
        lines = (line.strip().removesuffix(",").partition(": ") for line in found[1].splitlines())
        cases.append(
            {name: json.loads(re.sub(r'bytes\(("(?:[^"\\]|\\.)*")\)', r"\1", value)) for name, _, value in lines}
        )
    assert at == len(table)
    return cases


def as_case(one: Entry) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "severity": one.severity,
        "before": [wire.decode("latin-1") for wire in one.question.before],
        "chunks": [chunk.decode("latin-1") for chunk in one.question.chunks],
        "events": [
            {"type": event.type, "data": event.data, "lastEventId": event.last_event_id}
            for event in one.expected.events
        ],
        "lastEventId": one.expected.last_event_id,
        "retries": list(one.expected.retries),
    }


def assert_typescript_holds(entries: list[Entry], held: list[Entry] | None = None) -> None:
    source = to_typescript(entries)
    assert source.isascii()
    assert source.count("\r") == 0
    assert read_typescript(source) == [as_case(one) for one in held or entries]


def test_the_typescript_table_holds_any_bytes():
    assert_typescript_holds(hostile_entries())


def test_the_form_of_a_typescript_case():
    assert to_typescript([ENTRIES[1]]).endswith(
        "export const cases: readonly Case[] = [\n"
        "  {\n"
        '    id: "a-character-cut",\n'
        '    title: "A title.",\n'
        '    severity: "should",\n'
        "    before: [],\n"
        '    chunks: [bytes("data: \\u00e4"), bytes(""), bytes("\\u00bd\\u00a0\\n\\n")],\n'
        '    events: [{"type": "message", "data": "\\u4f60", "lastEventId": ""}],\n'
        '    lastEventId: "",\n'
        "    retries: [],\n"
        "  },\n"
        "];\n"
    )


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the table with Node.js, which is not on this machine")
def test_a_javascript_engine_reads_the_table_as_it_is_meant(tmp_path):
    entries = hostile_entries()
    source = to_typescript(entries)
    # The types are taken out by hand: only later versions of Node.js do.
    head, table = source.split("export const cases: readonly Case[] = [\n")
    bytes_of = head[head.index("const bytes") :].replace("(text: string): Uint8Array =>", "(text) =>")
    latin = "value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value"
    path = tmp_path / "cases.mjs"
    path.write_text(
        f"{bytes_of}const cases = [\n{table}console.log(JSON.stringify(cases, (_, value) => {latin}));\n", "utf-8"
    )
    result = subprocess.run(["node", path], capture_output=True, encoding="utf-8", timeout=60)
    assert result.stderr == ""
    assert json.loads(result.stdout) == [as_case(one) for one in entries]


@pytest.mark.parametrize("write", [to_pytest, to_typescript])
def test_an_entry_too_large_for_a_source_file_is_named(write):
    large = entry("large", Question(b":" + b"x" * 4_194_303))
    assert write([large])
    larger = entry("larger", Question(large.wire, (), (b"x",)))
    with pytest.raises(EntryError, match=r"^larger: it unrolls to 4,194,305 bytes, and 4,194,304 are the most"):
        write([large, larger])
