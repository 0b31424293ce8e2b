"""Train: from a dropped file to a model, by streaming; what is doubtful is corrected through the journal."""

import csv
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banbury
from accessibility import violations
from banbury.server.page.jobs import Job
from banbury.server.page.training import table_model
from browsing import Watched
from commands import LABELS, TEXTS
from hostile import HOSTILE
from serving import Serving, entries


def _folder(server: Serving) -> Path:
    arguments: Any = server.process.args
    return next(Path(one) for one in arguments if Path(one).is_dir())


def _dropped(watched: Watched, path: Path) -> Any:
    page = watched.page
    page.goto("/page/train")
    page.set_input_files("input[type=file]", path)
    page.wait_for_selector("text=Is this right?")
    return page


def _trained(page: Any) -> Any:
    page.click("button:text-is('Train')")
    page.wait_for_selector("h2:has-text('is trained')", timeout=60_000)
    return page


def _write(path: Path, rows: list[tuple[str, str]], head: tuple[str, str] = ("text", "label")) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def test_a_hundred_thousand_rows_become_a_model(watched: Watched, server: Serving, tmp_path: Path) -> None:
    draw = random.Random(0)
    words = [text.split() for text in TEXTS]
    rows = []
    for _ in range(100_000):
        which = draw.randrange(len(words))
        rows.append((" ".join(draw.sample(words[which], min(len(words[which]), 6))), LABELS[which]))
    page = _trained(_dropped(watched, _write(tmp_path / "many.csv", rows)))
    assert "100,000 rows, 2 labels" in page.inner_text("#training")
    model = banbury.load(_folder(server) / "many.banbury")
    assert sum(model.documents_) == 100_000
    assert page.locator("#training .cards dt").first.inner_text() == "accuracy"
    with page.expect_download() as download:
        page.click("text=Download it")
    assert Path(download.value.path()).read_bytes() == (_folder(server) / "many.banbury").read_bytes()
    watched.events[:] = [one for one in watched.events if not one.startswith("download")]
    page.click("text=Try it")
    page.fill("textarea[name=text]", "a wonderful day")
    page.wait_for_selector(".verdict:has-text('positive')")


def test_the_guess_can_be_changed(watched: Watched, server: Serving, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = zip(TEXTS[:200], TEXTS[200:400], LABELS[:200], strict=True)
        csv.writer(file).writerows([("first", "second", "mood"), *rows])
    page = _dropped(watched, path)
    assert "which column is the text?" in page.inner_text("[role=alert]").lower()
    page.select_option("select[name=text]", "first")
    page.select_option("select[name=label]", "mood")
    page.click("text=Look again with this")
    page.wait_for_selector("text=text from 'first', label from 'mood'")
    page.fill("input[name=name]", "odd one")
    _trained(page)
    assert banbury.load(_folder(server) / "odd one.banbury").documents_ == [LABELS[:200].count("negative"),
                                                                           LABELS[:200].count("positive")]  # fmt: skip


def test_doubtful_labels_and_duplicates_are_corrected(watched: Watched, server: Serving, tmp_path: Path) -> None:
    rows = list(zip(TEXTS, LABELS, strict=True))
    wrong = ("I love this wonderful, beautiful, perfect day", "negative")
    rows += [wrong, (TEXTS[0], "positive" if LABELS[0] == "negative" else "negative")]
    page = _trained(_dropped(watched, _write(tmp_path / "doubt.csv", rows)))
    case = page.locator(f"section:has-text('Doubtful labels') article:has-text('{wrong[0]}')")
    case.locator("select").select_option("positive")
    case.locator("button:has-text('Relabel')").click()
    page.wait_for_selector("text=Relabelled as positive.")
    group = page.locator("section:has-text('Duplicates') article", has_text=f"row {len(rows):,}")
    group.locator("button:has-text('Drop')").click()
    page.wait_for_selector("text=Dropped.")
    page.locator("button:has-text('Keep')").first.click()
    page.wait_for_selector("text=Kept as it is.")
    acts = [(act, json.loads(label)) for _, act, _, label, _ in entries(_folder(server) / "journal")]
    assert acts == [("forget", "negative"), ("learn", "positive"), ("forget", rows[-1][1])]
    documents = server.get("/v1/models/doubt").json["documents"]
    expected = {label: LABELS.count(label) + (label == "positive") for label in ("negative", "positive")}
    assert {one["label"]: one["documents"] for one in documents} == expected


def test_a_zip_of_folders_and_parquet_are_read(watched: Watched, server: Serving, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        for number, (text, label) in enumerate(zip(TEXTS[:100], LABELS[:100], strict=True)):
            archive.writestr(f"texts/{label}/{number}.txt", text)
    _trained(_dropped(watched, tmp_path / "texts.zip"))
    assert sum(banbury.load(_folder(server) / "texts.banbury").documents_) == 100
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"text": TEXTS[:100], "label": LABELS[:100]})
    parquet.write_table(table, tmp_path / "rows.parquet")
    _trained(_dropped(watched, tmp_path / "rows.parquet"))
    assert sum(banbury.load(_folder(server) / "rows.banbury").documents_) == 100


