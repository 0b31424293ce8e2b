"""HTML from plain data: nothing that is said becomes markup."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banbury.display import html as markup
from banbury.display.characters import visible
from banbury.display.html import DARK, LIGHT, STRONGEST_TINT, TINT_STEPS, element, fragment, isolated, page, piece
from hostile import HOSTILE, Look, assert_harmless, hostile_texts
from strategies import odd_texts


@given(st.one_of(hostile_texts(), odd_texts()), st.one_of(hostile_texts(), odd_texts()))
def test_no_text_and_no_attribute_becomes_markup(one: str, other: str) -> None:
    html = piece(element("p", one, isolated(other), title=other, id=one), element("svg", element("text", one)))
    assert_harmless(html)
    look = Look(html)
    assert [tag for tag, _ in look.elements] == ["style", "div", "p", "bdi", "svg", "text"]
    assert dict(look.elements)["p"] == {"title": visible(other), "id": visible(one)}
    seen = visible(one, lines=True) + visible(other, lines=True) + visible(one, lines=True)
    assert look.text.strip() == seen.strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_holds_any_text_and_title(text: str) -> None:
    html = page(text, element("h1", text), element("p", isolated(text, width=10)))
    assert_harmless(html, whole_page=True)
    assert "default-src 'none'" in html


@pytest.mark.parametrize("name", ["script", "style", "iframe", "IMG", "p onclick", ""])
def test_only_elements_of_pages_can_be_made(name: str) -> None:
    with pytest.raises(ValueError, match="no element"):
        element(name)


@pytest.mark.parametrize("name", ["onclick", "style", "src", "x y", "data_x", "xlink_href", ""])
def test_only_attributes_of_pages_can_be_given(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        element("p", **{name: "x"})


@pytest.mark.parametrize("address", ["javascript:x", "https://example.org", "//x", " #a", ""])
def test_no_link_leads_out_of_the_page(address: str) -> None:
    with pytest.raises(ValueError, match="leads out"):
        element("a", "x", href=address)
    assert str(element("a", "x", href="#part")) == '<a href="#part">x</a>'


def test_children_are_texts_numbers_markup_and_lists_of_them() -> None:
    assert str(fragment("a", 1, 2.5, None, ["<", (element("br"),)], (c for c in "xy"))) == "a12.5&lt;<br>xy"
    assert (
        str(element("rect", x=1 / 3, width=2.0, open=True, id=None, class_=False))
        == '<rect x="0.33" width="2" open></rect>'
    )
    with pytest.raises(TypeError, match="of type object"):
        fragment(object())


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read_on_every_background(colours: dict[str, str]) -> None:
    rgb = {name: markup.channels(colour) for name, colour in colours.items()}
    for text in ("ink", "quiet", "for", "against"):
        assert contrast(rgb[text], rgb["paper"]) >= 4.5, text
    for name in ("for", "against"):
        strongest = [
            STRONGEST_TINT * a + (1 - STRONGEST_TINT) * b for a, b in zip(rgb[name], rgb["paper"], strict=True)
        ]
        assert contrast(rgb["ink"], strongest) >= 4.5, name


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """As WCAG 2 defines it."""

    def luminance(colour: Sequence[float]) -> float:
        shares = [value / 255 for value in colour]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_tints_go_by_steps() -> None:
    assert [markup.tint(x) for x in (1, 0.5, 0.01, 0, -0.1, -1, 7)] == [
        "for-8",
        "for-4",
        None,
        None,
        "against-1",
        "against-8",
        "for-8",
    ]
    style = str(markup.STYLE)
    assert all(f".{name}-{step}{{" in style for name in ("for", "against") for step in range(1, TINT_STEPS + 1))
    assert style.count("<") == 2
