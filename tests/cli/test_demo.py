"""`banbury demo`: what it shows."""

import re

from commands import Here, run


def test_the_demo_shows_accuracy_words_and_an_explanation() -> None:
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    assert re.search(r"accuracy +0\.", result.out)
    for label in ("negative", "positive"):
        assert f"Strongest for {label}: " in result.out
    assert "negative (0.941) rather than positive (0.059)" in result.out


def test_the_demo_explains_any_text(here: Here) -> None:
    result = here("demo", "What a wonderful, wonderful day 😀")
    assert "→ positive" in result.out
    assert len(re.findall(r"^  wonderful +\+\d", result.out, re.MULTILINE)) == 2


def test_the_demo_is_written_where_the_output_has_other_characters() -> None:
    result = run("demo", "\x1b[31m wonderful é", PYTHONIOENCODING="ascii")
    assert (result.code, result.err) == (0, "")
    assert "␛[31m wonderful é\n→ positive" in result.out
