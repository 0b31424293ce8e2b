"""Problems: an error of ours as HTTP has it."""

import json

import pytest

from banbury.errors import BanburyError, CountError, InputError, LabelError, MissingExtra, NotFittedError
from banbury.server.problems import Problem, problem_of


@pytest.mark.parametrize(
    "error, status",
    [
        (InputError("document 3 is None"), 422),
        (LabelError("unknown"), 422),
        (CountError("never learned"), 409),
        (NotFittedError("nothing learned"), 409),
        (MissingExtra("pip install"), 501),
    ],
)
def test_the_message_is_the_one_that_python_gives(error: BanburyError, status: int) -> None:
    problem = problem_of(error)
    body = json.loads(problem.body())
    assert (problem.status, body["status"], body["detail"]) == (status, status, str(error))
    assert body["error"] == body["detail"], "as the Open Inference Protocol has it"


def test_when_to_come_back_is_a_header() -> None:
    headers = dict(Problem(503, "busy", retry=2, headers={"X-Why": "queue"}).response_headers())
    assert headers == {b"content-type": b"application/problem+json", b"retry-after": b"2", b"x-why": b"queue"}
    assert b"retry-after" not in dict(Problem(404, "gone").response_headers())
