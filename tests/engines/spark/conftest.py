"""One session of Spark for each process that runs tests, small, quiet and on two cores."""

import os
import shutil
import warnings
from unittest import mock

import pytest

from engines.spark.spark_trees import ENVIRONMENT, QUIET, executor_settings


def _missing():
    """Say what is not installed here; empty where tests can run."""
    try:
        import pyspark  # noqa: F401  asked for, and not used
    except ImportError:
        return "pyspark is not installed: it comes with the extra sfumato[spark]"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "there is no Java, which Spark needs"
    return ""


@pytest.fixture(scope="session")
def spark_here():
    """Skip, with the reason, where Spark cannot run."""
    if reason := _missing():
        pytest.skip(reason)


@pytest.fixture(scope="session")
def spark(spark_here):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests of sfumato")
    for name, value in {**QUIET, **executor_settings()}.items():
        builder = builder.config(name, value)
    with mock.patch.dict(os.environ, ENVIRONMENT), warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ResourceWarning)  # the process of the JVM is kept by its gateway
        session = builder.getOrCreate()
    yield session
    session.stop()
