"""One counterexample, run again: its token or file, the command that runs it, and what came out."""

from __future__ import annotations

import dataclasses
import hashlib
import shlex
import tempfile
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from chunkproof_reports.results import Counterexample, RuleResult, Status
from chunkproof_targets.contract import Target

from .counterexample import PREFIX, TOKEN_LENGTH_MAX, WIRE_BYTES_MAX, Case, TokenError, decode_token
from .examination import Examination
from .rule_run import RuleRun
from .rules import Rule, find_rule
from .smaller import advice_on, record
from .watch import Watch

if TYPE_CHECKING:
    import pytest

__all__ = ["ReplayError", "read_case", "replay", "replay_command", "replay_settings", "write_large_token"]


class ReplayError(ValueError):
    """The counterexample cannot be run on this target, or is none; the message says why and what to do."""


def replay_command(result: RuleResult, settings: Iterable[str] = ()) -> str:
    """What to type to run the counterexample of a broken rule again; empty where there is none.

    ``settings`` are what it needs besides; see `replay_settings`.
    """
    found = result.counterexample
    if found is None:
        return ""
    words = ["chunkproof", "replay", found.token_file or found.token, "--target", result.target]
    return shlex.join([*words, *settings])


def replay_settings(
    declare: Iterable[str] = (),
    deviations: Iterable[str] | None = None,
    limits: Mapping[str, float] | None = None,
) -> list[str]:
    """What the command needs besides the token and the target: what the user gave, the limits by name."""
    words = []
    for setting in declare:
        words += ["--declare", setting]
    for names in deviations or ():
        words += ["--deviations", names]
    for name, value in (limits or {}).items():
        words += [f"--{name}", f"{value:g}"]
    return words


def write_large_token(result: RuleResult, config: pytest.Config) -> RuleResult:
    """A token that is too long for a command line goes to a file; the result then names the file."""
    found = result.counterexample
    if found is None or len(found.token) <= TOKEN_LENGTH_MAX:
        return result
    cache = getattr(config, "cache", None)
    folder = cache.mkdir("chunkproof") if cache is not None else Path(tempfile.mkdtemp(prefix="chunkproof-"))
    name = f"{result.id.replace('/', '-')}-{hashlib.sha256(found.token.encode()).hexdigest()[:8]}.token"
    path = folder / name
    path.write_text(found.token + "\n", encoding="ascii")
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return dataclasses.replace(result, counterexample=dataclasses.replace(found, token_file=str(shown)))


def read_case(given: str) -> Case:
    """The case of a token, or of the file that holds one; ReplayError where it is neither."""
    token = given
    if not given.startswith(PREFIX):
        path = Path(given)
        if not path.is_file():
            raise ReplayError(
                f"{given!r} is no file, and no token: one starts with {PREFIX!r}; copy the last line of a failure"
            )
        with path.open("rb") as file:
            token = file.read(2 * WIRE_BYTES_MAX).decode("ascii", "replace").strip()
    try:
        return decode_token(token)
    except TokenError as error:
        raise ReplayError(str(error)) from None


def replay(case: Case, target: Target, watch: Watch) -> RuleResult:
    """Judge the target by the rule of a case, on its stream alone.

    The result's status is "held" or "broken", or "fault" with a traceback of ours as its reason. ReplayError where the
    rule is unknown, or cannot judge this target.
    """
    try:
        rule = find_rule(case.rule)
    except LookupError as error:
        raise ReplayError(f"the token's rule: {error.args[0]}") from None
    reason = rule.not_judged(target)
    if reason:
        raise ReplayError(f"{rule.id} cannot judge {target.name}: {reason}")
    if rule.examine is not None:
        return _examined(rule, target, watch)
    found: Counterexample | None = None
    status: Status = "held"
    advice = ""
    try:
        found, advice = _run(rule, case, target, watch)
        if found is not None:
            status = "broken"
    except ReplayError:
        raise
    except Exception:
        status, reason = "fault", traceback.format_exc()
    return rule.result(target, status, checks=1, streams=1, reason=reason, advice=advice, counterexample=found)


def _examined(rule: Rule, target: Target, watch: Watch) -> RuleResult:
    """A rule that measures does so again: its stream is the smallest of many."""
    assert rule.examine is not None
    try:
        examined = rule.examine(Examination(rule.id, target, watch))
    except Exception:
        return rule.result(target, "fault", reason=traceback.format_exc())
    if examined.status == "not judged":
        raise ReplayError(f"{rule.id} does not judge {target.name} this time: {examined.reason}")
    return rule.result(target, **examined._asdict())


def _run(rule: Rule, case: Case, target: Target, watch: Watch) -> tuple[Counterexample | None, str]:
    *before, (wire, cuts) = case.streams
    expectation = rule.expectation(target, wire)
    if expectation is None:
        raise ReplayError(f"{rule.id}: {target.name} takes {target.takes} and cannot be given this stream")
    watch.forget_printed()
    run = RuleRun(rule, target, watch).run(wire, cuts, tuple(earlier for earlier, _ in before))
    kind = rule.differs(expectation, wire, cuts, run)
    if kind is None:
        return None, ""
    case = dataclasses.replace(case, takes=target.takes)
    found = record(rule, case, expectation, run, kind, watch.printed_texts())
    return found, advice_on(rule, expectation, cuts, run)
