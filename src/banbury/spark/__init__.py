"""Spark: fit, learn, predict, explain and evaluate data frames of a cluster.

Each partition is counted by an executor's kernel, and the driver makes the model of the merged counts: the file of the
model is, byte for byte, that of `Classifier(**parameters).fit(…)` on one machine with the rows in the order of
`df.collect()`. `banbury` has to be installed on the executors, in the version of the driver.

`frames` has the functions for data frames, `tasks` what executors run, `sending` how a model's file reaches them, `ml`
an estimator for pipelines of `pyspark.ml`, and `streaming` what learns from a stream. Imports the rooms below.
"""

from banbury.errors import MissingExtra

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise MissingExtra("banbury.spark needs PySpark, 4 or later: pip install 'banbury[spark]'") from error

from banbury.spark.frames import evaluate, explain, filter, fit, learn, predict, predict_proba
from banbury.spark.streaming import learn_batch

__all__ = ["evaluate", "explain", "filter", "fit", "learn", "learn_batch", "predict", "predict_proba"]
