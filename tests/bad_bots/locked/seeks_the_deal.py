"""Is given the engine, the options and its own cards, and looks for the deal seed. Expected: refused; the bot plays on: played, no blame."""

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
                from arena import games
                from arena.engine import rng
                import numpy as np

                room = games.load("naga")
                seen = view.state.tobytes()
                options = room.resolve_options({}, 2)
                found = None
                for seed in range(1000):
                    for key in (b"exhibition %d" % seed, b"%d" % seed):
                        states = room.deal(2, options, rng.derive(key, "deal"))
                        if bytes(room.observed(states, view.seat).view(np.uint8)) == seen:
                            found = seed
                names = [name for name in view.state.dtype.names if "seed" in name or "rng" in name]
                clear = [name for name in names if np.any(np.asarray(view.state[name]))]
                print("GOT" if found is not None or clear or not names else "REFUSED", found, names, clear)
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
