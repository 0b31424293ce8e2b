"""Keys: hashed in their file, known by their bearer, each with what it may do."""

from pathlib import Path

import pytest

from banbury.errors import FileFormatError, InputError
from banbury.server.keys import SCOPES, Keys, add_key, check_scope
from banbury.server.problems import Problem


def test_a_scope_includes_those_before_it(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    for number, scope in enumerate(SCOPES, 1):
        key = add_key(file, scope, scope)
        assert Keys(file).scopes(f"Bearer {key}".encode()) == set(SCOPES[:number])
    assert file.stat().st_mode & 0o077 == 0, "nobody else reads it"


@pytest.mark.parametrize("shown", [b"Bearer wrong", b"Bearer ", b"Basic x", b"", b"Bearer bby_\xff"])
def test_a_wrong_key_is_a_401_and_no_key_is_nobody(tmp_path: Path, shown: bytes) -> None:
    add_key(tmp_path / "keys", "phone", "read")
    keys = Keys(tmp_path / "keys")
    assert keys.scopes(None) == frozenset()
    with pytest.raises(Problem) as raised:
        keys.scopes(shown)
    assert (raised.value.status, "www-authenticate" in raised.value.headers) == (401, True)


def test_a_damaged_file_leaves_the_keys_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    key = add_key(file, "phone", "learn")
    keys = Keys(file)
    file.write_text("phone learn sha256:xyz\n")
    with pytest.raises(FileFormatError, match="line 1 is not NAME SCOPE sha256:HASH"):
        keys.load()
    assert keys.scopes(f"Bearer {key}".encode()) == {"read", "learn"}
    file.write_text("# none any more\n\n")
    keys.load()
    with pytest.raises(Problem):
        keys.scopes(f"Bearer {key}".encode())


@pytest.mark.parametrize("name, scope", [("two words", "read"), ("", "read"), ("#x", "read"), ("phone", "write")])
def test_keys_without_a_name_or_scope_are_refused(tmp_path: Path, name: str, scope: str) -> None:
    with pytest.raises(InputError):
        add_key(tmp_path / "keys", name, scope)
    assert not (tmp_path / "keys").exists()


def test_what_a_key_may_not_do_is_a_403_and_without_one_a_401() -> None:
    check_scope(frozenset({"read"}), "read")
    check_scope(frozenset(), "")
    for scopes, status in ((frozenset({"read"}), 403), (frozenset(), 401)):
        with pytest.raises(Problem) as raised:
            check_scope(scopes, "learn")
        assert raised.value.status == status
