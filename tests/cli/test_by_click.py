"""Help, completion and mistakes are click's."""

import click

from banbury.cli import COMMANDS
from banbury.cli.by_click import commands
from commands import Here, run


def test_every_command_is_one_of_click() -> None:
    with click.Context(commands) as context:
        assert commands.list_commands(context) == list(COMMANDS)
        for name in COMMANDS:
            command = commands.get_command(context, name)
            assert isinstance(command, click.Command)
            assert command.name == name
        assert commands.get_command(context, "no such command") is None


def test_a_word_that_is_no_command_is_told_with_the_nearest_one(here: Here) -> None:
    result = here("trian")
    assert result.code == 2
    assert "No such command 'trian'. Did you mean 'train'?" in result.err
    assert here().code == 2


def test_options_written_in_other_ways_are_read_by_click(mood: Here) -> None:
    assert mood("train", "-onew.banbury", "--text=text", "--plain", "--", "mood.jsonl").code == 0
    assert (mood.folder / "new.banbury").exists()


def test_a_shell_completes_commands_and_options() -> None:
    result = run(_BANBURY_COMPLETE="bash_complete", COMP_WORDS="banbury tr", COMP_CWORD="1")
    assert "plain,train" in result.out
