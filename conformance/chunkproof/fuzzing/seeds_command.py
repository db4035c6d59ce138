"""``chunkproof fuzz seeds``: what an engine starts from, for those who run the harness themselves."""

from __future__ import annotations

from pathlib import Path

import click

from ..command import close, load, profile_options, refuse
from ..isolation.judging import Isolation
from ..isolation.limits import Limits
from .seeding import ENCODERS, write_dictionary, write_seeds

__all__ = ["seeds_"]


@click.command("seeds")
@profile_options()
@click.option("--mode", type=click.Choice(sorted(ENCODERS)), default="table", show_default=True)
@click.option("--out", required=True, metavar="DIR", help="The folder that is made.")
def seeds_(target: str | None, declare: tuple[str, ...], deviations: tuple[str, ...], mode: str, out: str) -> None:
    """Write first inputs and a dictionary for the harness, as atheris and libFuzzer read them.

    DIR/seeds holds the stored streams, one file each, DIR/dictionary the texts of the target's own code.
    """
    process = Isolation(Limits())
    loaded = load(target, declare, deviations, process)
    folder = Path(out)
    try:
        count = write_seeds(folder / "seeds", mode)
        write_dictionary(folder / "dictionary", mode, loaded.constants)
    except OSError as error:
        refuse(f"--out={out}: {error}")
    finally:
        close(loaded)
        process.close()
    click.echo(f"{out}: {count} inputs, and a dictionary")
