"""Attacks with inputs that are nearly right: `make fuzz`, or `python tests/fuzzing.py --seconds 600 files mail`.

Each target has some sound inputs, changes them at random, and uses what comes out. An input is refused with a
`BanburyError`, or everything that can be asked of it is answered with finite numbers; whatever else happens is a
failure. It is written to `tests/failures`, where `test_fuzzing.py` tries it again for ever after.

Model files are changed in their settings and arrays and written with new checksums: damage is found by the checksums,
so what is tried here is malice.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import banbury
from banbury import Analyzer, BanburyError, Classifier, Counts, storage
from banbury.apps.ranking import Ranker
from banbury.readers import read
from banbury.readers.mail import parse
from banbury.text.documents import as_texts

FAILURES = Path(__file__).parent / "failures"
TOO_LONG = 60  # seconds for one input: whatever takes longer hangs
MEMORY = 6 << 30

TEXTS = [
    "so happy today",
    "what a sad film :(",
    "happy happy joy!!",
    "incomprehensibilities are sad",
    "naïve Ωmega 日本",
]
LABELS = ["yes", "no", "yes", "no", "maybe"]
ROWS = [{"text": text, "n": n, "c": label[0]} for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))]

Parts = tuple[dict[str, Any], dict[str, "memoryview[Any]"]]


# Model files


@cache
def sound_files() -> dict[str, Parts]:
    """A small model of each kind, as settings and arrays."""
    models: dict[str, Any] = {
        "textbook": Classifier.textbook().fit(TEXTS, LABELS),
        "automatic": Classifier(analyzer=Analyzer(ngrams=(1, 2), characters=(2, 3))).fit(TEXTS * 3, LABELS * 3),
        "bernoulli": Classifier.textbook(likelihood="bernoulli").fit(TEXTS[:4], LABELS[:4]),
        "table": Classifier().fit(ROWS * 3, LABELS * 3),
        "ranker": Ranker(),
    }
    models["ranker"].add(TEXTS)
    return {name: _parts(model) for name, model in models.items()}


def _parts(model: Any) -> Parts:
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        file = storage.read(f"{folder}/model")
        return file.settings, {name: _shaped(bytes(view), view) for name, view in file.arrays.items()}


def _shaped(content: bytes, like: memoryview[Any]) -> memoryview[Any]:
    """Bytes as an array like another one; flat, where they are more or fewer."""
    flat = memoryview(content[: len(content) // like.itemsize * like.itemsize])
    shape = like.shape if flat.nbytes == like.nbytes and flat.nbytes else None
    code: Any = like.format
    return flat.cast(code) if shape is None else flat.cast(code, shape)


def changed_file(random: Random) -> bytes:
    """A model file with valid checksums and one to three changes."""
    settings, arrays = sound_files()[random.choice(sorted(sound_files()))]
    settings, arrays = json.loads(json.dumps(settings)), dict(arrays)
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.5:
            settings = _changed_json(random, settings)
        else:
            name = random.choice(sorted(arrays))
            arrays[name] = _shaped(_changed_array(random, bytes(arrays[name])), arrays[name])
    with tempfile.TemporaryDirectory() as folder:
        storage.write(f"{folder}/model", settings if isinstance(settings, dict) else {}, arrays)
        return Path(folder, "model").read_bytes()


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
    numbers = [array[at * width : (at + 1) * width] for at in range(n)]
    match random.randrange(6):
        case 0 if n:
            del numbers[random.randrange(n)]
        case 1 if n:
            numbers.insert(random.randrange(n), random.choice(numbers))
        case 2 if n > 1:
            one, other = random.sample(range(n), 2)
            numbers[one], numbers[other] = numbers[other], numbers[one]
        case 3:
            return array * random.choice([0, 2])
        case _ if n:
            place = random.randrange(n)
            value = int.from_bytes(numbers[place], "little")
            value = random.choice([0, 1, value + 1, value - 1, 2 ** (8 * width) - 1, random.getrandbits(8 * width)])
            numbers[place] = (value % 2 ** (8 * width)).to_bytes(width, "little")
    return b"".join(numbers)


def use_file(data: bytes) -> None:
    """Loads a model and asks everything of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(data)
        if storage.read(path).settings.get("kind") == "ranker":
            ranker = Ranker.load(path)
            for hit in ranker.search("happy sad", top=3):
                _finite(hit.score)
            ranker.add(["more of it"])
            ranker.save(path)
            return
        model = banbury.load(path)
        is_table = any(word in str(model.get_params().get("columns")) for word in ("Text", "Categorical", "Poisson"))
        documents: Any = ROWS if is_table or _fails(lambda: model.predict(TEXTS)) else TEXTS
        for ask in _questions(model, documents, folder):
            try:
                ask()
            except (BanburyError, AttributeError) as error:
                if isinstance(error, AttributeError) and "'NoneType'" in str(error):
                    raise


