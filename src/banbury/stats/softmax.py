"""Softmax: scores to probabilities, and to their logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def log_softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """The logarithms of probabilities whose odds are these scores' differences, by row.

    >>> import numpy as np
    >>> np.exp(log_softmax(np.log([[3.0, 1.0]]))).round(2)
    array([[0.75, 0.25]])
    """
    import numpy as np

    logs: NDArray[Any] = scores - scores.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Probabilities whose odds are these scores' differences, by row.

    >>> import numpy as np
    >>> softmax(np.log([[3.0, 1.0]])).round(2)
    array([[0.75, 0.25]])
    """
    import numpy as np

    odds: NDArray[Any] = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    return odds
