"""A model of more documents than fit into memory: the same, to the bit, as of all of them at once.

Counts are added batch by batch, and the sample that leave-one-out needs is kept up to date: `tally.py`.
"""

from __future__ import annotations

from banbury import _kernel
from banbury.annotations import TYPE_CHECKING, Any, NamedTuple
from banbury.errors import InputError
from banbury.text.counts import Counts
from banbury.text.documents import as_labels, as_weights, check_kind, n_processors, n_threads
from banbury.text.model import TextModel
from banbury.text.settings import Settings, analyzers_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from banbury.results.training_report import TrainingReport
    from banbury.text.analyzer import Analyzer
    from banbury.text.documents import Column, Texts
    from banbury.text.tally import Tally

HELD = 64 << 20  # bytes of text that are simply kept in memory
COUNTED = 24 << 20  # bytes that are counted at a time beyond that: few enough to be small, many enough to be quick


class Part(NamedTuple):
    """Some documents, checked."""

    texts: Texts
    labels: list[Any]
    """Labels, or what stands for those of a document."""
    weights: Column
    size: int
    """Bytes of the texts."""


def fitted_in_batches(
    batches: Iterable[Any], settings: Settings, *, analyzer: Analyzer | str | None, effort: str, threads: int | None
) -> tuple[TextModel, TrainingReport | None]:
    """A model of the documents of all batches, with everything chosen, and how well it does.

    A batch has `texts`, `labels` and maybe `sample_weight`, by these names or in this order. Where leave-one-out has
    something to choose and there are few documents, all are kept and nothing is different from a list of them.
    """
    parts = parts_of(batches, _Checked())
    if not settings.is_open:
        if getattr(batches, "reads_ahead", False):
            # The next batch is read meanwhile, which keeps a processor busy.
            threads = max((n_threads(threads) or n_processors()) - 1, 1)
        return _counted(parts, settings, analyzer=analyzer, effort=effort, threads=threads)
    first, is_all = gathered(parts, HELD)
    if is_all:
        whole = (first.texts, first.labels, first.weights)
        return TextModel.fitted(*whole, settings, analyzer=analyzer, effort=effort, threads=threads)
    from banbury.text.tally import Tally  # what is only counted needs none

    tally = Tally(analyzer, settings, effort=effort)
    tally.add(*first[:3], threads=threads)
    del first  # it would wait in memory for all that follows
    while not is_all:
        part, is_all = gathered(parts, COUNTED)
        tally.add(*part[:3], threads=threads)
        del part
    # Only now it is known how long the documents are.
    if tally.must_be_counted_again:
        tally = _again(batches, tally, threads)
    return tally.model(threads=threads)


def _counted(
    parts: Iterator[Part], settings: Settings, *, analyzer: Analyzer | str | None, effort: str, threads: int | None
) -> tuple[TextModel, TrainingReport | None]:
    """A model of counts alone: each part is counted as it comes, and needs no memory after that."""
    batches = ((part.texts, part.labels, part.weights) for part in parts)
    counts = Counts.of_batches(analyzers_for(analyzer, 0, 0, settings)[0], batches, threads=threads)
    how: dict[str, Any] = {"effort": effort, "narrower": None, "threads": threads}
    return TextModel.chosen(counts, [], [], None, settings, **how)


def _again(batches: Iterable[Any], tally: Tally, threads: int | None) -> Tally:
    """The documents are shorter than they were at the start, so characters have to be counted too."""
    check_read_again(batches)
    again = tally.for_short_documents()
    for part in parts_of(batches, _Checked()):
        again.add(*part[:3], threads=threads)
    return again


def check_read_again(batches: Iterable[Any]) -> None:
    """That batches can be read twice, or an `InputError` that says why they have to be."""
    if not getattr(batches, "can_be_read_again", iter(batches) is not batches):
        raise InputError(
            "the documents are short, but those at the start of the stream were long: what kinds of features there are "
            "was guessed wrong; give an analyzer, or batches that can be read twice, such as banbury.read(path)"
        )


class _Checked:
    """Labels of one batch after the other, all of one kind."""

    def __init__(self) -> None:
        self._known: list[Any] = []

    def __call__(self, labels: Any) -> list[Any]:
        values = as_labels(labels)
        check_kind(values, self._known)
        self._known = self._known or values[:1]
        return values


def parts_of(batches: Iterable[Any], checked: Callable[[Any], list[Any]]) -> Iterator[Part]:
    """The documents of each batch, with the labels that `checked` makes of those given."""
    for batch in batches:
        texts, labels, weights = unpacked(batch)
        labels = checked(labels)
        texts = _kernel.hold(texts)
        if len(texts) != len(labels):
            raise InputError(f"{len(texts)} documents but {len(labels)} labels")
        yield Part(texts, labels, None if weights is None else as_weights(weights, len(labels)), _kernel.size(texts))


def unpacked(batch: Any) -> tuple[Any, Any, Any]:
    """The texts, labels and weights of a batch."""
    if hasattr(batch, "texts"):
        if batch.labels is None:
            raise InputError("the documents have no labels")
        return batch.texts, batch.labels, batch.sample_weight
    if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
        raise InputError(
            f"a batch is (texts, labels) or (texts, labels, sample_weight), not of type {type(batch).__name__}"
        )
    return batch[0], batch[1], batch[2] if len(batch) == 3 else None


def gathered(parts: Iterator[Part], enough: int) -> tuple[Part, bool]:
    """Several parts in one, and whether these were all that there are."""
    gathered: list[Part] = []
    while sum(part.size + len(part.labels) for part in gathered) < enough:
        if (part := next(parts, None)) is None:
            return _joined(gathered), True
        gathered.append(part)
    return _joined(gathered), False


def _joined(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    labels = [label for part in parts for label in part.labels]
    weights = None
    if any(part.weights is not None for part in parts):
        weights = [weight for part in parts for weight in part.weights or [1] * len(part.labels)]
    if any(isinstance(part.texts, list) for part in parts) or not parts:
        texts: Texts = [text for part in parts for text in part.texts]
    else:
        texts = _kernel.join([part.texts for part in parts])
    return Part(texts, labels, weights, sum(part.size for part in parts))
