"""A campaign as it is shown: what is read of its files, each form to the letter, and that nobody's text drives it."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from chunkproof_reports.campaign.lines import json_lines, plain_lines
from chunkproof_reports.campaign.markdown import markdown
from chunkproof_reports.campaign.record import CampaignRecord, FoundRecord, ShardRecord, causes
from chunkproof_reports.campaign.summary import summary
from chunkproof_reports.campaign.view import CampaignView, draw
from chunkproof_reports.campaign.words import clock, next_command, verdict

TOKEN = "cp1.AAlsaW5lcy9jcgABB2RhdGE6IGE"


def found(name, wire=b"data: a\n\n", cuts=(), **more):
    data = {"rule": "whole/any-stream", "kind": "extra", "token": TOKEN, "engine": "storm", "seed": "17"}
    return FoundRecord.from_data({"id": name, "wire": wire.hex(), "cuts": list(cuts), **data, **more})


CRLF = found(
    "a1",
    b"data: a\r\n\r\n",
    (8,),
    deviations=["crlf-split-chunks"],
    equals={"crlf-split-chunks": ["crlf-torn"]},
    rule="lines/crlf-cut",
    count=1204,
    seconds=3.2,
)
ODD = found("b2", "retry: ²\n\n".encode(), kind="raised", seconds=70)
ONCE = found("c3", cuts=(3,), kind="hung", reproducible=False, note="it came back at once", seconds=75)
_SHARDS = (
    ShardRecord("1", "storm", checks=4_000_000, streams=1_000_000, next_seed=1_000_001, coverage=412, repeats=1203),
    ShardRecord("2", "storm", checks=1_000_000, streams=250_000, next_seed=900_000, coverage=409),
)
SHARDS = tuple(replace(shard, coverage_of="branches") for shard in _SHARDS)
QUIET = CampaignRecord("chat", "storm", 2, SHARDS, (), 0, 100.0, 500.0, None, 51230.4, "chunkproof-fuzz")
FULL = replace(QUIET, findings=(CRLF, ODD, ONCE), waiting=1, since_news=25.0, elapsed=101.0, remaining=499.0)
#: A terminal would obey it, and so would Markdown, HTML and rich.
HOSTILE = "x\x1b[2J\x07\u202e|`[a](http://b.c)<img src=x>[red]www.d.e @me *b*\r\n# 流e\u0301\ud800\n```\n</details>"


def drawn(record, width=80, height=24):
    file = io.StringIO()
    Console(width=width, height=height, file=file, force_terminal=False).print(draw(record, width, height))
    return file.getvalue()


def hostile(**more):
    one = found("d4", b"\x1b[2J`|<b>\n" * 3, (1, 2), rule=HOSTILE, kind=HOSTILE, engine=HOSTILE, note=HOSTILE, **more)
    one = replace(one, id=HOSTILE, seed=HOSTILE, artefact=HOSTILE, entry=HOSTILE)
    named = replace(one, id="e5", deviations=(HOSTILE,), equals={HOSTILE: (HOSTILE,) * 9}, token="")
    again = replace(one, id="f6", reproducible=False, deviations=("crlf-split-chunks",))
    shard = ShardRecord(HOSTILE, HOSTILE, checks=1, coverage=1, coverage_of=HOSTILE, doing=HOSTILE, note=HOSTILE)
    return replace(
        FULL,
        target=HOSTILE,
        engine=HOSTILE,
        state=HOSTILE,
        ended=HOSTILE,
        declared=(HOSTILE,),
        replaying=(HOSTILE,),
        settings=(HOSTILE,),
        shards=(shard, replace(shard, doing="dead")),
        findings=(one, named, replace(named, id="e6"), again),
    )


def assert_harmless(text):
    assert [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Mn", "Zl", "Zp") and c != "\n"] == []


# what is read ---------------------------------------------------------------------------------------------------------


def test_what_a_file_lacks_has_a_default_and_what_it_has_more_is_passed_over():
    assert ShardRecord.from_data({"name": "1", "mood": {}}) == ShardRecord("1")
    assert FoundRecord.from_data({"colour": "red"}) == FoundRecord()
    assert FoundRecord.from_data({"wire": "6100", "wire_bytes": 7}).wire_bytes == 2
    assert FoundRecord.from_data({"wire_bytes": 7, "cuts": [7]}).data == b""
    assert ShardRecord.from_data({"coverage": None, "seconds": 3}).seconds == 3.0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"count": -1}, "finding '': count is a whole number from 0 on; found -1"),
        ({"count": True}, "finding '': count is a whole number from 0 on; found True"),
        ({"count": 10**5000}, "finding '': count is a whole number from 0 on; found a larger number"),
        ({"id": "a\x1b", "seconds": float("nan")}, r"finding 'a\x1b': seconds is a number from 0 on; found nan"),
        ({"seconds": float("inf")}, "finding '': seconds is a number from 0 on; found inf"),
        ({"reproducible": "no"}, "finding '': reproducible is true or false; found 'no'"),
        ({"id": 7}, "finding 7: id is a text; found 7"),
        ({"deviations": "crlf"}, "finding '': deviations is a list of texts; found 'crlf'"),
        ({"deviations": [1]}, "finding '': deviations is a list of texts; found [1]"),
        ({"equals": []}, "finding '': equals is an object of lists of texts; found []"),
        ({"equals": {"a": "b"}}, "finding '': equals is an object of lists of texts; found {'a': 'b'}"),
        ({"cuts": 1}, "finding '': cuts is a list of whole numbers from 0 on; found 1"),
        ({"wire": "6"}, "finding '': wires are bytes in hex; found '6'"),
        ({"before": ["zz"]}, "finding '': wires are bytes in hex; found 'zz'"),
        ({"wire": "61", "cuts": [1, 0]}, "finding '': cuts are offsets from 0 to 1, in order; found [1, 0]"),
        ({"wire": "61", "cuts": [2]}, "finding '': cuts are offsets from 0 to 1, in order; found [2]"),
        ({"cuts": [9] * 100}, "finding '': cuts are offsets from 0 to 0, in order; found 'list of 100'"),
    ],
)
def test_a_damaged_value_is_named(data, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        FoundRecord.from_data(data)


def test_a_damaged_status_of_a_shard_is_named():
    with pytest.raises(ValueError, match=r"^shard '3': coverage is a whole number from 0 on, or null; found 'many'$"):
        ShardRecord.from_data({"name": "3", "coverage": "many"})


def test_findings_are_grouped_by_what_explains_them_and_the_smallest_comes_first():
    large = found("z9", b"data: abc\r\n\r\n", (10,), deviations=["crlf-split-chunks"], count=2, seconds=1.0)
    groups = causes([replace(ODD, seconds=0.5), large, CRLF])
    assert [(one.named, [f.id for f in one.findings], one.count, one.since) for one in groups] == [
        ("crlf-split-chunks", ["a1", "z9"], 1206, 1.0),
        ("not in the catalogue", ["b2"], 1, 0.5),
    ]


def test_shards_share_what_they_cover_and_keep_and_add_up_what_they_run():
    assert (QUIET.checks, QUIET.streams, QUIET.repeats, QUIET.seeds) == (5_000_000, 1_250_000, 1203, 1_000_001)
    assert QUIET.coverage == {"branches": 412}


# commands -------------------------------------------------------------------------------------------------------------


def test_a_finding_is_run_again_by_its_token_or_else_by_its_entry():
    record = replace(FULL, target="my chat", replaying=("--declare", "takes=text"), settings=("--effort=smoke",))
    assert record.replay(CRLF) == f"chunkproof replay {TOKEN} --target 'my chat' --declare takes=text"
    long = replace(CRLF, token="cp1." + "A" * 2000, entry="corpus/lines/fuzz-a1.json")
    assert record.replay(long) == (
        "pytest '--target=my chat' --chunkproof-corpus=chunkproof-fuzz/corpus --effort=smoke chunkproof::corpus/fuzz-a1"
    )
    assert record.replay(replace(long, entry="")) == ""


@pytest.mark.parametrize(("seconds", "longer"), [(2, "1m"), (60, "10m"), (600, "1h"), (9000, "24h"), (10**6, "24h")])
def test_where_nothing_was_found_a_longer_campaign_of_both_engines_comes_next(seconds, longer):
    assert next_command(replace(QUIET, elapsed=float(seconds), replaying=("--deviations", "x"))) == (
        f"chunkproof fuzz --target chat --engine both --time {longer} --state chunkproof-fuzz --deviations x"
    )


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (QUIET, "no finding in 5,000,000 checks"),
        (replace(QUIET, shards=()), "no verdict: nothing was checked"),
        (replace(QUIET, findings=(ONCE,)), "no finding in 5,000,000 checks that came again: 1 did not"),
        (replace(QUIET, waiting=2), "no finding in 5,000,000 checks, but 2 findings wait in chunkproof-fuzz/inbox"),
        (
            replace(QUIET, shards=(SHARDS[0], replace(SHARDS[1], doing="dead"))),
            "no finding in 5,000,000 checks, but it is not whole: 1 shard ended too early",
        ),
        (
            FULL,
            "2 findings in 5,000,000 checks: 1 deviation and 1 not in the catalogue, "
            "but 1 finding waits in chunkproof-fuzz/inbox",
        ),
        (replace(QUIET, findings=(ODD,)), "1 finding in 5,000,000 checks: 1 not in the catalogue"),
    ],
)
def test_the_verdict_says_what_was_seen_and_no_more(record, words):
    assert verdict(record)[0] == words


def test_times_are_those_of_a_clock():
    assert [clock(seconds) for seconds in (0, 41.9, 600, 3723)] == ["0:00", "0:41", "10:00", "1:02:03"]


# plain lines ----------------------------------------------------------------------------------------------------------


def test_plain_lines_of_a_start():
    assert plain_lines(None, QUIET) == ["chat: storm, 2 jobs, 10:00, state in chunkproof-fuzz"]
    assert plain_lines(None, replace(FULL, remaining=None)) == [
        "chat: storm, 2 jobs, state in chunkproof-fuzz, 3 findings so far"
    ]


def test_plain_lines_say_each_finding_once_and_a_status_every_ten_seconds():
    assert plain_lines(QUIET, replace(QUIET, elapsed=101.0)) == []
    assert plain_lines(QUIET, FULL) == [
        "finding: crlf-split-chunks, lines/crlf-cut extra, 11 bytes in 2 chunks: "
        f"chunkproof replay {TOKEN} --target chat",
        f"finding: not in the catalogue, whole/any-stream raised, 11 bytes in 1 chunk: "
        f"chunkproof replay {TOKEN} --target chat",
        "not reproducible: not in the catalogue, whole/any-stream hung, 9 bytes in 2 chunks: "
        f"chunkproof replay {TOKEN} --target chat",
    ]
    assert plain_lines(FULL, replace(FULL, elapsed=109.9)) == []
    assert plain_lines(replace(FULL, elapsed=109.9), replace(FULL, elapsed=110.0, remaining=490.0)) == [
        "1:50 of 10:00  5,000,000 checks (51,230/s), 412 branches, 2 findings, 1 not reproducible, 1 waiting, "
        "last new one 0:25 ago"
    ]


def test_plain_lines_say_once_that_a_shard_died_and_not_that_one_is_diagnosing():
    odd = replace(
        QUIET, shards=(replace(SHARDS[0], doing="diagnosing"), replace(SHARDS[1], doing="dead", note="exit 3"))
    )
    assert plain_lines(QUIET, odd) == ["shard 2 (storm): its process ended too early, exit 3"]
    assert plain_lines(odd, odd) == []


# JSON lines -----------------------------------------------------------------------------------------------------------


def test_json_lines_of_a_whole_campaign():
    lines = json_lines(None, QUIET) + json_lines(QUIET, FULL) + json_lines(FULL, replace(FULL, ended="the time is up"))
    read = [json.loads(line) for line in lines]
    assert [one["event"] for one in read] == ["status", "finding", "finding", "finding", "end"]
    shards = [{"name": name, "engine": "storm", "doing": "searching", "note": ""} for name in "12"]
    status = {
        "version": 1,
        "target": "chat",
        "engine": "storm",
        "jobs": 2,
        "state": "chunkproof-fuzz",
        "elapsed": 100.0,
        "remaining": 500.0,
        "since_news": None,
        "rate": 51230.4,
        "checks": 5_000_000,
        "streams": 1_250_000,
        "coverage": {"branches": 412},
        "inputs": 0,
        "repeats": 1203,
        "waiting": 0,
        "findings": 0,
        "not_reproducible": 0,
        "shards": shards,
    }
    assert read[0] == {"event": "status", **status}
    assert read[1] == {
        "event": "finding",
        "version": 1,
        "target": "chat",
        "id": "a1",
        "rule": "lines/crlf-cut",
        "kind": "extra",
        "deviations": ["crlf-split-chunks"],
        "equals": {"crlf-split-chunks": ["crlf-torn"]},
        "reproducible": True,
        "note": "",
        "wire_bytes": 11,
        "chunks": 2,
        "count": 1204,
        "engine": "storm",
        "seed": "17",
        "found": 0.0,
        "seconds": 3.2,
        "token": TOKEN,
        "entry": "",
        "artefact": "",
        "replay": f"chunkproof replay {TOKEN} --target chat",
    }
    assert read[4] == {
        "event": "end",
        **status,
        "elapsed": 101.0,
        "remaining": 499.0,
        "since_news": 25.0,
        "waiting": 1,
        "findings": 2,
        "not_reproducible": 1,
        "ended": "the time is up",
        "verdict": verdict(FULL)[0],
        "next": "pytest --target=chat --chunkproof-corpus=chunkproof-fuzz/corpus",
    }


def test_json_lines_repeat_nothing():
    ended = replace(FULL, ended="interrupted")
    assert json_lines(FULL, FULL) == []
    assert json_lines(ended, ended) == []
    assert [json.loads(line)["event"] for line in json_lines(None, ended)] == ["finding"] * 3 + ["status", "end"]


# the summary ----------------------------------------------------------------------------------------------------------

SUMMARY = f"""\
chat: 5,000,000 checks of 1,250,000 streams in 1:41
  storm, 2 jobs, seeds up to 1,000,000
  412 branches, 1,203 failures that were no news
  ended: the time is up

  1. crlf-split-chunks: A CRLF that is cut is two line ends.
     seen as: An event that was sent with CRLF comes out in two halves, or twice, now and then.
     mend: Remember that a chunk ended in CR, and skip an LF that comes first in the next one.
     clause: 9.2.5: a line ends in CRLF, LF or CR
     reported: openai/openai-agents-python#4215
     not told apart from: crlf-torn
     breaks lines/crlf-cut: extra, 1,204 times
     first after 0:03 by storm, seed 17
     wire: 11 bytes in 2 chunks
         data: a␍|␊
         ␍␊
     chunkproof replay {TOKEN} --target chat

  2. not in the catalogue: no set of its deviations explains this finding
     breaks whole/any-stream: raised
     first after 1:10 by storm, seed 17
     wire: 11 bytes in 1 chunk
         retry: ²␊
         ␊
     chunkproof replay {TOKEN} --target chat

  not reproducible: 1 finding, not seen again in a fresh process
     breaks whole/any-stream: hung
     first after 1:15 by storm, seed 17
     what differed: it came back at once
     wire: 9 bytes in 2 chunks
         dat|a: a␊
         ␊
     chunkproof replay {TOKEN} --target chat

  2 findings in 5,000,000 checks: 1 deviation and 1 not in the catalogue
  next: pytest --target=chat --chunkproof-corpus=chunkproof-fuzz/corpus"""


def test_summary_of_findings():
    record = replace(FULL, waiting=0, ended="the time is up")
    assert "\n".join(summary(record, width=100)) == SUMMARY


def test_summary_where_nothing_was_found():
    record = replace(QUIET, declared=("eof-incomplete-dispatched",), elapsed=600.0)
    assert summary(record) == [
        "chat: 5,000,000 checks of 1,250,000 streams in 10:00",
        "  storm, 2 jobs, seeds up to 1,000,000",
        "  412 branches, 1,203 failures that were no news",
        "  with 1 declared deviation: eof-incomplete-dispatched",
        "",
        "  no finding in 5,000,000 checks",
        "  next: chunkproof fuzz --target chat --engine both --time 1h --state chunkproof-fuzz",
    ]


def test_summary_of_several_deviations_together_and_of_one_that_this_release_does_not_know():
    one = found("a1", deviations=["done-ends-stream", "no-such-thing"])
    text = "\n".join(summary(replace(QUIET, findings=(one,))))
    assert "\n  1. done-ends-stream: Data `[DONE]` ends the stream, and is no event.\n" in text
    assert "\n  +  no-such-thing: no deviation that this release knows\n" in text
    assert "1 finding in 5,000,000 checks: 2 deviations\n" in text


def test_summary_shows_the_smallest_finding_of_a_cause_whole_and_few_others():
    ones = tuple(found(f"{n:02}", b"x" * n, deviations=["crlf-split-chunks"]) for n in range(1, 10))
    lines = summary(replace(QUIET, findings=ones))
    assert [line for line in lines if "wire:" in line] == ["     wire: 1 byte in 1 chunk"]
    assert sum("chunkproof replay" in line for line in lines) == 4
    assert "     and 5 more in chunkproof-fuzz/findings" in lines


def test_summary_says_how_large_a_wire_is_that_its_file_does_not_hold():
    one = replace(found("a1"), wire="", wire_bytes=70_000_000, cuts=(1,), before=("61",) * 5)
    lines = summary(replace(QUIET, findings=(one,)))
    assert "     wire: 70,000,000 bytes in 2 chunks, too long to be shown" in lines
    assert lines.count("     run before it: 1 byte in 1 chunk") == 3
    assert "     and 2 more run before it" in lines


def test_summary_has_colour_only_where_it_is_asked_for():
    assert not any("\x1b" in line for line in summary(FULL))
    coloured = summary(FULL, colour=True)
    assert coloured[-1] == ("  next: \x1b[36mpytest --target=chat --chunkproof-corpus=chunkproof-fuzz/corpus\x1b[0m")
    assert any("\x1b[1mcrlf-split-chunks\x1b[0m" in line for line in coloured)


# Markdown -------------------------------------------------------------------------------------------------------------

MARKDOWN = f"""\
## chunkproof fuzz: <code>chat</code>

