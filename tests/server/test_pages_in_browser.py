"""The server's pages in a browser: both languages, light and dark, three widths, by keyboard alone, and boards that move."""

import io
import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Route, StorageState, WebSocketRoute, expect

from arena.records import Ending
from arena.reports.plots import scale_of
from arena.server.routes import SUBJECTS
from helpers.browser import (
    Watched,
    assert_accessible,
    assert_fits_and_is_accessible,
    chromium,
    in_browser,
    look,
    settled,
    watched,
)
from helpers.contests import write_contest
from helpers.paths import HOUSE_BOTS
from helpers.records import make_record, make_seat, numbered
from helpers.results import HOSTILE, write_results
from helpers.serving import Served, served
from helpers.tournaments import GOOD_BOTS, arena, ended, run, write_config

pytestmark = in_browser
GAMES = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 3, "options": {"limit": 20}}]
RANDOM = [{"path": str(HOUSE_BOTS / "random_bot.py"), "name": name, "trusted": True} for name in ("random_one", "random_two")]
"""With them there are enough bots for an overall ranking."""
PHONE, TABLET, DESK = 320, 820, 1440
PAGES = {
    "home": "/", "tournament": "/t/small?pool=naga", "overall": "/t/small", "matches": "/t/small/matches",
    "a pair": "/t/small/matches?bot=set_bot&rival=folder_bot&limit=2", "bot": "/bots/set_bot", "match": "/m/{match}",
    "a seat": "/m/{match}?seat=1#3", "embedded": "/embed/m/{match}",
    "big screen": "/tv", "play": "/play", "a game to play": "/play/nertz", "all rules": "/rules", "rules": "/rules/naga",
    "rules in full": "/rules/naga/full",
    "bots": "/bots", "bots that are not there": "/bots?q=nobody", "test match": "/ask", "remote bots": "/remote",
    "marks without a contest": "/marks", "no page": "/t/nowhere", "bad address": "/t/small?pool=chess", "door": "/login",
}  # fmt: skip
REFUSED = {"no page", "bad address", "marks without a contest"}
"""Pages that the browser itself writes a line about: their status is an error."""
ONCE = {
    "rules in full",
    "overall",
    "a pair",
    "a seat",
    "embedded",
    "bad address",
    "bots that are not there",
    "marks without a contest",
}
"""Pages that are looked at in English alone: they have the words of others."""
LISTS = ("bots", "test match", "remote bots")
CONTEST = ("/", "/marks", "/me", "/bots", "/admin")
"""Pages of a server with a contest, before anything was played or sent."""
ELSEWHERE = {"/account"}
"""Pages that other tests open in a browser: tests/server/test_accounts_in_browser.py."""
PAGES |= {
    subject.path: subject.path
    for subject in SUBJECTS
    if subject.template and "{" not in subject.path and subject.path not in {*PAGES.values(), *CONTEST, *ELSEWHERE}
}
KEEP_WHAT_IS_SENT = """
    window.sent = [];
    const send = XMLHttpRequest.prototype.send;
    XMLHttpRequest.prototype.send = function (body) {
        body.arrayBuffer().then(bytes => sent.push([...new Uint8Array(bytes)]));
        send.call(this, body);
    };
"""
"""Playwright does not tell what a file's bytes are in a request."""
FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex='0']"


