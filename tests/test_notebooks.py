"""The notebooks of the documentation: they run, and their stored outputs are those of a fresh run."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LARGEST = 300_000  # bytes, with all outputs


@pytest.fixture(scope="module")
def making() -> dict[str, Callable[..., Any]]:
    """What docs/making/notebooks.py has."""
    return runpy.run_path(str(ROOT / "docs" / "making" / "notebooks.py"))


def test_there_is_one_for_texts_for_tables_and_for_live_learning() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["live", "tables", "text"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # sockets of the client, closed when it is collected
def test_stored_outputs_are_those_of_a_fresh_run(path: Path, making: dict[str, Callable[..., Any]]) -> None:
    stored = making["outputs"](nbformat.read(path, as_version=4))
    assert sum(map(len, stored)) > 7
    assert making["outputs"](making["run"](path)) == stored, "`make notebooks` stores the outputs anew"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_has_no_times_of_its_run(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    assert "iopub" not in path.read_text(encoding="utf-8")


def test_a_page_has_every_cell_and_output(tmp_path: Path, making: dict[str, Callable[..., Any]]) -> None:
    cell = nbformat.v4.new_code_cell("1 + 1")
    html = "<style>p{}</style><p>two</p>\n\n<p>2</p>"
    cell.outputs = [
        nbformat.v4.new_output("stream", text="said\n"),
        nbformat.v4.new_output("execute_result", data={"text/plain": "2"}),
        nbformat.v4.new_output("display_data", data={"text/plain": "2", "text/html": html}),
        nbformat.v4.new_output("display_data", data={"text/plain": "2", "text/html": html}),
        nbformat.v4.new_output("display_data", data={"text/plain": "<Figure>", "image/png": "QUJD"}),
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Two"), cell])
    path = tmp_path / "two.ipynb"
    nbformat.write(notebook, path)
    page = making["as_page"](path)
    assert page.startswith("# Two\n\n```python\n1 + 1\n```\n\n```text\nsaid\n```\n\n```text\n2\n```\n")
    assert page.count("<style>") == 1  # each output brings the style, the page needs it once
    assert "<p>two</p>\n<p>2</p>" in page  # a blank line would end the HTML
    assert 'src="data:image/png;base64,QUJD"' in page
    assert making["outputs"](notebook)[1] == ["said\n", "2", html, html, "a picture"]
