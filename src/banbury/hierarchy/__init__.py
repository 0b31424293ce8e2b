"""Labels in a hierarchy: the tree of labels, a classifier for each level, what their levels count, the front door.

`tree` says where each label stands, `pooling` how the levels count together, `descent` how far down a prediction goes,
`evaluation` compares level by level. `classifier` is the front door. Imports the classifier, results and display.
"""
