"""Opens userfaultfd, bpf, perf and keyrings. Expected: refused; the bot plays on: played, no blame."""

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
                for name, number in (
                    ("userfaultfd", 323),
                    ("bpf", 321),
                    ("perf_event_open", 298),
                    ("add_key", 248),
                    ("keyctl", 250),
                ):
                    result = libc.syscall(number, 0, 0, 0, 0, 0)
                    print("GOT" if result >= 0 else "REFUSED", name, ctypes.get_errno())
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
