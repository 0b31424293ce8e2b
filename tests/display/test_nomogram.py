"""Nomograms and tables in colours: what is drawn, and that labels do not cover each other."""

import re

from banbury.display.nomogram import Axis, heat_map, nomogram, plane


def labels(drawing: str) -> list[tuple[float, float, str]]:
    found = re.findall(r'<text x="([^"]+)" y="([^"]+)" text-anchor="middle"[^>]*>([^<]*)', drawing)
    return [(float(x), float(y), text) for x, y, text in found]


def test_every_value_has_its_mark_and_labels_have_room() -> None:
    marks = [(f"value {number}", number / 50) for number in range(20)]
    drawn = nomogram([Axis("column", marks)], start=0.0, title="t", outcome="P(yes)").html
    assert drawn.count("<rect") == 20
    assert "column value 7: +0.140" in drawn
    lines: dict[float, list[float]] = {}
    for x, y, text in labels(drawn):
        if text.startswith("value"):
            lines.setdefault(y, []).append(x)
    assert lines
    for places in lines.values():
        assert all(b - a > 40 for a, b in zip(sorted(places), sorted(places)[1:], strict=False))


def test_nothing_to_say_and_strange_names_are_drawn() -> None:
    assert "<svg" in nomogram([], start=0.3, title="t", outcome="P").html
    drawn = nomogram([Axis("<b>", [("<script>", 0.0)]), Axis("none", [])], start=-20.0, title="t", outcome="P").html
    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn


def test_cells_are_coloured_by_sign_and_size() -> None:
    drawn = heat_map(["a", "b"], ["x", "y"], [[1.0, -0.5], [None, 0.0]], title="t").html
    assert drawn.count('class="bar-for"') == 3
    assert drawn.count('class="bar-against"') == 1
    assert 'fill-opacity="0.75"' in drawn
    assert "b &amp; x: nobody" in drawn
    assert "<svg" in heat_map([], [], [], title="t").html


def test_a_plane_has_a_square_for_each_place() -> None:
    drawn = plane([[0.0, 1.0]] * 3, x_range=(0, 5), y_range=(-1, 1), title="t", x_title="x", y_title="y").html
    assert drawn.count("<rect") == 6
    assert drawn.count("currentColor") == 3
