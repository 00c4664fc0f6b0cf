"""`python -m arena.server.table_process`: the process of one live table."""

import sys

from arena.server.table_process.process import main

if __name__ == "__main__":
    sys.exit(main())
