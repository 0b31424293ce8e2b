"""`banbury label`: labels by single keys; a model that learns along chooses the next row."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from banbury.cli import options as reading
from banbury.cli.console import note, quoted, with_progress
from banbury.cli.declared import Choice, Path, UsageError, argument, command, option
from banbury.cli.tables import classes_of
from banbury.display.characters import visible
from banbury.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from banbury.apps.labelling import Labelling

SKIP, UNDO, QUIT, HELP, SEARCH, ADD = "s", "u", "q", "?", "/", "+"
LABEL_KEYS = "123456789abcdefghijklmnoprtvwxyz"  # of labels: without those that mean something else
ESCAPE, ENTER, ERASE = "\x1b", ("\r", "\n"), ("\x7f", "\x08")
MOST_MATCHES = 12
MOST_COUNTED = 6  # labels whose numbers stand above each row
LONGEST_OTHER_CELL = 200  # characters of another column


MEANINGS = {
    SEARCH: "find a label by its name",
    ADD: "add a label",
    SKIP: "skip this row",
    UNDO: "take the last label back",
    HELP: "these keys",
    QUIT: "quit; all labels are written",
}


@command(
    epilog="""\b
Examples:
  banbury label messages.txt --labels ham,spam -o labelled.jsonl
  banbury label feed.csv --text body --labels a,b,c -o labelled.jsonl --model topics.banbury""",
)
@argument("files", nargs=-1, required=True, metavar="FILE...")
@option("-o", "--output", required=True, type=reading.new_file, help="JSON Lines; it is added to.")
@option("--labels", metavar="A,B,…", help="What there is to choose from; those of the output by default.")
@option("--model", type=Path(exists=True, dir_okay=False), help="A model that knows something already.")
@option(
    "--by",
    type=Choice(["gain", "uncertainty"]),
    default="gain",
    help="Which rows come first: those that teach most.",
)
@reading.reads_files(labels=False)
def label(files: tuple[str, ...], output: str, labels: str | None, model: str | None, by: str, **given: Any) -> None:
    """Label rows with single keys, those that teach the most first.

    Labels have digits and letters; '/' finds one by its name, '+' adds one, '?' shows all keys. Each label is written
    at once, so you can quit at any time and go on later with the same command.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Labelling needs a terminal.")
    from banbury.apps.labelling import Labelling  # it waits for the classifier, which `--help` does not

    known = None if model is None else reading.load(model)
    rows: list[dict[str, Any]] = []
    texts: list[str] = []
    for batch in with_progress(reading.reader_of(files, given, label=False), "reading"):
        texts += list(batch.texts)
        rows += batch.rows()
    with _Log(output) as log:
        done = _placed(log.rows, texts)
        choices = _choices(labels, [*done.values(), *(classes_of(known) if known else [])])
        session = _Session(Labelling(texts, done, model=known, by=by), rows, choices, log)
        with _keys() as key, suppress(KeyboardInterrupt):
            session.run(key)
    given_labels = session.labelling.labels.values()
    note(f"{len(given_labels)} labelled, {len(session.labelling)} left: {output}")
    if len(set(given_labels)) > 1:
        note(f"Next: banbury train {quoted(output)} -o MODEL")


def _choices(labels: str | None, seen: list[Any]) -> list[Any]:
    names = [name.strip() for name in labels.split(",")] if labels else []
    kind = seen[:1]
    choices = list(dict.fromkeys([*(reading.new_label(name, kind) for name in names if name), *sorted(set(seen))]))
    if len(choices) < 2:
        raise UsageError("Say what there is to choose from: --labels ham,spam.")
    return choices


def _placed(rows: list[dict[str, Any]], texts: list[str]) -> dict[int, Any]:
    """Rows that have a label already, matched by their texts; of equal texts, as many as there are labels."""
    waiting: dict[str, list[Any]] = {}
    for row in reversed(rows):
        waiting.setdefault(row["text"], []).append(row["label"])
    return {number: waiting[text].pop() for number, text in enumerate(texts) if waiting.get(text)}


