"""A finding as a file: there and back, by a signature that tells streams and failures apart, whatever a file holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkproof.corpus.making import ANY_RULE
from chunkproof.counterexample import Case, decode_token, encode_token
from chunkproof.fuzzing.found import Found, FoundError
from chunkproof.rules import RULES
from chunkproof_strategies.generator import RandomSource, generate

FOUND = Found(ANY_RULE, "lost", b"data: a\r\n\r\n", (3, 9), engine="storm", seed="17")
KEYS = sorted(FOUND.to_data())


def find(n: int) -> list[Found]:
    """So many findings, on streams of the grammar under cuts of any kind, of any rule."""
    source = RandomSource("findings")
    made = []
    for number, stream in zip(range(n), generate("findings"), strict=False):
        cuts = tuple(sorted(source.below(len(stream.wire) + 1) for _ in range(source.below(4))))
        rule = RULES[source.below(len(RULES))].id
        before = (b"data: before\n\n",) * source.below(3)
        made.append(Found(rule, "changed", stream.wire, cuts, before, engine="storm", seed=str(number)))
    return made


def test_a_finding_is_the_same_when_it_is_read_again():
    for found in find(500):
        again = Found.from_data(json.loads(json.dumps(found.to_data())))
        assert again == found
        assert again.signature == found.signature
        assert again.case == found.case


@pytest.mark.parametrize("takes", ["bytes", "text", "lines"])
def test_how_the_target_is_fed_is_kept(takes):
    found = Found(ANY_RULE, "raised", b"data: a\n\n", (), takes=takes, artefact="crash-1")
    assert Found.from_data(found.to_data()) == found


def test_the_token_is_the_one_that_replay_takes():
    found = Found("lines/crlf-cut", "extra", b"data: a\r\n\r\n", (8,), (b"data: b\n\n",))
    assert decode_token(found.to_data()["token"]) == Case(
        "lines/crlf-cut", "bytes", ((b"data: b\n\n", ()), (b"data: a\r\n\r\n", (8,)))
    )


# signatures ----------------------------------------------------------------------------------------------------------


def test_a_signature_is_twelve_hex_digits():
    assert len(FOUND.signature) == 12
    assert int(FOUND.signature, 16) >= 0


def test_rules_on_what_comes_out_are_alike():
    on_outcome = [rule for rule in RULES if rule.way is None and rule.examine is None]
    assert len(on_outcome) > 100
    assert {Found(rule.id, "lost", b"data: a\n\n", (2,)).signature for rule in on_outcome} == {
        Found(ANY_RULE, "lost", b"data: a\n\n", (2,)).signature
    }


def test_rules_on_anything_else_are_told_apart():
    others = [rule for rule in RULES if rule.way is not None or rule.examine is not None]
    assert len(others) > 5
    signatures = {Found(rule.id, "late", b"data: a\n\n", (2,)).signature for rule in others}
    assert len(signatures) == len(others)
    assert Found(ANY_RULE, "late", b"data: a\n\n", (2,)).signature not in signatures


def test_kind_wire_cuts_and_what_ran_before_are_told_apart():
    others = [
        Found(ANY_RULE, "extra", FOUND.wire, FOUND.cuts),
        Found(ANY_RULE, "lost", b"data: b\r\n\r\n", FOUND.cuts),
        Found(ANY_RULE, "lost", FOUND.wire, (3,)),
        Found(ANY_RULE, "lost", FOUND.wire, (3, 3, 9)),
        Found(ANY_RULE, "lost", FOUND.wire, FOUND.cuts, (b"",)),
        Found(ANY_RULE, "lost", FOUND.wire, FOUND.cuts, (b"data: a\n\n",)),
    ]
    assert len({FOUND.signature, *(other.signature for other in others)}) == 7


def test_by_whom_it_was_found_changes_no_signature():
    other = Found(ANY_RULE, "lost", FOUND.wire, FOUND.cuts, engine="atheris-table", seed="9", artefact="crash-9")
    assert other.signature == FOUND.signature


# damage --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_what_is_lacking_is_named(key):
    data: dict[str, object] = dict(FOUND.to_data())
    del data[key]
    with pytest.raises(FoundError, match=f"it lacks '{key}'"):
        Found.from_data(data)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "sad"}, "kind: 'sad' is no way in which a target differs: changed, died, extra"),
        ({"kind": 4}, "kind: 4 stands where a text belongs"),
        ({"token": None}, "token: None stands where a text belongs"),
        ({"token": "cp2.AB"}, "'cp2.AB' is no token"),
        ({"token": "cp1.A"}, "'cp1.A' is damaged"),
        ({"token": "cp1."}, "'cp1.' is damaged"),
        ({"token": encode_token(Case("no/such", "bytes", ((b"", ()),)))}, "'no/such' is no rule of this release"),
        ({"artefact": "../../etc/passwd"}, "artefact: '../../etc/passwd' is a path"),
        ({"artefact": ".."}, r"artefact: '\.\.' is a path"),
        ({"seed": "9" * 201}, "seed: '9+ stands where a text belongs of up to 200"),
        ({"engine": ["storm"]}, r"engine: \['storm'\] stands where a text belongs"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(changed, message):
    with pytest.raises(FoundError, match=f"^{message}"):
        Found.from_data(FOUND.to_data() | changed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=5),
    max_leaves=10,
)


def is_read_or_refused(data: object) -> None:
    try:
        found = Found.from_data(data)  # type: ignore[arg-type]
    except FoundError as error:
        refused = str(error)
    else:
        assert Found.from_data(found.to_data()) == found
        return
    assert 0 < len(refused) < 400


@given(JSON)
def test_any_json_is_a_finding_or_is_refused(data):
    is_read_or_refused(data)


@given(st.fixed_dictionaries({key: JSON | st.just(value) for key, value in FOUND.to_data().items()}))
def test_any_values_are_a_finding_or_are_refused(data):
    is_read_or_refused(data)


@given(st.integers(min_value=0), st.integers(0, 255), st.integers(0, 40))
def test_a_damaged_token_is_a_finding_or_is_refused(at, byte, cut_off):
    token = FOUND.to_data()["token"]
    at %= len(token)
    damaged = token[:at] + chr(byte) + token[at + 1 :]
    is_read_or_refused(FOUND.to_data() | {"token": damaged})
    is_read_or_refused(FOUND.to_data() | {"token": token[: len(token) - cut_off]})
