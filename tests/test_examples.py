"""The examples run, on their own lines and, where the public sets are at hand, on these."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if path.name != "public_sets.py")
LONG_ON_REAL_DATA = {"bitmaps.py", "semi_supervised.py", "topics.py", "what_to_label_next.py"}
SAYS = {  # on its own lines
    "assumptions.py": "hot and sunny: together in",
    "authors.py": "Ann (0.7",
    "bitmaps.py": "drawn digits: accuracy 1.000",
    "languages.py": "['English' 'German' 'French' 'Spanish']",
    "on_dask.py": "the same counts as on one machine: True",
    "on_ray.py": "the same counts as on one machine: True",
    "on_spark_stream.py": "documents that were learned: 4\ndocuments that were learned: 6\n",
    "sentiment.py": "lovely   {'negative': 0, 'positive': 14}",
    "hierarchy.py": "the team and the league of the match: sport\nnew",
    "stream.py": "2026-05 is predicted worse than before",
    "several_labels.py": "charged twice, and the app crashes: ['billing', 'app']",
    "spam.py": "P(spam) = 0.7",
    "spelling.py": "I receive letters: spelling is hard",
    "symptoms.py": "P(positive) = 0.0585, P(ill | positive) = 0.1538",
    "topics.py": "politics (0.",
    "word_senses.py": "shore (0.8",
}


def case(path: Path) -> object:
    """An example; those that start a cluster have warnings of sockets and of others' code."""
    marks = [pytest.mark.filterwarnings("ignore")] if path.stem.startswith("on_") else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", [case(path) for path in EXAMPLES])
def test_an_example_runs_and_says_something(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "public_sets", raising=False)
    if path.name in LONG_ON_REAL_DATA:
        monkeypatch.delenv("BANBURY_DATA", raising=False)
    runpy.run_path(str(path), run_name="__main__")
    assert SAYS.get(path.name, "\n") in capsys.readouterr().out


def test_every_example_is_in_the_list() -> None:
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in listed for path in EXAMPLES)


def test_an_example_on_real_data_ends_in_a_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data_folder: Path
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "public_sets", raising=False)
    monkeypatch.setenv("BANBURY_PICTURES", str(tmp_path))
    runpy.run_path(str(FOLDER / "ranking.py"), run_name="__main__")
    assert (tmp_path / "ranking.png").stat().st_size > 1000
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        assert ("BANBURY_DATA" not in text and "rows(" not in text) or f'picture("{path.stem}"' in text, path.name


def test_the_gallery_has_every_example_that_ends_in_a_picture() -> None:
    listed = (FOLDER.parent / "docs" / "gallery.md").read_text(encoding="utf-8")
    pictured = [path.name for path in EXAMPLES if "picture(" in path.read_text(encoding="utf-8")]
    assert len(pictured) > 10
    assert [name for name in pictured if name not in listed] == []