class Interval(NamedTuple):
    low: float
    high: float


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("archive")
    run(folder, bots=[*GOOD_BOTS, *RANDOM], deals=3, seed=11, games=GAMES)
    with served(folder / "out") as found:
        yield found


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a contest whose ladder waits for a second bot, so that nothing is played."""
    folder = tmp_path_factory.mktemp("contest")
    file = write_contest(folder, reference_bots=[{"path": "house:random_bot", "trusted": True}], marks={"random_bot": 3})
    with served(folder / "out", "--contest", file, "--workers", 1) as found:
        yield found


@pytest.fixture(scope="module")
def session(browser: Browser, server: Served) -> StorageState:
    """What a browser keeps once it was let in."""
    with watched(browser) as window:
        server.enter(window.page)
        return window.page.context.storage_state()


@pytest.fixture(scope="module")
def match(browser: Browser, server: Served, session: StorageState) -> str:
    """The id of a match."""
    with watched(browser, storage_state=session) as window:
        found = window.page.request.get(f"{server.base}/api/t/small/matches?limit=1&pool=naga").json()
    return str(found["matches"][0]["match_id"])


def opened(window: Watched, server: Served, name: str, match: str) -> Page:
    """A page of the server, with all that it asks for."""
    window.page.goto(
        server.base + PAGES[name].format(match=match), wait_until="networkidle" if name != "big screen" else "load"
    )
    if name in ("match", "a seat", "embedded", "big screen"):
        window.page.wait_for_selector(".player .table")
    settled(window.page)
    return window.page


def assert_quiet(window: Watched, server: Served, name: str) -> None:
    """Nothing was complained of, and nobody else was asked."""
    settled(window.page)
    lines = [line for line in window.complaints if not (name in REFUSED and "Failed to load resource" in line)]
    assert lines == []
    assert window.outside(server.base, server.base.replace("http", "ws")) == []


@pytest.mark.parametrize(
    ("name", "language", "dark"),
    [*((name, "en-GB", False) for name in PAGES), *((name, "ja-JP", True) for name in PAGES if name not in ONCE)],
)
def test_a_page_is_quiet_fits_all_widths_and_is_accessible(
    browser: Browser, server: Served, session: StorageState, match: str, name: str, language: str, dark: bool
) -> None:
    known = None if name == "door" else session
    with watched(browser, dark=dark, locale=language, width=DESK, reduced_motion="reduce", storage_state=known) as window:
        page = opened(window, server, name, match)
        assert page.evaluate("document.documentElement.lang") == language[:2]
        assert_fits_and_is_accessible(page, (DESK, TABLET, PHONE), dark=dark)
        assert_quiet(window, server, name)


def test_on_a_phone_the_pages_are_in_a_menu(browser: Browser, server: Served, session: StorageState) -> None:
    with watched(browser, width=PHONE, storage_state=session) as window:
        page = window.page
        page.goto(f"{server.base}/rules")
        menu, link = page.get_by_role("button", name="Menu"), page.get_by_role("link", name="Play", exact=True)
        expect(link).to_be_hidden()
        menu.press("Enter")
        expect(link).to_be_visible()
        page.keyboard.press("Escape")
        expect(link).to_be_hidden()
        menu.click()
        link.click()
        expect(page).to_have_url(f"{server.base}/play")
        look(page, width=DESK)
        expect(menu).to_be_hidden()
        expect(link).to_be_visible()
        assert_quiet(window, server, "")


def test_on_a_small_screen_no_hand_lies_under_the_controls(
    browser: Browser, server: Served, session: StorageState, match: str
) -> None:
    with watched(browser, width=1366, height=768, reduced_motion="reduce", storage_state=session) as window:
        for address in ("/tv", f"/m/{match}#9"):
            page = window.page
            page.goto(server.base + address)
            page.wait_for_selector(".player .table [data-zone^=hand-]")
            settled(page)
            low = page.locator(".table [data-zone^=hand-]").evaluate_all(
                "all => Math.max(...all.map(one => one.getBoundingClientRect().bottom))"
            )
            assert low <= page.locator(".player-controls").evaluate("one => one.getBoundingClientRect().top")


@pytest.mark.parametrize(("language", "dark"), [("en-GB", False), ("ja-JP", True)])
def test_the_front_page_of_an_empty_folder_shows_all_games_and_a_match_by_itself(
    browser: Browser, tmp_path: Path, language: str, dark: bool
) -> None:
    (tmp_path / "out").mkdir()
    with served(tmp_path / "out") as server, watched(browser, dark=dark, locale=language, width=DESK) as window:
        server.enter(window.page)
        page = window.page
        expect(page.locator("[data-cards] .playing-card")).to_have_count(25)
        expect(page.locator("#demo .player .table")).to_be_visible(timeout=120_000)
        page.locator("#demo .player-play").click()
        assert_fits_and_is_accessible(page, (DESK, TABLET, PHONE), dark=dark)
        assert_quiet(window, server, "")


@pytest.mark.parametrize(("language", "dark"), [("en-GB", False), ("ja-JP", True)])
def test_pages_of_a_contest_before_its_first_match(browser: Browser, contest: Served, language: str, dark: bool) -> None:
    with watched(browser, dark=dark, locale=language, width=DESK, reduced_motion="reduce", timezone_id="Asia/Tokyo") as window:
        contest.enter(window.page)
        expect(window.page.locator("[data-contest=class] .empty")).to_be_visible(timeout=60_000)  # it waits
        for address in CONTEST:
            page = window.page
            page.goto(contest.base + address, wait_until="networkidle")
            assert_fits_and_is_accessible(page, (DESK, TABLET, PHONE), dark=dark)
            assert not [text for text in page.locator("time").all_inner_texts() if "UTC" in text], "times by the reader's clock"
        assert_quiet(window, contest, "")


def test_marks_are_frozen_on_the_page_by_keyboard(browser: Browser, contest: Served) -> None:
    with watched(browser) as window:
        contest.enter(window.page)
        page = window.page
        page.goto(f"{contest.base}/marks")
        state = page.locator(".title .state")
        expect(state).to_have_text("provisional")
        page.locator("summary").press("Enter")
        page.locator("input[name=sure]").press("Space")
        page.get_by_role("button", name="Freeze", exact=True).press("Enter")
        expect(state).to_have_text("frozen", timeout=60_000)  # the page itself looks again
        expect(page.locator("input[name=sure]")).to_have_count(0)
        assert_quiet(window, contest, "")


def test_a_file_a_folder_and_a_zip_are_dropped_on_the_page(browser: Browser, contest: Served, tmp_path: Path) -> None:
    folder = tmp_path / "my_folder"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "deep").mkdir()
    for name, text in (("__init__.py", "a"), ("deep/model.py", "b"), (".hidden", "c"), ("__pycache__/x.pyc", "d")):
        (folder / name).write_text(text)
    file, packed = tmp_path / "Fox 2.py", tmp_path / "packed.zip"
    file.write_text("print(1)\n")
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("__init__.py", "e")
    asked: list[str] = []

    def take(route: Route) -> None:
        asked.append(route.request.url.rpartition("/")[2])
        route.fulfill(status=201, json={"bot": "it"})

    with watched(browser) as window:
        contest.enter(window.page)
        page = window.page
        page.route("**/api/bots/*", take)
        page.add_init_script(KEEP_WHAT_IS_SENT)
        page.goto(f"{contest.base}/me")
        mouse = page.context.new_cdp_session(page)
        box = page.locator("#submit-zone").bounding_box()
        assert box is not None
        for path, title, name in (
            (file, "Fox 2.py, 0.0 kB", "fox_2"), (folder, "my_folder, 2 files, 0.0 kB", "my_folder"),
            (packed, "packed.zip, 0.1 kB", "packed"),
        ):  # fmt: skip
            for kind in ("dragEnter", "dragOver", "drop"):
                data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
                mouse.send("Input.dispatchDragEvent", {"type": kind, "x": box["x"] + 9, "y": box["y"] + 9, "data": data})
            expect(page.locator("#submit-chosen")).to_have_text(title)
            expect(page.locator("#submit-name")).to_have_value(name)
            expect(page.locator("#submit-name")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.locator("#submit-chosen")).to_have_text("Nothing chosen yet")
        page.wait_for_function("sent.length === 3")
        sent = [bytes(one) for one in page.evaluate("sent")]
        assert window.complaints == []
    assert asked == ["fox_2?lang=en", "my_folder?lang=en", "packed?lang=en"]
    assert sent[0] == file.read_bytes() and sent[2] == packed.read_bytes()
    with zipfile.ZipFile(io.BytesIO(sent[1])) as found:
        assert {name: found.read(name) for name in found.namelist()} == {
            "my_folder/__init__.py": b"a", "my_folder/deep/model.py": b"b",
        }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["tournament", "matches", "bot", "all rules", "match", "a game to play", "bots", "test match", "remote bots"]
)
def test_the_keyboard_alone_reaches_everything(
    browser: Browser, server: Served, session: StorageState, match: str, name: str
) -> None:
    with watched(browser, storage_state=session, width=DESK) as window:
        page = opened(window, server, name, match)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
        wanted = page.evaluate(
            f"[...document.querySelectorAll({json.dumps(FOCUSABLE)})].filter(one => one.checkVisibility()"
            " && !one.disabled && !(one.type === 'radio' && !one.checked)).map((one, number) => one.dataset.number = number)"
        )
        reached = set()
        for _ in range(len(wanted) + 30):
            number, outline = page.evaluate(
                "[document.activeElement.dataset.number, getComputedStyle(document.activeElement).outlineStyle]"
            )
            if number is not None:
                assert outline != "none", page.evaluate("document.activeElement.outerHTML")
                reached.add(int(number))
            page.keyboard.press("Tab")
        missed = page.evaluate("numbers => numbers.map(one => document.querySelector(`[data-number='${one}']`).outerHTML)",
                               sorted(set(wanted) - reached))  # fmt: skip
        assert missed == []


@pytest.mark.parametrize("language", ["en-GB", "ja-JP"])
def test_a_table_with_people_from_the_form_to_the_start_by_keyboard(
    browser: Browser, server: Served, session: StorageState, language: str
) -> None:
    """The host opens a table and starts it; a guest comes by the link, who has nothing else. The match is another test's."""
    with (
        watched(browser, storage_state=session, locale=language) as host,
        watched(browser, locale=language, dark=True, width=PHONE) as guest,
    ):
        host.page.goto(f"{server.base}/play/naga")
        host.page.select_option("select[name=people]", "1")
        host.page.fill("input[name=name]", f"Host {language}")
        host.page.keyboard.press("Enter")
        host.page.wait_for_url("**/tables/*")
        link = host.page.locator(".live-lobby code").first.inner_text()
        guest.page.goto(link)
        assert guest.page.evaluate("document.documentElement.scrollWidth") == PHONE
        assert_accessible(guest.page)
        guest.page.fill("input[name=name]", f"Guest {language}")
        guest.page.keyboard.press("Enter")
        guest.page.wait_for_url("**/tables/*")
        expect(host.page.locator(".live-lobby")).to_contain_text(f"Guest {language}")
        for window in (host, guest):
            window.page.wait_for_selector(".live-lobby")
            assert_accessible(window.page)
            assert_quiet(window, server, "")
        host.page.goto(f"{server.base}/play")
        host.page.locator(".my-tables form button").press("Enter")
        expect(host.page.locator(".my-tables")).to_have_count(0)


