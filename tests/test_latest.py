"""A value is made once for each key in a row."""

from banbury.latest import Latest


def test_a_value_is_kept_until_its_key_changes() -> None:
    latest, made = Latest[int](), []

    def make(value: int) -> int:
        made.append(value)
        return value

    for key, value in (("a", 1), ("a", 2), ("b", 3), ("a", 4)):
        latest.get(key, lambda value=value: make(value))  # type: ignore[misc]
    assert made == [1, 3, 4]


def test_keys_are_compared_by_value() -> None:
    latest = Latest[str]()
    assert latest.get({"x": [1]}, lambda: "first") == latest.get({"x": [1]}, lambda: "second") == "first"
