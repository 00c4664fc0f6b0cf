"""Exit codes of all commands."""

DONE = 0
"""The command worked; if it answers a question, the answer is yes."""
NO = 1
"""The command did its work and the answer is no: refused, not better, not verified."""
USER_ERROR = 2
"""A mistake in the command line, a config, a bot or a results folder; one message says which."""
OPEN = 3
"""`arena compare` could not decide."""
INTERRUPTED = 130
"""Ended by Ctrl-C, SIGTERM or a closed terminal; what was finished is kept."""