**2 findings in 5,000,000 checks: 1 deviation and 1 not in the catalogue**

5,000,000 checks of 1,250,000 streams in 1:41, storm, 2 jobs, 412 branches, seeds up to 1,000,000

| diagnosis | rule | kind | bytes | cuts | count | reproducible |
| --- | --- | --- | ---: | ---: | ---: | --- |
| <code>crlf-split-chunks</code> | <code>lines/crlf-cut</code> | <code>extra</code> | 11 | 1 | 1,204 | yes |
| not in the catalogue | <code>whole/any-stream</code> | <code>raised</code> | 11 | 0 | 1 | yes |
| not in the catalogue | <code>whole/any-stream</code> | <code>hung</code> | 9 | 1 | 1 | no |

<details><summary><code>crlf-split-chunks</code>: A CRLF that is cut is two line ends.</summary>

- seen as: An event that was sent with CRLF comes out in two halves, or twice, now and then.
- mend: Remember that a chunk ended in CR, and skip an LF that comes first in the next one.
- clause: 9.2.5: a line ends in CRLF, LF or CR
- not told apart from: <code>crlf-torn</code>

```text
breaks lines/crlf-cut: extra, 1,204 times
first after 0:03 by storm, seed 17
wire: 11 bytes in 2 chunks
    data: a␍|␊
    ␍␊
chunkproof replay {TOKEN} --target chat
```

