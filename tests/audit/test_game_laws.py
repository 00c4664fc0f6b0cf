"""Every game against the laws of the rules engine (arena/audit/laws), and the laws against broken games.

The games are those of arena, and two of another distribution (tests/rooms).
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena import search
from arena.audit import laws as conformance
from arena.audit.laws import LAWS, laws, parts
from arena.engine.game import Game
from arena.games import load, names
from helpers import poker_rooms
from helpers.once import once

pytestmark = pytest.mark.usefixtures("poker")

GAMES = [*names(), *poker_rooms.NAMES]
SEEDS = st.integers(0, 2**128 - 1)
FEW = 2
LONG = ("nertz", FEW)
"""A match of Nertz is as long as several of others: there one is enough."""
MANY = 6 if "ARENA_TEST_ALL" in os.environ else 4
FILES = ("RULES.md", "rules.py", "rollout.py", "text.py", "view.py", "vectors.jsonl", "playthrough.txt")


COMPILED_ONCE = """
import json
import sys
from arena import games
from arena.audit import laws as conformance

for name in sys.argv[1:]:
    game = games.load(name)
    games.warm(game)
    try:
        conformance.compiled_once(game, 1)
        answer = ""
    except AssertionError as error:
        answer = str(error) or "failed"
    print(json.dumps([name, answer]))
"""
COMPARED = """
import json
import sys
from arena import games, search
from arena.audit import laws as conformance

methods_of = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    game = games.load(name)
    played = conformance.fingerprint(game, range(2), 60)
    states = game.deal(game.seats[0], game.resolve_options({}, game.seats[0]), 3)
    seat = game.engine.current_seat(states)
    found = []
    methods = methods_of.get(name) or list(search.METHODS)
    for method in methods:
        asked = search.Settings(iterations=8, method=method, world_iterations=4)
        found.append(search.search(game, game.observed(states, seat), seat, game.legal_list(states), asked))
    memory, asked = search.Memory(), search.Settings(iterations=20, method=methods[0])
    found.append(search.search(game, game.observed(states, seat), seat, game.legal_list(states), asked, memory))
    game.engine.advance(states, game.legal_list(states)[0])
    while game.engine.current_seat(states) != seat:
        game.engine.advance(states, game.legal_list(states)[-1])
    # this search goes on from the tree of the one before
    found.append(search.search(game, game.observed(states, seat), seat, game.legal_list(states), asked, memory))
    print(json.dumps([name, {"played": played, "searched": [str(one.choices) for one in found]}]))
"""
HELD = """
import json
import sys
from arena import games
from arena.audit import laws as conformance

SHORT = {"nertz": {"tick_limit": 40, "max_rounds": 2}, "yaniv": {"limit": 30}}  # without the compiler a match takes long
for name in sys.argv[1:]:
    game = games.load(name)
    options = game.resolve_options(SHORT.get(name, {}), game.seats[0])
    for law in conformance.LAWS:
        law(conformance.Table(game, game.seats[0], options, seed=1))
    print(json.dumps([name, conformance.fingerprint(game, range(2), 400)]))
"""
FINGERPRINT = """
import json
import sys
from arena import games
from arena.audit import laws as conformance

for name in sys.argv[1:]:
    print(json.dumps([name, conformance.fingerprint(games.load(name), range(2), 400)]))
