"""Bots and policies of OpenSpiel as bots of arena: what they are shown and choose, and what is said if it is missing."""

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms.cfr import CFRSolver
from open_spiel.python.algorithms.ismcts import ISMCTSBot

from arena.errors import ConfigError
from arena.games import load
from arena.learning.openspiel import ArenaGame, ArenaState, OpenSpielAgent, Rollouts, register_all, setups
from arena.learning.openspiel.nodes import Node
from arena.learning.openspiel.policies import end_game, read_policy, solved, write_policy
from arena.match import MatchSetup
from arena.match.single_match import agree, play_match
from arena.records import Ending
from helpers.paths import DOCS, HOUSE_BOTS

GUEST = HOUSE_BOTS / "openspiel.py"
RANDOM = HOUSE_BOTS / "random_bot.py"


@pytest.fixture(autouse=True, scope="module")
def rooms(poker: None) -> None:
    """Kuhn poker and Leduc hold'em are registered, too."""
    register_all()


class Noting(OpenSpielAgent):
    """Plays the last legal action of the state that it is shown, and notes what it has learnt."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.true: list[bytes] = []

    def player(self, game: ArenaGame, seat: int) -> "Noting":
        return self

    def action_probabilities(self, state: ArenaState, player: int) -> dict[int, float]:
        assert state.current_player() == player and state.history() == [] and state.node is not None
        self.notes.append(state.information_state_string(player))
        self.true.append(state.node.states.tobytes())
        return {action: float(action == state.legal_actions()[-1]) for action in state.legal_actions()}


def setup_of_match(game: str, seats: int, seed: int) -> MatchSetup:
    return agree(game, ["Noting"] * seats, seed=seed)


@pytest.mark.parametrize(("game", "seats"), [("naga", 2), ("hisatsu", 3), ("kuhn", 2)])
def test_a_seat_in_the_server_learns_what_a_player_in_openspiel_does(game: str, seats: int) -> None:
    """So a policy that was learnt there finds its information states here."""
    table = [Noting() for _ in range(seats)]
    record = play_match(game, table, seed=5)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}
    openspiel: ArenaGame = pyspiel.load_game(f"arena_{game}(players={seats})")
    node = Node(openspiel.setup, openspiel.setup.deal(setup_of_match(game, seats, 5).deal_seed))
    places, hidden = [0] * seats, False
    for action in record.actions:
        seat = node.seat
        if len(node.codes) > 1:
            assert table[seat].notes[places[seat]] == f"seat {seat} {node.known(seat).hex()}"
            hidden |= table[seat].true[places[seat]] != node.states.tobytes()
            places[seat] += 1
        node = node.after(action)
    assert node.is_over and places == [len(one.notes) for one in table]
    assert hidden, "no bot is given the true state"


def test_a_policy_is_kept_in_a_file_and_played(tmp_path: Path) -> None:
    game: ArenaGame = pyspiel.load_game("arena_kuhn(deals=-1,reward=score)")
    solver = CFRSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    table, path = solver.average_policy(), tmp_path / "kuhn.json"
    write_policy(path, game, table)
    read = read_policy(path, game)
    state = game.new_initial_state().child(0)
    assert read.action_probabilities(state) == pytest.approx(table.action_probabilities(state))
    record = play_match("kuhn", [GUEST, GUEST], seed=1, params=[{"player": "policy", "policy": str(path)}] * 2)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}
    with pytest.raises(ConfigError, match=r"kuhn.json is one of arena_kuhn\(.*\), not of arena_leduc\(\)"):
        read_policy(path, pyspiel.load_game("arena_leduc"))
    path.write_text("{}")
    with pytest.raises(ConfigError, match=r"policy: .*kuhn.json: "):
        read_policy(path, game)


@pytest.mark.parametrize(
    "params", [{"player": "uniform"}, {"player": "cfr", "simulations": 4, "iterations": 3}, {"simulations": 4}]
)
def test_each_player_of_the_guest_plays_the_same_match_again(params: dict[str, Any]) -> None:
    played = [play_match("leduc", [GUEST, RANDOM], seed=3, params=[params, {}]) for _ in range(2)]
    assert played[0].actions == played[1].actions
    assert {seat.ending for seat in played[0].seats} == {Ending.PLAYED}


def test_what_is_no_player_is_said() -> None:
    record = play_match("kuhn", [GUEST, GUEST], seed=3, params=[{"player": "chess"}, {"simulation": 4}])
    assert {seat.ending for seat in record.seats} == {Ending.STARTUP}
    notes = "\n".join(map(str, record.notes))
    assert "ismcts, uniform, policy or cfr is needed, not 'chess'" in notes and "['simulation']" in notes


def test_the_end_of_a_match_is_solved_from_what_a_seat_sees() -> None:
    """Seat 1 with a king, bet into: it calls, and never with a jack."""
    game: ArenaGame = pyspiel.load_game("arena_kuhn(deals=-1,reward=score)")
    for start in game.starts:
        state = game.new_initial_state()
        state.node = start.after(1)
        rest = end_game(game, state, worlds=4, most_nodes=100, rng=random.Random(1))
        assert rest is not None
        root = rest.new_initial_state().child(0)
        chances = solved(rest, 30).action_probabilities(root, 1)
        card = int(start.states[0].cards[1])
        if card != 1:
            assert max(chances, key=lambda action: chances[action]) == (1 if card == 2 else 0)
    assert end_game(game, state, worlds=4, most_nodes=3, rng=random.Random(1)) is None


def test_openspiels_search_finds_the_best_answer() -> None:
    """A king that was bet into is a sure win: OpenSpiel's own search, with compiled rollouts, calls."""
    game: ArenaGame = pyspiel.load_game("arena_kuhn(deals=-1,reward=score)")
    start = next(node for node in game.starts if node.states[0].cards[1] == 2)
    state = game.new_initial_state()
    state.node = start.after(1)
    search = ISMCTSBot(game, Rollouts(), 2.0, 40)
    assert search.step(state) == 1


def test_options_of_a_match_are_parameters() -> None:
    game = load("yaniv")
    options = game.resolve_options({"threshold": 7, "slap_down": True}, 3)
    made = ArenaGame("yaniv", setups.parameters_of(game, 3, options))
    assert made.setup.options == options and made.num_players() == 3


def test_it_is_said_where_openspiel_is_missing() -> None:
    code = "import sys; sys.modules['pyspiel'] = None\nimport arena.learning.openspiel"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "OpenSpiel is not installed here; install it with: pip install 'arena-hall[openspiel]'" in failed.stderr


def test_nobody_else_imports_openspiel() -> None:
    worker, sandbox = "arena.tournament.workers.worker", "arena.match.sandbox"
    code = f"import sys, arena, {worker}, {sandbox}, arena.cli.main; print('pyspiel' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


def test_what_the_page_says_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "learning.md").read_text()
    section = page.partition("\n## OpenSpiel\n")[2].partition("\n## ")[0]
    names: dict[str, Any] = {"__name__": "page"}
    for code in re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE):
        exec(code, names)
    assert "Naga, game 1 of a race to 1" in capsys.readouterr().out
    record = play_match("naga", [names["First"], RANDOM], seed=1)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}
