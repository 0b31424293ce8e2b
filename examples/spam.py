"""Spam: whole e-mails, learned one by one; every decision can be read."""

import os
import tarfile
from pathlib import Path

from public_sets import picture

import banbury

LETTERS = [
    (b"From: Ann <ann@example.org>\nSubject: Lunch?\n\nAre you free at noon?", "ham"),
    (b"From: deals@example.com\nSubject: You WON!!!\n\nClaim your free money: http://win.example.com", "spam"),
    (b"From: Bob <bob@example.org>\nSubject: Minutes\n\nThe minutes of the meeting are attached.", "ham"),
    (b"From: shop@example.com\nContent-Type: text/html\n\n<p>Cheap <b>pills</b>, free shipping", "spam"),
]

spam_filter = banbury.SpamFilter()
for message, label in LETTERS:
    spam_filter.learn([message], [label])
letter = b"From: new@example.com\nSubject: free money\n\nIt is free: http://win.example.com"
print(f"P(spam) = {spam_filter.probability(letter):.2f}")
why = spam_filter.explain(letter)
print(why)
for part, weight in why.columns.items():
    print(f"{part} in all {weight:+.3f}")

archive = Path(os.environ.get("BANBURY_DATA", "")) / "spamassassin_raw.tar.xz"
if archive.is_file():
    with tarfile.open(archive) as members:
        sources = [(member, members.extractfile(member)) for member in members.getmembers()[::5]]
        letters = [
            (file.read(), "spam" if member.name.startswith("spam") else "ham") for member, file in sources if file
        ]
    learned, asked = [one for at, one in enumerate(letters) if at % 4], letters[::4]
    spam_filter = banbury.SpamFilter().fit(*map(list, zip(*learned, strict=True)))
    print(spam_filter.report_)
    report = spam_filter.evaluate(*map(list, zip(*asked, strict=True)))
    print(report)
    picture("spam", report.plot_reliability)
