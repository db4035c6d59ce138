"""What an engine of a campaign found: one stream on which the target differs, as it is kept in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from chunkproof_reports.results import DeliveryKind, Kind, MeasuredKind, OutcomeKind, RuleResult, StoppedKind
from chunkproof_strategies.chunkings import Cuts
from chunkproof_targets.contract import Takes

from ..counterexample import Case, TokenError, decode_token, encode_token
from ..question import Question
from ..rules import Rule, find_rule

__all__ = ["Found", "FoundError"]

_DIGITS = 12
_KINDS = frozenset(kind for kinds in (StoppedKind, OutcomeKind, DeliveryKind, MeasuredKind) for kind in get_args(kinds))
# What says where a finding is from: names and numbers, and never a text of any length.
_TEXT_MAX = 200


class FoundError(ValueError):
    """A file that holds no finding; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A stream on which the target breaks a rule, made small.

    ``rule`` is the rule's id and ``kind`` in what way the target differs; ``before`` are the wires that are run first.
    ``takes`` is how the target is fed. ``engine`` and ``seed`` say what finds it again, ``artefact`` is the name of the
    engine's own file, where there is one. ``result`` is the whole result of a rule that measures: to do so again takes
    long.
    """

    rule: str
    kind: Kind
    wire: bytes
    cuts: Cuts
    before: tuple[bytes, ...] = ()
    takes: Takes = "bytes"
    engine: str = "storm"
    seed: str = ""
    artefact: str = ""
    result: Mapping[str, Any] | None = field(default=None, compare=False)

    @property
    def signature(self) -> str:
        """Twelve hex digits: the same for the same stream that fails in the same way.

        Rules on what comes out are alike in this: it does not matter which of them it was found by.
        """
        rule = find_rule(self.rule)
        judged_by = "" if is_on_what_comes_out(rule) else rule.id
        told = repr((judged_by, self.kind, self.before, self.wire, self.cuts))
        return hashlib.sha256(told.encode()).hexdigest()[:_DIGITS]

    @property
    def question(self) -> Question:
        """What the target was asked."""
        return Question(self.wire, self.cuts, self.before)

    @property
    def case(self) -> Case:
        """The counterexample, as `chunkproof replay` takes it."""
        return Case(self.rule, self.takes, (*((wire, ()) for wire in self.before), (self.wire, self.cuts)))

    def to_data(self) -> dict[str, Any]:
        """As JSON holds it: the stream is in the token, where a long one takes little room."""
        return {
            "kind": self.kind,
            "token": encode_token(self.case),
            "engine": self.engine,
            "seed": self.seed,
            "artefact": self.artefact,
            **({} if self.result is None else {"result": self.result}),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Found:
        """The finding that the content of a file is; FoundError where it is none."""
        kind, token = _text(data, "kind"), _text(data, "token", most=None)
        engine, seed, artefact = (_text(data, key) for key in ("engine", "seed", "artefact"))
        if kind not in _KINDS:
            raise FoundError(f"kind: {kind!r:.60} is no way in which a target differs: {', '.join(sorted(_KINDS))}")
        if artefact in (".", "..") or "/" in artefact or "\\" in artefact:
            raise FoundError(f"artefact: {artefact!r:.60} is a path, where the name of a file belongs")
        try:
            found = cls.of_case(decode_token(token), cast("Kind", kind), engine=engine, seed=seed, artefact=artefact)
            find_rule(found.rule)
            found = replace(found, result=_result(data.get("result")))
        except LookupError as error:
            raise FoundError(str(error.args[0])) from None
        except TokenError as error:
            raise FoundError(str(error)) from None
        return found

    @classmethod
    def of_case(cls, case: Case, kind: Kind, *, engine: str, seed: str, artefact: str = "") -> Found:
        """The finding that a counterexample is."""
        *before, (wire, cuts) = case.streams
        earlier = tuple(one for one, _ in before)
        return cls(case.rule, kind, wire, cuts, earlier, case.takes, engine, seed, artefact)


def _result(data: Any) -> Mapping[str, Any] | None:
    """The result that stands in a file; FoundError where it is none."""
    if data is None:
        return None
    try:
        RuleResult.from_data(data)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise FoundError(f"its result is damaged: {error}") from None
    return data  # type: ignore[no-any-return]


def _text(data: Mapping[str, Any], key: str, *, most: int | None = _TEXT_MAX) -> str:
    if not isinstance(data, Mapping) or key not in data:
        raise FoundError(f"it lacks {key!r}")
    value = data[key]
    if not isinstance(value, str) or (most is not None and len(value) > most):
        raise FoundError(f"{key}: {value!r:.60} stands where a text belongs" + (f" of up to {most}" if most else ""))
    return value


def is_on_what_comes_out(rule: Rule) -> bool:
    """Whether a rule compares the outcome alone: not when it comes, nor what it costs."""
    return rule.way is None and rule.examine is None