def _fails(ask: Callable[[], Any]) -> bool:
    try:
        ask()
    except BanburyError:
        return True
    return False


def _questions(model: Classifier, documents: Any, folder: str) -> list[Callable[[], Any]]:
    def probabilities() -> None:
        found = model.predict_proba(documents)
        assert np.isfinite(found).all(), "a probability is no number"
        np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)

    return [
        lambda: model.predict(documents),
        probabilities,
        lambda: model.explain(documents[0]),
        lambda: model.words(),
        lambda: model.sample(1, seed=1),
        lambda: str(model.report_),
        lambda: model.evaluate(documents, [model.classes_.tolist()[0]] * len(documents)),
        lambda: model.learn(documents, [model.classes_.tolist()[0]] * len(documents)),
        lambda: model.forget(documents, [model.classes_.tolist()[0]] * len(documents)),
        lambda: model.predict(documents),
        lambda: model.save(f"{folder}/again"),
        lambda: banbury.load(f"{folder}/again").predict(documents),
    ]


def _finite(number: float) -> None:
    assert np.isfinite(number), f"{number} is no score"


# Files with rows

SOUND_ROWS = {
    "jsonl": b'{"text": "so happy", "label": "yes", "n": 1}\n{"text": "so \\u00e9\\ud83d\\ude00", "label": "no"}\n',
    "csv": b'text,label\n"so, ""happy""",yes\r\nsad,no\n"two\nlines",yes\n',
    "tsv": b"text\tlabel\nso happy\tyes\nsad\tno\n",
    "fasttext": b"__label__yes so happy\n__label__no sad\n",
    "lines": b"so happy\r\nsad\n\n",
}
PIECES = [
    b'"',
    b"\\",
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b"\t",
    b"\0",
    b"{",
    b"}",
    b"[",
    b":",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
]


def changed_bytes(random: Random, data: bytes) -> bytes:
    """The same bytes with a few of them changed, moved, repeated or gone."""
    content = bytearray(data)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(content) + 1)
        match random.randrange(5):
            case 0:
                content[place : place + random.randint(1, 4)] = b""
            case 1:
                content[place:place] = random.choice(PIECES)
            case 2:
                content[place:place] = content[place : place + random.randint(1, 30)]
            case 3 if place < len(content):
                content[place] = random.getrandbits(8)
            case _:
                content[place : place + 1] = random.choice(PIECES)
    return bytes(content)


def changed_rows(random: Random) -> bytes:
    """A line with the format, and a file in it that is nearly right."""
    name = random.choice(sorted(SOUND_ROWS))
    # The first line stays: what the columns are is guessed from as much of the file as there is.
    first, end, rest = (SOUND_ROWS[name] * random.randint(1, 3)).partition(b"\n")
    return name.encode() + b"\n" + first + end + changed_bytes(random, rest)


def use_rows(data: bytes) -> None:
    """Reads a file whole and in small pieces: both give the same rows."""
    name, _, content = data.partition(b"\n")
    options: dict[str, Any] = {"format": name.decode(), "bad_rows": "skip", "encoding": "utf-8"}
    if name not in (b"fasttext", b"lines"):
        options |= {"text": "text", "label": "label"}
    if name in (b"csv", b"tsv"):  # what is guessed depends on how much of the file is there
        options |= {"delimiter": "\t" if name == b"tsv" else ",", "header": True, "quotes": True}
    found = []
    for source in (io.BytesIO(content), Slowly(content)):
        try:
            batches = list(read(source, **options))
            found.append([row for batch in batches for row in batch.rows()])
        except BanburyError as error:
            found.append([{"error": type(error).__name__}])
    assert found[0] == found[1], "rows depend on where the file was cut"


