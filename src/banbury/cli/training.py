"""`banbury train`: labelled files in, a model and its report out.

What needs NumPy is imported inside functions, so that `--help` and completion do not wait for it.
"""

from __future__ import annotations

from array import array
from contextlib import ExitStack

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli import analyzing, completion
from banbury.cli import options as reading
from banbury.cli.checks import check, fail_over, fail_under
from banbury.cli.console import at_work, note, put, quoted, show, show_json, show_table, with_progress
from banbury.cli.declared import Choice, UsageError, argument, command, option
from banbury.cli.tables import classes_of, kinds
from banbury.errors import InputError
from banbury.readers.batch import joined
from banbury.readers.formats import MAIL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from banbury.classifier import Classifier
    from banbury.cli.findings import Findings
    from banbury.diagnosis.duplicates import Duplicates
    from banbury.readers import Batch, Reader
    from banbury.results.training_report import TrainingReport

WITH_LINES = ("jsonl", "csv", "tsv", "fasttext", "lines")
MAIL_PARTS = "sender, subject, body, links … each on its own (--text text: their text alone)"
OF_TEXTS = ("text", "plain")  # options that ask for a model of texts, besides those of an analyzer
MOST_KEPT_BYTES = 64 << 20  # bytes of text


@command(
    epilog="""\b
Examples:
  banbury train sms.jsonl -o spam.banbury
  banbury train reviews.csv.gz --text review --label stars -o stars.banbury --fail-under accuracy=0.8
  banbury train aclImdb/train -o mood.banbury --plain""",
)
@argument("files", nargs=-1, metavar="[FILE]...")
@option("-o", "--output", "model", required=True, type=reading.new_file, help="The model file to write.")
@option("--effort", type=Choice(["counting", "best"]), default="counting", help="best: slower, and better.")
@option("--exact-forget", is_flag=True, help="Let only learned rows be forgotten.")
@option("--plain", is_flag=True, help="Only count words, as textbooks do.")
@analyzing.settings
@option(
    "--likelihood",
    type=Choice(["automatic", "multinomial", "bernoulli", "complement"]),
    metavar="NAME",
    help="multinomial, bernoulli, complement.",
)
@option("--smoothing", metavar="NUMBER", help="With a likelihood: added to every count; chosen by default.")
@option("--prior", metavar="LABEL=SHARE,…", default="empirical", help="… or uniform; as in the rows by default.")
@option("--table", is_flag=True, help="Learn from every column, as what it is.")
@option(
    "--columns",
    metavar="NAME[=KIND],…",
    shell_complete=completion.last_column,
    help="… or these: text, categorical, poisson …",
)
@option("--without", metavar="NAME,…", shell_complete=completion.last_column, help="… or all but these.")
@option("--weight", metavar="COLUMN", shell_complete=completion.columns, help="How often each row counts.")
@reading.reads_files()
@reading.as_json
@fail_under
@fail_over
@reading.threads
def train(files: tuple[str, ...], model: str, is_json: bool, **given: Any) -> int:
    """Learn from labelled rows, and write a model.

    Everything is chosen by exact leave-one-out, whose report is printed: each row predicted by the model without it.
    """
    _kernel.keep_memory()
    reading.need_input(files)
    if given["plain"] and given["smoothing"] is None and (given["fail_under"] or given["fail_over"]):
        raise UsageError("With --plain nothing is left out, so there are no figures to check: evaluate the model.")
    is_table = bool(given["table"] or given["columns"] or given["without"])
    more = {"text": False} if is_table else {"threads": given["threads"]}
    reader = reading.reader_of(files, given, weight=given["weight"], **more).needs_labels()
    if not is_table and reader.layout.format in MAIL and not _asks_for_texts(given):
        from banbury.apps.spam import MAIL_COLUMNS

        note(f"{reader.name}: {reader.layout.replace(text=None)}; {MAIL_PARTS}")
        return _train_table(reader, files, model, is_json, given | {"kinds": MAIL_COLUMNS})
    note(f"{reader.name}: {reader.layout}")
    if is_table:
        return _train_table(reader, files, model, is_json, given)
    reader.begin()  # while all that a classifier needs is imported
    classifier = _classifier(given)
    with ExitStack() as waiting:
        is_counted = given["plain"] and given["smoothing"] is None  # then nothing is found that has a place
        rows = _Rows(reader, waiting, keeps=not given["plain"], has_places=not is_counted)
        classifier.fit_batches(rows)
    if given["prior"] not in ("empirical", "uniform"):
        classifier.prior = reading.shares(given["prior"], classifier.counts_.classes)
    classifier.save(model)
    return _report(classifier, reader, rows, model, is_json, given)


