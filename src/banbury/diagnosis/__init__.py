"""What is wrong with documents: dependent words, duplicates, leaks, doubtful labels, drift.

Imports text and the rooms below it.
"""
