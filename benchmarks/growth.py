"""How the time and memory of a fit on tables grow with rows and columns, beside gradient boosting on a million rows.

`python benchmarks/growth.py` measures each size in a process of its own and makes results/growth_tables.json, its
picture by rows (.svg) and by columns (_columns.svg); `--draw` only draws what was measured, `growth.py 5000 784`
measures one size. Random numbers of two classes; processor seconds, one thread; memory is the peak of the process, the
data of single precision included.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

import banbury
from banbury.display.svg import Line, line_chart, standalone

RESULTS = Path(__file__).parent / "results" / "growth_tables.json"
ROWS = [(10_000, 10), (100_000, 10), (1_000_000, 10)]
COLUMNS = [(10_000, 10), (10_000, 100), (5_000, 784)]
BOOSTED = [(1_000_000, 10)]
PREDICTED = 100_000  # rows


def peak_mb() -> float:
    """The most memory that this process has had. `getrusage` would also tell of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    kilobytes = re.search(r"VmHWM:\s+(\d+)", status)
    assert kilobytes is not None
    return int(kilobytes[1]) / 1e3


def measured(n_rows: int, n_columns: int, model_name: str = "banbury") -> dict[str, Any]:
    """Seconds and megabytes of a fit and of predicting 100,000 rows."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n_rows)
    table = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    table[:, 0] += labels
    table[:, 1] *= np.where(labels == 1, 2, 1)
    before = peak_mb()
    started = process_time()
    with threadpool_limits(1):
        is_boosting = model_name == "boosting"
        model: Any = HistGradientBoostingClassifier(random_state=0) if is_boosting else banbury.Classifier(threads=1)
        model.fit(table, labels)
        fit = process_time() - started
        started = process_time()
        model.predict_proba(table[:PREDICTED])
    predict = (process_time() - started) * PREDICTED / min(n_rows, PREDICTED)
    return {
        "model": model_name,
        "rows": n_rows,
        "columns": n_columns,
        "fit": round(fit, 2),
        "predict_100k": round(predict, 3),
        "data_mb": round(before),
        "peak_mb": round(peak_mb()),
        "chosen": "" if is_boosting else model.report_.chosen,
    }


def draw(found: list[dict[str, Any]]) -> None:
    """Time and memory by rows and by columns: all axes in powers of ten."""
    ours = [one for one in found if one["model"] == "banbury"]
    by_rows = [one for one in ours if one["columns"] == 10]
    by_columns = [one for one in ours if (one["rows"], one["columns"]) in COLUMNS]
    for name, sizes, axis, what in (
        (".svg", by_rows, "rows", "of the rows, ten columns"),
        ("_columns.svg", by_columns, "columns", "of the columns, 10,000 rows; 5,000 rows for 784"),
    ):
        lines = [
            Line(title, [(float(np.log10(one[axis])), float(np.log10(one[key]))) for one in sizes])
            for title, key in (("fit, seconds", "fit"), ("peak memory, MB", "peak_mb"))
        ]
        chart = line_chart(
            lines, title=f"Growth with {axis}", x_title=f"log10 {what}", y_title="log10 of seconds or MB"
        )
        RESULTS.with_name(RESULTS.stem + name).write_text(standalone(chart), encoding="utf-8")


def main() -> None:
    """Measure and draw; with two numbers and a model's name, one size in this process."""
    if len(sys.argv) >= 3:
        print(json.dumps(measured(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])))
        return
    if sys.argv[1:] != ["--draw"]:
        found = []
        asked = [*((*size, "banbury") for size in [*ROWS, *COLUMNS]), *((*size, "boosting") for size in BOOSTED)]
        for size in dict.fromkeys(asked):
            command = [sys.executable, __file__, *map(str, size)]
            found.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
            print(found[-1], flush=True)
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    draw(json.loads(RESULTS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
