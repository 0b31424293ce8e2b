"""How quick clusters are: `banbury.spark` beside Spark's MLlib, a task that does nothing, and fastText; Dask and Ray.

`python benchmarks/engines.py` runs everything; benchmarks/README.md says what each row measures. All of it runs on this
machine: two executor threads of a local Spark, Parquet files in a temporary folder, seconds by the clock.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import data
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from saving import check_names, saved, write
from speed import HEADER, Row

import banbury
from banbury.display.svg import Line, line_chart, standalone

RESULTS = Path(__file__).parent / "results" / "engines.json"
SETS = {"imdb": "IMDB", "20newsgroups": "20 Newsgroups"}
PLAIN: dict[str, Any] = {"analyzer": "words", "likelihood": "multinomial", "smoothing": 1.0, "calibration": None}
N_FILES = 4  # of a set: partitions, two for each executor thread
FLOOR_BYTES = 300_000_000
TIMES = (1, 4, 16)
PARTITIONS = (1, 2, 4, 8, 16, 32)


@cache
def spark() -> Any:
    """A Spark of this machine with two executor threads; a file is a partition."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.driver.maxResultSize": "2g",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.files.openCostInBytes": str(1 << 30),  # so no two files share a partition
        "spark.sql.files.maxPartitionBytes": str(1 << 30),
    }
    builder = SparkSession.builder.master("local[2]").appName("banbury")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def frame(folder: Path, texts: list[str], labels: list[str], n_files: int = N_FILES) -> Any:
    """A data frame of Parquet files, each of them a partition."""
    folder.mkdir(parents=True)
    for number in range(n_files):
        table = pa.table({"text": texts[number::n_files], "label": labels[number::n_files]})
        pq.write_table(table, folder / f"{number:03}.parquet")
    return spark().read.parquet(str(folder))


def run(df: Any) -> None:
    """Compute every row of a data frame, and throw it away."""
    df.write.format("noop").mode("overwrite").save()


def seconds(work: Callable[[], object], repeats: int = 2) -> float:
    """The best time of several; the first starts Python processes and compiles."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def bytes_of(texts: list[str]) -> int:
    """How long texts are, as UTF-8."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def grown(texts: list[str], times: int) -> list[str]:
    """So many times the texts, their words each time rotated and every fiftieth a new one: the vocabulary grows too."""
    found = list(texts)
    for copy in range(1, times):
        for text in texts:
            words = text.split()
            words = words[copy % max(len(words), 1) :] + words[: copy % max(len(words), 1)]
            words[::50] = [f"{word}{copy}" for word in words[::50]]
            found.append(" ".join(words))
    return found


# What is measured: each function yields its rows of the table


