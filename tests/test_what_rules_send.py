"""What a rule sends to a target, and how much it weighs for it: empty chunks, torn characters, a CR at the end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chunkproof.check import Effort
from chunkproof.rules import RULES, Rule, find_rule
from chunkproof_reports.results import RuleResult
from chunkproof_strategies.chunkings import chunks_of
from chunkproof_targets.contract import Run

from .test_check import Noting, fed, judged

#: Rules that feed a target and compare; those with a way of their own need more of it than a plain `Target` offers.
PLAIN = [rule for rule in RULES if rule.way is None]

# Rules that weigh less where the standard leaves it open --------------------------------------------------------------

CR_AT_THE_END = "end/a-cr-at-the-very-end-completes-a-blank-line"


class HoldsALastCR(Noting):
    """Does not read a CR before it knows what follows."""

    def run(self, chunks: Sequence[bytes]) -> Run:
        wire = b"".join(chunks)
        return super().run([wire.removesuffix(b"\r")] if wire else [])


@pytest.mark.parametrize(("has_end", "severity", "fails"), [(True, "must", True), (False, "info", False)])
def test_who_is_never_told_the_end_may_hold_a_last_cr(has_end, severity, fails):
    target = HoldsALastCR()
    target.has_end = has_end
    result = judged(CR_AT_THE_END, target)
    assert (result.status, result.severity, result.fails) == ("broken", severity, fails)
    assert result.counterexample is not None
    assert result.counterexample.kind == "lost"
    assert result.counterexample.streams[0].data.endswith(b"\r")


def test_who_reads_a_last_cr_without_an_end_holds_the_rule():
    target = Noting()
    target.has_end = False
    result = judged(CR_AT_THE_END, target)
    assert (result.status, result.severity) == ("held", "info")


def test_one_rule_weighs_less_without_an_end_and_the_others_the_same():
    told, never_told = Noting(), Noting()
    never_told.has_end = False
    assert all(rule.severity_for(told) == rule.severity for rule in PLAIN)
    changed = {
        rule.id: rule.severity_for(never_told) for rule in PLAIN if rule.severity_for(never_told) != rule.severity
    }
    assert changed == {CR_AT_THE_END: "info"}


def test_every_rule_judges_a_target_that_shows_all_with_an_end_and_without():
    for has_end in (True, False):
        target = Noting()
        target.has_end = has_end
        assert [rule.id for rule in PLAIN if rule.not_judged(target)] == []


def test_a_result_says_of_its_rule_all_that_a_reader_needs():
    rule, target = find_rule("lines/crlf"), Noting()
    assert rule.result(target, "held", checks=3, streams=2) == RuleResult(
        id="lines/crlf",
        target="noting",
        requirement=rule.requirement,
        clause=rule.clause,
        severity="must",
        status="held",
        wpt=rule.wpt,
        since="0.1",
        checks=3,
        streams=2,
    )
    assert rule.wpt


# Empty chunks and torn characters, where they are the point -----------------------------------------------------------

FEW = Effort("few", checks=120, examples=2)


def feeds_empty_chunks(rule: Rule) -> bool:
    return any(b"" in chunks for chunks in fed(rule, FEW))


def tears_characters(rule: Rule) -> bool:
    """Whether a chunk other than the first starts with what is never the start of a character."""
    return any(b"\x80" <= chunk[:1] <= b"\xbf" for chunks in fed(rule, FEW) for chunk in chunks[1:])


def test_only_rules_about_them_and_the_broadest_send_empty_chunks():
    about = {rule.id for rule in RULES if "empty chunks" in rule.needs}
    broadest = {
        "whole/any-stream-in-any-chunking",
        "whole/any-bytes-never-stop-a-parser",
        "whole/telling-cases-are-right",
    }
    assert all("empty" in rule_id for rule_id in about)
    assert {rule.id for rule in PLAIN if feeds_empty_chunks(rule)} == about | broadest


def test_only_rules_about_cuts_or_bytes_tear_characters():
    tearing = {rule.id for rule in PLAIN if tears_characters(rule)}
    assert {rule_id.partition("/")[0] for rule_id in tearing} == {"bytes", "chunking", "whole", "prefix"}
    # Three have nothing to tear: their streams are ASCII.
    assert {rule.id for rule in PLAIN if rule.cuts_characters} - tearing == {
        "chunking/a-blank-line-cut",
        "whole/line-ends-are-alike",
        "whole/a-second-run-sees-nothing-of-the-first",
    }
    assert tearing - {rule.id for rule in PLAIN if rule.cuts_characters} == set()


class EmptyChunkEnds(Noting):
    """`receive_data(b"")` is the end of input: what comes later is not read."""

    def run(self, chunks: Sequence[bytes]) -> Run:
        ended = list(chunks).index(b"") if b"" in chunks else len(chunks)
        run = super().run(chunks[:ended])
        self.fed[-1] = tuple(chunks)
        return run


@pytest.mark.parametrize(
    "rule", ["chunking/empty-chunks-anywhere", "bytes/mark-behind-an-empty-chunk", "whole/any-stream-in-any-chunking"]
)
def test_who_fails_on_empty_chunks_alone_is_told_what_to_declare(rule):
    result = judged(rule, EmptyChunkEnds())
    assert result.status == "broken"
    found = result.counterexample
    assert found is not None
    (stream,) = found.streams
    assert b"" in chunks_of(stream.data, stream.cuts)
    assert result.advice.endswith("declare it: --chunkproof-declare empty_chunk=end")
    declared = EmptyChunkEnds()
    declared.empty_chunk_ends = True
    assert judged(rule, declared).status in ("not judged", "held")
    assert not any(b"" in chunks for chunks in declared.fed)


def test_who_is_ended_by_empty_chunks_holds_every_rule_that_sends_none():
    assert {rule.id for rule in RULES if judged(rule, EmptyChunkEnds(), FEW).status == "broken"} == {
        "bytes/mark-behind-an-empty-chunk",
        "chunking/empty-chunks-anywhere",
        "whole/any-stream-in-any-chunking",
        "whole/any-bytes-never-stop-a-parser",
        "whole/telling-cases-are-right",
        "end/empty-chunks-at-the-end",
    }


def test_who_fails_without_empty_chunks_too_is_not_told_of_them():
    class LosesAll(Noting):
        def run(self, chunks: Sequence[bytes]) -> Run:
            run = super().run(chunks)
            run.deliveries.clear()
            return run

    for rule in ("whole/any-stream-in-any-chunking", "end/empty-chunks-at-the-end"):
        result = judged(rule, LosesAll())
        assert (result.status, result.advice) == ("broken", "")
