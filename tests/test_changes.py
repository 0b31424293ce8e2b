"""Changes: readers see all of a change or nothing of it, whatever kind of model it is, and a forked child goes on."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banbury
from banbury import Classifier
from banbury.changes import CHANGING, Changes
from banbury.errors import ChangedError, CountError
from strategies import LABELS, WORDS


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads take turns far more often than usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def test_whoever_looks_during_a_change_waits_for_its_end() -> None:
    changes, pair, seen = Changes(), [0, 0], []
    begun = threading.Event()

    def change() -> None:
        with changes:
            pair[0] = 1
            begun.set()
            time.sleep(0.02)
            with changes:  # a change may be made of others
                pair[1] = 1

    thread = threading.Thread(target=change)
    thread.start()
    begun.wait()
    seen.append(changes.whole(lambda: tuple(pair)))
    thread.join()
    assert seen == [(1, 1)]


def test_a_reader_that_a_change_got_ahead_of_tries_again_and_at_last_keeps_changes_waiting() -> None:
    calls: list[int] = []

    def use() -> str:
        calls.append(len(calls))
        if len(calls) < 4:
            raise ChangedError
        taken: list[bool] = []
        other = threading.Thread(target=lambda: taken.append(CHANGING.acquire(blocking=False)))
        other.start()
        other.join()
        return "free" if taken[0] else "locked"

    assert Changes().read(use) == "locked"
    assert len(calls) == 4


TEXTS = [
    "so good and fine",
    "good film",
    "a bad plot",
    "so bad and dull",
    "neither here nor there",
    "good plot, bad film",
]
TWO = ["glad", "glad", "sad", "sad", "glad", "sad"]
THREE = ["glad", "glad", "sad", "sad", "meh", "meh"]
ROWS = {"legs": [2, 4, 4, 2, 6, 8], "flies": [True, False, False, True, True, False]}
LETTERS = [f"From: a{n}@example.org\nSubject: {text}\n\n{text}".encode() for n, text in enumerate(TEXTS)]

# What is fitted, what comes and goes, and what is asked.
KINDS: dict[str, tuple[Callable[[], Any], tuple[Any, list[str]], Any]] = {
    "plain": (lambda: Classifier.textbook().fit(TEXTS, THREE), (["good and bad"], ["sad"]), "so good a film"),
    "calibrated": (
        lambda: Classifier(likelihood="multinomial").fit(TEXTS * 3, TWO * 3), (["good and bad"], ["sad"]), "so good",
    ),
    "bernoulli": (
        lambda: Classifier.textbook(likelihood="bernoulli").fit(TEXTS, TWO), (["good and bad"], ["sad"]), "so good",
    ),
    "two classes": (lambda: Classifier().fit(TEXTS, TWO), (["good and bad"], ["sad"]), "so good a film"),
    "three classes": (lambda: Classifier().fit(TEXTS, THREE), (["good and bad"], ["sad"]), "so good a film"),
    "corrected": (lambda: Classifier(effort="best").fit(TEXTS * 9, TWO * 9), (["good and bad"], ["sad"]), "so good"),
    "a new label": (lambda: Classifier().fit(TEXTS, THREE), (["good and so on"], ["cross"]), "so good a film"),
    "a new label of a plain model": (
        lambda: Classifier.textbook().fit(TEXTS, TWO), (["good and so on"], ["cross"]), "so good a film",
    ),
    "table": (
        lambda: Classifier().fit(ROWS, THREE), ({"legs": [4], "flies": [True]}, ["sad"]), {"legs": 4, "flies": True},
    ),
    "table with texts": (
        lambda: Classifier().fit({"said": TEXTS, **ROWS}, THREE),
        ({"said": ["good and bad"], "legs": [4], "flies": [True]}, ["sad"]),
        {"said": "so good", "legs": 4, "flies": False},
    ),
    "a new label of a table with texts": (
        lambda: Classifier().fit({"said": TEXTS, **ROWS}, THREE),
        ({"said": ["good and bad"], "legs": [4], "flies": [True]}, ["cross"]),
        {"said": "so good", "legs": 4, "flies": False},
    ),
    "spam filter": (
        lambda: banbury.SpamFilter().fit(LETTERS, ["ham", "spam"] * 3), ([LETTERS[0]], ["spam"]), LETTERS[3],
    ),
}  # fmt: skip


def answer(model: Any, asked: Any) -> Any:
    """Labels and probabilities, to the bit."""
    if isinstance(model, banbury.SpamFilter):
        return model.probability(asked)
    return model.probabilities(asked)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_belongs_to_a_state_that_there_was(kind: str) -> None:
    fit, change, asked = KINDS[kind]
    model = fit()
    before = answer(model, asked)
    after = answer(model.learn(*change), asked)
    assert before != after, "the change can be seen"
    assert answer(model.forget(*change), asked) == before
    done, wrong, n_answers = threading.Event(), [], [0] * 8

    def read(reader: int) -> None:
        while not done.is_set():
            found = answer(model, asked)
            if found not in (before, after):
                wrong.append(found)
            n_answers[reader] += 1

    readers = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(25):
            model.learn(*change)
            model.forget(*change)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []
    assert sum(n_answers) > 0


def test_many_texts_are_all_scored_by_one_state() -> None:
    """A long batch is read without the interpreter, while others learn."""
    texts = TEXTS * 500
    model = Classifier().fit(TEXTS, THREE)
    before = model.predict_proba(texts)
    model.learn(["good and bad"], ["sad"])
    after = model.predict_proba(texts)
    model.forget(["good and bad"], ["sad"])
    done, wrong = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            found = model.predict_proba(texts)
            if not ((found == before).all() or (found == after).all()):
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(60):
            model.learn(["good and bad"], ["sad"])
            model.forget(["good and bad"], ["sad"])
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []


texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
steps = st.lists(st.tuples(st.sampled_from(["learn", "forget", "merge"]), texts, st.sampled_from(LABELS)), max_size=8)


@pytest.mark.parametrize("parameters", [{}, {"likelihood": "bernoulli"}, {"effort": "best"}])
@settings(max_examples=15)
@given(steps, texts)
def test_a_model_that_was_changed_answers_as_it_does_when_loaded(
    parameters: dict[str, Any], steps: list[tuple[str, str, str]], asked: str
) -> None:
    model = Classifier(**parameters).fit(TEXTS * 2, ["negative", "positive", "neutral"] * 4)
    for step, text, label in steps:
        try:
            if step == "merge":
                plain = Classifier(analyzer=model.counts_.analyzer, likelihood="multinomial")
                model.merge(plain.fit([text, "x"], [label] * 2))
            else:
                getattr(model, step)([text], [label])
        except CountError:
            continue  # it was never learned
        loaded = Classifier.from_parts(*model.parts())
        assert model.probabilities(asked) == loaded.probabilities(asked)
        assert model.predict_proba([asked, text]).tolist() == loaded.predict_proba([asked, text]).tolist()
        assert model.predict(asked) == loaded.predict(asked)


CHILDREN = """
import os, sys, threading, time
import banbury
text, label = "so good and so bad", "sad"
model = banbury.Classifier().fit(["so good", "so bad", "neither"] * 9, ["glad", "sad", "meh"] * 9)
table = banbury.Classifier().fit({"said": ["so good", "so bad"] * 9, "n": [1, 2] * 9}, ["glad", "sad"] * 9)
batch = ["so good and so bad"] * 5000
done = False
def learn():
    while not done:
        model.learn([text], [label]); model.forget([text], [label])
        table.learn({"said": [text], "n": [1]}, [label]); table.forget({"said": [text], "n": [1]}, [label])
