"""Uses compiled engine code from its own seat's knowledge, and says in its end how often something was compiled."""

from arena import games
from arena.agent import Agent, EndInfo, View
from arena.engine import jit
from arena.engine.rng import seed_words


class Studious(Agent):
    games = ("naga",)
    decisions = 0

    def act(self, view: View) -> str:
        game = games.load(view.game)
        world = game.from_bytes(view.state.tobytes())
        game.engine.determinize(world, view.seat, seed_words(self.rng.randrange(1 << 30)))
        game.engine.play_random(world, seed_words(1), game.new_actions(), 1000)
        view.strength(view.hand[:3], 1)
        self.decisions += 1
        return view.legal[0]

    def end(self, result: EndInfo) -> None:
        game = games.load("naga")
        compiled = sum(jit.compilations(entry)[0] for entry in games.compiled_entries(game))
        print(f"decisions {self.decisions} compilations {compiled}", flush=True)
