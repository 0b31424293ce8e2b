"""What texts, labels and weights can be, and what is said of what they cannot be."""

import ctypes
import math
import pickle
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Analyzer, Classifier, Counts, _kernel
from banbury.errors import InputError, LabelError
from banbury.text.documents import as_labels, class_numbers
from strategies import Corpus, corpora, texts

TEXTS = ["so happy", "", "Ärger 😀", "so happy"]
LABELS = ["yes", "no", "no", "yes"]


def fitted(texts: Any, labels: Any = LABELS) -> bytes:
    return pickle.dumps(Classifier(threads=2).fit(texts, labels))


# Columns -------------------------------------------------------------------------------------------------------------

ARROW = pa.array(TEXTS)
PARTS = pa.chunked_array([TEXTS[:1], [], TEXTS[1:]])


def relation(column: Any) -> Any:
    return duckdb.from_arrow(pa.table({"text": column}))


COLUMNS: dict[str, Callable[[], Any]] = {
    "tuple": lambda: tuple(TEXTS),
    "iterator": lambda: iter(TEXTS),
    "numpy str": lambda: np.array(TEXTS),
    "numpy object": lambda: np.array(TEXTS, dtype=object),
    "numpy string": lambda: np.array(TEXTS, dtype=np.dtypes.StringDType()),
    "numpy strided": lambda: np.array([text for text in TEXTS for _ in range(2)])[::2],
    "pandas": lambda: pd.Series(TEXTS),
    "pandas object": lambda: pd.Series(TEXTS, dtype=object),
    "pandas python string": lambda: pd.Series(TEXTS, dtype="string[python]"),
    "pandas arrow string": lambda: pd.Series(TEXTS, dtype="string[pyarrow]"),
    "pandas category": lambda: pd.Series(TEXTS, dtype="category"),
    "pandas slice": lambda: pd.Series(["before", *TEXTS, "after"])[1:-1],
    "pandas index": lambda: pd.Index(TEXTS),
    "pandas frame": lambda: pd.DataFrame({"text": TEXTS}),
    "polars": lambda: pl.Series(TEXTS),
    "polars categorical": lambda: pl.Series(TEXTS, dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(TEXTS, dtype=pl.Enum(sorted(set(TEXTS)))),
    "polars slice": lambda: pl.Series(["before", *TEXTS, "after"]).slice(1, 4),
    "polars chunks": lambda: pl.Series(TEXTS[:1]).append(pl.Series(TEXTS[1:])),
    "polars frame": lambda: pl.DataFrame({"text": TEXTS}),
    "arrow utf8": lambda: ARROW,
    "arrow large_utf8": lambda: ARROW.cast(pa.large_string()),
    "arrow utf8_view": lambda: ARROW.cast(pa.string_view()),
    "arrow dictionary": lambda: ARROW.dictionary_encode(),
    "arrow slice": lambda: pa.array(["before", *TEXTS, "after"]).slice(1, 4),
    "arrow slice of dictionary": lambda: pa.array(["before", *TEXTS]).dictionary_encode().slice(1),
    "arrow slice of views": lambda: pa.array(["before" * 9, *TEXTS], pa.string_view()).slice(1),
    "arrow chunks": lambda: PARTS,
    "arrow chunks of dictionaries": lambda: PARTS.dictionary_encode(),
    "arrow table": lambda: pa.table({"text": PARTS}),
    "arrow batch": lambda: pa.record_batch({"text": ARROW}),
    "duckdb": lambda: relation(ARROW),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_any_library_is_a_list_of_texts(name: str) -> None:
    assert fitted(COLUMNS[name]()) == fitted(TEXTS)
    model = Classifier().fit(TEXTS, LABELS)
    assert model.predict(COLUMNS[name]()).tolist() == model.predict(TEXTS).tolist()


@given(corpora(text=texts()), st.integers(0, 9))
def test_any_texts_are_the_same_in_any_column(corpus: Corpus, cut: int) -> None:
    expected = fitted(corpus.texts, corpus.labels)
    array = pa.array(corpus.texts, pa.string())
    padded = pa.array(["x" * cut, *corpus.texts]).slice(1)
    chunks = pa.chunked_array([corpus.texts[:cut], corpus.texts[cut:]], pa.string())
    views, categories = array.cast(pa.string_view()), array.dictionary_encode()
    for column in (array, padded, chunks, views, categories, pl.Series(corpus.texts), pd.Series(corpus.texts)):
        assert fitted(column, corpus.labels) == expected


@pytest.mark.parametrize(
    "column",
    [
        [*TEXTS[:2], None, "c"],
        np.array([*TEXTS[:2], None, "c"], dtype=object),
        pd.Series([*TEXTS[:2], None, "c"]),
        pd.Series([*TEXTS[:2], math.nan, "c"], dtype=object),
        pd.Series([*TEXTS[:2], pd.NA, "c"], dtype="string[python]"),
        pd.Series([*TEXTS[:2], None, "c"], dtype="category"),
        pl.Series([*TEXTS[:2], None, "c"]),
        pl.Series([*TEXTS[:2], None, "c"], dtype=pl.Categorical),
        pa.array([*TEXTS[:2], None, "c"]),
        pa.array(["before", *TEXTS[:2], None, "c"]).slice(1),
        pa.array([*TEXTS[:2], None, "c"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 0]), pa.array(["a", None])),
        pa.chunked_array([TEXTS[:2], [None, "c"]]),
        pa.table({"text": pa.chunked_array([TEXTS[:2], [None, "c"]])}),
        pa.array([*({"t": {"u": text}} for text in TEXTS[:2]), {"t": None}, {"t": {"u": "c"}}]),
    ],
    ids=lambda column: type(column).__name__,
)
def test_a_missing_text_is_an_error_that_names_its_row(column: Any) -> None:
    with pytest.raises(InputError, match=r"^document 2 is (None|missing)"):
        Classifier().fit(column, LABELS)
    with pytest.raises(InputError, match=r"^document 2 is (None|missing)"):
        Classifier().fit(TEXTS, LABELS).predict_proba(column)


def test_a_column_of_no_texts_is_no_texts() -> None:
    model = Classifier().fit(TEXTS, LABELS)
    empty = pa.array([], pa.dictionary(pa.int32(), pa.string()))
    for column in (empty, pa.chunked_array([empty, pa.array(TEXTS).dictionary_encode()]).slice(0, 0)):
        assert model.predict(column).tolist() == []


def test_a_text_that_is_too_long_is_an_error_that_names_its_row() -> None:
    text = "a" * (2**30 + 1)
    model = Classifier().fit(TEXTS, LABELS)
    for use in (model.predict, model.predict_proba, lambda texts: model.learn(texts, ["x", "x"])):
        with pytest.raises(InputError, match="document 1 has 1073741825 bytes; a document has at most 1073741824"):
            use(["short", text])
    with pytest.raises(InputError, match="the document has 1073741825 bytes"):
        model.predict(text)


@pytest.mark.parametrize(
    "column, message",
    [
        (pd.Series([1, 2]), "expected an Arrow column of strings, not of Int64"),
        (pl.Series([1.5]), "expected an Arrow column of strings, not of Float64"),
        (pa.array([b"a"]), "expected an Arrow column of strings, not of Binary"),
        (pa.nulls(3), "document 0 is missing"),
        (np.arange(3), "document 0 is 0"),
        (np.array([b"a"]), r"document 0 is bytes \(decode them first"),
        (["a", b"b"], r"document 1 is bytes \(decode them first"),
        (["a", math.nan], "document 1 is nan"),
        (["a", 1.5], "document 1 is 1.5"),
        (["a", {"b": 1}], "document 1 is of type dict; each document must be a str or a list of tokens"),
        ("one text", "expected a list of documents, not one str"),
        (None, "expected a list of documents, not None"),
        (3, "expected a list of documents, not 3"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_column_of_texts_is_named(column: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier().fit(column, LABELS)


def test_a_relation_is_refused_where_it_is_no_column_of_texts() -> None:
    model = Classifier()
    with pytest.raises(InputError, match="document 2 is missing"):
        model.fit(relation(pa.array([*TEXTS[:2], None, "c"])), LABELS)
    with pytest.raises(LabelError, match="labels is of type DuckDBPyRelation; it must be a list or a column"):
        model.fit(["a"], duckdb.sql("SELECT 'x'"))


def test_a_model_of_texts_refuses_a_table() -> None:
    model = Classifier().fit(TEXTS, LABELS)
    tables = [pa.table({"a": ["x"], "b": ["y"]}), duckdb.sql("SELECT 'a' AS a, 'b' AS b")]
    for table in tables:
        with pytest.raises(InputError, match="expected an Arrow column of strings, not of Struct"):
            model.predict(table)
    with pytest.raises(InputError, match="expected a list of documents, not of type dict"):
        model.predict({"a": ["x"]})
    with pytest.raises(InputError, match="document 0 is of type dict"):
        model.learn([{"a": "x"}], ["yes"])


# Labels and weights --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        tuple(LABELS),
        iter(LABELS),
        np.array(LABELS),
        np.array(LABELS, dtype=object),
        pd.Series(LABELS),
        pd.Series(LABELS, dtype="category"),
        pl.Series(LABELS),
        pl.Series(LABELS, dtype=pl.Categorical),
        pa.array(LABELS),
        pa.chunked_array([LABELS[:1], LABELS[1:]]).dictionary_encode(),
        [np.str_(label) for label in LABELS],
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_labels_can_be_a_column_of_any_library(labels: Any) -> None:
    assert fitted(TEXTS, labels) == fitted(TEXTS)


@pytest.mark.parametrize(
    "labels, plain",
    [
        (np.array([1, 0, 0, 1], dtype=np.uint8), [1, 0, 0, 1]),
        (pd.Series([1, 0, 0, 1], dtype="Int64"), [1, 0, 0, 1]),
        (pl.Series([1, 0, 0, 1]), [1, 0, 0, 1]),
        (np.array([True, False, False, True]), [True, False, False, True]),
        (pa.array([True, False, False, True]), [True, False, False, True]),
    ],
)
def test_labels_can_be_numbers_or_truth_values(labels: Any, plain: list[Any]) -> None:
    assert fitted(TEXTS, labels) == fitted(TEXTS, plain)
    assert type(Classifier().fit(TEXTS, labels).predict("happy")) is type(plain[0])


@pytest.mark.parametrize(
    "labels, message",
    [
        (["x", None], "document 1 has no label"),
        (["x", math.nan], "document 1 has no label"),
        (pd.Series(["x", pd.NA], dtype="string"), "document 1 has no label"),
        (pl.Series([1, None]), "document 1 has no label"),
        (["x", 1.5], "document 1 has label 1.5, of type float, but document 0 has 'x', of type str"),
        ([1.0, 2], "document 1 has label 2, of type int, but document 0 has 1.0, of type float"),
        (np.array([1.0, math.nan]), "document 1 has no label"),
        ([1.0, math.inf], "document 1 has label inf; a number as a label is finite"),
        (["x", b"y"], "document 1 has label b'y', of type bytes; a label is a str, an int, a float or a bool"),
        (["x", 1], "document 1 has label 1, of type int, but document 0 has 'x', of type str"),
        ([1, True], "document 1 has label True, of type bool, but document 0 has 1, of type int"),
        (np.array([["x"], ["y"]]), r"document 0 has label \['x'\], of type list"),
        ("xy", "labels is of type str; it must be a list or a column"),
        ({"x", "y"}, "labels is of type set; it must be a list or a column, in the documents' order"),
        (pd.DataFrame({"label": ["x", "y"]}), "labels is of type DataFrame; it must be a list or a column"),
        (None, "labels is None; it must be a list"),
        (3, "labels is 3; it must be a list"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_label_is_named_with_its_row(labels: Any, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        Classifier().fit(["a", "b"], labels)


@pytest.mark.parametrize(
    "weights, message",
    [
        ([1, -1], "document 1 has weight -1; a weight is a whole number from 0 to 4294967295"),
        ([1, 1.5], "document 1 has weight 1.5"),
        ([1, None], "document 1 has weight None"),
        ([1, math.nan], "document 1 has weight nan"),
        ([1, 2**32], "document 1 has weight 4294967296"),
        ([1], "2 documents but 1 weights"),
        (3, "sample_weight is 3; it must be a list"),
        ([0, 0], "no documents to learn from"),
    ],
)
def test_what_is_no_weight_is_named_with_its_row(weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classifier().fit(["a", "b"], ["x", "y"], sample_weight=weights)


@pytest.mark.parametrize(
    "texts, labels, message",
    [
        ([], [], "no documents to learn from"),
        (pa.array([], pa.string()), [], "no documents to learn from"),
        (["a"], [], "1 documents but 0 labels"),
        (["a"], ["x", "y"], "1 documents but 2 labels"),
        (["a", None], ["x", "y"], "document 1 is None"),
        (["a", "b"], ["x", None], "document 1 has no label"),
    ],
)
def test_bad_input_never_changes_a_model(texts: Any, labels: Any, message: str) -> None:
    model = Classifier().fit(TEXTS, LABELS)
    before = pickle.dumps(model)
    with pytest.raises(InputError, match=message):
        model.fit(texts, labels)
    if len(texts):
        for change in (model.learn, model.forget):
            with pytest.raises(InputError, match=message):
                change(texts, labels)
    assert pickle.dumps(model) == before


# Sizes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("likelihood", ["multinomial", "bernoulli"])
@pytest.mark.parametrize("labels, prior", [("xxx", [1]), ("xyy", [1 / 3, 2 / 3]), ("xyz", [1 / 3, 1 / 3, 1 / 3])])
def test_texts_without_words_leave_only_the_prior(likelihood: str, labels: str, prior: list[float]) -> None:
    model = Classifier.textbook(likelihood=likelihood).fit(["", "", "  "], list(labels))
    assert model.predict_proba(["", "word"]).tolist() == [pytest.approx(prior)] * 2


def test_a_hundred_thousand_classes_take_a_moment() -> None:
    numbers = range(100_000)
    start = time.process_time()
    model = Classifier().fit([f"word{i}" for i in numbers], list(numbers))
    assert model.predict("word77777") == 77777
    assert model.learn(["new"], [100_000]).predict(["new"]).tolist() == [100_000]
    model.forget([f"word{i}" for i in numbers[1:]], list(numbers[1:]))
    assert model.classes_.tolist() == [0, 100_000]
    assert time.process_time() - start < 20  # some seconds, most of them to choose by; hours if it were quadratic


def test_a_text_of_a_hundred_megabytes_is_a_text() -> None:
    model = Classifier.textbook().fit(["good film " * 10_000_000, "bad film"], ["yes", "no"])
    assert model.counts_.occurrences == [2, 20_000_000]
    long_word = "a" * 100_000_000
    assert model.learn([long_word], ["no"]).predict(long_word) == "no"


INTERRUPTED = """
import pickle, signal
from banbury import Classifier
signal.signal(signal.SIGINT, signal.default_int_handler)
model = Classifier().fit(["good", "bad"], ["yes", "no"])
before = pickle.dumps(model)
texts = [" ".join(f"word{i % 5000}" for i in range(100_000))] * 20_000  # a minute's work, in the memory of one
arguments = [texts] if "METHOD" == "predict" else [texts, ["yes"] * len(texts)]
print("at work", flush=True)
try:
    model.METHOD(*arguments)
except KeyboardInterrupt:
    print("unchanged" if pickle.dumps(model) == before else "changed", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("method", ["fit", "learn", "predict"])
def test_ctrl_c_stops_the_work_at_once_and_changes_nothing(method: str) -> None:
    code = INTERRUPTED.replace("METHOD", method)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        answer, _ = process.communicate()
        assert answer == "unchanged\n"
        assert time.monotonic() - start < 60  # half a second, on a machine with nothing else to do


class OwnString(str):
    """A `str` whose characters do not lie where those of others do."""


@given(st.lists(st.text(st.characters() | st.sampled_from("aé日😀\ud800\udfff\ufdd0\0"), max_size=90), min_size=1))
def test_a_str_of_any_kind_is_read_as_its_utf_8(texts: list[str]) -> None:
    analyzer = Analyzer(words="python", characters=(1, 1))
    whole = [re.sub("[\ud800-\udfff]", "\ufffd", text) for text in texts]
    columns = Counts(analyzer).add(pa.array(whole), ["a"] * len(texts))
    as_utf_8 = ctypes.pythonapi.PyUnicode_AsUTF8
    as_utf_8.argtypes = [ctypes.py_object]
    for text in whole:
        if "\0" not in text:
            as_utf_8(text)  # leaves its UTF-8 with it, where it is found again
    for strings in (texts, whole, [OwnString(text) for text in texts]):
        counts = Counts(analyzer).add(strings, ["a"] * len(texts))
        assert counts.features().names == columns.features().names
        assert counts.features().occurrences.tolist() == columns.features().occurrences.tolist()
        assert _kernel.size(strings) == sum(len(text.encode()) for text in whole)


@pytest.mark.parametrize(
    "column", [list, pa.array, lambda texts: pa.chunked_array([texts[:7], texts[7:9001], texts[9001:]])]
)
def test_many_documents_that_threads_read_are_those_that_one_reads(column: Callable[[list[str]], Any]) -> None:
    kinds = ["plain {}", "é {}", "日本 {} 日本", "😀 {}", "half \ud800 {}", "\ufdd0mark {}", ""]
    if column is not list:
        kinds = [kind.replace("\ud800", "\ufffd") for kind in kinds]
    texts = [kinds[row % len(kinds)].format(f"w{row % 1009}") for row in range(3 << 13)]
    own = [OwnString(text) if row % 11 == 3 else text for row, text in enumerate(texts)] if column is list else texts
    labels = [("yes", "no", "maybe")[row % 3] for row in range(len(texts))]
    one, *others = (Counts().add(column(own), labels, threads=threads).parts() for threads in (1, 2, 3, 4))
    assert all(other == one for other in others)
    for threads in (1, 2):  # each at its own row
        model = Classifier.textbook(threads=threads).fit(own, labels)
        assert model.predict(column(own)).tolist() == model.predict([str(text) for text in texts]).tolist()


@given(
    st.lists(st.sampled_from(["b", "a", "é", "c" * 40]), min_size=1)
    | st.lists(st.booleans())
    | st.lists(st.floats(0, 2))
)
def test_labels_that_were_looked_at_are_the_same_labels(labels: list[Any]) -> None:
    checked = as_labels(labels)
    assert checked == labels
    assert as_labels(checked) is checked
    assert type(pickle.loads(pickle.dumps(checked))) is list
    assert checked.different == list(dict.fromkeys(labels))
    classes = sorted(checked.different)
    plain = list(class_numbers(labels, classes))
    assert plain == [classes.index(label) for label in labels] == list(class_numbers(checked, classes))
    if labels:
        with pytest.raises(LabelError, match=r"document 0 has label .*, which was never counted"):
            class_numbers(checked, [label for label in classes if label != labels[0]])


def test_a_list_of_labels_that_changes_while_it_is_looked_at_is_seen_at_one_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels, look = ["a", "b"], _kernel.looked_at

    def changing(given: Any) -> Any:
        found = look(given)
        labels.append("c")  # as another thread would
        return found

    monkeypatch.setattr(_kernel, "looked_at", changing)
    checked = as_labels(labels)
    assert checked == ["a", "b"] == [checked.different[number] for number in memoryview(checked.numbers)]
