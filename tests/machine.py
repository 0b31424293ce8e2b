"""State machines: models that learn, forget, merge, are saved and loaded in any order, while others read them.

A few steps of each are a test (`test_machine.py`); `python tests/machine.py --steps 100000` is the long form. After
every step a model of texts predicts what `reference.py` predicts from the documents that are left, and a model of a
table what an empty copy of it predicts that learns these documents at once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

import banbury
import reference
from banbury import Categorical, Classifier, Poisson
from banbury.errors import BanburyError, CountError, InputError
from strategies import LABELS, WORDS, plain_texts

rows = st.lists(st.tuples(plain_texts(5), st.sampled_from(LABELS)), min_size=1, max_size=4)
PAUSE = 0.0005  # seconds between two questions of a reader


class Machine(RuleBasedStateMachine):
    """A model, the rows that it should know, and a reader in a thread of its own."""

    n_steps: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.known: list[tuple[str, str]] = [("good film", "positive"), ("bad plot", "negative"), ("a", "neutral")]
        self.model = self.fitted(self.known)
        self.wrong: list[str] = []
        self._done = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def teardown(self) -> None:
        self._done.set()
        self._reader.join()
        assert self.wrong == []

    # What differs between models of texts and of tables

    def fitted(self, known: list[tuple[str, str]]) -> Classifier:
        raise NotImplementedError

    def documents(self, texts: list[str]) -> Any:
        raise NotImplementedError

    def expected(self) -> Any:
        """The probabilities that the model should give, for documents of each of the words."""
        raise NotImplementedError

    # Steps

    def _read(self) -> None:
        asked = self.documents(["good bad", "the plot"])
        while not self._done.is_set():
            model = self.model
            try:
                chances = model.predict_proba(asked)
                if not np.isfinite(chances).all() or not np.allclose(chances.sum(axis=1), 1):
                    self.wrong.append(f"{chances}")
            except BanburyError:
                pass  # it may have forgotten everything
            except BaseException as error:
                self.wrong.append(f"{type(error).__name__}: {error}")
            time.sleep(PAUSE)

    def _split(self, some: list[tuple[str, str]]) -> tuple[Any, list[str]]:
        return self.documents([text for text, _ in some]), [label for _, label in some]

    @rule(more=rows)
    def learn(self, more: list[tuple[str, str]]) -> None:
        self.model.learn(*self._split(more))
        self.known += more

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        picked = data.draw(st.lists(st.integers(0, len(self.known) - 1), unique=True, max_size=3))
        some = [self.known[place] for place in picked]
        if some:
            self.model.forget(*self._split(some))
        self.known = [row for place, row in enumerate(self.known) if place not in picked]

    @rule(strange=rows)
    def forget_and_learn_what_may_be_unknown(self, strange: list[tuple[str, str]]) -> None:
        """Forgetting is refused and changes nothing, or learning the same undoes it."""
        try:
            self.model.forget(*self._split(strange))
        except (CountError, InputError):
            return
        self.model.learn(*self._split(strange))

    @rule(more=rows)
    def merge(self, more: list[tuple[str, str]]) -> None:
        self.model.merge(self.model.empty().learn(*self._split(more)))
        self.known += more

    @rule(more=rows, bad=st.sampled_from([None, b"x", object()]))
    def learn_something_bad(self, more: list[tuple[str, str]], bad: Any) -> None:
        """Input that is refused changes nothing, wherever in it the fault is."""
        documents, labels = self._split(more)
        for wrong in ([*labels[:-1], bad], [*labels, "positive"]):
            try:
                self.model.learn(documents, wrong)
            except BanburyError:
                continue
            raise AssertionError(f"{wrong} was learned")

    @rule()
    def save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(f"{folder}/model")
            content = Path(folder, "model").read_bytes()
            self.model = banbury.load(f"{folder}/model")
            self.model.save(f"{folder}/again")
            assert Path(folder, "again").read_bytes() == content

    @precondition(lambda self: len({label for _, label in self.known}) > 1)
    @rule(text=plain_texts())
    def explain(self, text: str) -> None:
        asked = self.documents([text])
        explanation = self.model.explain(asked[0] if isinstance(asked, list) else {n: v[0] for n, v in asked.items()})
        assert explanation.label in self.model.classes_.tolist()

    @invariant()
    def it_knows_what_it_should(self) -> None:
        Machine.n_steps[type(self).__name__] += 1
        sizes = Counter(label for _, label in self.known)
        assert dict(zip(self.model.model_.classes, self.model.model_.documents, strict=True)) == sizes
        if self.known:
            chances = self.model.predict_proba(self.documents(WORDS))
            np.testing.assert_allclose(chances, self.expected(), atol=1e-9)


class TextMachine(Machine):
    """The textbook's model of texts."""

    def fitted(self, known: list[tuple[str, str]]) -> Classifier:
        return Classifier.textbook().fit([text for text, _ in known], [label for _, label in known])

    def documents(self, texts: list[str]) -> Any:
        return texts

    def expected(self) -> Any:
        words = [text.lower().split() for text, _ in self.known]
        model = reference.Model(reference.train(words, [label for _, label in self.known]))
        return [model.posterior([word.lower()]) for word in WORDS]

    @precondition(lambda self: self.known)
    @rule()
    def prune(self) -> None:
        """A copy without rare words has those that two documents have."""
        counts = self.model.counts_.copy().prune(min_documents=2)
        seen = Counter(word for text, _ in self.known for word in {*text.lower().split()})
        assert counts.n_features == sum(n >= 2 for n in seen.values())


class TableMachine(Machine):
    """The automatic model of a table of a category and a count."""

    def fitted(self, known: list[tuple[str, str]]) -> Classifier:
        model = Classifier(columns={"word": Categorical(), "length": Poisson()})
        return model.fit(self.documents([text for text, _ in known]), [label for _, label in known])

    def documents(self, texts: list[str]) -> Any:
        return {"word": [text.partition(" ")[0] or None for text in texts], "length": [len(text) for text in texts]}

    def expected(self) -> Any:
        whole = self.model.empty().learn(*self._split(self.known))
        return whole.predict_proba(self.documents(WORDS))


MACHINES: tuple[type[Machine], ...] = (TextMachine, TableMachine)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the state machines for many steps.")
    parser.add_argument("--steps", type=int, default=10_000, help="of all machines together")
    parser.add_argument("--record", type=Path, help="a JSON file to add the numbers to")
    options = parser.parse_args()
    how = settings(
        max_examples=50,
        stateful_step_count=50,
        deadline=None,
        database=None,
        print_blob=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    start, failures = time.process_time(), 0
    while Machine.n_steps.total() < options.steps and not failures:
        for machine in MACHINES:
            try:
                run_state_machine_as_test(machine, settings=how)
            except Exception as error:
                print(f"{machine.__name__}: {error}")
                failures += 1
    print(f"{Machine.n_steps.total()} steps ({dict(Machine.n_steps)}), {failures} failures")
    if options.record is not None:
        runs = json.loads(options.record.read_text()) if options.record.exists() else {}
        seconds = round(time.process_time() - start)
        run = {"tried": Machine.n_steps.total(), "failures": failures, "cpu_seconds": seconds}
        runs.setdefault("steps", []).append(run)
        options.record.write_text(json.dumps(runs, indent=1) + "\n")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