</details>
<details><summary>not in the catalogue: 1 finding</summary>

```text
breaks whole/any-stream: raised
first after 1:10 by storm, seed 17
wire: 11 bytes in 1 chunk
    retry: ²␊
    ␊
chunkproof replay {TOKEN} --target chat
```

</details>
<details><summary>not in the catalogue, not reproducible: 1 finding</summary>

```text
breaks whole/any-stream: hung
first after 1:15 by storm, seed 17
what differed: it came back at once
wire: 9 bytes in 2 chunks
    dat|a: a␊
    ␊
chunkproof replay {TOKEN} --target chat
```

</details>

Next:

```text
pytest --target=chat --chunkproof-corpus=chunkproof-fuzz/corpus
```
"""


def test_markdown_of_findings():
    assert markdown(replace(FULL, waiting=0)) == MARKDOWN


def test_markdown_where_nothing_was_found():
    text = markdown(QUIET)
    assert "**no finding in 5,000,000 checks**\n" in text
    assert "<details>" not in text
    assert "\nchunkproof fuzz --target chat --engine both --time 10m --state chunkproof-fuzz\n" in text


def parsed(text):
    """All tokens of the Markdown, those inside of lines with them."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        yield token
        yield from token.children or ()


def test_no_text_of_anybody_means_something_in_markdown_or_html():
    # With all the HTML and structure that a harmless record has, and no more.
    text = markdown(hostile())
    assert_harmless(text)
    allowed = {"<code>", "</code>", "<br>"}
    tokens = list(parsed(text))
    assert {token.content for token in tokens if token.type == "html_inline"} <= allowed
    assert not {token.type for token in tokens} & {"link_open", "image", "code_inline", "blockquote_open"}
    strong = [token.type for token in tokens].count("strong_open")
    assert (strong, [token.type for token in tokens].count("heading_open")) == (1, 1)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {8}
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    assert (blocks.count("<details>"), blocks.count("</details>"), blocks.count("<img")) == (3, 3, 0)
    # What starts like an address is made a link of by GitHub alone: it may stand in blocks of code only.
    outside = "".join(token.content for token in tokens if token.type == "inline") + blocks
    assert "www." not in outside
    assert "http:" not in outside


