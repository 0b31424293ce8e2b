"""A report as one page of HTML: figures, drawings, words, mistakes, diagnosis. Plain results in, a page out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from banbury.diagnosis.diagnosis import Diagnosis
from banbury.diagnosis.of_tables import TableDiagnosis
from banbury.display.html import element, isolated, page
from banbury.display.html_tables import confusion_table
from banbury.report import diagnosis_sections as diagnosed
from banbury.report import evaluation_sections as predicted
from banbury.report.class_words import Keyword
from banbury.results.evaluation import Evaluation
from banbury.results.mistakes import Confused, Mistake, WordAtFault
from banbury.results.nomogram import Nomogram

PAGE_STYLE = """
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
.banbury-page .narrow-only{display:none}
@media screen and (max-width:40rem){.banbury-page .wide-only{display:none}.banbury-page .narrow-only{display:block}
.banbury-page figure svg text{font-size:15px}
.banbury-page .wide th,.banbury-page .wide td{padding:.2em .35em;white-space:normal}
.banbury-page .wide td:first-child,.banbury-page .wide th:first-child{overflow-wrap:anywhere}
.banbury-page .wide td.text:last-child{min-width:0}}
@media print{.banbury-page{max-width:none;padding:0;font-size:10pt}.banbury-page nav{display:none}
.banbury-page article,.banbury-page figure,.banbury-page .cards{break-inside:avoid}
.banbury-page section{margin:1em 0}.banbury-page .scroll{overflow:visible}
.banbury-page details{display:none}.banbury-page .document{max-height:36em;overflow:hidden}}
"""


class Source(NamedTuple):
    """Where documents are from: the name and date of their files, and where each of them stands there."""

    name: str
    place: predicted.Place


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
    rows: TableDiagnosis | None = None
    """Of a model of a table."""
    source: Source | None = None
    """Where the documents are from; None for documents that were in memory."""
    columns: Nomogram | None = None
    """What the columns of a table say."""


def report_page(evaluation: Evaluation, contents: Contents) -> str:
    """The whole page: it loads nothing, runs nothing, and can be sent as it is.

    >>> from banbury.results.evaluation import evaluate
    >>> html = report_page(evaluate(["a", "b"], ["a", "b"]), Contents("Test", "none"))
    >>> "<script" in html, "http" in html.replace("http-equiv", "")
    (False, False)
    """
    places: dict[str, Any] = {} if contents.source is None else {"place": contents.source.place}
    sections: list[tuple[str, str, Any]] = [
        ("figures", "Figures", predicted.figures(evaluation)),
        (
            "confusion",
            "Confusion",
            [confusion_table(evaluation.classes, evaluation.confusion), predicted.confused_groups(contents.groups)],
        ),
        ("probabilities", "Probabilities", predicted.probabilities(evaluation)),
    ]
    if contents.words is not None:
        sections.append(("words", "Words", predicted.class_words(contents.words)))
    if contents.columns is not None:
        sections.append(("columns", "Columns", contents.columns.markup()))
    if contents.mistakes is not None:
        explained = predicted.mistakes(contents.mistakes, contents.at_fault or [], **places)
        sections.append(("mistakes", "Mistakes", explained))
    if (diagnosis := contents.diagnosis) is not None:
        sections += [
            ("labels", "Labels in doubt", diagnosed.doubtful_labels(diagnosis, **places)),
            ("documents", "Documents", diagnosed.documents(diagnosis, **places)),
            ("dependence", "Words that come together", diagnosed.dependent_pairs(diagnosis)),
            ("leaks", "Words that give a class away", diagnosed.leaks(diagnosis)),
        ]
    if contents.rows is not None:
        sections.append(("rows", "Rows and columns", contents.rows.markup()))
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
        None if contents.source is None else element("p", "Data: ", isolated(contents.source.name), class_="quiet"),
        predicted.cards(evaluation),
        element("nav", element("ul", [element("li", element("a", t, href=f"#{n}")) for n, t, _ in there])),
    )
    body = [element("section", element("h2", title), content, id=name) for name, title, content in there]
    return page(contents.title, head, element("main", body), style=PAGE_STYLE)
