"""What the bot plays. This is the file to change; the others carry its decisions to the hall."""

import random
import sys

from messages import Act, Choice, End, Start


class Strategy:
    """One match: the program is started for every match, and plays one seat of it."""

    def __init__(self, start: Start) -> None:
        """Before the first decision: `start` has the game, the seats, your seat, the rule options and the params."""
        self.start = start
        self.rng = random.Random(int(start["seed"], 16))  # no other randomness, and matches can be repeated

    def choose(self, act: Act) -> Choice:
        """One of act["legal"], at every decision with more than one of them."""
        # Begin here. act["position"] is what your seat sees ("?" for each hidden card); what is in it differs from game to
        # game: `arena docs notation`. For instance: act["position"]["turn"]
        action = self.rng.choice(act["legal"])
        return {"id": act["id"], "action": action, "notes": [("legal actions", len(act["legal"]))]}  # for you, in the replay

    def end(self, end: End) -> None:
        """After the match."""
        place = end["places"][self.start["seat"]]
        print(f"place {place} of {self.start['seats']}", file=sys.stderr)  # kept for you when a match fails
