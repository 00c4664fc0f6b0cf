"""Makes a file that is too large, which takes no room. Expected: build.makes: 65.0 MiB of files; a bot may have 64 MiB."""

import os

with open("bot", "wb") as file:
    os.truncate(file.fileno(), 65 << 20)
