"""A real Ray of local processes: the file of the model is that of one machine, whatever happens to tasks and rows."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pandas as pd
import pyarrow as pa
import pytest

from banbury import Classifier, storage
from banbury.errors import InputError, LabelError

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'banbury[ray]'")

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own, and of its sockets

WORDS = ["free", "money", "lunch", "noon", "now", "so", "ä", "goal", "vote"]
TEXTS = [" ".join(WORDS[(n * k) % 9] for k in (1, 2, 4)) + f" n{n % 5}" for n in range(90)]
LABELS = [["ham", "spam", "spam"][n % 3] for n in range(89)] + ["only once"]  # skewed, and one that one block has


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    import ray.data

    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    ray.init(num_cpus=2, object_store_memory=200_000_000, **quiet)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def model() -> Classifier:
    return Classifier().fit(TEXTS, LABELS)


def content(model: Classifier) -> bytes:
    return storage.to_bytes(*model.parts())


def dataset(n_blocks: int = 3, **columns: Any) -> Any:
    """A dataset whose rows stay in order, in so many blocks."""
    import ray.data

    table = pa.table(columns or {"text": TEXTS, "label": LABELS})
    size = -(-table.num_rows // n_blocks)
    return ray.data.from_arrow([table.slice(start, size) for start in range(0, table.num_rows, size)])


@pytest.mark.parametrize("n_blocks", [1, 3, 18])  # 18 are merged by tasks first
def test_the_file_is_that_of_one_machine(n_blocks: int, model: Classifier) -> None:
    from banbury import ray as engine

    blocks = dataset(n_blocks)
    found = engine.fit(blocks)
    assert content(found) == content(model)
    assert found.report_.predictions.rows == model.report_.predictions.rows  # type: ignore[union-attr]
    assert not blocks.context.execution_options.preserve_order  # as it was


def test_plain_models_weights_and_nulls() -> None:
    from banbury import ray as engine

    weights = [n % 3 + 1 for n in range(90)]
    holes = [None if n % 7 == 0 else text for n, text in enumerate(TEXTS)]
    blocks = dataset(2, text=holes, label=LABELS, weight=weights)
    plain: dict[str, Any] = {"likelihood": "bernoulli", "smoothing": 0.5, "prior": "uniform"}
    found = engine.fit(blocks, sample_weight="weight", nulls="skip", **plain)
    rows = [row for row in zip(holes, LABELS, weights, strict=True) if row[0] is not None]
    assert content(found) == content(Classifier(**plain).fit(*map(list, zip(*rows, strict=True))))
    with pytest.raises(InputError, match=r"column 'text' is null in row 0 of a block.*on host"):
        engine.fit(blocks)


def test_tasks_whose_process_dies_are_tried_again_and_count_once(tmp_path: Path, model: Classifier) -> None:
    from banbury import ray as engine

    def dying_once(block: Any) -> Any:
        import os

        first = str(block.column("text")[0])
        died = tmp_path / first.replace(" ", "_")
        if not died.exists():
            died.touch()
            os.kill(os.getpid(), 9)
        return block

    blocks = dataset().map_batches(dying_once, batch_format="pyarrow")
    assert content(engine.fit(blocks)) == content(model)
    assert len(list(tmp_path.iterdir())) == 3


def test_empty_blocks_blocks_of_pandas_and_one_long_text() -> None:
    import ray.data

    from banbury import ray as engine

    texts, labels = [*TEXTS[:20], "long text of many words " * 100_000], [*LABELS[:20], "spam"]
    rows = dataset(3, text=texts, label=labels)
    nothing = dataset().filter(lambda row: row["label"] == "nothing")
    whole = content(Classifier().fit(texts, labels))
    assert content(engine.fit(rows.union(nothing))) == whole
    assert content(engine.fit(ray.data.from_pandas(pd.DataFrame({"text": texts, "label": labels})))) == whole


def test_a_table_is_that_of_one_machine() -> None:
    from banbury import ray as engine

    table: dict[str, list[Any]] = {
        "age": [None if n % 9 == 0 else 20 + n % 40 for n in range(90)],
        "plan": [["free", "paid"][n % 2] for n in range(90)],
    }
    left, rows = [n % 4 > 1 for n in range(90)], pa.table(table)
    found = engine.fit(dataset(3, **table, left=left), columns=["age", "plan"], label="left")
    assert content(found) == content(Classifier(columns=["age", "plan"]).fit(rows, left))
    assert [row["label"] for row in engine.predict(found, dataset(2, **table)).take_all()] == found.predict(
        rows
    ).tolist()


def test_predictions_are_those_of_one_machine(model: Classifier) -> None:
    from banbury import ray as engine

    rows = dataset(2, text=[*TEXTS[:9], None], number=list(range(10)))
    labels = {row["number"]: row for row in engine.predict(model, rows).take_all()}
    proba = {row["number"]: row["probabilities"] for row in engine.predict_proba(model, rows).take_all()}
    why = {row["number"]: row["explanation"] for row in engine.explain(model, rows).take_all()}
    assert [labels[n]["label"] for n in range(9)] == model.predict(TEXTS[:9]).tolist()
    assert [list(proba[n]) for n in range(9)] == model.predict_proba(TEXTS[:9]).tolist()
    assert [labels[n]["probability"] for n in range(9)] == model.predict_proba(TEXTS[:9]).max(axis=1).tolist()
    assert json.loads(why[3]) == json.loads(json.dumps(model.explain(TEXTS[3]).to_dict()))
    assert (labels[9]["label"], labels[9]["probability"], proba[9], why[9]) == (None, None, None, None)
    with pytest.raises(InputError, match="there is a column 'label' already"):
        engine.predict(model, dataset())


def test_an_evaluation_is_that_of_one_machine(model: Classifier) -> None:
    from banbury import ray as engine

    found, expected = engine.evaluate(model, dataset()), model.evaluate(TEXTS, LABELS)
    assert (found.accuracy, found.confusion) == (expected.accuracy, expected.confusion)
    assert found.log_loss == pytest.approx(expected.log_loss, rel=1e-12)
    with pytest.raises(InputError, match="column 'text' has nulls"):
        engine.evaluate(model, dataset(1, text=["a", None], label=["ham", "spam"]))


def test_learning_is_that_of_one_machine() -> None:
    from banbury import ray as engine

    model, whole = (Classifier().fit(TEXTS[:40], LABELS[:40]) for _ in range(2))
    blocks = dataset(3, text=TEXTS[40:], label=LABELS[40:])
    assert content(engine.learn(model, blocks)) == content(whole.learn(TEXTS[40:], LABELS[40:]))
    with pytest.raises(InputError, match="column 'label' is null in row 1 of a block"):
        engine.learn(model, dataset(1, text=["a", "b"], label=["ham", None]))
    with pytest.raises((InputError, LabelError), match="of type int"):
        engine.learn(model, dataset(1, text=["a", "b"], label=[1, 2]))
    assert content(model) == content(whole)


def test_bad_input_is_one_error_that_names_the_column(model: Classifier) -> None:
    from banbury import ray as engine

    rows = dataset(1, text=["a", "b"], number=[1, 2], label=["x", None])
    with pytest.raises(InputError, match="column 'number' holds values of type int64, not texts"):
        engine.fit(rows, text="number")
    with pytest.raises(InputError, match="column 'number' holds values of type int64, not texts"):
        engine.predict(model, rows, text="number", label="new")
    with pytest.raises(InputError, match="there is no column 'title'; this data frame has 'text', 'number', 'label'"):
        engine.fit(rows, text="title")
    with pytest.raises(InputError, match="column 'label' is null in row 1 of a block"):
        engine.fit(rows)
    with pytest.raises(InputError, match="no documents to learn from"):
        engine.fit(rows.filter(lambda row: row["number"] > 5))


def test_the_rows_that_are_kept_are_those_of_one_machine(model: Classifier, tmp_path: Path) -> None:
    import ray.data

    from banbury import ray as engine

    lake, best = str(tmp_path / "lake"), str(tmp_path / "best")
    dataset(18, text=[*TEXTS, None], number=list(range(91))).write_parquet(lake)
    rows = ray.data.read_parquet(lake)
    engine.filter(model, rows, keep="spam", top=0.2, probability="P").write_parquet(best)
    kept = {row["number"]: row["P"] for row in ray.data.read_parquet(best).take_all()}
    chances = model.predict_proba(TEXTS)[:, 2]
    lowest = sorted(chances, reverse=True)[17]  # the best fifth of 90 texts, and what is equal to the last of them
    assert kept == {n: chance for n, chance in enumerate(chances) if chance >= lowest}
    numbers = {
        row["number"]
        for row in engine.filter(model, dataset(2, text=TEXTS, number=list(range(90))), keep="ham").take_all()
    }
    assert numbers == {n for n, label in enumerate(model.predict(TEXTS)) if label == "ham"}
    with pytest.raises(LabelError, match="there is no label 'eggs' to keep"):
        engine.filter(model, rows, keep="eggs")
    with pytest.raises(InputError, match="there is a column 'number' already"):
        engine.filter(model, rows, keep="spam", probability="number")


WITHOUT = """
import pickle, sys
sys.modules["banbury"] = None  # whoever imports it gets an ImportError
task = pickle.loads(sys.stdin.buffer.read())
print(task(None).column("error")[0].as_py())
"""


def test_a_worker_without_the_package_names_its_host() -> None:
    from banbury import ray as engine

    task = cloudpickle.dumps(engine.counting("{}", "0.1.0"))
    done = subprocess.run([sys.executable, "-c", WITHOUT], input=task, capture_output=True, check=True)
    assert b"has no banbury: pip install banbury==0.1.0 there" in done.stdout


def test_another_version_names_its_host(monkeypatch: pytest.MonkeyPatch, model: Classifier) -> None:
    from banbury import ray as engine

    monkeypatch.setattr(engine, "__version__", "9.9")
    with pytest.raises(InputError, match=r"host .* has banbury .*, but the driver has 9\.9: install the same"):
        engine.fit(dataset(2))
    with pytest.raises(Exception, match=r"host .* has banbury .*, but the driver has 9\.9: install the same"):
        engine.predict(model, dataset(2), label="new").take_all()
