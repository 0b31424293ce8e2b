"""The notebooks of docs/notebooks: run, with their outputs stored, and as pages of the site.

`make notebooks` runs them all and stores what they put out; a test runs them and compares.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).parents[1] / "notebooks"
STYLE = re.compile(r"<style>.*?</style>\s*", re.DOTALL)
SCHEMES = {".vscode-light": '[data-md-color-scheme="default"]', ".vscode-dark": '[data-md-color-scheme="slate"]'}


def notebooks() -> list[Path]:
    """The files, in the order of their names."""
    return sorted(FOLDER.glob("*.ipynb"))


def run(path: Path) -> Any:
    """The notebook with the outputs of a fresh kernel; a cell that fails raises. Times of the run are left out."""
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    quiet = ["--log-level=ERROR"]  # it warns that its port is open to this machine
    place = {"metadata": {"path": str(FOLDER)}}
    environment = {**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", extra_arguments=quiet, resources=place)
    client.execute(env=environment)
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = {}
    notebook.metadata.pop("language_info", None)
    return notebook


def outputs(notebook: Any) -> list[list[str]]:
    """What each cell puts out, in text. Of a picture only that there is one: fonts and versions change its pixels."""
    return [[_comparable(output) for output in cell.get("outputs", [])] for cell in notebook.cells]


def as_page(path: Path) -> str:
    """A notebook as a page of Markdown: cells, and below each what it puts out."""
    parts, styles = [], set()
    for cell in nbformat.read(path, as_version=4).cells:
        parts.append(cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```")
        for output in cell.get("outputs", []):
            html = _shown(output)
            for style in STYLE.findall(html):  # each output brings its own; one for the page is enough
                if style in styles:
                    html = html.replace(style, "", 1)
                styles.add(style)
            parts.append(html)
    parts.append(f'<a href="{path.name}" download>This notebook as a file</a>')
    return "\n\n".join(parts) + "\n"


def _comparable(output: Any) -> str:
    """The text of an output."""
    if output.output_type == "stream":
        return output.text
    data = output.data
    return "a picture" if "image/png" in data else data.get("text/html", data["text/plain"])


def _shown(output: Any) -> str:
    """An output in Markdown, in HTML where it has that."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    if "image/png" in data:
        text = data.get("text/plain", "a picture").replace('"', "'")
        return f'<img class="output" alt="{text}" src="data:image/png;base64,{data["image/png"].strip()}">'
    if "text/html" in data:
        html = data["text/html"]
        for host, scheme in SCHEMES.items():  # the reader's choice on the site, not that of his system, is what counts
            html = html.replace(host, scheme)
        html = re.sub(r"\n\s*\n", "\n", html)  # a blank line would end the HTML
        return f'<div class="output">\n{html}\n</div>'
    return f"```text\n{data['text/plain'].rstrip()}\n```"


def main() -> None:
    """Run the notebooks, or those that are named, and store their outputs."""
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else notebooks():
        nbformat.write(run(path), path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", file=sys.stderr)


if __name__ == "__main__":
    main()
