"""How Spark is started by tests: on the tree under test, whatever is installed."""

import sys
from pathlib import Path

import sfumato

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java compiles once and cleans up on one core: what tests run is over before it would pay to compile it better."""

QUIET = {
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.executor.extraJavaOptions": SHORT_LIVED,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
}
"""Few threads and little memory; whoever reads the output of tests wants to see theirs."""

ENVIRONMENT = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONDONTWRITEBYTECODE": ""}
"""Executors use this Python, and nobody else can connect. What every new worker imports is compiled once."""

SOURCES = Path(sfumato.__file__).parents[1]
TESTS = Path(__file__).parents[2]


def executor_settings(*before):
    """Settings by which executors import this tree, and tasks of these tests; `before` are folders that come first."""
    return {"spark.executorEnv.PYTHONPATH": ":".join(str(path) for path in (*before, SOURCES, TESTS))}
