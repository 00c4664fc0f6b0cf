"""What is special to the tables of Nertz and Yaniv: whose card lies where, what may be taken, who called and who won."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from arena.audit.laws.traces import play_text
from arena.engine.game import Game, States
from arena.errors import ConfigError
from arena.games import load
from arena.reports.pages.assets import FILES, table_files
from helpers.browser import chromium, in_browser, watched
from helpers.nertz_tables import made
from helpers.table_page import TablePage

pytestmark = in_browser

GAMES = ("nertz", "yaniv")
DRAWN = """([game, positions]) => positions.map((position) => {
  const root = document.createElement("div");
  arena.tables[game].draw(root, position, {seat: null, names: null, lang: "en"});
  const owner = (mark) => Number([...mark.classList].find((name) => /^deck-mark-/.test(name)).slice(10));
  const seatsOf = (element) =>
    [...element.closest("section").querySelectorAll("[data-seat]")].map((plate) => Number(plate.dataset.seat));
  const tallyOf = (tally) => [owner(tally.querySelector(".deck-mark")), Number(tally.textContent)];
  return {
    course: root.querySelector(".course").textContent,
    takes: [...root.querySelectorAll("[data-take]")].map((card) => card.dataset.take),
    winners: [...root.querySelectorAll(".winner")].flatMap(seatsOf),
    callers: [...root.querySelectorAll(".shout")].map((element) => Number(element.closest("[data-seat]").dataset.seat)),
    beaten: root.querySelector(".beater") !== null,
    foundations: Object.fromEntries([...root.querySelectorAll("[data-zone^=foundation-]")].map((zone) => [zone.dataset.zone, {
      top: owner(zone.querySelector(".playing-card:last-child > .deck-mark")),
      whose: [...zone.parentElement.querySelectorAll(".tally")].map(tallyOf),
    }])),
  };
})"""
YANIV: list[tuple[int, dict[str, Any]]] = [
    (2, {"limit": 40}), (3, {"limit": 60, "set_take": "any", "decks": 2, "joker_pair": True}),
    (4, {"mode": "elim201", "limit": 40, "slap_down": True}), (3, {"turn_limit": 3, "limit": 60}), (10, {"limit": 40}),
]  # fmt: skip
NERTZ: list[tuple[int, dict[str, Any]]] = [
    (2, {"target": 15}), (3, {"max_rounds": 1, "target": 1000}), (6, {"teams": True, "target": 1}),
    (12, {"tick_limit": 200, "max_rounds": 1}),
]  # fmt: skip


@pytest.fixture(scope="module")
def pages() -> Iterator[dict[str, Page]]:
    with chromium() as browser, watched(browser) as nertz, watched(browser) as yaniv:
        found = {"nertz": nertz.page, "yaniv": yaniv.page}
        for game, page in found.items():
            TablePage(page, game)
        yield found
        assert nertz.complaints == yaniv.complaints == []


@pytest.mark.parametrize("seats, options", YANIV)
def test_what_may_be_taken_are_the_draws_of_the_rules(pages: dict[str, Page], seats: int, options: dict[str, Any]) -> None:
    moments = [
        (position, legal) for position, legal in _match("yaniv", seats, options) if position["phase"] in ("start", "draw")
    ]
    drawings = _drawn(pages["yaniv"], [position for position, _legal in moments])
    taken = Counter[str]()
    for (position, legal), drawing in zip(moments, drawings, strict=True):
        if position["phase"] == "draw":
            assert drawing["takes"] == [text for text in _in_row(legal) if text != "draw stock"], position
            taken.update(drawing["takes"])
    assert taken["draw first"] and taken["draw last"]


@pytest.mark.parametrize("seats, options", YANIV)
def test_who_called_and_who_won_at_yaniv(pages: dict[str, Page], seats: int, options: dict[str, Any]) -> None:
    for seed in range(5):
        *_, (before, legal), (end, places) = _match("yaniv", seats, options, seed)
        (drawing,) = _drawn(pages["yaniv"], [end])
        assert drawing["callers"] == ([before["turn"]] if "call" in legal else []), end
        assert sorted(drawing["winners"]) == [seat for seat, place in enumerate(places) if place == 1], end
        gained = end["totals"][before["turn"]] - before["totals"][before["turn"]]
        if drawing["callers"] and not drawing["beaten"]:
            assert gained == 0, end


@pytest.mark.parametrize("seats, options", NERTZ)
def test_who_called_and_who_won_at_nertz(pages: dict[str, Page], seats: int, options: dict[str, Any]) -> None:
    *_, (end, places) = _match("nertz", seats, options)
    (drawing,) = _drawn(pages["nertz"], [end])
    assert drawing["callers"] == ([] if end["caller"] is None else [end["caller"]])
    assert sorted(drawing["winners"]) == [seat for seat, place in enumerate(places) if place == 1], end


@pytest.mark.parametrize(("game", "end"), [("nertz", "target"), ("yaniv", "limit")])
def test_a_single_round_has_no_points_to_reach(pages: dict[str, Page], game: str, end: str) -> None:
    position, _legal = next(_match(game, 2, {"max_rounds": 1}))
    one, many = _drawn(pages[game], [position, {**position, "options": {}}])
    assert end not in one["course"] and end in many["course"]


def test_the_caller_wins_although_another_has_more(pages: dict[str, Page]) -> None:
    units = [{"nertz": []}, {"nertz": ["S2"]}, {"nertz": ["S2"]}]
    ended = {**made(units, phase="over", turn=None, totals=[104, 109, 20]), "options": {}}
    drawings = _drawn(pages["nertz"], [{**ended, "caller": caller} for caller in (0, None, 2)])
    assert [drawing["winners"] for drawing in drawings] == [[0], [1], [1]]


@pytest.mark.parametrize("seats, options", NERTZ)
def test_each_foundation_says_whose_cards_lie_on_it(pages: dict[str, Page], seats: int, options: dict[str, Any]) -> None:
    positions = [position for position, _legal in _match("nertz", seats, options)][::40]
    for position, drawing in zip(positions, _drawn(pages["nertz"], positions), strict=True):
        expected = {
            f"foundation-{number}": {
                "top": pile["units"][-1],
                "whose": [list(pair) for pair in sorted(Counter(pile["units"]).items())],
            }
            for number, pile in enumerate(position["foundations"])
        }
        assert drawing["foundations"] == expected


def test_shared_parts_are_loaded_before_the_rooms_that_use_them_and_once() -> None:
    files = table_files(*GAMES)
    assert files[:2] == [FILES / "french.css", FILES / "french.js"] and len(files) == len(set(files)) == 6
    assert not any("french" in path.name for path in table_files("naga"))


def test_a_part_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Room:
        folder = tmp_path

    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "table.js").write_text('"use strict";\n// uses: frensh\n', "utf-8")
    monkeypatch.setattr("arena.games.load", lambda _name: Room)
    with pytest.raises(ConfigError, match=r"table.js: uses 'frensh', which is no shared part; .*french"):
        table_files("room")


def _drawn(page: Page, positions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    game = positions[0]["game"]
    found: list[dict[str, Any]] = page.evaluate(DRAWN, [game, positions])
    return found


def _in_row(legal: list[str]) -> list[str]:
    """Draws in the order in which the cards lie."""
    middle = [text for text in legal if text.split()[-1].isdigit()]
    return [text for text in ("draw stock", "draw first", *middle, "draw last") if text in legal]


def _match(game_name: str, seats: int, options: dict[str, Any], seed: int = 1) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """A match of seats that get on: open positions with the texts of the legal actions, at last the end with the places."""
    game, rng = load(game_name), random.Random(seed)
    states = game.deal(seats, game.resolve_options(options, seats), seed)
    while not game.engine.is_terminal(states):
        texts = game.text.action_texts(states[0], game.legal_list(states))
        yield game.text.to_position(states[0]), texts
        play_text(game, states, _preferred(texts, rng))
    yield game.text.to_position(states[0]), _places(game, states, seats)


def _preferred(texts: list[str], rng: random.Random) -> str:
    """Call at once, lay what lays most, and bring what one has to the foundations."""
    for wanted in ("call", " found", "nertz ", "waste work"):
        if found := [text for text in texts if wanted in text]:
            return rng.choice(found)
    longest = max(text.count(" ") for text in texts) if texts[-1].startswith("discard") else None
    return rng.choice([text for text in texts if longest is None or text.count(" ") == longest])


def _places(game: Game, states: States, seats: int) -> list[int]:
    return game.final(states, seats)[1]
