"""Findings: groups of duplicates, those whose labels differ first."""

from banbury.diagnosis.duplicates import Duplicates
from banbury.server.page.findings import MOST_COPY_GROUPS, MOST_IN_GROUP, groups


def test_groups_with_different_labels_come_first_and_once() -> None:
    found = Duplicates(9, exact=[[0, 1], [2, 3]], near=[[4, 5]], conflicting=[[2, 3]])
    assert groups(found) == [[2, 3], [0, 1], [4, 5]]


def test_few_groups_of_few_rows_are_listed() -> None:
    found = Duplicates(9000, exact=[list(range(at, at + 20)) for at in range(0, 9000, 20)], near=[], conflicting=[])
    assert len(groups(found)) == MOST_COPY_GROUPS
    assert {len(group) for group in groups(found)} == {MOST_IN_GROUP}
