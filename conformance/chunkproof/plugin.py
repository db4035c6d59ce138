"""The pytest plugin: its hooks without the suite, and the hand-over to `chunkproof.session` when it is asked for.

This module is imported in every pytest run of everybody who has chunkproof installed. So it imports pytest and the
standard library alone; the rules, Hypothesis, the parsers and the user's pyproject.toml come in only when the suite is
asked for: by ``--target``, by ``--chunkproof``, or by the id of a rule.
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
    """Where the suite is asked for, let it run; where it is not, do nothing at all."""
    option = config.option
    pasted = [arg for arg in config.args if OURS.match(arg)]
    if option.chunkproof_target or option.chunkproof_configured or pasted:
        # Not at the top: a run without the suite must not pay for it.
        from .session import SuiteRun

        config.pluginmanager.register(SuiteRun(config, pasted), "chunkproof-run")
        return
    for name in ("report", "deviations", "baseline", "corpus"):
        if getattr(option, f"chunkproof_{name}"):
            raise pytest.UsageError(
                f"--chunkproof-{name}: there is no target to judge: add --target=SPEC, or --chunkproof for the one "
                "that pyproject.toml names"
            )
