"""The public face: the strategies as a user's own tests draw from them, and the drafts that they are made of."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from chunkproof.oracle import interpret
from chunkproof.rules import RULES, Rule
from chunkproof_strategies import values
from chunkproof_strategies.generator import RandomSource, generate
from chunkproof_strategies.grammar import CR, CRLF, FEATURES, LF, Draft, Stream, write_stream
from chunkproof_strategies.strategies import DrawSource, chunkings, event_texts, streams
from chunkproof_strategies.values import MARK
from chunkproof_targets.contract import Event, Outcome
from chunkproof_targets.reference import ReferenceParser

# streams --------------------------------------------------------------------------------------------------------------


@given(streams())
def test_streams_mean_what_they_say(stream):
    assert interpret(stream.wire) == stream.outcome
    assert stream.before == ()


@given(st.data())
def test_a_parser_is_tested_as_the_readme_of_the_module_says(data):
    stream = data.draw(streams())
    parser = ReferenceParser()
    events = [event for chunk in data.draw(chunkings(stream.wire)) for event in parser.feed(chunk)]
    assert (*events, *parser.close()) == stream.outcome.events


@given(streams(features=()))
def test_no_features_are_plain_events(stream):
    assert set(stream.wire.decode()) <= set("abcdefghijklmnopqrstuvwxyz0123456789: \n")
    assert 1 <= len(stream.outcome.events) <= 3
    assert all(event.type == "message" and event.last_event_id == "" for event in stream.outcome.events)


def test_an_unknown_feature_is_named_and_the_known_are_listed():
    with pytest.raises(
        ValueError, match=r"features='comment' is no feature of the grammar; take some of: .*\bcomments\b"
    ) as caught:
        streams(features=["crlf", "comment"])
    assert all(feature in str(caught.value) for feature in FEATURES)


def test_a_text_is_no_collection_of_features():
    with pytest.raises(TypeError, match=r"features='comments' is one string: .* features=\{'comments'\}$"):
        streams(features="comments")


def least(strategy: st.SearchStrategy[Any], holds: Callable[[Any], bool] = lambda example: True) -> Any:
    """The smallest example that holds. Without Hypothesis's explain phase, whose examples `find` would take for it."""
    return find(strategy, holds, settings=settings(max_examples=3000, phases=(Phase.generate, Phase.shrink)))


def test_the_least_stream_is_one_plain_event():
    assert least(streams()).wire == b"data: a\n\n"


@pytest.mark.parametrize(
    ("holds", "wire"),
    [
        (lambda stream: b"\r" in stream.wire, b"data: a\r\r"),
        (lambda stream: stream.wire.startswith(MARK), b"\xef\xbb\xbfdata: a\n\n"),
        (lambda stream: len(stream.outcome.events) == 2, b"data: a\n\ndata: a\n\n"),
    ],
)
def test_streams_shrink_to_plain_ones(holds, wire):
    assert least(streams(), holds).wire == wire


@pytest.mark.parametrize(
    "holds",
    [
        lambda stream: not stream.outcome.events,
        lambda stream: any("\ufffd" in event.data for event in stream.outcome.events),
        lambda stream: any("\n" in event.data for event in stream.outcome.events),
        lambda stream: stream.wire[-1:] not in (b"\n", b"\r"),
        lambda stream: {b"\r\n\r\n", b"\n\n"} <= {stream.wire[at : at + 4] for at in range(99)} | {stream.wire[-2:]},
    ],
    ids=["no event", "a replacement", "several data lines", "an unfinished line", "mixed ends"],
)
def test_streams_hold_what_users_look_for(holds):
    assert interpret(least(streams(), holds).wire)


def test_repr_is_how_the_strategy_was_made():
    assert repr(streams()) == "streams(features=None)"
    assert repr(streams(features={"mark", "crlf"})) == "streams(features=('crlf', 'mark'))"


# Features -------------------------------------------------------------------------------------------------------------


def lines_of(stream: Stream) -> list[bytes]:
    """All lines, the unfinished one too, without their ends and the mark."""
    wire = stream.wire.removeprefix(MARK)
    return wire.replace(CRLF, LF).replace(CR, LF).split(LF)


def _names(stream: Stream) -> set[bytes]:
    return {line.partition(b":")[0] for line in lines_of(stream) if line}


def _values(stream: Stream, *names: bytes) -> list[bytes]:
    return [line.partition(b":")[2] for line in lines_of(stream) if line.partition(b":")[0] in names and b":" in line]


def _all_text(stream: Stream) -> str:
    return stream.wire.decode(errors="replace")


