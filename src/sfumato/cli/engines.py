"""What `--engine` and `--master` ask for: rows on this machine, or in Spark."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

from sfumato.cli.options import EngineWord

if TYPE_CHECKING:
    from sfumato.engines.spark import Engine


def engine_called(engine: EngineWord, master: str | None) -> Engine | None:
    """Return the engine for the steps, which start it when it is needed; None is this machine."""
    from sfumato.engines.spark import session_here
    from sfumato.errors import InvalidParameter

    if engine is EngineWord.SPARK:
        # Pandas is not used, whatever Spark thinks of its version.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        return partial(session_here, master, quiet=True)
    if master is not None:
        raise InvalidParameter(
            "is Spark's, and rows are moved by this machine",
            parameter="master",
            value=master,
            way_out="Say `engine` spark too.",
        )
    return None
