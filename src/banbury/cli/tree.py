"""`banbury tree`: models of rows whose labels stand in a hierarchy.

What needs NumPy is imported inside functions, so that `--help` and completion do not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from banbury.cli import options as reading
from banbury.cli.answers import write_answers, writes_answers
from banbury.cli.console import at_work, note, quoted, show, show_json, show_table
from banbury.cli.declared import FloatRange, argument, group, option

if TYPE_CHECKING:
    from banbury.hierarchy.classifier import HierarchicalClassifier


@group(
    epilog="""\b
Examples:
  banbury tree train articles.jsonl -o articles.banbury
  banbury tree predict articles.banbury "goal in extra time" --sure 0.8
  banbury tree evaluate articles.banbury test.jsonl"""
)
def tree() -> None:
    """Rows whose labels stand in a hierarchy, such as sport/football.

    Labels of few rows lean on the nodes above them, and a prediction can stop where it is no longer sure.
    """


def _load(path: str, threads: int | None = None) -> HierarchicalClassifier:
    from banbury.hierarchy.classifier import HierarchicalClassifier

    model = HierarchicalClassifier.load(path)
    model.threads = threads
    return model


def _labelled(files: tuple[str, ...], given: dict[str, Any]) -> Any:
    reading.need_input(files)
    reader = reading.reader_of(files, given)
    note(f"{reader.name}: {reader.layout}")
    return reader


def _tell(path: str, model: HierarchicalClassifier) -> None:
    depth = model.tree_.depth
    levels = "1 level" if depth == 1 else f"{depth} levels"
    note(f"{path}: {model.n_documents_} documents, {len(model.classes_)} labels on {levels}")


sure = option(
    "--sure", type=FloatRange(0, 1), metavar="P", help="Stop above what is less probable; 0.5: the nearest node."
)


@tree.command()
@argument("files", nargs=-1, metavar="[FILE]...")
@option("-o", "--output", "model", required=True, type=reading.new_file, help="The model file to write.")
@option("--separator", default="/", metavar="TEXT", help="Between the parts of a label; / by default.")
@reading.reads_files()
@reading.as_json
@reading.threads
def train(files: tuple[str, ...], model: str, separator: str, is_json: bool, **given: Any) -> None:
    """Learn from rows whose labels stand in a hierarchy, and write a model.

    Each row is predicted by the model without it; that report is printed.
    """
    from banbury.hierarchy.classifier import HierarchicalClassifier

    reader = _labelled(files, given)
    batch = reader.whole()
    classifier = HierarchicalClassifier(separator=separator, threads=given["threads"])
    with reading.naming_lines(batch), at_work(reader, "choosing"):
        classifier.fit(batch.texts, batch.labels)
    classifier.save(model)
    if is_json:
        about = {"model": model, "documents": classifier.n_documents_, "skipped": reader.skipped}
        show_json(about | {"level_weights": classifier.level_weights_} | classifier.report_.to_dict())
        return
    show_table(str(classifier.report_))
    _tell(model, classifier)
    note(f'Next: banbury tree predict {quoted(model)} "a text"')


@tree.command()
@reading.model_file
@argument("inputs", nargs=-1, metavar="[TEXT|FILE]...")
@sure
@writes_answers()
def predict(model: str, inputs: tuple[str, ...], kind: str | None, sure: float | None, **given: Any) -> None:
    """The label of each row, or with --sure the deepest node that is probable enough, and its probability.

    INPUTS are texts, or files; without any, standard input is read. What exists is a file.
    """
    classifier = _load(model, given["threads"])
    write_answers(inputs, kind, given, lambda texts: classifier.predicted_with_probabilities(texts, sure=sure))


@tree.command()
@reading.model_file
@argument("text")
@option("--label", metavar="LABEL", help="Of which label or node; the most likely label by default.")
@reading.as_json
def explain(model: str, text: str, label: str | None, is_json: bool) -> None:
    """Why a text goes to a label: for each level the words that decided, and by how much."""
    classifier = _load(model)
    nodes = classifier.tree_.nodes
    steps = classifier.explain(text, label=None if label is None else reading.label_of(label, nodes))
    if is_json:
        show_json(
            [
                {"node": step.node, "probability": step.probability, "weight": step.weight}
                | {"explanation": step.explanation.to_dict()}
                for step in steps
            ]
        )
        return
    for step in steps:
        note(f"P({step.node}) = {step.probability:.3f}; this level counts {step.weight:.2f}")
        show(step.explanation)


@tree.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@sure
@reading.reads_files()
@reading.as_json
@reading.threads
def evaluate(model: str, files: tuple[str, ...], sure: float | None, is_json: bool, **given: Any) -> None:
    """How well a model predicts the labels of rows, level by level."""
    classifier = _load(model, given["threads"])
    batch = _labelled(files, given).whole()
    labels = reading.of_kind(batch.labels or [], classifier.classes_.tolist())
    with reading.naming_lines(batch):
        report = classifier.evaluate(batch.texts, labels, sure=sure)
    if is_json:
        show_json(report.to_dict())
    else:
        show_table(str(report))


@tree.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@reading.reads_files()
@reading.threads
def learn(model: str, files: tuple[str, ...], **given: Any) -> None:
    """Learn from more rows; what was chosen in training stays."""
    _change(model, files, given, "learn")


@tree.command()
@reading.model_file
@argument("files", nargs=-1, metavar="[FILE]...")
@reading.reads_files()
@reading.threads
def forget(model: str, files: tuple[str, ...], **given: Any) -> None:
    """Unlearn rows, as if they had never been seen."""
    _change(model, files, given, "forget")


def _change(path: str, files: tuple[str, ...], given: dict[str, Any], act: str) -> None:
    classifier = _load(path, given["threads"])
    batch = _labelled(files, given).whole()
    labels = reading.of_kind(batch.labels or [], classifier.classes_.tolist())
    with reading.naming_lines(batch):
        getattr(classifier, act)(batch.texts, labels)
    classifier.save(path)
    _tell(path, classifier)
