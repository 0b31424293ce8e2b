"""What executors run is sent by value, and says so where they lack the package."""

import subprocess
import sys

import cloudpickle
import pytest

pytest.importorskip("pyspark")


WITHOUT = """
import pickle, sys
sys.modules["banbury"] = None  # whoever imports it gets an ImportError
import pyarrow as pa
task = pickle.loads(sys.stdin.buffer.read())
print(next(iter(task([]))).column("error")[0].as_py())
"""


def test_an_executor_without_the_package_names_its_host() -> None:
    from banbury.spark.tasks import answering

    task = cloudpickle.dumps(answering("counted", "0.1.0", "{}", 1))
    done = subprocess.run([sys.executable, "-c", WITHOUT], input=task, capture_output=True, check=True)
    assert b"has no banbury: pip install banbury==0.1.0 there" in done.stdout
