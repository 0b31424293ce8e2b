"""Whether `banbury.distributed.sizing` is right: shuffled bytes and peak memory of each role, predicted and measured.

`python benchmarks/sizing.py` makes texts of words that follow Zipf's law, 1, 2, 4 and 8 times as many, in parts of one
size. Each part is counted by a process of its own, shards go through files, one process merges a shard of all
parts, and one makes the model of the pruned shards, as a driver would. What a feature takes is measured at the smallest
size; all else is predicted. `--json` saves results/sizing.json.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from saving import write

from banbury.distributed.answers import Answer, merged
from banbury.distributed.plan import Plan
from banbury.distributed.sizing import Rates, Sizes, sizes
from banbury.distributed.state import TextState, together

RESULTS = Path(__file__).parent / "results" / "sizing.json"
TIMES = (1, 2, 4, 8)
N_SHARDS, MIN_DOCUMENTS, WORDS_OF_A_DOCUMENT, PARTS_AT_ONCE = 4, 2, 100, 4
PLAIN: dict[str, Any] = {"analyzer": "words", "likelihood": "multinomial", "smoothing": 1.0, "calibration": None}


def texts_of(part: int, n_documents: int) -> list[str]:
    """Documents of words whose ranks follow Zipf's law; each part has its own."""
    ranks = np.random.default_rng(part).zipf(1.35, n_documents * WORDS_OF_A_DOCUMENT) % 100_000_000
    words = [f"w{rank}" for rank in ranks.tolist()]
    return [" ".join(words[n : n + WORDS_OF_A_DOCUMENT]) for n in range(0, len(words), WORDS_OF_A_DOCUMENT)]


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found is not None
    return int(found[1]) * 1024


# The roles: each is a process of its own, and says how much memory it took beyond what it had before


