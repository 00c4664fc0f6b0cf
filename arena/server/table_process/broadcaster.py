"""What the people of a table are told: the positions as they come about, what happened, and that it is their turn.

Beside it why a card cannot be played and what a perfect memory knows (`explanations.py` of a game); hints, which are what the
compiled search would play with what a seat knows; and at the end the result, where it was won, and the luck of the deal: the
same cards played again by bots, from the seat of each person.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any, Protocol, cast

from msgspec.structs import replace

from arena import games
from arena.agent.view import View
from arena.engine.game import Game, States
from arena.engine.options import OptionValue
from arena.engine.outcomes import Fact
from arena.match import play
from arena.match.seeds import match_seeds
from arena.match.single_match import Named
from arena.records import MatchRecord
from arena.reports.pages.frames import Event, draws_table, frame, opinion, seen_choosing, stored_match
from arena.reports.pages.scenes import Replay, Scene
from arena.server.table_process.arranging import Arranged, BotSeats, champion
from arena.server.table_process.messages import (
    Advice,
    Ask,
    Curve,
    Envelope,
    Frame,
    FromTable,
    Hint,
    Known,
    Over,
    Ready,
    Refusal,
    SameDeal,
)
from arena.server.table_process.taking_back import LastAction
from arena.server.table_process.ticks import Ticks


class Explanations(Protocol):
    """The functions of a game's explanations.py. They look at the view of one seat, and at nothing else."""

    def refusals(self, view: Any) -> Sequence[tuple[Any, ...]]:
        """(zone, card, why, rule, values) of each card of the seat that is part of no legal action; see Refusal.

        With the zone as a sixth value of a card that only cannot go to that zone.
        """
        ...

    def known(self, view: Any) -> Sequence[tuple[str, Sequence[tuple[str, int]], int | None]]:
        """(title, [(card, how many)], seat or None) of each group; see Known."""
        ...

    # A module may leave these two out.

    def task(self, view: Any) -> Fact:
        """Return what the seat is to do now."""
        ...

    def prospects(self, view: Any) -> Mapping[str, Fact]:
        """Return what legal actions would surely lead to, by what the seat knows; not all need be there."""
        ...


@cache  # to find a game takes longer than all else that is said at a decision
def explanations_of(game: str) -> Explanations | None:
    """The explanations module of a game; None for a game without one. Raises ConfigError for an unknown game."""
    return cast("Explanations | None", games.explanations(game))


def refusals(view: View) -> list[Refusal]:
    """Why cards of the seat cannot be played now; empty for a game without an explanations module."""
    explanations = explanations_of(view.game)
    if explanations is None:
        return []
    return [
        Refusal(zone=zone, card=card, why=why, rule=rule, values=values, to=to[0] if to else "")
        for zone, card, why, rule, values, *to in explanations.refusals(view)
    ]


def known_cards(view: View) -> list[Known]:
    """Return what a perfect memory knows beyond the table; empty for a game without an explanations module."""
    explanations = explanations_of(view.game)
    groups = [] if explanations is None else explanations.known(view)
    return [Known(title=title, cards=list(cards), seat=seat) for title, cards, seat in groups]


def task(view: View) -> Fact | None:
    """Return what the seat is to do now; None for a game that does not say."""
    found: Fact | None = _asked("task", view)
    return found


def prospects(view: View) -> Mapping[str, Fact]:
    """Return what legal actions would surely lead to; empty for a game that does not say."""
    found: Mapping[str, Fact] | None = _asked("prospects", view)
    return found or {}


def _asked(name: str, view: View) -> Any:
    function = getattr(explanations_of(view.game), name, None)
    return None if function is None else function(view)


SEARCH: Mapping[str, Any] = {"time": 0.35}
"""How long a hint is searched for: seconds of CPU time."""
SHOWN = 5
"""The most actions of a hint."""


