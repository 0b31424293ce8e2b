"""The command `banbury`. Each subcommand is imported when it is called.

Exit codes: 0 it worked, 1 a check has failed, 2 it was not called as it must be, 3 the data or files cannot be used;
130 it was interrupted, 141 nobody reads any more. `banbury mail` has its own.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
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


class Commands(click.Group):
    """Imports a command when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All commands, in the order of their use."""
        return list(COMMANDS)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is asked for; of one that there is not, what it may have been meant to be."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            if not near or args[0] in COMMANDS:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", context) from None

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name not in COMMANDS:
            return None
        module = COMMANDS[name][0]
        # The server is a surface of its own. Its command is found by name, so that no surface imports another.
        command: click.Command = getattr(import_module(module if "." in module else f"banbury.cli.{module}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  banbury train sms.jsonl -o spam.banbury
  banbury predict spam.banbury new.csv -o new.labelled.csv
\b
Each command has its own --help, with examples.
Exit codes: 0 it worked, 1 a check failed, 2 wrong usage, 3 bad data.""",
)
@click.version_option(package_name="banbury", message="banbury %(version)s")
def commands() -> None:
    """Naive Bayes for text: train by counting, predict, explain."""


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

    if "_BANBURY_COMPLETE" in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(commands, {}, "banbury", "_BANBURY_COMPLETE", os.environ["_BANBURY_COMPLETE"])
    try:
        # Not click's own `main`: it writes an empty line at Ctrl-C, and has codes of its own.
        with commands.make_context("banbury", sys.argv[1:]) as context:
            code = commands.invoke(context)
        sys.stdout.flush()
        return Answer(code if isinstance(code, int) else 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
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
