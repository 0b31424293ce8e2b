"""The parameters of a classifier by their names: what was given, what is changed, what can be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from banbury.annotations import TYPE_CHECKING, Any, ClassVar, Self, TypedDict
from banbury.errors import InputError
from banbury.text.analyzer import Analyzer
from banbury.text.settings import Settings, as_analyzer

if TYPE_CHECKING:
    from banbury.text.likelihoods import Prior


class Parameters(TypedDict, total=False):
    """The parameters of `Classifier`, whose docstring explains each."""

    columns: Mapping[Any, Any] | Sequence[str] | None
    analyzer: Analyzer | str | None
    likelihood: str
    smoothing: float | str | None
    vocabulary: str
    prior: Prior
    effort: str
    calibration: str | None
    exact_forget: bool
    threads: int | None


PARAMETERS = tuple(Parameters.__annotations__)
EFFORTS = ("counting", "best")


def parameters_of(estimator: object, *, deep: bool = False) -> dict[str, Any]:
    """The parameters as they were given; `deep` adds the settings of the analyzer, as `analyzer__ngrams`."""
    parameters = {name: getattr(estimator, name) for name in PARAMETERS}
    if deep and parameters["analyzer"] is not None:
        settings = as_analyzer(parameters["analyzer"]).settings()
        parameters |= {f"analyzer__{name}": value for name, value in settings.items()}
    return parameters


def changed_parameters(analyzer: Analyzer | str | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes by parameter; those of single settings of the analyzer become one new analyzer.

    >>> changed_parameters(None, {"prior": "uniform", "analyzer__ngrams": (1, 2)})
    {'prior': 'uniform', 'analyzer': Analyzer(ngrams=(1, 2))}
    """
    names = {name: name.partition("__") for name in changes}
    for name, (parameter, _, setting) in names.items():
        if parameter not in PARAMETERS or (setting and parameter != "analyzer"):
            raise InputError(f"there is no parameter {name!r}; there is {', '.join(PARAMETERS)}")
    changed = {name: value for name, value in changes.items() if name in PARAMETERS}
    if settings := {names[name][2]: value for name, value in changes.items() if name not in PARAMETERS}:
        changed["analyzer"] = as_analyzer(changed.get("analyzer", analyzer)).with_settings(**settings)
    return changed


def shown(estimator: object, defaults: object) -> str:
    """The call that makes an estimator of these parameters; those that are as by default are left out."""
    usual = parameters_of(defaults)
    given = [f"{name}={value!r}" for name, value in parameters_of(estimator).items() if value != usual[name]]
    return f"{type(estimator).__name__}({', '.join(given)})"


def check_parameters(settings: Settings, effort: str) -> Settings:
    """The settings, where they and the effort can be used; else an `InputError`."""
    settings.check()
    if effort not in EFFORTS:
        raise InputError(f"effort is {effort!r}; it can be {' or '.join(map(repr, EFFORTS))}")
    return settings


def sklearn_tags() -> Any:
    """What scikit-learn asks of an estimator that takes texts or tables, and gives classes."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags  # only scikit-learn itself asks

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=True),
        classifier_tags=ClassifierTags(),
        input_tags=InputTags(one_d_array=True, two_d_array=True, string=True, categorical=True, allow_nan=True),
    )


class Estimator:
    """What scikit-learn expects of a class whose parameters are its attributes: they are read, changed and shown.

    >>> class Doubled(Estimator):
    ...     parameter_names = ("times",)
    ...
    ...     def __init__(self, *, times=2):
    ...         self.times = times
    >>> Doubled().set_params(times=3)
    Doubled(times=3)
    """

    parameter_names: ClassVar[tuple[str, ...]]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in self.parameter_names}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters."""
        for name in parameters:
            if name not in self.parameter_names:
                raise InputError(f"there is no parameter {name!r}; there is {', '.join(self.parameter_names)}")
        self.__dict__.update(parameters)
        return self

    def __repr__(self) -> str:
        usual = type(self)()
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if value != getattr(usual, name)]
        return f"{type(self).__name__}({', '.join(given)})"