def test_a_fence_is_longer_than_any_in_its_block():
    text = markdown(replace(QUIET, findings=(replace(ODD, note="````"),)))
    assert "\n`````text\nbreaks whole/any-stream: raised\n" in text
    blocks = [token.content for token in parsed(text) if token.type == "fence"]
    assert ["````\n" in block for block in blocks] == [True, False]


def test_markdown_stays_below_what_github_takes():
    ones = tuple(found(f"{n:03}", bytes(range(256)) * 8, range(n), deviations=[f"odd-{n}"]) for n in range(400))
    text = markdown(replace(QUIET, findings=ones))
    assert 400_000 < len(text.encode()) < 600_000
    assert "| and 300 more | | | | | | |\n" in text
    assert " more causes in <code>chunkproof-fuzz/findings</code>\n" in text
    assert text.count("<details>") == text.count("</details>") > 10


# the live view --------------------------------------------------------------------------------------------------------

VIEW = """\
chat                                                               storm, 2 jobs
1:41 of 10:00  ━━━━━━━━━                                               8:19 left

checks        5,000,000  branches            412  findings              2
a second         51,230  inputs                0  last new       0:25 ago
streams       1,250,000  repeats           1,203  waiting               1

diagnosis                  rule                       kind    bytes  cuts  count
not in the catalogue       whole/any-stream           raised     11     0      1
crlf-split-chunks          lines/crlf-cut             extra      11     1  1,204
not reproducible           whole/any-stream           hung        9     1      1

shard 1 (storm): diagnosing
state in chunkproof-fuzz; Ctrl-C ends it, and what was found stays
"""


