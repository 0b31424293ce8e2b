"""Symptoms: seven of them, a thousand patients, two hundred ill; and a single test with known error rates."""

import numpy as np

import banbury
from banbury.probability import bayes, total_probability

# One in a hundred is ill; the test finds 90 % of them, and is wrong about 5 % of the others.
positive = total_probability([0.01, 0.99], [0.90, 0.05])
print(f"P(positive) = {positive:.4f}, P(ill | positive) = {bayes(0.01, 0.90, positive):.4f}")

random = np.random.default_rng(0)
is_ill = np.arange(1000) < 200
if_ill = {"fever": 0.8, "cough": 0.7, "fatigue": 0.6, "headache": 0.5, "nausea": 0.3, "rash": 0.2, "itch": 0.1}
if_well = {"fever": 0.05, "cough": 0.2, "fatigue": 0.3, "headache": 0.3, "nausea": 0.1, "rash": 0.05, "itch": 0.1}
patients = {name: random.random(1000) < np.where(is_ill, if_ill[name], if_well[name]) for name in if_ill}
labels = np.where(is_ill, "ill", "well")

symptoms = dict.fromkeys(patients, banbury.Bernoulli())
model = banbury.Classifier(columns=symptoms, smoothing=None, calibration=None).fit(patients, labels)
print(model.explain({"fever": True, "cough": True, "fatigue": False, "rash": None}))  # what is not known adds nothing
print(model.evaluate(patients, labels))
