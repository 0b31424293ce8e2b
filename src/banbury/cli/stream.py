"""`banbury stream`: models of rows that carry a time.

What needs NumPy is imported inside functions, so that `--help` and completion do not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.cli import options as reading
from banbury.cli.answers import write_answers, writes_answers
from banbury.cli.console import at_work, note, quoted, show, show_json, show_table
from banbury.cli.declared import BadParameter, IntRange, argument, group, option
from banbury.errors import Option, OptionError

if TYPE_CHECKING:
    from banbury.cli.declared import Decorator
    from banbury.readers.batch import Batch
    from banbury.stream.classifier import StreamClassifier

TIME_COLUMNS = ("time", "date", "timestamp", "datetime", "created_at")  # names of a column that is taken for the times


@group(
    epilog="""\b
Examples:
  banbury stream train mail-2025.jsonl --period month -o mail.banbury
  banbury stream learn mail.banbury mail-2026-01.jsonl
  banbury stream predict mail.banbury "win a prize"
  banbury stream drift mail.banbury"""
)
def stream() -> None:
    """Rows that carry a time: old ones count less, and changes are shown.

    Times are dates of ISO 8601, or numbers.
    """


def reads_times() -> Decorator:
    """The options of reading rows with a label and a time."""
    time = option("--time", metavar="COLUMN", help="Where the times are; guessed by default.")
    return lambda command: time(reading.reads_files()(command))


def _load(path: str, threads: int | None = None) -> StreamClassifier:
    from banbury.stream.classifier import StreamClassifier

    model = StreamClassifier.load(path)
    model.threads = threads
    return model


def _timed(files: tuple[str, ...], given: dict[str, Any]) -> tuple[Any, Batch, list[Any]]:
    """The reader of rows, all of them, and their times."""
    reading.need_input(files)
    reader = reading.reader_of(files, given)
    note(f"{reader.name}: {reader.layout}")
    columns = list(reader.layout.columns)
    name = given["time"] or next((name for name in TIME_COLUMNS if name in columns), None)
    if name is None or (given["time"] and name not in columns and reader.layout.format not in ("jsonl", "json")):
        known = ", ".join(map(repr, columns))
        raise OptionError(f"{reader.name}: which column has the times? Say ", Option("time"), f"; there are {known}")
    batch = reader.whole()
    return reader, batch, [row.get(name) for row in batch.rows()]


def _as_times(times: list[Any], period: str | float) -> list[Any]:
    """Times in the kind that the period needs: a CSV has only text."""
    if isinstance(period, str):
        return times
    return [_number(time) if isinstance(time, str) else time for time in times]


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return None if not text.strip() else text


def _period(text: str) -> str | float:
    number = _number(text)
    return number if isinstance(number, float) else text


def _half_life(text: str) -> Any:
    if text in ("auto", "none"):
        return None if text == "none" else "auto"
    if text.isdigit():
        return int(text)
    raise BadParameter(f"{text!r} is no number of periods, and neither auto nor none", param_hint="--half-life")


def _tell(path: str, model: StreamClassifier) -> None:
    periods, half_life = model.periods_, model.half_life_
    ages = "nothing ages" if half_life is None else f"half-life {half_life} × {model.period}"
    between = f", {periods[0]} to {periods[-1]}" if periods else ""
    note(f"{path}: {model.n_documents_} documents, {len(periods)} periods{between}; {ages}")


@stream.command()
@argument("files", nargs=-1, metavar="[FILE]...")
@option("-o", "--output", "model", required=True, type=reading.new_file, help="The model file to write.")
@option(
    "--period",
    default="month",
    metavar="NAME",
    help="hour, day, week, month or year; of times that are numbers, a number.",
)
@option("--half-life", default="auto", metavar="N", help="In periods; auto: the one that predicts best; none.")
@reads_times()
@reading.as_json
@reading.threads
def train(files: tuple[str, ...], model: str, period: str, half_life: str, is_json: bool, **given: Any) -> None:
    """Learn from rows that carry a time, and write a model.

    Each period is predicted from those before it; that is printed.
    """
    from banbury.stream.classifier import StreamClassifier

    classifier = StreamClassifier(period=_period(period), half_life=_half_life(half_life), threads=given["threads"])
    reader, batch, times = _timed(files, given)
    with reading.naming_lines(batch), at_work(reader, "choosing"):
        classifier.fit(batch.texts, batch.labels, _as_times(times, classifier.period))
    classifier.save(model)
    if is_json:
        about = {"model": model, "documents": classifier.n_documents_, "skipped": reader.skipped}
        show_json(about | {"half_lives": _named(classifier.half_lives_)} | classifier.drift().to_dict())
        return
    show_table(str(classifier.drift()))
    _tell(model, classifier)
    note(f'Next: banbury stream predict {quoted(model)} "a text"')


def _named(half_lives: dict[int | None, float]) -> dict[str, float]:
    return {"none" if name is None else str(name): value for name, value in half_lives.items()}


@stream.command()
@reading.model_file
@argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@writes_answers()
def predict(model: str, inputs: tuple[str, ...], kind: str | None, **given: Any) -> None:
    """The label of each row, and its probability, by the counts as they have aged by now.

    INPUTS are texts, or files; without any, standard input is read. What exists is a file.
    """
    classifier = _load(model, given["threads"]).current_

    def answers(texts: Any) -> list[tuple[Any, float]]:
        labels = classifier.classes_.tolist()
        return [
            (labels[place], float(row[place])) for row in classifier.predict_proba(texts) for place in [row.argmax()]
        ]

    write_answers(inputs, kind, given, answers)


@stream.command()
@reading.model_file
@argument("text")
@option("--label", metavar="LABEL", help="Of which; the most likely one by default.")
@reading.as_json
def explain(model: str, text: str, label: str | None, is_json: bool) -> None:
    """Which words decided, and by how much, as they count now."""
    classifier = _load(model).current_
    wanted = None if label is None else reading.label_of(label, classifier.classes_.tolist())
    explanation = classifier.explain(text, label=wanted)
    if is_json:
        show_json(explanation.to_dict())
    else:
        show(explanation)


@stream.command()
@reading.model_file
@option("--top", default=10, type=IntRange(min=1), metavar="K", help="Words of each change; 10 by default.")
@reading.as_json
def drift(model: str, top: int, is_json: bool) -> None:
    """How well each period was predicted before it was learned, and what has changed: labels and words."""
    classifier = _load(model)
    found = classifier.drift(top=top)
    if is_json:
        show_json(found.to_dict() | {"half_lives": _named(classifier.half_lives_)})
    else:
        show_table(str(found))


@stream.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@reads_times()
@reading.threads
def learn(model: str, files: tuple[str, ...], **given: Any) -> None:
    """Learn from more rows; first each is predicted from the periods before its own."""
    _change(model, files, given, "learn")


@stream.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@reads_times()
@reading.threads
def forget(model: str, files: tuple[str, ...], **given: Any) -> None:
    """Unlearn rows, as if they had never been seen."""
    _change(model, files, given, "forget")


def _change(path: str, files: tuple[str, ...], given: dict[str, Any], act: str) -> None:
    classifier = _load(path, given["threads"])
    _, batch, times = _timed(files, given)
    known = [label for by_label in classifier.documents_.values() for label in by_label]
    labels = reading.of_kind(batch.labels or [], known)
    with reading.naming_lines(batch):
        getattr(classifier, act)(batch.texts, labels, _as_times(times, classifier.period))
    classifier.save(path)
    _tell(path, classifier)


@stream.command(name="forget-before")
@reading.model_file
@argument("time")
def forget_before(model: str, time: str) -> None:
    """Unlearn every period before the one of TIME."""
    classifier = _load(model)
    classifier.forget_before(_as_times([time], classifier.period)[0])
    classifier.save(model)
    _tell(model, classifier)
