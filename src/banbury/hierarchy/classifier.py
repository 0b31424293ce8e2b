"""HierarchicalClassifier: the front door for labels that stand in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from banbury import _kernel, storage
from banbury.changes import Changes
from banbury.classifier import Classifier
from banbury.errors import (
    FORGOTTEN,
    MALFORMED,
    ChangedError,
    FileFormatError,
    InputError,
    LabelError,
    NotAvailable,
    NotFittedError,
)
from banbury.hierarchy.descent import check_sure, descend, nearest_labels, node_probabilities, nodes_as_array
from banbury.hierarchy.pooling import pooled
from banbury.hierarchy.tree import Node, Tree
from banbury.lazy import numpy as np
from banbury.parameters import Estimator
from banbury.text.analyzer import Analyzer
from banbury.text.documents import (
    Column,
    Labels,
    Texts,
    as_labels,
    as_sample_weight,
    as_texts,
    check_kind,
    check_known,
    check_many,
    suggestion,
)
from banbury.text.tokens import is_document

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from banbury.hierarchy.evaluation import HierarchyEvaluation
    from banbury.results.explanation import Explanation
    from banbury.results.word_table import WordTable

MOST_LOGS = 5_000_000  # texts times labels at once


class Level(NamedTuple):
    """The classifier of one level."""

    depth: int | None
    """Counted from 1 at the top; None for the labels themselves."""
    model: Classifier

    def nodes(self, tree: Tree, labels: list[Any]) -> list[Node]:
        """The node of each label at this level."""
        return labels if self.depth is None else [tree.at(label, self.depth) for label in labels]


@dataclass(frozen=True)
class Step:
    """Why a document goes to a node rather than to another one of the same level."""

    node: Node
    probability: float
    weight: float
    """How much this level counts in the probability of a label."""
    explanation: Explanation

    def __str__(self) -> str:
        return f"P({self.node}) = {self.probability:.3f}; this level counts {self.weight:.2f}\n{self.explanation}"


class HierarchicalClassifier(Estimator):
    """Learns labels that stand in a tree, such as `"sport/football"`, by counting.

    Each level has a classifier of its own, which tells its nodes apart by the documents of all labels below them; the
    probability of a label is made of those of all nodes on its path. How much each level counts is chosen by exact
    leave-one-out, so that labels of few documents lean on the nodes above them, and those of many on themselves.

    Parameters
    ----------
    separator
        Between the parts of a label.
    parents
        Instead of parts: a mapping from each label to the node above it, and from each node to the one above that. What
        it does not have stands at the top.
    analyzer
        The features of a text, as of `Classifier`.
    threads
        The number of threads; by default one for each processor. The results do not depend on it.

    >>> texts = ["goal in extra time", "hole in one", "rain all day"] * 4
    >>> model = HierarchicalClassifier().fit(texts, ["sport/football", "sport/golf", "weather"] * 4)
    >>> model.predict("a goal"), model.predict("in time, in one", sure=0.7)
    ('sport/football', 'sport')
    """

    parameter_names: ClassVar[tuple[str, ...]] = ("separator", "parents", "analyzer", "threads")

    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        separator: str = "/",
        parents: Mapping[Any, Any] | None = None,
        analyzer: Analyzer | str | None = None,
        threads: int | None = None,
    ) -> None:
        self.separator = separator
        self.parents = parents
        self.analyzer = analyzer
        self.threads = threads

    # Learning

    def fit(self, texts: Texts, labels: Labels, sample_weight: Column = None, *, groups: Column = None) -> Self:
        """Learn from these documents alone; what was learned before is gone.

        Weights and groups are those of `Classifier.fit`.
        """
        from banbury.hierarchy.fitting import fitted_levels  # nothing that predicts needs it

        check_many(texts)
        given = as_labels(labels)
        tree = self._tree_of(given)
        how: dict[str, Any] = {"analyzer": self.analyzer, "threads": self.threads}
        fitted = fitted_levels(tree, _kernel.hold(texts), given, sample_weight, groups, how)
        self._changes = Changes()
        self._levels, self._weights, self._report = fitted
        return self

    def learn(self, texts: Texts, labels: Labels, sample_weight: Column = None, *, new_labels: str = "allow") -> Self:
        """Learn from these documents too; new words and new labels are welcome, where these fit into the tree.

        What was chosen when the model was fitted stays. `new_labels="error"` refuses a label that the model does not
        know, and changes nothing.
        """
        if new_labels not in ("allow", "error"):
            raise InputError(f"new_labels is {new_labels!r}; it can be 'allow' or 'error'")
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        check_many(texts)
        given, known = as_labels(labels), self._leaves().model_.classes
        if new_labels == "error":
            check_known(given, known)
        check_kind(given, known)
        self._change(given, [*known, *given], lambda model, nodes: model.learn(texts, nodes, sample_weight))
        return self

    def partial_fit(self, X: Texts, y: Labels, sample_weight: Column = None) -> Self:
        """Learn from these documents too: `learn` by the name that scikit-learn has for it."""
        return self.learn(X, y, sample_weight)

    def forget(self, texts: Texts, labels: Labels, sample_weight: Column = None) -> Self:
        """Unlearn these documents: the model is as if it had never seen them."""
        check_many(texts)
        given, known = as_labels(labels), self._leaves().model_.classes
        self._change(given, [*known, *given], lambda model, nodes: model.forget(texts, nodes, sample_weight))
        return self

    def _change(
        self, labels: list[Any], all_labels: list[Any], change: Callable[[Classifier, list[Node]], Any]
    ) -> None:
        """Change every level, the labels' own first: what that takes, the levels above take too."""
        tree = self._tree_of(all_labels)
        with self._changes:
            for level in reversed(self._levels):
                change(level.model, level.nodes(tree, labels))

    def merge(self, other: HierarchicalClassifier) -> Self:
        """Learn everything that another model has learned; it stays as it is. Both need the same levels."""
        if not isinstance(other, HierarchicalClassifier):
            raise InputError(f"merge needs another HierarchicalClassifier, not one of type {type(other).__name__}")
        ours, theirs = self._require(), other._require()
        if [level.depth for level in ours] != [level.depth for level in theirs]:
            raise InputError(
                "these models tell apart different levels, so they cannot be merged; parts of one set are learned by "
                "an empty() of the same model"
            )
        classes = [levels[-1].model.model_.classes for levels in (ours, theirs)]
        check_kind(*classes)
        self._tree_of([*classes[0], *classes[1]])
        with self._changes:
            for level, more in zip(reversed(ours), reversed(theirs), strict=True):
                level.model.merge(more.model)
        return self

    def empty(self) -> Self:
        """A model with all that was chosen for this one, which has learned nothing."""
        made = type(self)(**self.get_params())
        made._levels = [Level(depth, model.empty()) for depth, model in self._require()]
        made._weights, made._report, made._changes = self._weights, None, Changes()
        return made

    # Predicting

    def predict(self, texts: Texts, *, sure: float | None = None, by: str = "probability") -> Any:
        """The label of each text, as an array; for one text its label.

        With `sure`, the deepest node that is at least so probable, None where not even one of the top is. ½ has the
        least expected distance from the truth. By `"distance"`, the label with the least expected distance.
        """
        check_sure(sure)
        if by not in ("probability", "distance"):
            raise InputError(f"by is {by!r}; it can be 'probability' or 'distance'")
        if sure is not None and by == "distance":
            raise InputError("sure and by='distance' are two ways to decide; sure=0.5 has the least expected distance")
        is_one = is_document(texts)
        predicted: list[Node | None] = []
        for tree, logs in self._in_parts([texts] if is_one else texts):
            predicted += predicted_nodes(tree, logs, sure, by)
        return predicted[0] if is_one else nodes_as_array(predicted)

    def predicted_with_probabilities(
        self, texts: Texts, *, sure: float | None = None
    ) -> list[tuple[Node | None, float]]:
        """What is predicted for each text, and how probable it is: None, for the top, is certain."""
        check_many(texts)
        check_sure(sure)
        answers: list[tuple[Node | None, float]] = []
        for tree, logs in self._in_parts(texts):
            predicted, chances = predicted_nodes(tree, logs, sure, "probability"), np.exp(logs)
            answers += [
                (node, 1.0 if node is None else min(float(row[tree.leaves_of[node]].sum()), 1.0))
                for node, row in zip(predicted, chances, strict=True)
            ]
        return answers

    def predict_proba(self, texts: Texts) -> NDArray[Any]:
        """The probability of each label for each text; columns follow `classes_`."""
        chances: NDArray[Any] = np.exp(self.predict_log_proba(texts))
        return chances

    def predict_log_proba(self, texts: Texts) -> NDArray[Any]:
        """The logarithms of `predict_proba`."""
        check_many(texts)
        return self._log_probabilities(texts)[1]

    def probabilities(self, text: str) -> dict[Node, float]:
        """The probability of each node for one text, from the top down, the most probable first at each level."""
        tree, logs = self._log_probabilities([text])
        chances = {node: float(chance[0]) for node, chance in node_probabilities(tree, np.exp(logs)).items()}
        return dict(sorted(chances.items(), key=lambda pair: (len(tree.path_of[pair[0]]), -pair[1])))

    def _in_parts(self, texts: Texts) -> Iterator[tuple[Tree, NDArray[np.float64]]]:
        """The tree, and log probabilities of some texts after others: memory grows with neither texts nor labels."""
        rows = as_texts(texts)
        size = max(MOST_LOGS // max(len(self._leaves().model_.classes), 1), 1)
        for start in range(0, len(rows), size):
            yield self._log_probabilities(rows[start : start + size])

    def _log_probabilities(self, texts: Texts) -> tuple[Tree, NDArray[np.float64]]:
        held = _kernel.hold(texts)
        if not self._leaves().model_.classes:
            raise NotFittedError(FORGOTTEN)

        def look() -> tuple[Tree, NDArray[np.float64]]:
            tree, by_level = self.tree_, []
            labels = list(tree.paths)
            for level in self._levels:
                classes, level_logs = level.model.model_.classes, level.model.predict_log_proba(held)
                places = {node: place for place, node in enumerate(classes)}
                nodes = level.nodes(tree, labels)
                if level_logs.shape[1] != len(classes) or not places.keys() >= set(nodes):
                    raise ChangedError  # another thread adds a node, or takes one away
                by_level.append(level_logs[:, [places[node] for node in nodes]])
            return tree, pooled(by_level, self._weights)

        return self._changes.read(lambda: self._changes.whole(look))

    # Looking

    def explain(self, text: str, *, label: Node | None = None, unit: str = "nats") -> list[Step]:
        """Why a text goes to a label, by default the most probable one, or to a node: one step for each level.

        Each step says why its node rather than the next best one of the same level.
        """
        tree, logs = self._log_probabilities([text])
        target = predicted_nodes(tree, logs, None, "probability")[0] if label is None else label
        path = self._path(tree, target)
        chances = node_probabilities(tree, np.exp(logs))
        steps = []
        for level, weight in zip(self._levels, self._weights, strict=True):
            place = len(tree.path_of[target]) if level.depth is None else level.depth
            if place > len(path) or (level.depth is None and target not in tree.paths):
                continue
            node = path[place - 1]
            if len(level.model.model_.classes) < 2:
                continue
            explanation = level.model.explain(text, label=node, unit=unit)
            steps.append(Step(node, float(chances[node][0]), weight, explanation))
        return steps

    def words(self, node: Node, *, top: int | None = None, sort: str = "for", min_count: int = 1) -> WordTable:
        """The words of a label or of a node above: counts and weights, beside all others of its level."""
        tree = self.tree_
        depth = len(self._path(tree, node))
        if node in tree.paths:
            return self._leaves().words(node, top=top, sort=sort, min_count=min_count)
        for level in self._levels:
            if level.depth == depth:
                return level.model.words(node, top=top, sort=sort, min_count=min_count)
        raise NotAvailable(f"{node!r} is the only node of its level, or has one label: words({node!r}) has no others")

    def evaluate(
        self, texts: Texts, labels: Labels, sample_weight: Column = None, *, sure: float | None = None
    ) -> HierarchyEvaluation:
        """How well the labels of these documents are predicted, level by level; `sure` as in `predict`."""
        from banbury.hierarchy.evaluation import Judged, evaluate_hierarchy

        check_many(texts)
        check_sure(sure)
        given, rows, tree = as_labels(labels), as_texts(texts), self.tree_
        if len(given) != len(rows):
            raise InputError(f"{len(rows)} documents but {len(given)} labels")
        check_kind(given, list(tree.paths))
        weights = as_sample_weight(sample_weight, len(given))
        paths = self._tree_of([*tree.paths, *given]).paths
        true_paths = [paths[label] for label in given]
        depth = max(map(len, paths.values()))
        judged = Judged([], [], np.empty((0, depth)))
        for tree, logs in self._in_parts(rows):
            predicted, start = predicted_nodes(tree, logs, sure, "probability"), len(judged.predicted)
            judged += Judged.of(tree, logs, predicted, true_paths[start : start + len(logs)], depth)
        return evaluate_hierarchy(tree, judged, np.ones(len(given)) if weights is None else weights)

    def score(self, texts: Texts, labels: Labels, sample_weight: Column = None) -> float:
        """The accuracy on these documents, by the name that scikit-learn has for it."""
        return self.evaluate(texts, labels, sample_weight).accuracy

    # What has been learned

    @property
    def tree_(self) -> Tree:
        """The tree of the labels that have been learned."""
        return self._tree_of(self._require()[-1].model.model_.classes)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted, as an array."""
        return self._require()[-1].model.classes_

    @property
    def documents_(self) -> dict[Node, int]:
        """The number of documents of each node that have been learned, from the top down."""
        leaves = self._require()[-1].model
        numbers = leaves.documents_
        return {node: sum(numbers[place] for place in places) for node, places in self.tree_.leaves_of.items()}

    @property
    def n_documents_(self) -> int:
        """The number of documents that have been learned."""
        return sum(self._require()[-1].model.documents_)

    @property
    def level_weights_(self) -> dict[str, float]:
        """How much each level counts in the probability of a label."""
        names = ["labels" if level.depth is None else f"level {level.depth}" for level in self._require()]
        return dict(zip(names, self._weights, strict=True))

    @property
    def report_(self) -> HierarchyEvaluation:
        """How well each training document is predicted by the model without it, at the last `fit`."""
        self._require()
        if self._report is None:
            raise NotAvailable("there is no report_ of this model; evaluate(texts, labels) tells how well it does")
        return self._report

    # What scikit-learn expects of an estimator

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_levels")

    def __sklearn_tags__(self) -> Any:
        return Classifier().__sklearn_tags__()

    def __getstate__(self) -> dict[str, Any]:
        return self.get_params() | ({"parts": self.parts()} if self.__sklearn_is_fitted__() else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = state.pop("parts", None)
        self.__dict__.update(state)
        if parts is not None:
            self._take(*parts)

    # Keeping

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; the same counts and settings give the same bytes."""
        storage.write(path, *self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Settings and arrays for `storage.write`: all that a file holds."""
        levels: list[dict[str, Any]] = []
        arrays: dict[str, Any] = {}
        for number, (depth, model) in enumerate(self._require()):
            settings, level_arrays = model.parts()
            levels.append({"depth": depth, "model": settings})
            arrays |= {f"level{number}.{name}": array for name, array in level_arrays.items()}
        parents = None if self.parents is None else sorted(map(list, self.parents.items()), key=str)
        report = None if self._report is None else self._report.to_dict()
        about = {"kind": "hierarchical classifier", "separator": self.separator, "parents": parents}
        return {**about, "levels": levels, "weights": self._weights, "report": report}, arrays

    @classmethod
    def load(cls, path: str | PathLike[str]) -> HierarchicalClassifier:
        """The model in a file."""
        file = storage.read(path)
        return cls.from_parts(file.settings, file.arrays, path)

    @classmethod
    def from_parts(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, Any], path: str | PathLike[str] | None = None
    ) -> HierarchicalClassifier:
        """The model that `parts` were taken from; arrays are read where they lie. Errors name the `path`."""
        where = "" if path is None else f"{path}: "
        try:
            if settings["kind"] != "hierarchical classifier":
                raise FileFormatError(f"it holds a {settings['kind']}, not a hierarchical classifier")
            parents = settings["parents"]
            model = cls(separator=settings["separator"], parents=None if parents is None else dict(map(tuple, parents)))
            model._take(settings, arrays)
        except FileFormatError as error:
            raise FileFormatError(f"{where}{error}") from error
        except MALFORMED as error:
            raise FileFormatError(f"{where}not a model of this version of banbury: {error}") from error
        model.analyzer = model._levels[-1].model.analyzer
        return model

    # Inside

    def _take(self, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        from banbury.hierarchy.evaluation import HierarchyEvaluation

        levels = []
        for number, level in enumerate(settings["levels"]):
            prefix = f"level{number}."
            level_arrays = {
                name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)
            }
            levels.append(Level(level["depth"], Classifier.from_parts(level["model"], level_arrays)))
        weights = [float(weight) for weight in settings["weights"]]
        depths = [level.depth for level in levels]
        if not levels or depths[-1] is not None or not all(type(depth) is int and depth > 0 for depth in depths[:-1]):
            raise FileFormatError("its levels are not those of a hierarchy")
        if len(weights) != len(levels) or not all(0 <= weight < 1e6 for weight in weights):
            raise FileFormatError("its levels have no weights")
        tree = self._tree_of(levels[-1].model.model_.classes)
        for level in levels:
            if sorted(set(level.nodes(tree, list(tree.paths)))) != level.model.model_.classes:
                raise FileFormatError("its levels have other nodes than its labels")
        report = settings["report"]
        if not isinstance(report, Mapping | None):
            raise FileFormatError("its report is no object")
        self._report = None if report is None else HierarchyEvaluation.from_settings(report)
        self._levels, self._weights, self._changes = levels, weights, Changes()

    def _tree_of(self, labels: list[Any]) -> Tree:
        return Tree.of(labels, self.separator, self.parents)

    def _path(self, tree: Tree, node: Node) -> tuple[Node, ...]:
        if node not in tree.path_of:
            raise LabelError(f"there is no label or node {node!r}; {suggestion(node, tree.nodes)}")
        return tree.path_of[node]

    def _require(self) -> list[Level]:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this model has not learned anything yet: call fit(texts, labels) first")
        return self._levels

    def _leaves(self) -> Classifier:
        return self._require()[-1].model


def predicted_nodes(tree: Tree, logs: NDArray[np.float64], sure: float | None, by: str) -> list[Node | None]:
    """The node that is predicted for each document, None for the top, by log probabilities of labels."""
    if sure is not None:
        return descend(tree, np.exp(logs), sure)
    labels = list(tree.paths)
    best = logs.argmax(axis=1) if by == "probability" else nearest_labels(tree, np.exp(logs))
    return [labels[place] for place in best.tolist()]
