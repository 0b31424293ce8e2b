"""`banbury doctor`: what it finds, and what it says of what does not work."""

import json
import os

import pytest

import banbury
from banbury import _kernel
from banbury.cli import doctor
from commands import Here


def test_all_is_found_and_works(here: Here) -> None:
    result = here("doctor", "--json")
    found = json.loads(result.out)
    assert result.code == 0
    assert found["banbury"]["version"] == banbury.__version__
    assert found["banbury"]["instructions"] == _kernel.instructions()
    assert set(found["packages"]) == {"numpy", "click", "rich"}
    assert {"serve", "parquet", "plot", "sklearn", "postgres"} <= found["extras"].keys()
    assert "starlette" in found["extras"]["serve"]
    assert found["limits of files"]["ratio"] == "250"
    assert set(found["checks"].values()) == {"works"}


def test_people_read_it_and_it_tells_nothing_of_them(here: Here) -> None:
    result = here("doctor")
    assert "\ninstructions" in result.out.replace("  instructions", "instructions")
    assert os.path.expanduser("~") not in result.out
    assert str(here.folder) not in result.out


def test_what_does_not_work_is_said(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(doctor, "_replaced", full)
    result = here("doctor")
    assert result.code == 1
    assert "No space left on device" in result.out


def test_an_extra_that_is_missing_says_how_to_install_it() -> None:
    assert doctor.shown_extra("serve", {"starlette": "1.0", "uvicorn": ""}) == (
        'without uvicorn; pip install "banbury[serve]"'
    )
