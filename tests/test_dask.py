"""A real Dask cluster of local processes: the file of the model is that of one machine."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from banbury import Classifier, storage
from banbury.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own, and of its sockets

WORDS = ["free", "money", "lunch", "noon", "now", "so", "ä", "goal", "vote"]
TEXTS = [" ".join(WORDS[(n * k) % 9] for k in (1, 2, 4)) + f" n{n % 5}" for n in range(90)]
LABELS = [["ham", "spam", "spam"][n % 3] for n in range(89)] + ["only once"]


@pytest.fixture(scope="module")
def _cluster() -> Iterator[None]:
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        yield


def content(model: Classifier) -> bytes:
    return storage.to_bytes(*model.parts())


def frame(n_partitions: int, **columns: Any) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(
        pd.DataFrame(columns or {"text": TEXTS, "label": LABELS}), npartitions=n_partitions, sort=False
    )


@pytest.mark.usefixtures("_cluster")
@pytest.mark.parametrize("n_partitions", [2, 20])
def test_the_file_is_that_of_one_machine(n_partitions: int) -> None:
    from banbury import dask as engine

    found, whole = engine.fit(frame(n_partitions)), Classifier().fit(TEXTS, LABELS)
    assert content(found) == content(whole)
    assert found.report_.predictions.rows == whole.report_.predictions.rows  # type: ignore[union-attr]


@pytest.mark.usefixtures("_cluster")
def test_bags_tables_and_weights() -> None:
    import dask.bag

    from banbury import dask as engine

    rows = [
        {"text": text, "label": label, "weight": n % 3}
        for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    bag = dask.bag.from_sequence(rows, npartitions=3)
    model = engine.fit(bag, sample_weight="weight", likelihood="multinomial")
    whole = Classifier(likelihood="multinomial").fit(TEXTS, LABELS, [n % 3 for n in range(90)])
    assert content(model) == content(whole)
    labelled = engine.predict(whole, bag, label="predicted").compute()
    assert [row["predicted"] for row in labelled] == whole.predict(TEXTS).tolist()
    table: dict[str, list[Any]] = {
        "age": [n * 7 % 60 for n in range(90)],
        "plan": [["a", "b"][n % 2] for n in range(90)],
    }
    left = [n % 4 > 1 for n in range(90)]
    found = engine.fit(frame(3, **table, left=left), columns=["age", "plan"], label="left")
    assert content(found) == content(Classifier(columns=["age", "plan"]).fit(pd.DataFrame(table), left))


@pytest.mark.usefixtures("_cluster")
def test_predicting_learning_and_evaluating_are_those_of_one_machine() -> None:
    from banbury import dask as engine

    model, whole = (Classifier().fit(TEXTS[:40], LABELS[:40]) for _ in range(2))
    found = engine.predict(model, frame(3, text=TEXTS)).compute()
    assert found["label"].tolist() == whole.predict(TEXTS).tolist()
    assert found["probability"].tolist() == whole.predict_proba(TEXTS).max(axis=1).tolist()
    assert engine.evaluate(model, frame(2)).confusion == whole.evaluate(TEXTS, LABELS).confusion
    with pytest.raises(InputError, match="column 'text' has nulls"):
        engine.evaluate(model, frame(2, text=["free", None], label=["ham", "spam"]))
    engine.learn(model, frame(2, text=TEXTS[40:], label=LABELS[40:]))
    assert content(model) == content(whole.learn(TEXTS[40:], LABELS[40:]))


@pytest.mark.usefixtures("_cluster")
def test_the_rows_that_are_kept_are_those_of_one_machine() -> None:
    import dask.bag

    from banbury import dask as engine

    model = Classifier().fit(TEXTS, LABELS)
    chances = model.predict_proba(TEXTS)[:, 2]
    lowest = sorted(chances, reverse=True)[17]  # the best fifth of 90 texts, and what is equal to the last of them
    expected = {n: chance for n, chance in enumerate(chances) if chance >= lowest}
    kept = engine.filter(model, frame(18, text=[*TEXTS, None], n=range(91)), keep="spam", top=0.2, probability="P")
    assert dict(zip(kept.compute()["n"], kept.compute()["P"], strict=True)) == expected
    bag = dask.bag.from_sequence([{"text": text, "n": n} for n, text in enumerate(TEXTS)], npartitions=3)
    rows = engine.filter(model, bag, keep="spam", top=0.2, probability="P").compute()
    assert {row["n"]: row["P"] for row in rows} == expected
    labelled = engine.filter(model, bag, keep="ham").compute()
    assert [row["n"] for row in labelled] == [n for n, label in enumerate(model.predict(TEXTS)) if label == "ham"]
    assert engine.filter(model, frame(2), keep="spam", above=0.9).compute()["text"].tolist() == [
        text for text, chance in zip(TEXTS, chances, strict=True) if chance >= 0.9
    ]


@pytest.mark.usefixtures("_cluster")
def test_bad_input_is_one_error_that_names_the_column(monkeypatch: pytest.MonkeyPatch) -> None:
    from banbury import dask as engine

    with pytest.raises(InputError, match="there is no column 'title'"):
        engine.fit(frame(2), text="title")
    with pytest.raises(InputError, match=r"column 'label' is null in row 1 of part 0.*on host"):
        engine.fit(frame(1, text=["a", "b"], label=["x", None]))
    with pytest.raises(InputError, match="column 'text' holds values of type int64, not texts"):
        engine.fit(frame(1, text=[1, 2], label=["x", "y"]))
    with pytest.raises(InputError, match="there is a column 'label' already"):
        engine.predict(Classifier().fit(TEXTS, LABELS), frame(2))
    monkeypatch.setattr(engine, "__version__", "9.9")
    with pytest.raises(InputError, match=r"but the driver has 9\.9"):
        engine.fit(frame(2))
