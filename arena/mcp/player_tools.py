"""The tools of a player: what can be played, its rules, a match from the deal to the replay."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from arena import games
from arena.engine.options import DataTable
from arena.llm.rule_text import notation, rules, section, section_titles
from arena.mcp.answers import Answer, Refused, page_of
from arena.mcp.arguments import STORED, Game, Language, Natural
from arena.mcp.commands import Commands
from arena.mcp.foreign import WARNING, foreign_name, marked
from arena.mcp.hall import Hall
from arena.mcp.opening import STOPPED, NewMatch, opened
from arena.mcp.sessions import BROKEN, COMPILING, OVER, Match, Matches
from arena.mcp.telling import PARTS
from arena.mcp.tools import Tool, one_tool
from arena.reports.manual import game_titles
from arena.reports.pages.lessons import offer
from arena.results.people import AGENTS
from arena.server.people.levels import PoolRatings

_CONTENTS, _NOTATION = "contents", "notation"
"""What `rules` shows beside sections by their numbers: the titles of all, and how cards and actions are written."""


class NoArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No arguments."""


class RulesOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `rules`."""

    game: Game
    language: Language = "en"
    section: Annotated[
        Annotated[str, msgspec.Meta(max_length=40)] | int | float,
        msgspec.Meta(
            description="Number of a section, such as 2.2; contents: their titles; notation: how cards and actions are "
            "written. Default: all."
        ),
    ] = ""
    """Some clients send 2.2 as a number."""


class OfMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The argument of tools about a match."""

    match: Annotated[str, msgspec.Meta(description="The handle that `new_match` gave.", max_length=40)]


