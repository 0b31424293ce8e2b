"""What tests of ranking share."""

from typing import Any

from banbury import Analyzer, Ranker

WORDS_AS_THEY_ARE = Analyzer()


SMOOTHINGS: dict[str, Any] = {"pitman-yor": (7.0, 0.4), "dirichlet": 5.0, "jelinek-mercer": 0.3, "bm25": (1.5, 0.6)}


def as_words(texts: list[str]) -> list[list[str]]:
    return [[token.text for token in WORDS_AS_THEY_ARE.tokens(text)] for text in texts]


def found(ranker: Ranker, query: str, **options: Any) -> dict[int, float]:
    return {hit.index: hit.score for hit in ranker.search(query, **{"top": None, **options})}
