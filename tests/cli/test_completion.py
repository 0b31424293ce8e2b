"""What a shell completes: labels of the model, columns of the files, presets and languages."""

from pathlib import Path

import pytest

from commands import Here, run


@pytest.mark.parametrize(
    "words, expected",
    [
        ("banbury explain mood.banbury text --for p", ["positive"]),
        ("banbury explain mood.banbury text --against ", ["negative", "positive"]),
        ("banbury words mood.banbury n", ["negative"]),
        ("banbury filter mood.banbury new.jsonl --keep pos", ["positive"]),
        ("banbury learn mood.banbury --as neg", ["negative"]),
        ("banbury train mood.jsonl --text t", ["text"]),
        ("banbury train mood.jsonl --label ", ["id", "text", "label"]),
        ("banbury train rows.csv --columns age,p", ["age,plan"]),
        ("banbury train rows.csv --without ", ["age", "plan", "label"]),
        ("banbury train mood.jsonl --analyzer t", ["tweets"]),
        ("banbury train mood.jsonl --stemmer engl", ["english"]),
        ("banbury explain nothing.banbury text --for p", []),
        ("banbury explain mood.jsonl text --for p", []),
        ("banbury train nothing.csv --text ", []),
    ],
)
def test_a_shell_is_offered_what_is_there(mood: Here, words: str, expected: list[str]) -> None:
    (mood.folder / "rows.csv").write_text("age,plan,label\n31,basic,yes\n45,gold,no\n")
    n_words = len(words.split()) - (not words.endswith(" "))
    found = run(_BANBURY_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(n_words), folder=mood.folder)
    assert [line.removeprefix("plain,") for line in found.out.split()] == expected
    assert found.err == ""


def test_a_quote_that_is_open_completes_to_nothing(tmp_path: Path) -> None:
    words = "banbury explain 'mood.banbury text --for p"
    found = run(_BANBURY_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="5", folder=tmp_path)
    assert "Traceback" not in found.err
