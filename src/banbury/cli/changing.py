"""`banbury learn`, `forget` and `merge`: a model file that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from banbury import storage
from banbury.cli import options as reading
from banbury.cli.console import note, with_progress
from banbury.cli.tables import classes_of, columns_of, documents

if TYPE_CHECKING:
    from banbury.classifier import Classifier

as_label = click.option("--as", "label_for_all", metavar="LABEL", help="Of all rows; files need none then.")
as_texts = click.option("--texts", is_flag=True, help="The arguments are texts, whatever they look like.")
other_file = click.option("-o", "--output", type=reading.new_file, help="Leave MODEL as it is; write this.")


@click.command(
    epilog="""\b
Examples:
  banbury learn spam.banbury today.jsonl
  banbury learn spam.banbury --as ham "Are we still on for lunch?"
  banbury learn spam.banbury false-alarms.txt --as ham -o better.banbury"""
)
@reading.model_file
@click.argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@as_label
@as_texts
@other_file
@click.option("--weight", metavar="COLUMN", help="How often each row counts.")
@reading.reads_files()
@reading.threads
def learn(model: str, inputs: tuple[str, ...], **given: Any) -> None:
    """Learn from more rows; new words and new labels are welcome."""
    _change(model, inputs, given, "learn")


@click.command(
    epilog="""\b
Examples:
  banbury forget spam.banbury retracted.jsonl
  banbury forget spam.banbury --as spam "Free lunch on Friday" """
)
@reading.model_file
@click.argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@as_label
@as_texts
@other_file
@click.option("--weight", metavar="COLUMN", help="How often each row was counted.")
@reading.reads_files()
@reading.threads
def forget(model: str, inputs: tuple[str, ...], **given: Any) -> None:
    """Unlearn rows: the model is as if it had never seen them. Rows that it has not learned change nothing."""
    _change(model, inputs, given, "forget")


@click.command(
    epilog="""\b
Example:
  banbury merge monday.banbury tuesday.banbury -o week.banbury"""
)
@click.argument("models", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False), metavar="MODEL...")
@click.option("-o", "--output", required=True, type=reading.new_file, help="The model of them all.")
def merge(models: tuple[str, ...], output: str) -> None:
    """Add up models that have learned different rows, exactly. What was chosen for the first is kept."""
    whole = reading.load(models[0])
    for path in models[1:]:
        whole.merge(reading.load(path))
    whole.save(output)
    _tell(whole, output)


def _change(path: str, inputs: tuple[str, ...], given: dict[str, Any], act: str) -> None:
    if given["texts"] and given["label_for_all"] is None:
        raise click.UsageError("Texts have no label of their own: say --as LABEL.")
    guessed = None if given["label_for_all"] else "files"
    texts, files = reading.texts_or_files(inputs, "texts" if given["texts"] else guessed)
    if not texts:
        reading.need_input(files)
    with storage.locked(path):
        model = reading.load(path)
        model.threads = given["threads"]
        change = model.learn if act == "learn" else model.forget
        classes, columns = classes_of(model), columns_of(model)
        if given["label_for_all"] is None:
            reader = reading.reader_for(model, files, given, weight=given["weight"]).needs_labels()
            for batch in with_progress(reader, f"{act}ing"):
                labels = reading.of_kind(batch.labels or [], classes)
                change(documents(batch, reader.layout, columns), labels, batch.sample_weight)
        else:
            label = reading.new_label(given["label_for_all"], classes)
            if texts:
                change(texts, [label] * len(texts))
            else:
                reader = reading.reader_for(model, files, given, weight=given["weight"], label=False)
                for batch in with_progress(reader, f"{act}ing"):
                    change(documents(batch, reader.layout, columns), [label] * len(batch), batch.sample_weight)
        model.save(given["output"] or path)
    _tell(model, given["output"] or path)


def _tell(model: Classifier, path: str) -> None:
    if columns_of(model) is not None:
        note(f"{path} is written")
        return
    counts = model.counts_
    documents = ", ".join(f"{label}: {n}" for label, n in list(zip(counts.classes, counts.documents, strict=True))[:20])
    note(f"{path}: {sum(counts.documents)} documents ({documents}), {counts.n_features} features")
