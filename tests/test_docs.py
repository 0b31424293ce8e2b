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
from typing import Any

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


WITHOUT_EXAMPLES = {
    "reference/attacks.md": "made from the recorded runs, and compared with them",
    "reference/cli.md": "what --help says, and compared with it",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_page_has_an_example_that_runs(page: Path) -> None:
    is_exempt = page.parent.parent == ROOT / "docs" and f"{page.parent.name}/{page.name}" in WITHOUT_EXAMPLES
    assert is_exempt or blocks(page)


def test_the_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize("page", PAGES + LISTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_the_documents_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What docs/making/recorded.py has."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "making"))
    return runpy.run_path(str(ROOT / "docs" / "making" / "recorded.py"))


def test_figures_in_documents_are_those_that_were_recorded(recorded: dict[str, Any]) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in recorded["documents"]()}
    changed = [str(path.relative_to(ROOT)) for path, text in texts.items() if recorded["rewritten"](text) != text]
    assert changed == [], "`make figures` writes the figures of benchmarks/results/*.json into these documents"
    blocks = re.findall(r"^<!-- recorded: (\w+) -->$", "".join(texts.values()), re.MULTILINE)
    assert sorted(blocks) == sorted(recorded["TABLES"])


def test_the_figures_of_the_readme_are_means_of_what_was_measured() -> None:
    rows = json.loads((ROOT / "benchmarks" / "results" / "accuracy.json").read_text(encoding="utf-8"))["rows"]
    ours, theirs = ([row for row in rows if row["model"] == model] for model in ("counting", "grid"))
    assert len(ours) == len(theirs) == 10
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (accuracy, loss), (their_accuracy, their_loss) = (
        (fmean(row["accuracy"] for row in several), fmean(row["log_loss"] for row in several))
        for several in (ours, theirs)
    )
    assert f"accuracy {accuracy:.3f}, log loss {loss:.3f}" in readme
    assert f"{their_accuracy:.3f} and {their_loss:.3f}" in readme


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a <!--= quantity(0.065, 's') -->9 s<!--end--> b", "a <!--= quantity(0.065, 's') -->65 ms<!--end--> b"),
        (
            "<!--= ratio(52.6) -->1×<!--end-->, <!--= 2 * 3 -->5<!--end-->",
            "<!--= ratio(52.6) -->53×<!--end-->, <!--= 2 * 3 -->6<!--end-->",
        ),
        ("no figure", "no figure"),
    ],
)
def test_a_figure_in_a_sentence_is_written_anew(recorded: dict[str, Any], text: str, expected: str) -> None:
    assert recorded["rewritten"](text) == expected


def test_a_table_that_nothing_makes_is_an_error(recorded: dict[str, Any]) -> None:
    with pytest.raises(KeyError, match="colours"):
        recorded["rewritten"]("<!-- recorded: colours -->\n\n<!-- end -->\n")


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
