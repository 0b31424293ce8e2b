"""Evaluation of predictions in a hierarchy: figures by level, distances, and how far predictions go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from banbury.display.html import Markup, piece
from banbury.display.html_tables import figures_table, table
from banbury.errors import InputError
from banbury.hierarchy.tree import Tree, shared_nodes, steps_between
from banbury.lazy import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_LEVEL_LOSS = 1e300


@dataclass(frozen=True)
class LevelRow:
    """How well documents are told apart at one level, counted from 1 at the top.

    A label that ends above a level counts there as its own node. A prediction that stops above a level is wrong there.
    """

    level: int
    nodes: int
    """How many there are to tell apart, among those that the model knows."""
    accuracy: float
    log_loss: float
    macro_f1: float
    """The mean F1 of the nodes that are true or predicted somewhere."""
    reached: float
    """The share of predictions that go down to this level, or to a label above it."""


@dataclass(frozen=True)
class HierarchyEvaluation:
    """Predictions in a hierarchy against the truth.

    A label that the model does not know is wrong at its own level; at the levels above, what the model knows of its
    path can be right. Log loss leaves it out where it has no probability.
    """

    n_documents: int
    levels: list[LevelRow]
    accuracy: float
    """The share of the documents that get exactly their label."""
    log_loss: float
    """The mean of −log P(label), in nats."""
    mean_distance: float
    """Steps in the tree between prediction and truth, on average."""
    precision: float
    """The share of the nodes on predicted paths that are right."""
    recall: float
    """The share of the nodes on true paths that are predicted."""
    unknown_labels: list[tuple[Any, int]]
    """Labels that the model does not know, and how many documents have them."""
    note: str = ""

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall of nodes."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def figures(self) -> list[tuple[str, float, None]]:
        """Every figure of all levels together, by name."""
        names = ["accuracy", "log loss", "mean distance", "precision", "recall", "f1"]
        return [(name, getattr(self, name.replace(" ", "_")), None) for name in names]

    def rows(self) -> list[dict[str, Any]]:
        """The figures of each level, for a data frame."""
        return [asdict(row) for row in self.levels]

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return asdict(self) | {"f1": self.f1}

    def __str__(self) -> str:
        lines = [f"{self.n_documents} documents"]
        lines += [f"note: {self.note}"] if self.note else []
        lines += [f"the model does not know {label!r}, which {n} documents have" for label, n in self.unknown_labels]
        lines += [f"{name:14} {value:8.4f}" for name, value, _ in self.figures()]
        lines += ["", "level  nodes  accuracy  log loss  macro F1  reached"]
        lines += [
            f"{row.level:5}  {row.nodes:5}  {row.accuracy:8.4f}  {row.log_loss:8.4f}  {row.macro_f1:8.4f}"
            f"  {row.reached:7.4f}"
            for row in self.levels
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return piece(self.markup())

    def markup(self) -> list[Markup]:
        """What a notebook shows."""
        notes = [self.note] if self.note else []
        notes += [f"the model does not know {label!r}, which {n} documents have" for label, n in self.unknown_labels]
        rows = [
            (str(row.level), str(row.nodes), *(f"{value:.4f}" for value in list(asdict(row).values())[2:]))
            for row in self.levels
        ]
        head = ("level", "nodes", "accuracy", "log loss", "macro F1", "reached")
        return [figures_table(self.figures(), f"{self.n_documents} documents", notes), table(head, rows, "By level")]

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> HierarchyEvaluation:
        """The figures that `to_dict` gave."""
        values = {name: value for name, value in settings.items() if name != "f1"}
        values["levels"] = [LevelRow(**row) for row in settings["levels"]]
        values["unknown_labels"] = [(label, int(n)) for label, n in settings["unknown_labels"]]
        made = cls(**values)
        if not made.levels or not all(isinstance(row.level, int) for row in made.levels):
            raise ValueError("its report has no levels")
        numbers = [made.n_documents, *(value for _, value, _ in made.figures())]
        numbers += [value for row in made.levels for value in asdict(row).values()]
        if not all(abs(float(number)) <= LARGEST_LEVEL_LOSS for number in numbers) or not isinstance(made.note, str):
            raise ValueError("its report says what no report says")
        return made


@dataclass(frozen=True)
class Judged:
    """Predictions of some documents, beside their truth."""

    predicted: list[Any]
    """The node of each document, None for the top."""
    true_paths: list[tuple[Any, ...]]
    chances: NDArray[np.float64]
    """The probability of the true node of each document at each level; NaN where the model does not know it."""

    @classmethod
    def of(
        cls, tree: Tree, logs: NDArray[np.float64], predicted: list[Any], true_paths: list[tuple[Any, ...]], depth: int
    ) -> Judged:
        """What log probabilities by document and label of the tree say of the truth, down to a depth."""
        chances = np.full((len(predicted), depth), np.nan)
        for row, path in enumerate(true_paths):
            for level in range(depth):
                leaves = tree.leaves_of.get(path[: level + 1][-1])
                if leaves is not None:
                    chances[row, level] = min(np.exp(logs[row, leaves]).sum(), 1.0)
        return cls(predicted, true_paths, chances)

    def __add__(self, other: Judged) -> Judged:
        return Judged(
            self.predicted + other.predicted,
            self.true_paths + other.true_paths,
            np.concatenate([self.chances, other.chances]),
        )


def evaluate_hierarchy(tree: Tree, judged: Judged, weights: NDArray[np.float64], note: str = "") -> HierarchyEvaluation:
    """The evaluation of predictions by a model that knows the labels of `tree`."""
    true_paths = judged.true_paths
    if not true_paths:
        raise InputError("no documents to evaluate")
    if not weights.sum() > 0:
        raise InputError("no document counts: all weights are 0")
    guessed_paths = [() if node is None else tree.path_of[node] for node in judged.predicted]
    pairs = list(zip(guessed_paths, true_paths, strict=True))
    shared = np.array([shared_nodes(*pair) for pair in pairs])
    n_guessed, n_true = (
        float((weights * np.array(list(map(len, each)))).sum()) for each in (guessed_paths, true_paths)
    )
    truth = [path[-1] for path in true_paths]
    return HierarchyEvaluation(
        n_documents=len(truth),
        levels=[_level_row(level, tree, judged, guessed_paths, weights) for level in range(judged.chances.shape[1])],
        accuracy=_mean([guess == true for guess, true in zip(judged.predicted, truth, strict=True)], weights),
        log_loss=_log_loss(judged.chances[:, -1], weights),
        mean_distance=_mean([steps_between(*pair) for pair in pairs], weights),
        precision=float((weights * shared).sum()) / n_guessed if n_guessed else 0.0,
        recall=float((weights * shared).sum()) / n_true,
        unknown_labels=[(label, truth.count(label)) for label in sorted(set(truth).difference(tree.paths))],
        note=note,
    )


def _level_row(
    level: int, tree: Tree, judged: Judged, guessed_paths: list[tuple[Any, ...]], weights: NDArray[np.float64]
) -> LevelRow:
    reached = [
        len(path) > level or node in tree.paths for path, node in zip(guessed_paths, judged.predicted, strict=True)
    ]
    guesses = [path[: level + 1][-1] if there else None for path, there in zip(guessed_paths, reached, strict=True)]
    truths = [path[: level + 1][-1] for path in judged.true_paths]
    return LevelRow(
        level + 1,
        len({tree.at(label, level + 1) for label in tree.paths}),
        _mean([guess == true for guess, true in zip(guesses, truths, strict=True)], weights),
        _log_loss(judged.chances[:, level], weights),
        _macro_f1(guesses, truths, weights),
        _mean(reached, weights),
    )


def _log_loss(chances: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    is_known = ~np.isnan(chances)
    return _mean(-np.log(np.clip(chances[is_known], 1e-300, 1.0)), weights[is_known])


def _macro_f1(guesses: list[Any], truths: list[Any], weights: NDArray[np.float64]) -> float:
    right: dict[Any, float] = {}
    both: dict[Any, float] = {}
    for guess, true, weight in zip(guesses, truths, weights.tolist(), strict=True):
        for node in (guess, true):
            if node is not None:
                both[node] = both.get(node, 0.0) + weight
        if guess == true:
            right[true] = right.get(true, 0.0) + weight
    scores = [2 * right.get(node, 0.0) / total for node, total in both.items() if total]
    return sum(scores) / len(scores) if scores else 0.0


def _mean(values: Any, weights: NDArray[np.float64]) -> float:
    total = float(weights.sum())
    return min(float((weights * np.asarray(values, float)).sum()) / total, LARGEST_LEVEL_LOSS) if total else 0.0
