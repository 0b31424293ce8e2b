"""`banbury predict`: rows in, the same rows with labels and their probabilities out."""

from __future__ import annotations

import json

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli import decisions
from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.console import with_progress
from banbury.cli.declared import Choice, FloatRange, IntRange, UsageError, argument, command, option
from banbury.cli.tables import classes_of, columns_of
from banbury.readers.formats import FASTTEXT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.classifier import Classifier
    from banbury.readers import Batch, Reader

TRUE = "label"  # the column of the label that a row of fastText's format has already


@command(
    epilog="""\b
Examples:
  banbury predict spam.banbury "Free entry, text WIN now"
  banbury predict spam.banbury new.csv -o new.labelled.csv
  banbury predict topics.banbury new.jsonl --top 3 --above 0.05
  banbury predict spam.banbury new.csv --costs ham:spam=20 --unsure 0.5
  zcat feed.jsonl.gz | banbury predict spam.banbury - --all --prior spam=0.02""",
)
@reading.model_file
@argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@option("--texts", "kind", flag_value="texts", help="The arguments are texts, whatever they look like.")
@option("--files", "kind", flag_value="files", help="The arguments are files.")
@option("--all", "every", is_flag=True, help="The probability of every class.")
@option("--top", type=IntRange(min=1), metavar="K", help="The K most likely labels, with probabilities.")
@option("--above", type=FloatRange(0, 1), metavar="P", help="Only labels at least as likely as P.")
@decisions.rules
@reading.prior
@option("--prefix", default="", metavar="TEXT", help="In front of the names of the new columns.")
@reading.reads_files(labels=False)
@option(
    "--to",
    type=Choice([*writing.OUTPUT_FORMATS, "fasttext"]),
    metavar="NAME",
    help="jsonl, csv, tsv, parquet, fasttext or plain; that of -o, or as read.",
)
@option("--json", "is_json", is_flag=True, help="The same as --to jsonl.")
@writing.to_file
@reading.threads
def predict(model: str, inputs: tuple[str, ...], kind: str | None, **given: Any) -> None:
    """The label of each row, and its probability, beside the columns that the rows have.

    INPUTS are texts, or files; without any, standard input is read. What exists is a file.
    """
    if given["is_json"]:
        if given["to"] not in (None, "jsonl"):
            raise UsageError(f"--json and --to {given['to']} contradict each other.")
        given["to"] = "jsonl"
    if given["every"] and (given["top"] is not None or given["above"] is not None):
        raise UsageError("--all shows every class; --top and --above choose among them: give one or the other.")
    texts, files = reading.texts_or_files(inputs, kind)
    if not texts:
        reading.need_input(files)
    classifier = reading.load(model)
    classifier.threads = given["threads"]
    classes = classes_of(classifier)
    given["prior"] = reading.shares(given["prior"], classes)
    given["rule"] = decisions.rule_of(given, classifier)
    if texts and columns_of(classifier) is not None:
        raise UsageError("This is a model of tables: give files with rows.")
    if texts:
        format = writing.format_of(given["to"], given["output"], None)
        if format == "plain":  # without arrays: importing NumPy would take longer than all else
            rows = [_answer(classifier.probabilities(text, prior=given["prior"]), given, format) for text in texts]
        else:
            answers = _answers(classifier, texts, format, given)
            rows = [
                answer if format == "fasttext" else {"text": text} | answer
                for text, answer in zip(texts, answers, strict=True)
            ]
        writing.write(given["output"], format, [rows])
        return
    reader = reading.reader_for(classifier, files, given, label=False)
    format = writing.format_of(given["to"], given["output"], reader.layout)
    _check_names(reader, given, len(classes))
    writing.write(given["output"], format, _predicted(classifier, reader, format, given))


