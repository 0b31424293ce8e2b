"""An evaluation with its model and documents at hand, as a page; learning curves.

Imports diagnosis and the rooms below it.
"""