def test_a_table_learns_from_all_columns(watched: Watched, server: Serving, tmp_path: Path) -> None:
    path = tmp_path / "cabins.csv"
    with open(path, "w", newline="") as file:
        draw = random.Random(1)
        rows = [
            (draw.gauss(30, 9), cabin := draw.choice("abc"), "saved" if cabin == "a" else "lost") for _ in range(200)
        ]
        csv.writer(file).writerows([("age", "cabin", "outcome"), *rows])
    page = _dropped(watched, path)
    page.select_option("select[name=learn]", "table")
    page.select_option("select[name=label]", "outcome")
    _trained(page)
    assert list(banbury.load(_folder(server) / "cabins.banbury").columns_) == ["age", "cabin"]


def _cabins(path: Path, n: int = 300) -> Path:
    """A table in which the cabin decides but for the row of line 11, whose values line 12 has too, labelled rightly."""
    draw = random.Random(1)
    rows: list[tuple[Any, ...]] = []
    for row in range(n):
        cabin = "a" if row in (9, 10) else draw.choice("abc")
        age = 30.5 if row in (9, 10) else round(draw.gauss(30, 9), 4)
        rows.append((age, cabin, "lost" if row == 9 else "saved" if cabin == "a" else "lost"))
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("age", "cabin", "outcome"), *rows])
    return path


def test_doubtful_and_repeated_rows_of_a_table_are_corrected(watched: Watched, server: Serving, tmp_path: Path) -> None:
    page = _dropped(watched, _cabins(tmp_path / "rows of doubt.csv"))
    page.select_option("select[name=learn]", "table")
    page.select_option("select[name=label]", "outcome")
    page.fill("input[name=name]", "doubted")
    _trained(page)
    case = page.locator("section:has-text('Doubtful labels') article:has-text('row 10')")
    assert "age: 30.5; cabin: a" in case.inner_text()
    assert page.locator("section:has-text('Duplicates') article").count() == 2
    before = len(entries(_folder(server) / "journal"))
    case.locator("select").select_option("saved")
    case.locator("button:has-text('Relabel')").click()
    page.wait_for_selector("text=Relabelled as saved.")
    section = page.locator("section:has-text('Duplicates') article", has_text="row 11")
    section.locator("button:has-text('Drop')").click()
    page.wait_for_selector("text=Dropped.")
    acts = [(act, json.loads(label)) for _, act, _, label, _ in entries(_folder(server) / "journal")[before:]]
    assert acts == [("forget", "lost"), ("learn", "saved"), ("forget", "saved")]
    assert sum(one["documents"] for one in server.get("/v1/models/doubted").json["documents"]) == 299


