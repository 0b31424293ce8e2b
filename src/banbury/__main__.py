"""`python -m banbury` is the command `banbury`."""

from banbury.cli import main

main()
