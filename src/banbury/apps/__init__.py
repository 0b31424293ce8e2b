"""Applications built on counts and Classifier: ranking, word senses, spam, labelling by hand.

Imports everything below the surfaces; nothing below them imports an application.
"""
