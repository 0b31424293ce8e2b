"""scikit-learn estimators on arrays and sparse matrices, around the same statistics as everything else.

They take scikit-learn's parameters and give its numbers, where these are right. A missing value (NaN) adds nothing, an
unseen category is smoothed, an unknown label in `partial_fit` is an error, and no parameter and no column makes a
probability that is not a number. `transform` gives the log-likelihood of each class, as features for another model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from banbury.errors import InputError, LabelError, MissingExtra

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.utils import Tags
    from sklearn.utils.multiclass import check_classification_targets, unique_labels
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative, validate_data
except ImportError as error:
    raise MissingExtra("banbury.sklearn needs scikit-learn, 1.6 or later: pip install 'banbury[sklearn]'") from error

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banbury.stats.softmax import IMPOSSIBLE, log_softmax, softmax
from banbury.tables.kinds import Bernoulli, Categorical, Gaussian, Multinomial, Number, Poisson
from banbury.tables.kinds.linear import Lines
from banbury.tables.kinds.statistics import Kind, is_sparse
from banbury.text.analyzer import Analyzer
from banbury.text.documents import Texts
from banbury.text.settings import as_analyzer

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "MixedNB",
    "MultinomialNB",
    "PoissonNB",
    "TermCounter",
]

Matrix = Any
"""An array, or a sparse matrix of SciPy, which has no types."""


class _ArrayClassifier(ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Common code of the estimators: everything but the kind of their columns."""

    _is_positive: ClassVar[bool] = False
    """Whether negative values are an error."""
    _is_categorical: ClassVar[bool] = False
    _is_poor: ClassVar[bool] = False
    """Whether it does badly on numbers that are no counts, with which scikit-learn tests it."""

    classes_: NDArray[Any]
    class_count_: NDArray[Any]
    statistics_: Any

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from these rows alone; what was learned before is gone."""
        return self._learn(X, y, None, sample_weight, is_first=True)

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from these rows too. The first call says which `classes` there are; another label is an error."""
        is_first = not hasattr(self, "classes_")
        if is_first and classes is None:
            raise InputError("classes must be passed on the first call to partial_fit: later rows may have more labels")
        if not is_first and classes is not None and not np.array_equal(self.classes_, unique_labels(classes)):
            raise LabelError(
                f"classes are {np.asarray(classes).tolist()!r}, but the first call said {self.classes_.tolist()!r}"
            )
        return self._learn(X, y, classes, sample_weight, is_first=is_first)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The label of each row."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(self.classes_[joint.argmax(axis=1)])

    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """The probability of each class, by row."""
        return softmax(self.predict_joint_log_proba(X))

    def predict_log_proba(self, X: ArrayLike) -> NDArray[Any]:
        """The logarithms of `predict_proba`, precise where that is close to 0."""
        return log_softmax(self.predict_joint_log_proba(X))

    def predict_joint_log_proba(self, X: ArrayLike) -> NDArray[Any]:
        """log P(class) + log P(row | class), by row and class."""
        return np.asarray(self._scores(X) + self.class_log_prior_)

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """log P(row | class), by row and class."""
        return self._scores(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The labels: what `transform` has a column for."""
        check_is_fitted(self)
        return np.array([f"{label}" for label in self.classes_], dtype=object)

    @property
    def class_log_prior_(self) -> NDArray[Any]:
        """The logarithm of each class's prior probability."""
        return _log_prior(self._prior(), getattr(self, "fit_prior", True), self.class_count_)

    def _prior(self) -> ArrayLike | None:
        prior: ArrayLike | None = self.class_prior
        return prior

    def _learn(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
        *,
        is_first: bool,
    ) -> Self:
        values, labels = self._values(X, y, reset=is_first)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, values, dtype=np.float64)
        if is_first:
            check_classification_targets(labels)
            known = np.unique(labels) if classes is None else unique_labels(classes)
        else:
            known = self.classes_
        numbers = _class_numbers(labels, known)
        statistics = None if is_first else self.statistics_
        statistics = self._learned(statistics, values, numbers, weights, len(known))
        _log_prior(self._prior(), True, np.ones(len(known)))  # a wrong prior is found before anything changes
        count = np.bincount(numbers, weights, minlength=len(known)).astype(float)
        self.class_count_ = count if is_first else self.class_count_ + count
        self.classes_, self.statistics_ = known, statistics
        return self

    def _learned(
        self, statistics: Any, X: Matrix, numbers: NDArray[np.intp], weights: NDArray[Any] | None, n_classes: int
    ) -> Any:
        """Statistics that have these rows too; those given, if any, stay as they are."""
        if statistics is None:
            statistics = self._kind(X.shape[1]).statistics(X.shape[1], n_classes)
        statistics = statistics.copy()
        statistics.kind = self._kind(X.shape[1])
        statistics.names = getattr(self, "feature_names_in_", None)
        return statistics.add(X, numbers, weights)

    def _kind(self, n_features: int) -> Kind:
        raise NotImplementedError

    def _scores(self, X: Matrix) -> NDArray[Any]:
        # Not `transform` itself: what that gives may have been made a data frame.
        check_is_fitted(self)
        return self._log_likelihoods(self._values(X, reset=False))

    def _log_likelihoods(self, X: Matrix) -> NDArray[Any]:
        return np.asarray(self.statistics_.scores(X))

    def _values(self, X: ArrayLike, y: ArrayLike = "no_validation", *, reset: bool) -> Any:
        checks = {"accept_sparse": "csr", "dtype": np.float64, "ensure_all_finite": "allow-nan", "reset": reset}
        has_labels = not isinstance(y, str)
        checked: Any = validate_data(self, X, y, **checks) if has_labels else (validate_data(self, X, **checks),)
        if self._is_positive:
            check_non_negative(checked[0], type(self).__name__)
        X = self._prepared(checked[0])
        return (X, checked[1]) if has_labels else X

    def _prepared(self, X: Matrix) -> Matrix:
        """Numbers as the kind wants them."""
        return X

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.positive_only = self._is_positive
        tags.input_tags.categorical = self._is_categorical
        tags.classifier_tags.poor_score = self._is_poor
        return tags


