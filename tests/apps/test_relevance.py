"""Formulas of relevance, against plain Python."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ranking_reference as reference
from banbury import Ranker
from rankers import SMOOTHINGS, WORDS_AS_THEY_ARE, as_words, found
from strategies import plain_texts


@pytest.mark.parametrize("feedback", [0, 2])
@pytest.mark.parametrize("scorer", SMOOTHINGS)
@given(st.lists(plain_texts(), min_size=1, max_size=8), plain_texts(5))
def test_scores_are_those_of_the_papers(scorer: str, feedback: int, texts: list[str], query: str) -> None:
    smoothing = SMOOTHINGS[scorer]
    numbers = smoothing if isinstance(smoothing, tuple) else (smoothing,)
    documents = as_words(texts)
    weights: Any = dict(Counter(as_words([query + " unheard"])[0]))
    if feedback:
        scores = sorted(
            (reference.score(weights, at, documents, scorer, numbers) for at in range(len(texts))), reverse=True
        )
        # Which of two equally good documents gives feedback is a matter of rounding.
        assume(len(texts) <= feedback or scores[feedback - 1] - scores[feedback] > 1e-9)
        weights = reference.fed_back(weights, documents, scorer, numbers, feedback, 20)
    ranker = Ranker(texts, analyzer=WORDS_AS_THEY_ARE, scorer=scorer, smoothing=smoothing, feedback=feedback)
    expected = {
        at: reference.score(weights, at, documents, scorer, numbers)
        for at, document in enumerate(documents)
        if any(word in document for word in weights)
    }
    assert found(ranker, query + " unheard") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("scorer", ["pitman-yor", "dirichlet", "jelinek-mercer"])
def test_the_smoothing_is_where_leave_one_out_likelihood_is_highest(scorer: str) -> None:
    random = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(60)])
    own = random.dirichlet(np.full(60, 0.1), size=30)  # every document has words of its own
    texts = [" ".join(random.choice(words, size=40, p=chances)) for chances in own]
    documents = as_words(texts)
    chosen = Ranker(texts, analyzer=WORDS_AS_THEY_ARE, scorer=scorer).chosen
    best = reference.leave_one_out(documents, scorer, chosen)
    for at, number in enumerate(chosen):
        for other in (0.8 * number, 1.2 * number):
            moved = (*chosen[:at], min(other, 0.99) if number < 1 else other, *chosen[at + 1 :])
            assert reference.leave_one_out(documents, scorer, moved) <= best + 1e-6


@pytest.mark.parametrize("scorer", ["dirichlet", "pitman-yor"])
def test_titles_keep_their_words_though_none_is_repeated(scorer: str) -> None:
    titles = [f"topic{n % 7} thing{n} of the year{n % 5} report{n % 3}" for n in range(60)]
    mass, discount = (*Ranker(titles, scorer=scorer).chosen, 0.0)[:2]
    assert mass <= 2 * 6 + 0.1
    assert discount <= 0.5
    ranker = Ranker(titles, scorer=scorer, feedback=0)
    assert ranker.search("thing31 topic3")[0].index == 31
    assert len(Ranker(["", ""], scorer=scorer).chosen) == (2 if scorer == "pitman-yor" else 1)
