"""Tables whose columns only tell something together."""

import numpy as np
import pandas as pd


def exclusive_or(n: int = 800, *, seed: int = 0, noise: float = 0.05) -> tuple[pd.DataFrame, list[str]]:
    """A label that two columns tell together and neither alone, and one that tells nothing; some values missing."""
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=n), rng.choice(["up", "down"], n)
    is_yes = (left > 0) ^ (right == "up") ^ (rng.random(n) < noise)
    table = pd.DataFrame({"left": left, "right": right, "other": rng.choice(list("abcd"), n)})
    table.loc[rng.random(n) < 0.05, "left"] = np.nan
    return table, np.where(is_yes, "yes", "no").tolist()


def parity(n: int = 1500) -> tuple[pd.DataFrame, list[str]]:
    """A label that three columns tell together, and no two of them."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (n, 3))
    table = pd.DataFrame({name: np.where(bits[:, at], "on", "off") for at, name in enumerate("abc")})
    return table, np.where(bits.sum(axis=1) % 2, "odd", "even").tolist()
