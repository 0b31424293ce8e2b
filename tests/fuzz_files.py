"""Model files that are nearly right, for `fuzzing.py`.

Settings and arrays are changed and written with new checksums: damage is found by the checksums, so what is tried with
them is malice. `damaged_file` is the other side, files whose checksums no longer fit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import date
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import banbury
from banbury import (
    Analyzer,
    BanburyError,
    Classifier,
    HierarchicalClassifier,
    MultiLabelClassifier,
    StreamClassifier,
    storage,
)
from banbury.apps.ranking import Ranker
from banbury.apps.senses import SenseTagger
from banbury.apps.spam import SpamFilter
from banbury.apps.spelling import SpellingCorrector
from banbury.distributed.plan import Plan
from banbury.distributed.state import merge
from banbury.errors import InputError
from banbury.tables.kinds import Bernoulli, Categorical, Date, Gaussian, Histogram, Id, Number, Poisson, Text
from corrected import dependent
from switches import parity

TEXTS = [
    "so happy today",
    "what a sad film :(",
    "happy happy joy!!",
    "incomprehensibilities are sad",
    "naïve Ωmega 日本",
]
LABELS = ["yes", "no", "yes", "no", "maybe"]
LABEL_SETS = [["yes"], ["no", "long"], ["yes"], ["no", "long"], []]
ROWS = [{"text": text, "n": n, "c": label[0]} for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))]
KINDS = {
    "of_day": Date(),
    "of_key": Id(),
    "measured": Gaussian(),
    "counted": Poisson(),
    "known": Bernoulli(),
    "named": Categorical(),
    "binned": Histogram(),
    "any": Number(),
    "said": Text(),
}
ROWS_OF_KINDS = [
    dict(
        zip(KINDS, (date(2020, 1 + n, 3), f"k{n}", n / 2, n, n % 2 == 0, "ab"[n % 2], n**0.5, 2 * n, text), strict=True)
    )
    for n, text in enumerate(TEXTS)
]
SWITCHES = [{"a": "on", "b": "off", "c": "on"}, {"a": "off", "b": "off", "c": None}]
PLAIN: dict[str, Any] = {"likelihood": "multinomial", "smoothing": 1.0, "calibration": None}
PLANS = {"state of texts": Plan.of(**PLAIN), "state of a table": Plan.of(columns={"n": "auto", "c": "auto"})}
MAILS = [f"From: a{n}@example.org\nSubject: {text}\n\n{text}".encode() for n, text in enumerate(TEXTS[:4])]
KEPT = Path(__file__).parent / "kept" / "0.1.0"  # files of version 2 of the format
SENSES = ["on the *bank* of a river", "the *bank* lends money", "*banks* lend"]

Parts = tuple[dict[str, Any], dict[str, "memoryview[Any]"]]


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder for all files that are tried."""
    return tempfile.TemporaryDirectory()


def here(name: str) -> Path:
    """A file in that folder."""
    return Path(_folder().name, name)


@cache
def sound_files() -> dict[str, Parts]:
    """A small model of each kind, as settings and arrays."""
    models: dict[str, Any] = {
        "textbook": Classifier.textbook().fit(TEXTS, LABELS),
        "automatic": Classifier(analyzer=Analyzer(ngrams=(1, 2), characters=(2, 3))).fit(TEXTS * 3, LABELS * 3),
        "corrected": Classifier(effort="best", analyzer=Analyzer()).fit(*_dependent()),
        "exact": Classifier(exact_forget=True, **PLAIN).fit(TEXTS, LABELS),
        "given": Classifier.from_log_ratios({"happy": 2.2, "sad": -1.1}, classes=("no", "yes")),
        "numbers": Classifier.textbook().fit(TEXTS, [3, 4, 3, 4, 5]),
        "bernoulli": Classifier.textbook(likelihood="bernoulli").fit(TEXTS[:4], LABELS[:4]),
        "table": Classifier().fit(ROWS * 3, LABELS * 3),
        "kinds": Classifier(columns=KINDS).fit(ROWS_OF_KINDS, LABELS),
        "cells": Classifier().fit(*parity(60)),
        "corrected cells": Classifier(effort="best").fit(*parity(120)),
        "ranker": Ranker(),
        "spam": SpamFilter().fit(MAILS, ["ham", "spam"] * 2),
        "senses": SenseTagger("bank").fit(SENSES, ["land", "money", "money"]),
        "spelling": SpellingCorrector(TEXTS),
        "tree": HierarchicalClassifier(parents={"yes": "said", "no": "said"}).fit(TEXTS, LABELS),
        "stream": StreamClassifier(period=1).fit(TEXTS * 2, LABELS * 2, [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]),
        "labels": MultiLabelClassifier(threshold={"no": 0.3}).fit(TEXTS, LABEL_SETS),
    }
    models["ranker"].add(TEXTS)
    states = {kind: plan.count(0, [_part()]).to_bytes() for kind, plan in PLANS.items()}
    earlier = {f"{name} of version 2": (KEPT / f"{name}.banbury").read_bytes() for name in ("plain", "automatic")}
    saved = {name: _saved(model) for name, model in models.items()}
    return {name: _parts(content) for name, content in (saved | states | earlier).items()}


