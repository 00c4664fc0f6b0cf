"""How long a person at a live table waits from an action to the position that shows it: the server's part, over a real socket.

What the browser adds, the drawing, it notes itself in a Performance measure (`DRAWN` in arena/server/static/table_page.js).
"""

import random
import time
from typing import Any

import msgspec
import numpy as np

from arena.games import load, names
from lab.server_process import Server
from lab.tab import Tab

GAMES = [name for name in names() if 2 in load(name).seats and not any(one.name == "latency" for one in load(name).options)][:2]
"""Games that wait for people; two tell enough, as all go the same way."""
ACTIONS = 100
"""Actions in each game."""
_AT_A_TABLE = 30  # the server lets nobody say more at once


class AnswerCost(msgspec.Struct, frozen=True, kw_only=True):
    """The time from an action to the frame that shows it, in one game; bots play after it, so their time is not in it."""

    game: str
    actions: int
    p50_ms: float
    p95_ms: float


def answer_cost(server: Server, game: str, actions: int = ACTIONS) -> AnswerCost:
    """Play any legal actions at tables of the server until there are so many."""
    waits: list[float] = []
    rng = random.Random(1)
    cookie = server.logged_in()
    while len(waits) < actions:
        opening = {"game": game, "seats": ["me", "level:beginner"], "name": f"bench {game}"}
        table, cookie = server.opened_table(opening, cookie)
        with Tab(server.port, f"/tables/{table}/socket", cookie) as tab:
            waits += _waits(tab, rng, min(_AT_A_TABLE, actions - len(waits)))
        server.left_table(table, cookie)
    found = 1e3 * np.array(waits)
    return AnswerCost(
        game=game, actions=len(waits), p50_ms=float(np.percentile(found, 50)), p95_ms=float(np.percentile(found, 95))
    )


def _waits(tab: Tab, rng: random.Random, most: int) -> list[float]:
    """Play at a table until it is over, or for so many actions; the seconds from each to the next position."""
    waits: list[float] = []
    sent: float | None = None
    while len(waits) < most:
        message: dict[str, Any] = msgspec.json.decode(tab.heard())
        match message["kind"]:
            case "frame" if sent is not None:
                waits.append(time.perf_counter() - sent)
                sent = None
            case "ask":
                act = {"kind": "act", "decision": message["decision"], "action": rng.choice(message["legal"])}
                sent = time.perf_counter()
                tab.say(msgspec.json.encode(act))
            case "over":
                break
            case "welcome" if message["state"] == "broken":
                raise ValueError("a table broke down")
    return waits
