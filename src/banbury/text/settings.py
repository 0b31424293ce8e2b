"""Settings: how the counts of texts are read. All of them can change after training."""

from __future__ import annotations

from collections.abc import Mapping

from banbury.annotations import Any, NamedTuple
from banbury.errors import InputError
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import as_labels
from banbury.text.likelihoods import LIKELIHOODS, Dirichlet, Prior, scorer

SHORT = 400  # characters: in documents that are longer on average, characters add nothing to words
# In mail and on web pages tags are evidence: by leave-one-out on mail they save a sixth of the log loss.
PAIRS = Analyzer(ngrams=(1, 2), tags="keep")
CHARACTERS = (2, 5)


class Settings(NamedTuple):
    """The parameters of a classifier that say how its counts are read."""

    likelihood: str = "automatic"
    smoothing: float | str | None = "auto"
    vocabulary: str = "shared"
    prior: Prior = "empirical"
    calibration: str | None = "auto"

    @property
    def is_automatic(self) -> bool:
        """Whether this is the automatic model, not one plain likelihood."""
        return self.likelihood == "automatic"

    @property
    def chooses_smoothing(self) -> bool:
        """Whether leave-one-out chooses the smoothing of the plain likelihood."""
        return isinstance(self.smoothing, str) and self.smoothing == "auto"

    @property
    def is_open(self) -> bool:
        """Whether leave-one-out chooses anything at all; if not, counts are all that is needed of documents."""
        return self.chooses_smoothing or self.calibration is not None

    @property
    def plain_likelihood(self) -> str:
        """The plain likelihood; beside the automatic model that is the multinomial."""
        return "multinomial" if self.is_automatic else self.likelihood

    def plain_form(self, smoothing: float | str | None) -> tuple[str, float | str | None, str]:
        """Likelihood, smoothing and vocabulary of the plain model; `smoothing` is used where none is given."""
        return self.plain_likelihood, smoothing if self.chooses_smoothing else self.smoothing, self.vocabulary

    def change_from(self, other: Settings) -> str:
        """The first difference but for the prior, in words; empty where there is none."""
        for name, ours, theirs in zip(self._fields, self, other, strict=True):
            if name != "prior" and ours != theirs:
                return f"{name} was {theirs!r} and is {ours!r}"
        return ""

    def plain(self) -> dict[str, Any]:
        """The settings as plain data, for a file."""
        smoothing: Any = self.smoothing
        prior: Any = self.prior
        if isinstance(prior, Mapping):
            prior = sorted(zip(as_labels(list(prior)), map(float, prior.values()), strict=True))
        elif isinstance(prior, Dirichlet):
            prior = {"dirichlet": prior.pseudo_documents}
        if smoothing is not None and not isinstance(smoothing, str):
            smoothing = float(smoothing)
        return self._replace(smoothing=smoothing, prior=prior)._asdict()

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Settings:
        """The settings that `plain` gave."""
        prior = values["prior"]
        if isinstance(prior, list):
            prior = dict(map(tuple, prior))
        elif isinstance(prior, Mapping):
            pseudo = prior["dirichlet"]
            prior = Dirichlet(dict(map(tuple, pseudo)) if isinstance(pseudo, list) else pseudo)
        return cls(**{**values, "prior": prior})

    def check(self) -> None:
        """Raise an error for a setting that cannot be used; a prior can only be checked against the labels."""
        if self.likelihood not in (known := ("automatic", *LIKELIHOODS)):
            raise InputError(f"likelihood is {self.likelihood!r}; it can be {', '.join(map(repr, known))}")
        if self.calibration not in ("auto", None):
            raise InputError(f"calibration is {self.calibration!r}; it can be 'auto' or None")
        if self.is_automatic and not self.chooses_smoothing:
            raise InputError(
                f"smoothing is {self.smoothing!r}, but the automatic model has no smoothing; "
                f"for a plain model write likelihood='multinomial', smoothing={self.smoothing!r}"
            )
        if self.is_automatic and self.calibration is None:
            raise InputError(
                "calibration is None, but the automatic model is always calibrated; "
                "for the posterior of a plain model write likelihood='multinomial', calibration=None"
            )
        scorer(Counts(PAIRS).kernel, *self.plain_form(1.0))


def analyzers_for(
    analyzer: Analyzer | str | None, n_documents: int, n_characters: int, settings: Settings
) -> tuple[Analyzer, Analyzer | None]:
    """The analyzer to count with; and the one without its last block, where leave-one-out decides between the two."""
    if analyzer is not None or not settings.is_automatic:
        return as_analyzer(analyzer), None
    if n_characters < SHORT * n_documents:
        return PAIRS.replace(characters=CHARACTERS), PAIRS
    return PAIRS, None


def as_analyzer(analyzer: Analyzer | str | None) -> Analyzer:
    """An analyzer, one by the name of its preset, or for None the usual one: single words.

    >>> as_analyzer("words") == as_analyzer(None)
    True
    """
    match analyzer:
        case None:
            return Analyzer()
        case Analyzer():
            return analyzer
        case str():
            return Analyzer.preset(analyzer)  # type: ignore[arg-type]  # preset says what names there are
    raise InputError(f"analyzer is {analyzer!r}; it can be an Analyzer, the name of a preset, or None")
