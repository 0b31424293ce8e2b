"""The file of a model is sent under the name that its content gives it."""

from typing import Any

from banbury import Classifier
from sparking import LABELS, NEEDS_SPARK, TEXTS, content

pytestmark = NEEDS_SPARK


def test_the_same_model_is_sent_under_the_same_name_and_another_under_another(spark: Any, model: Classifier) -> None:
    from pyspark import SparkFiles

    from banbury.spark.sending import sent

    name = sent(spark, model)
    assert name == sent(spark, Classifier().fit(TEXTS, LABELS))
    assert name != sent(spark, Classifier().fit(TEXTS[1:], LABELS[1:]))
    with open(SparkFiles.get(name), "rb") as file:
        assert file.read() == content(model)