class Adviser:
    """Gives hints to people, each in a thread of its own: nobody else has to wait for it."""

    def __init__(self, send: Callable[[FromTable], object], search: Mapping[str, Any] = SEARCH) -> None:
        """`search`: the settings of the search."""
        self._send = send
        self._search = search
        self._busy: set[int] = set()
        self._asked: dict[int, View] = {}
        self._newest: dict[int, Hint] = {}

    def advise(self, seat: int, decision: int, view: View) -> None:
        """Send a hint for a decision when it is found; nothing if one for this seat is still being searched for.

        A decision is searched once: who asks again gets the same hint, and costs nothing.
        """
        newest = self._newest.get(seat)
        if newest is not None and newest.decision == decision:
            self._send(Envelope(seat=seat, message=newest))
        elif seat not in self._busy:
            self._busy.add(seat)
            self._asked[seat] = view
            threading.Thread(target=self._find, args=(seat, decision, view), name="hint", daemon=True).start()

    def forget(self, seat: int) -> None:
        """Drop what was found for a seat, or is being searched for: a decision of this number may come again, and differ."""
        self._asked.pop(seat, None)
        self._newest.pop(seat, None)

    def _find(self, seat: int, decision: int, view: View) -> None:
        try:
            found = hint(view, decision, self._search)
            if self._asked.get(seat) is view:
                self._newest[seat] = found
                self._send(Envelope(seat=seat, message=found))
        finally:
            self._busy.discard(seat)


def hint(view: View, decision: int, settings: Mapping[str, Any]) -> Hint:
    """Return what the search finds from the view, and from nothing else."""
    if len(view.legal) == 1:
        only = Advice(action=view.legal[0], visits=0, value=None)
        return Hint(decision=decision, best=view.legal[0], simulations=0, choices=[only], loss=None)
    found = view.search(**settings)
    ranked = sorted(found.choices, key=lambda choice: (choice.action != found.best, -choice.visits))
    choices = [
        Advice(action=one.action, visits=one.visits, value=round(one.value, 4) if math.isfinite(one.value) else None)
        for one in ranked[:SHOWN]
    ]
    first, second = choices[0].value, choices[1].value
    loss = None if first is None or second is None else round(max(0.0, first - second), 4)
    return Hint(decision=decision, best=found.best, simulations=found.simulations, choices=choices, loss=loss)


CPU_SECONDS = 10.0
"""About what the matches may cost, for all people together."""
MOST_MATCHES = 8
"""The most matches for a person; one is played in any case."""
_WANTED = 4  # matches for a person: to have time for so many, the champion thinks faster in a long game
_SEEDS = 1 << 31  # of a search
_LONGEST, _SHORTEST = 0.03, 0.001  # CPU seconds of a champion's decision


def same_deals(table: Arranged, record: MatchRecord, seats: BotSeats, results: Path) -> list[SameDeal]:
    """Return what the champion makes of the cards of each person."""
    people = table.people
    share = CPU_SECONDS / len(people)
    decisions = sum(record.seats[seat].decisions for seat in people)
    strongest = _thinking(champion(table.game.name, results), share / _WANTED / max(1, decisions))
    return [
        SameDeal(
            seat=seat, own=record.seats[seat].score, champion=round(mean(scores), 2), low=min(scores), high=max(scores),
            matches=len(scores),
        )
        for seat in people
        for scores in [list(_scores(table, seats, strongest, seat, share))]
    ]  # fmt: skip


def _scores(table: Arranged, seats: BotSeats, strongest: Named, seat: int, cpu_seconds: float) -> Iterator[float]:
    """The scores of the champion on a person's seat, each with other seeds of the bots.

    It also plays for the other people; the table's own bots play on their seats.
    """
    spent = dearest = 0.0
    for number in range(MOST_MATCHES):
        if number and spent + dearest > cpu_seconds:
            return
        began = time.process_time()
        setup = table.setup
        name = f"{setup.match_id} again {seat} {number}"
        seeds = match_seeds(table.key, name, setup.game, len(table.plans), "", setup.deal)
        again = replace(setup, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks)
        seats.close()
        players = [
            seats.open(place, seed, _seeded(strongest, seed) if plan.person else None)
            for place, (plan, seed) in enumerate(zip(table.plans, seeds.bots))
        ]
        record = play(table.game, again, players)
        in_other_processes = sum(row.cpu_ms_total for row in record.seats if row.isolation != "none") / 1000
        cost = time.process_time() - began + in_other_processes
        spent, dearest = spent + cost, max(dearest, cost)
        yield record.seats[seat].score


def _seeded(bot: Named, seed: int) -> Named:
    """A bot that searches, with other imagined deals than in other matches."""
    return bot._replace(params={**bot.params, "seed": seed % _SEEDS}) if "iterations" in bot.params else bot


