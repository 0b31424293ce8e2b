"""An estimator for pipelines of `pyspark.ml`, and its model; both are saved, copied and tuned like those of Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param import Param
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsReader, DefaultParamsWritable, DefaultParamsWriter
from pyspark.sql.functions import col, when

from banbury import storage
from banbury.classifier import Classifier
from banbury.distributed import predicting
from banbury.errors import FileFormatError, InputError, NotFittedError
from banbury.parameters import PARAMETERS, parameters_of
from banbury.spark import frames
from banbury.text.analyzer import Analyzer
from banbury.text.settings import Settings

__all__ = ["BanburyClassifier", "BanburyClassifierModel"]

DataFrame = Any
FILE_PIECE = 1 << 24  # bytes of a model's file in one row of Parquet, which can hold 2 GiB and wants much less
MOST_PLACES = 100_000  # of a vector of probabilities: labels that are larger numbers are no places
OF_FIT = {
    "nulls": "what becomes of a row without text or label: 'error', or 'skip'",
    "shards": "counts are cut by the features' hashes into so many parts, each merged by a task of its own",
    "min_documents": "features of fewer documents are forgotten",
}


class ClassifierParams(HasLabelCol, HasPredictionCol, HasProbabilityCol, HasWeightCol):  # type: ignore[misc]
    """The parameters of estimator and model: names of columns, and those of `Classifier`, by their names."""

    def __init__(self) -> None:
        super().__init__()
        self.textCol = Param(self, "textCol", "the column of texts; with `columns` it is not used", str)
        plain = {"analyzer": _plain_analyzer, "prior": _plain_prior, "columns": _plain_columns}
        for name in PARAMETERS:
            setattr(self, name, Param(self, name, f"{name} of banbury.Classifier", plain.get(name, _as_it_is)))
        for name, meaning in OF_FIT.items():
            setattr(self, name, Param(self, name, meaning, _as_it_is))
        self._setDefault(textCol="text", nulls="error", shards=None, min_documents=1, **parameters_of(Classifier()))

    def setParams(self, **parameters: Any) -> Any:
        """Change parameters by their names; gives back the same object."""
        for name in parameters:
            if not self.hasParam(name):
                known = ", ".join(param.name for param in self.params)
                raise InputError(f"there is no parameter {name!r}; there is {known}")
        return self._set(**parameters)


class BanburyClassifier(Estimator, ClassifierParams, DefaultParamsWritable, DefaultParamsReadable):  # type: ignore[misc]
    """`Classifier` as an estimator of `pyspark.ml`, for texts, or with `columns` for rows of a table.

    The parameters are those of `Classifier` and of `banbury.spark.fit`, and the names of columns: `textCol`,
    `labelCol`, `weightCol`, `predictionCol`, `probabilityCol`. The prediction is the label; where labels are numbers,
    such as those of a `StringIndexer`, it is a double, and they are the places in the vector of probabilities, as
    evaluators of `pyspark.ml` expect.

    >>> BanburyClassifier(likelihood="multinomial", smoothing=0.5, labelCol="index").getLabelCol()
    'index'
    """

    def __init__(self, **parameters: Any) -> None:
        super().__init__()
        self.setParams(**parameters)

    def _fit(self, dataset: DataFrame) -> BanburyClassifierModel:
        label, columns = self.getLabelCol(), self.getOrDefault("columns")
        parameters = {name: self.getOrDefault(name) for name in PARAMETERS if name != "columns"}
        parameters["analyzer"] = _analyzer(parameters["analyzer"])
        parameters["prior"] = Settings.from_plain(Settings(prior=parameters["prior"])._asdict()).prior
        classifier = frames.fit(
            dataset,
            text=self.getOrDefault("textCol"),
            columns=columns,
            label=label,
            sample_weight=self.getOrDefault("weightCol") if self.isDefined("weightCol") else None,
            **{name: self.getOrDefault(name) for name in OF_FIT},
            **parameters,
        )
        indexed = dataset.schema[label].metadata.get("ml_attr", {}).get("vals", [])
        model = BanburyClassifierModel(classifier, n_places=max(len(indexed), n_places_of(classifier)))
        return self._copyValues(model)  # type: ignore[no-any-return]


class BanburyClassifierModel(Model, ClassifierParams, DefaultParamsWritable, DefaultParamsReadable):  # type: ignore[misc]
    """What `BanburyClassifier` fits: a transformer that adds the columns `prediction` and `probability`.

    `classifier` is the `banbury.Classifier` in it, with all that it can do. A column with an empty name is left out.
    """

    def __init__(self, classifier: Classifier | None = None, n_places: int = 0) -> None:
        super().__init__()
        self._classifier = classifier
        self.numClasses = Param(self, "numClasses", "how many probabilities a row has", int)
        self._set(numClasses=n_places)

    @property
    def classifier(self) -> Classifier:
        """The classifier: it explains, is saved as a file of its own, served."""
        if self._classifier is None:
            raise NotFittedError("this model holds no classifier: fit a BanburyClassifier, or load a model")
        return self._classifier

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model, n_places = self.classifier, self.getOrDefault("numClasses")
        places = places_of(model) or list(range(len(model.model_.classes)))
        names = {"prediction": self.getPredictionCol(), "probability": self.getProbabilityCol()}
        kept = {kind: name or f"{self.uid}_{kind}" for kind, name in names.items()}
        prediction, probability = kept.values()
        df = frames.with_predictions(
            model, dataset, self.getOrDefault("textCol"), prediction, probability, places, n_places
        )
        array = col(f"`{probability}`")
        vectors = df.withColumn(probability, when(array.isNotNull(), array_to_vector(array)))
        return vectors.drop(*(kept[kind] for kind, name in names.items() if not name))

    def write(self) -> ModelWriter:
        """What saves the model: its parameters as JSON, and its file, which is checked when it is read."""
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader:
        """What loads a model that was saved."""
        return ModelReader(cls)

    def with_classifier(self, classifier: Classifier) -> BanburyClassifierModel:
        """The same parameters with another classifier."""
        model: BanburyClassifierModel = self.copy()
        model._classifier = classifier
        return model


class ModelWriter(DefaultParamsWriter):  # type: ignore[misc]
    """Saves a model wherever Spark can write: its parameters in `metadata`, its file, in pieces, in `data`."""

    def saveImpl(self, path: str) -> None:
        """Save to a folder."""
        super().saveImpl(path)
        content = storage.to_bytes(*self.instance.classifier.parts())
        pieces = [content[start : start + FILE_PIECE] for start in range(0, len(content), FILE_PIECE)]
        table = pa.table({"place": list(range(len(pieces))), "piece": pa.array(pieces, pa.binary())})
        self.sparkSession.createDataFrame(table).coalesce(1).write.parquet(f"{path}/data")


class ModelReader(DefaultParamsReader):  # type: ignore[misc]
    """Loads a model that `ModelWriter` has saved."""

    def load(self, path: str) -> BanburyClassifierModel:
        """The model in a folder."""
        model: BanburyClassifierModel = super().load(path)
        pieces = self.sparkSession.read.parquet(f"{path}/data").orderBy("place").toArrow()["piece"].to_pylist()
        try:
            file = storage.from_bytes(b"".join(pieces))
        except FileFormatError as error:
            raise FileFormatError(f"{path}: {error}") from error
        return model.with_classifier(Classifier.from_parts(file.settings, file.arrays, path))


def places_of(model: Classifier) -> list[int]:
    """The places of the classes in a vector of probabilities; none where labels are no whole numbers from 0 on."""
    classes = model.model_.classes
    if not predicting.is_number(model) or any(label < 0 or label != int(label) for label in classes):
        return []
    return [int(label) for label in classes]


def n_places_of(model: Classifier) -> int:
    """How many probabilities a row has."""
    n_places = max(places_of(model), default=len(model.model_.classes) - 1) + 1
    if n_places > MOST_PLACES:
        raise InputError(
            f"label {n_places - 1} would be a place in a vector of probabilities; number labels by a StringIndexer"
        )
    return n_places


# Values that JSON holds, for whoever saves an estimator or a grid of parameters; each takes its own result, too.


def _as_it_is(value: Any) -> Any:
    return value


def _plain_analyzer(analyzer: Any) -> Any:
    return analyzer.settings() if isinstance(analyzer, Analyzer) else analyzer


def _analyzer(plain: Any) -> Any:
    return Analyzer.from_settings(plain) if isinstance(plain, Mapping) else plain


def _plain_prior(prior: Any) -> Any:
    if isinstance(prior, Mapping) and set(prior) == {"dirichlet"}:
        return prior
    return Settings(prior=prior).plain()["prior"]


def _plain_columns(columns: Any) -> Any:
    if isinstance(columns, Mapping):
        for name, kind in columns.items():
            if not isinstance(kind, str):
                raise InputError(
                    f"column {name!r} has the kind {kind!r}; in a pipeline a kind is a name, such as 'gaussian'"
                )
        return dict(columns)
    return columns if columns is None else list(columns)
