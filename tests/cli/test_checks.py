"""`--fail-under` and `--fail-over`: figures decide the exit code."""

import banbury
from banbury.cli.checks import CHECKED_FIGURES
from commands import Here, model
from letters import letters, write_pairs


def test_checks_decide_the_exit_code(mood: Here) -> None:
    accuracy = model().report_.accuracy
    for bound, code in [(accuracy - 0.01, 0), (accuracy + 0.01, 1)]:
        assert mood("train", "mood.jsonl", "-o", "out.banbury", "--fail-under", f"accuracy={bound}").code == code
    arguments = ["evaluate", "mood.banbury", "mood.jsonl"]
    assert mood(*arguments, "--fail-over", "log-loss=0.0001").code == 1
    assert mood(*arguments, "--fail-under", "macro_f1=0.5", "--fail-over", "log loss=5").code == 1 - 1
    result = mood("train", "mood.jsonl", "-o", "plain.banbury", "--plain", "--fail-under", "accuracy=0.9")
    assert (result.code, "no figures to check" in result.err) == (2, True)  # before the work
    assert not (mood.folder / "plain.banbury").exists()
    result = mood(*arguments, "--fail-under", "beauty=1")
    assert (result.code, "the figures are accuracy, macro-f1" in result.err) == (2, True)


def test_every_figure_can_be_checked(here: Here) -> None:
    write_pairs(here.folder / "rows.jsonl", letters())
    assert here("train", "rows.jsonl", "-o", "x.banbury").code == 0
    known = banbury.load(here.folder / "x.banbury").report_
    assert [one.name.lower().replace(" ", "-") for one in known.figures()] == list(CHECKED_FIGURES)
    for name in CHECKED_FIGURES:
        assert here("evaluate", "x.banbury", "rows.jsonl", "--fail-under", f"{name}=-9").code == 0
        assert here("evaluate", "x.banbury", "rows.jsonl", "--fail-under", f"{name}=9").code == 1
