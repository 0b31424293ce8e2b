"""A table to columns, columns to statistics, statistics to weights, weights to scores.

`frame` reads tables of any library, `kinds/` has a file for each kind of column, `model` reads what was learned.
Imports text, for columns that hold texts, and the rooms below it.
"""
