"""Spark Connect: a real server, and a client in a process of its own that has no JVM."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sparking import NEEDS_SPARK, local_spark

pytestmark = NEEDS_SPARK


def test_a_client_gets_what_one_machine_would_make(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    client = Path(__file__).parents[1] / "connect_client.py"
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": "nowhere"}
    with local_spark(**server):
        command = [sys.executable, str(client), f"sc://127.0.0.1:{port}", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert (done.returncode, done.stdout) == (0, "the same as on one machine\n"), done.stderr
