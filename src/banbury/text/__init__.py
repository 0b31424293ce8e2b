"""A document to features, features to counts, counts to weights, weights to scores.

`documents` says what texts, labels and weights may be, `analyzer` finds the features, `counts` holds what was learned.
`settings` say how counts are read, `model` reads them, `reading` scores texts. `choice` is what leave-one-out chooses;
its parts have a file each: `trust` (the automatic model), `calibration` (plain likelihoods), `correction`
(`effort="best"`).
Imports stats, display and results.
"""
