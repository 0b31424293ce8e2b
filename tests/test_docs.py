"""What the documents show runs: every block marked `python` in the README and in docs/."""

import doctest
import json
import os
import pydoc
import re
import runpy
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest

from banbury import Classifier

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
LISTS = [
    *(ROOT / folder / "README.md" for folder in ("examples", "benchmarks", "kernel")),
    *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "DESIGN.md")),
]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
BLOCK = re.compile(r"^```(?:python|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def blocks(page: Path) -> list[str]:
    """The Python and the commands of a page. A block that is not meant to run is marked in another way: ```text, ```sh,
    ```python no-run …
    """
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def run_commands(block: str) -> None:
    """Run the commands of a block, lines that begin with `$`, as a shell does; what follows each is its output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in COMMAND.findall(block):
        lines = command.replace("\n> ", "\n")
        result = subprocess.run(
            ["bash", "-c", lines], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        checker = doctest.OutputChecker()
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert checker.check_output(expected, result.stdout, flags), f"{lines}\n{result.stdout}{result.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run_one_after_another(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # an example may save a model
    names: dict[str, object] = {"__name__": "__main__"}
    for number, block in enumerate(blocks(page)):
        if ">>> " in block:
            test = doctest.DocTestParser().get_doctest(block, names, f"{page.name}, block {number}", str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            report: list[str] = []
            runner.run(test, out=report.append, clear_globs=False)
            assert not runner.failures, "".join(report)
            names.update(test.globs)
        elif block.startswith("$ "):
            run_commands(block)
        else:
            exec(compile(block, f"{page.name}, block {number}", "exec"), names)


def test_the_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize("page", PAGES + LISTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_the_documents_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


def shown(figure: float | None) -> str:
    """A figure as the table has it: counts are whole."""
    if figure is None:
        return ""
    return f"{figure:,.0f}" if isinstance(figure, int) or figure > 100 else f"{figure:.4f}"


def test_the_table_of_applications_has_what_was_measured() -> None:
    folder = ROOT / "benchmarks"
    results = json.loads((folder / "results" / "applications.json").read_text(encoding="utf-8"))["figures"]
    measured = {
        (one["set"], shown(one["measured"]), shown(one["peer"])) for several in results.values() for one in several
    }
    text = (folder / "README.md").read_text(encoding="utf-8").partition("## Applications")[2].partition("\n## ")[0]
    rows = [tuple(cell.strip() for cell in line.split("|")[2:5]) for line in text.splitlines() if line[:2] == "| "]
    assert len(rows) > 20
    assert [row for row in rows[2:] if row not in measured] == []


def test_the_table_of_several_labels_has_what_was_measured() -> None:
    folder = ROOT / "benchmarks"
    results = json.loads((folder / "results" / "labels.json").read_text(encoding="utf-8"))
    text = (folder / "README.md").read_text(encoding="utf-8").partition("## Several labels")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:2] == "| "][2:]
    names = ("micro_f1", "macro_f1", "log_loss", "subset_accuracy")
    assert rows == [
        [row["set"], row["model"], *(f"{row[name]:.4f}" for name in names), f"{row['fit']:.2f} s"] for row in results
    ]


def test_the_table_of_accuracies_has_what_was_measured() -> None:
    results = json.loads((ROOT / "benchmarks" / "results" / "accuracy.json").read_text(encoding="utf-8"))["rows"]
    page = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    text = page.partition("## How good")[2].partition("## How fast")[0]
    rows = [[cell.strip(" *") for cell in line.split("|")[2:-1]] for line in text.splitlines() if line[:2] == "| "][2:]
    sets, models = (
        list(dict.fromkeys(row["set"] for row in results)),
        ["counting", "best", "grid", "lr-tuned", "fasttext"],
    )
    measured = {(row["set"], row["model"]): (row["accuracy"], row["log_loss"]) for row in results}
    figures = [[measured[name, model] for model in models] for name in sets]
    figures.append(
        [(fmean(a for a, _ in column), fmean(b for _, b in column)) for column in zip(*figures, strict=True)]
    )
    assert rows == [[f"{accuracy:.3f} / {loss:.3f}" for accuracy, loss in row] for row in figures]
    (ours, our_loss), _, (theirs, their_loss), *_ = figures[-1]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"accuracy {ours:.3f}, log loss {our_loss:.3f}" in readme
    assert f"{theirs:.3f} and {their_loss:.3f}" in readme


def test_the_picture_of_the_readme_is_what_its_command_draws() -> None:
    folder = ROOT / "docs" / "pictures"
    drawn = runpy.run_path(str(folder / "draw.py"))["picture"]()
    assert (folder / "waterfall.svg").read_text(encoding="utf-8") == drawn
    assert len(drawn) < 100_000


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {index.parent / target for target in LINK.findall(index.read_text(encoding="utf-8"))}
    assert [page for page in (ROOT / "docs").rglob("*.md") if page not in linked | {index}] == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"], ids=lambda page: page.name)
def test_what_a_page_calls_by_its_module_is_there(page: Path) -> None:
    for name in re.findall(r"`(banbury(?:\.\w+)+)", page.read_text(encoding="utf-8")):
        assert pydoc.locate(name) is not None, name


def test_the_files_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [ROOT, ROOT / "src" / "banbury", ROOT / "kernel" / "src", ROOT / "kernel" / "src" / "text"]
    for name in re.findall(r"`([\w/]+\.(?:py|rs|toml|pyi))`", text):
        assert any((folder / name).exists() for folder in folders), name


def test_the_reference_of_python_has_every_public_name_of_the_classifier() -> None:
    page = (ROOT / "docs/reference/python.md").read_text("utf-8")
    names = [name for name in dir(Classifier) if not name.startswith("_")]
    assert [name for name in names if not re.search(rf"`(Classifier\.)?{name}\b", page)] == []


def test_the_reference_of_python_names_what_modules_have() -> None:
    page = (ROOT / "docs/reference/python.md").read_text("utf-8")
    rows = re.findall(r"^\| `(banbury\.[a-z_.]+)` \| `(\w+)", page, re.MULTILINE)
    assert len(rows) > 15
    for module, name in rows:
        assert pydoc.locate(f"{module}.{name}") is not None, f"{module} has no {name}"


def test_the_table_of_attacks_is_that_of_the_recorded_runs() -> None:
    attacks = runpy.run_path(str(ROOT / "benchmarks" / "attacks.py"))
    runs = json.loads((ROOT / "benchmarks" / "results" / "attacks.json").read_text())
    assert (ROOT / "docs" / "reference" / "attacks.md").read_text(encoding="utf-8") == attacks["page"](runs)
