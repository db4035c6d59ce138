"""What is to be judged, and by what: the command line and the user's pyproject.toml, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from chunkproof_targets.contract import Target, TargetError
from chunkproof_targets.declared import Declared
from chunkproof_targets.loading import load_target

from .baseline import Baseline, BaselineError, read_baseline
from .settings import Settings, find_settings, is_same_target

__all__ = ["Profile"]

Rehearse = Callable[[Callable[[], object], str], None]


class Profile:
    """The targets of a run and what they declare.

    ``deviations`` are the names given on the command line by ``option``, or None where it was not given; ``declare``
    are KEY=VALUE. SettingsError where the pyproject.toml cannot be used, TargetError where the command line cannot.
    """

    def __init__(self, folder: Path, *, deviations: Sequence[str] | None, declare: Iterable[str], option: str) -> None:
        self.invoked = folder
        self.settings: Settings = find_settings(folder)
        self.deviations = None if deviations is None else tuple(deviations)
        self.declare = Declared.parse(declare)
        try:
            self.settings.declared("", self.deviations or (), self.declare)
        except TargetError as error:
            raise TargetError(f"{option}={','.join(self.deviations or ())}: {error}") from None

    def specs(self, given: Iterable[str]) -> list[str]:
        """The targets that are given, each once, or else the one of pyproject.toml, or none."""
        configured = [self.settings.target] if self.settings.target is not None else []
        return list(dict.fromkeys(given)) or configured

    def load(self, spec: str, first: Rehearse | None = None) -> Target:
        """The target, with what it declares."""
        return load_target(
            spec,
            folder=self.settings.folder(spec, self.invoked),
            declared=self.settings.declared(spec, self.deviations, self.declare),
            first=first,
        )

    def no_target(self, asked_by: str) -> str:
        """What to say where no target is given."""
        where = self.settings.path or "pyproject.toml"
        return (
            f"{asked_by}: say which parser it is to judge: --target=SPEC, or "
            f'target = "SPEC" below [tool.chunkproof] in {where}'
        )

    def baselines(self, given: str | None, specs: Iterable[str]) -> dict[str, Baseline]:
        """The known failures of each target that has a file of them; ``given`` is the file that the command line names.

        BaselineError where the file cannot be used, or is for none of these targets.
        """
        specs = list(specs)
        if given is not None:
            baseline = read_baseline(self.invoked / given, given)
            found = {spec: baseline for spec in specs if is_same_target(baseline.target, spec)}
            if not found:
                raise _for_another(baseline, specs)
            return found
        found = {}
        for spec in specs:
            path = self.settings.baseline_for(spec)
            if path is not None:
                baseline = read_baseline(path, str(self.settings.baseline))
                if is_same_target(baseline.target, spec):
                    found[spec] = baseline
                elif self.settings.target is not None:
                    raise _for_another(baseline, [spec])
        return found


def _for_another(baseline: Baseline, specs: Sequence[str]) -> BaselineError:
    return BaselineError(
        f"{baseline.file} holds what is known of {baseline.target}, and not of {' or '.join(specs)}: name another, or "
        f"write one: chunkproof baseline --target {specs[0]} --output FILE"
    )
