"""Looking: why a document is of its class, what the words say, how well it all does, and what is in the way."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from banbury import _kernel
from banbury.errors import InputError
from banbury.estimator import Labels, Texts
from banbury.predicting import Predicting
from banbury.results.explanation import Evidence, Explanation
from banbury.stats.probability import log_difference
from banbury.stats.softmax import log_softmax, softmax
from banbury.tables.frame import as_row, show_row
from banbury.tables.frame import read as read_table
from banbury.text.analyzer import Analyzer
from banbury.text.documents import as_labels, check_kind, check_many, n_threads
from banbury.text.model import TextModel, TextReading, number_of
from banbury.text.next_to_label import next_to_label

if TYPE_CHECKING:
    from banbury.diagnosis.diagnosis import Diagnosis
    from banbury.report.report import Report
    from banbury.results.word_table import WordTable


class Looking(Predicting):
    """What can be seen in a classifier, and with it in documents."""

    def explain(
        self, text: Any, *, label: Any = None, against: Any = None, prior: Any = None, unit: str = "nats"
    ) -> Explanation:
        """Why a text is of class `label` (the predicted one) rather than `against` (the next best one).

        `prior` stands in for the model's own. `unit` is `"nats"` or `"decibans"`, of which 10 are odds of 10 to 1.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> print(model.explain("Happy birthday"))
        positive (0.667) rather than negative (0.333)
          prior   +0.000
          happy   +0.693  ++++++++++++++++++++++++
          total   +0.693
          never seen: birthday
        """
        reading = self._reading(prior)
        classes = reading.classes
        if len(classes) < 2:
            raise InputError("this model knows one class only: there is nothing to decide")
        if not isinstance(reading, TextReading):
            text = as_row(text)
        scores = reading.scores([text], 1)
        ours, theirs = _compared(scores[0].tolist(), classes, label, against)
        start, terms = reading.terms(text)
        evidence = [
            Evidence(term.word, _weight(term.weights, ours, theirs), term.start, term.end, term.column, term.kind)
            for term in terms
            if term.weights is not None
        ]
        prior = log_difference(start[ours], start[theirs])
        explanation = Explanation(
            text=text if isinstance(text, str) else show_row(text),
            label=classes[ours],
            against=classes[theirs],
            prior=prior,
            evidence=evidence,
            score=_score(float(scores[0, ours]), float(scores[0, theirs]), prior, evidence),
            unknown=[term.word for term in terms if term.weights is None],
            probabilities=dict(zip(classes, softmax(scores)[0].tolist(), strict=True)),
            row=None if isinstance(text, str) else text,
        )
        return explanation.in_unit(unit)

    def words(
        self,
        label: Any = None,
        *,
        against: Any = None,
        top: int | None = None,
        sort: str | None = None,
        min_count: int = 1,
        column: str | None = None,
    ) -> WordTable:
        """The table of words: counts, probabilities with credible intervals, and how strongly each speaks for `label`.

        It is compared with `against`, or with the mean of all other classes. `sort` is `"for"` (those that speak most
        for the label come first), `"against"`, `"strength"` (either way), `"count"` or `"word"`.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.words("positive", top=1).rows()[0]["word"]
        'happy'
        """
        table = self._words(label, against, column)
        if min_count > 1:
            table = table.where(min_count=min_count)
        table = table.sorted(sort)
        return table if top is None else table.top(top)

    def _words(self, label: Any, against: Any, column: str | None, **options: Any) -> WordTable:
        model = self._known()
        if isinstance(model, TextModel):
            if column is not None:
                raise InputError(f"column is {column!r}, but this is a model of texts, which has no columns")
            return model.words(label, self._settings(), against=against, **options)
        table: WordTable = model.words(label, self._settings(), column=column, against=against, **options)
        return table

    def word(self, word: str, label: Any = None, *, against: Any = None, column: str | None = None) -> dict[str, Any]:
        """What is known of one word: its row in the table of words, with intervals. One never seen is a `KeyError`.

        >>> from banbury import Classifier
        >>> model = Classifier.textbook().fit(["so happy", "so sad"], ["positive", "negative"])
        >>> model.word("happy")["count"]
        {'negative': 0, 'positive': 1}
        """
        table = self._words(label, against, column, names=[word])
        if not len(table):
            model = self._known()
            analyzer = model.counts.analyzer if isinstance(model, TextModel) else Analyzer()
            spelled = [token.text for token in analyzer.tokens(word)]
            hint = f"; documents have it as {spelled[0]!r}" if len(spelled) == 1 and spelled[0] != word else ""
            raise KeyError(f"{word!r} was never seen{hint}")
        return table.rows(level=0.95)[0]

    def evaluate(self, texts: Texts, labels: Labels) -> Report:
        """How well the labels of these documents are predicted.

        A label that the model does not know is a mistake. The report keeps the documents and the model, so that it can
        also say why, and write a page: `report.save("report.html")`.

        >>> from banbury import Classifier
        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> report = Classifier().fit(texts[::2], labels[::2]).evaluate(texts[1::2], labels[1::2])
        >>> report.accuracy_interval.low < report.accuracy < report.accuracy_interval.high
        True
        """
        from banbury.report.report import Report
        from banbury.results.evaluation import evaluate

        texts, labels, document = self._to_evaluate(texts, labels)
        reading = self._reading(None)
        scores = reading.scores(texts, n_threads(self.threads))
        predicted = [reading.classes[number] for number in scores.argmax(axis=1).tolist()]
        found = evaluate(labels, predicted, log_probabilities=log_softmax(scores), classes=reading.classes)
        return Report.of(found, self, document, lambda: self.diagnose(texts, labels))

    def score(self, texts: Texts, labels: Labels) -> float:
        """The accuracy: what scikit-learn asks for."""
        from banbury.results.evaluation import evaluate

        texts, labels, _ = self._to_evaluate(texts, labels)
        return evaluate(labels, self.predict(texts).tolist()).accuracy

    def _to_evaluate(self, texts: Texts, labels: Labels) -> tuple[Any, list[Any], Callable[[int], Any]]:
        """Documents that can be read more than once, their labels, and a function from a number to one of them."""
        check_many(texts)
        labels = as_labels(labels)
        model = self._fitted()
        check_kind(labels, model.classes)
        if isinstance(model, TextModel):
            held = _kernel.hold(texts)
            return held, labels, lambda row: _kernel.text_at(held, row)
        table = read_table(texts).only(model.kinds)
        return table, labels, table.row

    def diagnose(self, texts: Texts, labels: Labels = None) -> Diagnosis:
        """Where the assumptions fail on these documents, and what is wrong with them.

        Words that come together, duplicates, words that give a class away; with labels, those in doubt; of documents
        that the model has not learned, how their classes and words differ from those that it has. Documents that it has
        learned are recognised, and each is judged by the model without it.

        >>> from banbury import Classifier
        >>> from banbury.datasets import demo
        >>> texts, labels = demo()
        >>> diagnosis = Classifier().fit(texts, labels).diagnose(texts, labels)
        >>> diagnosis.were_learned, diagnosis.duplicates.n_repeats, diagnosis.doubtful[0].label
        (True, 0, 'negative')
        """
        from banbury.diagnosis.diagnosis import can_be_forgotten, diagnose
        from banbury.text.documents import as_texts

        check_many(texts)
        model = self._known()
        if not isinstance(model, TextModel):
            raise InputError("this is a model of a table; documents to diagnose are texts")
        texts = as_texts(texts)
        if not texts:
            raise InputError("no documents to diagnose")
        labels = None if labels is None else as_labels(labels)
        if labels is not None:
            check_kind(labels, model.classes)
            if len(labels) != len(texts):
                raise InputError(f"{len(texts)} documents but {len(labels)} labels")
        were_learned = labels is not None and can_be_forgotten(model.counts, texts, labels, threads=self.threads)
        if were_learned and labels is not None:
            logs = model.leave_one_out(texts, labels, self._settings(), threads=self.threads)
        else:
            logs = self.predict_log_proba(texts)
        return diagnose(
            model.counts,
            texts,
            labels,
            were_learned=were_learned,
            log_probabilities=logs,
            classes=model.classes,
            estimate=lambda: self.estimate_prior(texts),
            threads=self.threads,
        )

    def what_to_label_next(self, texts: Texts, *, top: int = 10, by: str = "gain") -> list[int]:
        """The numbers of the texts whose labels would teach the most, the best first.

        By `"gain"`: those that are uncertain and whose words stand in many of the texts and in few labelled ones; what
        one of them will teach counts less for the next. A model that has learned nothing yet can be asked too. By
        `"uncertainty"`: those whose two most probable labels are closest to each other.

        >>> from banbury import Analyzer, Classifier
        >>> model = Classifier(analyzer=Analyzer()).fit(["free money", "lunch at noon"], ["spam", "ham"])
        >>> model.what_to_label_next(["free money", "win a prize", "a prize", "noon"], top=2)
        [2, 1]
        """
        model = self._known() if self.__sklearn_is_fitted__() else TextModel.empty(self._settings(), self.analyzer)
        if not isinstance(model, TextModel):
            raise InputError("this is a model of a table; documents to label next are texts")
        return next_to_label(model, self._settings(), texts, top=top, by=by, threads=self.threads)


def _compared(scores: list[float], classes: list[Any], label: Any, against: Any) -> tuple[int, int]:
    """The numbers of two classes: the best one rather than the next best, where they are not named."""
    ranked = sorted(range(len(classes)), key=lambda number: -scores[number])
    other = None if against is None else number_of(against, classes)
    ours = next(n for n in ranked if n != other) if label is None else number_of(label, classes)
    theirs = next(n for n in ranked if n != ours) if other is None else other
    if ours == theirs:
        raise InputError(f"label and against are both {classes[ours]!r}; an explanation compares two classes")
    return ours, theirs


def _score(ours: float, theirs: float, prior: float, evidence: list[Evidence]) -> float:
    """The difference of two scores; of two impossible classes what is left of the evidence, or the prior."""
    if ours != theirs or isfinite(ours):
        return log_difference(ours, theirs)
    total = prior + sum(one.weight for one in evidence)
    return prior if isnan(total) else total


def _weight(weights: list[float], ours: int, theirs: int) -> float:
    """What a part says of two classes; one that counts only once says nothing when it comes again."""
    return log_difference(weights[ours], weights[theirs]) if weights else 0.0
