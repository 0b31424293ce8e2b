"""Documents ranked by a query: the scores of the papers, what is chosen, and how well it finds."""

import gzip
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury import Classifier, Ranker
from banbury.errors import CountError, FileFormatError, InputError
from rankers import SMOOTHINGS, WORDS_AS_THEY_ARE, as_words, found
from strategies import WORDS, plain_texts


@pytest.mark.parametrize("scorer", SMOOTHINGS)
@given(st.lists(plain_texts(), min_size=1, max_size=8), plain_texts(5))
def test_the_matches_of_a_hit_sum_to_its_score(scorer: str, texts: list[str], query: str) -> None:
    documents = as_words(texts)
    for hit in Ranker(texts, analyzer=WORDS_AS_THEY_ARE, scorer=scorer).search(query):
        assert sum(match.score for match in hit.matches) == pytest.approx(hit.score, abs=1e-9)
        assert all(match.count == documents[hit.index].count(match.word) for match in hit.matches)
        assert f"document {hit.index}" in str(hit)


@given(st.lists(plain_texts(), min_size=1, max_size=8), st.data())
def test_what_is_removed_was_never_there_and_the_others_keep_their_numbers(
    texts: list[str], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.sampled_from(range(len(texts)))))
    kept = [number for number in range(len(texts)) if number not in gone]
    ranker = Ranker(texts[:1], analyzer=WORDS_AS_THEY_ARE)
    assert [0, *ranker.add(texts[1:])] == list(range(len(texts)))
    ranker.remove(sorted(gone))
    fresh = Ranker([texts[number] for number in kept], analyzer=WORDS_AS_THEY_ARE)
    assert len(ranker) == len(fresh) == len(kept)
    for query in WORDS:
        assert list(found(ranker, query).items()) == [(kept[at], score) for at, score in found(fresh, query).items()]
    assert ranker.add(["one more"]) == [len(texts)]  # no number is given twice


