"""Documents that carry a time: counts by period, ageing, the half-life that predicts the next period best, drift.

`times` makes periods of times, `ageing` adds up the counts of periods, the older the less; `record` has how well each
period was predicted from those before it, `drift` says what has changed. `classifier` is the front door. Imports the
classifier, results and display.
"""
