"""The bot that `arena new` writes, with a list of what the game's view offers, read from the view itself."""

import inspect
import re
import textwrap
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from arena.engine.game import Game

WIDTH = 100  # characters of a line of the comments
_PREFIX = re.compile(r"\b(?:\w+\.)+(?=\w)")  # of a qualified name

PYTHON = '''"""{title}: plays any legal action. Say here what it does, in a sentence that a player understands."""

from arena.agent import {imports}
{view_import}

class {class_name}({base}):
    """One match, one seat: every match gets a new one, so keep on `self` what you learn in it."""

{games}

    def start(self, info: StartInfo) -> None:
        """Called once, before the first decision: info.game, info.seats, info.seat (yours), info.options (rules)."""

    def act(self, view: {view}) -> str:
        """Choose one of view.legal. Called wherever there is a choice; where one action alone is legal, it is played."""
        # view.legal     the legal actions as texts, always in the same order
        # str(view)      the table in words; print(view) shows it during `arena match`
        # view.position  the same as data: dicts, lists and texts, "?" for each card that you cannot see
        # view.events    what happened since your last decision, as (seat, text)
        # view.clock     CPU seconds: view.clock.move for every decision, view.clock.bank for all slow ones together
        # self.rng       seeded randomness: use no other, and your matches can be repeated
        # self.params    settings from a tournament's config: self.params.get("depth", 3)
{attributes}        return self.rng.choice(view.legal)

    def end(self, result: EndInfo) -> None:
        """Called once, after the match: result.places (1 is best) and result.scores, by seat."""
'''

BOT_TOML = """# A bot in any language: a program that reads a line of JSON and writes a line of JSON.
name = "{name}"
command = ["python3", "bot.py"]  # run in this folder
files = ["bot.py"]  # all that the program needs to read
{games}
"""

MODEL_TOML = """# A language model: no code. All of it is the bot's identity: another value is another bot. See: arena docs llm
name = "{name}"
{games}

[llm]
base_url = "http://127.0.0.1:8731/v1"  # of any server with an OpenAI-compatible /chat/completions
model = "some-model"                   # its name there
# key_env = "MY_MODEL_KEY"             # the environment variable with the key; the key itself stands in no file
# temperature = 0.0                    # left out: the server's default
max_tokens = 4096                      # of an answer, thoughts included
# effort = "low"                       # how much it is to think, sent as reasoning_effort
rethinks = 2                           # new tries in a decision, after an answer that is no legal action
legal = "omit"                         # whether it sees the legal actions: omit, on_retry, list
memory = "none"                        # what it knows beyond this round: none, notes (its own), history (earlier rounds)
language = "en"                        # of rules and questions: en or ja
timeout_s = 120.0                      # wall time of a decision, all tries together
"""

PROGRAM = '''"""{title}: plays any legal action. A plain program: a line of JSON in, a line of JSON out."""

import json
import random
import sys

rng = random.Random()

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        # message: game, options (rules), seats, seat (yours), seed, clock, params
        rng.seed(message["seed"])  # no other randomness, and your matches can be repeated
        reply = {{"id": message["id"], "ok": True}}
    elif message["type"] == "act":
        # message: position ("?" for each card that you cannot see), legal (texts), events ([seat, text]), clock
        reply = {{"id": message["id"], "action": rng.choice(message["legal"])}}
    else:  # "end": places (1 is best) and scores, by seat; no reply is read
        break
    print(json.dumps(reply), flush=True)  # flush: the referee waits for the line
'''


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of a game's view that the general View lacks."""

    text: str
    """The attribute as bots write it, such as `hand` or `strength(cards, place)`."""
    type: str
    meaning: str


def python_bot(name: str, game: Game | None) -> str:
    """The source of a Python bot that plays one game, or all of them."""
    view = "View" if game is None else game.view.__name__
    comments = [] if game is None else [f"# Of {game.name} ({game.package.replace('.', '/')}/RULES.md):", *_comments(game)]
    return PYTHON.format(
        title=name,
        imports="Agent, EndInfo, StartInfo" + (", View" if game is None else ""),
        view_import="" if game is None else f"from {game.package} import {view}\n",
        class_name=_class_name(name),
        base="Agent" if game is None else f"Agent[{view}]",
        games='    # games = ("naga", "yaniv")  # what it plays; left out: every game'
        if game is None
        else f'    games = ("{game.name}",)',
        view=view,
        attributes="".join(f"        {line}\n" for line in comments),
    )


def command_bot(name: str, game: Game | None) -> dict[str, str]:
    """The files of a command bot, by name."""
    games = '# games = ["naga", "yaniv"]  # what it plays; left out: every game' if game is None else f'games = ["{game.name}"]'
    return {"bot.toml": BOT_TOML.format(name=name, games=games), "bot.py": PROGRAM.format(title=name)}


def model_bot(name: str, game: Game | None) -> dict[str, str]:
    """The file of a language model, by name."""
    games = '# games = ["naga", "yaniv"]  # what it plays; left out: every game' if game is None else f'games = ["{game.name}"]'
    return {"bot.toml": MODEL_TOML.format(name=name, games=games)}


def attributes(game: Game) -> list[Attribute]:
    """The attributes of a game's typed view, in the order of its source."""
    found = []
    for name, member in vars(game.view).items():
        function = _function(member)
        if name.startswith("_") or function is None:
            continue
        signature = inspect.signature(function)
        arguments = ", ".join(argument for argument in signature.parameters if argument != "self")
        is_called = not isinstance(member, property | cached_property)
        meaning = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        kind = _PREFIX.sub("", inspect.formatannotation(signature.return_annotation))
        found.append(Attribute(f"{name}({arguments})" if is_called else name, kind, meaning))
    return found


def _function(member: Any) -> Callable[..., Any] | None:
    """The function behind a member of a view's class; None if the member is not for bots."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    if isinstance(member, staticmethod):
        return member.__func__
    return member if inspect.isfunction(member) else None


def _comments(game: Game) -> list[str]:
    lines = []
    for attribute in attributes(game):
        text = f"view.{attribute.text}: {attribute.type}. {attribute.meaning}"
        lines += textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="#     ", break_on_hyphens=False)
    return lines


def _class_name(name: str) -> str:
    words = "".join(word.capitalize() for word in re.split("[_-]+", name))
    return f"Bot{words}" if not words[:1].isalpha() or words in _IMPORTED or words.endswith("View") else words


_IMPORTED = ("Agent", "EndInfo", "StartInfo")
