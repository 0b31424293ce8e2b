"""A document to features, features to counts, counts to weights, weights to scores.

`analyzer` finds the features, `counts` holds what was learned, `model` reads it. What is chosen by leave-one-out has a
file each: `trust` (the automatic model), `calibration` (plain likelihoods), `correction` (`effort="best"`).
Imports stats, display and results.
"""
