"""Luck worked out from logs: exact in a game of six cards, fair in all games, and the same whoever sits where."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from arena import games
from arena.audit.laws import make_table, parts
from arena.engine.chance import DEALT, DRAWN, SAMPLES, STATES
from arena.engine.rng import seed_words
from arena.errors import ConfigError
from arena.games import load
from arena.games.yaniv.state import STOCK
from arena.ratings.simple_matches import play_searched_matches
from helpers import poker_rooms

NO_VALUES = np.zeros((0, 2))


def worked_out(game, seed, actions, *, until=None, stream=9, values=NO_VALUES, options=None):
    """The corrections [moments, kinds, seats] of a match of two seats, and the number of its chance events."""
    options = game.options_vector(game.resolve_options(options or {}, 2))
    states, out = np.zeros(STATES, game.rules.STATE), np.zeros((len(actions) + 1, 2, 2))
    log = np.array(actions, np.int64)
    events = games.ready_luck(game).corrections(
        states, 2, options, seed_words(seed), seed_words(stream), log, len(log) if until is None else until, game.constants,
        out, values,
    )  # fmt: skip
    return out, events


@pytest.fixture(scope="module")
def poker_luck(tmp_path_factory):
    """Leduc hold'em is installed; no more of it is compiled than luck and its laws need."""
    with poker_rooms.installed(poker_rooms.GAMES, tmp_path_factory.mktemp("installed")):
        games.ready_luck(load("leduc"))
        yield