class Slowly(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(7 if size is None or size < 0 or size > 7 else size)

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


# E-mail

SOUND_MAIL = [
    b"From: a@b.example\nTo: c@d.example\nSubject: =?utf-8?q?caf=C3=A9?=\nDate: Mon, 1 Jan 2024 10:00:00\n\nHello\n",
    b"Subject: parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; "
    b"charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nso =E9=\n\n--x\nContent-Type: text/html\n\n<a "
    b'href="http://x.example">y</a><script>z</script>\n--x\nContent-Type: image/png\nContent-Transfer-Encoding: base64'
    b"\n\niVBORw0KGgo=\n--x--\n",
]


def changed_mail(random: Random) -> bytes:
    return changed_bytes(random, random.choice(SOUND_MAIL))


def use_mail(data: bytes) -> None:
    """Parsing never raises on what a message holds."""
    mail = parse(data)
    str(mail)


# Texts

CHARACTERS = (
    "ab AB'-.,:;!?@#<>/&%$_0123 \t\n\0"
    "\u00ad\u0301\u0130\u03a3\u200b\u200d\ufeff\u2019\u00e9日本ไทย😀👩🏽\U0001f1e9\U0001f1ea"
)
THINGS = [
    "http://a.b/c?d=e",
    "www.x.yz",
    "a@b.cd",
    "@name",
    "<br/>",
    "<!--",
    ":-)",
    "<3",
    "don't",
    "not",
    "&#39;",
    "1,000.5",
]
ANALYZERS = [
    Analyzer(),
    Analyzer(words="python", lowercase=False),
    Analyzer(ngrams=(1, 3), negation=True, stop_words="english", stemmer="english"),
    Analyzer(words=None, characters=(1, 4)),
    Analyzer.preset("tweets"),
    Analyzer.preset("authors"),
]


def changed_text(random: Random) -> bytes:
    """A text of odd characters and things that are recognised."""
    pieces = [random.choice(THINGS if random.random() < 0.2 else CHARACTERS) for _ in range(random.randint(0, 80))]
    return "".join(pieces).encode("utf-8", "surrogatepass")


def use_text(data: bytes) -> None:
    """Features have places inside the text, and are what is counted."""
    text = data.decode("utf-8", "surrogatepass")
    for analyzer in ANALYZERS:
        features = analyzer.features(text)
        assert all(0 <= feature.start <= feature.end <= len(text) for feature in features)
        times: dict[str, int] = {}
        for feature in features:
            times[feature.text] = times.get(feature.text, 0) + 1
        postings = Counts(analyzer).add([text], ["x"]).kernel.postings()
        counted: dict[str, int] = {}
        for name, n in zip(postings.names, postings.occurrences.tolist(), strict=True):
            counted[name] = counted.get(name, 0) + n
        assert counted == times


TARGETS: dict[str, tuple[Callable[[Random], bytes], Callable[[bytes], None]]] = {
    "files": (changed_file, use_file),
    "rows": (changed_rows, use_rows),
    "mail": (changed_mail, use_mail),
    "texts": (changed_text, use_text),
}


def failure(target: str, data: bytes) -> str | None:
    """What happens to an input that must not; None where it is refused or can be used."""
    try:
        TARGETS[target][1](data)
    except BanburyError:
        return None
    except BaseException as error:  # also a panic of the kernel, which is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"
    return None


def attack(target: str, random: Random, seconds: float) -> Iterator[tuple[bytes, str | None]]:
    """Inputs and what they do, for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = TARGETS[target][0](random)
        faulthandler.dump_traceback_later(TOO_LONG, exit=True)
        (FAILURES.parent / ".fuzzing").write_bytes(data)  # what is there after a crash
        found = failure(target, data)
        faulthandler.cancel_dump_traceback_later()
        yield data, found


def main() -> int:
    parser = argparse.ArgumentParser(description="Attack with inputs that are nearly right.")
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], help="all of them, where none is named")
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed = int(time.time()) if options.seed is None else options.seed
    n_failures = 0
    for target in options.targets or TARGETS:
        n_tried, seen = 0, set()
        for data, found in attack(target, Random(f"{target} {seed}"), options.seconds):
            n_tried += 1
            if found is not None and found not in seen:
                seen.add(found)
                name = f"{target}-{sha256(data).hexdigest()[:12]}"
                FAILURES.mkdir(exist_ok=True)
                (FAILURES / name).write_bytes(data)
                print(f"{target}: {found[:300]} ({name})")
        print(f"{target}: {n_tried} tried, {len(seen)} failures, seed {seed}")
        n_failures += len(seen)
    (FAILURES.parent / ".fuzzing").unlink(missing_ok=True)
    return min(n_failures, 1)


if __name__ == "__main__":
    as_texts(TEXTS)
    sys.exit(main())
