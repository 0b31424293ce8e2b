"""MkDocs hooks: the navigation from docs/index.md, the reference from docstrings, other documents, figures.

What a page links to in the repository is on the site as well: documents and sources as pages, other files as they are.
They stand in `project/`, under their own paths. Notebooks are pages with their stored outputs.
"""

import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any

from figures import FIGURES, chart, with_figures
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from notebooks import as_page, notebooks

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "banbury"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)#\s]+)")
FENCE = re.compile(r"^```python(?: no-run)?\n(?=(>>>)?)", re.MULTILINE)
CHARTS = "pictures/benchmarks"
CODE = {".py": "python", ".rs": "rust", ".toml": "toml", ".sh": "sh", "": "text"}

# Packages whose modules all have a page of the reference, and modules without a row of their own on the page of Python.
MODULES = [
    "apps.labelling", "diagnosis", "hierarchy.evaluation", "readers", "results", "spark.frames", "spark.streaming",
    "stats",
]  # fmt: skip


def public_names() -> dict[str, str]:
    """The names of `banbury`, each with the module that defines it, but those of modules that have a page."""
    text = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    imports = re.findall(r"^    from (banbury[\w.]+) import (.+)$", text, re.MULTILINE)
    return {name: module for module, names in imports for name in names.split(", ") if module not in public_modules()}


def public_modules() -> list[str]:
    """The modules of the reference: those that the page of Python has a row for, and those of `MODULES`."""
    table = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8").partition("## Modules")[2]
    rows = re.findall(r"^\| (`banbury[^|]*)\|", table, re.MULTILINE)
    named = [name.removeprefix("banbury.") for row in rows for name in re.findall(r"`(banbury\.[\w.]+)`", row)]
    modules = set()
    for name in [*named, *MODULES]:
        path = PACKAGE / name.replace(".", "/")
        if path.with_suffix(".py").exists() or (path.is_dir() and (name in named or name == "readers")):
            modules.add(f"banbury.{name}")
        elif path.is_dir():
            modules |= {f"banbury.{name}.{file.stem}" for file in path.glob("[a-z]*.py")}
    return sorted(modules)


def reference_pages() -> dict[str, str]:
    """Every page that is made from docstrings: its path on the site, and its Markdown."""
    pages = {f"reference/api/{name}.md": f"::: {module}.{name}\n" for name, module in public_names().items()}
    for module in public_modules():
        options = "    options:\n      show_root_full_path: true\n      show_root_toc_entry: false\n"
        pages[f"reference/api/{module}.md"] = f"::: {module}\n{options}"
    return pages


def navigation(index: str) -> list[dict[str, Any]]:
    """The navigation: a section for each heading of the index that has links, in its order."""
    sections = []
    for part in index.split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        links = re.findall(r"\[([^\]]+)\]\((?![a-z]+:)([^)#\s]+\.(?:md|ipynb))\b", text)
        if links:
            sections.append(
                {title: [{name[:1].upper() + name[1:]: _on_site(f"docs/{target}")} for name, target in links]}
            )
    return sections


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the navigation from the index."""
    names = [{name: f"reference/api/{name}.md"} for name in public_names()]
    modules = [{name: f"reference/api/{name}.md"} for name in public_modules()]
    sections = navigation((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    reference = next(pages for section in sections for title, pages in section.items() if title == "Reference")
    reference += [{"Names of banbury": sorted(names, key=str)}, {"Modules": modules}]
    config.nav = [{"banbury": "index.md"}, *sections]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reference, and what pages link to outside docs/."""
    for path, text in reference_pages().items():
        files.append(File.generated(config, path, content=text))
    for name in FIGURES:
        files.append(File.generated(config, f"{CHARTS}/{name}.svg", content=chart(name)))
    pages = [
        f"docs/{file.src_uri}" for file in files.documentation_pages() if not file.src_uri.startswith("reference/api")
    ]
    for path in notebooks():
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=as_page(path)))
        pages.append(f"docs/notebooks/{path.name}")
    seen = set(pages)
    while pages:
        source = pages.pop()
        for target in LINK.findall((ROOT / source).read_text(encoding="utf-8")):
            path = normpath(join(dirname(source), target))
            if path not in seen and not path.startswith("docs/") and (ROOT / path).is_file():
                seen.add(path)
                files.append(_generated(path, config))
                if path.endswith(".md"):
                    pages.append(path)
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links lead to where a document is on the site; examples are coloured as what they are."""
    uri = page.file.src_uri
    source = uri.removeprefix("project/") if uri.startswith("project/") else f"docs/{uri}"
    if source.endswith(".md"):
        markdown = LINK.sub(lambda link: _link(link[1], source, uri), markdown)
    markdown = with_figures(markdown, relpath(CHARTS, dirname(uri) or "."))
    return FENCE.sub(lambda fence: "```pycon\n" if fence[1] else "```python\n", markdown)


def _generated(path: str, config: MkDocsConfig) -> File:
    """A file of the repository, as a page where it can be read."""
    file = ROOT / path
    if file.suffix in CODE:
        text = f"# {file.name}\n\n`{path}`\n\n````{CODE[file.suffix]}\n{file.read_text(encoding='utf-8')}````\n"
        return File.generated(config, _on_site(path), content=text)
    return File.generated(config, _on_site(path), abs_src_path=str(file))


def _on_site(path: str) -> str:
    """Where a file of the repository is among the sources of the site.

    >>> _on_site("docs/notebooks/text.ipynb"), _on_site("docs/../examples/spam.py")
    ('notebooks/text.md', 'project/examples/spam.py.md')
    """
    path = normpath(path)
    if path.startswith("docs/"):
        return re.sub(r"\.ipynb$", ".md", path.removeprefix("docs/"))
    return f"project/{path}.md" if Path(path).suffix in CODE else f"project/{path}"


def _link(target: str, source: str, uri: str) -> str:
    """The link on the site for one in the repository."""
    path = normpath(join(dirname(source), target))
    return relpath(_on_site(path), dirname(uri) or ".") if (ROOT / path).is_file() else target
