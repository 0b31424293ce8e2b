"""Jobs: one after the other, with a result or a reason."""

import threading

import pytest

from banbury.errors import InputError
from banbury.server.page.jobs import MOST_WAITING_JOBS, Job, Jobs
from banbury.server.problems import Problem
from serving import wait_for


def _raised(error: Exception) -> Job:
    jobs = Jobs()

    def work(job: Job) -> None:
        raise error

    job = jobs.start("x", work)
    wait_for(lambda: job.is_done)
    jobs.stop()
    return job


def test_a_job_has_its_result_and_is_found_by_its_name() -> None:
    jobs = Jobs()
    job = jobs.start("add", lambda job: 1 + 1)
    wait_for(lambda: job.is_done)
    assert (job.result, job.failure) == (2, None)
    assert jobs.latest("add") is jobs.get(job.id) is job
    assert jobs.latest("other") is jobs.get("other") is None
    jobs.stop()


def test_a_failure_is_a_sentence() -> None:
    assert _raised(InputError("no rows")).failure == "no rows"
    assert _raised(OSError(28, "No space left on device")).failure == "No space left on device"
    assert _raised(MemoryError()).failure == "there is not enough memory for this"
    assert "log says what" in str(_raised(ZeroDivisionError("secret")).failure)


def test_too_many_jobs_are_refused() -> None:
    jobs, gate = Jobs(), threading.Event()
    for _ in range(MOST_WAITING_JOBS):
        jobs.start("wait", lambda job: gate.wait(10))
    with pytest.raises(Problem, match="waiting already"):
        jobs.start("wait", lambda job: None)
    gate.set()
    jobs.stop()