def _dependent() -> tuple[list[str], list[str]]:
    """Few texts, but enough for a model to correct what it has counted."""
    corpus = dependent(("no", "yes"), 200)
    return corpus.texts, corpus.labels


def _part() -> Any:
    """A part of data that several machines count."""
    import pyarrow as pa

    return pa.table({name: [row[name] for row in ROWS] for name in ("text", "n", "c")} | {"label": LABELS})


def _saved(model: Any) -> bytes:
    model.save(here("model"))
    return here("model").read_bytes()


def _parts(content: bytes) -> Parts:
    file = storage.from_bytes(content)
    return file.settings, {name: _shaped(bytes(view), view) for name, view in file.arrays.items()}


def _shaped(content: bytes, like: memoryview[Any]) -> memoryview[Any]:
    """Bytes as an array like another one; flat, where they are more or fewer."""
    flat = memoryview(content[: len(content) // like.itemsize * like.itemsize])
    shape = like.shape if flat.nbytes == like.nbytes and flat.nbytes else None
    code: Any = like.format
    return flat.cast(code) if shape is None else flat.cast(code, shape)


def _kind(random: Random) -> str:
    """A kind of file, the small ones more often: a file of 100 KB takes as long to try as ten of 3 KB."""
    kinds, sizes = zip(*((name, len(content)) for name, content in sound_bytes().items()), strict=True)
    kind: str = random.choices(kinds, [1 / (3000 + size) for size in sizes])[0]
    return kind


def changed_file(random: Random) -> bytes:
    """A model file with valid checksums and one to three changes."""
    settings, arrays = sound_files()[_kind(random)]
    arrays = dict(arrays)
    for _ in range(random.randint(1, 3)):
        if not arrays or random.random() < 0.5:
            settings = _changed_json(random, settings)
        else:
            name = random.choice(sorted(arrays))
            arrays[name] = _shaped(_changed_array(random, bytes(arrays[name])), arrays[name])
    try:
        return b"".join(storage.content(settings if isinstance(settings, dict) else {}, arrays))
    except InputError:  # JSON has no infinity: there is no such file
        return changed_file(random)


@cache
def sound_bytes() -> dict[str, bytes]:
    """The sound files as they are written."""
    return {name: b"".join(storage.content(*parts)) for name, parts in sound_files().items()}


def damaged_file(random: Random) -> bytes:
    """A model file with a flipped bit, a lost end, or a piece of it elsewhere; its checksums are those of before."""
    content = bytearray(sound_bytes()[_kind(random)])
    place = random.randrange(len(content))
    match random.randrange(4):
        case 0:
            del content[place:]
        case 1:
            other = random.randrange(len(content))
            content[other : other + 64] = content[place : place + 64]
        case _:
            content[place] ^= 1 << random.randrange(8)
    return bytes(content)


def use_damaged(data: bytes) -> None:
    """A file whose bytes are not those that were written is refused."""
    if data in sound_bytes().values():  # a piece that went where its like was
        return
    here("model").write_bytes(data)
    try:
        banbury.load(here("model"))
    except BanburyError:
        return
    raise AssertionError("a damaged file was read")


ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**32,
    2**64,
    2**70,
    -0.5,
    1e308,
    5e-324,
    "",
    "x",
    "\ud800",
    [],
    {},
    [[]],
    [None],
]


def _changed_json(random: Random, value: Any) -> Any:
    """The same plain data with one thing in it changed."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(sorted(value))
        if random.random() < 0.1:
            return {other: inner for other, inner in value.items() if other != key}
        return {**value, key: _changed_json(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.8:
        place = random.randrange(len(value))
        match random.randrange(5):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value[:place], value[place], *value[place:]]
        return [*value[:place], _changed_json(random, value[place]), *value[place + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and random.random() < 0.5:
        return random.choice([value + 1, value - 1, -value, value * 2**20])
    return random.choice(ODD)


def _changed_array(random: Random, array: bytes) -> bytes:
    """The same bytes with numbers in them changed, or more of them, or fewer."""
    width = random.choice([1, 4, 8])
    n = len(array) // width
    if not n or (way := random.randrange(7)) == 3:
        return array * random.choice([0, 2])
    content = bytearray(array)
    first, second = (slice(place * width, place * width + width) for place in random.choices(range(n), k=2))
    match way:
        case 0:
            del content[first]
        case 1:
            content[first.start : first.start] = content[second]
        case 2:
            content[first], content[second] = content[second], content[first]
        case 4:  # lengths and counts that still add up to what they did
            for place, more in ((first, 1), (second, -1)):
                value = int.from_bytes(content[place], "little") + more
                content[place] = (value % 2 ** (8 * width)).to_bytes(width, "little")
        case _:
            value = int.from_bytes(content[first], "little")
            value = random.choice([0, 1, value + 1, value - 1, -1, random.getrandbits(8 * width)])
            content[first] = (value % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(content)


def use_file(data: bytes) -> None:
    """Loads a model and asks everything of it."""
    if (plan := _plan(data)) is not None:
        merged = merge(plan.state_from_bytes(data), plan.count(1, [_part()]))
        data = _saved(plan.fitted(merged))
    here("model").write_bytes(data)
    model = banbury.load(here("model"))
    for ask in _questions(model):
        try:
            ask()
        except (BanburyError, AttributeError) as error:
            if isinstance(error, AttributeError) and "'NoneType'" in str(error):
                raise


def _plan(data: bytes) -> Plan | None:
    """The plan of a state; None where the file holds no state."""
    return next((plan for kind, plan in PLANS.items() if f'kind\\": \\"{kind}\\"'.encode() in data), None)


def _questions(model: Any) -> list[Callable[[], Any]]:
    """What can be asked of a model of this kind."""
    match model:
        case Ranker():
            asked: list[Callable[[], Any]] = [
                lambda: _check_finite([hit.score for hit in model.search("happy sad", top=3)]),
                lambda: model.add(["more of it"]),
            ]
        case SpamFilter():
            asked = [
                lambda: _check_finite(model.probability(MAILS)),
                lambda: model.learn(MAILS[:1], ["spam"]),
                lambda: model.forget(MAILS[:1], ["spam"]),
            ]
        case SenseTagger():
            asked = [lambda: model.predict(SENSES), lambda: model.learn(SENSES[:1], ["land"])]
        case SpellingCorrector():
            asked = [lambda: model.correct("a hapyp film"), lambda: model.learn(["more of it"])]
        case HierarchicalClassifier():
            asked = [
                lambda: _check_finite(model.predict_proba(TEXTS)),
                lambda: model.predict(TEXTS, sure=0.7),
                lambda: model.explain(TEXTS[0]),
                lambda: [model.words(node) for node in model.classes_[:1].tolist()],
                lambda: str(model.report_),
                lambda: model.report_._repr_html_(),
                lambda: model.learn(TEXTS, LABELS),
                lambda: model.forget(TEXTS, LABELS),
                lambda: _check_finite([value for _, value, _ in model.evaluate(TEXTS, LABELS).figures()]),
            ]
        case StreamClassifier():
            times = [3, 4, 5, 6, 7]
            asked = [
                lambda: _check_finite(model.predict_proba(TEXTS)),
                lambda: model.explain(TEXTS[0]),
                lambda: str(model.drift()),
                lambda: model.drift()._repr_html_(),
                lambda: model.periods_,
                lambda: model.learn(TEXTS, LABELS, times),
                lambda: model.forget(TEXTS, LABELS, times),
            ]
        case MultiLabelClassifier():
            asked = [
                lambda: _check_finite(model.predict_proba(TEXTS)),
                lambda: model.predict(TEXTS),
                lambda: model.explain(TEXTS[0]),
                lambda: [model.words(label) for label in model.counts_.labels[:1]],
                lambda: str(model.report_),
                lambda: model.report_._repr_html_(),
                lambda: model.learn(TEXTS, LABEL_SETS),
                lambda: model.forget(TEXTS, LABEL_SETS),
                lambda: _check_finite([value for _, value, _ in model.evaluate(TEXTS, LABEL_SETS).figures()]),
            ]
        case _:
            asked = _classifier_questions(model)

    def save_and_load() -> None:
        model.save(here("again"))
        banbury.load(here("again"))

    return [*asked, save_and_load]


def _classifier_questions(model: Classifier) -> list[Callable[[], Any]]:
    every: list[Any] = [ROWS, ROWS_OF_KINDS, SWITCHES, TEXTS]
    documents = next((some for some in every if not _fails(partial(model.predict, some))), TEXTS)

    def probabilities() -> None:
        chances = model.predict_proba(documents)
        _check_finite(chances)
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-6)

    def labels() -> list[Any]:
        return (model.classes_.tolist() or ["yes"])[:1] * len(documents)

    return [
        lambda: model.predict(documents),
        probabilities,
        lambda: model.explain(documents[0]),
        lambda: model.words(),
        lambda: model.words(labels()[0]),
        lambda: [str(model.column(name)) for name in documents[0]],
        lambda: model.sample(1, seed=1),
        lambda: str(model.report_),
        lambda: model.report_._repr_html_(),
        lambda: model.evaluate(documents, labels()),
        lambda: model.learn(documents, labels()),
        lambda: model.forget(documents, labels()),
        lambda: model.predict(documents),
    ]


def _fails(ask: Callable[[], Any]) -> bool:
    try:
        ask()
    except BanburyError:
        return True
    return False


def _check_finite(numbers: Any) -> None:
    assert np.isfinite(numbers).all(), f"{numbers} are no scores"
