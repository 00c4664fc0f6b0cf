"""A state's fields as plain Python values, for views and texts."""

from typing import Any

import numpy as np


class Fields:
    """The fields of a record as plain numbers and lists, each read when it is first asked for, and then kept.

    To read an attribute of a record takes microseconds, since numpy does that in Python; a field of an array a tenth of one.
    """

    def __init__(self, record: Any) -> None:
        self._array = np.frombuffer(record, record.dtype)

    def __getattr__(self, name: str) -> Any:
        """Read a field; Python calls this only for what is not kept yet."""
        if name.startswith("_"):  # what copying asks for
            raise AttributeError(name)
        try:
            value = self._array[name].tolist()[0]
        except ValueError:
            raise AttributeError(name) from None
        self.__dict__[name] = value
        return value