def _asks_for_texts(given: dict[str, Any]) -> bool:
    return any(given[name] for name in OF_TEXTS) or analyzing.asks_for_texts(given)


def _train_table(reader: Reader, files: tuple[str, ...], path: str, is_json: bool, given: dict[str, Any]) -> int:
    """A model of all rows, which are read whole."""
    from banbury.cli.findings import Findings
    from banbury.readers.typed import to_learn

    columns: Any = given.get("kinds") or kinds(given["columns"])
    without = list(kinds(given["without"]) or {})
    if columns is not None and without:
        raise UsageError("Say --columns or --without, not both.")
    batches = list(with_progress(reader, "reading"))
    batch = joined(batches, has_labels=True)
    classifier = _classifier(given)
    classifier.columns = columns
    with at_work(reader, "choosing"):
        classifier.fit(to_learn(batches, reader.layout, columns, without), batch.labels, batch.sample_weight)
    if given["prior"] not in ("empirical", "uniform"):
        classifier.prior = reading.shares(given["prior"], classes_of(classifier))
    classifier.save(path)
    places = _Places(reader)
    findings = Findings(
        getattr(classifier, "report_", None), lambda index: places.of(index, batch.lines), places.name, {}, None, None
    )
    _tell_of_one(classes_of(classifier))
    kinds_found = {name: type(kind).__name__ for name, kind in classifier.columns_.items()}
    if is_json:
        about = {"model": path, "rows": len(batch), "skipped": reader.skipped, "columns": kinds_found}
        show_json(about | findings.to_dict())
    else:
        _show(findings)
        note(f"{path}: {len(batch)} rows, {len(kinds_found)} columns")
        model, file = quoted(path), quoted(files[0] if files else "FILE")
        is_mail = reader.layout.format in MAIL
        note(f"Next: banbury mail {model} < MESSAGE" if is_mail else f"Next: banbury explain {model} {file} --row 1")
    return check(findings.report, given)


class _Places:
    """The place of a row, as a user finds it: its line, its file, or its number."""

    def __init__(self, reader: Reader) -> None:
        self._files = reader.files
        is_one = reader.n_sources == 1
        self.name = "file" if self._files else "line" if is_one and reader.layout.format in WITH_LINES else "row"

    def of(self, index: int, lines: Sequence[int]) -> int | str:
        """The place of a row, by its number from 0 on and the lines of all."""
        if self.name == "file":
            return self._files[lines[index] - 1]
        return lines[index] if self.name == "line" else index + 1


class _Rows:
    """The batches of a reader, with a progress bar. `keeps`: for finding duplicates, as long as they are few.

    `waiting` holds the spinner that is shown after the last batch. Where nobody asks for them, `has_places` says so.
    """

    def __init__(self, reader: Reader, waiting: ExitStack, *, keeps: bool, has_places: bool) -> None:
        self._reader, self._waiting, self._keeps, self._has_places = reader, waiting, keeps, has_places
        self.can_be_read_again, self.reads_ahead = reader.can_be_read_again, reader.reads_ahead
        self._places = _Places(reader)
        self.place_name = self._places.name
        self._kept: list[Batch] | None = None
        self._lines = array("Q")

    def __iter__(self) -> Iterator[Batch]:
        self._waiting.close()  # rows are read once more where their kind was guessed wrong
        self._kept, self._lines, size = [] if self._keeps else None, array("Q"), 0
        for batch in with_progress(self._reader, "training"):
            size += _kernel.size(batch.texts)
            if self._has_places:
                self._lines.extend(batch.lines)
            if self._kept is not None:
                self._kept.append(batch)
            if size > MOST_KEPT_BYTES:
                self._kept = None
            yield batch
        self._waiting.enter_context(at_work(self._reader, "choosing"))

    def place(self, index: int) -> int | str:
        """Where a row is."""
        return self._places.of(index, self._lines)

    def duplicates(self) -> Duplicates | None:
        """Rows that repeat others; None where there were too many to keep them."""
        from banbury.diagnosis.duplicates import duplicates

        if self._kept is None:
            return None
        texts = [text for batch in self._kept for text in batch.texts]
        return duplicates(texts, [label for batch in self._kept for label in batch.labels or []])


