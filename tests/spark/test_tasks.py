"""What executors run is sent by value: one without the package, or with another version, says so."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier, __version__
from banbury.errors import InputError
from sparking import NEEDS_SPARK, content, frame, local_spark

pytestmark = NEEDS_SPARK

# Run by the Python of every executor when it starts.
WITHOUT = """
import sys
sys.modules["banbury"] = None  # whoever imports it gets an ImportError
"""
HOST = re.escape(socket.gethostname())


def test_an_executor_without_the_package_names_its_host(tmp_path: Path, model: Classifier) -> None:
    from pyspark.errors import PythonException

    from banbury import spark as engine

    starting = tmp_path / "sitecustomize.py"
    starting.write_text(WITHOUT, encoding="utf-8")
    missing, before = f"host {HOST} has no banbury: pip install banbury=={__version__} there", content(model)
    with local_spark("local[2]", **{"spark.executorEnv.PYTHONPATH": str(tmp_path)}) as spark:  # no task is tried again
        df = frame(spark, 2)
        for n_shards in (1, 2):
            with pytest.raises(InputError, match=missing):
                engine.fit(df, shards=n_shards)
        with pytest.raises(InputError, match=missing):
            engine.learn(model, df)
        with pytest.raises(PythonException, match=missing):
            engine.predict(model, df, label="predicted").collect()
    starting.unlink()  # a JVM keeps the configuration that it was started with, and others use it after this test
    assert content(model) == before


def test_another_version_names_its_host(spark: Any, model: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.errors import PythonException

    from banbury import spark as engine

    before, df = content(model), frame(spark, 2)
    monkeypatch.setattr("banbury.spark.frames.__version__", "9.9")
    other = rf"host {HOST} has banbury {__version__}, but the driver has 9\.9: install the same on both"
    with pytest.raises(InputError, match=other):
        engine.fit(df)
    with pytest.raises(InputError, match=other):
        engine.learn(model, df)
    with pytest.raises(PythonException, match=other):
        engine.predict(model, df, label="predicted").collect()
    assert content(model) == before
