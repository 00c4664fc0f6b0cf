"""The isolation levels, from none to all locks; the column `isolation` stores them."""

NONE = "none"  # in the worker's own process
PROCESS = "process"  # a process of its own with limits, but with the user's rights
LOCKED = "locked"  # no file, network, process or signal of others
NAMESPACE = "locked+namespace"  # and names outside its view do not exist for it

LEVELS = (NONE, PROCESS, LOCKED, NAMESPACE)


def is_locked(level: str) -> bool:
    """Return whether an untrusted bot may run at this level."""
    return level in (LOCKED, NAMESPACE)


def is_at_least(level: str, least: str) -> bool:
    """Return whether an isolation level is as strong as another one, or stronger."""
    return LEVELS.index(level) >= LEVELS.index(least)