def _classifier(given: dict[str, Any]) -> Classifier:
    from banbury.classifier import Classifier

    prior = given["prior"] if given["prior"] in ("empirical", "uniform") else "empirical"
    analyzer = analyzing.analyzer_of(given)
    smoothing: Any = given["smoothing"]
    if smoothing is not None and smoothing not in ("auto", "document"):
        try:
            smoothing = None if smoothing == "none" else float(smoothing)
        except ValueError:
            raise InputError(f"smoothing is {smoothing!r}; it can be a number, 'auto', 'document' or 'none'") from None
    elif smoothing is None:
        smoothing = 1.0 if given["plain"] else "auto"
    likelihood = given["likelihood"] or ("multinomial" if given["plain"] else "automatic")
    if likelihood == "automatic" and given["plain"]:
        raise UsageError("Say --plain or --likelihood automatic, not both.")
    if likelihood == "automatic" and smoothing != "auto":
        raise UsageError("The automatic model has no smoothing: say also --likelihood multinomial.")
    options = {"analyzer": analyzer, "likelihood": likelihood, "smoothing": smoothing, "prior": prior}
    calibration = None if given["plain"] else "auto"
    names = ("effort", "exact_forget", "threads")
    return Classifier(**options, calibration=calibration, **{name: given[name] for name in names})


def _report(
    classifier: Classifier, reader: Reader, rows: _Rows, model: str, is_json: bool, given: dict[str, Any]
) -> int:
    report, counts = getattr(classifier, "report_", None), classifier.counts_
    findings = None if given["plain"] and report is None else _findings(classifier, report, reader, rows, given)
    _tell_of_one(counts.classes)
    documents = dict(zip(map(str, counts.classes), counts.documents, strict=True))
    if is_json:
        about = {"model": model, "documents": documents, "features": counts.n_features, "skipped": reader.skipped}
        show_json(about | ({"strongest_words": {}} if findings is None else findings.to_dict()))
    else:
        if findings is not None:
            _show(findings)
        shown = ", ".join(f"{label} {n}" for label, n in list(documents.items())[:20])
        more = f" and {len(documents) - 20} more labels" if len(documents) > 20 else ""
        note(f"{model}: {sum(counts.documents)} documents ({shown}{more}), {counts.n_features} features")
        note(f'Next: banbury predict {quoted(model)} "a text"')
    return check(report, given)


def _findings(
    classifier: Classifier, report: TrainingReport | None, reader: Reader, rows: _Rows, given: dict[str, Any]
) -> Findings:
    from banbury.cli.findings import Findings, giving_away, strongest_words

    if given["plain"]:
        return Findings(report, rows.place, rows.place_name, {}, None, None)
    with at_work(reader, "looking for duplicates and leaks"):
        words, leaks, duplicates = strongest_words(classifier), giving_away(classifier), rows.duplicates()
    return Findings(report, rows.place, rows.place_name, words, leaks, duplicates)


def _tell_of_one(classes: list[Any]) -> None:
    if len(classes) == 1:
        note(f"There is only one label, {classes[0]!r}: the model needs another to tell it from. Learn more rows.")


def _show(findings: Findings) -> None:
    """Figures first, then all else."""
    from banbury.cli.blocks import Block, Blocks

    if findings.report is not None:
        show(Blocks([Block("each row predicted by a model that has not seen it (leave-one-out)")]))
        show_table(findings.report.scorecard())
        put("\n")
        if findings.report.note:
            show(Blocks([Block("note", [(findings.report.note,)])]))
            put("\n")
    blocks = findings.blocks()
    if blocks.blocks:
        show(blocks)
        put("\n")
