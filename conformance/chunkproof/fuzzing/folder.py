"""The folder of a campaign, for a command."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from chunkproof_targets.declared import Declared

from ..command import refuse
from ..profile import Profile
from .state import State, StateError

__all__ = ["state_of"]


def state_of(profile: Profile, spec: str, folder: str) -> State:
    """The folder of the campaign; one that cannot be used ends the command."""
    declared = profile.settings.declared(spec, profile.deviations, profile.declare)
    try:
        state = State.open((Path.cwd() / folder).absolute(), spec, _words(declared))
        state.set_seeds_once()
    except (StateError, OSError) as error:
        refuse(f"--state={folder}: {error}")
    return state


def _words(declared: Declared) -> list[str]:
    values = ((one.name, getattr(declared, one.name)) for one in fields(declared))
    return [f"{name}={','.join(value) if isinstance(value, tuple) else value}" for name, value in values if value]