def make(folder: Path, part: int, n_documents: int) -> dict[str, int]:
    """The texts of a part, in a file; making them takes memory that is not of the role that counts them."""
    texts = texts_of(part, n_documents)
    table = pa.table({"text": texts, "label": ["ab"[n % 2] for n in range(n_documents)]})
    with pa.ipc.new_stream(folder / f"{part}.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=1_000)
    return {"bytes": sum(map(len, texts))}


def count(folder: Path, part: int) -> dict[str, int]:
    """A part is counted and cut into shards, which are files."""
    plan, before = Plan.of(**PLAIN), peak()
    with pa.OSFile(str(folder / f"{part}.arrow")) as file:
        state = plan.count(part, pa.ipc.open_stream(file))
    assert isinstance(state, TextState)
    n_features, shuffled = state.tally.counts.n_features, 0
    for shard in state.shards(N_SHARDS):
        data = shard.to_bytes()
        (folder / f"{part}.{shard.shard}").write_bytes(data)
        shuffled += len(data)
    return {"features": n_features, "bytes": shuffled, "memory": peak() - before}


def merge(folder: Path, shard: int, n_parts: int) -> dict[str, int]:
    """A shard of all parts is merged and pruned."""
    before = peak()
    answers = (Answer(part, shard, "", (folder / f"{part}.{shard}").read_bytes()) for part in range(n_parts))
    (answer,) = merged(Plan.of(**PLAIN).to_json(), answers, MIN_DOCUMENTS)
    (folder / f"merged.{shard}").write_bytes(answer.data)
    return {"bytes": len(answer.data), "memory": peak() - before}


def drive(folder: Path) -> dict[str, int]:
    """The pruned shards become a model."""
    before, plan = peak(), Plan.of(**PLAIN)
    shards = [plan.state_from_bytes((folder / f"merged.{shard}").read_bytes()) for shard in range(N_SHARDS)]
    model = plan.fitted(together(shards))  # type: ignore[arg-type]
    return {"features": model.counts_.n_features, "memory": peak() - before}


def role(name: str, *arguments: object) -> dict[str, int]:
    """What a role says, in a process of its own."""
    command = [sys.executable, __file__, "--role", name, *map(str, arguments)]
    found: dict[str, int] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def measured(n_parts: int, n_documents: int) -> dict[str, Any]:
    """All roles, once each for every part and shard."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text_bytes = sum(role("make", folder, part, n_documents)["bytes"] for part in range(n_parts))
        counted = [role("count", folder, part) for part in range(n_parts)]
        merging = [role("merge", folder, shard, n_parts) for shard in range(N_SHARDS)]
        whole = merge_all(folder, n_parts)
        driving = role("drive", folder)
    return {
        "parts": n_parts,
        "text_bytes": text_bytes,
        "features_of_a_part": max(part["features"] for part in counted),
        "features": whole,
        "kept": driving["features"],
        "shuffled_bytes": sum(part["bytes"] for part in counted),
        "collected_bytes": sum(shard["bytes"] for shard in merging),
        "counting_memory": max(part["memory"] for part in counted),
        "merging_memory": max(shard["memory"] for shard in merging),
        "driver_memory": driving["memory"],
    }


def merge_all(folder: Path, n_parts: int) -> int:
    """How many features all parts have together."""
    plan, n_features = Plan.of(**PLAIN), 0
    for shard in range(N_SHARDS):
        answers = (Answer(part, shard, "", (folder / f"{part}.{shard}").read_bytes()) for part in range(n_parts))
        (answer,) = merged(plan.to_json(), answers)
        n_features += plan.state_from_bytes(answer.data).tally.counts.n_features  # type: ignore[union-attr]
    return n_features


def calibrated(first: dict[str, Any]) -> Rates:
    """What a feature takes, and how their number grows, by the smallest size alone."""
    part = first["features_of_a_part"]
    shard = first["features"] / N_SHARDS
    return Rates(
        growth=log(first["features"] / part) / log(first["parts"]),
        bytes_per_feature=first["shuffled_bytes"] / first["parts"] / part,
        kept_bytes_per_feature=first["collected_bytes"] / first["kept"],
        sample_bytes=0,
        counting_bytes_per_feature=first["counting_memory"] / part,
        merging_bytes_per_feature=first["merging_memory"] / shard,
        driver_bytes_per_feature=first["driver_memory"] / first["kept"],
        process_bytes=0,
        kept_share=first["kept"] / first["features"],
    )


def predicted(times: int, first: dict[str, Any], rates: Rates) -> Sizes:
    """What `sizing` says of so many times the data."""
    n_parts = first["parts"] * times
    n_features = first["features"] * times**rates.growth
    how: dict[str, Any] = {"n_parts": n_parts, "n_shards": N_SHARDS, "n_executors": 2, "rates": rates}
    return sizes(first["text_bytes"] * times, n_features, **how)


SHOWN = ("shuffled_bytes", "collected_bytes", "counting_memory", "merging_memory", "driver_memory")


def main() -> None:
    """Measure each size and print both figures; with --role, be that role."""
    parser = argparse.ArgumentParser(description="Shuffled bytes and peak memory, predicted and measured.")
    parser.add_argument("--role", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data: a trial, not a result")
    parser.add_argument(
        "--json", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="save (results/sizing.json)"
    )
    options = parser.parse_args()
    if options.role:
        name, folder, *numbers = options.role
        roles: dict[str, Any] = {"make": make, "count": count, "merge": merge, "drive": drive}
        print(json.dumps(roles[name](Path(folder), *map(int, numbers))))
        return
    n_documents = 1_000 if options.quick else 10_000
    rows: list[dict[str, Any]] = []
    rates: Rates | None = None
    print(f"{'data':>6}{'':>4}{'':<20}{'predicted':>14}{'measured':>14}{'ratio':>8}")
    for times in TIMES:
        found = measured(PARTS_AT_ONCE * times, n_documents)
        first = rows[0]["measured"] if rows else found
        rates = rates or calibrated(first)
        expected = predicted(times, first, rates)
        rows.append({"times": times, "measured": found, "predicted": {name: getattr(expected, name) for name in SHOWN}})
        for name in SHOWN:
            figure, real = getattr(expected, name), found[name]
            sides = f"{figure / 1e6:>11.1f} MB{real / 1e6:>11.1f} MB{figure / real:>8.2f}"
            print(f"{'×' + str(times):>6}    {name:<20}{sides}", flush=True)
    if options.json:
        write(options.json, "rows", rows, options.quick)


if __name__ == "__main__":
    main()
