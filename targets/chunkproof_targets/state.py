"""What a parser itself shows at the end of a run: the last event ID, and reconnection times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .contract import Run
from .texts import as_text
from .times import Unit, digits_of

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """The attributes of a parser that show its state, as calibration found them; None where there is none.

    ``retry_form`` is "list" where the attribute holds every update in order, "value" where it holds the one in force.
    """

    last_event_id: str | None = None
    retry: str | None = None
    retry_form: Literal["list", "value"] = "value"
    unit: Unit = "ms"

    def reader(self) -> Callable[[Any, Run], None] | None:
        """What reads a parser's state into its run; None where there is nothing to read."""
        id_name, retry_name, is_list = self.last_event_id, self.retry, self.retry_form == "list"
        if id_name is None and retry_name is None:
            return None

        def read(parser: Any, run: Run) -> None:
            if parser is None:
                return
            try:
                if id_name is not None:
                    shown = getattr(parser, id_name)
                    run.last_event_id = shown if shown.__class__ is str else (as_text(shown) or "")
                if retry_name is not None:
                    # Most streams set no time at all.
                    run.retries = () if is_list and getattr(parser, retry_name) == [] else self.retries(parser)
            except BaseException as error:
                # A property that raises; what ended the run before counts first.
                run.failure = run.failure or error

        return read

    def retries(self, parser: Any) -> tuple[str, ...]:
        """The updates in order, or the one time in force, as digits (milliseconds)."""
        if self.retry is None:
            return ()
        value = getattr(parser, self.retry)
        values = list(value) if self.retry_form == "list" else [value]
        return tuple(digits for v in values if (digits := digits_of(v, self.unit)) is not None)
