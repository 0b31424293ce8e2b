"""Counts from a table of frequencies: a model for which no documents are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from banbury.errors import InputError
from banbury.text.analyzer import Analyzer
from banbury.text.counts import Counts
from banbury.text.documents import as_labels

MOST_DOCUMENTS_IN_ALL = 2**53  # as in the kernel: sums of such numbers fit into 64 bits
WORD_COLUMN = "word"  # the column of a table of rows that names the word


def counts_from_frequencies(
    table: Any,
    *,
    documents: Mapping[Any, int] | None = None,
    totals: Mapping[Any, int] | None = None,
    are_documents: bool = False,
    analyzer: Analyzer | None = None,
) -> Counts:
    """Counts with these frequencies, word by word and class by class.

    The table is a dictionary from words to dictionaries from labels to counts, or rows with a column `word` and one for
    each label. `documents` are those of each class, one each where nobody says. `totals`, where given, have to be the
    sums of the columns. With `are_documents` the table says in how many documents a word stands, not how often.

    >>> counts = counts_from_frequencies({"happy": {"yes": 2, "no": 0}, "sad": {"yes": 0, "no": 2}})
    >>> counts.classes, counts.occurrences, counts.documents
    (['no', 'yes'], [2, 2], [1, 1])
    """
    analyzer = analyzer or Analyzer()
    frequencies = _frequencies(table, analyzer)
    classes = sorted(as_labels(list(dict.fromkeys(label for by_label in frequencies.values() for label in by_label))))
    n_documents = _n_documents(documents, classes)
    _check_totals(frequencies, totals, classes)
    cells = [(word, label, n) for word, by_label in frequencies.items() for label, n in by_label.items() if n]
    for word, label, n in cells:
        if are_documents and n > n_documents[label]:
            raise InputError(f"{word!r} stands in {n} documents of {label!r}, of which there are {n_documents[label]}")
    # Every word is counted as a document of its own, as often as it was seen; then the documents are put right.
    words, labels = [word for word, _, _ in cells], [label for _, label, _ in cells]
    counted = Counts(analyzer).add(words, labels, weights=[n for _, _, n in cells])
    holding = [min(n, n_documents[label]) for _, label, n in cells]
    by_document = Counts(analyzer).add(words, labels, weights=holding)
    right = counted.kernel.with_documents([n_documents[label] for label in counted.classes], by_document.kernel)
    return Counts.of_kernel(analyzer, counted.classes, right)


def _frequencies(table: Any, analyzer: Analyzer) -> dict[str, dict[Any, int]]:
    """Checked counts of each word, spelled as the analyzer spells it, by label."""
    for method in ("to_dicts", "to_pylist"):  # polars, pyarrow
        if hasattr(table, method):
            table = getattr(table, method)()
    if hasattr(table, "to_dict") and hasattr(table, "columns"):  # pandas
        table = table.to_dict("records")
    if not isinstance(table, Mapping):
        table = _by_word(table)
    frequencies: dict[str, dict[Any, int]] = {}
    for word, by_label in table.items():
        if not isinstance(by_label, Mapping):
            raise InputError(f"{word!r} has {by_label!r}; it must have a count for each label: {{'positive': 2, …}}")
        tokens = [token.text for token in analyzer.features(word)] if isinstance(word, str) else []
        if len(tokens) != 1:
            raise InputError(f"{word!r} is not one word; this analyzer reads {tokens or 'nothing'} in it")
        counted = frequencies.setdefault(tokens[0], {})
        for label, n in by_label.items():
            whole = n.item() if type(n).__module__ == "numpy" else n
            if type(whole) is not int or not 0 <= whole < 2**32:
                raise InputError(f"the count of {word!r} with label {label!r} is {n!r}; counts are whole, 0 or more")
            counted[label] = counted.get(label, 0) + whole
    if not frequencies:
        raise InputError("the table of frequencies has no words")
    return frequencies


def _by_word(rows: Any) -> dict[str, Any]:
    by_word: dict[str, Any] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or WORD_COLUMN not in row:
            raise InputError(f"row {number} is {row!r}; it must have a column {WORD_COLUMN!r} and one for each label")
        if row[WORD_COLUMN] in by_word:
            raise InputError(f"row {number} has the word {row[WORD_COLUMN]!r} again")
        by_word[row[WORD_COLUMN]] = {label: n for label, n in row.items() if label != WORD_COLUMN}
    return by_word


def _n_documents(documents: Mapping[Any, int] | None, classes: list[Any]) -> dict[Any, int]:
    if documents is None:
        return dict.fromkeys(classes, 1)
    for label in classes:
        n = documents.get(label)
        if type(n) is not int or not 0 < n < 2**63:
            raise InputError(f"label {label!r} has {n!r} documents; it must be a whole number, 1 or more")
    if sum(documents[label] for label in classes) > MOST_DOCUMENTS_IN_ALL:
        raise InputError(f"documents has more than {MOST_DOCUMENTS_IN_ALL} in all, which cannot be counted")
    if unknown := [label for label in documents if label not in classes]:
        raise InputError(f"documents speaks of label {unknown[0]!r}; the table has {', '.join(map(repr, classes))}")
    return dict(documents)


def _check_totals(frequencies: dict[str, dict[Any, int]], totals: Mapping[Any, int] | None, classes: list[Any]) -> None:
    """That every class has words, and as many as the totals say, where these are given."""
    for label in classes:
        total = sum(by_label.get(label, 0) for by_label in frequencies.values())
        if not total:
            raise InputError(f"the frequencies of label {label!r} are all 0; a class needs words")
        if totals is not None and total != totals.get(label):
            raise InputError(f"the frequencies of label {label!r} add up to {total}, not to {totals.get(label)!r}")