class MultinomialNB(_ArrayClassifier):
    """Multinomial Naive Bayes, for counts such as those of words, or tf-idf.

    `alpha` is added to every count: a number, or one for each column. With `fit_prior` False all classes are as likely
    before the row is read, unless `class_prior` says how likely each is.

    >>> MultinomialNB().fit([[3, 0], [0, 2]], ["spam", "ham"]).predict([[1, 0]]).tolist()
    ['spam']
    """

    _is_positive = True
    _is_poor = True

    def __init__(
        self, *, alpha: float | Sequence[float] = 1.0, fit_prior: bool = True, class_prior: ArrayLike | None = None
    ) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _kind(self, n_features: int) -> Kind:
        return Multinomial(smoothing=_smoothing(self.alpha, n_features), fractions=True)

    @property
    def feature_count_(self) -> NDArray[Any]:
        """The sum of each column, by class."""
        return np.asarray(self.statistics_.sums["counts"])

    @property
    def feature_log_prob_(self) -> NDArray[Any]:
        """log P(column | class)."""
        possible, impossible = self.statistics_.linear()
        return np.asarray(possible.slope + IMPOSSIBLE * impossible.slope)


class ComplementNB(MultinomialNB):
    """Complement Naive Bayes: each class is estimated from all other classes; for classes of different size.

    With `norm` the weights of each class are divided by the sum of their sizes.

    >>> ComplementNB().fit([[3, 0], [0, 2]], ["spam", "ham"]).predict([[1, 0]]).tolist()
    ['spam']
    """

    def __init__(
        self,
        *,
        alpha: float | Sequence[float] = 1.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    @property
    def feature_log_prob_(self) -> NDArray[Any]:
        """−log P(column | any other class)."""
        return np.asarray(self.statistics_.complement(norm=self.norm))

    def _log_likelihoods(self, X: Matrix) -> NDArray[Any]:
        weights = self.feature_log_prob_
        return np.asarray(self.statistics_.products(X, Lines(weights, np.zeros_like(weights))))

    def predict_joint_log_proba(self, X: ArrayLike) -> NDArray[Any]:
        """The sum of the weights, by row and class; the prior counts only where there is one class."""
        scores = self._scores(X)
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores


class BernoulliNB(_ArrayClassifier):
    """Bernoulli Naive Bayes: presence and absence both count. Values above `binarize` are 1; None if they are 0 and 1
    already.

    `alpha` is added to how often there was a yes and a no: a number, or one for each column.

    >>> BernoulliNB().fit([[1, 0], [0, 1]], ["spam", "ham"]).predict([[1, 1], [1, 0]]).tolist()
    ['ham', 'spam']
    """

    _is_poor = True

    def __init__(
        self,
        *,
        alpha: float | Sequence[float] = 1.0,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
    ) -> None:
        self.alpha = alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _kind(self, n_features: int) -> Kind:
        return Bernoulli(smoothing=_smoothing(self.alpha, n_features))

    def _prepared(self, X: Matrix) -> Matrix:
        if self.binarize is None:
            return X
        if not is_sparse(X):
            return np.where(np.isnan(X), np.nan, self.binarize < X)
        if self.binarize < 0:
            raise InputError(f"binarize is {self.binarize!r}; below 0, the zeros of a sparse matrix would be ones")
        X = X.copy()
        X.data = np.where(np.isnan(X.data), np.nan, X.data > self.binarize)
        X.eliminate_zeros()
        return X

    @property
    def feature_count_(self) -> NDArray[Any]:
        """How many rows have a yes, by class and column."""
        return np.asarray(self.statistics_.sums["ones"])

    @property
    def feature_log_prob_(self) -> NDArray[Any]:
        """log P(yes | class)."""
        return np.asarray(
            self.statistics_.log_chances(self.statistics_.sums["known"], self.statistics_.sums["ones"])[0]
        )


class CategoricalNB(_ArrayClassifier):
    """Categorical Naive Bayes, for categories numbered 0, 1, 2 … as by scikit-learn's `OrdinalEncoder`.

    `alpha` is added to how often each category was seen. A column has as many categories as were seen in it, or
    `min_categories` if that is more. One that was not seen is read as a category with count 0. Fractions are rounded
    down.

    >>> CategoricalNB().fit([[0], [0], [2]], ["a", "a", "b"]).predict([[2], [7]]).tolist()
    ['b', 'a']
    """

    _is_positive = True
    _is_categorical = True

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        min_categories: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def _kind(self, n_features: int) -> Kind:
        least = self.min_categories
        if least is None or np.ndim(least) == 0:
            return Categorical(smoothing=self.alpha, categories=least)
        each = tuple(np.asarray(least).astype(int).tolist())
        if len(each) != n_features:
            raise InputError(f"min_categories has {len(each)} numbers, for {n_features} columns")
        return Categorical(smoothing=self.alpha, categories=each)

    def _prepared(self, X: Matrix) -> Matrix:
        return X.floor() if is_sparse(X) else np.floor(X)

    @property
    def category_count_(self) -> list[Any]:
        """For each column how many rows have each category, by class."""
        counts = self.statistics_.sums["counts"]
        return [counts[:, column] for column in range(counts.shape[1])]

    @property
    def feature_log_prob_(self) -> list[Any]:
        """For each column log P(category | class), by class."""
        n_categories = self.statistics_.sums["counts"].shape[2]
        codes = np.repeat(np.arange(n_categories, dtype=float)[:, None], self.statistics_.n_features, axis=1)
        logs = self.statistics_.log_probabilities(codes)
        return [logs[:, :, column].T for column in range(logs.shape[2])]


class GaussianNB(_ArrayClassifier):
    """Gaussian Naive Bayes, for continuous numbers.

    To each variance `var_smoothing` times the column's own variance in all rows learned so far is added, so it does not
    matter how these came in, nor how large other columns are. `priors` are the probabilities of the classes.

    >>> GaussianNB().fit([[1.0], [1.2], [8.0], [9.0]], [0, 0, 1, 1]).predict([[2.0]]).tolist()
    [0]
    """

    def __init__(self, *, priors: ArrayLike | None = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _prior(self) -> ArrayLike | None:
        return self.priors

    def _kind(self, n_features: int) -> Kind:
        return Gaussian(variance="biased", smoothing=self.var_smoothing)

    @property
    def theta_(self) -> NDArray[Any]:
        """The mean of each column, by class."""
        return np.asarray(self.statistics_.posterior()["mean"].value)

    @property
    def var_(self) -> NDArray[Any]:
        """The variance of each column, by class."""
        return np.asarray(self.statistics_.posterior()["variance"].value)


class PoissonNB(_ArrayClassifier):
    """Poisson Naive Bayes, for counts of events. `alpha` rows with the column's overall rate are added.

    >>> PoissonNB().fit([[0, 3], [1, 5], [4, 1]], ["a", "a", "b"]).predict([[3, 1]]).tolist()
    ['b']
    """

    _is_positive = True

    def __init__(self, *, alpha: float = 1.0, fit_prior: bool = True, class_prior: ArrayLike | None = None) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _kind(self, n_features: int) -> Kind:
        # A rate of 0 would make everything else impossible; this is as good as nothing.
        return Poisson(rows=self.alpha or 1e-10, fractions=True)

    @property
    def rate_(self) -> NDArray[Any]:
        """The mean of each column, by class."""
        events, rows = self.statistics_.posterior_gamma()
        return np.asarray((events / rows)[0])


class MixedNB(_ArrayClassifier):
    """Naive Bayes for columns of different kinds.

    `kinds` has the kind of each column: a list with one for each, or a dictionary by number or name with those that are
    to be given. The kind of any other column is inferred when the model is first fitted: `Bernoulli` where there are
    only 0 and 1, else `Number`, which chooses the form of the distribution. Columns of equal `Multinomial` kinds are
    one group. `kinds_` says what was used.

    >>> from banbury import Categorical
    >>> rows = [[0, 1.5, 1], [2, 1.0, 1], [1, 7.5, 0], [1, 9.0, 1]]
    >>> model = MixedNB(kinds={0: Categorical()}).fit(rows, ["a", "a", "b", "b"])
    >>> [type(kind).__name__ for kind in model.kinds_], model.predict([[1, 8.0, 1]]).tolist()
    (['Categorical', 'Number', 'Bernoulli'], ['b'])
    """

    def __init__(self, *, kinds: Any = None, fit_prior: bool = True, class_prior: ArrayLike | None = None) -> None:
        self.kinds = kinds
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _learned(
        self, statistics: Any, X: Matrix, numbers: NDArray[np.intp], weights: NDArray[Any] | None, n_classes: int
    ) -> Any:
        X = X.toarray() if is_sparse(X) else X
        names = getattr(self, "feature_names_in_", None)
        if statistics is None:
            kinds = self._kinds(X, names)
            groups = [(kind, [n for n, other in enumerate(kinds) if other == kind]) for kind in dict.fromkeys(kinds)]
            statistics = [(columns, kind.statistics(len(columns), n_classes)) for kind, columns in groups]
        learned = []
        for columns, group in statistics:
            copy = group.copy()
            copy.names = columns if names is None else names[columns]
            learned.append((columns, copy.add(X[:, columns], numbers, weights)))
        return learned

    def _kinds(self, X: Matrix, names: Any) -> list[Any]:
        n_features = X.shape[1]
        given: dict[int, Any] = {}
        if isinstance(self.kinds, Mapping):
            places = {} if names is None else {name: place for place, name in enumerate(names)}
            for column, kind in self.kinds.items():
                place = places.get(column, column)
                if not isinstance(place, (int, np.integer)) or not 0 <= place < n_features:
                    raise InputError(f"kinds speaks of column {column!r}; there are {n_features} columns")
                given[int(place)] = kind
        elif self.kinds is not None:
            if len(self.kinds) != n_features:
                raise InputError(f"kinds has {len(self.kinds)} kinds, for {n_features} columns")
            given = dict(enumerate(self.kinds))
        for column, kind in given.items():
            if not isinstance(kind, Kind):
                raise InputError(f"column {column} has kind {kind!r}; it can be a kind such as banbury.Gaussian()")
        return [given.get(column) or _inferred(X[:, column]) for column in range(n_features)]

    @property
    def kinds_(self) -> list[Any]:
        """The kind of each column."""
        kinds = {column: group.kind for columns, group in self.statistics_ for column in columns}
        return [kinds[column] for column in sorted(kinds)]

    def _log_likelihoods(self, X: Matrix) -> NDArray[Any]:
        X = X.toarray() if is_sparse(X) else X
        return np.asarray(np.sum([group.scores(X[:, columns]) for columns, group in self.statistics_], axis=0))


class TermCounter(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts to their document-term matrix, as the first step of a pipeline: `CountVectorizer` with banbury's analyzer.

    `binary` has 1 for each feature of a text, however often it stands there. Features of fewer than `min_documents`
    texts are left out.

    >>> counter = TermCounter().fit(["to be or not to be", "be quick"])
    >>> counter.transform(["quick, be quick"]).toarray().tolist()
    [[1, 0, 0, 2, 0]]
    >>> counter.get_feature_names_out().tolist()
    ['be', 'not', 'or', 'quick', 'to']
    """

    names_: list[str]

    def __init__(self, *, analyzer: Analyzer | str | None = None, binary: bool = False, min_documents: int = 1) -> None:
        self.analyzer = analyzer
        self.binary = binary
        self.min_documents = min_documents

    def fit(self, X: Texts, y: object = None) -> TermCounter:
        """Learn which features there are."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Texts, y: object = None) -> Matrix:
        """Learn which features there are, and the matrix of the same texts."""
        counted = as_analyzer(self.analyzer).matrix(X, binary=self.binary, min_documents=self.min_documents)
        self.names_ = counted.names
        return counted.matrix

    def transform(self, X: Texts) -> Matrix:
        """The matrix of these texts; features that are not known have no column."""
        check_is_fitted(self)
        return as_analyzer(self.analyzer).matrix(X, binary=self.binary, names=self.names_).matrix

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The feature of each column."""
        check_is_fitted(self)
        return np.array(self.names_, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, True, False
        return tags


def _inferred(column: NDArray[Any]) -> Kind:
    known = column[~np.isnan(column)]
    return Bernoulli() if known.size and np.isin(known, (0.0, 1.0)).all() else Number()


def _smoothing(alpha: ArrayLike, n_features: int) -> float | tuple[float, ...]:
    """A number, or a tuple with one for each column."""
    numbers = np.asarray(alpha, dtype=float)
    if numbers.ndim == 0:
        return float(numbers)
    if numbers.shape != (n_features,):
        raise InputError(f"alpha has shape {numbers.shape}; it can be a number, or one for each column")
    return tuple(numbers.tolist())


def _class_numbers(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    numbers = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    unknown = classes[numbers] != y
    if unknown.any():
        row = int(unknown.argmax())
        raise LabelError(f"row {row} has label {y[row]!r}; the classes are {', '.join(map(repr, classes.tolist()))}")
    return np.asarray(numbers, dtype=np.intp)


def _log_prior(prior: ArrayLike | None, fit_prior: bool, counts: NDArray[Any]) -> NDArray[Any]:
    if prior is not None:
        shares = np.asarray(prior, dtype=float)
        if shares.shape != counts.shape:
            raise InputError(f"the prior has {shares.size} probabilities, for {len(counts)} classes")
        if not (shares >= 0).all() or not np.isclose(shares.sum(), 1):
            raise InputError(f"the prior is {shares.tolist()}; probabilities are 0 or more, and sum to 1")
    else:
        shares = counts if fit_prior else np.ones(len(counts))
    with np.errstate(divide="ignore"):
        logs: NDArray[Any] = np.log(shares) - np.log(shares.sum())
    return logs
