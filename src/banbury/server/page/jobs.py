"""What takes longer than a page should wait: work in a thread of its own, its progress, its result."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from banbury.errors import BanburyError
from banbury.server.problems import Problem

MOST_KEPT_JOBS = 30  # jobs whose results are remembered
MOST_WAITING_JOBS = 8  # jobs that may wait for a thread
log = logging.getLogger("banbury.server")


class Job:
    """A piece of work: `doing` and `share` say how far it is, then there is a `result` or a `failure`."""

    def __init__(self, name: str) -> None:
        self.id = secrets.token_urlsafe(9)
        self.name = name
        self.doing = "waiting for its turn"
        self.share: float | None = None
        """From 0 to 1; None where nobody knows."""
        self.result: Any = None
        self.failure: str | None = None
        self.is_done = False


class Jobs:
    """Jobs by their numbers, one after the other; the oldest results are forgotten."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="banbury-job")
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self, name: str, work: Callable[[Job], Any]) -> Job:
        """Begin a piece of work; a 503 where too many wait."""
        if sum(not job.is_done for job in self._jobs.values()) >= MOST_WAITING_JOBS:
            raise Problem(503, f"{MOST_WAITING_JOBS} jobs are waiting already", retry=10)
        job = Job(name)
        self._jobs[job.id] = job
        while len(self._jobs) > MOST_KEPT_JOBS:
            oldest = next((one for one in self._jobs.values() if one.is_done), None)
            if oldest is None:
                break
            del self._jobs[oldest.id]
        self._pool.submit(self._run, job, work)
        return job

    def get(self, number: str) -> Job | None:
        """A job that is remembered."""
        return self._jobs.get(number)

    def latest(self, name: str) -> Job | None:
        """The last job of this name."""
        return next((job for job in reversed(self._jobs.values()) if job.name == name), None)

    def stop(self) -> None:
        """Begin nothing more; what is being done ends with the process."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Job], Any]) -> None:
        try:
            job.result = work(job)
        except (BanburyError, Problem) as error:
            job.failure = str(error)
        except MemoryError:
            job.failure = "there is not enough memory for this"
        except OSError as error:
            job.failure = f"{error.strerror or error}"
        except Exception:
            log.exception("a job failed")
            job.failure = "something went wrong here; the server's log says what"
        job.is_done = True
