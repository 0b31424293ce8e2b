"""Which words decided, and by how much: for one document, or for a whole class."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from math import exp, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

SORTS = ("strength", "count", "word")


class Evidence(NamedTuple):
    """One word's share in a decision, in nats: positive speaks for the class, negative against it."""

    word: str
    weight: float
    start: int | None
    end: int | None
    column: str | None = None
    """Of a table; None where the document is a text."""

    @property
    def name(self) -> str:
        """What it is called in a list: the word, or with its column in front."""
        if self.column is None:
            return self.word
        return f"{self.column}: {self.word}" if self.start is not None else f"{self.column} = {self.word}"


@dataclass(frozen=True)
class Explanation:
    """Why a document is of class `label` rather than `against`.

    `prior` and the weights of its words sum to `score`, the logarithm of the odds between the two classes. Without
    smoothing a word can be impossible; where that makes every class impossible, the prior alone is the score.
    """

    text: str
    label: Any
    against: Any
    prior: float
    evidence: list[Evidence]
    score: float
    unknown: list[str]
    """The words that the model has never seen: they add nothing."""

    def __str__(self) -> str:
        rows = [("prior", self.prior), *((evidence.name, evidence.weight) for evidence in self.evidence)]
        width = max(len(word) for word, _ in [*rows, ("total", 0)])
        longest = max([abs(weight) for _, weight in rows if isfinite(weight)], default=0) or 1
        lines = [f"{self.label} rather than {self.against}"]
        for word, weight in rows:
            bar = ("+" if weight > 0 else "-") * round(24 * min(abs(weight) / longest, 1))
            lines.append(f"  {word:{width}} {weight:+8.3f}  {bar}".rstrip())
        lines.append(f"  {'total':{width}} {self.score:+8.3f}")
        if self.unknown:
            lines.append(f"  never seen: {', '.join(self.unknown)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class WordTable:
    """Words with their counts and probabilities, by class; for two classes also how strongly they speak.

    It has a length and rows, sorts, filters, and writes itself as CSV.
    """

    classes: list[Any]
    words: list[str]
    documents: Any
    """[word, class]: in how many documents."""
    counts: Any
    """[word, class]: how often."""
    log_probabilities: Any
    """[word, class]: log P(word | class)."""
    label: Any = None
    """The class whose words these are; with two classes and no label, the second."""

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    @property
    def log_ratios(self) -> Any:
        """λ of each word: log P(word | label) less the logarithm of its mean probability in the other classes."""
        import numpy as np

        number = self._number()
        others = [other for other in range(len(self.classes)) if other != number]
        if not others:
            return np.zeros(len(self))
        ours, theirs = self.log_probabilities[:, number], self.log_probabilities[:, others]
        if len(others) > 1:
            theirs = np.logaddexp.reduce(theirs, axis=1, keepdims=True) - np.log(len(others))
        # Two impossibilities are as likely as each other.
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(ours - theirs[:, 0], nan=0.0, posinf=np.inf, neginf=-np.inf)

    def _number(self) -> int:
        return len(self.classes) - 1 if self.label is None else self.classes.index(self.label)

    def rows(self) -> list[dict[str, Any]]:
        """Each word as a dictionary: `word`, `count`, `documents` and `probability` by label, `ratio`, `log_ratio`."""
        has_ratio = self.label is not None or len(self.classes) == 2
        log_ratios = self.log_ratios.tolist() if has_ratio else None
        table = zip(
            self.words, self.counts.tolist(), self.documents.tolist(), self.log_probabilities.tolist(), strict=True
        )
        rows = []
        for at, (word, counts, documents, logs) in enumerate(table):
            row: dict[str, Any] = {
                "word": word,
                "count": dict(zip(self.classes, counts, strict=True)),
                "documents": dict(zip(self.classes, documents, strict=True)),
                "probability": dict(zip(self.classes, map(exp, logs), strict=True)),
            }
            if log_ratios is not None:
                row["ratio"] = _exp(log_ratios[at])
                row["log_ratio"] = log_ratios[at]
            rows.append(row)
        return rows

    def row(self, word: str) -> dict[str, Any]:
        """The row of one word; a word that was never seen is a `KeyError`."""
        if word not in self.words:
            raise KeyError(f"{word!r} was never seen")
        return self._take([self.words.index(word)]).rows()[0]

    def sorted(self, by: str = "strength") -> WordTable:
        """The same rows, the strongest first (`"strength"`), the most frequent (`"count"`), or by `"word"`."""
        import numpy as np

        if by not in SORTS:
            raise InputError(f"cannot sort by {by!r}; it can be {', '.join(SORTS)}")
        words = np.array(self.words, dtype=object)
        if by == "word":
            order = np.argsort(words, kind="stable")
        else:
            keys = self.counts.sum(axis=1) if by == "count" else self._strength()
            # Equal keys by word, so that the order is always the same.
            order = np.lexsort((_ranks(words), -keys.astype(float)))
        return self._take(order.tolist())

    def _strength(self) -> Any:
        import numpy as np

        # Without a label both ends of the scale are of interest.
        return self.log_ratios if self.label is not None else np.abs(self.log_ratios)

    def where(self, *, min_count: int = 1) -> WordTable:
        """The rows of words that were seen so often, in all classes together."""
        import numpy as np

        return self._take(np.flatnonzero(self.counts.sum(axis=1) >= min_count).tolist())

    def top(self, n: int) -> WordTable:
        """The first `n` rows."""
        return self._take(list(range(min(n, len(self)))))

    def _take(self, rows: list[int]) -> WordTable:
        return WordTable(
            self.classes,
            [self.words[row] for row in rows],
            self.documents[rows],
            self.counts[rows],
            self.log_probabilities[rows],
            self.label,
        )

    def to_csv(self, path: str | None = None) -> str:
        """The table as CSV, one column for each class and number; written to a file where one is named."""
        kinds = ("count", "documents", "probability")
        rows = self.rows()
        ratios = ["ratio", "log_ratio"] if rows and "ratio" in rows[0] else []
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["word", *(f"{kind} {label}" for kind in kinds for label in self.classes), *ratios])
        for row in rows:
            cells = [row[kind][label] for kind in kinds for label in self.classes]
            writer.writerow([row["word"], *cells, *(row[ratio] for ratio in ratios)])
        if path is not None:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text.getvalue())
        return text.getvalue()

    def __str__(self) -> str:
        rows = self.top(20).rows()
        names = [str(label) for label in self.classes]
        width = max(len(word) for word in ["word", *(row["word"] for row in rows)])
        head = "  ".join(
            f"{'count ' + name:>{len(name) + 6}}  {'P(w|' + name + ')':>{len(name) + 5}}" for name in names
        )
        lines = [f"{'word':{width}}  {head}" + ("        λ" if rows and "log_ratio" in rows[0] else "")]
        for row in rows:
            cells = "  ".join(
                f"{row['count'][label]:>{len(name) + 6}}  {row['probability'][label]:>{len(name) + 5}.3g}"
                for label, name in zip(self.classes, names, strict=True)
            )
            ratio = f"  {row['log_ratio']:+7.3f}" if "log_ratio" in row else ""
            lines.append(f"{row['word']:{width}}  {cells}{ratio}")
        if len(self) > 20:
            lines.append(f"… and {len(self) - 20} more")
        return "\n".join(lines)


def _ranks(words: Any) -> Any:
    import numpy as np

    return np.argsort(np.argsort(words, kind="stable"), kind="stable")


def _exp(value: float) -> float:
    return exp(value) if value < 709 else float("inf")
