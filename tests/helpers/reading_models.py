"""Scripted language models that play Naga by what they read: at random, as the greedy house bot, or by a search.

They know nothing but the prompt. The masked position in it is filled with some cards that are possible, read as a position, and
seen again with the seat's eyes, as a program that reads the same text could do.
"""

import json
import random
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from arena import games
from arena.agent import LoadedBot, read_bot
from arena.agent.loading import house_bots
from arena.agent.view import View
from arena.games.naga.state import CARDS
from arena.records import Clock
from helpers.stub_model import Said, action

OPTION = re.compile(r"(\w+) = (\"[^\"]*\"|\w+)")


def view_of(body: dict[str, Any]) -> View:
    """What the seat that is asked sees, from the text of the prompt alone."""
    head, asked = body["messages"][0]["content"], body["messages"][1]["content"]
    (listed,) = re.findall(r"^Options: (.*)\.$", head, re.MULTILINE)
    (seat,) = re.findall(r"^You are seat (\d+),", asked, re.MULTILINE)
    (text,) = re.findall(r"^\{.*\}$", asked, re.MULTILINE)
    options = {name: json.loads(value) for name, value in OPTION.findall(listed)}
    game = games.load("naga")
    document = _filled({"game": "naga", "options": options, "seats": 2, **json.loads(text)})
    states = game.text.from_position(document)
    own = int(seat)
    seen = game.observed(states, own)
    return game.view(game, seen, own, codes=game.legal_list(seen), events=list, clock=Clock(1e6, 0.0))


def at_random(body: dict[str, Any]) -> Said:
    """Any legal action."""
    view = view_of(body)
    return action(random.Random(body["messages"][1]["content"]).choice(view.legal))


def greedily(body: dict[str, Any]) -> Said:
    """What the greedy house bot plays."""
    agent = _greedy()()
    agent._seed, agent.params = 1, {}
    return action(str(agent.act(view_of(body))))


def searching(body: dict[str, Any]) -> Said:
    """What a search of the seat's own knowledge finds best."""
    return action(view_of(body).search(iterations=400, seed=1).best)


@cache
def _greedy() -> Callable[[], Any]:
    loaded = LoadedBot(read_bot(house_bots()["naga_greedy"]))
    return loaded.__enter__().agent_class


def _filled(position: dict[str, Any]) -> dict[str, Any]:
    """The position with some possible card in the place of each `?`."""
    shown = re.findall(r"\"([a-z]\d|[IK])\"", json.dumps([position[key] for key in ("places", "hands", "stock", "shown")]))
    left = iter([card for card in CARDS.texts if card not in shown])
    order = CARDS.texts.index
    hands = [sorted((next(left) if card == "?" else card for card in hand), key=order) for hand in position["hands"]]
    stock = [next(left) if card == "?" else card for card in position["stock"]]
    chosen = [hands[seat][: len(cards)] if cards and "?" in cards else cards for seat, cards in enumerate(position["pending"])]
    return {**position, "hands": hands, "stock": stock, "pending": chosen}
