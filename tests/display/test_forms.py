"""Elements of pages that ask: nothing in them leads elsewhere, and forms send back what they were given."""

from html import unescape

import pytest

from banbury.display.forms import choice, control, typed
from hostile import HOSTILE, Look


@pytest.mark.parametrize(
    "address",
    ["//example.org", "https://example.org", "javascript:1", "/\\example.org", "/try", " try", "data:x", "try:1"],
)
@pytest.mark.parametrize("attribute", ["href", "action", "src"])
def test_an_address_stays_on_the_server(address: str, attribute: str) -> None:
    with pytest.raises(ValueError, match="leads out of the page"):
        control("form", **{attribute: address})


@pytest.mark.parametrize("name", ["onclick", "style", "srcdoc", "formtarget", "http_equiv"])
def test_no_attribute_holds_a_script_or_a_style(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        control("form", **{name: "x"})


def test_other_elements_are_refused() -> None:
    for name in ("iframe", "img", "object", "base", "style"):
        with pytest.raises(ValueError, match="no element"):
            control(name)


@pytest.mark.parametrize("text", HOSTILE)
def test_values_and_typed_texts_come_back_to_the_character(text: str) -> None:
    look = Look(control("input", name="x", value=text).html)
    assert look.elements == [("input", {"name": "x", "value": text})]
    area = control("textarea", typed(text), name="x").html
    assert unescape(area.removeprefix('<textarea name="x">\n').removesuffix("</textarea>")) == text
    assert "<" not in area[1:-11]


def test_a_choice_has_one_that_is_selected() -> None:
    look = Look(choice("label", [("", "none"), ("<b>", "<b>")], "<b>").html)
    assert [one.get("value") for name, one in look.elements if "selected" in one] == ["<b>"]
