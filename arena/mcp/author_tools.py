"""The tools of an author of bots: they work in one folder, and run the verbs of the command line there.

Bots of the folder play locked in, as strangers' bots do. Handing in is a tool of its own, which is there only where the server
was told to whom, and which wants the name twice.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from arena import games
from arena.agent.loading import HOUSE
from arena.agent.submissions import PREFIX
from arena.disk import write_whole
from arena.errors import ConfigError, printable
from arena.mcp.answers import Answer
from arena.mcp.arguments import Game, Natural, StoredMatch
from arena.mcp.commands import Commands
from arena.mcp.foreign import marked
from arena.mcp.tools import Tool, one_tool
from arena.names import FolderName
from arena.tournament.config import check_name

_Bot = Annotated[
    str,
    msgspec.Meta(
        description="A file or folder in the author's folder, such as mybot.py, or house:NAME.", min_length=1, max_length=200
    ),
]
_Seed = Annotated[Natural | None, msgspec.Meta(description="For the same cards and bots again. Default: random.")]
_Seat = Annotated[int, msgspec.Meta(description="Seat of the bot, from 0.", ge=0, le=20)]


class New(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `new`."""

    name: Annotated[str, msgspec.Meta(description="Name of the bot: a-z, 0-9, _ and -.", max_length=40)]
    game: Annotated[
        str | None, msgspec.Meta(description="Explain all that the view of this game offers. Default: all games.")
    ] = None
    command: Annotated[bool, msgspec.Meta(description="A program that speaks the wire protocol, for any language.")] = False


class Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `check`."""

    bot: _Bot
    game: Annotated[str | None, msgspec.Meta(description="Only this game. Default: all that the bot plays.")] = None
    seed: _Seed = None


class MatchOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `match`."""

    game: Game
    bots: Annotated[list[_Bot], msgspec.Meta(description="The bots in seat order.", min_length=2, max_length=12)]
    seed: _Seed = None
    watch: Annotated[bool, msgspec.Meta(description="Show every decision, with all cards open.")] = False


class Compare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `compare`."""

    game: Game
    first: Annotated[_Bot, msgspec.Meta(description="Is this bot better than the second?")]
    second: _Bot
    deals: Annotated[
        int, msgspec.Meta(description="Deals at most; each is played with the seats exchanged.", ge=8, le=5000)
    ] = 400
    seed: _Seed = None


class Explain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `explain`."""

    bot: Annotated[str, msgspec.Meta(description="Name of a bot on the board.", pattern=r"\A[a-z0-9_][a-z0-9_-]{0,39}\Z")]
    tournament: Annotated[
        FolderName | None, msgspec.Meta(description="Name of a tournament or comparison. Default: the newest.")
    ] = None


class CapsuleOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `capsule`."""

    match: StoredMatch
    seat: _Seat
    bot: Annotated[str | None, msgspec.Meta(description="A mended bot to run at that decision. Default: run none.")] = None


class JobOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The argument of `job`."""

    job: Annotated[str, msgspec.Meta(description="What a tool named that still runs.", max_length=40)]


class HandIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `hand_in`."""

    bot: _Bot
    name: Annotated[str, msgspec.Meta(description="Name of the bot on the server.", max_length=40)]
    name_again: Annotated[str, msgspec.Meta(description="The same name again: handing in cannot be taken back.", max_length=40)]


@dataclass(frozen=True)
class AuthorTools:
    """The tools of an author."""

    folder: Path
    """The author's folder, absolute; results of comparisons go into `leaderboards` in it."""
    commands: Commands
    """Commands that run in that folder."""
    submit_to: str | None = None
    """The address of the server to hand in to; None: that is not possible."""

    def tools(self) -> list[Tool]:
        """The tools, in the order in which they are listed."""
        found = [
            one_tool(self.new, "Write a working bot to start from into the author's folder.", New, is_reading=False),
            one_tool(self.check, "Play a bot locked in through its games and report faults, speed and memory.", Check),
            one_tool(self.match, "Play one match between bots, locked in. Nothing is stored.", MatchOf),
            one_tool(
                self.compare,
                "Is the first bot better than the second? Played until that is sure, wrong in at most 5 of 100 cases.",
                Compare,
                is_reading=False,
            ),
            one_tool(
                self.explain, "A bot's results by seat and opponent, its worst losses with match ids, its faults.", Explain
            ),
            one_tool(self.capsule, "The decision at which a bot failed; with a mended bot, what that does there.", CapsuleOf),
            one_tool(self.job, "Ask again for a tool that still runs; waits up to 25 s.", JobOf),
        ]
        if self.submit_to is not None:
            about = f"Hand a bot in at {self.submit_to}, for everybody to see. Only when a person has asked for it."
            found.append(one_tool(self.hand_in, about, HandIn, is_reading=False, is_open=True))
        return found

    async def new(self, asked: New) -> Answer:
        """Write a bot."""
        check_name(asked.name, "name")
        game = () if asked.game is None else ("--game", _game(asked.game))
        return await self._run("new", asked.name, *game, *(("--command",) if asked.command else ()))

    async def check(self, asked: Check) -> Answer:
        """Check a bot."""
        game = () if asked.game is None else ("--game", _game(asked.game))
        return await self._run("check", self._bot(asked.bot, "bot"), *game, *_seed(asked.seed))

    async def match(self, asked: MatchOf) -> Answer:
        """Play a match."""
        bots = [self._bot(bot, f"bots[{seat}]") for seat, bot in enumerate(asked.bots)]
        return await self._run(
            "match", _game(asked.game), *bots, "--locked", *_seed(asked.seed), *(("--watch",) if asked.watch else ())
        )

    async def compare(self, asked: Compare) -> Answer:
        """Compare two bots."""
        pair = [self._bot(asked.first, "first"), self._bot(asked.second, "second")]
        if pair[0] == pair[1]:
            raise ConfigError("second: it is the first one; name another bot")
        document = self._comparison(asked, pair)
        config = self.folder / f"{document['name']}.yaml"
        write_whole(config, msgspec.json.format(msgspec.json.encode(document)) + b"\n")  # JSON is YAML
        return await self._run("compare", config.name, "--backend", "local", "--fresh", *_seed(asked.seed))

    async def explain(self, asked: Explain) -> Answer:
        """Explain a bot's rating."""
        name = () if asked.tournament is None else (asked.tournament,)
        return await self._run("leaderboard", *name, "--explain", asked.bot)

    async def capsule(self, asked: CapsuleOf) -> Answer:
        """Show the decision where a bot failed."""
        run = () if asked.bot is None else ("--run", "--bot", self._bot(asked.bot, "bot"))
        return await self._run("capsule", asked.match, str(asked.seat), *run)

    async def job(self, asked: JobOf) -> Answer:
        """Ask for what still runs."""
        return Answer(marked(await self.commands.later(asked.job)))

    async def hand_in(self, asked: HandIn) -> Answer:
        """Hand a bot in."""
        if asked.name != asked.name_again:
            raise ConfigError("name_again: not the name; nothing was sent")
        check_name(asked.name, "name")
        bot = self._bot(asked.bot, "bot")
        if bot.startswith((HOUSE, PREFIX)):
            raise ConfigError("bot: a file or folder of your own is handed in")
        assert self.submit_to is not None
        return await self._run("submit", bot, "--name", asked.name, "--to", self.submit_to)

    async def _run(self, *words: str) -> Answer:
        return Answer(marked(await self.commands.begun(*words)))

    def _bot(self, text: str, where: str) -> str:
        """A bot as the command line takes it. Raises ConfigError for a path that leads out of the author's folder."""
        shown = printable(text, 80)
        if text.startswith((HOUSE, PREFIX)):
            return text
        if text.startswith("-"):
            raise ConfigError(f"{where}: {shown}: a file or folder of the author's folder, or house:NAME")
        path = (self.folder / text).resolve()
        if not path.is_relative_to(self.folder) or path == self.folder:
            raise ConfigError(f"{where}: {shown}: not in the author's folder; name a file or folder in it")
        if not path.exists():
            raise ConfigError(f"{where}: {shown}: no such file or folder; new writes one")
        return str(path.relative_to(self.folder))

    def _comparison(self, asked: Compare, pair: list[str]) -> dict[str, Any]:
        """The config of a comparison. What is of the folder is not trusted, and plays locked in."""
        game = games.load(_game(asked.game))
        names = [_name(bot, number) for number, bot in enumerate(pair)]
        bots: list[dict[str, Any]] = [
            {"path": bot, "name": name, "trusted": bot.startswith(HOUSE)} for bot, name in zip(pair, names)
        ]
        if game.seats[0] > 2:
            bots.append({"path": f"{HOUSE}random_bot", "name": "filler", "trusted": True})
        return {
            "name": f"compare-{names[0]}-{names[1]}"[:40], "format": "compare", "candidates": names,
            "games": [{"game": game.name, "seats": game.seats[0]}], "bots": bots, "deals": asked.deals,
        }  # fmt: skip


def _name(bot: str, number: int) -> str:
    stem = Path(bot.rpartition(":")[2]).stem.lower()
    plain = re.sub("[^a-z0-9_-]", "_", stem)[:30].lstrip("-")
    return f"{plain or 'bot'}-{'ab'[number]}"


def _game(name: str) -> str:
    games.package(name)  # which says what there is
    return name


def _seed(seed: int | None) -> tuple[str, ...]:
    return () if seed is None else ("--seed", str(seed))
