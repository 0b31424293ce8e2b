"""What tests share: the profile of property tests, the public data sets where they are at hand, the command line."""

import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from commands import LABELS, TEXTS, Here, model, write_rows

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures need no screen
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else Spark takes the first python3 of the path
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn leaves out some of its checks without it

# A deadline would measure the machine, not the code, and so would the check that examples are made quickly. The suite
# draws the same examples every time, so that a result can be repeated; `make explore` draws new ones.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
settings.register_profile("banbury", untimed, derandomize=True)
settings.register_profile("explore", untimed, print_blob=True)
settings.load_profile("banbury")

Rows = list[dict[str, str]]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets; without it the test is skipped."""
    folder = os.environ.get("BANBURY_DATA")
    if not folder:
        pytest.skip("BANBURY_DATA is not set: it names the folder with the public data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def read_set(data_folder: Path) -> Callable[[str], Rows]:
    """A function from the name of a set to its rows: `text`, `label`, sometimes `split` or `source`."""

    def rows(name: str) -> Rows:
        path = data_folder / f"{name}.jsonl.gz"
        if not path.exists():
            pytest.skip(f"BANBURY_DATA has no {path.name}")
        # Only \n ends a row: some texts hold other line separators.
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            return [json.loads(line) for line in lines]

    return rows


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """The command line, in a folder of its own."""
    return Here(tmp_path, monkeypatch)


@pytest.fixture
def mood(here: Here) -> Here:
    """A folder with labelled rows and a model of them."""
    write_rows(here.folder / "mood.jsonl", TEXTS, LABELS)
    model().save(here.folder / "mood.banbury")
    return here
