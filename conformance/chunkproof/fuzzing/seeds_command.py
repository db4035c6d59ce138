"""``chunkproof fuzz seeds``: what an engine of bytes starts from, for those who run the harness by themselves."""

from __future__ import annotations

from pathlib import Path

import click

from chunkproof_reports.visible import count_of

from ..command import close, load, profile_options, refuse
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from .seeding import ENCODERS, write_dictionary, write_seeds

__all__ = ["seeds"]


@click.command("seeds")
@profile_options()
@click.option("--mode", type=click.Choice(sorted(ENCODERS)), default="table", show_default=True)
@click.option("--out", required=True, metavar="DIR", help="The folder that gets `dictionary` and `seeds/`.")
def seeds(target: str | None, declare: tuple[str, ...], deviations: tuple[str, ...], mode: str, out: str) -> None:
    """Write the stored streams as inputs of the harness, and a dictionary with the texts of the target's own code."""
    folder = Path.cwd() / out
    if folder.exists() and not folder.is_dir():
        refuse(f"--out={out}: it is a file; name a folder")
    process = Isolation(Limits())
    loaded = load(target, declare, deviations, process)
    try:
        try:
            written = write_seeds(folder / "seeds", mode)
            write_dictionary(folder / "dictionary", mode, loaded.constants)
        except OSError as error:
            refuse(f"--out={out}: {error.strerror}")
        click.echo(
            f"{out}: {count_of(written, 'input')}, and a dictionary with {len(loaded.constants)} texts of {loaded.name}"
        )
    finally:
        close(loaded)
        process.close()
