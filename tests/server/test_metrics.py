"""Metrics: every request is counted once, in the bucket of its time."""

from hypothesis import given
from hypothesis import strategies as st

from banbury.server.metrics import LATENCY_BOUNDS, Metrics

requests = st.lists(st.tuples(st.sampled_from(["/a", "/b"]), st.sampled_from([200, 404, 503]), st.floats(0, 20)))


@given(requests)
def test_counts_and_buckets_add_up(requests: list[tuple[str, int, float]]) -> None:
    metrics = Metrics()
    for route, status, seconds in requests:
        metrics.count(route, status, seconds)
    by_route = {row.route: row for row in metrics.summary()}
    for route in ("/a", "/b"):
        own = [(status, seconds) for name, status, seconds in requests if name == route]
        if not own:
            assert route not in by_route
            continue
        assert by_route[route].requests == len(own)
        assert by_route[route].failed == sum(status >= 500 for status, _ in own)
        half = sorted(seconds for _, seconds in own)[(len(own) - 1) // 2]
        assert by_route[route].half_within == next((end for end in LATENCY_BOUNDS if half <= end), float("inf"))


def test_prometheus_reads_it() -> None:
    metrics = Metrics()
    metrics.count("/a", 200, 0.0003)
    metrics.learned.labels("learn").inc(2)
    text = metrics.text().decode()
    assert 'banbury_requests_total{route="/a",status="200"} 1.0' in text
    assert 'banbury_request_seconds_bucket{le="0.00025",route="/a"} 0.0' in text
    assert 'banbury_request_seconds_bucket{le="0.0005",route="/a"} 1.0' in text
    assert 'banbury_learned_total{act="learn"} 2.0' in text
