"""Explanation of a decision: the prior and one weight for each part of the document, summing to the log odds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, log
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display import matplotlib as pictures
from banbury.display.characters import padded, shorten, visible, width_of
from banbury.display.html import Markup, element, isolated, piece, tint
from banbury.display.svg import waterfall
from banbury.display.text_table import colour
from banbury.errors import InputError
from banbury.results.terms import LONG_TEXT
from banbury.results.word_weights import LONGEST_WORD, Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from rich.console import Console, ConsoleOptions, RenderResult

    from banbury.results.terms import Change
    from banbury.text.documents import Label

UNITS = {"nats": 1.0, "decibans": 10 / log(10)}
"""How many of each unit make a nat. 10 decibans are odds of 10 to 1."""
MOST_BARS_SHOWN = 20  # more are summed up in one
MOST_STEPS = 15
MOST_IN_PAGE = 500  # in a page
MOST_UNKNOWN = 12
BAR = 24  # columns of the longest bar
HOLE = re.compile(r"\n(?:[^\S\n]*\n){2,}")


class Evidence(NamedTuple):
    """The weight of one part of a document: positive speaks for the class, negative against it."""

    word: str
    """A feature of the text, or the value of a column."""
    weight: float
    start: int | None
    end: int | None
    """The part is `text[start:end]`; a value that is no text has no place."""
    column: str | None = None
    """The column of a table; None if the document is a text."""
    kind: str = "word"
    """`"word"`, also for runs of words; `"characters"`; `"value"` of a column; `"together"`: what several columns say
    beyond what each says; `"absent"`: a word that a document has not, with the Bernoulli likelihood."""

    @property
    def name(self) -> str:
        """Its name in a list: characters in quotes, a value with its column in front."""
        if self.kind == "absent":
            return f"no {self.word}" if self.column is None else f"{self.column}: no {self.word}"
        word = f"‹{self.word}›" if self.kind == "characters" else self.word
        if self.column is None or self.kind == "together":
            return word
        return f"{self.column}: {word}" if self.start is not None else f"{self.column} = {word}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a document is of class `label` rather than `against`.

    `prior` and the weights of the `evidence` sum to `score`, the logarithm of the odds between the two classes. Every
    known part is listed, in the order of the text and as often as it stands there; where a model counts presences, the
    repeated ones have weight 0. In a text of more than 100,000 characters each part is listed once, at its first place,
    with the sum of its weights; of the unknown parts the first 1,000 are listed, and no `changes`. Without smoothing a
    word can be impossible; where that makes every class impossible, the prior alone is the score.

    `print` shows it as text, `show` in colour on a terminal, a notebook as highlighted text with a waterfall, `plot`
    with matplotlib; `rows` and `to_dict` are plain data.
    """

    text: str
    label: Label
    against: Label
    prior: float
    evidence: list[Evidence]
    score: float
    unknown: list[str]
    """The parts that the model has never seen: they add nothing."""
    probabilities: dict[Any, float] = field(default_factory=dict)
    """The probability of every class, as in `predict_proba`."""
    row: dict[str, Any] | None = None
    """The document by columns, where it is a row of a table."""
    unit: str = "nats"
    changes: list[Change] = field(default_factory=list)
    """What preprocessing left out of the document, and what it counted under another name."""

    @property
    def unknown_share(self) -> float:
        """The share of the document's parts that the model has never seen."""
        n_parts = len(self.unknown) + sum(part.kind != "absent" for part in self.evidence)
        return len(self.unknown) / n_parts if n_parts else 0.0

    @property
    def columns(self) -> dict[str, float]:
        """The summed weight of each column of a row, the strongest first; empty for a text.

        >>> from banbury import SpamFilter
        >>> letters = [b"From: ann@example.org\\n\\nLunch?", b"From: win@example.com\\n\\nFree money"]
        >>> SpamFilter().fit(letters, ["ham", "spam"]).explain(b"From: win@example.com\\n\\nLunch").columns.keys()
        dict_keys(['sender', 'body', 'is_answer', 'answers_go_elsewhere'])
        """
        sums: dict[str, float] = {}
        for item in self.evidence:
            if item.column is not None:
                sums[item.column] = sums.get(item.column, 0.0) + item.weight
        return dict(sorted(sums.items(), key=lambda item: -abs(item[1])))

    def in_unit(self, unit: str) -> Explanation:
        """The same explanation with all weights in `"nats"` or `"decibans"`; 10 decibans are odds of 10 to 1.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> round(model.explain("happy").in_unit("decibans").score, 2)
        3.01
        """
        if unit not in UNITS:
            raise InputError(f"unit is {unit!r}; it can be {' or '.join(map(repr, UNITS))}")
        if unit == self.unit:
            return self
        factor = UNITS[unit] / UNITS[self.unit]
        evidence = [item._replace(weight=factor * item.weight) for item in self.evidence]
        return replace(self, prior=factor * self.prior, evidence=evidence, score=factor * self.score, unit=unit)

    def by_words(self) -> Explanation:
        """The same explanation with one weight for each word of the text: that of everything that lies in the word.

        What covers several words, as pairs do, is shared equally by them. Evidence that lies in no word stays as it is.
        Unknown are the words in which nothing known lies.

        >>> from banbury import Analyzer, Classifier
        >>> model = Classifier.textbook(analyzer=Analyzer(ngrams=(1, 2))).fit(["so happy", "so sad"], ["good", "bad"])
        >>> [(part.word, round(part.weight, 3)) for part in model.explain("So happy!").by_words().evidence]
        [('So', 0.347), ('happy', 1.04)]
        """
        if any(len(text) > LONG_TEXT for _, text in self._texts()):
            raise InputError(
                f"of a text of more than {LONG_TEXT:,} characters each part is listed once, not at each of its places, "
                "so what its words weigh cannot be told; take the evidence as it is, or explain parts of the text"
            )
        evidence: list[Evidence] = []
        unknown: list[str] = []
        placed: dict[str | None, list[Evidence]] = {}
        for item in self.evidence:
            if item.start is None:
                evidence.append(item)
            else:
                placed.setdefault(item.column, []).append(item)
        for column, text in self._texts():
            words, items = Words(text), placed.get(column, [])
            spans = [words.covered(item) for item in items]
            evidence += [item for item, (first, last) in zip(items, spans, strict=True) if last < first]
            known = {number for first, last in spans for number in range(first, last + 1)}
            weights = words.weights(items)
            evidence += [
                Evidence(words.name(number), weights[number][2], *words.bounds[number], column)
                for number in sorted(known)
            ]
            unknown += [words.name(number) for number in range(len(words.bounds)) if number not in known]
        return replace(self, evidence=evidence, unknown=unknown)

    # Plain data

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for the prior, for each part, and for each unknown part: ready for a data frame.

        The weights sum to the score.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> [(row["kind"], row["word"], round(row["weight"], 3)) for row in model.explain("happy day").rows()]
        [('prior', None, 0.0), ('word', 'happy', 0.693), ('unknown', 'day', 0.0)]
        """
        names = ("kind", "column", "word", "start", "end", "weight")
        rows: list[tuple[Any, ...]] = [("prior", None, None, None, None, self.prior)]
        rows += [(item.kind, item.column, item.word, item.start, item.end, item.weight) for item in self.evidence]
        rows += [("unknown", None, word, None, None, 0.0) for word in self.unknown]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, in the form of JSON."""
        return {
            "label": self.label,
            "against": self.against,
            "probabilities": [{"label": label, "probability": p} for label, p in self.probabilities.items()],
            "unit": self.unit,
            "prior": self.prior,
            "score": self.score,
            "evidence": [item._asdict() for item in self.evidence],
            "unknown": list(self.unknown),
            "unknown_share": self.unknown_share,
            "changes": [change._asdict() for change in self.changes],
            **({"text": str(self.text)} if self.row is None else {"row": dict(self.row)}),
        }

    def steps(self, most: int = MOST_STEPS) -> list[tuple[str, float]]:
        """Names and weights that sum to the score, the strongest first: the prior, at most so many parts, the rest.

        A part that is repeated is one step, and so are the characters of a word.
        """
        sums: dict[str, list[float]] = {}
        for name, weight in self._listed():
            sums.setdefault(name, []).append(weight)
        parts = [
            (name if len(weights) == 1 else f"{name} ×{len(weights)}", sum(weights)) for name, weights in sums.items()
        ]
        parts.sort(key=lambda part: -abs(part[1]))
        shown, rest = parts[:most], parts[most:]
        return [("prior", self.prior), *shown, *([(f"{len(rest)} weaker", sum(w for _, w in rest))] if rest else [])]

    # As text

    def __repr__(self) -> str:
        strongest = sorted(self._listed(), key=lambda part: -abs(part[1]))
        parts = [f"{shorten(name, 20)} {weight:+.2f}" for name, weight in strongest[:3]]
        if len(strongest) > 3:
            parts.append(f"and {len(strongest) - 3} more")
        return f"<Explanation: {self._claim()}, {self.score:+.2f} {self.unit}: {', '.join(parts) or 'nothing known'}>"

    def __str__(self) -> str:
        rows, width = self._rows()
        longest = max([abs(weight) for _, weight, _ in rows if isfinite(weight)], default=0) or 1
        lines = [self._claim()]
        for name, weight, note in rows:
            bar = ("+" if weight > 0 else "-") * round(BAR * min(abs(weight) / longest, 1))
            lines.append(f"  {padded(name, width)} {weight:+8.3f}  {note or bar}".rstrip())
        lines.append(f"  {padded('total', width)} {self.score:+8.3f}{self._unit_note()}")
        lines += [f"  {note}" for note in self.together_notes()]
        lines += [f"  {self.unknown_note()}"] if self.unknown else []
        lines += [f"  {note}" for note in self.change_notes()]
        return "\n".join(lines)

    def _claim(self) -> str:
        names = []
        for label in (self.label, self.against):
            chance = f" ({self.probabilities[label]:.3f})" if label in self.probabilities else ""
            names.append(shorten(str(label), LONGEST_WORD) + chance)
        return " rather than ".join(names)

    def _unit_note(self) -> str:
        return "" if self.unit == "nats" else f" {self.unit}"

    def together_notes(self) -> list[str]:
        """How lines that name several columns are to be read, where there are such lines."""
        are_together = any(item.kind == "together" for item in self.evidence)
        return ["a & b: what the columns say together, beyond what each says alone"] if are_together else []

    def unknown_note(self) -> str:
        """The first parts that the model has never seen, in a sentence."""
        return f"never seen: {_some([shorten(word, LONGEST_WORD) for word in self.unknown])}"

    def change_notes(self, *, signs: bool = False) -> list[str]:
        """What preprocessing left out and changed; `signs` also where that is no word or number."""
        shown = [change for change in self.changes if signs or any(map(str.isalnum, change.text))]
        left_out = [shorten(change.text, LONGEST_WORD) for change in shown if change.token is None]
        changed = [
            f"{shorten(change.text, LONGEST_WORD)} → {shorten(change.token, LONGEST_WORD)}"
            for change in shown
            if change.token is not None
        ]
        return [
            f"{name}: {_some(pieces)}" for name, pieces in (("left out", left_out), ("counted as", changed)) if pieces
        ]

    def _rows(self) -> tuple[list[tuple[str, float, str]], int]:
        """The rows of the printed list (name, weight, note), and the width of the names."""
        named: set[str] = set()
        rows: list[tuple[str, float, str]] = []
        for name, weight in self._listed():
            # A weight of 0 right after one that is not 0: this model counts presences.
            rows.append((name, weight, "counted above" if not weight and name in named else ""))
            if weight:
                named.add(name)
        if len(rows) > MOST_BARS_SHOWN:
            rows.sort(key=lambda row: -abs(row[1]))
            rest = rows[MOST_BARS_SHOWN:]
            rows = [*rows[:MOST_BARS_SHOWN], (f"{len(rest)} weaker", sum(weight for _, weight, _ in rest), "")]
        rows = [
            ("prior", self.prior, ""),
            *((shorten(name, LONGEST_WORD), weight, note) for name, weight, note in rows),
        ]
        return rows, max(width_of(name) for name in ["total", *(name for name, _, _ in rows)])

    def _listed(self) -> list[tuple[str, float]]:
        """Names and weights in the order of the text; runs of characters are grouped by the words they lie in."""
        texts = dict(self._texts())
        words: dict[str | None, Words] = {}
        parts: list[_Part] = []
        runs: dict[tuple[str | None, int, int], _Part] = {}
        for item in self.evidence:
            span = None
            if item.kind == "characters":
                if item.column not in words:
                    words[item.column] = Words(texts.get(item.column, ""))
                span = words[item.column].around(item)
            if span is None:  # also in a script without spaces: one by one they say more
                parts.append(_Part(item))
                continue
            run = runs.get((item.column, *span))
            if run is None:
                run = runs[(item.column, *span)] = _Part(item)
                parts.append(run)
            else:
                run.add(item)
        return [(part.name(texts), part.weight) for part in parts]

    # On a terminal

    def show(self, file: Any = None) -> None:
        """Print it: in colour on a terminal, plainly elsewhere. `NO_COLOR` is respected."""
        from rich.console import Console

        console = Console(file=file, highlight=False)
        if console.is_terminal:
            console.print(self)
        else:
            print(self, file=file)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text(self._claim(), style="bold")
        for name, text in self._texts():
            line = Text(f"{visible(name)}: " if name else "", style="")
            for shown, weight, _ in self._pieces(text, name):
                line.append(visible(_without_hole(shown), lines=True), style=colour(weight))
            yield line
        rows, width = self._rows()
        longest = max([abs(weight) for _, weight, _ in rows if isfinite(weight)], default=0) or 1
        room = max(min(BAR, options.max_width - width - 14), 4)
        for name, weight, note in rows:
            style = colour(0.1 if weight > 0 else -0.1)
            bar = "█" * round(room * min(abs(weight) / longest, 1))
            yield Text.assemble(
                f"  {padded(name, width)} ", (f"{weight:+8.3f}", style), "  ", (note, "dim") if note else (bar, style)
            )
        yield Text(f"  {padded('total', width)} {self.score:+8.3f} {self.unit}", style="bold")
        for note in self.together_notes():
            yield Text(f"  {note}", style="dim")
        if self.unknown:
            yield Text(f"  {self.unknown_note()} ({self.unknown_share:.0%} of this)", style="dim")
        for note in self.change_notes():
            yield Text(f"  {note}", style="dim")

    # In a notebook

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> Markup:
        """The explanation as a part of a page: highlighted text, waterfall, and the list of all weights."""
        title = f"From the prior to the total, in {self.unit}"
        of_what = "text" if self.row is None else "columns"
        return element(
            "div",
            element("p", self._heading()),
            self.highlighted(),
            element("div", waterfall(self.steps(), title=title, score=self.score), class_="scroll", tabindex="0"),
            [element("p", note, class_="quiet") for note in self.together_notes()],
            element("p", f"{self.unknown_note()} ({self.unknown_share:.0%} of this)", class_="quiet")
            if self.unknown
            else None,
            [element("p", note, class_="quiet") for note in self.change_notes(signs=True)],
            element("details", element("summary", f"weights in the order of the {of_what}"), self.table()),
        )

    def highlighted(self) -> list[Markup]:
        """The text, or each text of a row, as a part of a page with its words tinted."""
        return [
            element(
                "div",
                element("b", isolated(name), ": ") if name else None,
                [
                    element("span", _without_hole(shown), class_=tint(weight), title="; ".join(why) or None)
                    for shown, weight, why in self._pieces(text, name)
                ],
                class_="document",
                dir="auto",
            )
            for name, text in self._texts()
        ]

    def highlighted_words(self) -> list[Markup]:
        """The text, or each text of a row, with each word tinted as a whole: quicker and calmer than `highlighted`."""
        shown = []
        for name, text in self._texts():
            mine = [item for item in self.evidence if item.start is not None and item.column == name]
            weights = Words(text).weights(mine)
            largest = max((abs(weight) for _, _, weight in weights if isfinite(weight)), default=0.0) or 1.0
            parts: list[Any] = [element("b", isolated(name), ": ")] if name else []
            end = 0
            for start, stop, weight in weights:
                strength = 0.0 if isnan(weight) else max(-1.0, min(weight / largest, 1.0))
                if (shade := tint(strength)) is not None:
                    parts += [text[end:start], element("span", text[start:stop], class_=shade, title=f"{weight:+.3f}")]
                    end = stop
            shown.append(element("div", parts, text[end:], class_="document", dir="auto"))
        return shown

    def _heading(self) -> list[Any]:
        parts: list[Any] = []
        for label, words, shade in ((self.label, "", "for"), (self.against, " rather than ", "against")):
            chance = f" ({self.probabilities[label]:.1%})" if label in self.probabilities else ""
            parts += [words, element("b", isolated(label, width=LONGEST_WORD), class_=shade), chance]
        return [*parts, f": {self.score:+.3f} {self.unit}"]

    def table(self) -> Markup:
        """Every weight in the order of the document, as a table of a page."""
        head = element("tr", *(element("th", name, class_="text") for name in ("part", "place", self.unit)))
        rows = [("prior", "", self.prior)] + [
            (item.name, "" if item.start is None else f"{item.start}–{item.end}", item.weight)
            for item in self.evidence[:MOST_IN_PAGE]
        ]
        if len(self.evidence) > MOST_IN_PAGE:
            rest = self.evidence[MOST_IN_PAGE:]
            rows.append((f"{len(rest)} more", "", sum(item.weight for item in rest)))
        body = [
            element(
                "tr",
                element("td", isolated(name, width=LONGEST_WORD), class_="text"),
                element("td", place),
                element("td", f"{weight:+.4f}"),
            )
            for name, place, weight in [*rows, ("total", "", self.score)]
        ]
        return element("table", element("thead", head), element("tbody", body))

    # With matplotlib

    def plot(self, ax: Axes | None = None, *, most: int = MOST_STEPS) -> Axes:
        """Waterfall from the prior to the score, with matplotlib; returns the axes."""
        title = self._claim()
        return pictures.waterfall(self.steps(most), score=self.score, title=title, unit=self.unit, ax=ax)

    # The document and its places

    def _texts(self) -> list[tuple[str | None, str]]:
        """The texts that words were found in, by column."""
        if self.row is None:
            return [(None, self.text)]
        columns = dict.fromkeys(item.column for item in self.evidence if item.start is not None)
        return [(column, str(self.row.get(column, ""))) for column in columns if column is not None]

    def _pieces(self, text: str, column: str | None) -> Iterator[tuple[str, float, list[str]]]:
        """The text in pieces, each with its strength (1 for the strongest of all) and what it comes from.

        Features overlap: pairs of words, characters. A feature's weight is shared equally by the pieces that it covers.
        """
        mine = [item for item in self.evidence if item.start is not None and item.column == column]
        pieces = shared(text, mine)
        largest = max((abs(weight) for _, _, weight, _ in pieces if isfinite(weight)), default=0.0) or 1.0
        for start, end, weight, covering in pieces:
            why = [f"{visible(item.name)} {item.weight:+.3f}" for item in covering]
            strength = 0.0 if isnan(weight) else max(-1.0, min(weight / largest, 1.0))
            yield text[start:end], strength, why


