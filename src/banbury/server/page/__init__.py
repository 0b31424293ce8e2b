"""The page: see, try, teach and train models in a browser.

HTML is made on the server by `display`, the same renderers as in notebooks and reports. A few small scripts send a form
and put the answer in its place; without them, forms do the same. Each room parses, calls what `/v1` calls, and shows.

`routes.py`: which path is shown by whom, and who may ask; problems become pages
`visit.py`, `layout.py`: a person's request and its answer; what every page has around its room
`assets.py`, `assets/`: the style sheet and the scripts, by their content
`login.py`: a key becomes a cookie that scripts cannot read
`files.py`, `uploads.py`, `archives.py`: dropped files on disk; how they come in; zips of folders
`jobs.py`: what takes long, and how far it is
`trying.py`, `teaching.py`, `training.py`, `words.py`, `columns.py`, `mistakes.py`, `health.py`: the rooms
`beginning.py`, `queues.py`, `notes.py`: how teaching begins; documents that wait for a label; what is remembered of it
"""
