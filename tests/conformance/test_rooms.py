"""Every room against the laws of the rules engine (arena/conformance), and the laws against broken rooms.

The rooms are those of arena, and two of another distribution (tests/rooms).
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena import conformance
from arena.conformance import LAWS, laws
from arena.engine.room import Game
from arena.games import load, names
from helpers import poker_rooms

pytestmark = pytest.mark.usefixtures("poker")

ROOMS = [*names(), *poker_rooms.NAMES]
SEEDS = st.integers(0, 2**128 - 1)
FILES = ("RULES.md", "rules.py", "rollout.py", "text.py", "view.py", "vectors.jsonl", "playthrough.txt")


def in_fresh_process(code: str, **environment: str) -> str:
    """What a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("room", ROOMS)
def test_law(room, law):
    @settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(seed=SEEDS)
    def holds(seed):
        law(conformance.make_table(load(room), seed))

    holds()


@pytest.mark.parametrize("seats", [1, 2])
@pytest.mark.parametrize("room", ROOMS)
def test_law_at_the_fewest_and_the_most_seats(room, seats):
    game = load(room)
    count = game.seats[0] if seats == 1 else game.seats[-1]
    for law in LAWS:
        law(conformance.Table(game, count, game.resolve_options({}, count), seed=7))


@pytest.mark.parametrize("room", ROOMS)
def test_options_are_exact(room):
    conformance.options_are_exact(load(room))


@pytest.mark.parametrize("room", ROOMS)
def test_every_function_is_compiled_for_one_signature(room):
    code = (
        f"from arena import conformance, games; room = games.load({room!r}); games.warm(room); "
        "conformance.compiled_once(room, 1)"
    )
    in_fresh_process(code, NUMBA_DISABLE_JIT="0")


@pytest.mark.parametrize("room", ROOMS)
def test_the_compiler_changes_nothing(room):
    code = f"from arena import conformance, games; print(conformance.fingerprint(games.load({room!r}), range(4), 60))"
    prints = {in_fresh_process(code, NUMBA_DISABLE_JIT=value) for value in ("0", "1")}
    assert len(prints) == 1


@pytest.mark.parametrize("room", ROOMS)
def test_the_compiler_changes_no_search(room):
    code = f"""
from arena import games, search
room = games.load({room!r})
states = room.deal(room.seats[0], room.resolve_options({{}}, room.seats[0]), 3)
seat = room.engine.current_seat(states)
for method in search.METHODS:
    asked = search.Settings(iterations=12, method=method, world_iterations=5)
    print(search.search(room, room.observed(states, seat), seat, room.legal_list(states), asked).choices)
memory, asked = search.Memory(), search.Settings(iterations=40)
print(search.search(room, room.observed(states, seat), seat, room.legal_list(states), asked, memory).choices)
room.engine.advance(states, room.legal_list(states)[0])
while room.engine.current_seat(states) != seat:
    room.engine.advance(states, room.legal_list(states)[-1])
again = search.search(room, room.observed(states, seat), seat, room.legal_list(states), asked, memory)
print(again.choices)  # this search goes on from the tree of the one before
"""
    prints = {in_fresh_process(code, NUMBA_DISABLE_JIT=value) for value in ("0", "1")}
    assert len(prints) == 1


