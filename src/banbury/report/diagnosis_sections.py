"""Sections of a report page on the documents: doubtful labels, duplicates, what is new, dependence, leaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from banbury.diagnosis.diagnosis import Diagnosis, by_kind
from banbury.display.characters import NAME_WIDTH
from banbury.display.html import Markup, element, isolated
from banbury.display.html_tables import table
from banbury.report.evaluation_sections import MOST_LISTED, WORD_WIDTH, Place


def doubtful_labels(diagnosis: Diagnosis, place: Place | None = None) -> Markup | None:
    """Labels in doubt; None where there are none. `place` says where a document stands."""
    if not diagnosis.doubtful:
        return None
    rows = [
        (
            str(doubt.index) if place is None else isolated(place(doubt.index)),
            element("span", isolated(doubt.label, width=NAME_WIDTH), f" ({doubt.probability:.2%})"),
            isolated(" ".join(doubt.text.split()), width=90),
        )
        for doubt in diagnosis.doubtful[:MOST_LISTED]
    ]
    how = "by the model without the document" if diagnosis.were_learned else "by the model"
    caption = f"{len(diagnosis.doubtful)} labels get less probability than another one {how}; the most doubtful:"
    return element(
        "div",
        table(("document" if place is None else "place", "label", "text"), rows, caption, texts=3),
        class_="wide",
    )


def documents(diagnosis: Diagnosis, place: Place | None = None) -> list[Any]:
    """Duplicates, and what is new in documents that the model has not learned."""
    repeated = diagnosis.duplicates
    name: Callable[[int], str] = str if place is None else place
    parts: list[Any] = [
        element("h3", "Duplicates"),
        element("p", f"{repeated.n_repeats} documents repeat an earlier one, {repeated.n_near} more nearly do."),
    ]
    if repeated.conflicting:
        groups = "; ".join(" = ".join(map(name, group[:5])) for group in repeated.conflicting[:MOST_LISTED])
        which = "documents " if place is None else ""
        parts.append(element("p", f"{len(repeated.conflicting)} groups have different labels: {which}{groups}."))
    if (balance := diagnosis.balance) is not None:
        verdict = "have changed" if balance.moved else "could be those of training"
        labels = sorted({*balance.here, *balance.trained})
        rows = [
            (
                isolated(label, width=NAME_WIDTH),
                f"{balance.trained.get(label, 0):.2%}",
                f"{balance.here.get(label, 0):.2%}",
            )
            for label in labels
        ]
        parts += [
            element("h3", "Shares of the classes"),
            element("p", f"They {verdict} (p = {balance.p_value:.2g})."),
            table(("class", "training", "here"), rows),
        ]
    if (vocabulary := diagnosis.vocabulary) is not None:
        words = [
            element("span", isolated(word, width=WORD_WIDTH), element("small", f" {n}", class_="quiet"))
            for word, n in vocabulary.words[:MOST_LISTED]
        ]
        parts += [
            element("h3", "New words"),
            element(
                "p",
                f"{vocabulary.share:.2%} of all words are none of training's; {vocabulary.expected:.2%} would be "
                "expected of more documents of the same kind.",
            ),
            element("div", words, class_="words"),
        ]
    return parts


def dependent_pairs(diagnosis: Diagnosis) -> Markup:
    """Pairs of words that break independence."""
    if not diagnosis.pairs:
        return element("p", "None beyond chance.")
    rows = [
        (
            element("span", isolated(pair.first, width=WORD_WIDTH), " + ", isolated(pair.second, width=WORD_WIDTH)),
            pair.documents,
            f"{pair.expected:.1f}",
            f"{pair.nats:.1f}",
        )
        for pair in diagnosis.pairs[:MOST_LISTED]
    ]
    caption = "Naive Bayes takes these for independent. Documents with both, those expected, evidence counted twice"
    return table(("words", "documents", "expected", "nats"), rows, caption)


def leaks(diagnosis: Diagnosis) -> Markup:
    """Words that give a class away."""
    if not diagnosis.leaks:
        return element("p", "None.")
    share = diagnosis.n_leaking / max(diagnosis.n_documents, 1)
    rows = [
        (
            kind,
            element(
                "div",
                [
                    element(
                        "span",
                        isolated(leak.word, width=WORD_WIDTH),
                        element("small", " ", isolated(leak.label, width=NAME_WIDTH), class_="quiet"),
                        title=f"in {leak.documents} documents of the class and {leak.others} others",
                    )
                    for leak in some[:MOST_LISTED]
                ],
                class_="words",
            ),
        )
        for kind, some in by_kind(diagnosis.leaks)
    ]
    caption = (
        f"{len(diagnosis.leaks)} words are at least ten times as frequent in one class as in all others; "
        f"{share:.1%} of the documents have one"
    )
    return element("div", table(("kind", "words"), rows, caption, texts=2), class_="wide")