@pytest.mark.usefixtures("poker_luck")
class TestLeduc:
    """Six cards: all that may be dealt can be counted."""

    @staticmethod
    def seeds_of_all_deals(game):
        """A seed of each way to deal two hands and the public card."""
        found, seed = {}, 0
        while len(found) < 6 * 5 * 4:
            seed += 1
            cards = tuple(int(card) for card in game.deal(2, game.resolve_options({}, 2), seed)["cards"][0][:3])
            found.setdefault(cards, seed)
        return found

    @staticmethod
    def played(game, seed):
        """A match by players who go by their cards: what one of them sees decides what it does."""
        states, actions = game.deal(2, game.resolve_options({}, 2), seed), []
        while not game.engine.is_terminal(states):
            seat = game.engine.current_seat(states)
            codes = game.legal_list(states)
            seen = game.observed(states, seat)["cards"][0]
            actions.append(codes[(int(seen[seat]) + 2 * int(seen[2]) + len(actions)) % len(codes)])
            game.engine.advance(states, actions[-1])
        return actions

    def test_the_public_card_is_neither_good_nor_bad_luck_on_average_exactly(self):
        game = load("leduc")
        seeds = self.seeds_of_all_deals(game)
        seen = 0
        for hands in permutations(range(6), 2):
            drawn = [
                worked_out(game, seeds[cards], self.played(game, seeds[cards]))[0][:, DRAWN].sum(axis=0)
                for cards in seeds
                if cards[:2] == hands
            ]
            assert np.mean(drawn, axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
            seen += np.any(np.abs(drawn) > 0.01)
        assert seen > 10  # else nothing was tested: a fold before the public card is no luck

    def test_the_deal_is_held_against_deals_of_the_same_distribution(self):
        """Over all deals and many samples: value of the deal less value of a deal."""
        game = load("leduc")
        seeds = self.seeds_of_all_deals(game)
        dealt = [worked_out(game, seed, [], stream=number)[0][0, DEALT] for number, seed in enumerate(seeds.values())]
        error = np.std(dealt, axis=0) / np.sqrt(len(dealt))
        assert (np.abs(np.mean(dealt, axis=0)) < 3 * error).all() and (error > 0.005).all()

    def test_a_room_without_chance_has_no_luck(self):
        assert games.has_luck("leduc") and not games.has_luck("kuhn")
        with pytest.raises(ConfigError, match=r"kuhn.* has no chance.py"):
            games.luck(load("kuhn"))

    def test_a_value_that_peeks_is_found(self, monkeypatch):
        luck = games.ready_luck(load("leduc"))

        def peeking(states, constants, out):
            luck.value(states, constants, out)
            out[0] += states["cards"][0][4]

        monkeypatch.setattr(games, "ready_luck", lambda game: replace(luck, value=peeking))
        with pytest.raises(AssertionError, match="the value peeks"):
            self.checked(parts.redrawing_shows_nothing)

    def test_an_event_that_is_not_declared_is_found(self, monkeypatch):
        luck = games.ready_luck(load("leduc"))
        monkeypatch.setattr(games, "ready_luck", lambda game: replace(luck, alternatives=lambda states, action: 0))
        with pytest.raises(AssertionError, match="chance decides"):
            self.checked(parts.chance_is_declared)

    def test_alternatives_that_leave_one_out_are_found(self, monkeypatch):
        luck = games.ready_luck(load("leduc"))
        monkeypatch.setattr(
            games, "ready_luck", lambda game: replace(luck, alternatives=lambda *at: max(0, luck.alternatives(*at) - 1))
        )
        with pytest.raises(AssertionError, match=r"have probability 0\.75"):
            self.checked(parts.chance_is_declared)

    def test_alternatives_that_are_not_drawn_so_are_found(self, monkeypatch):
        luck = games.ready_luck(load("leduc"))

        def first_only(states, action, alternative):
            luck.arrange(states, action, 1)
            return 1.0 if alternative == 0 else 0.0

        monkeypatch.setattr(games, "ready_luck", lambda game: replace(luck, arrange=first_only))
        with pytest.raises(AssertionError, match="standard errors"):
            self.checked(parts.alternatives_are_drawn)

    @staticmethod
    def checked(law):
        for seed in range(40):
            law(make_table(load("leduc"), seed))


@pytest.mark.parametrize(
    ("name", "seats", "deals"),
    [("yaniv", 2, 6), ("nanatoridori", 3, 10), ("naga", 2, 30), ("hisatsu", 3, 40), ("nertz", 2, 3)],
)
def test_nobody_is_lucky_on_average(name, seats, deals):
    """Seats that hardly search beside seats that play well: the correction asks for neither."""
    played = play_searched_matches(load(name), seats, range(deals), (1, 8))
    assert played.worst() < 3.5  # of four to six means at once
    assert played.events > deals and (played.luck.sum(axis=2).std(axis=0) > 0.01).all()


def test_first_deals_cancel_at_tables_of_two_with_both_seatings():
    game = load("yaniv")
    played = play_searched_matches(game, 2, range(5, 6), (1, 8), options={"max_rounds": 1})
    (first, second), (other, back) = played.by_seat[0, :, DEALT]
    assert (first, second) == (other, back) and first != 0.0


def test_luck_ends_where_it_is_told_to():
    game = load("naga")
    states, actions = game.deal(2, game.resolve_options({}, 2), 3), []
    while not game.engine.is_terminal(states):
        actions.append(game.legal_list(states)[0])
        game.engine.advance(states, actions[-1])
    whole, events = worked_out(game, 3, actions)
    part, fewer = worked_out(game, 3, actions, until=7)
    assert (part[:8] == whole[:8]).all() and not part[8:].any() and whole[8:].any() and fewer < events
    nothing, none = worked_out(game, 3, actions, until=-1)
    assert not nothing.any() and none == 0


def test_luck_and_choices_add_up_to_what_the_match_was_worth():
    """The value goes from moment to moment by chance and by choice; what chance gave is the corrections."""
    game = load("yaniv")
    states, actions = game.deal(2, game.resolve_options({"max_rounds": 2}, 2), 8), []
    while not game.engine.is_terminal(states):
        actions.append(game.legal_list(states)[-1])
        game.engine.advance(states, actions[-1])
    values = np.zeros((len(actions) + 1, 2))
    found, _ = worked_out(game, 8, actions, values=values, options={"max_rounds": 2})
    assert values.sum(axis=1) == pytest.approx(np.ones(len(values)))  # one of two finishes before the other
    assert found.sum(axis=2) == pytest.approx(np.zeros(found.shape[:2]), abs=1e-12)
    assert values.min() >= 0.0 and values[-1].max() in (0.5, 1.0)


def test_a_sample_through_many_alternatives_is_unbiased_and_errs_less_than_a_blind_one():
    """A card drawn from a large stock of Yaniv: over many streams the mean is that over all cards."""
    game = load("yaniv")
    luck, options = games.ready_luck(game), game.resolve_options({}, 2)
    states = game.deal(2, options, 4)
    discard = game.legal_list(states)[-1]
    game.engine.advance(states, discard)
    ways = luck.alternatives(states, STOCK)
    assert ways > 2 * SAMPLES
    values = []
    for alternative in range(ways):
        world, found = states.copy(), np.zeros(2)
        assert luck.arrange(world, STOCK, alternative) == pytest.approx(1 / ways)
        game.engine.step(world, STOCK)
        luck.value(world, game.constants, found)
        values.append(found[0])
    game.engine.step(states, STOCK)
    luck.value(states, game.constants, found)
    drawn = np.array([worked_out(game, 4, [discard, STOCK], stream=stream)[0][2, DRAWN, 0] for stream in range(400)])
    blind = np.std(values) / np.sqrt(SAMPLES)
    assert np.mean(drawn) == pytest.approx(found[0] - np.mean(values), abs=4 * blind / np.sqrt(len(drawn)))
    assert 0.0 < np.std(drawn) < 0.9 * blind


@pytest.mark.parametrize("name", ["naga", "yaniv", "nertz"])
def test_a_log_is_played_in_one_call_as_step_by_step(name):
    game, stream, actions = load(name), np.random.default_rng(5), []
    states = game.deal(2, game.resolve_options({}, 2), 6)
    begun = states.copy()
    while not game.engine.is_terminal(states):
        actions.append(int(stream.choice(game.legal_list(states))))
        game.engine.advance(states, actions[-1])
    log, again = np.array(actions, np.int64), begun.copy()
    assert game.engine.play_log(again, log, log, game.new_actions()) == len(log) and again.tobytes() == states.tobytes()
    longer = np.append(log, log[-1])  # nothing is legal after the end
    assert game.engine.play_log(begun.copy(), longer, longer, game.new_actions()) == len(log)
    log[len(log) // 2] = -1
    assert game.engine.play_log(begun.copy(), log, log, game.new_actions()) == len(log) // 2
