"""Word table: counts, probabilities, log ratios λ and weights of words, by class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.display import diagrams
from banbury.display import export as exports
from banbury.display import matplotlib as pictures
from banbury.display.characters import shorten
from banbury.display.html import Markup, piece
from banbury.display.text_table import Grid
from banbury.errors import InputError, UnknownWordError, check_top
from banbury.lazy import numpy as np
from banbury.results.word_intervals import Sides, WordIntervals, word_intervals
from banbury.stats.softmax import log_differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from rich.console import Console, ConsoleOptions, RenderResult

    from banbury.text.documents import Label

SORTS = ("strength", "for", "against", "count", "word")
MOST_SHOWN = 20  # rows, when it is printed or drawn
LONGEST_LABEL = 24  # columns of a label, where it is printed
CREDIBLE_LEVEL = 0.95


class Totals(NamedTuple):
    """Totals of all words that a model has counted, by class, whichever of them a table shows."""

    counts: list[int]
    documents: list[int]
    vocabulary: list[int]
    """How many different words each class has."""
    n_words: int
    """How many different words there are."""


@dataclass(frozen=True, repr=False)
class WordTable:
    """Words with their counts and probabilities in each class, log ratios λ and weights.

    `log_ratios` are λ, by the probabilities of the plain likelihood. `weights` are what the model itself adds to a
    score: the same for the plain multinomial, something else for the automatic model (which weighs evidence by how far
    it can be trusted) and for the complement and Bernoulli likelihoods. Both speak of `label`, compared with `against`
    or with the mean of all other classes. Without a label they speak of the second of two classes, of more of the one
    for which each word speaks most.

    A table has a length and rows, sorts, filters, prints, and writes itself as CSV or Parquet.
    """

    classes: list[Any]
    words: list[str]
    lengths: NDArray[Any]
    """The number of words of each feature: 1, 2 for a pair …; 0 for characters."""
    documents: NDArray[Any]
    """[word, class]: in how many documents."""
    counts: NDArray[Any]
    """[word, class]: how often."""
    log_probabilities: NDArray[Any]
    """[word, class]: log P(word | class); with Bernoulli, of documents of the class to have the word."""
    class_weights: NDArray[Any]
    """[word, class]: what the model adds to the class's score in a document of typical length that has the word."""
    label: Label | None = None
    against: Label | None = None
    model: str = "multinomial"
    """What decides: `"automatic"`, `"multinomial"`, `"bernoulli"` or `"complement"`."""
    smoothing: float = 1.0
    """What is added to each count in the probabilities."""
    sizes: list[int] = field(default_factory=list)
    """What the counts are shares of: each class's words, or its documents with Bernoulli."""
    totals: Totals | None = None
    """Of all words of the model; None where weights were given, not counted."""

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    # How strongly words speak

    @property
    def numbers(self) -> NDArray[Any]:
        """The class id that the λ and the weight of each word speak of."""
        n_classes = len(self.classes)
        if self.label is not None or n_classes <= 2:
            number = n_classes - 1 if self.label is None else self.classes.index(self.label)
            return np.full(len(self), number)
        # λ against the mean of the others is highest for the class with the highest probability.
        best: NDArray[Any] = (self.class_weights if self._is_weighed() else self.log_probabilities).argmax(axis=1)
        return best

    @property
    def log_ratios(self) -> NDArray[Any]:
        """λ of each word: log P(word | label) − log P(word | against), or the mean of that in the other classes."""
        sides = self._sides
        with np.errstate(divide="ignore", invalid="ignore"):
            theirs = np.logaddexp.reduce(sides.others(self.log_probabilities, -np.inf), axis=1) - np.log(sides.n_others)
        return log_differences(sides.our(self.log_probabilities), theirs)

    @property
    def weights(self) -> NDArray[Any]:
        """What each word adds to the score of `label` more than to that of `against`, or than to the others' mean.

        In the automatic model this is a document of one word; the more words a document has, the less each adds.
        """
        sides = self._sides
        theirs = sides.others(self.class_weights).sum(axis=1) / sides.n_others
        return log_differences(sides.our(self.class_weights), theirs)

    @property
    def strengths(self) -> NDArray[Any]:
        """What `"strength"` sorts by: the weights of the automatic and the complement model, else λ."""
        return self.weights if self._is_weighed() else self.log_ratios

    def _is_weighed(self) -> bool:
        return self.model in ("automatic", "complement")

    @cached_property
    def _sides(self) -> Sides:
        """The class that each word speaks of, and the classes that this is compared with."""
        is_other = np.ones((len(self), len(self.classes)), dtype=bool)
        if self.against is not None:
            is_other[:] = np.arange(len(self.classes)) == self.classes.index(self.against)
        elif len(self.classes) > 1:
            is_other[np.arange(len(self)), self.numbers] = False
        return Sides(self.numbers, is_other)

    # How sure that is

    def probability_intervals(self, level: float = CREDIBLE_LEVEL) -> tuple[NDArray[Any], NDArray[Any]]:
        """Credible intervals of P(word | class): the low and the high ends, each by word and class.

        They are quantiles of the posterior, a Beta distribution whose mean is the smoothed probability: smoothing is
        the prior. Without smoothing the prior is Jeffreys', half a count.
        """
        return self._intervals(level)[:2]

    def log_ratio_intervals(self, level: float = CREDIBLE_LEVEL) -> tuple[NDArray[Any], NDArray[Any]]:
        """Approximate credible intervals of λ: the low and the high ends, for each word.

        The distances of the two probabilities' ends from their means are combined in quadrature (Zou and Donner, 2008).
        """
        return self._intervals(level)[2:]

    def _intervals(self, level: float) -> WordIntervals:
        return word_intervals(*self._posteriors(), self._sides, level)

    def _posteriors(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The parameters of the Beta posterior of P(word | class), by word and class."""
        seen = (self.documents if self.model == "bernoulli" else self.counts).astype(float)
        if self.smoothing == 0:
            return seen + 0.5, np.maximum(np.array(self.sizes) - seen, 0.0) + 0.5
        seen += self.smoothing
        probabilities = np.exp(self.log_probabilities)
        # A class whose own vocabulary is empty gives every word 0, whatever the smoothing: it has only the prior.
        means = np.where(probabilities > 0, probabilities, 0.5)
        # Rounded, so that equal counts have equal numbers.
        return seen, np.maximum(seen / means - seen, 0.0).round(6)

    # Rows

    def rows(self, level: float | None = None) -> list[dict[str, Any]]:
        """Each word as a dictionary.

        `word`, `kind`; by label `count`, `documents` and `probability`; of the class `label` `ratio`, `log_ratio` (λ)
        and `weight`. With a `level`, such as 0.95, also `probability_interval` by label and `log_ratio_interval`.
        """
        by_class = {
            "count": self.counts.tolist(),
            "documents": self.documents.tolist(),
            "probability": [[exp(log) for log in logs] for logs in self.log_probabilities.tolist()],
        }
        ratios: dict[str, Any] = {"log_ratio": self.log_ratios.tolist(), "weight": self.weights.tolist()}
        if level is not None:
            low, high, start, end = (ends.tolist() for ends in self._intervals(level))
            by_class["probability_interval"] = [list(zip(*ends, strict=True)) for ends in zip(low, high, strict=True)]
            ratios["log_ratio_interval"] = list(zip(start, end, strict=True))
        rows = []
        class_ids = self.numbers.tolist()
        for row, (word, length, class_id) in enumerate(zip(self.words, self.lengths, class_ids, strict=True)):
            cells: dict[str, Any] = {"word": word, "kind": _kind(length)}
            cells |= {name: dict(zip(self.classes, values[row], strict=True)) for name, values in by_class.items()}
            cells |= {"label": self.classes[class_id], "ratio": _exp(ratios["log_ratio"][row])}
            rows.append(cells | {name: values[row] for name, values in ratios.items()})
        return rows

    def row(self, word: str, level: float | None = None, *, spelled: Sequence[str] = ()) -> dict[str, Any]:
        """The row of one word; a word that was never seen is an `UnknownWordError`.

        `spelled` are the tokens that an analyzer makes of the word; one that differs is named in the error.
        """
        if word not in self.words:
            hint = f"; documents have it as {spelled[0]!r}" if len(spelled) == 1 and spelled[0] != word else ""
            raise UnknownWordError(f"{word!r} was never seen{hint}")
        return self._take([self.words.index(word)]).rows(level)[0]

    def sorted(self, by: str | None = None) -> WordTable:
        """The same rows in another order; equal ones by word.

        `"strength"`: the strongest first, whichever way they speak. `"for"`: those that speak most for the label.
        `"against"`: most against it. `"count"`: the most frequent. `"word"`: by word. None: `"for"` where there is
        a label, else `"strength"`.
        """
        if by is None:
            by = "strength" if self.label is None else "for"
        if by not in SORTS:
            raise InputError(f"cannot sort by {by!r}; it can be {', '.join(SORTS)}")
        ranks = np.argsort(np.argsort(np.array(self.words, dtype=object), kind="stable"), kind="stable")
        match by:
            case "word":
                keys: Any = ranks
            case "count":
                keys = -self.counts.sum(axis=1).astype(float)
            case "for":
                keys = -self.strengths
            case "against":
                keys = self.strengths
            case _:
                keys = -np.abs(self.strengths)
        return self._take(np.lexsort((ranks, keys)).tolist())

    def where(self, *, min_count: int = 1, containing: str = "", kinds: Sequence[str] | None = None) -> WordTable:
        """The rows of words that were seen so often, in all classes together; that contain a text; of these kinds.

        >>> from banbury import Classifier
        >>> table = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"]).words()
        >>> table.where(containing="S").sorted("word").words
        ['sad', 'so']
        """
        is_kept = self.counts.sum(axis=1) >= min_count
        if kinds is not None:
            of_kind = {length: _kind(length) in kinds for length in np.unique(self.lengths).tolist()}
            is_kept &= np.array([of_kind[length] for length in self.lengths.tolist()], dtype=bool)
        if containing:
            part = containing.lower()
            is_kept &= np.array([part in word.lower() for word in self.words], dtype=bool)
        return self._take(np.flatnonzero(is_kept).tolist())

    def top(self, n: int) -> WordTable:
        """The first `n` rows."""
        check_top(n)
        return self._take(list(range(min(n, len(self)))))

    def page(self, n: int, number: int) -> WordTable:
        """Page `number`, from 1 on, of `n` rows each."""
        return self._take(list(range(len(self)))[(number - 1) * n : number * n])

    def _take(self, rows: list[int]) -> WordTable:
        names = ("lengths", "documents", "counts", "log_probabilities", "class_weights")
        return replace(
            self, words=[self.words[row] for row in rows], **{name: getattr(self, name)[rows] for name in names}
        )

    # Elsewhere

    def columns(self, level: float = CREDIBLE_LEVEL) -> dict[str, list[Any]]:
        """The table by columns, one for each class and number: what a data frame is made of.

        `pandas.DataFrame(table.columns())`, `polars.DataFrame(table.columns())`.
        """
        rows = self.rows(level)
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in ("word", "kind")}
        for name in ("count", "documents", "probability"):
            columns |= {f"{name} {label}": [row[name][label] for row in rows] for label in self.classes}
        for label in self.classes:
            for side, end in enumerate(("low", "high")):
                columns[f"probability {label} {end}"] = [row["probability_interval"][label][side] for row in rows]
        columns |= {name: [row[name] for row in rows] for name in ("label", "ratio", "log_ratio")}
        for side, end in enumerate(("low", "high")):
            columns[f"log_ratio {end}"] = [row["log_ratio_interval"][side] for row in rows]
        return columns | {"weight": [row["weight"] for row in rows]}

    def to_frame(self, library: str = "pandas") -> Any:
        """The table as a data frame of `"pandas"` or `"polars"`."""
        return exports.to_frame(self.columns(), library)

    def to_csv(self, path: str | PathLike[str] | None = None, *, escape: bool = True) -> str:
        """The table as CSV; written to a file where one is named.

        With `escape`, words that a spreadsheet would run as a formula, such as `=1+1`, get an apostrophe in front.
        """
        return exports.to_csv(self.columns(), path, escape=escape)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the table to a Parquet file; that needs `pip install 'banbury[parquet]'`, or PyArrow."""
        exports.to_parquet(self.columns(), path)

    # Shown

    def __repr__(self) -> str:
        words = ", ".join(shorten(word, 20) for word in self.words[:3])
        return f"<WordTable: {len(self)} words {self._about()}: {words or 'none'}{' …' if len(self) > 3 else ''}>"

    def _about(self) -> str:
        names = [shorten(str(label), LONGEST_LABEL) for label in self.classes]
        if self.label is None:
            return f"in {len(names)} classes" if len(names) != 2 else f"for {names[1]} rather than {names[0]}"
        other = "" if self.against is None else f" rather than {shorten(str(self.against), LONGEST_LABEL)}"
        return f"for {shorten(str(self.label), LONGEST_LABEL)}{other}"

    def __str__(self) -> str:
        return str(self.grid())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.grid()

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> Markup:
        """The table as a part of a page."""
        return self.grid().markup()

    def grid(self, most: int = MOST_SHOWN) -> Grid:
        """What is shown: the first rows, and where there is a label the last ones too, which speak against it."""
        more = len(self) - most
        has_tail = more > 0 and self.label is not None
        first = most - most // 2 if has_tail else most
        table = self._take([*range(first), *range(len(self) - most // 2, len(self))]) if has_tail else self.top(most)
        head = self.head()
        strengths = table.strengths
        largest = np.abs(strengths[np.isfinite(strengths)]).max(initial=0.0) or 1.0
        return Grid(
            head + (["weight"] if self.has_weights() else []),
            [self.cells(row) for row in table.rows(CREDIBLE_LEVEL)],
            self._caption(most),
            (first, f"… {more} more" if has_tail else f"… and {more} more") if more > 0 else None,
            ("weight" if self._is_weighed() else "λ", np.clip(strengths / largest, -1, 1).tolist()),
            foot=self._foot(),
            spare=[name for kind in (" interval", "P(", "elsewhere", "count") for name in head if kind in name],
        )

    def _compared(self) -> list[Any] | None:
        """The two labels whose counts are shown side by side; None where a word's class is compared with several."""
        labels = self.classes if len(self.classes) <= 2 else [self.label, self.against]
        return None if any(label is None for label in labels) else labels

    def head(self) -> list[str]:
        """The names of the columns that are shown, the weight aside."""
        names = [shorten(str(label), LONGEST_LABEL) for label in self._compared() or []]
        counts = [part for name in names for part in (f"count {name}", f"P(w|{name})")]
        return [
            "word",
            *(counts or ["label", "count", "elsewhere", "P(w|label)"]),
            "λ",
            f"{CREDIBLE_LEVEL:.0%} interval",
        ]

    def cells(self, row: dict[str, Any]) -> list[str]:
        """A row with intervals as it is shown; the weight comes last, where it is not λ."""
        count, probability, label = row["count"], row["probability"], row["label"]
        if (labels := self._compared()) is not None:
            cells = [part for name in labels for part in (str(count[name]), f"{probability[name]:.3g}")]
        else:
            elsewhere = sum(count.values()) - count[label]
            name = shorten(str(label), LONGEST_LABEL)
            cells = [name, str(count[label]), str(elsewhere), f"{probability[label]:.3g}"]
        low, high = row["log_ratio_interval"]
        cells += [f"{row['log_ratio']:+.3f}", f"{low:+.2f} … {high:+.2f}"]
        return [row["word"], *cells, *([f"{row['weight']:+.3f}"] if self.has_weights() else [])]

    def _foot(self) -> list[list[str]]:
        """The last rows: how many words were counted in all, and how many different ones."""
        if self.totals is None:
            return []
        n_empty = 3 if self.has_weights() else 2  # λ, its interval, the weight
        rows = []
        for name, by_class in (("total", self.totals.counts), ("distinct", self.totals.vocabulary)):
            by_label = dict(zip(self.classes, map(int, by_class), strict=True))
            if (labels := self._compared()) is not None:
                cells = [part for label in labels for part in (str(by_label[label]), "")]
            elif self.label is None:
                whole = sum(by_label.values()) if name == "total" else self.totals.n_words
                cells = ["", str(whole), "", ""]
            else:
                others = str(sum(by_label.values()) - by_label[self.label]) if name == "total" else ""
                cells = ["", str(by_label[self.label]), others, ""]
            rows.append([name, *cells, *[""] * n_empty])
        return rows

    def has_weights(self) -> bool:
        """Whether the weights are other numbers than λ."""
        return self.model != "multinomial"

    def _caption(self, most: int) -> str:
        meanings = {
            "multinomial": "",
            "automatic": "; λ is of the plain likelihood, weight what the automatic model adds for the word alone",
            "bernoulli": "; weight is what having the word adds, compared with not having it",
            "complement": "; λ is of the plain likelihood, weight what the complement adds",
        }
        shown = f", {most} shown" if len(self) > most else ""
        return f"{len(self)} words {self._about()}{shown}{meanings[self.model]}"

    def plot(self, ax: Axes | None = None, *, most: int = MOST_SHOWN) -> Axes:
        """Bars of the strongest words, with matplotlib; returns the axes."""
        table = self.sorted("strength").top(most)
        order = sorted(range(len(table)), key=lambda row: -table.strengths[row])
        rows = [(table.words[row], float(table.strengths[row])) for row in order]
        return pictures.bars(
            rows, title=f"Words {self._about()}", x_title="weight" if self._is_weighed() else "λ", ax=ax
        )

    def plot_counts(self, ax: Axes | None = None, *, most: int = 24) -> Axes:
        """Draw words by their counts in two classes, on logarithmic scales, and return the axes.

        The classes are `label` and `against`, or the only two there are, or the label and all others together.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> ax = model.words("positive").plot_counts()
        """
        label = self.label if self.label is not None else self.classes[-1]
        if self.label is None and len(self.classes) != 2:
            raise InputError("counts of which class? words(label).plot_counts(), or words(label, against=other)")
        inside = self.counts[:, self.classes.index(label)].tolist()
        others = [name for name in self.classes if name != label]
        if self.against is not None:
            others = [self.against]
        rest = self.counts[:, [self.classes.index(name) for name in others]].sum(axis=1).tolist()
        names = (str(label), str(others[0]) if len(others) == 1 else "the other classes")
        return diagrams.count_scatter(self.words, inside, rest, names=names, most=most, ax=ax)


def _kind(length: int) -> str:
    return {0: "characters", 1: "word", 2: "pair"}.get(int(length)) or f"{length} words"


def _exp(value: float) -> float:
    return exp(value) if value < 709 else float("inf")
