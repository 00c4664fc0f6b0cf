"""Numba's own variables, NUMBA_...: those with which the rules cannot be compiled are named, with what to do."""

import os
from typing import Any

from arena.errors import ConfigError

PREFIX = "NUMBA_"


def check_variables(config: Any) -> None:
    """Raise ConfigError for a setting with which the rules cannot be compiled. `config`: numba's, as it was loaded."""
    if int(config.OPT) == 0:
        raise ConfigError(
            f"{PREFIX}OPT=0 (a variable, or a .numba_config.yaml here): not supported: numba keeps no code that is not "
            f"optimized, and every process would compile it again; unset it, or run the rules as plain Python with "
            f"{PREFIX}DISABLE_JIT=1"
        )
    features = os.environ.get(f"{PREFIX}CPU_FEATURES", "")
    if any(feature[:1] not in ("+", "-") for feature in features.split(",") if feature):  # the compiler ends the process
        raise ConfigError(
            f"{PREFIX}CPU_FEATURES={features}: each feature begins with + or -, such as +avx2; mend it, or unset it"
        )


def blamed(error: Exception) -> ConfigError:
    """Why numba cannot be loaded, for the person at the keyboard, with its variables that are set."""
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return ConfigError(f"numba cannot be loaded: {reason}{blame()}")


def blame() -> str:
    """The end of a message about a failure of numba: its variables that are set, if there are any."""
    found = ", ".join(f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(PREFIX))
    return f"; these variables of numba are set: {found}: unset them" if found else ""