class ActIn(OfMatch, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `act`."""

    action: Annotated[str, msgspec.Meta(description="An action in the notation of the rules.", max_length=400)]
    decision: Annotated[
        Natural | None,
        msgspec.Meta(description="Number of the decision that this answers, so that a call that is sent twice plays once."),
    ] = None


class StateOf(OfMatch, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `state`."""

    part: Annotated[
        Literal["view", "position", "legal", "history", "known", "why"],
        msgspec.Meta(
            description="view: as `act` answers; position: JSON; legal: what can be played; history: all since the deal; "
            "known: what a perfect memory knows; why: why cards cannot be played."
        ),
    ] = "view"


class ReplayOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `replay`."""

    match: Annotated[str, msgspec.Meta(description="A handle, or the id of a stored match.", max_length=40)]
    open: Annotated[bool, msgspec.Meta(description="All cards open; else, of your own match, as your seat saw it.")] = False
    page: Annotated[int, msgspec.Meta(description="Page of a long replay, from 0.", ge=0)] = 0


class SitDown(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `sit_down`."""

    game: Game
    language: Language = "en"


@dataclass(frozen=True)
class PlayerTools:
    """The tools of a player, for the folder of all results."""

    results: Path
    name: str
    """What the agent is called at the table."""
    matches: Matches
    commands: Commands
    hall: Hall | None = None
    """A hall elsewhere, at which the agent may sit down; None: none."""

    def tools(self) -> list[Tool]:
        """The tools, in the order in which they are listed."""
        found = [
            one_tool(self.games, "List the games: seats, rule options, how long a match takes.", NoArguments),
            one_tool(
                self.rules,
                "The rules of a game as they are played here, with the notation of its actions. Read them before you play: no "
                "game here is played exactly as elsewhere.",
                RulesOf,
            ),
            one_tool(
                self.new_match,
                "Begin a match against bots of this house. Answers with a handle and what you see when it is your turn.",
                NewMatch,
                is_reading=False,
            ),
            one_tool(
                self.act,
                "Play an action. The others move, and the answer is all that you saw since and your next view. An illegal "
                "action changes nothing: the answer says why it is illegal, and what is legal. One call a move; do not poll.",
                ActIn,
                is_reading=False,
            ),
            one_tool(
                self.state, "Look at your match again, or at a part of it. Waits up to 25 s where others have to move.", StateOf
            ),
            one_tool(self.hint, "What a search would play with what you know. Not in rated matches.", OfMatch),
            one_tool(
                self.result, "How the match ended: places, scores, the id under which it is stored, your rating.", OfMatch
            ),
            one_tool(self.replay, "A finished match, decision by decision.", ReplayOf),
            one_tool(self.leave, "Leave a match that is not over. It is not stored.", OfMatch, is_reading=False),
        ]
        if self.hall is not None:
            about = (
                f"Take a seat for one rated match at the hall {self.hall.server.url}. Its clock runs while you think: 5 s a "
                "decision and 120 s in the bank, then you forfeit. Go on with act and state, as in any match."
            )
            found.append(one_tool(self.sit_down, about, SitDown, is_reading=False, is_open=True))
        return found

    async def games(self, asked: NoArguments) -> Answer:
        """List all games."""
        names = games.names()
        return Answer("\n".join(await asyncio.to_thread(lambda: [_game_lines(name) for name in names])), {"games": names})

    async def rules(self, asked: RulesOf) -> Answer:
        """Show the rules of a game, or a section."""
        return Answer(await asyncio.to_thread(_rules_text, asked))

    async def new_match(self, asked: NewMatch) -> Answer:
        """Begin a match, and wait for the first decision."""
        wanted = await asyncio.to_thread(opened, asked, self.results, self.name)
        match = self.matches.begin(wanted.setup, wanted.seat, asked.language, is_rated=asked.rated)
        await match.settled()
        who = ", ".join(
            f"{seat} {foreign_name(plan.name) if seat in wanted.foreign else plan.name}" + (" (you)" if plan.person else "")
            for seat, plan in enumerate(wanted.setup.seats)
        )
        warning = [WARNING] if wanted.foreign else []
        counts = "rated" if asked.rated else "practice, not rated"
        head = [f"match: {match.teller.match}  game: {asked.game}  seats: {who}  ({counts})", *warning]
        return self._seen(match, "\n".join(head) + "\n")

    async def sit_down(self, asked: SitDown) -> Answer:
        """Take a seat at a hall elsewhere, and wait for the first decision."""
        assert self.hall is not None
        await asyncio.to_thread(games.load, asked.game)
        match = self.hall.sit_down(asked.game, asked.language, self.matches)
        await match.settled()
        return self._seen(match, f"match: {match.teller.match}  game: {asked.game}  at {self.hall.server.url}  (rated there)\n")

    async def act(self, asked: ActIn) -> Answer:
        """Play an action, and wait for the next decision."""
        match = self.matches.find(asked.match)
        match.act(asked.action.strip(), asked.decision)
        await match.settled()
        return self._seen(match)

    async def state(self, asked: StateOf) -> Answer:
        """Show a part of a match."""
        match = self.matches.find(asked.match)
        await match.settled()
        if asked.part == PARTS[0]:
            return self._seen(match)
        return Answer(match.teller.part(match.told, asked.part), self._data(match))

    async def hint(self, asked: OfMatch) -> Answer:
        """Search from what the seat knows."""
        match = self.matches.find(asked.match)
        return Answer(await match.advise(), self._data(match))

    async def result(self, asked: OfMatch) -> Answer:
        """Tell how a match ended."""
        match = self.matches.find(asked.match)
        if match.state != OVER or match.match_id is None:
            raise Refused(f"the match is {match.state}, not over" + (f": {match.error}" if match.error else ""))
        lines = [*match.teller.places(match.told), f"stored as match {match.match_id}"]
        if match.place:
            lines[-1:] = [match.outcome, f"stored there: {match.place}/m/{match.match_id}"]
        elif match.is_rated:
            found = await asyncio.to_thread(PoolRatings(self.results, AGENTS).read)
            lines += [
                f"rating of {one.name}: {one.rating:.1f} (mu {one.mu:.1f}, sigma {one.sigma:.1f}) after {one.matches} matches"
                for one in found.get(match.teller.game, [])
                if one.name == self.name
            ]
        return Answer("\n".join(lines), self._data(match))

    async def replay(self, asked: ReplayOf) -> Answer:
        """Show a stored match."""
        try:
            match = self.matches.find(asked.match)
        except Refused:
            if not STORED.fullmatch(asked.match):
                raise
            return Answer(marked(page_of(await self.commands.text("replay", asked.match), asked.page)))
        if match.match_id is None:
            raise Refused("the match is not over, so there is no replay yet; state shows its history")
        if match.place:
            raise Refused(f"the replay is there: {match.place}/m/{match.match_id}")
        seat = () if asked.open else ("--seat", str(match.teller.seat))
        return Answer(marked(page_of(await self.commands.text("replay", match.match_id, *seat), asked.page)))

    async def leave(self, asked: OfMatch) -> Answer:
        """End a match."""
        match = self.matches.find(asked.match)
        was = match.state
        self.matches.forget(asked.match)
        return Answer("The match is over and stays stored." if was == OVER else "You left. The match is not stored.")

    def _seen(self, match: Match, head: str = "") -> Answer:
        """What the agent sees of its match now."""
        if match.state == BROKEN:
            raise Refused(f"the match is broken: {match.error}")
        if match.state == COMPILING:
            text = f"Compiling the rules, once on this machine. Call state(match={match.teller.match!r}): it waits."
            return Answer(head + text, self._data(match))
        return Answer(head + match.teller.view(match.told), self._data(match))

    def _data(self, match: Match) -> dict[str, object]:
        told = match.told
        return {
            "match": match.teller.match, "game": match.teller.game, "seat": match.teller.seat,
            "status": "your_turn" if told.is_open and match.is_running else match.state,
            "decision": told.asked.decision if told.is_open and told.asked is not None else None,
        }  # fmt: skip


def _game_lines(name: str) -> str:
    """What is said of a game before somebody plays it."""
    game, found = games.load(name), offer(name)
    minutes = "" if not found.minutes else f"; {found.minutes[0]} to {found.minutes[-1]} minutes among people"
    ticks = "" if found.real_time is None else f"; in real time: pace={STOPPED} stops the clock"
    options = ", ".join(
        f"{option.name} (a table, see rules)" if isinstance(option, DataTable) else f"{option.name}={option.default!r}"
        for option in game.options
    )
    lines = [
        f"{name} ({game_titles(name)['en']}): {game.seats[0]} to {game.seats[-1]} seats{minutes}{ticks}",
        f"  {found.about['en']}",
        f"  options: {options}",
    ]
    lines += [f"  {one.name['en']}: options={msgspec.json.encode(one.options).decode()}" for one in found.variants]
    return "\n".join(lines)


def _rules_text(asked: RulesOf) -> str:
    """The rules, or the part that is asked for. Raises ConfigError that names the argument."""
    game, part = games.load(asked.game), str(asked.section)
    if part == _CONTENTS:
        return "\n".join(section_titles(rules(game, asked.language)))
    if part == _NOTATION:
        return notation(game, asked.language)
    if part:
        return section(game, part, asked.language)
    return f"{rules(game, asked.language)}\n\n{notation(game, asked.language)}"
