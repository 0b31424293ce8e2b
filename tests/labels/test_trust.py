"""How counts of labels are read: new labels, files."""

from typing import Any

import pytest

from banbury import Analyzer
from banbury.errors import FileFormatError
from banbury.labels.trust import LabelTrust

PAIRS = Analyzer(ngrams=(1, 2))
FITTED = LabelTrust(LabelTrust.universal(PAIRS).curves, 0.5, (9.0, 9.0), (4.0, 4.0), (("old", 0.25, 1.5),))


def test_a_fitted_label_has_its_slope_and_shift_and_a_new_one_is_heard_by_its_documents() -> None:
    assert FITTED.growth(["new", "old"], [-2.0, -1.0]) == [1.0, 0.75]
    # Of 3 documents, where 6 would count half: a third; of a label without any, nothing.
    assert FITTED.factors(["new", "none", "old"], [3, 0, 100]) == pytest.approx([2 / 3, 0.0, 3.0])
    # Old labels of 20 documents: 2 count half.
    assert FITTED.factors(["new", "old"], [2, 20]) == pytest.approx([1.0, 3.0])
    assert LabelTrust.universal(PAIRS).factors(["any"], [1]) == [2.0]


def test_settings_give_the_same_trust_again() -> None:
    assert LabelTrust.from_settings(FITTED.settings(), PAIRS) == FITTED


@pytest.mark.parametrize(
    "change", [{"curves": [0.0]}, {"prior": 1e9}, {"caps": [0.5, 9.0]}, {"caps": [9.0]}, {"typical": [4.0] * 3}]
)
def test_settings_of_another_analyzer_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(FileFormatError, match="its trust curves"):
        LabelTrust.from_settings({**FITTED.settings(), **change}, PAIRS)
