"""Options and helpers that several commands share: how files are read, loading models, parsing labels and priors."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from banbury.annotations import TYPE_CHECKING, Any
from banbury.cli import completion
from banbury.cli.declared import BadParameter, Choice, IntRange, NewFile, Path, UsageError, argument, option, together
from banbury.cli.tables import columns_of
from banbury.errors import InputError
from banbury.readers.formats import ANYTHING, EXTENSIONS, FORMATS, extension_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from banbury.classifier import Classifier
    from banbury.cli.declared import Decorator
    from banbury.readers import Reader
    from banbury.readers.batch import Batch

DOCUMENT = r"(?:^|(?<=, but ))document (\d+)(?= has | is )"  # as errors of Python name a row
LIMITS = ("row", "expanded", "ratio", "parquet")  # of `readers.Limits`

READING = (
    "format", "text", "label", "header", "delimiter", "encoding", "bad_rows", "limit",
)  # fmt: skip


def reads_files(labels: bool = True) -> Decorator:
    """The options of reading; without `labels`, those of files whose labels nobody needs."""
    options = [
        option("--format", type=Choice(FORMATS), metavar="NAME", help="jsonl, csv, mbox …; found out."),
        option(
            "--text",
            metavar="COLUMN",
            shell_complete=completion.columns,
            help="Where the texts are; guessed by default.",
        ),
        option(
            "--label",
            metavar="COLUMN",
            shell_complete=completion.columns,
            help="Where the labels are; guessed by default.",
        ),
        option("--header/--no-header", default=None, help="Whether a CSV or TSV names its columns."),
        option("--delimiter", metavar="CHARACTER", help="Between the cells of a CSV."),
        option("--encoding", metavar="NAME", help="UTF-8 by default."),
        option(
            "--bad-rows",
            type=Choice(["fail", "skip"]),
            default="fail",
            help="At one that cannot be used; fail by default.",
        ),
        option(
            "--limit",
            multiple=True,
            metavar="NAME=NUMBER",
            help="Raise it: row, expanded, ratio, parquet.",
        ),
    ]
    if not labels:
        del options[2]
    return together(options)


new_file = NewFile()
threads = option("--threads", type=IntRange(min=1), metavar="N", help="How many; all by default.")
as_json = option("--json", "is_json", is_flag=True, help="The result as JSON.")
model_file = argument("model", type=Path(exists=True, dir_okay=False))
prior = option("--prior", metavar="LABEL=SHARE,…", help="How frequent they are, or uniform.")


def reader_of(files: tuple[str, ...], options: dict[str, Any], **more: Any) -> Reader:
    """The reader of some files, by the options of the command."""
    from banbury.readers import read

    sources, how = sources_and_options(files, options)
    return read(*sources, **{**how, **more})


def sources_and_options(files: tuple[str, ...], options: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """What is read, and how, as `banbury.read` takes it."""
    from banbury.readers import Limits

    limits: dict[str, int] = {}
    for limit in options.get("limit", ()):
        name, _, number = limit.partition("=")
        if name not in LIMITS or not number.isdigit():
            raise BadParameter(f"{limit!r} is not NAME=N with one of {', '.join(LIMITS)}", param_hint="--limit")
        limits[name] = int(number)
    given = {name: options[name] for name in READING if name != "limit" and options.get(name) is not None}
    return files or ("-",), {"limits": Limits(**limits), **given}


def reader_for(model: Classifier, files: tuple[str, ...], options: dict[str, Any], **more: Any) -> Reader:
    """The reader of files for a model: of their texts, or where it is a model of tables, of all columns."""
    return reader_of(files, options, **({} if columns_of(model) is None else {"text": False}), **more)


@contextmanager
def naming_lines(batch: Batch) -> Iterator[None]:
    """Errors inside name the file and the line of a row, where they have the number of a document."""
    try:
        yield
    except InputError as error:
        import re

        message = re.sub(DOCUMENT, lambda number: batch.place(int(number[1])), str(error))
        if message == str(error):
            raise
        raise InputError(message) from None


def need_input(files: tuple[str, ...]) -> None:
    """A usage error where standard input would be read from a terminal: nobody means to type rows there."""
    if not files and sys.stdin.isatty():
        raise UsageError("Missing FILES: name some, or '-' for standard input.")


def load(path: str) -> Classifier:
    """The model in a file."""
    from banbury.classifier import Classifier

    return Classifier.load(path)


def texts_or_files(arguments: tuple[str, ...], kind: str | None) -> tuple[list[str], tuple[str, ...]]:
    """Which arguments are texts and which are files, where nobody has said it by `kind`.

    What exists is a file. What is called like one and does not exist is a mistake, not a text.
    """
    texts: list[str] = []
    files: list[str] = []
    for given in arguments:
        if kind == "texts" or (kind is None and not _is_file(given)):
            texts.append(given)
        else:
            files.append(given)
    if texts and files:
        raise UsageError(f"{files[0]!r} is a file and {texts[0]!r} is not: give files or texts, or say --texts.")
    return texts, tuple(files)


def _is_file(argument: str) -> bool:
    if argument == "-" or os.path.exists(argument):
        return True
    import re

    is_named = re.fullmatch(r"\S+", argument) and extension_of(argument) in (*EXTENSIONS, *ANYTHING)
    is_placed = re.fullmatch(r"(~|\.{0,2})/\S+", argument) or (
        re.fullmatch(r"\S+/\S*", argument) and os.path.isdir(os.path.dirname(argument))
    )
    if is_named or is_placed:
        raise InputError(f"{argument}: there is no such file (if it is a text, say --texts)")
    return False


def label_of(name: str, classes: list[Any]) -> Any:
    """The label that is written like this; it may be a number."""
    for label in classes:
        if str(label) == name:
            return label
    raise InputError(f"there is no class {name!r}; this model knows {', '.join(map(repr, classes))}")


def new_label(name: str, classes: list[Any]) -> Any:
    """A label as it is written, or as a number where the model's labels are numbers."""
    return of_kind([name], classes)[0]


def of_kind(labels: list[Any], classes: list[Any]) -> list[Any]:
    """Labels in the kind that a model has: a CSV has only text, but a model may have learned numbers."""
    if not classes or not labels or isinstance(labels[0], type(classes[0])) or not isinstance(labels[0], str):
        return labels
    known = {str(label): label for label in classes}
    if isinstance(classes[0], bool):
        known |= {"true": True, "false": False, "1": True, "0": False}
    try:
        return [known[label] if label in known else type(classes[0])(int(label)) for label in labels]
    except ValueError as error:
        kind = type(classes[0]).__name__
        raise InputError(f"the model's labels are of type {kind}, and there is one that is not: {error}") from None


def shares(text: str | None, classes: list[Any]) -> Any:
    """A prior from `spam=0.1,ham=0.9`."""
    if text is None or text in ("uniform", "empirical"):
        return text
    given: dict[Any, float] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        try:
            given[label_of(name.strip(), classes)] = float(number)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise BadParameter(f"{part!r} is not LABEL=SHARE", param_hint="--prior") from None
    total = sum(given.values())
    missing = [label for label in classes if label not in given]
    if len(missing) == 1 and 0 <= total <= 1:
        given[missing[0]] = 1 - total
    return given
