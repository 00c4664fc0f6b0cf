"""Whole matches of Nana Toridori: forfeits where one loses, several winners and their ratings, the house bots' order."""

import math
from functools import partial

import pytest
import trueskill
from msgspec.structs import replace

from arena.agent import Agent, LoadedBot, read_bot
from arena.games import load
from arena.match import play
from arena.match.in_process import InProcessSeat
from arena.match.single_match import agree, play_match
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import Ending
from helpers.paths import HOUSE_BOTS

RANDOM, GREEDY, JOINER = (HOUSE_BOTS / f"{name}.py" for name in ("random_bot", "nanatoridori_greedy", "nanatoridori_joiner"))


class Cheat(Agent):
    """Plays a card that it does not have."""

    def act(self, view):
        return "play 63 9"


class LateCheat(Agent):
    """Plays four decisions by the rules first."""

    def start(self, info):
        self.left = 4

    def act(self, view):
        self.left -= 1
        return view.legal[0] if self.left >= 0 else "pass 0"


def played(bots, *, seed, variant):
    return play_match("nanatoridori", bots, seed=seed, options={"variant": variant})


def places(record):
    return [row.place for row in record.seats]


class TestForfeits:
    """RULES.md 1.3: in a basic match and in a duel the forfeiting seats lose, and nobody else."""

    @pytest.mark.parametrize("seed", range(4))
    def test_without_a_fault_one_loses(self, seed):
        record = played([RANDOM] * 4, seed=seed, variant="basic")
        assert sorted(places(record)) == [1, 1, 1, 4]
        assert [row.score == 0 for row in record.seats] == [row.place == 4 for row in record.seats]

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("seat", range(3))
    def test_only_who_forfeits_loses(self, seed, seat):
        bots = [RANDOM] * 3
        bots[seat] = Cheat
        record = played(bots, seed=seed, variant="basic")
        assert places(record) == [3 if at == seat else 1 for at in range(3)]
        assert record.seats[seat].ending is Ending.ILLEGAL

    def test_somebody_else_may_have_lost_the_last_penguin(self):
        records = [played([Cheat, RANDOM, RANDOM], seed=seed, variant="basic") for seed in range(8)]
        assert any(row.score == 0 and row.place == 1 for record in records for row in record.seats)

    def test_the_earlier_fault_is_lower(self):
        record = played([Cheat, RANDOM, LateCheat, RANDOM], seed=1, variant="basic")
        assert places(record) == [4, 1, 3, 1]

    @pytest.mark.parametrize("seat", range(2))
    def test_duel(self, seat):
        bots = [Cheat, RANDOM] if seat == 0 else [RANDOM, Cheat]
        assert all(places(played(bots, seed=seed, variant="duel"))[seat] == 2 for seed in range(8))

    @pytest.mark.parametrize("seed", range(4))
    def test_in_an_advanced_match_the_others_keep_their_order(self, seed):
        record = played([RANDOM, RANDOM, RANDOM, Cheat], seed=seed, variant="advanced")
        scores = [row.score for row in record.seats[:3]]
        assert places(record) == [*(1 + sum(other > score for other in scores) for score in scores), 4]


class TestRatings:
    """Several winners share place 1, and the package rates them by places in seat order."""

    NAMES = ("alice", "bob", "carol", "dave")

    def rows(self, seed, variant):
        """The same match as rows of four bots."""
        record = played([RANDOM] * 4, seed=seed, variant=variant)
        seats = tuple(replace(row, bot=name) for row, name in zip(record.seats, self.NAMES, strict=True))
        return replace(record, seats=seats, index=seed)

    @pytest.mark.parametrize("variant", ["basic", "advanced"])
    def test_the_package_gives_the_same_numbers(self, variant):
        standings = Standings(RatingSettings(headline="online"))
        environment = trueskill.TrueSkill(tau=0.0, draw_probability=0.1)
        beliefs = {name: environment.create_rating() for name in self.NAMES}
        shared = 0
        for seed in range(12):
            record = self.rows(seed, variant)
            standings.add(record)
            groups = [{row.bot: beliefs[row.bot]} for row in record.seats]
            for group in environment.rate(groups, ranks=places(record)):
                beliefs |= group
            shared += places(record).count(1) > 1
        found = {rating.bot: rating for rating in standings.ratings() if rating.pool == "nanatoridori"}
        assert shared == 12 or variant == "advanced"
        for name, belief in beliefs.items():  # the package's own erfc has seven digits
            assert (found[name].mu, found[name].sigma) == pytest.approx((belief.mu, belief.sigma), abs=1e-4)
        assert sum(rating.wins for rating in found.values()) == sum(
            places(self.rows(seed, variant)).count(1) for seed in range(12)
        )

    def test_winners_gain_and_the_loser_falls(self):
        record = self.rows(3, "basic")
        standings = Standings(RatingSettings())
        standings.add(record)
        mus = {rating.bot: rating.mu for rating in standings.ratings() if rating.pool == "nanatoridori"}
        for row in record.seats:
            assert (mus[row.bot] > 25) == (row.place == 1)
        assert math.isclose(sum(mus.values()), 100)


def pair_share(better, worse, *, seats, variant, deals):
    """Over all pairs of a better and a worse bot, which sit in turn: how often the better one has the better place.

    Every deal is played in all rotations (with an even number of seats there are two); equal places count half.
    """
    points = pairs = 0.0
    for deal in range(deals):
        table = [(seat + deal) % 2 == 0 for seat in range(seats)]
        for rotation in range(seats if seats % 2 else 2):
            mine = table[rotation:] + table[:rotation]
            record = played([better if own else worse for own in mine], seed=deal, variant=variant)
            assert {row.ending for row in record.seats} == {Ending.PLAYED}, record.notes
            for own, row in zip(mine, record.seats, strict=True):
                for other_own, other in zip(mine, record.seats, strict=True):
                    if own and not other_own:
                        pairs += 1
                        points += 1.0 if row.place < other.place else 0.5 if row.place == other.place else 0.0
    return points / pairs


class TestHouseBots:
    """Strong beats greedy beats chance."""

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("seats", "variant", "deals", "share"), [(2, "duel", 30, 0.85), (3, "basic", 5, 0.7), (6, "advanced", 2, 0.75)]
    )
    def test_joining_beats_shedding(self, seats, variant, deals, share):
        assert pair_share(JOINER, GREEDY, seats=seats, variant=variant, deals=deals) > share

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("seats", "variant", "deals", "share"), [(2, "duel", 40, 0.55), (3, "basic", 5, 0.7), (6, "advanced", 3, 0.65)]
    )
    def test_shedding_beats_chance(self, seats, variant, deals, share):
        assert pair_share(GREEDY, RANDOM, seats=seats, variant=variant, deals=deals) > share

    def test_an_unknown_knob_is_refused(self):
        setup = agree("nanatoridori", ["joiner", "joiner"], seed=1)
        bot = read_bot(JOINER)
        table = [InProcessSeat(partial(LoadedBot, bot), 1, params) for params in ({"patience": 0.2}, {"patient": 0.2})]
        record = play(load("nanatoridori"), setup, table)
        for seat in table:
            seat.__exit__()
        assert [row.ending for row in record.seats] == [Ending.PLAYED, Ending.STARTUP]
        assert "'patient'" in record.notes[0]
