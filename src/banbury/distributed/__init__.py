"""What travels between machines: parts of the data are counted, states are merged, and a model is made of them.

`plan` says what a worker has to know, and counts; `state` is what a worker has counted, as bytes and back; `columns`
reads Arrow batches; `predicting` adds columns to them, or keeps some of their rows; `filtering` says which, and
`sketch` finds the best share of them; `answers` are what workers send, errors among them, and the model that is made of
all of them. `sizing` says what all that takes. Imports the classifier and the rooms below it.

>>> from banbury.distributed.plan import Plan
>>> from banbury.distributed.state import merge
>>> import pyarrow as pa
>>> here = pa.record_batch({"text": ["free money", "win money"], "label": ["spam", "spam"]})
>>> there = pa.record_batch({"text": ["lunch at noon?", "no lunch"], "label": ["ham", "ham"]})
>>> plan = Plan.of(text="text", label="label")
>>> state = merge(plan.count(1, [there]), plan.count(0, [here]))
>>> plan.fitted(plan.state_from_bytes(state.to_bytes())).predict("lunch")
'ham'
"""
