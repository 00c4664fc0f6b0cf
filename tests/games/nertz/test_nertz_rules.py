"""Nertz's course of a match (RULES.md 4.1-4.5): set-up, teams, options, invariants of random matches, refused positions."""

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ConfigError, PositionError
from arena.games import names
from arena.match import play
from arena.match.single_match import agree, bot_seat, named
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from helpers.nertz_tables import DECK, GAME, RANKS, after, copy, deal, legal, made, masked, position, read, ticks
from helpers.paths import HOUSE_BOTS

SEEDS = st.integers(0, 2**128 - 1)
SHORT = {"max_rounds": 3}
GREEDY = HOUSE_BOTS / "nertz_greedy.py"
KINGS = [["SK"], ["CK"], ["SQ"], ["CQ"]]


def cards_of(document):
    """By unit: all its cards, wherever they are."""
    decks = []
    for unit, layout in enumerate(document["units"]):
        laid = [
            pile["suit"] + RANKS[rank]
            for pile in document["foundations"]
            for rank, owner in enumerate(pile["units"])
            if owner == unit
        ]
        decks.append([*layout["nertz"], *itertools.chain(*layout["work"]), *layout["stock"], *layout["waste"], *laid])
    return decks


def colour(card):
    return card[0] in "HD"


class TestSetUp:
    """4.1: decks, layouts, teams."""

    @pytest.mark.parametrize("seats", [2, 3, 4, 5, 6, 8, 10, 12])
    def test_every_unit_has_a_deck_of_its_own(self, seats):
        start = position(deal(seats=seats))
        units = seats if seats <= 6 else seats // 2
        assert len(start["units"]) == len(start["totals"]) == units
        for layout, deck in zip(start["units"], cards_of(start), strict=True):
            assert [len(layout["nertz"]), *map(len, layout["work"]), len(layout["stock"])] == [13, 1, 1, 1, 1, 35]
            assert sorted(deck) == sorted(DECK)
        assert len({json.dumps(layout) for layout in start["units"]}) == units
        assert sorted(start["priority"]) == list(range(seats))

    @pytest.mark.parametrize(
        ("seats", "teams", "units"), [(6, "auto", 6), (6, True, 3), (6, False, 6), (8, "auto", 4), (12, True, 6)]
    )
    def test_partners_sit_side_by_side(self, seats, teams, units):
        options = GAME.resolve_options({"teams": teams}, seats)
        assert GAME.units(seats, options) == tuple(seat * units // seats for seat in range(seats))

    @pytest.mark.parametrize(("seats", "teams"), [(2, True), (4, True), (5, True), (8, False), (12, False)])
    def test_other_teams_are_refused(self, seats, teams):
        with pytest.raises(ConfigError, match=r"options\.teams"):
            GAME.resolve_options({"teams": teams}, seats)

    @pytest.mark.parametrize("seats", [1, 7, 9, 11, 13])
    def test_other_tables_are_refused(self, seats):
        with pytest.raises(ConfigError, match="seats"):
            GAME.check_seats(seats)

    @pytest.mark.parametrize("delays", [[1], [1, 1, 1], [[1, 1], 1], -1, 1001, "fast", [True, 1], [1.5, 1], [[[1]] * 5, 1]])
    def test_wrong_delays_are_refused(self, delays):
        with pytest.raises(ConfigError, match=r"options\.delays"):
            GAME.resolve_options({"latency": "declared", "delays": delays}, 2)

    def test_delays_are_written_out(self):
        assert GAME.resolve_options({"latency": "declared"}, 2)["delays"] == [[1] * 5] * 2
        assert GAME.resolve_options({"latency": "declared", "delays": 2}, 2)["delays"] == [[2] * 5] * 2
        assert GAME.resolve_options({"latency": "declared", "delays": [0, [1, 2, 3, 4, 5]]}, 2)["delays"] == [
            [0] * 5,
            [1, 2, 3, 4, 5],
        ]
        with pytest.raises(ConfigError, match=r"options\.delays"):
            GAME.resolve_options({"delays": 1}, 2)


class TestTeams:
    """4.3, 3: mates on a common layout."""

    def team(self, layout, actions, foundations=(), priority=(0, 1, 2, 3, 4, 5), **options):
        others = [{"work": KINGS} for _ in range(2)]
        document = made([layout, *others], foundations, seats=6, options={"teams": True, **options}, priority=list(priority))
        return after(document, *actions, "wait", "wait", "wait", "wait")

    def test_a_mate_may_not_play_a_card_that_it_had_not_seen(self):
        layout = {"nertz": ["S4", "S3"], "work": KINGS}
        done = self.team(layout, ["nertz found", "nertz found"], (("S", [1, 1]), ("S", [2, 2])))
        assert done["failed"] == [1]
        assert done["units"][0]["nertz"][-1] == "S4"
        assert [len(pile["units"]) for pile in done["foundations"]] == [3, 2]  # the failed move has used up no foundation

    def test_either_order_gives_one_success(self):
        layout = {"nertz": ["S4", "S3"], "work": KINGS}
        done = self.team(layout, ["nertz found", "nertz found"], (("S", [1, 1]),), priority=(5, 4, 1, 0, 3, 2))
        assert done["failed"] == [0]

    def test_only_one_flip_in_a_tick(self):
        done = self.team({"work": KINGS, "stock": ["S2", "H2", "D2", "C2"]}, ["flip", "flip"])
        assert (done["failed"], done["units"][0]["waste"]) == ([1], ["S2", "H2", "D2"])

    def test_teams_are_rated_as_teams(self):
        """Mates share unit, place and score, and gain alike; TrueSkill sees groups, as the package called directly."""
        setup = agree("nertz", [f"bot_{seat}" for seat in range(8)], seed=2, options={"max_rounds": 1, "tick_limit": 60})
        table = [bot_seat(named(GREEDY, Path()), bot_seed) for bot_seed in setup.bot_seeds]
        record = play(GAME, setup, table)
        assert [row.unit for row in record.seats] == [0, 0, 1, 1, 2, 2, 3, 3]
        standings = Standings(RatingSettings(draw_probability=0.1))
        standings.add(record)
        mus = {rating.bot: rating.mu for rating in standings.ratings() if rating.pool == "nertz"}
        places = [record.seats[seat].place for seat in range(0, 8, 2)]
        environment = trueskill.TrueSkill(tau=0.0)
        groups = environment.rate([(environment.create_rating(),) * 2] * 4, ranks=places)
        for team, group in enumerate(groups):
            first, second = record.seats[2 * team], record.seats[2 * team + 1]
            assert (first.place, first.score) == (second.place, second.score)
            assert [mus[first.bot], mus[second.bot]] == pytest.approx([belief.mu for belief in group], abs=1e-4)
        assert len(set(places)) > 1


class TestInvariants:
    """4.6 of the source rules, over random matches."""

    @settings(max_examples=25)
    @given(seed=SEEDS, seats=st.sampled_from(GAME.seats), partial=st.booleans(), empty=st.booleans(), flip=st.integers(1, 5))
    def test_cards_foundations_and_points_hold(self, seed, seats, partial, empty, flip):
        options = {"partial_moves": partial, "empty_from_work": empty, "flip": flip, "max_rounds": 2, "tick_limit": 150}
        for tick in itertools.islice(ticks(seed, seats, **options), 0, None, 7):
            before = tick.before
            assert all(sorted(deck) == sorted(DECK) for deck in cards_of(before))
            owners = Counter(
                (pile["suit"], rank, owner) for pile in before["foundations"] for rank, owner in enumerate(pile["units"])
            )
            assert max(owners.values(), default=0) <= 1, "cards of one rank and suit have different backs"
            for layout in before["units"]:
                for pile in layout["work"]:
                    assert all(
                        RANKS.index(low[1]) == RANKS.index(high[1]) + 1 and colour(low) != colour(high)
                        for low, high in itertools.pairwise(pile)
                    )

    @settings(max_examples=15)
    @given(seed=SEEDS, seats=st.sampled_from(GAME.seats))
    def test_a_round_brings_what_lies_in_the_middle_less_the_nertz_piles(self, seed, seats):
        options = {"max_rounds": 2, "tick_limit": 100, "call_bonus": 7}
        for tick in ticks(seed, seats, **options):
            if GAME.engine.is_round_over(tick.states):
                s, units = tick.states[0], len(tick.before["units"])
                points = [int(s.totals[unit]) - tick.before["totals"][unit] for unit in range(units)]
                sizes = sum(int(s.pile_size[k]) for k in range(s.num_piles))
                left = sum(int(s.num_nertz[unit]) for unit in range(units))
                assert sum(points) == sizes - 2 * left + 7 * bool(s.caller)
                assert all(-26 <= number <= 52 + 7 for number in points)
                if s.caller:
                    assert s.num_nertz[(s.caller - 1) >> int(s.teams)] == 0

    @settings(max_examples=15)
    @given(seed=SEEDS, seats=st.sampled_from(GAME.seats))
    def test_a_round_ends_within_the_bound(self, seed, seats):
        """4.3: 100 progress moves a unit, and (stuck_limit + 1) * stall_window ticks without any."""
        options = {"stall_window": 9, "stuck_limit": 2, "max_rounds": 1}
        played = list(ticks(seed, seats, **options))
        units = len(played[0].before["units"])
        assert len(played) <= (100 * units + 1) * 3 * 9
        without = 0
        for tick in played:
            without = 0 if tick.states[0].stall == 0 and tick.states[0].stuck == 0 else without + 1
            assert without <= 3 * 9

    def test_waiting_for_ever_ends_too(self):
        states, count = deal(seats=4), 0
        while not GAME.engine.is_round_over(states):
            GAME.engine.step(states, 0)
            count += 1
        assert count == 4 * 5 * 4  # four times idle_window, the last of them blocks

    @settings(max_examples=15)
    @given(seed=SEEDS)
    def test_turning_the_waste_over_restores_the_order(self, seed):
        states = deal(seed)
        stock = position(states)["units"][0]["stock"]
        for _ in range(13):
            for action in (1, 0):
                GAME.engine.step(states, action)
        unit = position(states)["units"][0]
        assert (unit["stock"], unit["waste"]) == (stock, [])

    @settings(max_examples=10)
    @given(seed=SEEDS, seats=st.sampled_from((2, 4, 6)))
    def test_legality_does_not_depend_on_other_layouts(self, seed, seats):
        for tick in itertools.islice(ticks(seed, seats, **SHORT), 5, 60, 9):
            document = tick.before
            own = document["units"][0]
            swapped = {**document, "units": [own, *document["units"][2:], document["units"][1]]}
            names_of = {0: 0, **{unit: (unit - 2) % (seats - 1) + 1 for unit in range(1, seats)}}
            swapped["foundations"] = [
                {"suit": pile["suit"], "units": [names_of[owner] for owner in pile["units"]]}
                for pile in document["foundations"]
            ]
            swapped["memory"] = None
            assert legal(read(swapped)) == legal(read(document))


class TestRefusals:
    """A position is hostile input: what breaks conservation is refused, with the key."""

    def document(self, **rest):
        return position(deal(3)) | {"rng": None} | rest

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"tick": 20_000}, "tick"),
            ({"idle": 5}, "idle"),
            ({"stall": 60}, "stall"),
            ({"stuck": 4}, "stuck"),
            ({"round": 51}, "round"),
            ({"totals": [100, 0]}, "totals"),
            ({"totals": [0, 0, 0]}, "totals"),
            ({"caller": 1}, "caller"),
            ({"failed": [1, 0]}, "failed"),
            ({"failed": [2]}, "failed"),
            ({"due": [1, None]}, "due"),
            ({"pending": ["wait", None]}, "pending"),
            ({"turn": 1, "pending": ["call", None]}, "pending"),
            ({"turn": 1, "pending": ["wait", "wait"]}, "pending"),
            ({"priority": [1, 1]}, "priority"),
            ({"priority": [1]}, "priority"),
            ({"starter": 0}, "starter"),
            ({"phase": "over", "turn": None, "priority": None, "pending": None}, "phase"),
            ({"memory": {"seen": ["0", "0"]}}, "memory.seen"),
            ({"memory": {"seen": "0"}}, "memory.seen"),
            ({"memory": {"moves": ["wait", None]}}, "memory.moves"),
            ({"memory": {"moves": ["begun", None]}}, "memory.moves"),
            ({"memory": {"since": [1, None]}}, "memory.since"),
            ({"memory": {"other": 1}}, "memory"),
            ({"foundations": [{"suit": "S", "units": [0] * 14}]}, "foundations"),
            ({"foundations": [{"suit": "S"}]}, "foundations"),
            ({"foundations": [{"suit": "S", "units": [5]}]}, "foundations"),
            ({"foundations": [{"suit": "S", "units": [0]}] * 25}, "foundations"),
            ({"units": [{}, {}]}, "units"),
            ({"units": [{"cards": []}, {}]}, "units"),
        ],
    )
    def test_refused_with_its_key(self, change, message):
        with pytest.raises(PositionError, match=rf"^{message}"):
            read(self.document(**change))

    def test_a_nertz_pile_of_fourteen(self):
        document = self.document()
        unit = document["units"][0]
        unit["nertz"] = [unit["work"][0].pop(), *unit["nertz"]]
        with pytest.raises(PositionError, match=r"units\[0\]\.nertz"):
            read(document)

    def test_a_waste_that_nobody_has_seen(self):
        states = deal(3)
        for action in (1, 0):
            GAME.engine.step(states, action)
        document = position(states)
        document["memory"]["seen"] = ["0" * 35] * 2
        with pytest.raises(PositionError, match=r"memory\.seen\[0\]"):
            read(document)

    def test_a_running_move_that_does_not_go_with_its_delay(self):
        options = {"latency": "declared", "delays": 2}
        document = position(deal(3, **options))
        running = {**document, "tick": 5, "pending": ["flip", None], "due": [6, None]}
        assert legal(read(running)) == ["wait"]
        for due in (5, 7, None):
            refused = {**running, "due": [due, None]}
            if due == 5:
                assert legal(read(refused)) == ["wait"]  # chosen in tick 3
                continue
            with pytest.raises(PositionError, match=r"(due|pending)\[0\]"):
                read(refused)


def test_priority_is_uniform_and_depends_on_the_tick_alone():
    orders = Counter(tuple(tick.before["priority"]) for seed in range(6) for tick in ticks(seed, 3, max_rounds=4))
    total = sum(orders.values())
    assert len(orders) == 6
    assert sum((count - total / 6) ** 2 / (total / 6) for count in orders.values()) < 20.5  # chi-square, 5 degrees: 0.1 %
    first, second = (position(deal(9, 4))["priority"] for _ in range(2))
    assert first == second


def test_priority_is_never_shown():
    states = deal(5, 4)
    assert masked(states, 0)["priority"] == ["?"] * 4
    seen = {
        GAME.observed(read(position(states) | {"priority": list(order)}), 2).tobytes()
        for order in itertools.permutations(range(4))
    }
    assert len(seen) == 1


def test_copies_go_on_alike():
    assert "nertz" in names()
    states = deal(5, 4)
    other = copy(states)
    for number in range(400):
        codes = GAME.legal_list(states)
        for table in (states, other):
            GAME.engine.advance(table, codes[number % len(codes)])
    assert states.tobytes() == other.tobytes()
