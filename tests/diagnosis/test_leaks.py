"""Words that give a class away."""

from collections.abc import Callable

import numpy as np

from banbury import Counts
from banbury.diagnosis.leaks import leaks

Rows = list[dict[str, str]]


def test_a_planted_address_is_found_and_common_words_are_not() -> None:
    random = np.random.default_rng(0)
    texts, labels = [], []
    for at in range(600):
        label = ("work", "home", "club")[at % 3]
        words = [f"w{n}" for n in random.choice(200, 30)]
        if label == "work" and random.random() < 0.3:
            words += ["boss@office.example", "office"]
        texts.append(" ".join(words))
        labels.append(label)
    found = leaks(Counts().add(texts, labels))
    assert {(leak.word, leak.label, leak.kind) for leak in found} == {
        ("boss@office.example", "work", "address"),
        ("office", "work", "part of an address"),
    }
    for leak in found:
        assert leak.others == 0
        assert np.log(10) <= leak.weight < np.log((leak.documents / 200) / (0.5 / 400))


def test_headers_give_newsgroups_away_and_nothing_gives_reviews_away(read_set: Callable[[str], Rows]) -> None:
    train = [row for row in read_set("20newsgroups") if row["split"] == "train"]
    found = leaks(Counts().add([row["text"] for row in train], [row["label"] for row in train]))
    kinds = {leak.word: leak.kind for leak in found}
    # Of people, a host, an organisation, and of one header line.
    for word, kind in (
        ("keith@cco.caltech.edu", "address"),
        ("geb@cs.pitt.edu", "address"),
        ("solntze", "part of an address"),
        ("optilink", "part of an address"),
        ("enterpoop", "word"),
    ):
        assert kinds[word] == kind
    assert sum(kind == "address" for kind in kinds.values()) > 30
    train = [row for row in read_set("imdb") if row["split"] == "train"]
    assert leaks(Counts().add([row["text"] for row in train], [row["label"] for row in train])) == []


def test_one_class_has_nothing_to_give_away() -> None:
    assert leaks(Counts().add(["a"] * 50, ["x"] * 50)) == []