"""


def in_fresh_process(code: str, words: Sequence[str], *, compiler: bool) -> dict[str, Any]:
    """What a new interpreter finds of each of the games. `words`: the games; COMPARED has some methods before them."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": str(int(not compiler))},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("matches", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_law(game, law, matches):
    @settings(max_examples=1 if (game, matches) == LONG else matches, suppress_health_check=[HealthCheck.too_slow])
    @given(seed=SEEDS)
    def holds(seed):
        law(conformance.make_table(load(game), seed))

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("seats", [1, 2])
@pytest.mark.parametrize("loaded", GAMES)
def test_law_at_the_fewest_and_the_most_seats(loaded, seats):
    game = load(loaded)
    count = game.seats[0] if seats == 1 else game.seats[-1]
    for law in LAWS:
        law(conformance.Table(game, count, game.resolve_options({}, count), seed=7))


@pytest.mark.parametrize("game", GAMES)
def test_options_are_exact(game):
    conformance.options_are_exact(load(game))


@pytest.mark.parametrize(
    ("game", "all_games"),
    [(game, poker_rooms.NAMES) for game in poker_rooms.NAMES]
    + [pytest.param(game, names(), marks=pytest.mark.slow) for game in names()],
)
def test_every_function_is_compiled_for_one_signature(game, all_games, tmp_path_factory):
    found = once(
        tmp_path_factory, f"signatures-of-{all_games[0]}", lambda: in_fresh_process(COMPILED_ONCE, all_games, compiler=True)
    )
    assert found[game] == ""


@pytest.mark.parametrize("what", ["played", "searched"])
@pytest.mark.parametrize("game", GAMES)
def test_the_compiler_changes_nothing(game, what, tmp_path_factory):
    def find() -> list[dict[str, Any]]:
        words = [json.dumps({"leduc": [poker_rooms.LEDUC_METHOD]}), *GAMES]
        return [in_fresh_process(COMPARED, words, compiler=compiler) for compiler in (True, False)]

    with_compiler, without = (found[game][what] for found in once(tmp_path_factory, "compared", find))
    assert with_compiler == without


@pytest.mark.slow
def test_the_compiler_changes_no_search_of_the_game_whose_searches_are_not_all_compiled_for_quick_tests():
    with_compiler, without = (in_fresh_process(COMPARED, ["{}", "leduc"], compiler=compiler) for compiler in (True, False))
    assert with_compiler == without and len(with_compiler["leduc"]["searched"]) == len(search.METHODS) + 2


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_all_laws_hold_without_the_compiler(game):
    """Numbers of numpy overflow where compiled ones are wide; a warning is an error here. What is played is the same, too."""
    found = [in_fresh_process(HELD if not compiler else FINGERPRINT, [game], compiler=compiler) for compiler in (True, False)]
    assert found[0] == found[1]


@pytest.mark.parametrize("loaded", GAMES)
def test_playthrough(loaded):
    """Golden: a difference is a change of the rules, of the deals or of the wording."""
    game = load(loaded)
    written = (game.folder / "playthrough.txt").read_text(encoding="utf-8")
    assert conformance.playthrough(game) == written, (
        f"if the change is meant: python -m arena.audit.laws {game} > arena/games/{game}/playthrough.txt, "
        f"and raise VERSION if the rules changed"
    )


@pytest.mark.parametrize("game", GAMES)
def test_room_has_all_its_files(game):
    missing = {name for name in FILES if not (load(game).folder / name).is_file()}
    assert missing == ({"rollout.py"} if game == "kuhn" else set())  # it shows that a game may do without


@pytest.mark.parametrize("game", GAMES)
def test_rules_text_names_every_option(game):
    text = (load(game).folder / "RULES.md").read_text(encoding="utf-8")
    assert [option.name for option in load(game).options if f"`{option.name}" not in text] == []


class TestBrokenRooms:
    """Each law must be able to fail: a game with one fault each."""

    GAME = load("naga")
    LISTED = load("hisatsu")
    """A game that lists worlds."""

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

    def test_listed_world_that_shows_the_truth(self):
        self.broken(parts.listed_worlds_fit, self.with_worlds(nth_world=lambda *_: 1.0), "shows what is hidden")

    def test_world_that_is_not_listed(self):
        def fewer(s, seat):
            return max(1, self.LISTED.rollout.count_worlds(s, seat) - 1)

        self.broken(parts.no_world_is_left_out, self.with_worlds(count_worlds=fewer), "not among them")

    def with_worlds(self, **functions: Any) -> Game:
        return replace(self.LISTED, rollout=SimpleNamespace(**{**vars(self.LISTED.rollout), **functions}))

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
