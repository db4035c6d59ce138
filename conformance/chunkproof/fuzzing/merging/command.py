"""``chunkproof fuzz merge``: the folders of several campaigns, or of several machines, made one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from chunkproof_reports import terminal
from chunkproof_reports.visible import count_of

from ...command import refuse
from ...corpus.commands import told
from ..seeding import DECODERS
from ..state import StateError
from .merge import Merged, merge

__all__ = ["merge_"]


@click.command("merge")
@click.argument("folders", nargs=-1, required=True, metavar="DIR...")
@click.option("--into", required=True, metavar="DIR", help="The folder that is made; one that is there is merged too.")
def merge_(folders: tuple[str, ...], into: str) -> None:
    """Merge the state folders of campaigns on one target.

    Findings that are the same become one, inputs that try nothing new are dropped, and what was run is added up. The
    order of the folders does not matter, and to merge again changes nothing. Ends with 2 where a file is damaged.
    """
    for folder in folders:
        if not Path(folder).is_dir():
            refuse(f"{folder}: there is no such folder; name those that --state named")
    if Path(into).exists() and not Path(into).is_dir():
        refuse(f"--into={into}: it is a file; name a folder")
    try:
        merged = merge([Path(folder) for folder in folders], Path(into), DECODERS)
    except StateError as error:
        refuse(terminal.show_line(str(error)))
    told(merged.problems)
    for line in _said(merged):
        click.echo(terminal.show_line(line))
    raise SystemExit(2 if merged.problems else 0)


def _said(merged: Merged) -> Iterator[str]:
    into = str(merged.folder)
    yield f"{into}: {count_of(merged.folders, 'folder')} of {merged.target} merged, {merged.checks:,} checks in all"
    waiting = f", {merged.waiting:,} to be looked at" if merged.waiting else ""
    yield f"findings: {merged.findings:,} of {merged.findings_read:,} kept, the others are the same{waiting}"
    yield f"inputs: {merged.inputs:,} of {merged.inputs_read:,} kept, the others try nothing new"
    goes_on = ["chunkproof", "fuzz", "--target", merged.target, "--state", into]
    shows = ["pytest", f"--target={merged.target}", f"--chunkproof-corpus={into}/corpus"]
    yield f"next: {shlex.join(shows if merged.findings and not merged.waiting else goes_on)}"
