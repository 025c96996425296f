"""`python -m kvdesk` is the `kvdesk` command."""

import sys

from kvdesk.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
