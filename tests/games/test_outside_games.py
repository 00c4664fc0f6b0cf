"""Rooms of another distribution (tests/rooms): found by entry points, played, searched, rated, reported, checked, audited.

The laws of all games hold for them too: tests/audit/test_game_laws.py. Their theory: tests/lab/test_exact_poker.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena import games
from arena.agent import read_bot
from arena.agent.starter import python_bot
from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.engine import defaults, jit
from arena.engine.contract import ROLLOUT
from arena.games.discovery import outside_paths
from arena.match.single_match import play_match
from arena.records import Ending
from arena.tournament.bot_check import check_bot
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings, read_results
from arena.tournament.workers.ray.installation import installation
from helpers import poker_rooms
from helpers.locked_matches import play_locked, supervising
from helpers.once import once
from helpers.paths import HOUSE_BOTS

LOOK = """
    def start(self, info) -> None:
        import pathlib
        import poker_rooms.leduc.view
        package = pathlib.Path(poker_rooms.__file__).parent
        print(seen(package.parent / "pyproject.toml"), seen(package / "kuhn" / "RULES.md"))


def seen(path) -> bool:
    try:
        return bool(path.read_text())
    except OSError:
        return False
"""
RANDOM, SEARCHER = HOUSE_BOTS / "random_bot.py", HOUSE_BOTS / "ismcts.py"


@pytest.fixture(autouse=True)
def rooms(poker: None) -> None:
    """Every test of this module sees them."""


def test_they_are_games_like_all_others() -> None:
    assert set(poker_rooms.NAMES) < set(games.names())
    for name in poker_rooms.NAMES:
        game = games.load(name)
        assert (game.name, game.package, game.folder) == (name, f"poker_rooms.{name}", poker_rooms.FOLDERS[name])


def test_only_tests_that_ask_for_them_see_them() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    code = "from arena import games; print(*games.names())"
    seen = [
        set(subprocess.check_output([sys.executable, "-P", "-c", code], env=env, text=True).split())
        for env in (environment, dict(os.environ))
    ]
    assert seen[1] - seen[0] == set(poker_rooms.NAMES)


def test_what_a_rollout_leaves_out_is_the_default() -> None:
    kuhn, leduc = (games.load(name) for name in poker_rooms.NAMES)
    assert not (kuhn.folder / "rollout.py").exists() and kuhn.rollout.DEFAULTS == defaults.DEFAULTS
    own = (leduc.folder / "rollout.py").read_text()
    assert "def private_code(" in own and "def evaluate(" not in own
    assert all(hasattr(game.rollout, name) for game in (kuhn, leduc) for name in ROLLOUT)
    assert len(kuhn.constants) == 0
    states = kuhn.text.from_position({"seats": 2, "phase": "over", "actions": ["pass", "bet", "bet"], "cards": ["K", "J", "Q"]})
    worth = np.zeros(2)
    kuhn.rollout.evaluate(states[0], kuhn.constants, worth)
    assert worth.tolist() == [2.0, -2.0]


def test_the_public_card_is_news_to_both_seats() -> None:
    leduc = games.load("leduc")
    states = leduc.deal(2, leduc.resolve_options({}, 2), 5)
    assert [leduc.rollout.private_code(states[0], seat) for seat in (0, 1)] == [0, 0]
    for _ in range(2):
        leduc.engine.step(states, 1)
    assert {leduc.rollout.private_code(states[0], seat) for seat in (0, 1)} == {states[0].cards[2] + 1}


@pytest.mark.parametrize(
    ("name", "method"),
    [("kuhn", "ismcts"), ("leduc", poker_rooms.LEDUC_METHOD), pytest.param("leduc", "ismcts", marks=pytest.mark.slow)],
)
def test_they_are_played_and_searched(name: str, method: str) -> None:
    record = play_match(name, [SEARCHER, RANDOM], seed=2, params=[{"method": method}, {}])
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2
    assert sum(seat.score for seat in record.seats) == 0


def test_a_search_knows_good_play_where_theory_knows_it() -> None:
    """With a king a bet is called; with a jack it is not."""
    kuhn = games.load("kuhn")
    for card, best in (("K", "bet"), ("J", "pass")):
        cards = [card, *(other for other in "JQK" if other != card)]
        states = kuhn.text.from_position(
            {"seats": 2, "turn": 1, "phase": "play", "actions": ["bet"], "cards": [cards[1], card, cards[2]]}
        )
        view = kuhn.view(kuhn, kuhn.observed(states, 1), 1, codes=kuhn.legal_list(states), events=list, clock=None)
        assert view.search(iterations=300).best == best


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of both games: a bot made by `arena new`, and two of the house."""
    folder = tmp_path_factory.mktemp("poker")
    path = folder / "poker.json"
    params = {"method": poker_rooms.LEDUC_METHOD}
    bots = [{"path": str(RANDOM), "trusted": True}, {"path": str(SEARCHER), "trusted": True, "params": params}]
    entries = [{"game": name, "seats": 2, "deals": 6} for name in poker_rooms.NAMES]
    path.write_text(json.dumps({"name": "poker", "seed": 3, "games": entries, "bots": bots}))
    return path


