"""`banbury rank`: rows found by a query."""

import json

import banbury
from banbury.apps.relevance import SCORERS
from banbury.cli.searching import SCORER_NAMES
from commands import Here, json_rows


def test_rows_are_found_as_the_library_finds_them(here: Here) -> None:
    texts = ["the cat sat on the mat", "dogs and cats", "a dog's life", "nothing"]
    lines = [json.dumps({"id": text[:3], "text": text}) for text in texts]
    (here.folder / "pets.jsonl").write_text("\n".join(lines))
    hits = banbury.Ranker(texts).search("which cats?")
    result = here("rank", "pets.jsonl", "-q", "which cats?", "--to", "jsonl", "--save", "pets.index")
    assert [(row["row"], row["score"], row["text"]) for row in json_rows(result.out)] == [
        (hit.index + 1, hit.score, texts[hit.index]) for hit in hits
    ]
    again = here("rank", "pets.index", "-q", "which cats?", "--to", "jsonl")
    assert [row["row"] for row in json_rows(again.out)] == [hit.index + 1 for hit in hits]
    plain = here("rank", "pets.jsonl", "-q", "cats", "-q", "dogs", "--top", 1)
    assert [line.split("\t")[0] for line in plain.out.split("\n")[:-1]] == ["cats", "dogs"]
    assert "cat" in here("rank", "pets.jsonl", "-q", "cats", "--why").out
    assert here("rank", "pets.jsonl").code == 2
    assert here("inspect", "pets.index").code == 0


def test_every_scorer_can_be_asked_for() -> None:
    assert tuple(SCORERS) == SCORER_NAMES
