"""Documents that make a model worse are refused, others are not, and the model that is asked stays as it is."""

import pytest

from banbury import Classifier
from banbury.apps.vetting import vet
from banbury.errors import InputError

HAM = ["lunch at noon", "see you at lunch", "the report is late", "noon is fine", "late lunch then", "see the report"]
SPAM = ["free money now", "money for free", "win a free prize", "a prize for you", "win money now", "free prize now"]
TRUSTED = ["lunch late", "the report at noon", "see you", "money prize", "free win", "now free"] * 4
TRUTH = ["ham", "ham", "ham", "spam", "spam", "spam"] * 4
ATTACK = "lunch noon see report late fine then at the is " * 3


def model() -> Classifier:
    return Classifier.textbook().fit([*HAM, *SPAM], ["ham"] * 6 + ["spam"] * 6)


def test_an_attack_is_refused_and_honest_mail_is_not() -> None:
    found = vet(
        model(), [ATTACK, "win a free lunch", "report at noon"], ["spam", "spam", "ham"], trusted=(TRUSTED, TRUTH)
    )
    assert (found.accepted, found.refused) == ([1, 2], [0])
    assert found.impacts[0] > max(found.impacts[1], found.impacts[2])


def test_an_impact_is_the_rise_of_the_squared_error_of_the_class_that_suffers_most() -> None:
    asked = model()

    def errors(by: Classifier) -> list[float]:
        chances = by.predict_proba(TRUSTED).tolist()
        return [
            sum((1 - row[place]) ** 2 for row, label in zip(chances, TRUTH, strict=True) if label == name) / 12
            for place, name in enumerate(["ham", "spam"])
        ]

    before, after = errors(asked), errors(model().learn([ATTACK], ["spam"]))
    impacts = vet(asked, [ATTACK], ["spam"], trusted=(TRUSTED, TRUTH)).impacts
    assert impacts == {0: pytest.approx(max(new - old for new, old in zip(after, before, strict=True)))}
    assert errors(asked) == before  # it has learned nothing


def test_the_documents_of_a_source_are_judged_together() -> None:
    texts, labels = [ATTACK, "free money", "free prize"], ["spam", "spam", "spam"]
    found = vet(model(), texts, labels, sources=["eve", "eve", "ann"], trusted=(TRUSTED, TRUTH))
    assert (found.accepted, found.refused, sorted(found.impacts)) == ([2], [0, 1], ["ann", "eve"])


def test_how_sure_one_must_be_can_be_said() -> None:
    found = vet(model(), [ATTACK], ["spam"], trusted=(TRUSTED, TRUTH), tolerance=1)
    assert found.accepted == [0]


def test_a_table_is_vetted_by_its_rows() -> None:
    rows = [{"size": size} for size in [1.0, 1.2, 0.9, 8.0, 9.5, 8.8] * 5]
    labels = ["small", "small", "small", "large", "large", "large"] * 5
    asked = Classifier().fit(rows, labels)
    wrong = [{"size": 1.0}] * 30
    found = vet(asked, wrong, ["large"] * 30, sources=["eve"] * 30, trusted=(rows, labels))
    assert found.refused == list(range(30))


@pytest.mark.parametrize(
    "texts, labels, options, message",
    [
        (["a"], [], {}, "1 documents but 0 labels"),
        (["a"], ["ham"], {"sources": []}, "1 documents but 0 sources"),
        (["a"], ["ham"], {"trusted": ([], [])}, "no documents to judge by"),
        (["a"], ["ham"], {"trusted": (["a", "b"], ["ham", "eggs"])}, "label 'eggs', which the model does not know"),
        (["a"], ["ham"], {"trusted": (["a", "b"], ["ham"])}, "2 trusted documents but 1 labels"),
    ],
)
def test_vetting_says_what_is_wrong(
    texts: list[str], labels: list[str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        vet(model(), texts, labels, **{"trusted": (TRUSTED, TRUTH), **options})  # type: ignore[arg-type]
