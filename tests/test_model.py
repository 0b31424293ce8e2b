"""What a classifier holds: the models of texts and of tables offer the same."""

import pytest

from banbury import Classifier
from banbury.errors import InputError, NotAvailable
from banbury.model import Model, explained, model_from_parts

TEXTS, TABLE, LABELS = ["so happy", "so sad"], {"legs": [2, 4]}, ["x", "y"]


def both() -> list[Model]:
    return [Classifier().fit(documents, LABELS).model_ for documents in (TEXTS, TABLE)]


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
    with pytest.raises(InputError, match="the text is 7; it must be a str, or a list of tokens"):
        texts.one(7)


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


def test_an_explanation_is_of_one_document_by_a_reading() -> None:
    texts, table = (model.reading(Classifier().settings) for model in both())
    said = explained(texts, "so happy", label="x", against="y", unit="nats")
    assert (said.text, said.label, said.against, said.row) == ("so happy", "x", "y", None)
    assert explained(table, {"legs": 2}, label=None, against=None, unit="nats").row == {"legs": 2}


def test_a_copy_changes_on_its_own() -> None:
    for model, document in zip(both(), ("so happy", {"legs": 2}), strict=True):
        settings = Classifier().settings
        before = model.reading(settings).scores_of(document)
        copy, other = model.copy(), model.copy()
        copy.add([document], ["z"], None, threads=1)
        other.add([document], ["x"], None, threads=1)
        other.remove([document], ["x"], None, threads=1)
        assert (copy.classes, model.classes, model.documents) == (["x", "y", "z"], ["x", "y"], [1, 1])
        assert model.reading(settings).scores_of(document) == other.reading(settings).scores_of(document) == before
        model.add([document], ["x"], None, threads=1)
        assert (model.documents, other.documents, copy.documents) == ([2, 1], [1, 1], [1, 1, 1])


def test_an_empty_copy_keeps_what_was_chosen_and_has_learned_nothing() -> None:
    for model in both():
        copy = model.empty_copy()
        assert (copy.classes, model.classes) == ([], ["x", "y"])
        assert copy.parameters() == model.parameters()


def test_only_a_model_of_a_table_has_columns_to_look_at() -> None:
    texts, table = both()
    assert (texts.of_table(), table.of_table()) == (None, table)
    assert table.column("legs").columns == ("legs",)
    with pytest.raises(NotAvailable, match="a model of texts has no columns"):
        texts.column("legs")
