"""Numba's own variables, NUMBA_...: those with which the rules cannot be compiled are named, with what to do."""

import os

from arena.errors import ConfigError

PREFIX = "NUMBA_"
_UNSUPPORTED = {
    "OPT": ({"0"}, "code that is not optimized cannot be kept, and would be compiled again in every process"),
}


def check_variables() -> None:
    """Raise ConfigError for a variable with which the rules cannot be compiled."""
    for name, (values, why) in _UNSUPPORTED.items():
        if os.environ.get(PREFIX + name, "").strip() in values:
            raise ConfigError(
                f"{PREFIX}{name}={os.environ[PREFIX + name]}: not supported: {why}; unset it (NUMBA_DISABLE_JIT=1 runs the "
                f"rules as plain Python, for a debugger)"
            )


def blamed(error: Exception) -> ConfigError:
    """Why numba cannot be loaded, for the person at the keyboard, with its variables that are set."""
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return ConfigError(f"numba cannot be loaded: {reason}{blame()}")


def blame() -> str:
    """The end of a message about a failure of numba: its variables that are set, if there are any."""
    found = ", ".join(f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(PREFIX))
    return f"; these variables of numba are set: {found}: unset them" if found else ""
