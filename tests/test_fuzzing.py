"""What has failed once is tried again, and each target for a moment."""

import json
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from banbury import storage
from fuzz_commands import SOUND, use_command
from fuzz_files import MAILS, changed_file, sound_files, use_file
from fuzzing import FAILURES, TARGETS, failure


@pytest.mark.parametrize("path", sorted(FAILURES.glob("*-*")), ids=lambda path: path.name)
def test_what_has_failed_fails_no_more(path: Path) -> None:
    assert failure(path.name.partition("-")[0], path.read_bytes()) is None


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_does_what_it_must_not(target: str) -> None:
    random = Random(f"{target} 5")
    n = 5 if target == "parquet" else 60  # each is read by a process of its own
    inputs = islice((TARGETS[target][0](random) for _ in iter(int, 1)), n)
    assert [found for data in inputs if (found := failure(target, data)) is not None] == []


@pytest.mark.parametrize("name", sound_files())
def test_a_file_that_nobody_has_changed_can_be_used(name: str, tmp_path: Path) -> None:
    storage.write(tmp_path / "model", *sound_files()[name])
    use_file((tmp_path / "model").read_bytes())


@pytest.mark.parametrize("arguments", SOUND, ids=" ".join)
def test_a_command_that_nobody_has_changed_works(arguments: list[str]) -> None:
    assert use_command(json.dumps(arguments).encode() + b"\n" + MAILS[0]) == 0


def test_changes_are_seen_by_the_loader_not_by_the_checksums(tmp_path: Path) -> None:
    random = Random(3)
    for _ in range(20):
        path = tmp_path / "model"
        path.write_bytes(changed_file(random))
        storage.read(path)
