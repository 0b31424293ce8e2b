"""How training gains by more threads, on a machine that need not have as many processors.

`python benchmarks/threads.py` fits with 1, 2, 4, 8 and 16 threads. The thread that calls does everything that is not
shared, and the first share of what is; the other shares are as large. So its own processor time is what a fit
would take by the clock with a processor for each thread, but for what threads wait for each other and for memory.
Beside it stand the processor time of all threads, which says what sharing costs, and what is not shared: labels, and
taking hold of Python's strings.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time, thread_time

import data
from clocks import fresh
from saving import write

import banbury
from banbury import _kernel
from banbury.text.documents import as_labels, class_numbers

THREADS = (1, 2, 4, 8, 16)
SETS = {
    "IMDB": ("imdb", (1, 1)),
    "IMDB, unigrams + bigrams": ("imdb", (1, 2)),
    "20 Newsgroups": ("20newsgroups", (1, 1)),
    "20 Newsgroups, unigrams + bigrams": ("20newsgroups", (1, 2)),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A fit on so many threads: processor seconds of the one that calls, of all, and of unshared reading."""

    what: str
    threads: int
    path: float
    all_threads: float
    reading: float


def least(measure: Callable[[], tuple[float, ...]], repeats: int) -> tuple[float, ...]:
    """The least of each figure in so many rounds."""
    return tuple(map(min, zip(*(measure() for _ in range(repeats)), strict=True)))


def fitting(split: data.Split, ngrams: tuple[int, int], threads: int) -> tuple[float, float]:
    """Processor seconds of the thread that calls, and of all."""
    analyzer = banbury.Analyzer(words="python", min_length=2, ngrams=ngrams)
    texts, model = fresh(split.train), banbury.Classifier.textbook(analyzer=analyzer, threads=threads)
    gc.collect()
    all_start, start = process_time(), thread_time()
    model.fit(texts, split.train_labels)
    return thread_time() - start, process_time() - all_start


def reading(split: data.Split) -> tuple[float]:
    """Processor seconds of what one thread does before the kernel counts: labels to numbers, strings to be kept."""
    texts = fresh(split.train)
    gc.collect()
    start = thread_time()
    labels = as_labels(split.train_labels)
    class_numbers(labels, sorted(labels.different))
    _kernel.hold(texts)
    return (thread_time() - start,)


def main() -> None:
    """Measure, print, and save where asked to."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the data: a trial, not a result")
    default = Path(__file__).parent / "results" / "threads.json"
    parser.add_argument(
        "--json", type=Path, nargs="?", const=default, metavar="FILE", help="save (results/threads.json)"
    )
    options = parser.parse_args()

    rows: list[Row] = []
    print(f"{'':<36}{'threads':>8}{'one takes':>12}{'gain':>8}{'all take':>12}{'not shared':>12}")
    for what, (name, ngrams) in SETS.items():
        split = data.split(name, every=10 if options.quick else 1)
        [unshared] = least(lambda split=split: reading(split), 5)
        for threads in THREADS:
            path, all_threads = least(
                lambda split=split, ngrams=ngrams, threads=threads: fitting(split, ngrams, threads), 5
            )
            rows.append(row := Row(what, threads, path, all_threads, unshared))
            first = next(first for first in rows if first.what == what)
            figures = f"{row.path * 1e3:>9.1f} ms{first.path / row.path:>7.1f}×{row.all_threads * 1e3:>9.1f} ms"
            print(f"{what:<36}{threads:>8}{figures}{row.reading * 1e3:>9.1f} ms", flush=True)
    if options.json:
        write(options.json, "rows", [asdict(row) for row in rows], options.quick)


if __name__ == "__main__":
    main()
