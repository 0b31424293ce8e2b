"""The command line as click has it: help, completion, mistakes, and whatever `declared.py` does not read itself."""

from __future__ import annotations

import os

import click

from banbury.cli import COMMANDS, INTERRUPTED, Answer, answer, imported
from banbury.cli.declared import Command, UsageError


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
        command = imported(name)
        return command.for_click() if isinstance(command, Command) else command

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


def run(words: list[str], mistake: UsageError | None) -> int | Answer:
    """Run the command that these words name, or say what is known to be wrong; what comes back is the exit code."""
    if "_BANBURY_COMPLETE" in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(commands, {}, "banbury", "_BANBURY_COMPLETE", os.environ["_BANBURY_COMPLETE"])
    try:
        # Not click's own `main`: it writes an empty line at Ctrl-C, and has codes of its own.
        with commands.make_context("banbury", list(words), obj=mistake) as context:
            return answer(commands.invoke(context))
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