@pytest.mark.usefixtures("few_replays")
def test_they_are_rated_reported_and_audited(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(config.parent)
    out = config.parent / "leaderboards"
    results = run_tournament(config, Settings(out=out, backend=LOCAL, workers=1))
    assert results.manifest.finished and results.manifest.rules_versions == {"kuhn": 1, "leduc": 1}
    assert set(results.manifest.pools) == {"kuhn", "leduc"}
    assert audit_results(results.folder, 1, lambda _: None).problems == []
    assert main(["report", "poker"]) == 0
    page = (results.folder / "report.html").read_text()
    assert "kuhn" in page and "leduc" in page
    assert main(["leaderboard", "poker"]) == 0
    assert "kuhn" in capsys.readouterr().out
    assert len(list(read_results(results.folder).records())) == results.manifest.matches


@pytest.mark.slow
def test_a_bot_of_all_games_is_checked_in_them() -> None:
    found = check_bot("random", read_bot(RANDOM))
    assert found.may_enter and set(poker_rooms.NAMES) < {game.game for game in found.games}


def test_a_new_bot_imports_the_view_from_the_rooms_package(tmp_path: Path) -> None:
    source = python_bot("bluffer", games.load("kuhn"))
    assert "from poker_rooms.kuhn import KuhnView\n" in source and "poker_rooms/kuhn/RULES.md" in source
    (tmp_path / "bluffer.py").write_text(source)
    record = play_match("kuhn", [tmp_path / "bluffer.py", RANDOM], seed=1)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}, record.notes


def test_a_locked_bot_plays_with_the_view_of_the_room(tmp_path: Path) -> None:
    """It can read the package, which lies in no folder of installed packages, and nothing beside it."""
    bot = tmp_path / "bluffer.py"
    bot.write_text(python_bot("bluffer", games.load("kuhn")) + LOOK)
    with supervising(["kuhn"]) as supervisor:
        played = play_locked(supervisor, [bot, RANDOM], game="kuhn")
    assert {seat.ending for seat in played.record.seats} == {Ending.PLAYED}, played.record.notes
    assert "False True" in played.outputs[0], played.outputs[0]


def test_a_machine_with_another_version_of_their_sources_is_told_apart() -> None:
    ours = installation(["kuhn", "naga"])
    assert "sources" in ours["the rules of kuhn"] and ours["the rules of naga"] == f"version {games.load('naga').version}"


def test_compiled_code_is_kept_by_package_and_depends_on_what_rooms_share() -> None:
    folder = jit.cache_folder("poker_rooms.kuhn")
    assert folder.name.startswith("poker_rooms.kuhn-") and jit.is_warm("poker_rooms.kuhn")
    assert jit.source_folder("poker_rooms.kuhn") == poker_rooms.GAMES / "poker_rooms"
    assert jit.source_folder("arena.games.naga").name == "naga"


def test_what_a_locked_process_must_see_is_the_package_and_its_metadata_alone() -> None:
    entries, readable = outside_paths()
    assert str(poker_rooms.GAMES) in entries
    assert {Path(path).name for path in readable} == {"poker_rooms", "poker_rooms-0.1.0.dist-info"}


BROKEN = {
    "claims": (
        {"naga": "new_room.naga"},
        "",
        'new_room.naga (of new-rooms 1.0) claims the name "naga", which arena.games.naga has already',
    ),
    "letters": ({"Go Fish": "new_room.fish"}, "", 'calls its game "Go Fish"; small letters, digits and _ are needed'),
    "function": ({"fish": "new_room.fish:play"}, "", '"new_room.fish:play" is no package'),
    "nowhere": (
        {"fish": "no_such_package.fish"},
        "",
        "rules.py of no_such_package.fish (of new-rooms 1.0) does not load: ModuleNotFoundError",
    ),
    "crash": ({"fish": "new_room"}, "1 / 0", "rules.py of new_room (of new-rooms 1.0) does not load: ZeroDivisionError"),
    "missing": ({"fish": "new_room"}, "VERSION = 1", "breaks the contract: rules.py lacks SEATS, OPTIONS, STATE"),
    "shape": ({"fish": "new_room"}, "def step(s): ...", "rules.py: step takes (s), (s, action) is needed"),
    "twin": (
        {"fish": "new_room"},
        "from poker_rooms.kuhn.rules import *",
        "the fields of STATE are those of poker_rooms.kuhn.rules",
    ),
}


TRIED = """
import json
import os
import sys
from arena import games
from arena.errors import ConfigError

for case, folder, game in json.loads(sys.argv[1]):
    if os.fork() == 0:
        sys.path.insert(0, folder)
        try:
            games.load("kuhn")
            games.load(game)
        except ConfigError as error:
            os.write(1, (json.dumps([case, str(error)]) + "\\n").encode())
        os._exit(0)
    os.wait()
"""
"""Loads each game in a process of its own, which has imported arena already."""


def tried(folder: Path) -> dict[str, str]:
    """What is said of each of the broken games."""
    cases = []
    for case, (entries, rules, _) in BROKEN.items():
        package = folder / case / "new_room"
        package.mkdir(parents=True)
        star = "from poker_rooms.kuhn.{} import *"
        kuhn = (
            "import poker_rooms.kuhn.rules as _kuhn\n"
            "globals().update({k: v for k, v in vars(_kuhn).items() if k[:2] != '__'})\n"
        )
        for name, source in {
            "__init__": "", "rules": kuhn if case == "twin" else rules,
            "text": star.format("text"), "view": star.format("view"),
        }.items():  # fmt: skip
            (package / f"{name}.py").write_text(source)
        lines = "".join(f'"{name}" = "{at}"\n' for name, at in entries.items())
        (folder / case / "pyproject.toml").write_text(
            f'[project]\nname = "new-rooms"\nversion = "1.0"\n[project.entry-points."arena.games"]\n{lines}'
        )
        poker_rooms.write_metadata(folder / case, folder / case)
        cases.append((case, str(folder / case), next(iter(entries))))
    command = [sys.executable, "-P", "-c", TRIED, json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("case", BROKEN)
def test_a_room_that_cannot_be_one_is_named_with_its_package(case: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    *_, message = BROKEN[case]
    found = once(tmp_path_factory, "broken-rooms", lambda: tried(tmp_path_factory.mktemp("broken")))
    assert message in found[case]
