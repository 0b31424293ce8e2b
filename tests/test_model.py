"""What a classifier holds: the models of texts and of tables offer the same."""

import pytest

from banbury import Classifier
from banbury.errors import InputError, NotAvailable
from banbury.model import Model, fitted, model_from_parts
from banbury.tables.model import TableModel
from banbury.text.model import TextModel

TEXTS, TABLE, LABELS = ["so happy", "so sad"], {"legs": [2, 4]}, ["x", "y"]


def both() -> list[Model]:
    return [Classifier().fit(documents, LABELS).model_ for documents in (TEXTS, TABLE)]


def test_documents_decide_which_model_is_fitted() -> None:
    texts, table = both()
    assert (type(texts), type(table)) == (TextModel, TableModel)
    options = {"analyzer": None, "effort": "counting", "unlabelled": None, "sure": None, "threads": 1}
    named = fitted({"a": TEXTS}, LABELS, None, Classifier().settings, columns=["a"], **options)  # type: ignore[arg-type]
    assert type(named.model) is TableModel
    with pytest.raises(InputError, match="this is a table"):
        Classifier().fit(TABLE, LABELS, unlabelled=["a"])


@pytest.mark.parametrize("model", both())
def test_a_model_comes_back_from_its_parts(model: Model) -> None:
    again = model_from_parts(*model.parts())
    assert (type(again), again.classes, again.documents) == (type(model), ["x", "y"], [1, 1])
    assert again.parameters() == model.parameters()


def test_a_reading_knows_one_document_from_several() -> None:
    texts, table = (model.reading(Classifier().settings) for model in both())
    assert (texts.is_one("so"), texts.is_one(["so"]), texts.shown(texts.one("so"))) == (True, False, "so")
    assert (table.is_one({"legs": 2}), table.is_one(TABLE)) == (True, False)
    assert table.shown(table.one({"legs": 2})) == "legs: 2"
    with pytest.raises(InputError, match="expected one text, a str, not one of type list"):
        texts.one(["so"])


def test_what_only_one_kind_of_model_has_is_refused_by_the_other() -> None:
    texts, table = both()
    assert texts.of_texts("it is asked for") is texts
    with pytest.raises(InputError, match="this is a model of a table; it is asked for"):
        table.of_texts("it is asked for")
    with pytest.raises(NotAvailable, match="has no counts_"):
        _ = table.counts
    with pytest.raises(NotAvailable, match="has no columns_"):
        _ = texts.kinds
    for one, other in ((texts, table), (table, texts)):
        with pytest.raises(InputError, match="cannot be merged"):
            one.merge(other)


@pytest.mark.parametrize("model, documents", list(zip(both(), [TEXTS, TABLE], strict=True)))
def test_documents_are_held_and_found_by_their_row(model: Model, documents: object) -> None:
    held, document = model.hold(documents)
    reading = model.reading(Classifier().settings)
    assert reading.scores(held, 1).tolist() == reading.scores(held, 1).tolist()
    assert reading.scores_of(document(1)) == reading.scores(held, 1)[1].tolist()