def _no_data(stream: Stream) -> bool:
    blocks = "\n".join(line.decode(errors="replace") for line in lines_of(stream)).split("\n\n")
    return any(block.strip("\n") and not block.startswith("data") and "\ndata" not in block for block in blocks[:-1])


#: How each feature is seen in a stream. What several features bring by their nature is left to `BRINGS`.
SIGNS = {
    "comments": lambda stream: b"" in _names(stream),
    "unknown-fields": lambda stream: bool(
        _names(stream) & {b"x", b"foo", b"comment", b"datetime", b"_", "数".encode(), b"retry-after"}
    ),
    "near-names": lambda stream: bool(_names(stream) & {name.encode() for name in values.NEAR_NAMES}),
    "no-colon": lambda stream: bool({b"data", b"event", b"id"} & set(lines_of(stream)[:-1])),
    "no-space": lambda stream: any(value[:1] not in (b"", b" ", b"\t") for value in _values(stream, b"data")),
    "more-spaces": lambda stream: any(value[:2] == b"  " for value in _values(stream, b"data")),
    "tabs": lambda stream: any(value[:1] == b"\t" for value in _values(stream, b"data")),
    "empty-values": lambda stream: any(not value.strip(b" ") for value in _values(stream, b"data", b"event")),
    "ids": lambda stream: any(value.strip() and b"\0" not in value for value in _values(stream, b"id")),
    "id-resets": lambda stream: b"id" in lines_of(stream)[:-1] or b"" in _values(stream, b"id"),
    "id-nul": lambda stream: any(b"\0" in value for value in _values(stream, b"id")),
    "retry": lambda stream: bool(stream.outcome.retries),
    "retry-wrong": lambda stream: any(not value.removeprefix(b" ").isdigit() for value in _values(stream, b"retry")),
    "types": lambda stream: any(value.strip(b"\0 a") for value in _values(stream, b"event")),
    "separators": lambda stream: any(separator in _all_text(stream) for separator in values.SEPARATORS),
    "payloads": lambda stream: any(
        event.data and any(payload in event.data for payload in values.PAYLOADS) for event in stream.outcome.events
    ),
    "ill-formed": lambda stream: _all_text(stream).encode() != stream.wire,
    "nul": lambda stream: any(b"\0" in value for value in _values(stream, b"data", b"event")),
    "text": lambda stream: any(event.data and not event.data.isascii() for event in stream.outcome.events),
    "traps": lambda stream: any(
        line in values.TRAPS
        for event in stream.outcome.events
        for line in (event.data or "").split("\n")
        if len(line) > 1
    ),
    "multi-line": lambda stream: any("\n" in (event.data or "") for event in stream.outcome.events),
    "empty-data-lines": lambda stream: any((event.data or "a").endswith("\n") for event in stream.outcome.events),
    "blank-lines": lambda stream: "\n\n\n" in "\n".join(line.decode(errors="replace") for line in lines_of(stream)),
    "mark": lambda stream: stream.wire.startswith(MARK),
    "unfinished": lambda stream: lines_of(stream)[-2:] != [b"", b""],
    "no-data": _no_data,
    "cr": lambda stream: b"\r" in stream.wire.replace(CRLF, b""),
    "crlf": lambda stream: CRLF in stream.wire,
}

#: What a feature brings along, since its lines or values are of that kind.
BRINGS = {
    "comments": {"separators"},
    "empty-data-lines": {"empty-values", "multi-line"},
    "empty-values": {"multi-line", "empty-data-lines"},
    "id-resets": {"no-colon"},
    "ids": {"more-spaces"},
    "ill-formed": {"text", "multi-line"},
    "more-spaces": {"traps"},
    "near-names": {"separators", "unknown-fields"},
    "no-colon": {"multi-line", "empty-data-lines", "id-resets"},
    "no-data": {"types"},
    "nul": {"multi-line", "types"},
    "payloads": {"text", "separators", "multi-line", "traps"},
    "retry-wrong": {"separators"},
    "separators": {"text", "multi-line"},
    "tabs": {"separators", "traps"},
    "text": {"multi-line", "separators", "more-spaces", "traps", "tabs", "empty-values", "empty-data-lines"},
    "traps": {
        "text",
        "multi-line",
        "no-space",
        "more-spaces",
        "tabs",
        "separators",
        "payloads",
        "empty-values",
        "empty-data-lines",
    },
    "unfinished": {"comments", "ids", "ill-formed", "near-names"},
}


def many(feature: str) -> list[Stream]:
    return list(itertools.islice(generate(f"only {feature}", features=frozenset({feature})), 600))


def test_each_feature_has_a_sign():
    assert set(SIGNS) == FEATURES


@pytest.mark.parametrize("feature", sorted(FEATURES))
def test_a_feature_by_itself_appears(feature):
    assert sum(map(SIGNS[feature], many(feature))) > 10


