"""The replay player in a real browser: its steps are those of `arena replay`; keys and links lead to steps."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from arena.games import names
from arena.reports import report as page_module
from arena.reports.pages import frames as frames_module
from arena.reports.pages.frames import StoredMatch
from arena.reports.pages.scenes import position, result
from arena.reports.pages.words import Words
from arena.reports.replay import RULE, replay_lines
from arena.reports.report import html, report
from arena.reports.round_result import round_lines
from helpers.browser import chromium, in_browser, look, settled, watched
from helpers.games_played import play_all_games

pytestmark = in_browser

STEPS = """async (id) => {
  const details = document.getElementById(id), button = details.querySelectorAll(".player-buttons button")[3];
  const wait = () => new Promise((done) => setTimeout(done));
  const found = [], slider = details.querySelector(".player-slider");
  for (;;) {
    const now = details.querySelector(".player-events [aria-current]");
    const number = now?.querySelector("button").textContent ?? "";
    const lines = now?.querySelectorAll("p:not(.player-stage-note, .player-lost-here)") ?? [];
    const said = Array.from(lines, (line) => line.textContent);
    const verdict = ".player-result:not([hidden]) .round-fact:not(.is-led)";
    const facts = Array.from(details.querySelectorAll(verdict), (line) => line.textContent);
    found.push({number, said, facts, text: details.querySelector(".player-text").textContent});
    if (slider.value === slider.max) return found;
    const before = slider.value;
    button.click();
    while (slider.value === before) await wait();
  }
}"""
"""Every step of an opened replay: what the list says of it, and the position in words."""
EVENT = re.compile(r"(?m)^(?: *(\d+)  seat (\d+)  |       -> )(.*)$")
"""A line of `arena replay`: an action, or what it led to."""
POSITIONS = """async (id) => {
  const match = await arena.packedMatch(`${id}-frames`), source = arena.frames(match.page), found = [];
  for (const eyes of match.eyes) {
    const {outline} = await source.header(eyes);
    found.push([eyes, (await source.between(eyes, 0, outline.numbers.length)).map(({position}) => position)]);
  }
  return JSON.stringify(found);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, StoredMatch]]:
    return play_all_games(tmp_path_factory.mktemp("games"))


@pytest.fixture(scope="module")
def page(played: tuple[Path, dict[str, StoredMatch]]) -> Path:
    """The report of the tournament, with all tables."""
    path = played[0] / "report.html"
    path.write_text(html(report(played[0] / "games", Words("en")), Words("en")))
    return path


@pytest.fixture(scope="module")
def bare(played: tuple[Path, dict[str, StoredMatch]]) -> Path:
    """The same report, as if no room drew its table: the player shows notation and words."""
    path = played[0] / "bare.html"
    with pytest.MonkeyPatch.context() as patch:
        for module in (frames_module, page_module):
            patch.setattr(module, "table_files", lambda *_games: [])
        path.write_text(html(report(played[0] / "games", Words("en")), Words("en")))
    return path


@pytest.fixture
def quiet(browser: Browser) -> Iterator[Page]:
    """A page; in the end nothing but itself was asked for, and nothing complained of."""
    with watched(browser, height=1000) as window:
        yield window.page
        settled(window.page)
        assert window.complaints == [] and all(address.startswith("file:") for address in window.outside())


def opened(window: Page, path: Path, match: StoredMatch, at: str = "0") -> str:
    """Open the replay of a match at a step; its anchor."""
    window.goto(path.as_uri())
    anchor = str(window.get_attribute(f"details.replay[id$='{match.record.match_id}']", "id"))
    window.goto(f"{path.as_uri()}#{anchor}~{at}")
    window.wait_for_selector(f"#{anchor} .player-counter:not(:empty)")
    return anchor


@pytest.mark.parametrize("game", names())
def test_steps_are_those_that_arena_replay_prints(
    quiet: Page, bare: Path, played: tuple[Path, dict[str, StoredMatch]], game: str
) -> None:
    match = played[1][game]
    steps = quiet.evaluate(STEPS, opened(quiet, bare, match))
    bots = [row.bot for row in match.record.seats]
    lines = list(replay_lines(match.game, match.record, match.options, match.deal_seed))
    printed = "\n".join(lines[1 : -len(bots)]).split(RULE + "\n")
    ends = [result(match.game, scene) for scene in match.scenes]
    told = [[] if end is None else list(round_lines(end, game, bots)) for end in ends]
    assert [step["facts"] for step in steps] == [[line for line in lines if line[0] != " "] for lines in told]
    shown = ["\n".join([step["text"], *lines]) for step, lines in zip(steps, told, strict=True)]
    texts = [EVENT.split(part)[0].rstrip("\n") for part in printed[1:]]
    assert shown == texts
    events = [[one.groups() for one in EVENT.finditer(part)] for part in printed]
    assert [step["said"] for step in steps] == [
        [f"{bots[int(seat)]} {text}" if seat else text for _, seat, text in found] for found in events[:-1]
    ]
    firsts = [found[0][0] for found in events[:-1] if found and found[0][0]]
    assert [step["number"] for step, found in zip(steps, events) if found and found[0][0]] == firsts


