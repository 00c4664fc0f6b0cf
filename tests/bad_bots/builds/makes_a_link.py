"""Makes a link to a file of the system. Expected: build.makes: bot: a link."""

import os

os.symlink("/etc/passwd", "bot")