def _some(words: Sequence[str]) -> str:
    """The first of some words, each once, and how many more there are."""
    different = list(dict.fromkeys(words))
    more = len(different) - MOST_UNKNOWN
    return ", ".join(different[:MOST_UNKNOWN]) + (f" and {more} more" if more > 0 else "")


def _without_hole(piece: str) -> str:
    """A piece of a text with at most one empty line in a row: a mail can have very many.

    >>> _without_hole("Regards\\n\\n \\n\\n\\nAnn")
    'Regards\\n\\nAnn'
    """
    return HOLE.sub("\n\n", piece)


class Piece(NamedTuple):
    """A part of a text that the same evidence covers."""

    start: int
    end: int
    weight: float
    covering: Sequence[Evidence]


def shared(text: str, evidence: Sequence[Evidence]) -> list[Piece]:
    """A text cut wherever evidence begins or ends; each weight is shared equally by the pieces that it covers.

    The pieces make up the text, and their weights sum to those of the evidence that has a place in it. A piece of white
    space takes no share unless there is nothing else.

    >>> [one.weight for one in shared("so happy", [Evidence("so happy", 1.0, 0, 8), Evidence("happy", 0.5, 3, 8)])]
    [0.5, 0.0, 1.0]
    """
    cuts = sorted({0, len(text), *(item.start or 0 for item in evidence), *(item.end or 0 for item in evidence)})
    words = [item for item in evidence if item.end and item.end > (item.start or 0)]
    # White space between the words of a pair is a piece of its own, so that it stays without colour.
    cuts = sorted({*cuts, *(place for item in words for place in _edges(text, item.start or 0, item.end or 0))})
    number = {cut: place for place, cut in enumerate(cuts)}
    weights = [0.0] * max(len(cuts) - 1, 0)
    covering: list[list[Evidence]] = [[] for _ in weights]
    for item in words:
        places = range(number[item.start or 0], number[item.end or 0])
        solid = [place for place in places if not text[cuts[place] : cuts[place + 1]].isspace()] or list(places)
        for place in solid:
            weights[place] += item.weight / len(solid)
            covering[place].append(item)
    return [Piece(cuts[place], cuts[place + 1], weight, covering[place]) for place, weight in enumerate(weights)]


def _edges(text: str, start: int, end: int) -> Iterator[int]:
    """Where white space begins and ends inside a part of a text."""
    for place in range(start + 1, end):
        if text[place].isspace() != text[place - 1].isspace():
            yield place


class _Part:
    """One line of a list: evidence, or several runs of characters of the same words."""

    __slots__ = ("_end", "_first", "_n", "_start", "weight")

    def __init__(self, item: Evidence) -> None:
        self._first, self._n = item, 1
        self._start, self._end = item.start or 0, item.end or 0
        self.weight = item.weight

    def add(self, item: Evidence) -> None:
        """One more run of characters."""
        self._n += 1
        self.weight += item.weight
        self._start = min(self._start, item.start or 0)
        self._end = max(self._end, item.end or 0)

    def name(self, texts: dict[str | None, str]) -> str:
        """Its name in a list; several runs of characters are named by the text they cover together."""
        if self._n == 1:
            return self._first.name
        word = texts.get(self._first.column, "")[self._start : self._end].strip()
        return f"{self._first._replace(word=word).name}, {self._n} parts"
