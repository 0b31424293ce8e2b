"""How fast rows of tables are predicted, one at a time and a million at once, beside gradient boosting.

Each model is fitted to the first part of a set; the million are its test rows, repeated. Processor time, one thread
each, the best of three rounds in turns.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import tables

RESULTS = Path(__file__).parent / "results" / "table_rows.json"
SETS = ("titanic", "phoneme", "adult", "digits8", "car", "spambase")
MANY = 1_000_000
ROUNDS = 3


def repeated(table: Any, n: int) -> Any:
    """So many rows, those of the table again and again; categories stay what they are."""
    rows = np.arange(n) % len(table)
    return table.iloc[rows].reset_index(drop=True) if isinstance(table, pd.DataFrame) else table[rows]


def seconds(predict: Callable[[], Any], times: int) -> float:
    """Processor time of one call."""
    started = process_time()
    for _ in range(times):
        predict()
    return (process_time() - started) / times


def measured(name: str) -> dict[str, Any]:
    """Seconds of both models on one set."""
    part = tables.SETS[name].parts()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peer
        models = {
            "banbury": tables.automatic(part.train, part.train_labels),
            "boosting": tables.boosting(part.train, part.train_labels),
        }
        found: dict[str, Any] = {"set": name, "chosen": models["banbury"].report_.chosen}
        for size, n, times in (("one", 1, 20), ("million", MANY, 1)):
            rows = repeated(part.test, n)
            rounds = [
                {key: seconds(partial(model.predict_proba, rows), times) for key, model in models.items()}
                for _ in range(ROUNDS)
            ]
            best = {key: min(one[key] for one in rounds) for key in models}
            found[size] = best | {"ratio": best["boosting"] / best["banbury"]}
    return found


def main() -> None:
    """Measure all sets and keep what was found."""
    results = []
    with threadpool_limits(1):
        for name in SETS:
            results.append(measured(name))
            one, million = results[-1]["one"], results[-1]["million"]
            print(
                f"{name:<12} one row {one['banbury'] * 1e6:6.0f} µs, {one['ratio']:5.1f}×   "
                f"a million {million['banbury']:6.2f} s, {million['ratio']:5.1f}×   {results[-1]['chosen']}",
                flush=True,
            )
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
