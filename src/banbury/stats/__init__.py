"""Numbers in, numbers out: probability, distributions, intervals, softmax.

Imports nothing else of banbury but the errors.
"""
