"""The pytest plugin: its hooks without a target, and the hand-over to `chunkproof.session` when there is one.

This module is imported in every pytest run of everybody who has chunkproof installed. So it imports pytest and the
standard library alone; the rules, Hypothesis and the parsers come in only when ``--target`` is given.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from .options import OURS, SHORT_NAMES_TAKEN, add_options, add_short_names, hide_values

__all__: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the suite, all under a name of our own."""
    add_options(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Add the short names behind all conftests, where they are free."""
    hide_values(early_config.known_args_namespace.file_or_dir, args)
    loaded = yield
    early_config.stash[SHORT_NAMES_TAKEN] = add_short_names(parser)
    return loaded


def pytest_configure(config: pytest.Config) -> None:
    """With a target, let the suite run; without one, do nothing at all."""
    if config.option.chunkproof_target:
        # Not at the top: a run without a target must not pay for the suite.
        from .session import SuiteRun

        config.pluginmanager.register(SuiteRun(config), "chunkproof-run")
        return
    pasted = [arg for arg in config.args if OURS.match(arg)]
    if pasted:
        raise pytest.UsageError(f"{pasted[0]} is a rule of chunkproof: say which parser it is to judge: --target=SPEC")
    if config.option.chunkproof_report:
        raise pytest.UsageError("--chunkproof-report: there is no target to report on: add --target=SPEC")