@pytest.mark.parametrize("feature", sorted(FEATURES))
def test_a_feature_by_itself_brings_no_other(feature):
    drawn = many(feature)
    others = {other for other in FEATURES - {feature} if any(map(SIGNS[other], drawn))}
    assert others <= BRINGS.get(feature, set())


@pytest.mark.parametrize("feature", sorted(FEATURES))
def test_a_feature_appears_among_all(feature):
    assert any(map(SIGNS[feature], itertools.islice(generate("all"), 3000)))


@pytest.mark.parametrize("feature", sorted(FEATURES))
def test_hypothesis_finds_each_feature(feature):
    found = least(streams(features={feature}), SIGNS[feature])
    assert interpret(found.wire) == found.outcome


# chunkings and texts --------------------------------------------------------------------------------------------------


@given(st.data(), st.binary(max_size=30), st.none() | st.integers(0, 5))
def test_chunkings_lose_no_byte_and_keep_to_their_number(data, wire, max_cuts):
    chunks = data.draw(chunkings(wire, max_cuts=max_cuts))
    assert b"".join(chunks) == wire
    assert len(chunks) <= (len(wire) + 2 if max_cuts is None else max_cuts) + 1


def test_the_least_chunking_is_the_wire_itself():
    assert least(chunkings(b"data: x\n\n")) == [b"data: x\n\n"]


def test_chunkings_hold_empty_chunks_single_bytes_and_cuts_in_a_character():
    wire = "a你".encode()
    assert least(chunkings(wire), lambda chunks: b"" in chunks)
    assert least(chunkings(wire), lambda chunks: max(map(len, chunks)) == 1)
    assert least(chunkings(wire), lambda chunks: wire[:2] in chunks)


def drawn_chunkings(wire: bytes, **bounds: int) -> list[list[bytes]]:
    """Two hundred draws, the same each time, as a test draws them that draws more than this."""
    drawn: list[list[bytes]] = []

    @settings(max_examples=200, derandomize=True, database=None, phases=[Phase.generate])
    @given(chunkings(wire, **bounds), st.integers(0, 2**40))
    def draw(chunks: list[bytes], _: int) -> None:
        drawn.append(chunks)

    draw()
    return drawn


def test_chunkings_are_of_every_kind_within_200_draws():
    wire = "id: 7\r\ndata: 你好🙂\r\n\r\n".encode()
    drawn = drawn_chunkings(wire)
    assert len(drawn) == 200
    inside = {at for at, byte in enumerate(wire) if 0x80 <= byte <= 0xBF}
    kinds = {
        "whole": lambda chunks: chunks == [wire],
        "bytewise": lambda chunks: chunks == [wire[at : at + 1] for at in range(len(wire))],
        "sizes": lambda chunks: len(chunks) > 1 and {len(chunk) for chunk in chunks[:-1]} in ({2}, {3}, {4}, {5}, {7}),
        "inside a character": lambda chunks: bool(inside & set(itertools.accumulate(map(len, chunks)))),
        "between CR and LF": lambda chunks: any(
            one.endswith(b"\r") and other.startswith(b"\n") for one, other in itertools.pairwise(chunks)
        ),
        "one or two cuts": lambda chunks: len(chunks) in (2, 3),
        "an empty chunk": lambda chunks: b"" in chunks,
        "no empty chunk": lambda chunks: b"" not in chunks,
    }
    assert {kind for kind, holds in kinds.items() if sum(map(holds, drawn)) < 5} == set()


def test_chunkings_are_neither_mostly_whole_nor_mostly_bytewise():
    wire = "id: 7\r\ndata: 你好🙂\r\n\r\n".encode()
    counts = [len(chunks) for chunks in drawn_chunkings(wire)]
    assert len(wire) / 5 < sum(counts) / len(counts) < len(wire) * 3 / 5
    assert len(set(counts)) > 10


def test_bounded_chunkings_reach_their_bound_and_not_more():
    counts = {len(chunks) for chunks in drawn_chunkings(b"data: a\r\n\r\n", max_cuts=2)}
    assert counts == {1, 2, 3}


def test_no_cuts_at_all():
    with pytest.raises(NoSuchExample):
        least(chunkings(b"abc", max_cuts=0), lambda chunks: chunks != [b"abc"])


def test_a_negative_number_of_cuts_is_refused():
    with pytest.raises(ValueError, match=r"max_cuts=-1 must be 0 or more"):
        chunkings(b"abc", max_cuts=-1)


@given(event_texts(min_size=1, max_size=3))
def test_event_texts_fit_one_line(text):
    assert 1 <= len(text) <= 3
    assert interpret(f"data: {text}\n\n".encode()) == Outcome(
        (Event("message", text, ""),), event_retries=((None, None),)
    )


