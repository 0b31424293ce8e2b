"""Counters and times for Prometheus, of one application."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from math import inf
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

LATENCY_BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class RouteSummary(NamedTuple):
    """Requests of one route since the start."""

    route: str
    requests: int
    failed: int
    """Answered with a 5xx."""
    half_within: float
    """Seconds within which half of them were answered, as far as the buckets tell …"""
    most_within: float
    """… and 99 %."""


class Metrics(Collector):
    """What is counted."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._requests: dict[tuple[str, int], int] = {}
        self._seconds: dict[str, list[float]] = {}
        """By route: how many in each bucket, and the sum of the seconds."""
        registry.register(self)
        self.models = Gauge("banbury_models", "Models that are served.", registry=registry)
        self.learned = Counter("banbury_learned", "Documents learned or forgotten here.", ["act"], registry=registry)
        self.commits = Counter("banbury_journal_commits", "Groups written to the journal.", registry=registry)
        self.waiting = Gauge("banbury_learning_waiting", "Documents that wait to be learned.", registry=registry)
        self.sequence = Gauge("banbury_journal_sequence", "The last entry that the models have.", registry=registry)
        self.journal_up = Gauge("banbury_journal_up", "1 where documents can be learned.", registry=registry)
        self.chosen = Counter("banbury_settings_chosen", "Times that settings were chosen again.", registry=registry)
        self.reloaded = Counter("banbury_files_loaded", "Model files, by result.", ["result"], registry=registry)

    def count(self, route: str, status: int, seconds: float) -> None:
        """One request was answered. All are counted on one thread, so that plain numbers will do."""
        self._requests[route, status] = self._requests.get((route, status), 0) + 1
        times = self._seconds.get(route)
        if times is None:
            times = self._seconds[route] = [0.0] * (len(LATENCY_BOUNDS) + 2)
        times[bisect_left(LATENCY_BOUNDS, seconds)] += 1
        times[-1] += seconds

    def collect(self) -> Iterator[Metric]:
        """The requests, as Prometheus's library asks for them."""
        requests = CounterMetricFamily("banbury_requests", "Requests, by route and status.", labels=["route", "status"])
        for (route, status), n in self._requests.items():
            requests.add_metric([route, str(status)], n)
        yield requests
        times = HistogramMetricFamily("banbury_request_seconds", "How long answers took.", labels=["route"])
        for route, numbers in self._seconds.items():
            sums = accumulate(numbers[:-1])
            buckets = [(str(end), n) for end, n in zip([*LATENCY_BOUNDS, "+Inf"], sums, strict=True)]
            times.add_metric([route], buckets, numbers[-1])
        yield times

    def summary(self) -> list[RouteSummary]:
        """Each route in a few numbers, the most asked first."""
        routes = []
        for route, numbers in self._seconds.items():
            by_status = {status: n for (name, status), n in self._requests.items() if name == route}
            n_failed = sum(n for status, n in by_status.items() if status >= 500)
            counts = numbers[:-1]
            routes.append(
                RouteSummary(route, sum(by_status.values()), n_failed, *(_within(counts, q) for q in (0.5, 0.99)))
            )
        return sorted(routes, key=lambda one: -one.requests)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)


def _within(counts: list[float], share: float) -> float:
    """The end of the bucket within which this share of the requests lies.

    >>> _within([0, 3, 1, *[0] * 13], 0.5)
    0.00025
    """
    needed = share * sum(counts)
    return next(end for end, n in zip([*LATENCY_BOUNDS, inf], accumulate(counts), strict=True) if n >= needed)
