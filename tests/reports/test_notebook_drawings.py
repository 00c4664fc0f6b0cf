"""What notebooks show: whole pages in frames, of bounded size, with no request and no text of strangers as markup."""

import base64
import html
import json
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

import arena
from arena import games
from arena.agent import Agent
from arena.agent.view import View
from arena.match.single_match import agree
from arena.records import MatchRecord
from arena.reports.pages.frames import StoredMatch
from arena.tournament.session import Results

ROOM, REPLAY_ROOM = 60_000, 180_000  # letters of one drawing, and of a replay: a notebook holds dozens
LONG = "nertz"  # of whose matches a replay is larger, and takes seconds: test_notebook_in_browser.py draws it
NASTY = "</script><b>'\"&"


class Noting(Agent):
    """Plays its first action, and keeps the views of its first decisions."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, view: View) -> str:
        if len(self.views) < 4:
            self.views.append(view)
        return view.legal[0]


@cache
def played(game: str) -> tuple[MatchRecord, View, StoredMatch]:
    """A match at the smallest table, a position of it, and the match as a replay has it."""
    seats = games.load(game).seats[0]
    bot = Noting()
    bots = [bot, *["house:random_bot"] * (seats - 1)]
    record = arena.play_match(game, bots, seed=1)
    setup = agree(game, ["Noting", *["random_bot"] * (seats - 1)], seed=1)
    return record, bot.views[-1], StoredMatch(games.load(game), record, setup.options, setup.deal_seed)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("study")
    config = folder / "study.yaml"
    config.write_text(
        "name: study\nseed: 1\ngames:\n  - {game: naga, seats: 2}\n  - {game: yaniv, seats: 2}\nbots:\n"
        '  - {path: "house:random_bot", trusted: true}\n  - {path: "house:random_bot", name: other, trusted: true}\ndeals: 2\n'
    )
    return arena.run_tournament(config, arena.Settings(out=folder, backend=arena.LOCAL, workers=1))


def page(drawing: str) -> str:
    """The page in the frame of a drawing."""
    (found,) = re.findall(r'^<iframe srcdoc="([^"]*)" title="[^"]*" loading="lazy" style="[^"]*"></iframe>$', drawing)
    assert len(drawing) < (REPLAY_ROOM if 'showReplay("' in unpacked(html.unescape(found)) else ROOM)
    return html.unescape(found)


def unpacked(found: str) -> str:
    """The script that a page unpacks; nothing for a page without."""
    letters = re.findall(r'\("([A-Za-z0-9+/=]+)"\);</script>', found)
    return str(json.loads(zlib.decompress(base64.b64decode(letters[0])))[1]) if letters else ""


def drawings(results: Results) -> Iterator[str]:
    for game in games.names():
        record, view, match = played(game)
        yield from (page(thing._repr_html_()) for thing in (record, view, *([match] if game != LONG else [])))
    yield page(results._repr_html_())


def test_no_drawing_asks_for_anything(results: Results) -> None:
    for found in drawings(results):
        assert "default-src 'none'" in found
        assert not re.search(r"(?:src|href)=|@import|url\(", re.sub(r"srcdoc=|href=\"#|default-src=", "", found))


def test_a_board_has_a_table_for_each_pool_and_a_row_for_each_bot(results: Results) -> None:
    found = page(results._repr_html_())
    assert re.findall(r"<h3>(.*?)</h3>", found) == ["Naga", "Yaniv"]
    assert found.count("random_bot") >= 2 and "study: 8 matches" in found and found.count('class="interval"') == 4


def test_a_board_speaks_the_language_of_the_locale(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    assert "順位" in page(results._repr_html_())
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    assert "rank" in page(results._repr_html_())


def test_a_match_shows_its_result() -> None:
    record, _, _ = played("naga")
    found = page(record._repr_html_())
    assert "Noting" in found and "random_bot" in found and found.count("<tr>") == 3


@pytest.mark.parametrize("game", games.names())
def test_a_position_is_what_the_seat_sees_and_without_scripts_it_is_in_words(game: str) -> None:
    _, view, _ = played(game)
    found = page(view._repr_html_())
    (shown,) = re.findall(r"showPosition\((\{.*\})\);$", unpacked(found))
    drawn = json.loads(shown)
    assert drawn["position"] == json.loads(msgspec.json.encode(view.position)) and drawn["seat"] == 0
    assert f"<noscript><pre>{html.escape(str(view))}</pre></noscript>" in found


def test_a_name_is_no_markup() -> None:
    record, _, match = played("naga")
    seats = tuple(msgspec.structs.replace(seat, bot=NASTY) for seat in record.seats)
    named = msgspec.structs.replace(record, seats=seats)
    assert "<b>" not in page(named._repr_html_())
    replay = StoredMatch(match.game, named, match.options, match.deal_seed)
    assert NASTY not in page(replay._repr_html_()) and "<b>'" not in unpacked(page(replay._repr_html_()))


def test_nothing_is_loaded_for_drawings_before_somebody_looks(tmp_path: Path) -> None:
    code = "import sys, arena, arena.agent, arena.records; print([one for one in sys.modules if 'arena.reports' in one])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"
