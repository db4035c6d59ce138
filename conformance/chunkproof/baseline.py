"""Known failures: the file that `chunkproof baseline` writes, and what becomes of the rules that stand in it.

A rule of the file is judged on its stored counterexample alone, so that the result depends on no seed: it is *known*
where it fails as it did, and *stale* where it does not fail any more. All other rules are judged as ever.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunkproof_reports.results import DiagnosisRecord, Results, RuleResult
from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.deviations import find_deviation
from chunkproof_targets.deviations.choices import declared_by

from .corpus.judging import CHAPTER
from .counterexample import Case, TokenError, decode_token
from .isolation.judging import Isolation
from .replay import ReplayError
from .rules import Rule, find_rule

__all__ = [
    "Baseline",
    "BaselineError",
    "Known",
    "baseline_text",
    "could_be_declared",
    "judge_known",
    "keep_what_repeats",
    "read_baseline",
]

VERSION = 1
_ANEW = "`chunkproof baseline` writes it anew"


class BaselineError(ValueError):
    """The file cannot be used: the message names it, what is wrong, and the way out."""


@dataclass(frozen=True, slots=True)
class Known:
    """One known failure: its rule, in what way it fails, on what, and by which deviation (or empty)."""

    rule: str
    kind: str
    case: Case
    deviation: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known failures of one target by rule; ``file`` is the file's name, as it is shown."""

    file: str
    target: str
    rules: Mapping[str, Known]


def baseline_text(results: Results) -> str:
    """The text of the file, from a run of one target: every broken must and should."""
    (target,) = results.targets
    causes = _causes(results.diagnoses)
    content = {
        "version": VERSION,
        "chunkproof": results.chunkproof,
        "target": target.name,
        "declared": target.declared,
        "effort": results.effort,
        "seed": results.seed,
        "rules": [
            {
                "rule": result.id,
                "kind": result.counterexample.kind,
                "deviation": causes.get(result.id, ""),
                "token": result.counterexample.token,
            }
            for result in results.rules
            if result.fails and result.counterexample is not None
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def keep_what_repeats(results: Results, target: Target, isolation: Isolation) -> list[RuleResult]:
    """Take out of the results what does not fail again on its counterexample: it cannot be told from what is mended."""
    left_out = [result for result in results.rules if result.fails and not _repeats(result, target, isolation)]
    results.rules = [result for result in results.rules if result not in left_out]
    return left_out


def _repeats(result: RuleResult, target: Target, isolation: Isolation) -> bool:
    found = result.counterexample
    if found is None:
        return False
    if find_rule(result.case_of or result.id).examine is not None:
        return True  # it has been measured several times
    again = isolation.replay(decode_token(found.token), target).counterexample
    return again is not None and again.kind == found.kind


def _causes(diagnoses: Iterable[DiagnosisRecord]) -> dict[str, str]:
    return {rule: one.name for found in diagnoses for one in found.deviations for rule in one.rules}


def could_be_declared(diagnoses: Iterable[DiagnosisRecord]) -> list[str]:
    """The deviations found that could be a part of the target's profile: those of which somebody may say, by design."""
    names: list[str] = []
    for name in (one.name for found in diagnoses for one in found.deviations):
        try:
            declared_by([*names, name])
        except TargetError:
            continue
        if not find_deviation(name).shows_in:
            names.append(name)
    return names


# reading ---------------------------------------------------------------------------------------------------------


def read_baseline(path: Path, file: str) -> Baseline:
    """The known failures that a file holds; ``file`` is how its name is shown. BaselineError where it is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BaselineError(f"{file}: there is no such file ({path}); `chunkproof baseline` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BaselineError(f"{file} cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{file} is damaged: {error}; {_ANEW}") from None
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        raise BaselineError(f"{file} is no file of known failures of version {VERSION}: found {version!r}; {_ANEW}")
    try:
        rules = [_known(entry, file) for entry in content["rules"]]
        target = _text(content["target"])
    except (KeyError, TypeError) as error:
        raise BaselineError(f"{file} is damaged: it lacks {error}; {_ANEW}") from None
    return Baseline(file, target, {known.rule: known for known in rules})


def _known(entry: Mapping[str, Any], file: str) -> Known:
    name, kind, token = (_text(entry[key]) for key in ("rule", "kind", "token"))
    is_entry = name.startswith(f"{CHAPTER}/")
    try:
        case = decode_token(token)
        find_rule(case.rule if is_entry else name)
    except LookupError as error:
        raise BaselineError(f"{file}: {error.args[0]}; {_ANEW}") from None
    except TokenError as error:
        raise BaselineError(f"{file}, {name}: {error}; {_ANEW}") from None
    if case.rule != name and not is_entry:
        raise BaselineError(f"{file} is damaged: the token of {name} is one of {case.rule}; {_ANEW}")
    return Known(name, kind, case, _text(entry.get("deviation", "")))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text where {value!r} stands")
    return value


# judging ---------------------------------------------------------------------------------------------------------


def judge_known(baseline: Baseline, rule: Rule, target: Target, isolation: Isolation) -> RuleResult | None:
    """What becomes of a rule that stands in the baseline; None where it does not, or cannot judge this target."""
    known = baseline.rules.get(rule.id)
    if known is None or rule.not_judged(target):
        return None
    if rule.cases is not None and rule.case_of and not _is_of(known.case, rule):
        return rule.result(target, "stale", reason=f"{_stale(baseline)}: the entry holds another stream by now")
    try:
        result = isolation.replay(known.case, target)
    except ReplayError as error:
        if rule.examine is not None:
            return rule.result(target, "not judged", reason=str(error))
        return rule.result(target, "stale", reason=f"{_stale(baseline)}: {error}")
    except Exception:  # a fault of ours, in the child or here
        return rule.result(target, "fault", reason=traceback.format_exc())
    if result.status == "held":
        return replace(result, status="stale", reason=_stale(baseline))
    if result.status == "broken" and result.counterexample and result.counterexample.kind == known.kind:
        cause = f", by {known.deviation}" if known.deviation else ""
        return replace(result, status="known", reason=f"known: {known.kind}{cause} ({baseline.file})")
    return result


def _is_of(case: Case, rule: Rule) -> bool:
    """Whether a stored failure is one of this entry, as it is now."""
    assert rule.cases is not None
    *before, (wire, _) = case.streams
    streams = [(tuple(earlier for earlier, _ in before), wire)]
    # The cuts are those that the target could be fed.
    return case.rule == rule.case_of and streams == [(one.before, one.wire) for one in rule.cases()]


def _stale(baseline: Baseline) -> str:
    return f"stale, remove it from {baseline.file} ({_ANEW})"