@given(texts=st.lists(plain_texts(), max_size=6))
def test_a_saved_ranker_is_the_same(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("ranker") / "ranker.banbury"
    ranker = Ranker(texts, analyzer=WORDS_AS_THEY_ARE, scorer="dirichlet", smoothing=3, feedback=1)
    ranker.remove(list(range(len(texts) // 2)))
    ranker.save(path)
    loaded = Ranker.load(path)
    assert all(found(loaded, word) == found(ranker, word) for word in WORDS)
    assert loaded.add(["the"]) == ranker.add(["the"]) == [len(texts)]
    assert (loaded.scorer, loaded.chosen, loaded.feedback) == ("dirichlet", (3.0,), 1)


ACTS = st.lists(st.lists(plain_texts(), max_size=3) | st.integers(0, 9), max_size=6)


@pytest.mark.parametrize("scorer", SMOOTHINGS)
@given(acts=ACTS)
def test_added_and_removed_saved_and_loaded_is_a_fresh_build(
    scorer: str, acts: list[list[str] | int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    ranker = Ranker(analyzer=WORDS_AS_THEY_ARE, scorer=scorer)
    kept: dict[int, str] = {}
    for act in acts:
        if isinstance(act, list):
            kept |= zip(ranker.add(act), act, strict=True)
        elif act in kept:
            ranker.remove(act)
            del kept[act]
    path = tmp_path_factory.mktemp("ranker") / "ranker.banbury"
    ranker.save(path)
    loaded, numbers = Ranker.load(path), list(kept)
    fresh = Ranker(list(kept.values()), analyzer=WORDS_AS_THEY_ARE, scorer=scorer)
    assert loaded.chosen == fresh.chosen
    for query in [*WORDS, "good film", "not the plot", ""]:
        expected = [(numbers[hit.index], hit.score) for hit in fresh.search(query, top=None)]
        assert [(hit.index, hit.score) for hit in loaded.search(query, top=None)] == expected


@pytest.mark.parametrize("scorer", SMOOTHINGS)
@given(st.lists(plain_texts(), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(scorer: str, texts: list[str], random: Random) -> None:
    order = list(range(len(texts)))
    random.shuffle(order)
    ranker = Ranker(texts, analyzer=WORDS_AS_THEY_ARE, scorer=scorer, feedback=0)
    shuffled = Ranker([texts[at] for at in order], analyzer=WORDS_AS_THEY_ARE, scorer=scorer, feedback=0)
    for query in (*WORDS, "good film"):
        assert {order[at]: score for at, score in found(shuffled, query).items()} == found(ranker, query)


@pytest.mark.parametrize("scorer", SMOOTHINGS)
def test_documents_without_a_word_are_never_found(scorer: str) -> None:
    ranker = Ranker(["", "cats", "the", "?!"], scorer=scorer)
    assert [hit.index for hit in ranker.search("the cat", top=None)] == [1]
    assert Ranker(["", "?!"], scorer=scorer).search("cat") == []
    assert ranker.remove([0, 1, 2, 3]).search("cat") == []


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    Classifier().fit(["a", "b"], ["x", "y"]).save(tmp_path / "model.banbury")
    with pytest.raises(FileFormatError, match="holds a classifier, not a ranker"):
        Ranker.load(tmp_path / "model.banbury")


def test_top_and_above_choose_among_the_hits_and_equal_ones_come_in_order() -> None:
    ranker = Ranker(["a cat", "a dog", "cats", "a cat", "cat cat cat and much else besides"], feedback=0)
    everything = ranker.search("cat", top=None)
    assert [hit.index for hit in everything] == [0, 2, 3, 4]  # the first three are the same word, and nothing else
    assert [hit.index for hit in ranker.search("cat", top=2)] == [hit.index for hit in everything[:2]]
    least = min(hit.score for hit in everything)
    assert ranker.search("cat", top=None, above=least) == [hit for hit in everything if hit.score > least]
    assert ranker.search("cat", top=0) == ranker.search("unheard of") == ranker.search("") == []
    assert everything[0].score > 0
    assert Ranker().search("cat") == []


def test_feedback_finds_documents_without_a_word_of_the_query() -> None:
    documents = ["automobile engine repair", "automobile wheels", "car engine", "cooking pasta"]
    assert [hit.index for hit in Ranker(documents, feedback=0).search("automobile")] == [1, 0]
    hits = Ranker(documents).search("automobile")
    assert [hit.index for hit in hits] == [1, 0, 2]
    assert "engin" in [match.word for match in hits[2].matches if match.count]


def test_the_settings_can_be_changed_after_indexing() -> None:
    ranker = Ranker(["a cat", "a dog and a cat"])
    ranker.scorer, ranker.feedback = "bm25", 0
    assert found(ranker, "dog") == found(Ranker(["a cat", "a dog and a cat"], scorer="bm25"), "dog")
    ranker.smoothing = (2.0, 0.0)
    assert ranker.chosen == (2.0, 0.0)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Ranker("a cat"), "list of documents"),
        (lambda: Ranker(["a", None]), "document 1 is None"),
        (lambda: Ranker(scorer="tf-idf"), "scorer is 'tf-idf'; it can be 'pitman-yor', 'dirichlet'"),
        (lambda: Ranker(smoothing=3), "for pitman-yor it is 'auto' or a mass of more than 0 and a discount"),
        (lambda: Ranker(scorer="dirichlet", smoothing=0), "for dirichlet it is 'auto' or the mass, more than 0"),
        (lambda: Ranker(scorer="dirichlet", smoothing=float("nan")), "smoothing is nan"),
        (lambda: Ranker(scorer="jelinek-mercer", smoothing=1), "a share between 0 and 1"),
        (lambda: Ranker(scorer="bm25", smoothing=(1, 2)), "k, 0 or more, and b, from 0 to 1"),
        (lambda: Ranker(feedback=-1), "feedback is -1; it must be a number of documents"),
        (lambda: Ranker(["a"]).search(None), "the query is None; it must be a str, or a list of tokens"),
        (lambda: Ranker(["a"]).search("a", top=-1), "top is -1"),
        (lambda: Ranker(["a"]).remove(7), "there is no document 7; this ranker has 1 of them"),
    ],
)
def test_a_ranker_says_what_is_wrong(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_bad_documents_change_nothing() -> None:
    ranker = Ranker(["a cat"])
    with pytest.raises(InputError):
        ranker.add(["a dog", 3])
    with pytest.raises(InputError):
        ranker.remove([0, 5])
    assert len(ranker) == 1
    assert ranker.add(["a dog"]) == [1]
    with pytest.raises(CountError):
        ranker.counts.drop([9])


def mean_average_precision(ranker: Ranker, queries: list[str], relevant: list[set[int]]) -> float:
    total = 0.0
    for query, right in zip(queries, relevant, strict=True):
        ranks = [rank for rank, hit in enumerate(ranker.search(query, top=None), 1) if hit.index in right]
        total += sum(n / rank for n, rank in enumerate(ranks, 1)) / len(right)
    return total / len(queries)


def test_cranfield_is_found_as_well_as_it_was_measured(data_folder: Path, read_set: Callable[[str], Any]) -> None:
    documents, queries = read_set("cranfield_docs"), read_set("cranfield_queries")
    numbers = {row["id"]: number for number, row in enumerate(documents)}
    judged: defaultdict[str, set[int]] = defaultdict(set)
    with gzip.open(data_folder / "cranfield_qrels.tsv.gz", "rt") as lines:
        for query, document, _ in (line.split("\t") for line in list(lines)[1:]):
            judged[query].add(numbers[document])
    asked, relevant = [row["text"] for row in queries], [judged[row["id"]] for row in queries]
    ranker = Ranker([row["text"] for row in documents])
    ranker.feedback = 0
    assert mean_average_precision(ranker, asked, relevant) >= 0.39
    bm25 = Ranker([row["text"] for row in documents], scorer="bm25")
    ranker.feedback = None
    assert mean_average_precision(ranker, asked, relevant) >= mean_average_precision(bm25, asked, relevant) >= 0.4