def _answers(classifier: Classifier, documents: Any, format: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    chances = classifier.predict_proba(documents, prior=given["prior"]).tolist()
    classes = classifier.classes_.tolist()
    return [_answer(dict(zip(classes, row, strict=True)), given, format) for row in chances]


def _answer(chances: dict[Any, float], given: dict[str, Any], format: str) -> dict[str, Any]:
    """The new columns of one row: the most likely labels, the first of equal ones first."""
    order = sorted(chances, key=lambda label: -chances[label])
    best: Any = order[0]
    if given["rule"] is not None:
        best = given["rule"].decide([list(chances.values())])[0]
    elif given["above"] is not None and chances[best] < given["above"]:
        best = None
    shown = _shown(order, chances, given, format)
    if format == "fasttext":
        labels = shown if shown else [] if best is None else [best]
        return {"labels": " ".join(f"{FASTTEXT_PREFIX}{_joined(label)} {chances[label]:.6g}" for label in labels)}
    if format == "plain":  # for people: a name beside every probability; the other formats have every digit
        if best is None or not shown:
            shown = [order[0] if best is None else best]
        cells: dict[str, Any] = {"predicted": "unsure"} if best is None else {}
        for number, label in enumerate(shown):
            cells |= {f"predicted {number}": label, f"probability {number}": f"{chances[label]:.4f}"}
        return cells
    row: dict[str, Any] = {"predicted": best, "probability": chances[order[0] if best is None else best]}
    if given["every"]:
        row |= {f"p({label})": chance for label, chance in chances.items()}
    elif given["top"] is not None or given["above"] is not None:
        row |= _more(shown, chances, given, format)
    return {f"{given['prefix']}{name}": value for name, value in row.items()}


def _shown(order: list[Any], chances: dict[Any, float], given: dict[str, Any], format: str) -> list[Any]:
    """The labels that were asked for, the most likely first; none where only the best is."""
    if given["every"]:
        return order
    if given["top"] is None and given["above"] is None:
        return []
    likely = [label for label in order if given["above"] is None or chances[label] >= given["above"]]
    return likely[: given["top"]]


def _more(shown: list[Any], chances: dict[Any, float], given: dict[str, Any], format: str) -> dict[str, Any]:
    """Several labels in one row: a list in JSON Lines, numbered columns in a table."""
    if format == "jsonl":
        return {"labels": [{"label": label, "probability": chances[label]} for label in shown]}
    columns: dict[str, Any] = {}
    for number in range(2, (given["top"] or len(chances)) + 1):
        label = shown[number - 1] if number <= len(shown) else None
        columns |= {f"predicted {number}": label, f"probability {number}": None if label is None else chances[label]}
    return columns


def _joined(label: Any) -> str:
    return "-".join(str(label).split())


def _check_names(reader: Reader, given: dict[str, Any], n_classes: int) -> None:
    names = ["predicted", "probability", "labels"]
    names += [f"{name} {number}" for number in range(2, n_classes + 1) for name in names[:2]]
    has_more = given["top"] is not None or given["above"] is not None
    new = [f"{given['prefix']}{name}" for name in (names if has_more else names[:2])]
    if taken := [name for name in new if name in reader.layout.columns]:
        raise UsageError(f"The rows have a column {taken[0]!r} already: say --prefix TEXT.")


def _predicted(
    classifier: Classifier, reader: Reader, format: str, given: dict[str, Any]
) -> Iterator[list[dict[str, Any]] | bytes]:
    from banbury.readers.typed import documents  # a text on the command line needs none

    columns = columns_of(classifier)
    for batch in with_progress(reader, "predicting"):
        answers = _answers(classifier, documents(batch, reader.layout, columns), format, given)
        if reader.layout.format == "fasttext" and format != "fasttext":
            truth = _true_labels(batch)
            answers = [answer | {TRUE: label} for answer, label in zip(answers, truth, strict=True)]
        if format == "fasttext":
            yield answers
        elif format == "jsonl" and reader.layout.format == "jsonl":
            yield _spliced(batch, answers)
        elif format == "plain" and columns is None:
            yield [answer | {"text": text} for answer, text in zip(answers, batch.texts, strict=True)]
        else:
            yield [row | answer for row, answer in zip(batch.rows(), answers, strict=True)]


def _true_labels(batch: Batch) -> list[str | None]:
    """The labels that lines of fastText's format start with, several with a space between; None for a line without."""
    from banbury.readers.several import labels_of_lines  # a text on the command line needs none

    return [" ".join(labels) or None for labels in labels_of_lines(batch)]


def _spliced(batch: Batch, answers: list[dict[str, Any]]) -> bytes:
    """Each line as it was, with the new fields before its last brace: the rest of the row is not parsed."""
    assert batch.kernel is not None
    lines = batch.kernel.raw().split(b"\n")
    parts: list[bytes] = []
    for line, answer in zip(lines, answers, strict=False):
        head = line.rstrip()[:-1].rstrip()
        comma = b", " if head != b"{" else b""
        parts += (head, comma, json.dumps(answer, ensure_ascii=False)[1:].encode("utf-8", "replace"), b"\n")
    return b"".join(parts)