@pytest.mark.parametrize("every", [1, 2, 7])
def test_a_table_beyond_memory_is_counted_batch_by_batch(tmp_path: Path, every: int) -> None:
    path = _cabins(tmp_path / "cabins.csv")
    reader = banbury.read(path, text=False, label="outcome")
    trained = table_model(Job("train"), reader, banbury.Classifier(), "cabins", most_cells=-(-900 // every))
    whole = reader.whole()
    labels: list[Any] = list(whole.labels or [])
    rows = [{"age": float(row["age"]), "cabin": row["cabin"]} for row in whole.rows()]
    expected = banbury.Classifier().fit(rows[::every], labels[::every])
    rest = [row for row in range(300) if row % every]
    if rest:
        expected.learn([rows[row] for row in rest], [labels[row] for row in rest])
    assert trained.classifier.documents_ == expected.documents_
    assert sum(expected.documents_) == trained.n_rows == 300
    np.testing.assert_allclose(trained.classifier.predict_proba(rows), expected.predict_proba(rows), rtol=1e-12)
    assert trained.documents == {row: rows[row] for row in trained.documents}
    assert trained.labels == {row: labels[row] for row in trained.labels}


def test_hostile_columns_labels_and_texts_stay_texts(watched: Watched, server: Serving, tmp_path: Path) -> None:
    some = [
        text
        for text in HOSTILE
        if text.strip() and "\x00" not in text and "\ud800" not in text and "\udfff" not in text
    ]
    rows = [(f"{text} {number % 7}", some[number % 3]) for number, text in enumerate(some * 4)]
    head = ("<script>window.broken=1</script>", '"><img src=x onerror=window.broken=1>')
    page = _dropped(watched, _write(tmp_path / "hostile.csv", rows, head))
    page.select_option("select[name=text]", head[0])
    page.select_option("select[name=label]", head[1])
    _trained(page)
    watched.touch()
    for room in ("try?model=hostile&text=a+b", "words?model=hostile", "train"):
        page.goto(f"/page/{room}")
        watched.touch()
    assert page.evaluate("typeof window.broken") == "undefined"


def test_what_cannot_be_trained_is_said_and_nothing_is_lost(watched: Watched, server: Serving, tmp_path: Path) -> None:
    page = _dropped(watched, _write(tmp_path / "mood.csv", [("so happy", "a"), ("so sad", "b")] * 9))
    page.fill("input[name=name]", "mood")
    before = (_folder(server) / "mood.banbury").read_bytes()
    page.click("button:text-is('Train')")
    page.wait_for_selector("[role=alert]")
    assert "there is a model 'mood' already" in page.inner_text("[role=alert]")
    assert (_folder(server) / "mood.banbury").read_bytes() == before
    page.goto("/page/train?file=mood.csv")
    page.fill("input[name=name]", "../out")
    page.click("button:text-is('Train')")
    page.wait_for_selector("[role=alert]")
    assert "cannot be the name of a model" in page.inner_text("[role=alert]")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 40)
    page = _dropped(watched, tmp_path / "binary.csv")
    assert page.inner_text("[role=alert]")
    page.goto("/page/train?job=long-ago")
    page.wait_for_selector("text=The file is still here: begin again.")
    watched.events[:] = [one for one in watched.events if "the server responded with a status of 4" not in one]


def test_a_model_that_cannot_be_written_can_be_downloaded(watched: Watched, server: Serving, tmp_path: Path) -> None:
    page = _dropped(watched, _write(tmp_path / "taken.csv", list(zip(TEXTS, LABELS, strict=True))))
    (_folder(server) / "taken.banbury").mkdir()  # nothing can be written there, also by root
    page.check("input[name=replace]")
    _trained(page)
    assert "It could not be kept here" in page.inner_text("#training")
    with page.expect_download() as download:
        page.click("a:text-is('Download it')")
    assert banbury.load(download.value.path()).predict("so happy") == "positive"
    watched.events[:] = [one for one in watched.events if not one.startswith("download")]
    (_folder(server) / "taken.banbury").rmdir()


def test_axe_finds_nothing(watched: Watched, tmp_path: Path) -> None:
    page = watched.page
    page.goto("/page/train")
    assert violations(page) == []
    page = _dropped(watched, _write(tmp_path / "axe.csv", [*zip(TEXTS, LABELS, strict=True), (TEXTS[0], "positive")]))
    assert violations(page) == []
    assert violations(_trained(page)) == []


def _mbox(*texts: str) -> str:
    return "".join(
        f"From someone Mon Nov 16 2026\nReceived: by b.example\nFrom: a@example.org\nSubject: hello\n\n{text}\n\n"
        for text in texts
    )


def test_json_lines_and_a_zip_of_mailboxes_are_read(watched: Watched, server: Serving, tmp_path: Path) -> None:
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS[:100], LABELS[:100], strict=True)]
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    _trained(_dropped(watched, tmp_path / "lines.jsonl"))
    assert sum(banbury.load(_folder(server) / "lines.banbury").documents_) == 100
    with zipfile.ZipFile(tmp_path / "mail.zip", "w") as archive:
        for label, text in (("ham", "lunch at noon?"), ("spam", "free money, win now")):
            archive.writestr(f"boxes/{label}.mbox", _mbox(*(f"{text} {number}" for number in range(20))))
    page = _dropped(watched, tmp_path / "mail.zip")
    assert page.input_value("select[name=learn]") == "mail"
    _trained(page)
    model = banbury.Classifier.load(_folder(server) / "mail.banbury")
    assert (list(model.classes_), list(model.documents_)) == (["ham", "spam"], [20, 20])


def test_a_mailbox_alone_has_one_label_which_is_said(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "all.mbox").write_text(_mbox("lunch?", "money"))
    page = _dropped(watched, tmp_path / "all.mbox")
    assert "Every message has the label 'all'" in page.inner_text("#main")
    page.goto("/page/teach?model=mood&file=all.mbox")
    page.wait_for_selector("text=0 of 2 labelled")


def test_what_is_no_text_is_said_and_another_file_can_be_dropped(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40_000)  # 10 MB
    page = watched.page
    for room in ("train", "teach?model=mood", "mistakes?model=mood"):
        page.goto(f"/page/{room}")
        page.set_input_files("input[type=file]", tmp_path / "picture.csv")
        page.wait_for_selector("text=PNG")
        assert page.locator("#main").inner_text().count("picture") > 0
    watched.events[:] = [one for one in watched.events if "422" not in one]
