"""`python -m banbury` is the command `banbury`."""

import sys

from banbury.cli import main

sys.exit(main())
