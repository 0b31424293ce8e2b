"""Symptoms: a single test with known error rates; and seven symptoms of a thousand patients, two hundred ill."""

import numpy as np

import banbury
from banbury.stats.probability import bayes, total_probability

# One in a hundred is ill; the test finds 90 % of them, and is wrong about 5 % of the others.
positive = total_probability([0.01, 0.99], [0.90, 0.05])
print(f"P(positive) = {positive:.4f}, P(ill | positive) = {bayes(0.01, 0.90, positive):.4f}")

IF_ILL = {"fever": 0.8, "cough": 0.7, "fatigue": 0.6, "headache": 0.5, "nausea": 0.3, "rash": 0.2, "itch": 0.1}
IF_WELL = {"fever": 0.05, "cough": 0.2, "fatigue": 0.3, "headache": 0.3, "nausea": 0.1, "rash": 0.05, "itch": 0.1}
random = np.random.default_rng(0)
is_ill = np.arange(1000) < 200
labels = np.where(is_ill, "ill", "well")


def drawn() -> dict[str, np.ndarray]:
    """A thousand patients: a column for each symptom."""
    return {name: random.random(1000) < np.where(is_ill, IF_ILL[name], IF_WELL[name]) for name in IF_ILL}


# Truth values are Bernoulli columns; without smoothing and calibration, their shares in the data are all there is.
model = banbury.Classifier.textbook(smoothing=None).fit(drawn(), labels)
patient = {"fever": True, "cough": True, "fatigue": False, "rash": None}  # what was not examined adds nothing
print(model.explain(patient))
print(model.explain(patient, prior={"ill": 0.01, "well": 0.99}))  # the same patient where illness is rare
print(model.evaluate(drawn(), labels))
