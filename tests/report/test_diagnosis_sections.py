"""Sections of a report page on documents: each shows what the diagnosis has found."""

from typing import Any

from banbury.diagnosis.dependence import DependentPair
from banbury.diagnosis.diagnosis import Balance, Diagnosis, NewVocabulary
from banbury.diagnosis.duplicates import duplicates
from banbury.diagnosis.leaks import Leak
from banbury.display.html import piece
from banbury.report import diagnosis_sections as sections
from banbury.results.doubtful import Doubtful
from hostile import HOSTILE, Look, assert_harmless


def diagnosis(**found: Any) -> Diagnosis:
    usual = {"pairs": [], "duplicates": duplicates(["x", "y"], ["a", "b"]), "leaks": [], "n_leaking": 0}
    return Diagnosis(n_documents=40, were_learned=False, **{**usual, **found})


def text(section: Any) -> str:
    return " ".join(Look(piece(section)).text.split())


def test_labels_in_doubt_are_listed_with_their_probability() -> None:
    assert sections.doubtful_labels(diagnosis(doubtful=[])) is None
    shown = text(sections.doubtful_labels(diagnosis(doubtful=[Doubtful(7, "so  sad", "happy", 0.125)])))
    assert "1 labels get less probability than another one by the model" in shown
    assert "7 happy (12.50%) so sad" in shown or "7happy (12.50%)so sad" in shown


def test_duplicates_with_different_labels_are_named() -> None:
    repeated = duplicates(["so happy", "so happy", "other"], ["a", "b", "a"])
    shown = text(sections.documents(diagnosis(duplicates=repeated)))
    assert "1 documents repeat an earlier one" in shown
    assert "1 groups have different labels: documents 0 = 1." in shown


def test_shares_and_new_words_are_shown_where_they_are_known() -> None:
    balance = Balance({"a": 0.5, "b": 0.5}, {"a": 0.9, "b": 0.1}, 0.001, False)
    shown = text(sections.documents(diagnosis(balance=balance, vocabulary=NewVocabulary(0.2, 0.05, [("zog", 3)]))))
    assert "They have changed (p = 0.001)." in shown
    assert "20.00% of all words" in shown
    assert "zog 3" in shown


def test_pairs_and_leaks_are_counted_and_none_is_said() -> None:
    assert text(sections.dependent_pairs(diagnosis())) == "None beyond chance."
    assert text(sections.leaks(diagnosis())) == "None."
    pair, leak = DependentPair("hot", "sunny", 50, 12.5, 8.25, 1e-9), Leak("@x", "a", 12, 0, 2.0, "address")
    assert "hot + sunny" in text(sections.dependent_pairs(diagnosis(pairs=[pair])))
    assert "25.0% of the documents have one" in text(sections.leaks(diagnosis(leaks=[leak], n_leaking=10)))


def test_hostile_words_and_texts_are_harmless() -> None:
    found = diagnosis(
        doubtful=[Doubtful(0, text, text, 0.1) for text in HOSTILE],
        pairs=[DependentPair(text, text, 5, 1.0, 1.0, 0.0) for text in HOSTILE],
        leaks=[Leak(text, text, 5, 0, 1.0, "word") for text in HOSTILE],
        vocabulary=NewVocabulary(0.1, 0.1, [(text, 1) for text in HOSTILE]),
    )
    parts = [sections.doubtful_labels(found), sections.documents(found), sections.leaks(found)]
    assert_harmless(piece([*parts, sections.dependent_pairs(found)]))
