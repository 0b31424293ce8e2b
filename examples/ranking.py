"""Ranking: documents found by a query, and why."""

from public_sets import picture, rows

import banbury
from banbury.display.matplotlib import bars

DOCUMENTS = [
    "The wings of a bird are light and strong.",
    "Flutter of thin wings at high speed: wings and their loads.",
    "A cookbook of chicken wings.",
    "Heat transfer at high speed.",
]
ranker = banbury.Ranker(DOCUMENTS)
for hit in ranker.search("high speed wings", top=2):
    print(hit)

papers, queries = rows("cranfield_docs"), rows("cranfield_queries")
if papers and queries:
    ranker = banbury.Ranker([paper["text"] for paper in papers])
    query = queries[0]["text"]
    print(query)
    for hit in ranker.search(query, top=3):
        print(f"{hit.score:7.2f}  {' '.join(papers[hit.index]['title'].split())}")
    matches = [(match.word, match.score) for match in ranker.search(query, top=1)[0].matches[:12]]
    picture("ranking", lambda: bars(matches, title="What the first document was found by", x_title="score"))
