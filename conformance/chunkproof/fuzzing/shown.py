"""Where a campaign is shown: a live view on a terminal, plain lines elsewhere, or JSON lines."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType

import click
from rich.console import Console

from chunkproof_reports.campaign.lines import json_lines, plain_lines
from chunkproof_reports.campaign.record import CampaignRecord
from chunkproof_reports.campaign.summary import summary
from chunkproof_reports.campaign.view import CampaignView

__all__ = ["Shown", "ShownError"]

_WIDTH_MAX = 120


class ShownError(Exception):
    """What is shown cannot be written, as on a full disk; the message says why."""


class Shown:
    """Shows the records of a campaign as they come; a context manager.

    ShownError where that cannot be written; BrokenPipeError where nobody reads it any more.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._stack = ExitStack()
        self._view: CampaignView | None = None
        self._before: CampaignRecord | None = None

    def __enter__(self) -> Shown:
        if not self.as_json and sys.stdout.isatty():
            self._view = self._stack.enter_context(CampaignView(Console()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the live view."""
        self._view = None
        self._stack.close()

    def show(self, record: CampaignRecord) -> None:
        """Show how it stands."""
        with _written():
            if self._view is not None:
                self._view.update(record)
                return
            lines = json_lines if self.as_json else plain_lines
            for line in lines(self._before, record):
                click.echo(line)
        self._before = record

    def end(self, record: CampaignRecord) -> None:
        """Show what came of it, where somebody reads it."""
        if self.as_json:
            return
        width = min(shutil.get_terminal_size().columns, _WIDTH_MAX)
        with suppress(BrokenPipeError), _written():
            for line in summary(record, colour=sys.stdout.isatty(), width=width):
                click.echo(line)


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # What is left in the buffer would be written at the end of the process, and fail there.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        if isinstance(error, BrokenPipeError):
            raise
        raise ShownError(error.strerror or str(error)) from None
