"""The page of a report: whole, safe, and the same in a real browser."""

import pickle
from pathlib import Path

import pytest

import banbury
from banbury import Classifier
from banbury.datasets import demo
from banbury.report.report import Report
from hostile import Look

TEXTS, LABELS = demo()


SECTIONS = ["figures", "confusion", "probabilities", "words", "mistakes", "labels", "documents", "dependence", "leaks"]


def _report() -> Report:
    return Classifier().fit(TEXTS[::2], LABELS[::2]).evaluate(TEXTS[1::2], LABELS[1::2])


def test_a_saved_page_has_every_part(tmp_path: Path) -> None:
    report = _report()
    report.save(tmp_path / "r.html", title="Moods & more")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    look = Look(html)
    assert [attributes["id"] for name, attributes in look.elements if name == "section"] == SECTIONS
    links = {attributes["href"] for name, attributes in look.elements if name == "a"}
    assert links == {f"#{name}" for name in SECTIONS}
    shown = " ".join(look.texts)
    for part in ("Moods & more", f"{report.accuracy:.1%}", str(report.accuracy_interval), f"{report.log_loss:.4f}"):
        assert part in shown
    worst = report.mistakes(1)[0]
    assert f"Document {worst.index}" in shown
    assert sum(name == "article" for name, _ in look.elements) == 10
    assert sum(name == "svg" for name, _ in look.elements) >= 2


def test_a_page_that_cannot_be_made_leaves_the_old_file_alone(tmp_path: Path) -> None:
    (tmp_path / "r.html").write_text("old", encoding="utf-8")
    report = _report()
    report.model.forget(TEXTS[::2], LABELS[::2])  # type: ignore[attr-defined]
    with pytest.raises(banbury.BanburyError):
        report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == "old"


def test_a_copy_of_a_report_has_its_figures() -> None:
    report = _report()
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()


def test_a_model_of_one_class_has_a_page_too() -> None:
    model = Classifier().fit(["a b", "b c"], ["x", "x"])
    assert 'id="mistakes"' not in model.evaluate(["a", "b"], ["x", "y"]).html()
