"""Messages: requests hold what is described and nothing else, within limits, at any depth."""

import msgspec
import pytest

from banbury.server.limits import DOCUMENTS, LABEL
from banbury.server.messages import LearnRequest, PredictAnswer, PredictRequest


@pytest.mark.parametrize(
    "body",
    [
        '{"texts": ["a"], "extra": 1}',
        '{"texts": "a"}',
        '{"texts": [1]}',
        '{"texts": [null]}',
        '{"rows": [{"a": [1]}]}',
        '{"rows": [{"a": [["b"]]}]}',
        '{"texts": [["a", 1]]}',
        '{"texts": [[["a"]]]}',
        '{"texts": [{"a": "b"}]}',
        '{"texts": ["a"], "top": 0}',
        '{"texts": ["a"], "top": 1.5}',
        '{"texts": ["a"], "prior": 3}',
        "[]",
        "[" * 100_000,
        '{"rows": [{"a": ' + "[" * 100_000,
    ],
)
def test_what_is_not_described_is_refused_however_deep_it_is(body: str) -> None:
    with pytest.raises((msgspec.ValidationError, msgspec.DecodeError)):
        msgspec.json.decode(body.encode(), type=PredictRequest)


def test_lists_and_labels_have_a_length() -> None:
    many = msgspec.json.encode({"texts": [""] * (DOCUMENTS + 1)})
    with pytest.raises(msgspec.ValidationError, match="length"):
        msgspec.json.decode(many, type=PredictRequest)
    long = msgspec.json.encode({"texts": [""], "labels": ["x" * (LABEL + 1)]})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(long, type=LearnRequest)


def test_labels_keep_their_type_and_what_is_unset_is_not_written() -> None:
    message = msgspec.json.decode(b'{"texts": ["a", "b", "c"], "labels": ["1", 1, true]}', type=LearnRequest)
    assert [type(label) for label in message.labels] == [str, int, bool]
    assert msgspec.json.encode(PredictAnswer(["a"], [0.5])) == b'{"labels":["a"],"probabilities":[0.5]}'