def test_one_screen():
    record = replace(FULL, shards=(replace(SHARDS[0], doing="diagnosing"), SHARDS[1]))
    text = "".join(line.rstrip() + "\n" for line in drawn(record).splitlines())
    assert text == VIEW


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 24), (80, 16)])
def test_many_findings_and_shards_fit_the_screen_and_it_is_said_what_does_not(width, height):
    ones = tuple(found(f"{n:03}", deviations=[f"名字-{n}" * 9], count=10**n, seconds=n) for n in range(18))
    shards = tuple(ShardRecord(str(n), "storm", note="长" * 90, doing="dead" * (n == 7)) for n in range(9))
    lines = drawn(replace(FULL, findings=ones, shards=shards), width, height).splitlines()
    assert len(lines) < height
    assert max(map(cell_len, lines)) <= width
    rows = [line for line in lines if line.startswith("名字")]
    assert f"and {18 - len(rows)} more" in [line.rstrip() for line in lines]
    assert rows[0].startswith("名字-17")  # the newest comes first
    assert next(line for line in lines if line.startswith("shard")).startswith("shard 7 (storm): its process ended")
    shards_shown = sum(line.startswith("shard ") for line in lines)
    assert f"and {9 - shards_shown} more shards with something to say" in [line.rstrip() for line in lines]


