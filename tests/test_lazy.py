"""Lazy imports: names of a package at their first use, and NumPy only in processes that need it."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import banbury
from banbury.lazy import numpy as lazy_numpy


def numpy_is_imported_by(script: str, *arguments: str) -> bool:
    """Whether a fresh process that runs this script has NumPy at its end."""
    script += "\nimport sys; print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()[-1] == "True"


@pytest.fixture
def saved(tmp_path: Path) -> str:
    model = banbury.Classifier().fit(["free money now", "lunch at noon?"] * 3, ["spam", "ham"] * 3)
    model.save(tmp_path / "mail.banbury")
    return str(tmp_path / "mail.banbury")


def test_a_name_of_the_lazy_module_is_the_name_of_the_module() -> None:
    assert lazy_numpy.ndarray is numpy.ndarray
    assert lazy_numpy.array([1, 2]).tolist() == [1, 2]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(lazy_numpy, "nothing")  # noqa: B009


def test_names_of_a_package_come_from_their_homes_and_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("banbury.load", raising=False)
    assert "load" not in vars(banbury)
    assert banbury.load is importlib.import_module("banbury.loading").load
    assert vars(banbury)["load"] is banbury.load
    with pytest.raises(AttributeError, match=r"module 'banbury' has no attribute 'nothing'"):
        getattr(banbury, "nothing")  # noqa: B009


def test_the_modules_of_texts_do_not_import_numpy() -> None:
    assert not numpy_is_imported_by("import banbury.classifier, banbury.text.model, banbury.storage")
    assert numpy_is_imported_by("import banbury.classifier, numpy")


def test_predicting_one_text_does_not_import_numpy(saved: str) -> None:
    predict = "import sys, banbury; model = banbury.load(sys.argv[1]); print({})"
    assert not numpy_is_imported_by(predict.format("model.predict('free money')"), saved)
    assert not numpy_is_imported_by(predict.format("model.probabilities('free money')"), saved)
    assert numpy_is_imported_by(predict.format("model.predict(['free money'])"), saved)


def test_the_command_predicts_without_numpy(saved: str) -> None:
    command = (
        "import sys; from banbury.cli import main\n"
        "try: sys.argv[1:] = ['predict', sys.argv[1], '--texts', 'free money']; main()\n"
        "except SystemExit as ended: assert not ended.code, ended.code"
    )
    assert not numpy_is_imported_by(command, saved)
