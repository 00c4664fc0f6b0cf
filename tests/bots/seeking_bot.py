"""Looks for the deal: has the engine, the config file and its own cards, tries every key that these may hold, and says so."""

import hashlib
import re
import sys
from collections.abc import Iterator

from arena import games
from arena.agent import Agent
from arena.games.naga import NagaView
from arena.games.naga.state import CARDS
from arena.match.seeds import deal_seed, key_from_seed
from arena.records import canonical_json

DEALS = 3


def frames() -> Iterator[object]:
    """All that the code which calls the bot holds in its variables."""
    frame = sys._getframe()
    while frame is not None:
        yield from frame.f_locals.values()
        frame = frame.f_back


class Seeking(Agent[NagaView]):
    games = ("naga",)

    def keys(self) -> Iterator[tuple[str, bytes]]:
        config = str(self.params["config"])
        for seed in {*range(200), *map(int, re.findall(r"\d+", config))}:
            yield f"seed {seed}", key_from_seed(seed)
        for text in [config, *re.findall(r"\S+", config), *map(repr, frames())]:
            yield f"the text {text[:20]}", hashlib.sha256(text.encode(errors="replace")).digest()
        for value in frames():
            for secret in re.findall(r"[0-9a-f]{16,}", repr(value)):
                yield f"what was in memory: {secret}", bytes.fromhex(secret.zfill(64))

    def act(self, view: NagaView) -> str:
        game = games.load("naga")
        options = game.resolve_options({}, 2)
        tried = 0
        for name, key in self.keys():
            for deal in range(DEALS):
                tried += 1
                state = game.deal(2, options, deal_seed(key, "naga", 2, canonical_json(options), deal))[0]
                if state.hand[view.seat] == view.state.hand[view.seat] and (state.field == view.state.field).all():
                    rival = " ".join(CARDS.listing(int(state.hand[1 - view.seat])))
                    raise ValueError(f"found deal {deal} by {name}: the rival holds {rival}")
        raise ValueError(f"not found by {'many' if tried > 500 else tried} keys")
