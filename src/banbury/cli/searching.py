"""`banbury rank`: documents by a query."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.console import note, show, with_progress
from banbury.cli.declared import Choice, IntRange, UsageError, argument, command, option
from banbury.display.characters import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.apps.ranking import Ranker

SCORER_NAMES = ("pitman-yor", "dirichlet", "jelinek-mercer", "bm25")  # as in ranking, which takes longer to import


@command(
    epilog="""\b
Examples:
  banbury rank abstracts.jsonl -q "flow over a flat plate"
  banbury rank abstracts.jsonl --save abstracts.index
  banbury rank abstracts.index -q "flow over a flat plate" --to jsonl""",
)
@argument("files", nargs=-1, required=True, metavar="FILE...")
@option("-q", "--query", multiple=True, metavar="TEXT", help="What is looked for; can be given several times.")
@option("--top", type=IntRange(min=1), default=10, show_default=True, metavar="N", help="How many rows.")
@option("--scorer", type=Choice(SCORER_NAMES), help="How rows are scored; pitman-yor by default.")
@option("--why", is_flag=True, help="Word by word.")
@option("--save", metavar="FILE", type=reading.new_file, help="Keep the counts; the rows are not kept.")
@reading.reads_files(labels=False)
@writing.to_format
@writing.to_file
def rank(files: tuple[str, ...], query: tuple[str, ...], save: str | None, **given: Any) -> None:
    """Find rows by a query, the best first. FILES are documents, or one file that --save has written."""
    if not query and save is None:
        raise UsageError("Nothing to do: say -q TEXT, or --save FILE.")
    ranker, rows = _ranker(files, given["scorer"], given)
    if save is not None:
        ranker.save(save)
        note(f"{save}: {len(ranker)} documents")
    if given["why"]:
        for text in query:
            for hit in ranker.search(text, top=given["top"]):
                show(hit)
        return
    if query:
        format = writing.format_of(given["to"], given["output"], None)
        writing.write(given["output"], format, _found(ranker, rows, query, given["top"], format))


def _ranker(files: tuple[str, ...], scorer: str | None, given: dict[str, Any]) -> tuple[Ranker, list[dict[str, Any]]]:
    from banbury.apps.ranking import Ranker  # needs NumPy, for which `--help` does not wait

    if len(files) == 1 and _is_index(files[0]):
        ranker = Ranker.load(files[0])
        if scorer is not None:
            ranker.scorer, ranker.smoothing = scorer, "auto"
        return ranker, []
    ranker = Ranker(scorer=scorer or SCORER_NAMES[0])
    rows: list[dict[str, Any]] = []
    reader = reading.reader_of(files, given, label=False)
    texts: list[Any] = []
    for batch in with_progress(reader, "reading"):
        texts += list(batch.texts)
        rows += [
            {"text": text} | row if reader.layout.format == "lines" else row
            for text, row in zip(batch.texts, batch.rows(), strict=True)
        ]
    ranker.add(texts)
    return ranker, rows


def _is_index(path: str) -> bool:
    if path == "-" or os.path.isdir(path):
        return False
    with open(path, "rb") as file:
        return file.read(8 + len(storage.OPENING))[8:] == storage.OPENING


def _found(
    ranker: Ranker, rows: list[dict[str, Any]], queries: tuple[str, ...], top: int, format: str
) -> Iterator[list[dict[str, Any]]]:
    for text in queries:
        asked = {"query": text} if len(queries) > 1 else {}
        hits = ranker.search(text, top=top)
        if format == "plain":
            yield [
                asked | {"score": f"{hit.score:.3f}", "row": _name(rows, hit.index), "text": _text(rows, hit.index)}
                for hit in hits
            ]
        else:
            yield [
                asked | {"score": hit.score, "row": hit.index + 1} | (rows[hit.index] if rows else {}) for hit in hits
            ]


def _name(rows: list[dict[str, Any]], index: int) -> Any:
    """Where a row is: the file of a folder, or its number."""
    return rows[index].get("file", index + 1) if rows else index + 1


def _text(rows: list[dict[str, Any]], index: int) -> str:
    if not rows:
        return ""
    row = rows[index]
    text = max((str(value) for value in row.values() if isinstance(value, str)), key=len, default="")
    return shorten(" ".join(str(row.get("text") or text).split()), 100)