def mllib(folder: Path, quick: bool) -> Iterator[Row]:
    """Fit and predict beside MLlib's two usual pipelines."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, HashingTF, StringIndexer, Tokenizer

    from banbury import spark as engine

    def pipeline(features: Any) -> Any:
        stages = [Tokenizer(inputCol="text", outputCol="words"), features]
        return Pipeline(
            stages=[*stages, StringIndexer(inputCol="label", outputCol="number"), NaiveBayes(labelCol="number")]
        )

    spark()  # MLlib's stages need one that runs
    peers = {
        "CountVectorizer": (CountVectorizer(inputCol="words", outputCol="features"), 6, 3),
        "HashingTF": (HashingTF(inputCol="words", outputCol="features", numFeatures=1 << 18), 3, 3),
    }
    for name, title in SETS.items():
        split = data.split(name, every=20 if quick else 1)
        train = frame(folder / f"{name}-train", split.train, split.train_labels)
        test = frame(folder / f"{name}-test", split.test, split.test_labels)
        models = {"plain": engine.fit(train, **PLAIN), "automatic": engine.fit(train)}
        fits = {
            "plain": seconds(partial(engine.fit, train, **PLAIN)),
            "automatic": seconds(partial(engine.fit, train)),
        }
        new = test.select("text")
        predicts = {kind: seconds(partial(run, engine.predict(model, new))) for kind, model in models.items()}
        for peer, (features, fit_target, predict_target) in peers.items():
            theirs = pipeline(features)
            fit = seconds(partial(theirs.fit, train))
            predict = seconds(partial(run, theirs.fit(train).transform(test).select("text", "prediction")))
            for kind in fits:
                is_same = kind == "plain"  # multinomial, smoothing 1; the automatic one chooses, calibrates, reports
                what = f"{title}: {{}}, {'' if is_same else 'automatic, '}beside {peer}"
                target = {"at_least": fit_target} if is_same else {}
                yield Row(what.format("fit"), fits[kind], fit, peer=f"MLlib, {peer}", **target)
                target = {"at_least": predict_target} if is_same else {}
                yield Row(what.format("predict"), predicts[kind], predict, peer=f"MLlib, {peer}", **target)


def floor(folder: Path, quick: bool) -> Iterator[Row]:
    """Fit, predict and filter beside a task that gives back the batches that it gets."""
    from banbury import spark as engine

    rows = data.rows("imdb", every=50 if quick else 1)
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    times = math.ceil((FLOOR_BYTES / 50 if quick else FLOOR_BYTES) / bytes_of(texts))
    df = frame(folder / "floor", grown(texts, times), labels * times, 8)

    def identity(batches: Any) -> Any:
        yield from batches

    nothing = seconds(lambda: run(df.mapInArrow(identity, df.schema)))
    size = f"{bytes_of(texts) * times / 1e6:.0f} MB"
    model = engine.fit(df, **PLAIN)
    work: dict[str, Callable[[], object]] = {
        "fit": lambda: engine.fit(df, **PLAIN),
        "fit, automatic": lambda: engine.fit(df),
        "predict": lambda: run(engine.predict(model, df.select("text"))),
        "filter by probability": lambda: run(engine.filter(model, df, keep="pos", above=0.9)),
        "filter the best tenth": lambda: run(engine.filter(model, df, keep="pos", top=0.1)),
    }
    for what, each in work.items():
        target = {"at_least": 0.5} if what in ("fit", "predict") else {}
        yield Row(
            f"{size}: {what}, beside doing nothing", seconds(each), nothing, peer="mapInArrow, identity", **target
        )


def growth(folder: Path, quick: bool) -> Iterator[Row]:
    """How the time of a fit grows with the data and with the number of partitions."""
    from banbury import spark as engine

    split = data.split("imdb", every=50 if quick else 1)
    base = bytes_of(split.train)
    engine.fit(frame(folder / "warm", split.train, split.train_labels), **PLAIN)
    for times in TIMES:
        df = frame(folder / f"times{times}", grown(split.train, times), split.train_labels * times, 8)
        for kind, parameters in (("plain", PLAIN), ("automatic", {})):
            took = seconds(partial(engine.fit, df, **parameters), repeats=1 if times == max(TIMES) else 2)
            yield Row(f"data ×{times}, {base * times / 1e6:.0f} MB, 8 partitions: fit, {kind}", took)
    texts, labels = grown(split.train, 4), split.train_labels * 4
    for n_files in PARTITIONS:
        df = frame(folder / f"parts{n_files}", texts, labels, n_files)
        took = seconds(partial(engine.fit, df, **PLAIN))
        yield Row(f"partitions {n_files}, {base * 4 / 1e6:.0f} MB: fit, plain", took)


def filtering(folder: Path, quick: bool) -> Iterator[Row]:
    """Parquet in, Parquet out: documents kept by probability, beside fastText in a `pandas_udf`."""
    if not find_spec("fasttext"):
        print("filter: skipped, fastText is not installed (pip install fasttext-wheel)")
        return
    from pyspark.sql.functions import col, pandas_udf

    from banbury import spark as engine

    fasttext: Any = import_module("fasttext")
    split = data.split("imdb", every=20 if quick else 1)
    lake = frame(folder / "lake", split.test, split.test_labels).select("text")
    kept = str(folder / "kept")
    examples = folder / "examples.txt"
    lines = zip(split.train_labels, split.train, strict=True)
    examples.write_text(
        "".join(f"__label__{label} {' '.join(text.split())}\n" for label, text in lines), encoding="utf-8"
    )
    for name, ngrams, parameters in (("words", 1, PLAIN), ("words and pairs, automatic", 2, {})):
        path = str(folder / f"fasttext{ngrams}.bin")
        fasttext.train_supervised(str(examples), wordNgrams=ngrams, thread=2, verbose=0).save_model(path)
        model = banbury.Classifier(**parameters).fit(split.train, split.train_labels)

        chance = pandas_udf(fasttext_chances(path), "double")

        def written(chosen: Callable[[], Any]) -> float:
            return seconds(lambda: chosen().write.mode("overwrite").parquet(kept))

        ours = written(partial(engine.filter, model, lake, keep="pos", above=0.9))
        best = written(partial(engine.filter, model, lake, keep="pos", top=0.1))
        theirs = written(partial(lake.where, chance(col("text")) >= 0.9))
        size = f"{bytes_of(split.test) / 1e6:.0f} MB"
        yield Row(f"{size}, {name}: keep what has P ≥ 0.9", ours, theirs, peer="fastText in a pandas_udf")
        yield Row(f"{size}, {name}: keep the best tenth", best, theirs, peer="fastText in a pandas_udf, P ≥ 0.9")


def fasttext_chances(path: str) -> Callable[[Iterator[pd.Series]], Iterator[pd.Series]]:
    """A function for `pandas_udf`: the probability of `pos`, by a model that each Python process loads once."""

    def chances(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        import fasttext

        loaded = vars(fasttext).setdefault("loaded", {})  # a module lives as long as the process
        if path not in loaded:
            loaded[path] = fasttext.load_model(path)
        predict = loaded[path].f.predict  # `model.predict` wraps this call, and is not for NumPy 2
        for texts in batches:
            lines = (" ".join(text.split()) + "\n" for text in texts)
            found = [{label: chance for chance, label in predict(line, -1, 0.0, "strict")} for line in lines]
            yield pd.Series([row.get("__label__pos", 0.0) for row in found])

    return chances


def others(folder: Path, quick: bool) -> Iterator[Row]:
    """The same fit by Dask and by Ray, on two processes each, beside Spark."""
    from banbury import spark as engine

    split = data.split("imdb", every=20 if quick else 1)
    df = frame(folder / "imdb", split.train, split.train_labels)
    engine.fit(df, **PLAIN)
    reference = seconds(lambda: engine.fit(df, **PLAIN))
    yield Row("IMDB: fit, Spark", reference)
    files = str(folder / "imdb")
    for name, cluster in (("Dask", dask_fit), ("Ray", ray_fit)):
        if not find_spec(name.lower()):
            print(f"others: {name} is not installed")
            continue
        with cluster(files) as fit:
            fit()
            yield Row(f"IMDB: fit, {name}", seconds(fit), reference, peer="banbury.spark")


@contextmanager
def dask_fit(files: str) -> Iterator[Callable[[], object]]:
    """A fit by Dask, while its cluster runs."""
    import dask.dataframe
    from dask.distributed import Client, LocalCluster

    from banbury import dask as engine

    how: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**how) as cluster, Client(cluster):
        yield lambda: engine.fit(dask.dataframe.read_parquet(files, split_row_groups=False), **PLAIN)


@contextmanager
def ray_fit(files: str) -> Iterator[Callable[[], object]]:
    """A fit by Ray, while its cluster runs."""
    import ray
    import ray.data

    from banbury import ray as engine

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield lambda: engine.fit(ray.data.read_parquet(files, override_num_blocks=N_FILES), **PLAIN)
    finally:
        ray.shutdown()


GROUPS: dict[str, Callable[[Path, bool], Iterator[Row]]] = {
    "mllib": mllib,
    "floor": floor,
    "growth": growth,
    "filter": filtering,
    "others": others,
}


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    """The seconds of a fit by the size of the data, and by the number of partitions, both axes in powers of two."""
    by_data: dict[str, list[tuple[float, float]]] = {}
    by_parts: list[tuple[float, float]] = []
    for row in rows:
        kind, number = row["what"].split(",")[0].split()
        if kind == "data":
            name = row["what"].split("fit, ")[1]
            by_data.setdefault(name, []).append((math.log2(int(number[1:])), math.log2(row["ours"])))
        else:
            by_parts.append((math.log2(int(number)), math.log2(row["ours"])))
    for ending, title, lines, x_title in (
        (
            "_data.svg",
            "Growth with data",
            [Line(name, points) for name, points in by_data.items()],
            "log2 of the data, times IMDB",
        ),
        ("_partitions.svg", "Growth with partitions", [Line("plain", by_parts)], "log2 of the number of partitions"),
    ):
        chart = line_chart(lines, title=title, x_title=x_title, y_title="log2 of seconds")
        file.with_name(file.stem + ending).write_text(standalone(chart), encoding="utf-8")


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description="How quick clusters are, beside MLlib, doing nothing, and fastText.")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"what to measure (all): {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the data: a trial, not a result")
    parser.add_argument(
        "--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save (results/engines.json)"
    )
    options = parser.parse_args()
    check_names(parser, options.groups, GROUPS)
    data.folder()  # ends here where it is not known, rather than after minutes

    print(HEADER)
    found: dict[str, list[Row]] = {}
    for group in options.groups or GROUPS:
        with tempfile.TemporaryDirectory() as folder:
            for row in GROUPS[group](Path(folder), options.quick):
                verdict = "" if options.quick else {True: "met", False: "MISSED", None: ""}[row.is_met]
                print(f"{row}{verdict}".rstrip(), flush=True)
                found.setdefault(group, []).append(row)
    if options.json:
        save(options.json, found, options.quick)


def save(file: Path, found: dict[str, list[Row]], quick: bool) -> None:
    """These groups, and those that an earlier run has measured; and the picture of growth."""
    groups: dict[str, Any] = saved(file, "groups", quick) or {}
    for group, rows in found.items():
        groups[group] = [{**asdict(row), "ratio": row.ratio, "is_met": None if quick else row.is_met} for row in rows]
    write(file, "groups", {name: groups[name] for name in GROUPS if name in groups}, quick)
    if "growth" in groups:
        draw(groups["growth"], file)


if __name__ == "__main__":
    main()
