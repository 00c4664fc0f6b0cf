"""Looks up names, new and old, once it plays."""

import os


OWN = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.dirname(os.__file__)
FOLDER = os.open(OWN, os.O_RDONLY)
ATTEMPTS = {
    "access": lambda: found(os.access(f"{LIBRARY}/os.py", os.R_OK)),
    "beside it": lambda: os.stat(f"{OWN}/new"),
    "a library": lambda: os.stat(f"{LIBRARY}/os.py"),
    "by descriptor": lambda: os.stat("new", dir_fd=FOLDER),
    "its source": lambda: os.open(__file__, os.O_RDONLY),
    "opened by descriptor": lambda: os.open("new", os.O_RDONLY, dir_fd=FOLDER),
    "libraries": lambda: os.listdir(LIBRARY),
    "a link": lambda: os.readlink(f"{LIBRARY}/new"),
    "a link's state": lambda: os.lstat(f"{LIBRARY}/new"),
    "a folder": lambda: os.chdir(LIBRARY),
}


def told(attempt):
    """To be told that there is no such file is an answer, too."""
    try:
        return attempt()
    except FileNotFoundError as error:
        return error


@all_refused
def looks_up_names(bot, view):
    """Looks up names, new and old, once it plays."""
    return {name: lambda attempt=attempt: told(attempt) for name, attempt in ATTEMPTS.items()}
