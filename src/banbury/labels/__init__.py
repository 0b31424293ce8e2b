"""Documents with several labels each, or none: sets of labels, counts, curves, thresholds, the classifier.

`sets` says what labels may be, `counts` holds what was learned, `curves` and `thresholds` are what leave-one-out
chooses (`choice`; `batches`, of documents that pass by), `model` reads the counts by what `trust` says, `evaluation`
compares. `classifier` is the front door.
Imports text, results, display and the page of report.
"""