class _Log:
    """The file of labels: a line is added for each, and taken away again by undoing."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> _Log:
        self._file = open(self._path, "a+b")
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]  # a line that was cut off has no end
        self._file.truncate(len(whole))
        try:
            self.rows = [json.loads(line) for line in whole.split(b"\n")[:-1]]
            if not all(isinstance(row, dict) and isinstance(row["text"], str) and "label" in row for row in self.rows):
                raise ValueError("a row without text and label")
        except (ValueError, KeyError) as error:
            self._file.close()
            raise InputError(f"{self._path}: it is not a file of labels: {error}") from error
        self._ends = [0]
        for line in whole.split(b"\n")[:-1]:
            self._ends.append(self._ends[-1] + len(line) + 1)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, row: dict[str, Any]) -> None:
        """Append a row; it is on disk before the next one is shown."""
        line = json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._ends.append(self._ends[-1] + len(line))

    def undo(self) -> None:
        """Remove the last row."""
        self._ends.pop()
        self._file.truncate(self._ends[-1])
        self._file.seek(0, os.SEEK_END)


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """A function that waits for a key. Keys that are pressed while the next row is looked for are not lost."""
    if os.name != "posix":
        from click import getchar

        yield getchar
        return
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSADRAIN)
        yield lambda: _character(handle)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _character(handle: int) -> str:
    """One character of UTF-8, however many bytes it has; nothing where the terminal is gone."""
    first = os.read(handle, 1)
    more = sum(first >= limit for limit in (b"\xc0", b"\xe0", b"\xf0"))
    return (first + b"".join(os.read(handle, 1) for _ in range(more))).decode("utf-8", "replace")


class _Session:
    """Questions and keys."""

    def __init__(self, labelling: Labelling, rows: list[dict[str, Any]], choices: list[Any], log: _Log) -> None:
        self.labelling = labelling
        self._rows, self._log = rows, log
        self._choices = choices
        self._console = Console(highlight=False)
        self._n_before = len(labelling.labels)

    @property
    def _keys(self) -> dict[str, Any]:
        """The labels that have a key; the others are found by their names."""
        return dict(zip(LABEL_KEYS, self._choices, strict=False))

    def run(self, next_key: Callable[[], str]) -> None:
        """Ask about rows until all are labelled or the user quits."""
        number = self.labelling.next()
        while number is not None:
            key, label = self._ask(number, next_key)
            if key == QUIT:
                return
            if key == UNDO:
                number = self._undo(number)
                continue
            self._answer("skipped" if key == SKIP else str(label), is_label=key != SKIP)
            if key == SKIP:
                self.labelling.skip(number)
            else:
                self.labelling.give(number, label)
                self._log.add({**self._rows[number], "text": self.labelling.texts[number], "label": label})
            number = self.labelling.next()
        note("Every row has a label, or was skipped.")

    def _undo(self, number: int) -> int:
        """Back to the row before; labels of earlier sessions stay."""
        if len(self.labelling.labels) == self._n_before:
            self._answer("nothing to undo in this session")
            return number
        before = self.labelling.undo()
        assert before is not None
        self._log.undo()
        self._answer("undone")
        return before

    def _ask(self, number: int, next_key: Callable[[], str]) -> tuple[str, Any]:
        """The key that was pressed for a row, one of those that mean something, and the label that was meant."""
        self._show(number)
        while True:
            key = next_key().lower()
            if key in self._keys:
                return key, self._keys[key]
            if key in (SKIP, UNDO, QUIT):
                return key, None
            if key in ("", "\x03", "\x04", ESCAPE):
                return QUIT, None
            if key == HELP:
                self._help()
            elif key == SEARCH:
                matches = self._search(next_key)
                if matches:
                    return SEARCH, matches[0]
            elif key == ADD:
                self._add(next_key)
            else:
                self._console.bell()

    def _search(self, next_key: Callable[[], str]) -> list[Any]:
        """The label that has these letters in its name; nothing where there is none, or several."""
        typed = self._line("label: ", next_key).casefold()
        matches = [label for label in self._choices if typed in str(label).casefold()] if typed else []
        exact = [label for label in matches if str(label).casefold() == typed]
        if len(exact or matches) == 1:
            return exact or matches
        if typed:
            names = ", ".join(visible(str(label)) for label in matches[:MOST_MATCHES])
            more = f" and {len(matches) - MOST_MATCHES} more" if len(matches) > MOST_MATCHES else ""
            self._answer(f"which? {names}{more}" if matches else "no label has that in its name; + adds one")
        return []

    def _add(self, next_key: Callable[[], str]) -> None:
        """One more label to choose from."""
        name = self._line("new label: ", next_key).strip()
        if not name:
            return
        try:
            label = reading.new_label(name, self._choices[:1])
        except InputError as error:
            self._answer(str(error))
            return
        if label in self._choices:
            self._answer(f"{name} is there already")
            return
        self._choices.append(label)
        key = next((key for key, choice in self._keys.items() if choice == label), SEARCH)
        self._answer(f"[{key}] {name}")

    def _line(self, prompt: str, next_key: Callable[[], str]) -> str:
        """What is typed up to Enter; nothing after Escape."""
        write = self._console.file.write
        write(prompt)
        self._console.file.flush()
        typed = ""
        while (key := next_key()) not in ENTER:
            if key in ("", "\x03", "\x04", ESCAPE):
                typed = ""
                break
            if key in ERASE:
                write("\b \b" * bool(typed))
                typed = typed[:-1]
            else:
                typed += key
                write(visible(key))
            self._console.file.flush()
        write("\n")
        return typed

    def _help(self) -> None:
        """All keys, how often each label was given, and how often the model had guessed it."""
        counts = Counter(self.labelling.labels.values())
        for key, label in [*self._keys.items(), *((SEARCH, label) for label in self._choices[len(self._keys) :])]:
            self._console.print(Text(f"  [{key}] {visible(str(label))}: {counts[label]}"))
        for key, meaning in MEANINGS.items():
            self._console.print(Text(f"  [{key}] {meaning}", style="dim"))

    def _show(self, number: int) -> None:
        console, labelling = self._console, self.labelling
        chances = labelling.probabilities(number)
        console.print(Rule(f"{len(labelling.labels)} labelled, {len(labelling)} left", style="dim"))
        if so_far := self._so_far():
            console.print(Text(so_far, style="dim"))
        for name, value in self._rows[number].items():
            if value is not None and value != labelling.texts[number]:
                cell = visible(" ".join(str(value).split()))
                console.print(Text(f"{visible(name)}: {cell[:LONGEST_OTHER_CELL]}", style="dim"))
        text = Text(visible(labelling.texts[number], lines=True), style="bold")
        lines = text.wrap(console, console.width)
        most = max(console.height - 8, 3)
        for line in lines[:most]:
            console.print(line)
        if len(lines) > most:
            console.print(Text(f"… {len(lines) - most} more lines", style="dim"))
        entries = [
            (key, f"{visible(str(choice))} {chances[choice]:.0%}" if choice in chances else visible(str(choice)), "")
            for key, choice in self._keys.items()
        ]
        if len(self._choices) > len(self._keys):
            entries.append((SEARCH, f"{len(self._choices) - len(self._keys)} more", ""))
        others = ((SKIP, "skip"), (UNDO, "undo"), (HELP, "keys"), (QUIT, "quit"))
        for line in _key_lines([*entries, *((key, name, "dim") for key, name in others)], console.width):
            console.print(line)

    def _so_far(self) -> str:
        """How often each label was given, and how often the model had guessed right."""
        labelling = self.labelling
        counts = Counter(map(str, labelling.labels.values())).most_common()
        parts = [f"{visible(label)} {n}" for label, n in counts[:MOST_COUNTED]]
        parts += [f"{len(counts) - MOST_COUNTED} more labels"] if len(counts) > MOST_COUNTED else []
        if labelling.n_guessed:
            parts.append(f"guessed right {labelling.n_guessed_right} of {labelling.n_guessed}")
        return ", ".join(parts)

    def _answer(self, answer: str, *, is_label: bool = False) -> None:
        """What was chosen, so that it can be seen, and undone."""
        self._console.print(Text(f"→ {visible(answer)}", style="green" if is_label else "dim"))


def _key_lines(entries: list[tuple[str, str, str]], width: int) -> list[Text]:
    """Keys and what they do, in lines of this width: a key and its name stay together."""
    lines = [Text()]
    for key, name, style in entries:
        entry = Text.assemble((f"[{key}]", f"bold {style}"), (f" {name}", style))
        if lines[-1].cell_len and lines[-1].cell_len + 3 + entry.cell_len > width:
            lines.append(Text())
        lines[-1].append_text(Text("   " if lines[-1].cell_len else "")).append_text(entry)
    return lines
