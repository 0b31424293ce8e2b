"""docs/reference/cli.md is what `--help` says. `python tests/cli/test_reference.py` writes it anew."""

from pathlib import Path

import click

from banbury.cli import COMMANDS
from banbury.cli.by_click import commands

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
HEAD = """# The command line

What `--help` says, in one place; [how to use it](../how-to/command-line.md) has examples.

Exit codes: 0 it worked, 1 a check failed (`--fail-under`), 2 it was not called as it must be, 3 the data or the files
cannot be used, 130 it was interrupted, 141 nobody reads its output any more. `banbury mail` has its own.
"""


def help_of(command: click.Command, name: str, parent: click.Context | None = None) -> str:
    settings = {**command.context_settings, "terminal_width": 100}
    with click.Context(command, info_name=name, parent=parent, **settings) as context:
        return command.get_help(context)


def reference() -> str:
    parts = [HEAD, f"## `banbury`\n\n```text\n{help_of(commands, 'banbury')}\n```\n"]
    with click.Context(commands, info_name="banbury", **commands.context_settings) as parent:
        for name in COMMANDS:
            command = commands.get_command(parent, name)
            assert command is not None
            parts.append(f"## `banbury {name}`\n\n```text\n{help_of(command, name, parent)}\n```\n")
            if isinstance(command, click.Group):
                with click.Context(command, info_name=name, parent=parent) as context:
                    for part, inner in command.commands.items():
                        shown = help_of(inner, part, context)
                        parts.append(f"### `banbury {name} {part}`\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


def test_the_reference_is_what_help_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference()


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
