"""Goes round the filter by io_uring. Expected: refused; the bot plays on: played, no blame."""

import ctypes

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            try:
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.syscall(425, 8, ctypes.create_string_buffer(120)) < 0:
                    raise OSError(ctypes.get_errno(), "io_uring_setup")
                print("GOT a ring")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