def _thinking(bot: Named, seconds: float) -> Named:
    """A bot that searches, with so much CPU time for each decision at most."""
    if "iterations" not in bot.params:
        return bot
    return bot._replace(params={**bot.params, "time": min(_LONGEST, max(_SHORTEST, seconds))})


class Broadcaster:
    """Tells each person what the seat may know, in the frames of a replay; an observer of the referee."""

    def __init__(
        self,
        game: Game,
        options: dict[str, OptionValue],
        states: States,
        people: Sequence[int],
        send: Callable[[FromTable], object],
        ticks: Ticks | None,
        *,
        in_words: bool = False,
    ) -> None:
        """`options`: all, resolved; `states`: the deal, which the broadcaster then owns; `people`: their seats.

        `ticks`: only in real time. `in_words`: whether each position is also described, where the game draws its table, too.
        """
        self.send = send
        self._game = game
        self._options = options
        self._story = Replay(game, states)
        self._in_words = in_words or not draws_table(game.name)
        self._ticks = ticks
        self._since: dict[int, list[Event]] = {seat: [] for seat in people}
        alone = LastAction[list[Event]](game, self._story) if len(people) == 1 and ticks is None else None
        self._last_action = alone  # of a person who sits there alone with bots, with what had happened before it
        self._number = 0
        self._has_begun = False

    def begin(self) -> None:
        """Say that the match begins, and show the deal; only the first call does something. All seats have started by then."""
        if not self._has_begun:
            self._has_begun = True
            self.send(Ready(options=self._options))
            if self._ticks is not None:
                self._ticks.begin_round()
            self._tell(self._story.opening, self._story.choosing())

    def played(self, action: int) -> None:
        """Tell what an action led to, when everybody may know it."""
        self.begin()
        scenes = self._story.play(action)
        if len(scenes) > 1 and self._ticks is not None:
            self._ticks.begin_round()
        for scene in scenes:
            self._tell(scene, self._story.choosing() if scene is scenes[-1] else [])

    def ask(self, seat: int, view: View) -> Ask:
        """Ask a person to choose. Returns what was said; its number is that of the last frame."""
        self.begin()
        since, self._since[seat] = self._since[seat], []
        what = task(view)
        ask = Ask(
            decision=self._number, legal=view.legal, since=since, refusals=refusals(view), known=known_cards(view),
            task=what, prospects=dict(prospects(view)),
            back="" if self._last_action is None else self._last_action.ask(what, since),
            is_revocable=self._ticks is None and len([one for one in self._story.choosing() if one in self._since]) > 1,
        )  # fmt: skip
        self.send(Envelope(seat=seat, message=ask))
        return ask

    @property
    def may_take_back(self) -> tuple[int, ...]:
        """The seats whose last action can be taken back: that of a person alone with bots, where time does not run."""
        return () if self._last_action is None else tuple(self._since)

    @property
    def can_take_back(self) -> bool:
        """Whether the person's last action can be taken back at the decision that is open."""
        return self._last_action is not None and self._last_action.can_be_taken_back

    def take_back(self, seat: int) -> None:
        """Show the position before the last action of the person again, who is then asked anew."""
        assert self._last_action is not None
        scene, self._since[seat] = self._last_action.take_back()
        self._tell(scene, [seat])

    def _tell(self, scene: Scene, choosing: list[int]) -> None:
        """Send a scene to all people, to each as the seat sees it. `choosing`: the seats that choose next."""
        self._number = scene.number
        tick_ms = None if self._ticks is None else max(0, round(1000 * self._ticks.left()))
        for seat in self._since:
            shown, _ = frame(self._game, scene, seat, None, in_words=self._in_words)
            self._since[seat] += shown.events
            told = Frame(
                number=scene.number, events=shown.events, position=shown.position, text=shown.text, tick_ms=tick_ms,
                choosing=seen_choosing(choosing, seat), is_end_of_round=scene.is_end_of_round, result=shown.result,
            )  # fmt: skip
            self.send(Envelope(seat=seat, message=told))


def match_over(table: Arranged, record: MatchRecord) -> Over:
    """The end of a match, and its evaluation over time, which looks at all cards."""
    match = stored_match(record, table.key)
    curve = Curve(numbers=[scene.number for scene in match.scenes], values=opinion(match).values)
    return Over(
        match_id=record.match_id, places=[row.place for row in record.seats], scores=[row.score for row in record.seats],
        curve=curve,
    )  # fmt: skip
