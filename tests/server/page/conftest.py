"""What the tests of the page share: a folder of models, a server of it, a browser."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banbury import Classifier
from browsing import Watched, browser
from commands import LABELS, TEXTS
from serving import Serving

__all__ = ["browser"]  # a fixture


def passengers(n: int = 400) -> tuple[dict[str, list[Any]], list[str]]:
    """A table in which the class of the cabin decides, most of the time."""
    draw = random.Random(0)
    rows: dict[str, list[Any]] = {"age": [], "cabin": [], "fare": []}
    labels = []
    for _ in range(n):
        cabin = draw.choice(["first", "second", "third"])
        rows["age"].append(round(draw.gauss(35, 12), 1))
        rows["cabin"].append(cabin)
        rows["fare"].append(round(draw.expovariate(0.03), 2))
        labels.append("saved" if draw.random() < (0.85 if cabin == "first" else 0.25) else "lost")
    return rows, labels


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of texts, another one, and one of a table; nobody changes it."""
    folder = tmp_path_factory.mktemp("models")
    Classifier().fit(TEXTS, LABELS).save(folder / "mood.banbury")
    Classifier.textbook().fit(TEXTS, LABELS).save(folder / "plain.banbury")
    Classifier().fit(*passengers()).save(folder / "passengers.banbury")
    return folder


@pytest.fixture(scope="module")
def server(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server of copies of the models, with a journal."""
    folder = tmp_path_factory.mktemp("served")
    for path in models.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    with Serving(folder, "--journal", folder / "journal") as serving:
        yield serving


@pytest.fixture(scope="module")
def origin(server: Serving) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
def watched(browser: Any, origin: str) -> Iterator[Watched]:
    """A page of the browser; at the end nothing has gone to another host, and no script has failed."""
    watched = Watched(browser, base_url=origin, viewport={"width": 1280, "height": 900})
    yield watched
    try:
        assert watched.strange(origin) == []
    finally:
        watched.page.close()
