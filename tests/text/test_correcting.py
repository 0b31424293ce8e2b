"""Correcting: a correction is fitted where words depend on each other, chosen on held-out documents, else left out."""

import pickle
from pathlib import Path
from random import Random

import numpy as np
import pytest

from banbury import Analyzer, Classifier
from banbury.datasets import demo
from banbury.text import batches as streaming
from corrected import THREE, TWO, best, both, dependent, fitted


@both
def test_the_best_effort_is_more_accurate_where_words_depend_on_each_other(labels: tuple[str, ...]) -> None:
    model, more = best(labels), dependent(labels, 1000, seed=1)
    counting: Classifier = pickle.loads(fitted(labels, "counting"))
    assert model.score(more.texts, more.labels) > counting.score(more.texts, more.labels) + 0.04
    own = np.searchsorted(labels, more.labels)
    rows = np.arange(len(own))
    log_loss, before = (-one.predict_log_proba(more.texts)[rows, own].mean() for one in (model, counting))
    assert log_loss < before - 0.05


@both
def test_the_report_says_which_penalty_was_chosen_on_documents_held_out(labels: tuple[str, ...]) -> None:
    corpus = dependent(labels)
    report = Classifier(effort="best").fit(corpus.texts, corpus.labels).report_
    held_out = {tried.name: tried.log_loss for tried in report.tried if tried.name.startswith("held out")}
    name = f"held out: {report.chosen.partition('; ')[2]}"
    assert name.startswith("held out: correction, penalty")
    assert held_out[name] == min(held_out.values()) == pytest.approx(report.log_loss)
    assert report.n_documents < 150
    assert "held out" in report.note
    assert all(corpus.texts[one.index] == one.text for one in report.doubtful)


def test_little_data_stays_as_it_is() -> None:
    texts, labels = demo()
    for n in (4, 60, 600):
        corpus = (texts[:: 600 // n], labels[:: 600 // n])
        model = Classifier(effort="best").fit(*corpus)
        assert model.model_.of_texts("").choice.correction is None
        np.testing.assert_array_equal(model.predict_proba(texts), Classifier().fit(*corpus).predict_proba(texts))


@both
def test_order_and_threads_change_no_byte(labels: tuple[str, ...], tmp_path: Path) -> None:
    corpus = dependent(labels)
    shuffled = corpus.pick(Random(5).sample(range(len(corpus)), len(corpus)))
    for name, part, threads in (("one", corpus, 1), ("two", corpus, 2), ("three", shuffled, 3)):
        model = Classifier(effort="best", threads=threads).fit(part.texts, part.labels)
        assert model.model_.of_texts("").choice.correction is not None
        model.save(tmp_path / name)
    assert len({(tmp_path / name).read_bytes() for name in ("one", "two", "three")}) == 1


def test_a_weight_is_a_repetition() -> None:
    corpus = dependent(TWO, 400)
    times = [1 + at % 3 for at in range(len(corpus))]
    repeated = corpus.pick([at for at, n in enumerate(times) for _ in range(n)])
    one = Classifier(effort="best").fit(corpus.texts, corpus.labels, sample_weight=times)
    other = Classifier(effort="best").fit(repeated.texts, repeated.labels)
    assert one.model_.of_texts("").choice.correction is not None
    np.testing.assert_array_equal(one.predict_proba(corpus.texts), other.predict_proba(corpus.texts))


def test_a_column_of_arrow_is_a_list() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    corpus = dependent(TWO)
    model = Classifier(analyzer=Analyzer(), effort="best").fit(pyarrow.array(corpus.texts), corpus.labels)
    np.testing.assert_array_equal(model.predict_proba(corpus.texts), best(TWO).predict_proba(corpus.texts))


@pytest.mark.parametrize("most", [500, 1000])
def test_batches_that_pass_by_give_the_correction_of_all_documents_at_once(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "HELD", 2000)
    monkeypatch.setattr(streaming, "COUNTED", 2000)
    for limit in ("correcting.MOST_CORRECTED_DOCUMENTS", "curves.MOST_FITTED_DOCUMENTS", "tally.MOST_DOCUMENTS"):
        monkeypatch.setattr(f"banbury.text.{limit}", most)
    corpus = dependent(THREE)
    batches = [(corpus.texts[at : at + 30], corpus.labels[at : at + 30]) for at in range(0, len(corpus), 30)]
    whole, passed = (Classifier(analyzer=Analyzer(), effort="best") for _ in range(2))
    whole.fit(corpus.texts, corpus.labels)
    assert whole.model_.of_texts("").choice.correction is not None
    np.testing.assert_array_equal(
        passed.fit_batches(batches).predict_proba(corpus.texts), whole.predict_proba(corpus.texts)
    )
