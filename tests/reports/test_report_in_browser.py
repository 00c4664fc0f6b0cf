"""The report in a browser without a window: it sorts, opens replays, fits a phone, asks for nothing, complains of nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.records import MatchRecord
from arena.reports.pages.words import Words
from arena.reports.report import html, report
from helpers.browser import Watched, chromium, in_browser, look, settled, watched
from helpers.records import make_record, make_seat
from helpers.results import HOSTILE, write_results
from helpers.tournaments import GOOD_BOTS, run

pytestmark = in_browser
PHONE, DESK = 390, 1280
TABLE = "[...document.querySelectorAll('caption')].find(caption => caption.textContent === {caption!r}).closest('table')"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def window(browser: Browser) -> Iterator[Watched]:
    with watched(browser) as found:
        yield found


@pytest.fixture
def quiet(window: Watched) -> Iterator[Page]:
    """A page; in the end nothing but itself was asked for, and nothing complained of."""
    yield window.page
    settled(window.page)
    assert window.complaints == []
    assert len(window.outside()) == 1 and window.outside()[0].startswith("file:")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    results = run(folder, bots=GOOD_BOTS, deals=3, seed=11)
    path = folder / "report.html"
    path.write_text(html(report(results.folder, Words("en")), Words("en")))
    return path


def column(page: Page, caption: str, number: int) -> list[str]:
    cells = f"[...{TABLE.format(caption=caption)}.tBodies[0].rows].map(row => row.cells[{number}].textContent)"
    return list(page.evaluate(cells))


def test_a_click_on_a_head_sorts_and_a_second_one_turns_it_round(quiet: Page, page: Path) -> None:
    quiet.goto(page.as_uri())
    heads = f"{TABLE.format(caption='Ranking: Naga')}.tHead.rows[0].cells"
    names = list(quiet.evaluate(f"[...{heads}].map(head => head.textContent)"))
    at = names.index("mu")
    seen = []
    for order in ("descending", "ascending"):
        quiet.evaluate(f"{heads}[{at}].querySelector('button').click()")
        assert quiet.evaluate(f"{heads}[{at}].ariaSort") == order
        seen.append([float(text.split()[0]) for text in column(quiet, "Ranking: Naga", at)])
    assert seen[0] == sorted(seen[0], reverse=True) and seen[1] == seen[0][::-1] and len(set(seen[0])) == 3
    quiet.evaluate(f"{heads}[1].querySelector('button').click()")
    assert column(quiet, "Ranking: Naga", 1) == ["counting_bot", "folder_bot", "set_bot"]
    assert quiet.evaluate(f"{heads}[{at}].ariaSort") == "none"


def test_a_match_leads_to_its_replay(quiet: Page, page: Path) -> None:
    quiet.goto(page.as_uri())
    assert quiet.evaluate("document.querySelectorAll('details[open]').length") == 0
    quiet.evaluate(f"{TABLE.format(caption='Matches: Naga')}.querySelector('tbody a').click()")
    quiet.wait_for_selector("details[open] .player-table .playing-card")
    assert "1 of 7" in quiet.inner_text("details[open] .player-table")
    assert "Round 1 is dealt" in quiet.inner_text("details[open] .player-events")


def test_a_link_leads_to_a_step_and_keys_lead_on(quiet: Page, page: Path) -> None:
    quiet.goto(page.as_uri())
    address = quiet.get_attribute("details.replay", "id")
    quiet.goto(f"{page.as_uri()}#{address}~4")
    quiet.wait_for_selector("details[open] .player-table .playing-card")
    assert quiet.inner_text("details[open] .player-counter").startswith("4 / ")
    quiet.focus("details[open] .player-slider")
    quiet.keyboard.press("ArrowRight")
    expect(quiet.locator("details[open] .player-counter")).to_have_text(re.compile("^6 / "))
    quiet.keyboard.press("1")
    quiet.wait_for_selector("details[open] .player-table .card-back")  # the hand of seat 0, as seat 1 sees it
    assert "--seat 1" in quiet.text_content("details[open] .player-command code")


def test_without_scripts_it_says_how_to_see_a_replay(browser: Browser, page: Path) -> None:
    with watched(browser, java_script_enabled=False) as window:
        window.page.goto(page.as_uri())
        window.page.click("details.replay summary")
        assert "arena replay" in window.page.inner_text("details[open] noscript")


def test_it_fits_a_phone(quiet: Page, page: Path) -> None:
    look(quiet, width=PHONE, height=800)
    quiet.goto(page.as_uri())
    assert quiet.evaluate("document.documentElement.scrollWidth") == PHONE
    widest = "Math.max(...[...document.querySelectorAll('svg.plot')].map(plot => plot.getBoundingClientRect().right))"
    assert quiet.evaluate(widest) <= PHONE


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_stand_out_from_what_is_behind_them(quiet: Page, page: Path, dark: bool) -> None:
    look(quiet, width=DESK, dark=dark)
    quiet.goto(page.as_uri())
    for texts, behind in (
        ("p.summary", "body"), ("p.lead", ".card"), ("td.number", ".card"), ("td.hot", "td.hot"), ("td.cold", "td.cold"),
        ("thead button", "thead th"), (".card a", ".card"), ("nav li li a", "body"),
    ):  # fmt: skip
        ink = f"getComputedStyle(document.querySelector({texts!r})).color"
        paper = f"[...document.querySelectorAll({behind!r})].map(found => getComputedStyle(found).backgroundColor)"
        for shade in set(quiet.evaluate(paper)):
            assert contrast(quiet.evaluate(ink), shade) >= 4.5, (texts, shade)
    assert (luminance(quiet.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.1) == dark
    lines = "[...document.querySelectorAll('svg.plot text')].map(text => getComputedStyle(text).fill)"
    card = quiet.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")
    assert all(contrast(fill, card) >= 4.5 for fill in set(quiet.evaluate(lines)))


def test_a_bots_name_is_not_run_as_code(quiet: Page, tmp_path: Path) -> None:
    records: list[MatchRecord] = [make_record(seats=(make_seat(HOSTILE, 1), make_seat("bob", 2)))] * 3
    write_results(tmp_path, records)
    path = tmp_path / "report.html"
    path.write_text(html(report(tmp_path / "cup", Words("en")), Words("en")))
    quiet.goto(path.as_uri())
    assert quiet.evaluate("document.images.length") == 0
    assert quiet.evaluate("document.scripts.length") == 1
    assert column(quiet, "Ranking: Naga", 1)[0].startswith("</script><img src=x onerror=alert(1)>")


def test_the_policy_stops_what_is_not_ours(window: Watched, page: Path) -> None:
    window.page.goto(page.as_uri())
    assert window.complaints == []
    run_in_page = window.page.evaluate
    run_in_page("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title = 1\">')")
    run_in_page("void document.body.append(Object.assign(document.createElement('script'), {text: 'document.title = 2'}))")
    settled(window.page)
    assert run_in_page("document.title") == "small: tournament report"
    assert any("Content Security Policy" in text for text in window.complaints)


def luminance(colour: str) -> float:
    """Relative, 0 to 1 (WCAG 2.2); of `rgb(1, 2, 3)` or `color(srgb 0.1 0.2 0.3)`."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour.replace("srgb", ""))][:3]
    parts = [number if colour.startswith("color") else number / 255 for number in numbers]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """1 to 21 (WCAG 2.2); 4.5 is asked of texts."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
