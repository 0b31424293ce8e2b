"""A report as one page of HTML: figures, drawings, words, mistakes, diagnosis. Plain results in, a page out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from banbury.diagnosis.diagnosis import Diagnosis, by_kind
from banbury.display.html import Markup, element, isolated, page
from banbury.display.html_tables import NAME_WIDTH, classes_table, confusion_table, figures_table, table
from banbury.display.svg import Line, bars, line_chart
from banbury.report.class_words import Keyword
from banbury.results.evaluation import Evaluation
from banbury.results.explanation import Explanation
from banbury.results.mistakes import Confused, Mistake, WordAtFault

WORD_WIDTH = 40
MOST_ROWS = 20
MOST_GROUPS = 10
MOST_BARS = 12
STYLE = """
.banbury-page nav ul{display:flex;flex-wrap:wrap;gap:.2em 1.2em;list-style:none;padding:0;margin:.6em 0}
.banbury-page a{color:rgb(var(--for))}
.banbury-page section{margin:2.2em 0}
.banbury-page h1{font-size:1.7em;margin-top:0}
.banbury-page h2{font-size:1.3em;border-bottom:2px solid rgb(var(--line));padding-bottom:.2em}
.banbury-page h3{font-size:1.08em}
.banbury-page .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.8em;margin:1em 0;
 padding:0}
