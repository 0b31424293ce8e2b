"""A model of batches that pass by is the model of all documents at once, to the bit."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banbury import Classifier
from banbury.errors import InputError
from banbury.readers import read
from banbury.text import batches as streaming

Batches = list[tuple[Any, ...]]

WORDS = ["free", "money", "lunch", "noon", "now", "so", "ä"]
DOCUMENTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
        st.sampled_from(["spam", "ham", "other"]),
        st.integers(0, 3),
    ),
    min_size=2,
    max_size=40,
)


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "HELD", 40)
    monkeypatch.setattr(streaming, "COUNTED", 20)


def cut(documents: list[tuple[Any, ...]], size: int) -> Batches:
    parts = [documents[at : at + size] for at in range(0, len(documents), size)]
    return [tuple(map(list, zip(*part, strict=True))) for part in parts]


def fitted_at_once(batches: Batches) -> Classifier:
    texts, labels = ([one for batch in batches for one in batch[column]] for column in (0, 1))
    return Classifier().fit(texts, labels)


def state(model: Classifier) -> Any:
    report = getattr(model, "report_", None)
    return model.__getstate__(), report and (report, [(one.text, one.label, one.index) for one in report.doubtful])


@given(
    DOCUMENTS, st.integers(1, 9), st.sampled_from([{}, {"likelihood": "multinomial", "smoothing": 1.0}]), st.booleans()
)
@settings(max_examples=40)
def test_batches_give_the_model_of_the_whole(documents: Any, size: int, options: Any, weighted: bool) -> None:
    documents = [(*document[:2], document[2] + (n == 0)) for n, document in enumerate(documents)]
    if not weighted:
        documents = [document[:2] for document in documents]
    whole = Classifier(**options).fit(*cut(documents, len(documents))[0])
    parts = Classifier(**options).fit_batches(cut(documents, size))
    assert state(parts) == state(whole)


@pytest.mark.parametrize("name", ["sms_spam", "trec6"])
def test_a_sample_of_many_documents_is_the_same(
    read_set: Callable[[str], list[dict[str, str]]], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "HELD", 100_000)
    monkeypatch.setattr(streaming, "COUNTED", 50_000)
    for limit in ("curves.MOST_FITTED_DOCUMENTS", "tally.MOST_DOCUMENTS"):
        monkeypatch.setattr(f"banbury.text.{limit}", 700)
    rows = [(row["text"], row["label"]) for row in read_set(name)]
    texts, labels = map(list, zip(*rows, strict=True))
    whole = Classifier().fit(texts, labels)
    assert "a fixed sample of" in whole.report_.note
    assert state(Classifier().fit_batches(cut(rows, 211))) == state(whole)


def lengths(n_long: int, n_short: int) -> Batches:
    """Long documents first, then short ones."""
    long = [("word and more words " * 30, "ab"[n % 2]) for n in range(n_long)]
    short = [(f"short {n}", "ab"[n % 2]) for n in range(n_short)]
    return cut(long + short, 2)


def test_short_documents_after_long_ones_are_read_again_for_their_characters() -> None:
    batches = lengths(4, 60)
    whole = Classifier().fit(
        *map(list, zip(*[row for part in batches for row in zip(*part, strict=True)], strict=True))
    )
    assert state(Classifier().fit_batches(batches)) == state(whole)
    with pytest.raises(InputError, match="guessed wrong; give an analyzer, or batches that can be read twice"):
        Classifier().fit_batches(iter(batches))


def test_long_documents_after_short_ones_leave_the_characters_out() -> None:
    batches = lengths(60, 4)[::-1]
    whole = Classifier().fit(
        *map(list, zip(*[row for part in batches for row in zip(*part, strict=True)], strict=True))
    )
    assert state(Classifier().fit_batches(iter(batches))) == state(whole)


def test_bad_batches_say_what_is_wrong() -> None:
    def batches(*last: Any) -> Iterator[Any]:
        yield from [(["so happy"], ["a"]), (["so sad"], ["b"])]
        yield from last

    for wrong, message in [
        ((["x"], [3]), "of type int"),
        ((["x", "y"], ["a"]), "2 documents but 1 labels"),
        ((["x"],), "a batch is"),
        ("x", "a batch is"),
        (([None], ["a"]), "document 0 is None"),
    ]:
        with pytest.raises(InputError, match=message):
            Classifier().fit_batches(batches(wrong))
    with pytest.raises(InputError, match="no documents to learn from"):
        Classifier().fit_batches([])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("block", [200, 5000, 1 << 20])
def test_counts_of_a_file_that_is_read_ahead_are_those_of_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, threads: int
) -> None:
    """Whatever the size of the blocks, the threads, and where labels come for the first time."""
    monkeypatch.setattr("banbury.readers.streams.BLOCK", block)
    rows = [(f"some {WORDS[n % 7]} and word{n % 50} {n}", "late" if n > 350 else "ab"[n % 2]) for n in range(400)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
    model = Classifier.textbook(threads=threads).fit_batches(read(path))
    whole = Classifier.textbook().fit(*map(list, zip(*rows, strict=True)))
    model.save(tmp_path / "parts")
    whole.save(tmp_path / "whole")
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_bad_part_leaves_the_model_as_it_was() -> None:
    model = Classifier.textbook().fit(["so happy"], ["yes"])
    with pytest.raises(InputError, match="1 documents but 2 labels"):
        model.fit_batches([(["free"], ["spam"]), (["lunch"], ["ham", "ham"])])
    assert model.predict("so") == "yes"
