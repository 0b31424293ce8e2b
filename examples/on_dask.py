"""Dask: a data frame of a cluster counted by its workers, and labelled by them."""

import dask.dataframe as dd
import pandas as pd
from dask.distributed import Client, LocalCluster

import banbury
from banbury import dask as engine

LETTERS = pd.DataFrame(
    {
        "text": [
            "win free money now",
            "lunch at noon?",
            "claim your free prize",
            "minutes of the meeting",
            "free money, no risk",
            "are you at the meeting at noon",
        ],
        "label": ["spam", "ham"] * 3,
    }
)

if __name__ == "__main__":  # workers import this file
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        letters = dd.from_pandas(LETTERS, npartitions=2)
        model = engine.fit(letters)
        one_machine = banbury.Classifier().fit(LETTERS["text"], LETTERS["label"])
        print(f"the same counts as on one machine: {model.counts_.parts() == one_machine.counts_.parts()}")

        new = dd.from_pandas(pd.DataFrame({"text": ["free lunch money", "the meeting at noon"]}), npartitions=2)
        for row in engine.predict(model, new).compute().itertuples():
            print(f"{row.text}: {row.label} ({row.probability:.2f})")
        print(f"accuracy on what it has learned: {engine.evaluate(model, letters).accuracy:.2f}")
