"""The table of words: counts, probabilities, and how strongly each word speaks for a class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import exp
from typing import TYPE_CHECKING, Any

from banbury.display import export as exports
from banbury.display.characters import shorten
from banbury.display.html import Markup, piece
from banbury.display.text_table import Grid
from banbury.errors import InputError
from banbury.stats.intervals import beta_interval
from banbury.stats.softmax import log_differences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from numpy.typing import NDArray

SORTS = ("strength", "for", "against", "count", "word")
MOST_ROWS = 20  # that are printed
LONGEST_LABEL = 24  # columns of a label, where it is printed
LEVEL = 0.95


@dataclass(frozen=True, repr=False)
class WordTable:
    """Words with their counts and probabilities in each class, and how strongly they speak.

    `log_ratios` are λ, by the probabilities of the plain likelihood. `weights` are what the model itself adds to a
    score: the same for the plain multinomial, something else for the automatic model (which weighs evidence by how far
    it can be trusted) and for the complement and Bernoulli likelihoods. Both speak of `label`, compared with `against`
    or with the mean of all other classes. Without a label they speak of the second of two classes, of more of the one
    for which each word speaks most.

    A table has a length and rows, sorts, filters, prints, and writes itself as CSV or Parquet.
    """

    classes: list[Any]
    words: list[str]
    lengths: Any
    """The words that each feature has: 1, 2 for a pair …; 0 for characters."""
    documents: Any
    """[word, class]: in how many documents."""
    counts: Any
    """[word, class]: how often."""
    log_probabilities: Any
    """[word, class]: log P(word | class); with Bernoulli, of documents of the class to have the word."""
    class_weights: Any
    """[word, class]: what the model adds to the class's score for a document that has this word alone."""
    label: Any = None
    against: Any = None
    model: str = "multinomial"
    """What decides: `"automatic"`, `"multinomial"`, `"bernoulli"` or `"complement"`."""
    smoothing: float = 1.0
    """What is added to each count in the probabilities."""
    sizes: list[int] = field(default_factory=list)
    """What the counts are shares of: each class's words, or its documents with Bernoulli."""

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    # How strongly words speak

    @property
    def numbers(self) -> NDArray[Any]:
        """For each word the number of the class of which its λ and its weight speak."""
        import numpy as np

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
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            ours, others, n_others = self._sides(self.log_probabilities, -np.inf)
            theirs = np.logaddexp.reduce(others, axis=1) - np.log(n_others)
            return log_differences(ours, theirs)

    @property
    def weights(self) -> NDArray[Any]:
        """What each word adds to the score of `label` more than to that of `against`, or than to the others' mean.

        In the automatic model this is a document of one word; the more words a document has, the less each adds.
        """
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            ours, others, n_others = self._sides(self.class_weights, 0.0)
            return log_differences(ours, others.sum(axis=1) / n_others)

    @property
    def strengths(self) -> NDArray[Any]:
        """What `"strength"` sorts by: the weights of the automatic and the complement model, else λ."""
        return self.weights if self._is_weighed() else self.log_ratios

    def _is_weighed(self) -> bool:
        return self.model in ("automatic", "complement")

    def _sides(self, values: Any, nothing: float) -> tuple[Any, Any, int]:
        """For each word its class's value; those that it is compared with; how many these are."""
        import numpy as np

        rows, numbers = np.arange(len(self)), self.numbers
        ours = values[rows, numbers]
        if self.against is not None:
            return ours, values[:, [self.classes.index(self.against)]], 1
        others = values.astype(float, copy=True)
        others[rows, numbers] = nothing
        if len(self.classes) == 1:
            return ours, values, 1
        return ours, others, len(self.classes) - 1

    # How sure that is

    def probability_intervals(self, level: float = LEVEL) -> tuple[NDArray[Any], NDArray[Any]]:
        """The lower and upper ends, each [word, class], between which P(word | class) lies with this probability.

        These are the quantiles of its posterior, Beta, of which the smoothed probability is the mean: smoothing is the
        prior. Without smoothing the prior is Jeffreys', half a count.
        """
        low, high, _, _ = self._intervals(level)
        return low, high

    def log_ratio_intervals(self, level: float = LEVEL) -> tuple[NDArray[Any], NDArray[Any]]:
        """The lower and upper ends between which λ lies with about this probability.

        The distances of the two probabilities' ends from their means are added as the sides of a right angle are (Zou
        and Donner, 2008): exact intervals of a difference would need numerical integration for each word. The mean of
        several classes has the Beta distribution of the same mean and variance.
        """
        _, _, low, high = self._intervals(level)
        return low, high

    def _intervals(self, level: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Of the probabilities and of λ."""
        import numpy as np

        seen, missed = self._posteriors()
        means = seen / (seen + missed)
        ours, others, n_others = self._sides(means, 0.0)
        theirs = others.sum(axis=1) / n_others
        their_seen, their_missed = (self._sides(values, 0.0)[1].sum(axis=1) for values in (seen, missed))
        if n_others > 1:
            variances = self._sides(means * (1 - means) / (seen + missed + 1), 0.0)[1].sum(axis=1) / n_others**2
            # A variance of 0 is that of a word that all documents have.
            is_sure = variances == 0
            size = np.where(is_sure, 1.0, theirs * (1 - theirs) / np.where(is_sure, 1.0, variances) - 1)
            their_seen, their_missed = theirs * size, (1 - theirs) * size
        # Few numbers come again and again.
        pairs = np.stack([np.append(seen, their_seen), np.append(missed, their_missed)])
        pairs, places = np.unique(pairs, axis=1, return_inverse=True)
        ends = [end[places.ravel()] for end in beta_interval(pairs[0], pairs[1], level)]
        low, high = (end[: seen.size].reshape(seen.shape) for end in ends)
        if len(self.classes) == 1:
            return low, high, np.zeros(len(self)), np.zeros(len(self))
        with np.errstate(divide="ignore"):
            our_logs = [np.log(self._sides(end, 0.0)[0]) - np.log(ours) for end in (low, high)]
            their_logs = [np.log(end[seen.size :]) - np.log(theirs) for end in ends]
        centre = np.log(ours) - np.log(theirs)
        down, up = np.hypot(our_logs[0], their_logs[1]), np.hypot(our_logs[1], their_logs[0])
        return low, high, centre - down, centre + up

    def _posteriors(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The two numbers of the Beta distribution of each word's probability in each class."""
        import numpy as np

        seen = (self.documents if self.model == "bernoulli" else self.counts).astype(float)
        if self.smoothing == 0:
            return seen + 0.5, np.maximum(np.array(self.sizes) - seen, 0.0) + 0.5
        seen += self.smoothing
        # Rounded, so that equal counts have equal numbers.
        return seen, np.maximum(seen / np.exp(self.log_probabilities) - seen, 0.0).round(6)

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
        for at, (word, length, number) in enumerate(zip(self.words, self.lengths, self.numbers.tolist(), strict=True)):
            row: dict[str, Any] = {"word": word, "kind": _kind(length)}
            row |= {name: dict(zip(self.classes, values[at], strict=True)) for name, values in by_class.items()}
            row |= {"label": self.classes[number], "ratio": _exp(ratios["log_ratio"][at])}
            rows.append(row | {name: values[at] for name, values in ratios.items()})
        return rows

    def row(self, word: str, level: float | None = None) -> dict[str, Any]:
        """The row of one word; a word that was never seen is a `KeyError`."""
        if word not in self.words:
            raise KeyError(f"{word!r} was never seen")
        return self._take([self.words.index(word)]).rows(level)[0]

    def sorted(self, by: str | None = None) -> WordTable:
        """The same rows in another order; equal ones by word.

        `"strength"`: the strongest first, whichever way they speak. `"for"`: those that speak most for the label.
        `"against"`: most against it. `"count"`: the most frequent. `"word"`: by word. None: `"for"` where there is
        a label, else `"strength"`.
        """
        import numpy as np

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

    def where(self, *, min_count: int = 1) -> WordTable:
        """The rows of words that were seen so often, in all classes together."""
        import numpy as np

        return self._take(np.flatnonzero(self.counts.sum(axis=1) >= min_count).tolist())

    def top(self, n: int) -> WordTable:
        """The first `n` rows."""
        return self._take(list(range(min(n, len(self)))))

    def _take(self, rows: list[int]) -> WordTable:
        names = ("lengths", "documents", "counts", "log_probabilities", "class_weights")
        return replace(
            self, words=[self.words[row] for row in rows], **{name: getattr(self, name)[rows] for name in names}
        )

    # Elsewhere

    def columns(self, level: float = LEVEL) -> dict[str, list[Any]]:
        """The table by columns, one for each class and number: what a data frame is made of.

        `pandas.DataFrame(table.columns())`, `polars.DataFrame(table.columns())`.
        """
        rows = self.rows(level)
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in ("word", "kind")}
        for name in ("count", "documents", "probability"):
            columns |= {f"{name} {label}": [row[name][label] for row in rows] for label in self.classes}
        for label in self.classes:
            for at, end in enumerate(("low", "high")):
                columns[f"probability {label} {end}"] = [row["probability_interval"][label][at] for row in rows]
        columns |= {name: [row[name] for row in rows] for name in ("label", "ratio", "log_ratio")}
        for at, end in enumerate(("low", "high")):
            columns[f"log_ratio {end}"] = [row["log_ratio_interval"][at] for row in rows]
        return columns | {"weight": [row["weight"] for row in rows]}

    def to_frame(self, library: str = "pandas") -> Any:
        """The table as a data frame of `"pandas"` or `"polars"`."""
        return exports.to_frame(self.columns(), library)

    def to_csv(self, path: str | PathLike[str] | None = None, *, escape: bool = True) -> str:
        """The table as CSV; written to a file where one is named.

        With `escape`, words that a spreadsheet would run, such as `=1+1`, and those with an apostrophe in front, get an
        apostrophe in front; `word.removeprefix("'")` has them back.
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

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        yield self.grid()

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> Markup:
        """The table as a part of a page."""
        return self.grid().markup()

    def grid(self, most: int = MOST_ROWS) -> Grid:
        """What is shown: the first rows, and where there is a label the last ones too, which speak against it."""
        import numpy as np

        more = len(self) - most
        has_tail = more > 0 and self.label is not None
        first = most - most // 2 if has_tail else most
        table = self._take([*range(first), *range(len(self) - most // 2, len(self))]) if has_tail else self.top(most)
        labels = self.classes if len(self.classes) <= 2 else [self.label, self.against]
        is_pair = all(label is not None for label in labels)
        names = {label: shorten(str(label), LONGEST_LABEL) for label in self.classes}
        head = (
            [part for label in labels for part in (f"count {names[label]}", f"P(w|{names[label]})")] if is_pair else []
        )
        head = ["word", *(head or ["label", "count", "elsewhere", "P(w|label)"]), "λ", f"{LEVEL:.0%} interval"]
        rows = []
        for row in table.rows(LEVEL):
            count, probability, own = row["count"], row["probability"], row["label"]
            if is_pair:
                cells = [part for label in labels for part in (str(count[label]), f"{probability[label]:.3g}")]
            else:
                elsewhere = sum(count.values()) - count[own]
                cells = [names[own], str(count[own]), str(elsewhere), f"{probability[own]:.3g}"]
            low, high = row["log_ratio_interval"]
            cells += [f"{row['log_ratio']:+.3f}", f"{low:+.2f} … {high:+.2f}"]
            rows.append([row["word"], *cells, *([f"{row['weight']:+.3f}"] if self._has_weights() else [])])
        strengths = table.strengths
        largest = np.abs(strengths[np.isfinite(strengths)]).max(initial=0.0) or 1.0
        return Grid(
            head + (["weight"] if self._has_weights() else []),
            rows,
            self._caption(most),
            (first, f"… {more} more" if has_tail else f"… and {more} more") if more > 0 else None,
            ("weight" if self._is_weighed() else "λ", np.clip(strengths / largest, -1, 1).tolist()),
            spare=[name for kind in (" interval", "P(", "elsewhere", "count") for name in head if kind in name],
        )

    def _has_weights(self) -> bool:
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

    def plot(self, ax: Any = None, *, most: int = MOST_ROWS) -> Any:
        """Draw the strongest words with matplotlib, and return the axes."""
        from banbury.display import matplotlib as pictures

        table = self.sorted("strength").top(most)
        order = sorted(range(len(table)), key=lambda row: -table.strengths[row])
        rows = [(table.words[row], float(table.strengths[row])) for row in order]
        return pictures.bars(
            rows, title=f"Words {self._about()}", x_title="weight" if self._is_weighed() else "λ", ax=ax
        )

    def plot_counts(self, ax: Any = None, *, most: int = 24) -> Any:
        """Draw words by their counts in two classes, on logarithmic scales, and return the axes.

        The classes are `label` and `against`, or the only two there are, or the label and all others together.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> ax = model.words("positive").plot_counts()
        """
        from banbury.display import diagrams

        label = self.label if self.label is not None else self.classes[-1]
        if self.label is None and len(self.classes) != 2:
            raise InputError("counts of which class? words(label).plot_counts(), or words(label, against=other)")
        own = self.counts[:, self.classes.index(label)]
        others = [one for one in self.classes if one != label]
        if self.against is not None:
            others = [self.against]
        rest = self.counts[:, [self.classes.index(one) for one in others]].sum(axis=1)
        names = (str(label), str(others[0]) if len(others) == 1 else "the other classes")
        return diagrams.count_scatter(self.words, own, rest, names=names, most=most, ax=ax)


def _kind(length: int) -> str:
    return {0: "characters", 1: "word", 2: "pair"}.get(int(length)) or f"{length} words"


def _exp(value: float) -> float:
    return exp(value) if value < 709 else float("inf")
