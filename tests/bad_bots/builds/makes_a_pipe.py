"""Makes a pipe in place of a file. Expected: build.makes: bot: not a plain file."""

import os

os.mkfifo("bot")
