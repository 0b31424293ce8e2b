"""What requests and answers look like. The same types check requests, write answers and make the OpenAPI document.

No message holds arbitrary JSON: what is not described here is refused at its first byte, however deep it is.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from banbury.server.limits import DOCUMENT_LABELS, DOCUMENTS, LABEL, TEXT, TEXT_TOKENS

Text = Annotated[str, Meta(max_length=TEXT)]
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Label = Annotated[str, Meta(max_length=LABEL)] | Whole | bool
TokenList = Annotated[
    list[Text],
    Meta(max_length=TEXT_TOKENS, description="A document, or a cell of a column of texts, that is already tokens."),
]
Value = Text | Whole | float | bool | TokenList | None
Row = dict[str, Value]
Texts = Annotated[list[Text | TokenList], Meta(max_length=DOCUMENTS, description="Documents of a model of texts.")]
Rows = Annotated[list[Row], Meta(max_length=DOCUMENTS, description="Documents of a model of tables.")]
LabelList = Annotated[
    list[Label],
    Meta(max_length=DOCUMENT_LABELS, description="The labels of a document, or none, of a model of several labels."),
]
Labels = Annotated[
    list[Label | LabelList],
    Meta(max_length=DOCUMENTS, description="One for each document; a list for each, of a model of several labels."),
]
Prior = Annotated[
    str | dict[str, float],
    Meta(description="`uniform`, `empirical`, or how frequent each label is; it stands in for the model's own."),
]

Threshold = Annotated[
    float | str | dict[str, float | None],
    Meta(
        description="From which probability on a document gets a label, of a model of several labels: a number, `f1`, "
        "`micro_f1`, or a number for each label, null for one that is never given; it stands in for the model's own."
    ),
]


class Message(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A JSON object that has these names and no others."""


class Documents(Message):
    """Texts, or rows of a table: whichever the model has learned."""

    texts: Texts | UnsetType = UNSET
    rows: Rows | UnsetType = UNSET


class Document(Message):
    """A text, or a row of a table: whichever the model has learned."""

    text: Text | TokenList | UnsetType = UNSET
    row: Row | UnsetType = UNSET


# Reading


class Cost(Message):
    """What it costs to decide for one label where another is the true one."""

    true: Label
    decided: Label
    cost: float


class PredictRequest(Documents, kw_only=True):
    """Documents whose labels are asked for."""

    top: Annotated[int, Meta(ge=1, le=1000, description="So many labels of each document, the best first.")] | None = (
        None
    )
    prior: Prior | None = None
    costs: Annotated[list[Cost], Meta(max_length=DOCUMENTS)] | None = None
    unsure: Annotated[float, Meta(description="What it costs to decide nothing.")] | None = None
    threshold: Threshold | None = None


class Chance(Struct):
    """A label and its probability."""

    label: Label
    probability: float


class PredictAnswer(Struct):
    """The label of each document, and how probable it is; null where it is better to decide nothing."""

    labels: list[Label | None]
    probabilities: list[float | None]
    top: list[list[Chance]] | UnsetType = UNSET


class SeveralPredictAnswer(Struct):
    """The labels that each document gets, the most probable first, and how probable each is."""

    labels: list[list[Label]]
    probabilities: list[dict[str, float]]
    top: list[list[Chance]] | UnsetType = UNSET


class ExplainRequest(Document, kw_only=True):
    """A document whose label is to be explained."""

    label: Label | None = None
    against: Label | None = None
    prior: Prior | None = None
    unit: str = "nats"


class Evidence(Struct):
    """One part's share in a decision; null where it is infinite."""

    word: str
    weight: float | None
    start: int | None
    end: int | None
    column: str | None
    kind: str


class Change(Struct):
    """What preprocessing left out of a document, or counted under another name; null for what is left out."""

    text: str
    token: str | None
    start: int
    end: int
    column: str | None


class ExplainAnswer(Struct):
    """Why a document is of one label rather than another: the prior and the weights sum to the score."""

    label: Label
    against: Label
    probabilities: list[Chance]
    unit: str
    prior: float | None
    score: float | None
    evidence: list[Evidence]
    unknown: list[str]
    unknown_share: float
    changes: list[Change]
    text: str | UnsetType = UNSET
    row: Row | UnsetType = UNSET


class EvaluateRequest(Documents, kw_only=True):
    """Documents whose labels are known."""

    labels: Labels


class ReportRequest(EvaluateRequest, kw_only=True):
    """Documents whose labels are known, for a page of HTML."""

    title: Annotated[str, Meta(max_length=1000)] = "Report on a model"
    mistakes: Annotated[int, Meta(ge=0, le=1000)] = 10
    diagnose: bool = True


class EvaluateAnswer(Struct):
    """Figures of predictions. They have the names that they have in Python's `to_dict`."""

    evaluation: dict[str, Any]


class TrainingAnswer(Struct):
    """What leave-one-out said of training."""

    report: dict[str, Any]


class WordsAnswer(Struct):
    """Words with counts, probabilities and weights, by label. Infinite numbers are null."""

    words: list[dict[str, Any]]


# Changing


class LearnRequest(Documents, kw_only=True):
    """Documents to learn."""

    labels: Labels


class LearnAnswer(Struct):
    """How many documents are on disk and in the model; `sequence` is the number of the last of them."""

    learned: int
    sequence: int


class ForgetRequest(Documents, kw_only=True):
    """Documents to forget: by the numbers that they were learned under, or by content."""

    labels: Labels | UnsetType = UNSET
    ids: (
        Annotated[list[Annotated[int, Meta(ge=1, le=2**63 - 1)]], Meta(max_length=DOCUMENTS, min_length=1)] | UnsetType
    ) = UNSET


class ForgetAnswer(Struct):
    """How many documents are forgotten, on disk and in the model."""

    forgotten: int
    sequence: int


class CompactAnswer(Struct):
    """Up to which entry the snapshot reaches, and how many entries the journal has no longer."""

    sequence: int
    removed: int


# Models and the server


class LabelCount(Struct):
    """How many documents of a label have been learned."""

    label: Label
    documents: int
    threshold: float | UnsetType | None = UNSET
    """Of a model of several labels: from which probability on a document gets it; null for never."""


class ModelAnswer(Struct):
    """What there is to know of a model."""

    name: str
    documents: list[LabelCount]
    kind: str
    """`texts` or `rows`."""
    several: bool
    """Whether a document may have several labels, or none."""
    columns: dict[str, str] | None
    file: str
    """The digest of the model file."""
    sequence: int
    """The last entry of the journal that is in it."""
    refused: str | None
    """Why the file that lies there now is not served."""


class ModelsAnswer(Struct):
    """All models."""

    models: list[ModelAnswer]


class MailAnswer(Struct):
    """The label of a message."""

    label: Label
    probability: float


class SeveralMailAnswer(Struct):
    """The labels that a message gets, the most probable first, and how probable each is."""

    labels: list[Label]
    probabilities: dict[str, float]


class LiveAnswer(Struct):
    """The process answers."""

    live: bool


class ReadyAnswer(Struct):
    """Models are loaded, and the journal has been followed up to its end."""

    ready: bool
    models: int
    journal: str | None
    """`none`, `open`, or what is wrong with it."""


class ProblemAnswer(Struct):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    error: str