@pytest.mark.parametrize("game", names())
def test_the_browser_finds_the_position_of_every_step(
    quiet: Page, page: Path, played: tuple[Path, dict[str, StoredMatch]], game: str
) -> None:
    match = played[1][game]
    found = msgspec.json.decode(quiet.evaluate(POSITIONS, opened(quiet, page, match)))
    assert [eyes for eyes, _ in found] == [None, *range(len(match.record.seats))]
    for eyes, positions in found:
        for shown, scene in zip(positions, match.scenes, strict=True):
            assert shown == position(match.game, scene, eyes)


@pytest.mark.parametrize("game", names())
def test_every_table_is_drawn_and_moves(
    quiet: Page, page: Path, played: tuple[Path, dict[str, StoredMatch]], game: str
) -> None:
    match = played[1][game]
    anchor = opened(quiet, page, match)
    assert quiet.query_selector(f"#{anchor} .player-table .playing-card")
    quiet.focus(f"#{anchor} .player-slider")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "1", "End", "Home", "+", " ", "End"):
        quiet.keyboard.press(key)
    expect(quiet.locator(f"#{anchor} .player-counter")).to_have_text(
        f"{len(match.record.actions)} / {len(match.record.actions)}"
    )


def test_keys_lead_through_a_match(quiet: Page, page: Path, played: tuple[Path, dict[str, StoredMatch]]) -> None:
    match = played[1]["naga"]
    anchor = opened(quiet, page, match)
    quiet.focus(f"#{anchor} .player-slider")
    last = len(match.record.actions)

    def at(key: str, number: int) -> None:
        quiet.keyboard.press(key)
        expect(quiet.locator(f"#{anchor} .player-counter")).to_have_text(f"{number} / {last}")

    numbers = [scene.number for scene in match.scenes]
    ends = [scene.number for scene in match.scenes if scene.is_end_of_round]
    at("ArrowRight", numbers[1])
    at("ArrowRight", numbers[2])
    at("ArrowLeft", numbers[1])
    at("End", last)
    at("Home", 0)
    at(".", ends[0])
    at(".", ends[1])
    at(",", ends[0])
    quiet.keyboard.press("?")
    assert quiet.is_visible(f"#{anchor} dialog")
    quiet.keyboard.press("Escape")
    quiet.focus(f"#{anchor} .player-slider")
    quiet.keyboard.press("a")
    quiet.keyboard.press("-")
    assert quiet.input_value(f"#{anchor} select[aria-label='Speed']") == "0.5"


def test_a_link_names_the_end_of_a_round(quiet: Page, page: Path, played: tuple[Path, dict[str, StoredMatch]]) -> None:
    match = played[1]["yaniv"]
    anchor = opened(quiet, page, match, "round-1")
    end = next(scene.number for scene in match.scenes if scene.is_end_of_round)
    assert quiet.inner_text(f"#{anchor} .player-counter").startswith(f"{end} / ")
    assert "Round 1 ends" in quiet.inner_text(f"#{anchor} .player-events [aria-current]")
    stage, width = quiet.locator(f"#{anchor} .player-stage"), quiet.viewport_size
    assert width is not None
    for wide, where in ((1440, ".player-side"), (820, ".player-stage")):  # where there is room the table stays as it stood
        look(quiet, width=wide)
        expect(quiet.locator(f"#{anchor} {where} .round-result .round-fact")).to_be_visible()
        expect(stage.locator(".table .verdict")).to_be_hidden()  # it is said once
    look(quiet, width=width["width"], height=width["height"])


def test_it_plays_by_itself_and_stops_at_the_end(quiet: Page, page: Path, played: tuple[Path, dict[str, StoredMatch]]) -> None:
    match = played[1]["hisatsu"]
    anchor = opened(quiet, page, match, str(len(match.record.actions) - 2))
    quiet.focus(f"#{anchor} .player-slider")
    for _ in range(3):
        quiet.keyboard.press("+")
    quiet.keyboard.press(" ")
    expect(quiet.locator(f"#{anchor} .player-counter")).to_have_text(
        f"{len(match.record.actions)} / {len(match.record.actions)}"
    )
    quiet.wait_for_selector(f"#{anchor} .player-play[aria-label='Play']")
    assert "The match ends" in quiet.inner_text(f"#{anchor} [aria-live]")


def test_japanese_readers_read_japanese(browser: Browser, page: Path, played: tuple[Path, dict[str, StoredMatch]]) -> None:
    with watched(browser, locale="ja-JP") as window:
        anchor = opened(window.page, page, played[1]["naga"])
        assert "配札" in window.page.inner_text(f"#{anchor} .player-events")
        assert window.complaints == []
