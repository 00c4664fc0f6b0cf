"""Files: what others wrote is read, found or changed, and files are written."""

import os
import pathlib


@refused
def reads_passwd(bot, view):
    """Reads a file of the system."""
    return open("/etc/passwd").read()[:20]


@refused
def lists_root(bot, view):
    """Lists a folder of the system."""
    return os.listdir("/etc")


@all_refused
def lists_home(bot, view):
    """Lists home folders."""
    return {folder: lambda folder=folder: os.listdir(folder) for folder in ("/root", "/home")}


@refused
def reads_config(bot, view):
    """Reads the tournament's config."""
    return open(bot.params["results"] + "/config.yaml").read(9)


@all_refused
def reads_journal(bot, view):
    """Reads the journal and the results of the tournament."""
    results = bot.params["results"]
    return {"list": lambda: os.listdir(results), "journal": lambda: open(results + "/journal.sqlite", "rb").read(9)}


@refused
def stats_outside(bot, view):
    """Asks for size and existence of files outside its view."""
    return os.stat(bot.params["results"] + "/journal.sqlite").st_size


@refused
def stats_by_statx(bot, view):
    """Asks for existence by access."""
    return found(os.access(bot.params["results"] + "/journal.sqlite", os.F_OK))


@all_refused
def reads_rivals(bot, view):
    """Reads the sources of its rivals in the store of bots."""
    here = pathlib.Path(__file__).parent
    stores = (here.parent, pathlib.Path("/bots"))
    return {str(store): lambda store=store: [name for name in os.listdir(store) if name != here.name][:3] for store in stores}


@refused
def writes_tmp(bot, view):
    """Writes a file."""
    return open("/tmp/arena-was-here", "w").write("x")


@refused
def writes_shm(bot, view):
    """Writes to shared memory."""
    return open("/dev/shm/arena-was-here", "w").write("x")


@refused
def writes_own_folder(bot, view):
    """Writes beside its own source."""
    return open(__file__ + ".new", "w").write("x")


@refused
def changes_own_source(bot, view):
    """Changes the mode of its own source, to overwrite it."""
    return os.chmod(__file__, 0o777)


@refused
def links_a_file(bot, view):
    """Makes links into its folder."""
    return os.symlink("/etc/passwd", __file__ + ".link")
