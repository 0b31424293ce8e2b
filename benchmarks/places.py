"""How long users wait: for a diagnosis, a report, an explanation, the best effort, a learning curve, a search, a file.

`python benchmarks/places.py` runs everything; benchmarks/README.md says what each row measures. There are no peers: a
time or a size is asked for. Everything may use all processors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import data
from clocks import p50, stopwatch
from speed import TITLES, Row, read

import banbury
from banbury.apps.ranking import Ranker
from banbury.report.learning_curve import learning_curve
from cli import measure

RESULTS = Path(__file__).parent / "results" / "places.json"
N_RANKED = 100_000
BYTES_EXPLAINED = 2000


@cache
def newsgroups(quick: bool) -> data.Split:
    """20 Newsgroups, or a tenth of it."""
    return read("20newsgroups", quick)


@cache
def fitted(quick: bool) -> banbury.Classifier:
    """The automatic model of 20 Newsgroups."""
    split = newsgroups(quick)
    return banbury.Classifier().fit(split.train, split.train_labels)


def best_of(times: int, step: Callable[[], object]) -> float:
    """Seconds of the quickest run."""
    return min(stopwatch(step)[0] for _ in range(times))


def diagnosing(folder: Path, quick: bool) -> Iterator[Row]:
    """A diagnosis of the training documents, which the model has learned."""
    split, model = newsgroups(quick), fitted(quick)
    found: list[Any] = []
    seconds = best_of(3, lambda: found.append(model.diagnose(split.train, split.train_labels)))
    yield Row(f"diagnose, {len(split.train):,} learned documents", seconds, below=2)


def reporting(folder: Path, quick: bool) -> Iterator[Row]:
    """The page of an evaluation of the test documents: everything that is made when it is asked for."""
    split, model = newsgroups(quick), fitted(quick)

    def page(diagnose: bool) -> float:
        report = model.evaluate(split.test, split.test_labels)
        return stopwatch(lambda: report.save(folder / "report.html", diagnose=diagnose))[0]

    for what, diagnose, below in (("with", True, 3), ("without", False, None)):
        seconds = min(page(diagnose) for _ in range(3))
        yield Row(f"report as a page, {what} diagnosis", seconds, below=below)


def explaining(folder: Path, quick: bool) -> Iterator[Row]:
    """Texts of about 2 KB, by the automatic model of 20 classes; then one of them printed."""
    split, model = newsgroups(quick), fitted(quick)
    texts = sorted(split.test, key=lambda one: abs(len(one.encode()) - BYTES_EXPLAINED))[:100]
    model.explain(texts[0])  # imports what it needs
    yield Row("explain a text of 2 KB, p50", min(p50(model.explain, texts) for _ in range(5)), below=1e-3)
    explanation = model.explain(texts[0])
    yield Row("  as text", best_of(20, lambda: str(explanation)))
    yield Row("  as HTML", best_of(20, explanation._repr_html_))


def best_effort(name: str, below: float, folder: Path, quick: bool) -> Iterator[Row]:
    """Fitting with the larger effort."""
    split = read(name, quick)
    model = banbury.Classifier(effort="best")
    seconds = best_of(2, lambda: model.fit(split.train, split.train_labels))
    yield Row(f'fit, effort="best": {TITLES[name]}', seconds, below=below)


def learning(folder: Path, quick: bool) -> Iterator[Row]:
    """A curve of eight sizes, each a model of its own, all tested on a quarter of the documents."""
    split = newsgroups(quick)
    for what, make in (("plain", banbury.Classifier.textbook), ("automatic", banbury.Classifier)):
        seconds = best_of(1, partial(learning_curve, make(), split.train, split.train_labels))
        yield Row(f"learning curve, {what} model: 20 Newsgroups", seconds)


def ranking(folder: Path, quick: bool) -> Iterator[Row]:
    """Paragraphs of 20 Newsgroups and IMDB; the queries are subject lines of other documents."""
    n = N_RANKED // 10 if quick else N_RANKED
    texts = [text for name in ("imdb", "20newsgroups") for text in read(name, quick=False).train]
    pieces = (text[at : at + 500] for text in texts for at in range(0, len(text), 500))
    documents = [piece for piece, _ in zip(pieces, range(n), strict=False)]
    queries = [" ".join(text.split()[:5]) for text in newsgroups(quick).test[:100]]
    ranker = Ranker()
    yield Row(f"Ranker: index {len(documents):,} documents", stopwatch(lambda: ranker.add(documents))[0])
    yield Row("  the first search, which chooses the smoothing", stopwatch(lambda: ranker.search(queries[0]))[0])
    for what, feedback in (("with", None), ("without", 0)):
        ranker.feedback = feedback
        ranker.search(queries[0])
        seconds = stopwatch(lambda: [ranker.search(query) for query in queries])[0] / len(queries)
        yield Row(f"  one search, {what} feedback", seconds)


def sizes(folder: Path, quick: bool) -> Iterator[Row]:
    """Model files of 20 Newsgroups, and how long they take to write."""
    split = newsgroups(quick)
    plain = banbury.Classifier.textbook(analyzer=banbury.Analyzer(words="python", min_length=2))
    models = (("plain", plain.fit(split.train, split.train_labels), 4e6), ("automatic", fitted(quick), 41e6))
    for what, model, below in models:
        file = folder / "model.banbury"
        seconds = best_of(5, partial(model.save, file))
        yield Row(f"model file, {what}: 20 Newsgroups", file.stat().st_size, below=below, unit="bytes")
        yield Row("  save", seconds)
        yield Row("  load", best_of(9, partial(banbury.load, file)))


GROUPS: dict[str, Callable[[Path, bool], Iterator[Row]]] = {
    "diagnose": diagnosing,
    "report": reporting,
    "explain": explaining,
    "best": partial(best_effort, "20newsgroups", 4),
    "best-imdb": partial(best_effort, "imdb", 2),
    "learning-curve": learning,
    "ranker": ranking,
    "sizes": sizes,
}


if __name__ == "__main__":
    measure("How long users wait.", GROUPS, RESULTS)