def test_a_screen_without_an_end_or_a_finding():
    lines = [line.rstrip() for line in drawn(replace(QUIET, remaining=None, shards=())).splitlines()]
    assert lines[1] == "1:40, no end set"
    assert "no finding so far" in lines
    assert any("coverage              -" in line for line in lines)


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


def test_the_view_draws_at_most_four_times_a_second_and_leaves_nothing_behind():
    file, now = io.StringIO(), Clock()
    console = Console(file=file, force_terminal=True, width=80, height=24, color_system=None)
    with CampaignView(console, now=now) as view:
        for _ in range(100):
            view.update(FULL)
            now.seconds += 1 / 64
        drawings = file.getvalue().count("state in chunkproof-fuzz")
    assert drawings == 7  # at 0, and six times in the 99/64 seconds behind it
    height = len(drawn(FULL).splitlines())
    assert file.getvalue().endswith("\x1b[1A\x1b[2K" * height)


# nobody's text --------------------------------------------------------------------------------------------------------


def test_no_text_of_anybody_drives_a_terminal():
    record = hostile()
    assert_harmless("\n".join(summary(record)))
    assert_harmless("\n".join(plain_lines(None, record) + plain_lines(QUIET, record)))
    assert_harmless(drawn(record))
    assert "[red]" in drawn(replace(FULL, target="[red]"))
    ended = replace(record, elapsed=120.0)
    assert all(line.isascii() and line.isprintable() for line in json_lines(QUIET, ended))


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_name_is_shown_in_its_row(name):
    record = replace(FULL, target=name, findings=(replace(ODD, rule=name, deviations=(name,), note=name),))
    for text in ("\n".join(summary(record)), drawn(record), markdown(record), *plain_lines(QUIET, record)):
        assert all(character == "\n" or character.isprintable() for character in text)
    assert len(plain_lines(QUIET, record)) == 1
    assert max(map(cell_len, drawn(record).splitlines())) <= 80
