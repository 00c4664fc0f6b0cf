"""`python -m arena.live`: the process of one live table."""

import sys

from arena.live.process import main

if __name__ == "__main__":
    sys.exit(main())
