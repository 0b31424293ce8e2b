"""The words of each class."""

import banbury
from banbury.report.class_words import keywords


def test_the_words_of_a_class_are_those_that_tell_it_apart() -> None:
    counts = banbury.Counts().add(
        ["good day", "good night", "bad day", "bad night"] * 5, ["yes", "yes", "no", "no"] * 5
    )
    assert [one.word for one in keywords(counts)["yes"]] == ["good"]
    first = keywords(counts)["yes"][0]
    assert (first.documents, first.others) == (10, 0)