def read():
    while not done:
        model.predict(batch)
threads = [threading.Thread(target=act) for act in (learn, learn, read)]
for thread in threads: thread.start()
children = []
for _ in range(int(sys.argv[1])):
    time.sleep(0.002)
    child = os.fork()
    if child == 0:
        model.learn([text, "new"], [label, "other"])
        table.learn({"said": [text], "n": [1]}, ["glad"])
        whole = sum(model.probabilities("so good").values())
        os._exit(0 if abs(whole - 1) < 1e-9 and len(model.predict(batch)) == 5000 else 1)
    children.append(child)
done = True
for thread in threads: thread.join()
end = time.monotonic() + 60
left = set(children)
while left and time.monotonic() < end:
    for child in sorted(left):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            left.discard(child)
            if status: sys.exit(f"child: {status}")
    time.sleep(0.01)
for child in left: os.kill(child, 9)
sys.exit(f"{len(left)} children hang" if left else 0)
"""


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="there is no fork here")
def test_a_child_of_a_process_that_was_learning_learns_and_predicts(tmp_path: Path) -> None:
    script = tmp_path / "children.py"
    script.write_text(CHILDREN)
    run = subprocess.run([sys.executable, str(script), "25"], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.usefixtures("impatient")
def test_decisions_and_probabilities_stay_whole_while_a_label_comes_and_goes() -> None:
    texts = ["free money", "lunch at noon"]
    model = Classifier.textbook().fit(texts * 3, ["spam", "ham"] * 3)
    mail = banbury.SpamFilter().fit(["Subject: lunch\n\nat noon"], ["ham"])
    spam = "Subject: money\n\nfree"
    before = (model.decide(texts), mail.probability([spam]).tolist())
    model.learn(["rain"], ["weather"])
    mail.learn([spam], ["spam"])
    after = (model.decide(texts), mail.probability([spam]).tolist())
    assert before[1] == [0.0]
    assert after[1] > before[1]

    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            model.forget(["rain"], ["weather"]).learn(["rain"], ["weather"])
            mail.forget([spam], ["spam"])
            mail.learn([spam], ["spam"])

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(200):
            classes, chances = model.classes_and_probabilities(texts)
            assert chances.shape == (2, len(classes))
            assert model.decide(texts) in (before[0], after[0])
            assert mail.probability([spam]).tolist() in (before[1], after[1])
    finally:
        done.set()
        writer.join()
