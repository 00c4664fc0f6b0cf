"""Calls compiled code on forged, read-only and foreign bytes. Expected: refused; the bot plays on: played, no blame."""

from arena.engine.rng import seed_words as _words

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
                import numpy as np
                from arena import games
                from arena.engine import jit

                room = games.load("naga")
                before = [jit.compilations(entry)[0] for entry in games.compiled_entries(room)]
                try:
                    room.engine.step(np.frombuffer(view.state.tobytes(), room.rules.STATE), 0)
                    print("GOT a new signature")
                except TypeError as error:
                    print("REFUSED", str(error)[:50])
                world = room.from_bytes(view.state.tobytes())
                room.engine.determinize(world, view.seat, _words(1))
                after = [jit.compilations(entry)[0] for entry in games.compiled_entries(room)]
                print("REFUSED compilations" if before == after else "GOT compilations", after)
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
