"""`banbury several`: models of rows with several labels each, or none.

What needs NumPy is imported inside functions, so that `--help` and completion do not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.cli import options as reading
from banbury.cli import output as writing
from banbury.cli.console import at_work, note, quoted, show, show_json, show_table
from banbury.cli.declared import BadParameter, Choice, IntRange, UsageError, argument, group, option
from banbury.readers.formats import FASTTEXT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.cli.declared import Decorator
    from banbury.labels.classifier import MultiLabelClassifier
    from banbury.readers.several import SeveralReader

SEPARATED_OUTPUT = ("csv", "tsv", "plain", "parquet")  # formats in which several labels are one cell


@group(
    epilog="""\b
Examples:
  banbury several train tickets.jsonl -o tickets.banbury
  banbury several train tickets.csv --label tags --separator ';' -o tickets.banbury
  banbury several predict tickets.banbury "charged twice, and the app crashes"
  banbury several evaluate tickets.banbury test.jsonl"""
)
def several() -> None:
    """Rows with several labels each, or none.

    Labels are a list of JSON, a cell with a separator, or the __label__ words in front of a line of fastText's format.
    """


def reads_labels() -> Decorator:
    """The options of reading rows with several labels each."""
    separator = option("--separator", metavar="TEXT", help="Between the labels of a cell; one label by default.")
    return lambda command: separator(reading.reads_files()(command))


def _reader(files: tuple[str, ...], given: dict[str, Any]) -> SeveralReader:
    from banbury.readers.several import read_several

    reading.need_input(files)
    sources, how = reading.sources_and_options(files, given | {"label": None})
    reader = read_several(*sources, label=given["label"], separator=given["separator"], **how)
    note(f"{reader.name}: {reader.layout}")
    return reader


def _load(path: str, threads: int | None = None) -> MultiLabelClassifier:
    from banbury.labels.classifier import MultiLabelClassifier

    model = MultiLabelClassifier.load(path)
    model.threads = threads
    return model


def _threshold(text: str | None) -> Any:
    """A threshold as it is written: the name of a rule, or a number."""
    if text is None or text in ("f1", "micro_f1"):
        return text or "f1"
    try:
        return float(text)
    except ValueError:
        raise BadParameter(f"{text!r} is no probability, and neither f1 nor micro_f1") from None


threshold = option(
    "--threshold", metavar="P", help="From which probability on; f1 or micro_f1: the best by leave-one-out."
)


@several.command()
@argument("files", nargs=-1, metavar="[FILE]...")
@option("-o", "--output", "model", required=True, type=reading.new_file, help="The model file to write.")
@threshold
@reads_labels()
@reading.as_json
@reading.threads
def train(files: tuple[str, ...], model: str, threshold: str | None, is_json: bool, **given: Any) -> None:
    """Learn from rows with several labels each, and write a model.

    Each row is predicted by the model without it; that report is printed.
    """
    from banbury.labels.classifier import MultiLabelClassifier

    chosen = _threshold(threshold)
    reader = _reader(files, given)
    batch = reader.whole()
    classifier = MultiLabelClassifier(threshold=chosen, threads=given["threads"])
    with reading.naming_lines(batch), at_work(reader.reader, "choosing"):
        classifier.fit(batch.texts, batch.labels)
    classifier.save(model)
    if is_json:
        about = {"model": model, "documents": classifier.n_documents_, "skipped": reader.skipped}
        show_json(about | classifier.report_.to_dict())
        return
    show_table(str(classifier.report_))
    note(f"{model}: {classifier.n_documents_} documents, {len(classifier.classes_)} labels")
    note(f'Next: banbury several predict {quoted(model)} "a text"')


@several.command()
@reading.model_file
@argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@option("--texts", "kind", flag_value="texts", help="The arguments are texts, whatever they look like.")
@option("--files", "kind", flag_value="files", help="The arguments are files.")
@option("--top", type=IntRange(min=1), metavar="K", help="The K most likely labels, whatever the threshold.")
@threshold
@option("--separator", default=";", metavar="TEXT", help="Between the labels of a cell; ; by default.")
@option("--prefix", default="", metavar="TEXT", help="In front of the names of the new columns.")
@reading.reads_files(labels=False)
@option(
    "--to",
    type=Choice([*writing.OUTPUT_FORMATS, "fasttext"]),
    metavar="NAME",
    help="jsonl, csv, tsv, parquet, fasttext or plain; that of -o, or as read.",
)
@writing.to_file
@reading.threads
def predict(model: str, inputs: tuple[str, ...], kind: str | None, **given: Any) -> None:
    """The labels of each row, the most likely first, and their probabilities.

    INPUTS are texts, or files; without any, standard input is read. What exists is a file.
    """
    texts, files = reading.texts_or_files(inputs, kind)
    classifier = _load(model, given["threads"])
    if given["threshold"] is not None:
        classifier.set_params(threshold=_threshold(given["threshold"]))
    if texts:
        format = writing.format_of(given["to"], given["output"], None)
        rows = _answers(classifier, texts, format, given)
        if format not in ("plain", "fasttext"):
            rows = [{"text": text} | row for text, row in zip(texts, rows, strict=True)]
        writing.write(given["output"], format, [rows])
        return
    reading.need_input(files)
    reader = reading.reader_of(files, given, label=False)
    format = writing.format_of(given["to"], given["output"], reader.layout)
    new = [f"{given['prefix']}{name}" for name in ("predicted", "probabilities")]
    if taken := [name for name in new if name in reader.layout.columns]:
        raise UsageError(f"The rows have a column {taken[0]!r} already: say --prefix TEXT.")

    def answered() -> Iterator[list[dict[str, Any]]]:
        for batch in reader:
            answers = _answers(classifier, batch.texts, format, given)
            if format == "fasttext":
                yield answers
            elif format == "plain":
                yield [answer | {"text": text} for answer, text in zip(answers, batch.texts, strict=True)]
            else:
                yield [row | answer for row, answer in zip(batch.rows(), answers, strict=True)]

    writing.write(given["output"], format, answered())


def _answers(classifier: MultiLabelClassifier, texts: Any, format: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    """The new columns of each row."""
    predicted = classifier.labels_and_probabilities(texts, top=given["top"])
    return [_answer(list(chances), chances, format, given) for chances in predicted]


def _answer(labels: list[Any], chances: dict[Any, float], format: str, given: dict[str, Any]) -> dict[str, Any]:
    if format == "fasttext":
        named = [f"{FASTTEXT_PREFIX}{'-'.join(str(label).split())} {chances[label]:.6g}" for label in labels]
        return {"labels": " ".join(named)}
    if format == "plain":
        return {"predicted": given["separator"].join(f"{label} {chances[label]:.4f}" for label in labels) or "none"}
    if format in SEPARATED_OUTPUT:
        cells = {
            "predicted": given["separator"].join(map(str, labels)),
            "probabilities": given["separator"].join(f"{chances[label]:.6g}" for label in labels),
        }
        return {f"{given['prefix']}{name}": value for name, value in cells.items()}
    return {
        f"{given['prefix']}predicted": labels,
        f"{given['prefix']}probabilities": {str(label): chances[label] for label in labels},
    }


@several.command()
@reading.model_file
@argument("text")
@option("--label", metavar="LABEL", help="Of which; the most likely one by default.")
@reading.as_json
def explain(model: str, text: str, label: str | None, is_json: bool) -> None:
    """Why a text has a label, or has it not: the words that decided, and by how much."""
    classifier = _load(model)
    wanted = None if label is None else reading.label_of(label, classifier.counts_.labels)
    explanation = classifier.explain(text, label=wanted)
    if is_json:
        show_json(explanation.to_dict())
    else:
        show(explanation)


@several.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@option("-o", "--output", type=reading.new_file, help="Write a page of HTML, with doubtful and missing labels.")
@threshold
@reads_labels()
@reading.as_json
@reading.threads
def evaluate(
    model: str, files: tuple[str, ...], output: str | None, threshold: str | None, is_json: bool, **given: Any
) -> None:
    """How well a model predicts the labels of rows: micro and macro F1, ranking, label by label."""
    classifier = _load(model, given["threads"])
    if threshold is not None:
        classifier.set_params(threshold=_threshold(threshold))
    batch = _reader(files, given).whole()
    with reading.naming_lines(batch):
        report = classifier.evaluate(batch.texts, _of_kind(batch.labels or [], classifier))
    if output is not None:
        report.save(output)
        note(f"{output} is written")
    if is_json:
        show_json(report.to_dict())
    else:
        show_table(str(report))


@several.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@reads_labels()
@reading.threads
def learn(model: str, files: tuple[str, ...], **given: Any) -> None:
    """Learn from more rows; what was chosen in training stays."""
    _change(model, files, given, "learn")


@several.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@reads_labels()
@reading.threads
def forget(model: str, files: tuple[str, ...], **given: Any) -> None:
    """Unlearn rows, as if they had never been seen."""
    _change(model, files, given, "forget")


def _change(path: str, files: tuple[str, ...], given: dict[str, Any], act: str) -> None:
    classifier = _load(path, given["threads"])
    batch = _reader(files, given).whole()
    with reading.naming_lines(batch):
        getattr(classifier, act)(batch.texts, _of_kind(batch.labels or [], classifier))
    classifier.save(path)
    note(f"{path}: {classifier.n_documents_} documents, {len(classifier.classes_)} labels")


def _of_kind(sets: list[list[Any]], classifier: MultiLabelClassifier) -> list[list[Any]]:
    """Labels in the kind that the model has: a CSV has only text."""
    labels = classifier.counts_.labels
    return [reading.of_kind(given, labels) for given in sets]
