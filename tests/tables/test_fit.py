"""How much pairs and triples count by the trust in their columns: worked out by hand."""

import numpy as np
from numpy.testing import assert_allclose

from banbury.tables.cells import CategoryCells
from banbury.tables.fit import scale, term_weights
from banbury.tables.terms import Terms


def test_the_scale_is_one_over_the_number_of_terms_that_a_column_is_in() -> None:
    assert scale([(0, 1), (0, 2), (1, 2)], 3) == 0.5  # each column is in two pairs
    assert scale([(0, 1)], 4) == 2.0
    assert scale([], 3) == 3.0


def test_a_term_counts_by_the_trust_in_its_columns() -> None:
    cells = (CategoryCells(("a", "b")),) * 3
    terms = Terms(("x", "y", "z"), cells, ((0, 1), (0, 2), (1, 2)), ((0, 1, 2),))
    votes = np.array([False] * 3 + [True, True, False, True])
    weights = term_weights(terms, votes, np.array([0.5, 1.0, 2.0]), np.array([0.1, 0.2, 0.3]))
    # Two pairs have a vote, so that a column is in 4/3 of them; one triple, which all are in.
    assert_allclose(weights, [0, 0, 0, 0.75 * 1.5, 0.75 * 2.5, 0, 0.6])