.banbury-page .cards div{border:1px solid rgb(var(--line));border-radius:.5em;padding:.6em .9em;margin:0}
.banbury-page .cards dt{color:rgb(var(--quiet))}
.banbury-page .cards dd{margin:0}
.banbury-page .cards .big{font-size:1.6em;font-weight:600;font-variant-numeric:tabular-nums}
.banbury-page .side{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1em}
.banbury-page figure{margin:0;min-width:0}
.banbury-page figcaption{color:rgb(var(--quiet))}
.banbury-page article{border:1px solid rgb(var(--line));border-radius:.5em;padding:.4em 1em 1em;margin:1em 0}
.banbury-page h3,.banbury-page li,.banbury-page code{overflow-wrap:anywhere}
.banbury-page .words{display:flex;flex-wrap:wrap;gap:.15em .9em;justify-content:flex-start}
.banbury-page .confusion td{padding:.2em .45em;min-width:2.6em}
.banbury-page .wide td.text:last-child{min-width:16rem}
@media (max-width:40rem){.banbury-page .wide th.text{white-space:normal;overflow-wrap:anywhere;min-width:6.5rem}
.banbury-page .wide td.text:last-child{min-width:12rem}}
@media print{.banbury-page{max-width:none;padding:0;font-size:10pt}.banbury-page nav{display:none}
.banbury-page article,.banbury-page figure,.banbury-page .cards{break-inside:avoid}
.banbury-page section{margin:1em 0}.banbury-page .scroll{overflow:visible}
.banbury-page details{display:none}.banbury-page .document{max-height:36em;overflow:hidden}}
"""


@dataclass(frozen=True)
class Contents:
    """What a page shows besides the figures; what is None is left out."""

    title: str
    model: str
    words: Mapping[Any, Sequence[Keyword]] | None = None
    groups: Sequence[Confused] = field(default_factory=list)
    mistakes: Sequence[Mistake] | None = None
    at_fault: Sequence[WordAtFault] | None = None
    diagnosis: Diagnosis | None = None


def report_page(evaluation: Evaluation, contents: Contents) -> str:
    """The whole page: it loads nothing, runs nothing, and can be sent as it is.

    >>> from banbury.results.evaluation import evaluate
    >>> html = report_page(evaluate(["a", "b"], ["a", "b"]), Contents("Test", "none"))
    >>> "<script" in html, "http" in html.replace("http-equiv", "")
    (False, False)
    """
    diagnosis = contents.diagnosis
    sections = [
        ("figures", "Figures", _figures(evaluation)),
        (
            "confusion",
            "Confusion",
            [confusion_table(evaluation.classes, evaluation.confusion), _groups(contents.groups)],
        ),
        ("probabilities", "Probabilities", _probabilities(evaluation)),
        ("words", "Words", None if contents.words is None else _words(contents.words)),
        ("mistakes", "Mistakes", None if contents.mistakes is None else _mistakes(contents)),
        ("labels", "Labels in doubt", None if diagnosis is None else _doubtful(diagnosis)),
        ("documents", "Documents", None if diagnosis is None else _documents(diagnosis)),
        ("dependence", "Words that come together", None if diagnosis is None else _pairs(diagnosis)),
        ("leaks", "Words that give a class away", None if diagnosis is None else _leaks(diagnosis)),
    ]
    there = [(name, title, content) for name, title, content in sections if content is not None]
    head = element(
        "header",
        element("h1", isolated(contents.title)),
        element(
            "p",
            f"{evaluation.n_documents} documents, {len(evaluation.classes)} classes. Model: ",
            element("code", isolated(contents.model, width=200)),
            class_="quiet",
        ),
        _cards(evaluation),
        element("nav", element("ul", [element("li", element("a", t, href=f"#{n}")) for n, t, _ in there])),
    )
    body = [element("section", element("h2", title), content, id=name) for name, title, content in there]
    return page(contents.title, head, element("main", body), style=STYLE)


def _cards(evaluation: Evaluation) -> Markup:
    shown = ("accuracy", "macro-F1", "ROC AUC", "log loss", "calibration error")
    return element(
        "dl",
        [
            element(
                "div",
                element("dt", one.name),
                element("dd", f"{one.value:.1%}" if one.name == "accuracy" else f"{one.value:.3f}", class_="big"),
                element("dd", str(one.interval) if one.interval else "", class_="quiet"),
            )
            for one in evaluation.figures()
            if one.name in shown
        ],
        class_="cards",
    )


def _figures(evaluation: Evaluation) -> list[Any]:
    notes = [] if not evaluation.unknown_labels else [evaluation.unknown_note()]
    caption = f"{evaluation.n_right} of {evaluation.n_documents} documents right"
    return [figures_table(evaluation.figures(), caption, notes), classes_table(evaluation.rows())]


def _groups(groups: Sequence[Confused]) -> Any:
    if not groups:
        return None
    return [
        element("h3", "Classes that are taken for each other"),
        element(
            "ul",
            [
                element("li", _labels(group.classes), f": {group.mistakes} mistakes, {group.share:.1%} of all")
                for group in groups[:MOST_GROUPS]
            ],
        ),
    ]


def _labels(labels: Sequence[Any]) -> list[Any]:
    return [part for at, one in enumerate(labels) for part in (", " if at else "", isolated(one, width=NAME_WIDTH))]


def _probabilities(evaluation: Evaluation) -> Any:
    if not evaluation.reliability:
        return None
    bins, kept = evaluation.reliability, evaluation.coverage
    most = max(one.documents for one in bins)
    reliability = line_chart(
        [
            Line(
                "model",
                [(one.probability, one.accuracy) for one in bins],
                [one.interval.low for one in bins],
                [one.interval.high for one in bins],
                [(one.documents / most) ** 0.5 for one in bins],
            )
        ],
        title="Reliability diagram",
        x_title="probability of the predicted class",
        y_title="share that is right",
        x_range=(0, 1),
        y_range=(0, 1),
        diagonal=True,
        percent=True,
    )
    lowest = min(one.accuracy for one in kept)
    coverage = line_chart(
        [Line("model", [(one.coverage, one.accuracy) for one in kept], sizes=[0.0] * len(kept))],
        title="Accuracy of the surest documents",
        x_title="share of the documents that is decided",
        y_title="accuracy",
        x_range=(0, 1),
        y_range=(max(int(lowest * 20) / 20 - 0.05, 0), 1),
        percent=True,
    )
    rows = [
        (f"{one.low:.0%} to {one.high:.0%}", one.documents, f"{one.probability:.4f}", f"{one.accuracy:.4f}")
        for one in bins
    ]
    deciles = [next(one for one in kept if one.coverage >= share / 10 - 1e-9) for share in range(1, 11)]
    some = [(f"{one.coverage:.1%}", f"{one.threshold:.4f}", f"{one.accuracy:.4f}") for one in dict.fromkeys(deciles)]
    return element(
        "div",
        element(
            "figure",
            reliability,
            element("figcaption", "Dots on the line can be believed; the band has their 95 % intervals."),
            table(("probability", "documents", "mean", "right"), rows, "By probability"),
        ),
        element(
            "figure",
            coverage,
            element("figcaption", "How accurate it is when only the surest documents are decided."),
            table(("decided", "from", "accuracy"), some, "By share of the documents"),
        ),
        class_="side",
    )


def _words(words: Mapping[Any, Sequence[Keyword]]) -> Markup:
    rows = [
        (
            isolated(label, width=NAME_WIDTH),
            element(
                "div",
                [
                    element(
                        "span",
                        isolated(one.word, width=WORD_WIDTH),
                        element("small", f" {one.weight:+.1f}", class_="quiet"),
                        title=f"in {one.documents} documents of the class and {one.others} others",
                    )
                    for one in some
                ],
                class_="words",
            ),
        )
        for label, some in words.items()
    ]
    caption = "The words that speak for each class most surely, with the weight of their presence in nats"
    return element("div", table(("class", "words"), rows, caption, texts=2), class_="wide")


def _mistakes(contents: Contents) -> list[Any]:
    if not contents.mistakes:
        return [element("p", "There are none.")]
    articles = [
        element(
            "article",
            element(
                "h3",
                f"Document {one.index}: ",
                isolated(one.predicted, width=NAME_WIDTH),
                f" ({one.probability:.1%}), but it is ",
                isolated(one.label, width=NAME_WIDTH),
            ),
            _explained(one.explanation),
        )
        for one in contents.mistakes
    ]
    return [
        element("p", "Those of which the model was surest. Blue speaks for the wrong class, orange against it."),
        articles,
        _at_fault(contents.at_fault or []),
    ]


def _explained(explanation: Explanation) -> list[Any]:
    """The text with its words tinted, and the strongest of them as bars."""
    bars_of = explanation.steps(MOST_BARS)[1 : 1 + MOST_BARS]  # without the prior, and what is weaker
    return [
        explanation.highlighted(),
        element("div", bars(bars_of, title="The strongest evidence, in nats"), class_="scroll"),
    ]


def _at_fault(words: Sequence[WordAtFault]) -> Markup | None:
    if not words:
        return None
    rows = [(isolated(one.word, width=WORD_WIDTH), one.documents, f"{one.nats:.2f}") for one in words[:MOST_ROWS]]
    caption = "Words that speak for the wrong class, over all mistakes"
    return table(("word", "mistakes", "nats"), rows, caption)


def _doubtful(diagnosis: Diagnosis) -> Any:
    if not diagnosis.doubtful:
        return None
    rows = [
        (
            str(one.index),
            element("span", isolated(one.label, width=NAME_WIDTH), f" ({one.probability:.2%})"),
            isolated(" ".join(one.text.split()), width=90),
        )
        for one in diagnosis.doubtful[:MOST_ROWS]
    ]
    how = "by the model without the document" if diagnosis.were_learned else "by the model"
    caption = f"{len(diagnosis.doubtful)} labels get less probability than another one {how}; the most doubtful:"
    return element(
        "div", table(("document", "label and its probability", "text"), rows, caption, texts=3), class_="wide"
    )


def _documents(diagnosis: Diagnosis) -> list[Any]:
    found = diagnosis.duplicates
    parts: list[Any] = [
        element("h3", "Duplicates"),
        element("p", f"{found.n_repeats} documents repeat an earlier one, {found.n_near} more nearly do."),
    ]
    if found.conflicting:
        groups = "; ".join(" = ".join(map(str, group[:5])) for group in found.conflicting[:MOST_ROWS])
        parts.append(element("p", f"{len(found.conflicting)} groups have different labels: documents {groups}."))
    if (balance := diagnosis.balance) is not None:
        verdict = "have changed" if balance.moved else "could be those of training"
        labels = sorted({*balance.here, *balance.trained})
        rows = [
            (isolated(one, width=NAME_WIDTH), f"{balance.trained.get(one, 0):.2%}", f"{balance.here.get(one, 0):.2%}")
            for one in labels
        ]
        parts += [
            element("h3", "Shares of the classes"),
            element("p", f"They {verdict} (p = {balance.p_value:.2g})."),
            table(("class", "training", "here"), rows),
        ]
    if (vocabulary := diagnosis.vocabulary) is not None:
        words = [
            element("span", isolated(word, width=WORD_WIDTH), element("small", f" {n}", class_="quiet"))
            for word, n in vocabulary.words[:MOST_ROWS]
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


def _pairs(diagnosis: Diagnosis) -> Any:
    if not diagnosis.pairs:
        return element("p", "None beyond chance.")
    rows = [
        (
            element("span", isolated(one.first, width=WORD_WIDTH), " + ", isolated(one.second, width=WORD_WIDTH)),
            one.documents,
            f"{one.expected:.1f}",
            f"{one.nats:.1f}",
        )
        for one in diagnosis.pairs[:MOST_ROWS]
    ]
    caption = "Naive Bayes takes these for independent. Documents with both, those expected, evidence counted twice"
    return table(("words", "documents", "expected", "nats"), rows, caption)


def _leaks(diagnosis: Diagnosis) -> Any:
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
                    for leak in some[:MOST_ROWS]
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
