"""The command `banbury`. Each subcommand is imported when it is called, and click where it has something to say.

Exit codes: 0 it worked, 1 a check has failed, 2 it was not called as it must be, 3 the data or files cannot be used;
130 it was interrupted, 141 nobody reads any more. `banbury mail` has its own.
"""

from __future__ import annotations

import os
import sys

from banbury.annotations import TYPE_CHECKING, NamedTuple
from banbury.lazy import import_module

if TYPE_CHECKING:
    import click

    from banbury.cli.declared import Command
    from banbury.errors import Option

DATA, INTERRUPTED, CLOSED = 3, 130, 141  # exit codes; 2, for wrong usage, is click's own

# What `banbury --help` says, in its order; importing the commands for that would take three times as long.
COMMANDS = {
    "train": ("training", "Learn from labelled files, and write a model."),
    "predict": ("predicting", "The label of each row, or of texts on the command line."),
    "explain": ("looking", "Which words decided, and by how much."),
    "evaluate": ("evaluating", "How well a model predicts labelled files."),
    "words": ("looking", "The words that speak for a label."),
    "learn": ("changing", "Learn from more rows."),
    "forget": ("changing", "Unlearn rows, as if they had never been seen."),
    "merge": ("changing", "Add up several models."),
    "filter": ("filtering", "Keep the rows of a label, or those that it is most likely for."),
    "label": ("labelling", "Label rows with single keys, those that teach the most first."),
    "mail": ("mailing", "Classify one e-mail, for procmail and the like."),
    "rank": ("searching", "Find rows by a query."),
    "several": ("several", "Train, predict, explain and evaluate rows with several labels each."),
    "tree": ("tree", "Train, predict, explain and evaluate labels that stand in a hierarchy."),
    "stream": ("stream", "Train, predict and watch models of rows that carry a time."),
    "serve": ("banbury.server.command", "Serve models over HTTP: predict, explain, learn."),
    "studio": ("banbury.server.studio", "A page to try, teach and train models in a browser."),
    "report": ("evaluating", "An evaluation as a page of HTML."),
    "inspect": ("looking", "What is in a model file."),
    "demo": ("demo", "Train on the demo corpus, and explain a text."),
    "doctor": ("doctor", "What is installed, and whether it works: for reports of errors."),
}


def main() -> int:
    """Run the command line; what comes back is the exit code."""
    code = _run()
    # For `mail` 1 and 2 are answers, so whatever else goes wrong has to be told apart from them.
    is_mail = sys.argv[1:2] == ["mail"]
    return code.code if isinstance(code, Answer) else DATA if is_mail and code else code


class Answer(NamedTuple):
    """An exit code that a command has chosen."""

    code: int


def _run() -> int | Answer:
    from banbury.errors import BanburyError, OptionError

    try:
        code = _called(sys.argv[1:])
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _closed()
    except OptionError as error:
        return _failed(error.worded(_option))
    except BanburyError as error:
        return _failed(str(error))
    except OSError as error:
        reason = error.strerror or str(error)
        return _failed(f"{_named(error.filename)}: {reason}" if error.filename else reason)
    except MemoryError:
        return _failed("there is not enough memory")


def _called(words: list[str]) -> int | Answer:
    """Run the command that these words name, without click where they are written in the usual way."""
    from banbury.cli.declared import Command, UsageError

    mistake: UsageError | None = None
    if "_BANBURY_COMPLETE" not in os.environ and words and words[0] in COMMANDS:
        named = imported(words[0])
        if isinstance(named, Command):
            command, left = named.find(words[1:])
            if (values := command.read(left)) is not None:
                try:
                    return answer(command(values))
                except UsageError as error:
                    mistake = error
    from banbury.cli import by_click

    return by_click.run(words, mistake)


def imported(name: str) -> Command | click.Command:
    """The command of this name."""
    module = COMMANDS[name][0]
    # The server is a surface of its own. Its command is found by name, so that no surface imports another.
    command: Command | click.Command = getattr(
        import_module(module if "." in module else f"banbury.cli.{module}"), name
    )
    return command


def answer(result: object) -> Answer:
    """What a command has returned, as an exit code: 0, if it is none."""
    return Answer(result if isinstance(result, int) else 0)


def _option(option: Option) -> str:
    """An option of the library as the command line writes it."""
    if option.name == "limits":
        return f"--limit {option.value}=…"
    return f"--{option.name.replace('_', '-')} {option.value or 'NAME'}"


def _named(path: str | bytes) -> str:
    """A path; of a temporary file only its folder, since nobody has asked for the file."""
    from banbury.atomic import is_temporary

    folder, name = os.path.split(os.fsdecode(path))
    return folder if is_temporary(name) else os.fsdecode(path)


def _failed(reason: str) -> int:
    from banbury.cli.console import note
    from banbury.display.characters import visible

    note(f"Error: {visible(reason)}")
    return DATA


def _closed() -> int:
    """The reader of the output has gone: drop what is still buffered, since writing it would fail again."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  for the rest of the process
    return CLOSED