# Sources --------------------------------------------------------------------------------------------------------------


def test_the_same_seed_makes_the_same_streams_and_another_seed_others():
    first, again, other = (list(itertools.islice(generate(seed), 200)) for seed in (1, 1, 2))
    assert first == again
    assert len(set(first) & set(other)) < 40


@pytest.mark.parametrize("bound", [1, 2, 7, 64, 65, 1000])
def test_below_is_within_its_bound_and_reaches_it(bound):
    source = RandomSource(5)
    drawn = {source.below(bound) for _ in range(bound * 20)}
    assert min(drawn) == 0
    assert max(drawn) == bound - 1
    assert all(0 <= number < bound for number in source.belows(50, bound))
    assert {source.between(3, 2 + bound) for _ in range(bound * 20)} == {number + 3 for number in drawn}


@given(st.data(), st.integers(1, 200))
def test_drawn_numbers_are_within_their_bound(data, bound):
    source = DrawSource(data.draw)
    assert 0 <= source.below(bound) < bound
    assert all(0 <= number < bound for number in source.belows(3, bound))


def test_any_text_holds_every_length_of_a_character_and_no_line_end():
    source = RandomSource(3)
    text = "".join(source.any_text() for _ in range(3000))
    assert {len(character.encode()) for character in text} == {1, 2, 3, 4}
    assert not {"\r", "\n"} & set(text)


# Drafts ---------------------------------------------------------------------------------------------------------------


def draft() -> Draft:
    return Draft(RandomSource(1))


def test_a_blank_line_behind_a_cr_is_never_an_lf():
    one = draft()
    one.ends = (CR,)
    one.data("a")
    one.ends = (LF,)
    one.blank()
    one.message("b")
    assert one.finish().wire == b"data: a\r\rdata: b\n\n"


def test_a_mark_behind_something_is_refused():
    one = draft()
    one.data("a")
    with pytest.raises(AssertionError, match="a mark that is not at the start is text"):
        one.mark()


def test_the_next_run_starts_with_nothing():
    one = draft()
    one.id("1")
    one.data("a")
    one.next_run()
    one.message("b")
    stream = one.finish()
    assert stream.before == (b"id: 1\ndata: a\n",)
    assert stream.wire == b"data: b\n\n"
    assert stream.outcome.events == (Event("message", "b", ""),)


def test_raw_values_mean_their_text_and_not_their_bytes():
    one = draft()
    one.message(values.Raw(b"\xff", "\ufffd"))
    assert one.finish().outcome.events[0].data == "\ufffd"


@pytest.mark.parametrize(("colon", "text"), [(b":", "x"), (b": ", " x"), (b":  ", "  x"), (b":\t", "\t x")])
def test_of_what_stands_behind_the_colon_one_space_is_no_value(colon, text):
    one = draft()
    one.message(" x", colon)
    assert one.finish().outcome.events[0].data == text


def test_streams_for_json_targets_hold_json():
    source = RandomSource("json")
    for _ in range(2000):
        stream = write_stream(source, json_only=True)
        assert interpret(stream.wire) == stream.outcome
        for event in stream.outcome.events:
            # The end mark is among the payloads that servers send; who decodes JSON is not given such a stream.
            for line in (event.data or "").split("\n"):
                assert line.strip(" \t") == "[DONE]" or json.loads(line) is not ...


#: Rules whose streams are no JSON: two data lines, joined, are not. Who takes nothing else is not judged by them.
NOT_IN_JSON = {
    "bytes/ill-formed-is-replaced",
    "bytes/truncated-character-before-a-line-end",
    "bytes/truncated-character-before-text",
    "dispatch/empty-data-is-an-event",
    "fields/comments-between-data-lines",
    "fields/data-lines-are-joined",
    "fields/data-without-colon",
    "fields/empty-data-lines-count",
    "lines/a-line-of-blanks-is-not-blank",
    "lines/crlf-cut",
    "size/many-data-lines",
    "whole/ignored-lines-change-nothing",
    "whole/line-ends-are-alike",
}


def some_in_json(rule: Rule) -> bool:
    """Whether some stream of the rule can be given to a target that takes nothing but JSON."""
    source, left = RandomSource(f"json of {rule.id}"), 60_000
    while left > 0:
        one = Draft(source, json_only=True)
        rule.write(one)
        stream = one.finish()
        if all(is_json(event.data or "") for event in interpret(stream.wire).events):
            return True
        left -= len(stream.wire) + 1000
    return False


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_no_other_rules_pass_a_json_target_by():
    assert {rule.id for rule in RULES if not some_in_json(rule)} <= NOT_IN_JSON
