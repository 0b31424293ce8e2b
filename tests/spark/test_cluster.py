"""A real cluster of Spark, a master and a worker on each of two hosts: slow tasks run twice, executors are lost."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier
from sparking import NEEDS_SPARK, collected, content, frame, local_spark

pytestmark = [
    *NEEDS_SPARK,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the hosts 127.0.0.1 and 127.0.0.2 as it is"),
]
SLOW = 600  # seconds that nobody waits


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the master of a cluster with one core on each of two hosts."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = tmp_path_factory.mktemp("cluster")
    java = ["java", "-Xmx200m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{home}/jars/*"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    worker = ["org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "700m", "--webui-port", "0"]
    places = [["--host", host, "--work-dir", str(folder / host)] for host in ("127.0.0.1", "127.0.0.2")]
    commands = [master, *([*worker, *place, address] for place in places)]
    scala = next(home.glob("jars/spark-core_*.jar")).name.split("_")[1].split("-")[0]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_SCALA_VERSION": scala}
    how: dict[str, Any] = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen([*java, *command], **how) for command in commands]
    try:
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


@pytest.fixture(scope="module")
def spark(cluster: str) -> Iterator[Any]:
    more = {
        "spark.executor.memory": "600m",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.scheduler.minRegisteredResourcesRatio": "1",  # both hosts, so that there is another one to run on
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.1",
    }
    with local_spark(cluster, **more) as session:
        yield session


def test_a_slow_task_that_runs_twice_counts_once(spark: Any, tmp_path: Path) -> None:
    from pyspark import TaskContext

    from banbury import spark as engine

    def slow_at_first(batches: Any) -> Any:
        context = TaskContext.get()
        if context.partitionId() == 1:
            (tmp_path / str(context.attemptNumber())).touch()
            if context.attemptNumber() == 0:
                time.sleep(SLOW)
        yield from batches

    df, began = frame(spark, 3), time.monotonic()
    found = engine.fit(df.mapInArrow(slow_at_first, df.schema))
    assert time.monotonic() - began < SLOW
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]
    assert content(found) == content(Classifier().fit(*collected(df)))


def test_an_executor_that_is_lost_counts_nothing_twice(spark: Any, tmp_path: Path) -> None:
    from banbury import spark as engine

    def killing(batches: Any) -> Any:
        rows = list(batches)
        try:
            (tmp_path / "killed").touch(exist_ok=False)
        except FileExistsError:
            yield from rows
        else:  # this process has a daemon as its parent, and that one the executor
            status = Path(f"/proc/{os.getppid()}/status").read_text()
            os.kill(int(status.partition("PPid:")[2].split()[0]), signal.SIGKILL)
            time.sleep(SLOW)

    df = frame(spark, 3)
    found = engine.fit(df.mapInArrow(killing, df.schema), shards=2)
    assert (tmp_path / "killed").exists()
    assert content(found) == content(Classifier().fit(*collected(df)))


def test_executors_get_the_file_of_a_model_from_the_driver(spark: Any, model: Classifier) -> None:
    from banbury import spark as engine

    df = frame(spark, 3)
    labels = [row.predicted for row in engine.predict(model, df, label="predicted").collect()]
    assert labels == model.predict(collected(df)[0]).tolist()
