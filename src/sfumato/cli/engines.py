"""What `--engine` and `--master` ask for: rows on this machine, or in Spark."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from sfumato.cli.options import EngineWord


def engine_called(engine: EngineWord, master: str | None) -> str | None:
    """Get an engine ready; return its name for the steps, None for this machine."""
    from sfumato.engines.spark import session_here
    from sfumato.errors import InvalidParameter

    if engine is EngineWord.SPARK:
        # Pandas is not used, whatever Spark thinks of its version.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        session_here(master, quiet=True)
        return engine.value
    if master is not None:
        raise InvalidParameter(
            "is Spark's, and rows are moved by this machine",
            parameter="master",
            value=master,
            way_out="Say `engine` spark too.",
        )
    return None


def table_on(engine: EngineWord, data: Path, master: str | None) -> Any:
    """Return a table by its files, as the engine reads it."""
    from sfumato.engines.spark import frame_of_files, session_here

    return data if engine_called(engine, master) is None else frame_of_files(data, session_here())