@pytest.mark.parametrize("room", ROOMS)
def test_playthrough(room):
    """Golden: a difference is a change of the rules, of the deals or of the wording."""
    game = load(room)
    written = (game.folder / "playthrough.txt").read_text(encoding="utf-8")
    assert conformance.playthrough(game) == written, (
        f"if the change is meant: python -m arena.conformance {room} > arena/games/{room}/playthrough.txt, "
        f"and raise VERSION if the rules changed"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_room_has_all_its_files(room):
    missing = {name for name in FILES if not (load(room).folder / name).is_file()}
    assert missing == ({"rollout.py"} if room == "kuhn" else set())  # it shows that a room may do without


@pytest.mark.parametrize("room", ROOMS)
def test_rules_text_names_every_option(room):
    text = (load(room).folder / "RULES.md").read_text(encoding="utf-8")
    assert [option.name for option in load(room).options if f"`{option.name}" not in text] == []


class TestBrokenRooms:
    """Each law must be able to fail: a room with one fault each."""

    GAME = load("naga")

    @staticmethod
    def broken(law: Callable[[conformance.Table], None], game: Game, match: str, seeds: int = 3) -> None:
        with pytest.raises(AssertionError, match=match):
            for seed in range(seeds):
                law(conformance.make_table(game, seed))

    def with_engine(self, **functions: Any) -> Game:
        return replace(self.GAME, engine=replace(self.GAME.engine, **functions))

    def with_text(self, **functions: Any) -> Game:
        return replace(self.GAME, text=SimpleNamespace(**{**vars(self.GAME.text), **functions}))

    def test_shuffled_legal_list(self):
        def backwards(states, out):
            count = self.GAME.engine.legal_actions(states, out)
            out[:count] = out[:count][::-1].copy()
            return count

        self.broken(laws.legal_lists_are_canonical, self.with_engine(legal_actions=backwards), "not ascending")

    def test_observed_stock(self):
        def leaky(states, seat, out):
            self.GAME.engine.observe(states, seat, out)
            out["stock"][0][0] = states["stock"][0][0]

        self.broken(laws.worlds_look_the_same, self.with_engine(observe=leaky), "stock")

    def test_observed_choice(self):
        def leaky(states, seat, out):
            self.GAME.engine.observe(states, seat, out)
            out["pending"] = states["pending"]

        self.broken(laws.simultaneous_choices_are_hidden, self.with_engine(observe=leaky), "the choice shows")

    def test_determinize_that_peeks(self):
        def peeking(states, seat, rng):
            stock = states["stock"].copy()
            self.GAME.engine.determinize(states, seat, rng)
            states["seed"][0][0] = stock[0][0]

        self.broken(laws.observed_state_is_enough, self.with_engine(determinize=peeking), "determinize")

    def test_determinize_that_keeps_the_deal_seed(self):
        def keeping(states, seat, rng):
            seed = states["seed"].copy()
            self.GAME.engine.determinize(states, seat, rng)
            states["seed"] = seed

        self.broken(laws.worlds_look_the_same, self.with_engine(determinize=keeping), "deal seed")

    def test_seen_choice_before_the_reveal(self):
        def telling(states, action, viewer):
            return self.GAME.engine.seen_action(states, action, viewer) or 1 << 50 | action

        self.broken(laws.worlds_look_the_same, self.with_engine(seen_action=telling), "is seen as")

    def test_description_with_hidden_cards(self):
        text = self.with_text(describe=lambda s, seat: self.GAME.text.describe(s, None))
        self.broken(laws.text_needs_what_is_seen, text, "from the observed state")

    def test_masked_position_that_leaves_out_a_key(self):
        def shorter(s, seat):
            document = self.GAME.text.masked_position(s, seat)
            del document["places"]
            return document

        self.broken(laws.masked_position_only_masks, self.with_text(masked_position=shorter), "places")

    def test_texts_that_are_not_unique(self):
        text = self.with_text(action_texts=lambda s, codes: ["field 1" for _ in codes])
        self.broken(laws.notation_round_trips, text, "share a text")

    def test_lenient_parser(self):
        text = self.with_text(parse_action=lambda s, text: self.GAME.text.parse_action(s, " ".join(text.split())))
        self.broken(laws.garbage_is_refused, text, "read as a legal action")

    def test_crash_on_a_damaged_position(self):
        def trusting(document):
            return self.GAME.text.from_position({**document, "hands": [list(hand) for hand in document["hands"]]})

        self.broken(laws.damaged_positions_are_refused, self.with_text(from_position=trusting), "not refused", seeds=20)

    def test_deal_that_ignores_a_seed_word(self):
        def short_sighted(states, seats, options, seed):
            self.GAME.engine.deal(states, seats, options, seed * [1, 1, 0, 1])

        self.broken(laws.same_seed_same_match, self.with_engine(deal=short_sighted), "no effect")

    def with_next_round(self, spoil: Callable[[Any], None]) -> conformance.Table:
        def next_round(s):
            spoil(s)
            self.GAME.rules.next_round(s)

        rules = SimpleNamespace(**{**vars(self.GAME.rules), "next_round": next_round})
        options = self.GAME.resolve_options({"series": "games:2"}, 2)
        return conformance.Table(replace(self.GAME, rules=rules), 2, options, seed=1)

    def test_deal_that_depends_on_play(self):
        def mix(s):
            s.seed[3] ^= s.shown[0]

        with pytest.raises(AssertionError, match="depends on the first round"):
            laws.deals_do_not_depend_on_play(self.with_next_round(mix))

    def test_round_that_is_not_counted(self):
        def forget(s):
            s.round_number -= 1

        with pytest.raises(AssertionError, match="number of round 2"):
            laws.rounds_halt(self.with_next_round(forget))

    def test_places_that_do_not_follow_the_scores(self):
        def everyone_second(states, out):
            out[:] = 2

        self.broken(laws.results_are_in_order, self.with_engine(places=everyone_second), "not a ranking")
