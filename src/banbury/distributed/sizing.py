"""Sizing: what a fit on a cluster will shuffle, how much memory each role takes, and for how long, before it is run.

The number of features grows as a power of the text (Heaps' law), and everything else is proportional to features: those
of a part are counted and shuffled, those of a shard are merged, those that are kept go to the driver.
`benchmarks/sizing.py` compares what this predicts with what is measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from banbury.errors import InputError

__all__ = ["Rates", "Sizes", "sizes"]


@dataclass(frozen=True)
class Rates:
    """What was measured of IMDB's reviews with the features of `Classifier()`, words and pairs of words."""

    growth: float = 0.73
    """The exponent of Heaps' law: eight times the text has 8^growth times the features. Words alone: 0.48."""
    bytes_per_feature: float = 27.0
    """Of a state that travels: two classes; 32 with twenty."""
    kept_bytes_per_feature: float = 33.0
    """Of the states that the driver gets, where only features of several documents are left."""
    sample_bytes: float = 13.6e6
    """Of the documents for leave-one-out that each part sends along; 0 where nothing is chosen."""
    counting_bytes_per_feature: float = 160.0
    merging_bytes_per_feature: float = 150.0
    driver_bytes_per_feature: float = 300.0
    """Peak memory, with the state and its bytes; of 176, 169 and 308 measured, less an estimate for the sample."""
    process_bytes: float = 150e6
    """Of a Python process that has done nothing yet; assumed: 65 MB were measured, outside of an engine."""
    kept_share: float = 0.29
    """Of the features, that more than one document has: `min_documents=2` keeps these."""
    count_bytes_per_second: float = 36e6
    """Of text, by one core: Parquet to Spark to Python, counted."""
    merge_features_per_second: float = 6.6e6
    """By one core, from bytes."""
    network_bytes_per_second: float = 1e9
    """Of one executor; not measured: a network of 10 Gbit/s."""


@dataclass(frozen=True)
class Sizes:
    """Bytes, and seconds where the name says so."""

    features_of_a_part: float
    shuffled_bytes: float
    """What all parts send to those who merge shards."""
    collected_bytes: float
    """What the driver gets."""
    counting_memory: float
    merging_memory: float
    driver_memory: float
    counting_seconds: float
    shuffling_seconds: float
    merging_seconds: float
    driver_seconds: float

    @property
    def seconds(self) -> float:
        """All of them, one after the other."""
        return self.counting_seconds + self.shuffling_seconds + self.merging_seconds + self.driver_seconds


def sizes(
    text_bytes: float,
    n_features: float,
    *,
    n_parts: int,
    n_shards: int,
    n_executors: int,
    cores: int = 4,
    rates: Rates | None = None,
) -> Sizes:
    """What `banbury.spark.fit(…, shards=n_shards, min_documents=2)` takes for text with so many features in all.

    >>> found = sizes(1e12, 1e9, n_parts=800, n_shards=800, n_executors=200)
    >>> f"{found.shuffled_bytes / 1e9:.0f} GB shuffled, {found.collected_bytes / 1e9:.1f} GB to the driver"
    '175 GB shuffled, 9.6 GB to the driver'
    """
    counts = {"n_parts": n_parts, "n_shards": n_shards, "n_executors": n_executors, "cores": cores}
    for name, number in {**counts, "text_bytes": text_bytes, "n_features": n_features}.items():
        if not number > 0:
            raise InputError(f"{name} is {number!r}; it has to be above 0")
    rates = rates or Rates()
    of_a_part = n_features / n_parts**rates.growth
    of_a_shard = n_features / n_shards
    kept = n_features * rates.kept_share
    shuffled = n_parts * (of_a_part * rates.bytes_per_feature + rates.sample_bytes)
    collected = kept * rates.kept_bytes_per_feature + rates.sample_bytes
    # Whoever merges the first shard also has the documents of every part, one after the other.
    merged_by_a_core = n_parts * of_a_part / min(n_shards, n_executors * cores)
    return Sizes(
        features_of_a_part=of_a_part,
        shuffled_bytes=shuffled,
        collected_bytes=collected,
        counting_memory=rates.process_bytes + of_a_part * rates.counting_bytes_per_feature + 2 * rates.sample_bytes,
        merging_memory=rates.process_bytes + of_a_shard * rates.merging_bytes_per_feature + 2 * rates.sample_bytes,
        driver_memory=rates.process_bytes + kept * rates.driver_bytes_per_feature + 2 * rates.sample_bytes,
        counting_seconds=text_bytes / (n_executors * cores * rates.count_bytes_per_second),
        shuffling_seconds=shuffled / (n_executors * rates.network_bytes_per_second),
        merging_seconds=merged_by_a_core / rates.merge_features_per_second,
        driver_seconds=kept / rates.merge_features_per_second,
    )
