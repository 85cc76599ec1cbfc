"""Apache Spark: rows stay on the executors, and whole blocks of them go through a task each.

The core never imports pyspark; this room does, when it is used. It comes with the extra `sfumato[spark]`.
"""

from __future__ import annotations

from sfumato.engines.spark.block_jobs import BlockSizes, BlockTask, BlockWork, run_blocks
from sfumato.engines.spark.frames import (
    Engine,
    SparkFrame,
    column_kinds,
    files_of_frame,
    frame_of_files,
    is_spark_frame,
    map_rows,
    session_here,
    session_of,
    spark_kind,
    spark_sentences,
)
from sfumato.engines.spark.loose_jobs import gather_batches
from sfumato.engines.spark.numbering import NUMBER, NumberedFrame, RowPlaces, number_rows

__all__ = [
    "NUMBER",
    "BlockSizes",
    "BlockTask",
    "BlockWork",
    "Engine",
    "NumberedFrame",
    "RowPlaces",
    "SparkFrame",
    "column_kinds",
    "files_of_frame",
    "frame_of_files",
    "gather_batches",
    "is_spark_frame",
    "map_rows",
    "number_rows",
    "run_blocks",
    "session_here",
    "session_of",
    "spark_kind",
    "spark_sentences",
]
