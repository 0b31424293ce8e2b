"""What is measured or explained: metrics, evaluations, comparisons, decisions, mistakes, explanations, word tables.

Takes labels, probabilities and names; knows no model. Imports stats and display.
"""
