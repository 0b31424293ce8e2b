"""Ray: a dataset of a cluster counted by its workers, and labelled by a pool of actors."""

import logging

import pandas as pd
import ray
import ray.data

import banbury
from banbury import ray as engine

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

if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False

    letters = ray.data.from_pandas([LETTERS[:3], LETTERS[3:]])
    model = engine.fit(letters)
    one_machine = banbury.Classifier().fit(LETTERS["text"], LETTERS["label"])
    print(f"the same counts as on one machine: {model.counts_.parts() == one_machine.counts_.parts()}")

    new = ray.data.from_items([{"text": "free lunch money"}, {"text": "the meeting at noon"}])
    for row in engine.predict(model, new).take_all():
        print(f"{row['text']}: {row['label']} ({row['probability']:.2f})")
    print(f"accuracy on what it has learned: {engine.evaluate(model, letters).accuracy:.2f}")

    best = engine.filter(model, letters, keep="spam", top=0.5)
    print(f"the half that is most likely spam: {sorted(row['text'] for row in best.take_all())}")
    ray.shutdown()
