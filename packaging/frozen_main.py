"""Entry of the frozen program: `kvdesk`, with somewhere to write where Windows gives a program none."""

import os
import sys

if sys.stdout is None or sys.stderr is None:
    # A windowed program of Windows has no streams; the program lives as long as they do.
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # stays open until the end
    sys.stdout = sys.stdout or nowhere
    sys.stderr = sys.stderr or nowhere

from kvdesk.cli.main import main

sys.exit(main())
