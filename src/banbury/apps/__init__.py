"""Applications built on counts and Classifier: ranking, word senses, spam, spelling, labelling by hand.

Imports everything below the surfaces; nothing below them imports an application.
"""
