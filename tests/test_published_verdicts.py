"""The published parsers under the suite: each fails the right rules, with counterexamples that can be read.

For parser D and the strict reader, whose authors say what they left out, every failing rule stands beside the sentence
that explains it. The counterexamples of 20 seeds are printed (`pytest -s`).
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from chunkproof.check import check
from chunkproof.rules import RULES
from chunkproof_reports.results import RuleResult
from chunkproof_targets.loading import load_target

SEEDS = range(20)

#: For each seed, the rules that are broken, by id.
Broken = dict[int, dict[str, RuleResult]]

#: Rules that must fail in every seed, one a point that the article makes.
MUST_FAIL = {
    # A decodes and splits each chunk by itself, and takes each data line for an event.
    "parser-a": {
        "chunking/one-byte-a-chunk",
        "chunking/every-single-cut",
        "chunking/random-plans",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
        "fields/data-lines-are-joined",
        "end/an-unfinished-event-is-discarded",
        "end/an-event-in-an-unfinished-line-is-discarded",
        "whole/any-stream-in-any-chunking",
    },
    # B buffers to a line, and takes each data line for an event.
    "parser-b": {
        "fields/data-lines-are-joined",
        "fields/empty-data-lines-count",
        "end/an-unfinished-event-is-discarded",
        "whole/any-stream-in-any-chunking",
    },
    # C decodes each chunk by itself.
    "parser-c": {
        "bytes/two-byte-character-cut",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
        "bytes/zwj-sequence-cut",
        "chunking/one-byte-a-chunk",
        "chunking/text-behind-a-line-end-at-a-chunks-end",
        "whole/any-stream-in-any-chunking",
    },
    # The fetch loop knows LF LF and a leading `data:`, and stops at [DONE].
    "fetch-loop": {
        "lines/cr",
        "lines/crlf",
        "fields/comments-are-ignored",
        "fields/data-lines-are-joined",
        "fields/a-second-space-is-kept",
        "fields/a-value-that-looks-like-more",
        "dispatch/comment-only-blocks",
        "dispatch/retry-only-blocks",
        "whole/any-stream-in-any-chunking",
    },
}

#: Chapters in which a parser is right, by what its article says: none of these rules may fail in any seed.
MUST_HOLD = {
    "parser-b": {
        "bytes/three-byte-character-cut",
        "bytes/mark-removed",
        "lines/lf",
        "chunking/every-single-cut",
        "chunking/one-byte-a-chunk",
        "chunking/random-plans",
        "fields/comments-are-ignored",
        "dispatch/comment-only-blocks",
    },
    "parser-c": {
        "lines/lf",
        "lines/crlf",
        "lines/crlf-cut",
        "fields/data-lines-are-joined",
        "fields/comments-are-ignored",
        "fields/no-space",
        "end/an-unfinished-event-is-discarded",
    },
    "fetch-loop": {
        "lines/lf",
        "bytes/three-byte-character-cut",
        "bytes/four-byte-character-cut",
        "fields/no-space",
        "dispatch/many-events-in-one-chunk",
        "chunking/every-single-cut",
    },
}

_NO_CR = "D: LF with an optional CR"
_STRICT_NO_CR = "strict reader: lone CR is outside its scope by its own words"
_STRICT_UTF8 = "strict reader: an ill-formed or truncated sequence raises UnicodeDecodeError, at the end of input too"
_STRICT_MARK = "strict reader: the byte order mark is outside its scope by its own words"

#: What the articles are about: none of their parsers was made for long streams.
MUSTS = [rule for rule in RULES if rule.severity == "must"]
#: Every rule that fails, beside the sentence of the author that explains it.
EXPLAINED = {
    "parser-d": {
        "lines/cr": _NO_CR,
        "lines/mixed": _NO_CR,
        "lines/lf-later-than-a-cr": _NO_CR,
        "lines/blank-line-of-two-ends": _NO_CR,
        "end/a-cr-at-the-very-end-completes-a-blank-line": _NO_CR,
        "whole/any-stream-in-any-chunking": _NO_CR,
        "whole/any-bytes-never-stop-a-parser": _NO_CR,
        "whole/telling-cases-are-right": _NO_CR,
        "whole/line-ends-are-alike": _NO_CR,
        "whole/two-streams-joined": _NO_CR,
        "prefix/every-prefix-is-a-stream": _NO_CR,
    },
    "strict-reader": {
        "bytes/ill-formed-is-replaced": _STRICT_UTF8,
        "bytes/truncated-character-before-text": _STRICT_UTF8,
        "bytes/truncated-character-before-a-line-end": _STRICT_UTF8,
        "bytes/cut-short-at-the-end": _STRICT_UTF8,
        "bytes/truncated-mark": _STRICT_UTF8,
        "bytes/utf16-mark-is-no-mark": _STRICT_UTF8,
        "bytes/mark-removed": _STRICT_MARK,
        "bytes/mark-behind-an-empty-chunk": _STRICT_MARK,
        "lines/cr": _STRICT_NO_CR,
        "lines/mixed": _STRICT_NO_CR,
        "lines/lf-later-than-a-cr": _STRICT_NO_CR,
        "lines/blank-line-of-two-ends": _STRICT_NO_CR,
        "end/a-cr-at-the-very-end-completes-a-blank-line": _STRICT_NO_CR,
        "whole/any-stream-in-any-chunking": _STRICT_NO_CR,
        "whole/any-bytes-never-stop-a-parser": _STRICT_UTF8,
        "whole/telling-cases-are-right": _STRICT_UTF8,
        "whole/line-ends-are-alike": _STRICT_NO_CR,
        "whole/two-streams-joined": _STRICT_NO_CR,
        "prefix/every-prefix-is-a-stream": _STRICT_UTF8,
    },
}

#: Explained rules that random streams do not always reach at smoke effort.
BY_CHANCE = {"whole/any-bytes-never-stop-a-parser"}


def broken_in_each_seed(name: str) -> Broken:
    target = load_target(name, folder=Path.cwd())
    found = {}
    for seed in SEEDS:
        # In this process: behind each broken rule comes a new child, which costs more than the rule.
        results = check(target, "smoke", seed=seed, rules=MUSTS, forked=False).rules
        assert not [rule.reason for rule in results if rule.status == "fault"]
        found[seed] = {rule.id: rule for rule in results if rule.fails}
    return found


def assert_the_right_rules_fail(name: str, broken_by_seed: Broken) -> None:
    for seed, broken in broken_by_seed.items():
        missed, accused = MUST_FAIL[name] - broken.keys(), MUST_HOLD.get(name, set()) & broken.keys()
        assert not missed, f"seed {seed} misses {sorted(missed)}"
        assert not accused, f"seed {seed} accuses {sorted(accused)}"


def assert_every_failing_rule_is_explained(name: str, broken_by_seed: Broken) -> None:
    explained = EXPLAINED[name].keys()
    for seed, broken in broken_by_seed.items():
        assert broken.keys() <= explained, f"seed {seed}: {sorted(broken.keys() - explained)} is not explained"
        assert explained - BY_CHANCE <= broken.keys(), f"seed {seed}: {sorted(explained - broken.keys())} does not fail"


def assert_counterexamples_are_small_and_few(name: str, broken_by_seed: Broken) -> None:
    different = defaultdict(set)
    for broken in broken_by_seed.values():
        for rule_id, rule in broken.items():
            assert rule.counterexample is not None
            stream = rule.counterexample.streams[-1]
            different[rule_id].add((rule.counterexample.kind, stream.data, stream.cuts))
    for rule_id, found in different.items():
        for kind, wire, cuts in sorted(found):
            print(f"{name:14} {rule_id:55} {kind:8} {wire!r} cuts {list(cuts)}")
            assert len(wire) <= 16, f"{rule_id}: {wire!r}"
            assert len(cuts) <= 2, f"{rule_id}: {wire!r} cut at {cuts}"
        assert len(found) <= 3, f"{rule_id}: {sorted(found)}"


@pytest.mark.parametrize("name", MUST_FAIL)
def test_a_published_parser_fails_the_right_rules(name: str) -> None:
    broken = broken_in_each_seed(name)
    assert_the_right_rules_fail(name, broken)
    assert_counterexamples_are_small_and_few(name, broken)


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_a_published_parser_left_out_explains_all_its_failures(name: str) -> None:
    broken = broken_in_each_seed(name)
    assert_every_failing_rule_is_explained(name, broken)
    assert_counterexamples_are_small_and_few(name, broken)
