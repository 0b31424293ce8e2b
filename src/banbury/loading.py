"""load: whatever a file of banbury holds. A model of texts is opened without importing the others."""

from __future__ import annotations

from banbury import storage
from banbury.annotations import TYPE_CHECKING, Any
from banbury.classifier import Classifier
from banbury.errors import FileFormatError

if TYPE_CHECKING:
    from os import PathLike


def load(path: str | PathLike[str]) -> Any:
    """What was saved in a file: a `Classifier`, `MultiLabelClassifier`, `HierarchicalClassifier`,
    `StreamClassifier`, `Ranker`, `SenseTagger`, `SpamFilter` or `SpellingCorrector`.

    The file is read whole, and all that it says is looked at.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Classifier().fit(["so happy", "so sad"], ["positive", "negative"]).save(folder + "/mood.banbury")
    ...     model = load(folder + "/mood.banbury")
    >>> model.predict("happy")
    'positive'
    """
    file = storage.read(path)
    settings = file.settings
    match settings.get("kind"):
        case "classifier" if "senses" in settings:
            from banbury.apps.senses import SenseTagger

            return SenseTagger.load(path)
        case "classifier":
            if "columns" in settings:
                from banbury.apps.spam import SpamFilter, is_filter

                if is_filter(settings):
                    return SpamFilter.load(path)
            return Classifier.from_parts(file.settings, file.arrays, path)
        case "multi-label classifier":
            from banbury.labels.classifier import MultiLabelClassifier

            return MultiLabelClassifier.from_parts(file.settings, file.arrays, path)
        case "hierarchical classifier":
            from banbury.hierarchy.classifier import HierarchicalClassifier

            return HierarchicalClassifier.from_parts(file.settings, file.arrays, path)
        case "stream classifier":
            from banbury.stream.classifier import StreamClassifier

            return StreamClassifier.from_parts(file.settings, file.arrays, path)
        case "ranker":
            from banbury.apps.ranking import Ranker

            return Ranker.load(path)
        case "spelling":
            from banbury.apps.spelling import SpellingCorrector

            return SpellingCorrector.load(path)
    raise FileFormatError(f"{path}: it holds a {settings.get('kind')!r}, which this version of banbury does not know")
