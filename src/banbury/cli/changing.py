"""`banbury learn`, `forget` and `merge`: a model file that changes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from banbury import storage
from banbury.cli import completion
from banbury.cli import options as reading
from banbury.cli.console import note, with_progress
from banbury.cli.declared import Path, UsageError, argument, command, option
from banbury.cli.tables import classes_of, columns_of
from banbury.errors import InputError
from banbury.readers.typed import documents
from banbury.text.documents import suggestion

if TYPE_CHECKING:
    from banbury.classifier import Classifier
    from banbury.readers import Batch

as_label = option(
    "--as",
    "label_for_all",
    metavar="LABEL",
    shell_complete=completion.labels,
    help="Of all rows; files need none then.",
)
as_texts = option("--texts", is_flag=True, help="The arguments are texts, whatever they look like.")
other_file = option("-o", "--output", type=reading.new_file, help="Leave MODEL as it is; write this.")


@command(
    changes="model",
    epilog="""\b
Examples:
  banbury learn spam.banbury today.jsonl
  banbury learn spam.banbury --as ham "Are we still on for lunch?"
  banbury learn spam.banbury false-alarms.txt --as ham -o better.banbury""",
)
@reading.model_file
@argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@as_label
@as_texts
@other_file
@option("--new-labels", is_flag=True, help="Labels that the model does not know become classes.")
@option("--weight", metavar="COLUMN", help="How often each row counts.")
@reading.reads_files()
@reading.threads
def learn(model: str, inputs: tuple[str, ...], **given: Any) -> None:
    """Learn from more rows, with new words. A label that is new to the model is refused without --new-labels."""
    _change(model, inputs, given, "learn")


@command(
    changes="model",
    epilog="""\b
Examples:
  banbury forget spam.banbury retracted.jsonl
  banbury forget spam.banbury --as spam "Free lunch on Friday" """,
)
@reading.model_file
@argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@as_label
@as_texts
@other_file
@option("--weight", metavar="COLUMN", help="How often each row was counted.")
@reading.reads_files()
@reading.threads
def forget(model: str, inputs: tuple[str, ...], **given: Any) -> None:
    """Unlearn rows: the model is as if it had never seen them. Rows that it has not learned change nothing."""
    _change(model, inputs, given, "forget")


@command(
    changes="models",
    epilog="""\b
Example:
  banbury merge monday.banbury tuesday.banbury -o week.banbury""",
)
@argument("models", nargs=-1, required=True, type=Path(exists=True, dir_okay=False), metavar="MODEL...")
@option("-o", "--output", required=True, type=reading.new_file, help="The model of them all.")
def merge(models: tuple[str, ...], output: str) -> None:
    """Add up models that have learned different rows, exactly. What was chosen for the first is kept."""
    whole = reading.load(models[0])
    sizes = [sum(whole.documents_)]
    for path in models[1:]:
        other = reading.load(path)
        sizes.append(sum(other.documents_))
        whole.merge(other)
    whole.save(output)
    note(f"Merged {len(models)} models of {', '.join(f'{size:,}' for size in sizes)} documents.")
    _tell(whole, output)


def _change(path: str, inputs: tuple[str, ...], given: dict[str, Any], act: str) -> None:
    if given["texts"] and given["label_for_all"] is None:
        raise UsageError("Texts have no label of their own: say --as LABEL.")
    guessed = None if given["label_for_all"] else "files"
    texts, files = reading.texts_or_files(inputs, "texts" if given["texts"] else guessed)
    if not texts:
        reading.need_input(files)
    with storage.locked(path):
        model = reading.load(path)
        model.threads = given["threads"]
        change = model.learn if act == "learn" else model.forget
        classes, columns = classes_of(model), columns_of(model)
        changed: Counter[Any] = Counter()
        is_open = act == "forget" or given["new_labels"] or not classes
        if given["label_for_all"] is None:
            reader = reading.reader_for(model, files, given, weight=given["weight"]).needs_labels()
            for batch in with_progress(reader, f"{act}ing"):
                labels = reading.of_kind(batch.labels or [], classes)
                if not is_open:
                    _check_known(labels, classes, batch)
                change(documents(batch, reader.layout, columns), labels, batch.sample_weight)
                changed.update(labels)
        else:
            label = reading.new_label(given["label_for_all"], classes)
            if not is_open:
                _check_known([label], classes, None)
            if texts:
                change(texts, [label] * len(texts))
                changed[label] += len(texts)
            else:
                reader = reading.reader_for(model, files, given, weight=given["weight"], label=False)
                for batch in with_progress(reader, f"{act}ing"):
                    change(documents(batch, reader.layout, columns), [label] * len(batch), batch.sample_weight)
                    changed[label] += len(batch)
        model.save(given["output"] or path)
    rows = ", ".join(f"{label}: {n:,}" for label, n in sorted(changed.items(), key=lambda entry: str(entry[0]))[:20])
    done = "Learned" if act == "learn" else "Forgot"
    note(f"{done} {changed.total():,} row{'' if changed.total() == 1 else 's'}{f' ({rows})' if rows else ''}.")
    _tell(model, given["output"] or path)


def _check_known(labels: list[Any], classes: list[Any], batch: Batch | None) -> None:
    """Refuse labels that are new: a typo would silently become a class of its own."""
    known = set(classes)
    for row, label in enumerate(labels):
        if label not in known:
            where = "" if batch is None else f"{batch.place(row)}: "
            raise InputError(
                f"{where}label {label!r} is new; {suggestion(label, classes)}. Say --new-labels to learn it"
            )


def _tell(model: Classifier, path: str) -> None:
    sizes = list(zip(classes_of(model), model.documents_, strict=True))
    documents = ", ".join(f"{label}: {n:,}" for label, n in sizes[:20])
    more = f", {model.counts_.n_features:,} features" if columns_of(model) is None else ""
    note(f"{path}: {sum(n for _, n in sizes):,} documents ({documents}){more}")