def test_the_skip_link_leads_past_the_navigation(browser: Browser, server: Served, session: StorageState) -> None:
    with watched(browser, storage_state=session) as window:
        window.page.goto(server.base)
        window.page.keyboard.press("Tab")
        window.page.keyboard.press("Enter")
        window.page.keyboard.press("Tab")
        assert window.page.evaluate("document.activeElement.closest('main') !== null")


def test_a_table_is_sorted_by_the_keyboard(browser: Browser, server: Served, session: StorageState, match: str) -> None:
    with watched(browser, storage_state=session) as window:
        page = opened(window, server, "tournament", match)
        head = page.locator("table.board thead th", has_text="bot").first
        head.locator("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        names = page.locator("table.board tbody th").all_inner_texts()
        assert names == sorted(names) and len(names) == 5


def test_boards_that_move_have_the_scale_of_those_that_the_server_draws(
    browser: Browser, server: Served, session: StorageState
) -> None:
    rng = random.Random(5)
    with watched(browser, storage_state=session) as window:
        window.page.goto(server.base)
        for spread in (0.4, 3.0, 40.0, 900.0):
            rows = [Interval(low, low + spread * rng.random()) for low in (rng.uniform(-spread, spread) for _ in range(8))]
            scale = scale_of(rows)
            found = window.page.evaluate(
                """rows => {
                    const scale = arena.board.scaleOf(rows);
                    return [scale.ticks, rows.map(row => scale.percent(row.high))];
                }""",
                [row._asdict() for row in rows],
            )
            assert found == [list(scale.ticks), [scale.percent(row.high) for row in rows]]


def test_the_language_is_switched_and_remembered(browser: Browser, server: Served, session: StorageState) -> None:
    with watched(browser, storage_state=session) as window:
        window.page.goto(f"{server.base}/t/small?pool=naga")
        window.page.get_by_role("link", name="日本語").click()
        assert window.page.evaluate("document.documentElement.lang") == "ja" and "pool=naga" in window.page.url
        window.page.goto(f"{server.base}/rules")
        assert window.page.evaluate("document.documentElement.lang") == "ja"


def test_the_heat_map_leads_to_the_matches_of_the_two_and_these_to_their_replays(
    browser: Browser, server: Served, session: StorageState, match: str
) -> None:
    with watched(browser, storage_state=session) as window:
        page = opened(window, server, "tournament", match)
        page.locator("table.heat tbody tr").first.locator("td a").first.click()
        page.wait_for_selector("ol.results")
        shown = page.locator("ol.results").all_inner_texts()
        first, second = (page.locator(f"select[name={name}]").input_value() for name in ("bot", "rival"))
        assert shown and all(first in text and second in text for text in shown) and first != second
        page.locator("tbody th a").first.click()
        page.wait_for_selector(".player .table")
        assert {first, second} == set(page.locator("h1 a").all_inner_texts())


def test_a_worst_loss_opens_where_it_was_lost(browser: Browser, server: Served, session: StorageState, match: str) -> None:
    with watched(browser, storage_state=session) as window:
        page = opened(window, server, "tournament", match)
        link = page.locator("section[aria-labelledby=worst_losses] td a").first
        href = str(link.get_attribute("href"))
        seat = int(href.partition("lost=")[2])
        address = f"{server.base}/api{href.partition('?')[0]}"
        lost = page.request.get(f"{address}/opinion").json()["lost"][seat]
        number = page.request.get(address).json()["frames"]["header"]["outline"]["numbers"][lost]
        link.click()
        page.wait_for_selector(".player .table")
        assert number > 0
        expect(page.locator(".player-counter")).to_contain_text(f"{number} /")


def test_names_that_are_code_are_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    loser = make_seat("bob", 2, ending=Ending.CRASH, fault_decision=-1)
    record = make_record(seats=(make_seat(HOSTILE, 1), loser), pool=HOSTILE)
    write_results(tmp_path, numbered([record] * 3))
    with served(tmp_path) as server, watched(browser) as window:
        server.enter(window.page)
        for address in ("/", "/t/cup", "/t/cup/matches", "/bots/bob"):
            window.page.goto(server.base + address, wait_until="networkidle")
            assert "</script><img src=x" in window.page.inner_text("main") or address == "/bots/bob"
            assert [image.get_attribute("alt") for image in window.page.locator("img").all()] == [""]  # the sign of the server
        assert_quiet(window, server, "")


def test_matches_are_paged_to_the_end(browser: Browser, server: Served, session: StorageState) -> None:
    with watched(browser, storage_state=session) as window:
        window.page.goto(f"{server.base}/t/small/matches?limit=60")
        seen: list[str] = []
        while True:
            seen += window.page.locator("tbody td.code").all_inner_texts()
            following = window.page.get_by_role("link", name="Older")
            if not following.count():
                break
            following.click()
            window.page.wait_for_url("**before=**")
            assert len(seen) < 200
        assert len(seen) == len(set(seen)) == 10 * 3 * (2 + 3)


@pytest.fixture
def long_run(tmp_path: Path) -> Path:
    """A config that plays for some seconds."""
    return write_config(tmp_path, name="moving", bots=GOOD_BOTS, deals=120, seed=5)


def test_a_board_fills_while_the_tournament_is_played(browser: Browser, tmp_path: Path, long_run: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with served(out) as server, watched(browser) as window:
        page, sockets = window.page, list[WebSocketRoute]()

        def join(socket: WebSocketRoute) -> None:
            sockets.append(socket)
            socket.connect_to_server()

        page.route_web_socket("**/live", join)
        server.enter(page)
        expect(page.get_by_role("heading", name="Play now")).to_be_visible()
        page.evaluate("window.isTheSamePage = true")
        playing = arena("tournament", long_run, "--out", out, "--backend", "local", "--workers", "1")
        try:
            page.get_by_role("link", name="moving").click(timeout=60_000)  # it appeared by itself
            page.wait_for_selector("table.board")
            page.evaluate(
                """() => {
                    window.isTheSamePage = true;
                    window.marked = new Set();
                    new MutationObserver((changes) => {
                        const found = changes.map(({target}) => target).filter(({classList}) => classList.contains("changed"));
                        for (const {dataset} of found) marked.add(dataset.field);
                    }).observe(document.body, {subtree: true, attributeFilter: ["class"]});
                }"""
            )
            rating = page.locator("table.board [data-field=rating]").first
            expect(rating).not_to_have_text(rating.inner_text(), timeout=30_000)
            page.evaluate(
                """new Promise(done => {
                    const look = () => marked.has("rating") && marked.has("matches") ? done() : requestAnimationFrame(look);
                    look();
                })"""
            )
            sockets[-1].close()  # the laptop sleeps
            connections = len(sockets)
            expect(page.locator(".state")).to_have_text("finished", timeout=120_000)
            assert len(sockets) > connections
        finally:
            code, _, errors = ended(playing)
        assert code == 0, errors
        page.wait_for_selector("section[aria-labelledby=head_to_head]")  # what is known only after the end came, too
        assert page.evaluate("window.isTheSamePage") is True
        found = page.request.get(f"{server.base}/api/t/moving").json()
        ratings = [f"{row['rating']:.2f}" for row in found["board"]]
        assert page.locator("table.board [data-field=rating]").all_inner_texts() == ratings
        assert window.complaints == []
