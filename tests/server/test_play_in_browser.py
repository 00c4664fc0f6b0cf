"""Live tables in browsers: every game to its end by mouse, touch and keys, and what a page survives."""

import os
import random
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from helpers.browser import Watched, assert_fits_and_is_accessible, chromium, in_browser, look, settled, watched
from helpers.play_pages import (
    MOST_STEPS,
    OVER,
    TURN,
    Player,
    by_keys,
    by_mouse,
    by_touch,
    join_table,
    open_table,
    played_to_the_end,
)
from helpers.processes import live_tables, until
from helpers.serving import Served, served

pytestmark = in_browser
PHONE, TABLET, DESK = 360, 820, 1440
STILL = {"reduced_motion": "reduce"}
START_MS = 60_000
"""A table's process may have to compile the rules first."""
BOT = "level:beginner"
SHORT: dict[str, dict[str, Any]] = {
    "naga": {"seats": ["me", "person"]},
    "hisatsu": {"seats": ["me", "person", BOT]},
    "nanatoridori": {"seats": ["me", "person"]},
    "yaniv": {"seats": ["me", "person"], "options": {"max_rounds": 1, "turn_limit": 4}},
    "nertz": {"seats": ["me", "person", "person", "person"], "options": {"max_rounds": 1, "tick_limit": 20}, "tick_ms": 150},
}
"""Games that end soon."""


HEARD = """
    window.heard = 0;
    for (const kind of [AudioScheduledSourceNode, AudioBufferSourceNode]) {
        const start = kind.prototype.start;
        kind.prototype.start = function (...when) { heard += 1; start.apply(this, when); };
    }
"""
"""Counts what is heard."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("archive")) as found:
        yield found


@pytest.fixture
def window(browser: Browser, server: Served) -> Iterator[Watched]:
    """A page of somebody who has come in."""
    with watched(browser, width=DESK, **STILL) as found:
        server.enter(found.page)
        yield found


def assert_quiet(window: Watched, server: Served) -> None:
    settled(window.page)
    assert window.complaints == []
    assert window.outside(server.base, server.base.replace("http", "ws")) == []


def started(page: Page) -> None:
    """Start the match, if there is a lobby, and wait until the first turn."""
    if page.locator(".live-lobby .live-main").is_visible():
        page.locator(".live-lobby .live-main").click()
    page.wait_for_selector(f"{TURN}, .live-table:not([hidden])", timeout=START_MS)


@pytest.mark.parametrize("game", SHORT)
def test_people_play_a_game_to_its_end_and_its_replay_tells_the_same(browser: Browser, server: Served, game: str) -> None:
    ways = (by_mouse, by_keys, by_touch, by_keys)[: SHORT[game]["seats"].count("person") + 1]
    with ExitStack() as stack:
        windows = [
            stack.enter_context(watched(browser, width=DESK if at % 2 == 0 else TABLET, has_touch=way is by_touch, **STILL))
            for at, way in enumerate(ways)
        ]
        players = [Player(window.page, way, random.Random(at)) for at, (window, way) in enumerate(zip(windows, ways))]
        host = players[0].page
        server.enter(host)
        opened = open_table(host, server, f"{game}-ann", game=game, **SHORT[game])
        for at, player in enumerate(players[1:]):
            join_table(player.page, server, opened, f"{game}-{at}")
        started(host)
        played_to_the_end(players)
        for seat, (player, window) in enumerate(zip(players, windows)):
            over = player.of_kind("over")[-1]
            assert player.page.locator(".live-result tbody tr").count() == len(SHORT[game]["seats"])
            replay = host.request.get(f"{server.base}/api/m/{over['match_id']}?seat={seat}").json()["frames"]["frames"]
            replayed = [event for frame in replay for event in frame.get("events", [])]
            assert player.events() == replayed if player.sockets == 1 else all(event in replayed for event in player.events())
            assert player.page.locator(".live-table").inner_text() != ""
            assert_quiet(window, server)


@pytest.mark.parametrize(("language", "dark"), [("en-GB", False), ("ja-JP", True)])
def test_a_table_fits_all_widths_and_is_accessible(browser: Browser, server: Served, language: str, dark: bool) -> None:
    with watched(browser, width=DESK, dark=dark, locale=language, **STILL) as window:
        page = window.page
        server.enter(page)
        open_table(page, server, f"eve-{language}", game="naga", seats=["me", "person"])
        _assert_good(page)
        started(page)
        player = Player(page, by_mouse)
        for _ in range(3):
            player.step()
        page.locator(".live-hint-button").click()
        _assert_good(page)
        assert page.evaluate("document.querySelector('[data-zone=hand-0]').getBoundingClientRect().bottom <= 900")
        page.locator(".live-tools button").click()
        page.locator(".live-dialog .live-main").click()
        assert_quiet(window, server)


@pytest.mark.parametrize("game", SHORT)
def test_on_a_phone_the_own_cards_are_on_the_first_screen(browser: Browser, server: Served, game: str) -> None:
    seats = ["me", BOT] if game == "naga" else ["me", BOT, BOT]
    with watched(browser, width=390, height=664, has_touch=True, **STILL) as window:
        page = window.page
        server.enter(page)
        open_table(page, server, f"pat-{game}", game=game, seats=seats)
        started(page)
        for height, width in ((664, 390), (740, 360)):
            page.set_viewport_size({"width": width, "height": height})
            settled(page)
            own = page.locator(":is([data-zone=hand-0], [data-zone=nertz-0], [data-zone^=work-0-])")
            assert own.count() and max(own.evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")) <= height
        page.locator(".live-tools button").click()
        page.locator(".live-dialog .live-main").click()
        assert_quiet(window, server)


def _assert_good(page: Page) -> None:
    assert_fits_and_is_accessible(page, (PHONE, TABLET, DESK))


def test_reload_second_tab_back_and_a_cut_line_lead_to_the_same_decision(window: Watched, server: Served) -> None:
    page = window.page
    open_table(page, server, "tom", game="yaniv", seats=["me", BOT])
    page.wait_for_selector(TURN, timeout=START_MS)

    def decision(where: Page) -> list[str]:
        where.wait_for_selector(TURN)
        return [str(one.get_attribute("data-action")) for one in where.locator(".choosing-list button").all()]

    legal = decision(page)
    page.reload()
    assert decision(page) == legal
    page.locator(".crumbs a").first.click()
    page.go_back()
    assert decision(page) == legal
    second = page.context.new_page()
    second.goto(page.url)
    assert decision(second) == legal
    page.context.set_offline(True)
    expect(page.locator(".live-trouble")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".live-trouble")).to_be_hidden(timeout=20_000)
    assert decision(page) == legal
    page.locator(".choosing-list button").first.click()
    page.locator(".live-back").click()  # nobody has acted since
    for tab in (page, second):
        expect(tab.locator(".choosing-list button").first).to_have_attribute("data-action", legal[0])
        expect(tab.locator(".live-back")).to_be_hidden()
        assert decision(tab) == legal
    page.locator(".choosing-list button").first.click()
    expect(second.locator(".choosing-list button").first).not_to_have_attribute("data-action", legal[0])
    page.locator(".live-tools button").click()
    page.locator(".live-dialog .live-main").click()
    expect(second.locator(".live-trouble")).to_be_visible()


def test_a_place_of_naga_is_taken_back_before_the_bot_is_asked(window: Watched, server: Served) -> None:
    page, back = window.page, window.page.locator(".live-back")
    opened = open_table(page, server, "dot", game="naga", seats=["me", BOT])
    page.wait_for_selector(TURN, timeout=START_MS)
    places, player = page.locator("[data-action^=field]"), Player(page, by_mouse)
    while places.count() == 0:  # the bot may be the one who picks first
        player.step()
    texts = places.all_inner_texts()
    places.first.click()
    expect(back).to_have_text("Take back")
    back.click()
    expect(places.first).to_be_visible()
    expect(back).to_be_hidden()
    assert places.all_inner_texts() == texts
    places.last.click()
    expect(page.locator("[data-action^=select]").first).to_be_visible()
    page.request.post(f"{server.base}{opened['page']}/leave", headers={"origin": server.base})
    assert_quiet(window, server)


def test_a_choice_of_naga_is_changed_until_the_other_person_has_chosen(
    browser: Browser, window: Watched, server: Served
) -> None:
    page, back = window.page, window.page.locator(".live-back")
    opened = open_table(page, server, "lea", game="naga", seats=["me", "person"])
    with watched(browser, width=TABLET, **STILL) as other:
        join_table(other.page, server, opened, "max")
        started(page)
        both = [Player(page, by_mouse), Player(other.page, by_mouse)]
        while page.locator("[data-action^=select]").count() == 0:
            for player in both:
                player.step()
        choices = page.locator(".choosing-list button")
        texts = choices.all_inner_texts()
        choices.first.click()
        expect(back).to_have_text("Choose again")
        expect(page.locator(TURN)).to_have_count(0)
        back.click()
        expect(page.locator(TURN)).to_be_visible()
        expect(back).to_be_hidden()
        assert choices.all_inner_texts() == texts
        choices.last.click()
        expect(back).to_be_visible()
        other.page.locator(".choosing-list button").first.click()
        expect(back).to_be_hidden()
        expect(page.locator(".live-log .led-to").first).to_be_visible()
        page.request.post(f"{server.base}{opened['page']}/leave", headers={"origin": server.base})
        other.page.request.post(f"{server.base}{opened['page']}/leave", headers={"origin": server.base})
        assert_quiet(window, server)


def test_the_end_of_a_round_stays_until_the_person_goes_on_or_the_line_was_cut(window: Watched, server: Served) -> None:
    page, player = window.page, Player(window.page, by_mouse)
    open_table(page, server, "ida", game="naga", seats=["me", BOT], options={"series": "games:3"})
    page.wait_for_selector(TURN, timeout=START_MS)
    go_on = page.locator(".live-round .live-main")

    def play_on() -> None:
        for _ in range(MOST_STEPS):
            if go_on.is_visible():
                return
            player.step()
        raise AssertionError(page.locator(".live-status").inner_text())

    play_on()
    expect(page.locator(".live-round .is-changed, .live-round .round-fact").first).to_be_visible()
    expect(page.locator(".live-side .round-fact.is-led").last).to_be_in_viewport()  # beside the table, which stays as it stood
    look(page, width=PHONE, height=664)
    expect(page.locator(".live-stage .round-result")).to_be_visible()
    look(page, width=DESK)
    assert page.locator(".live-table .hand .card-back").count() == 0 and not page.locator(".player-text").is_visible()
    go_on.click()
    expect(page.locator(".live-round")).to_be_hidden()
    page.wait_for_selector(TURN)
    play_on()
    page.context.set_offline(True)
    expect(page.locator(".live-trouble")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".live-trouble")).to_be_hidden(timeout=20_000)
    page.wait_for_selector(TURN)
    page.locator(".live-tools button").click()
    page.locator(".live-dialog .live-main").click()


def test_a_table_whose_process_is_killed_says_so_and_the_server_lives(window: Watched, server: Served) -> None:
    page = window.page
    before = live_tables(server.process)  # those of other tests may not have ended yet
    opened = open_table(page, server, "kim", game="naga", seats=["me", BOT])
    page.wait_for_selector(".live-table:not([hidden])", timeout=START_MS)
    (table,) = live_tables(server.process) - before
    os.kill(table, signal.SIGKILL)
    expect(page.locator(".live-trouble a")).to_be_visible()
    assert page.request.get(f"{server.base}/api{opened['page']}").json()["state"] == "broken"
    open_table(page, server, "kim", game="naga", seats=["me", BOT])
    page.wait_for_selector(".live-table:not([hidden])", timeout=START_MS)
    assert_quiet(window, server)


def test_a_card_is_dragged_and_a_card_that_cannot_be_played_says_why(window: Watched, server: Served) -> None:
    page = window.page
    open_table(page, server, "dora", game="yaniv", seats=["me", BOT])
    page.wait_for_selector(TURN, timeout=START_MS)
    assert re.match("discard |call ", page.locator(".choosing [data-action] span").first.inner_text())
    card = page.locator("[data-zone=hand-0] [data-key].can-choose").first
    key = str(card.get_attribute("data-key"))
    card.hover(position={"x": 8, "y": 10})
    page.mouse.down()
    goal = page.locator("[data-zone=laid]").bounding_box()
    assert goal is not None
    page.mouse.move(goal["x"] + 20, goal["y"] + 20, steps=4)
    page.mouse.up()
    expect(page.locator(f"[data-zone=laid] [data-key='{key}']")).to_be_visible()
    refused = page.locator("[data-zone=hand-0] .is-refused").first
    refused.click(position={"x": 8, "y": 10}, force=True)
    link = page.locator(".choosing-message a")
    expect(link).to_be_visible()
    with page.expect_popup() as popup:
        link.click()
    popup.value.wait_for_load_state()
    assert popup.value.evaluate("document.getElementById(decodeURIComponent(location.hash.slice(1))) !== null")
    assert_quiet(window, server)


@pytest.mark.parametrize("game", SHORT)
def test_a_lesson_is_played_to_its_end_by_keys(window: Watched, server: Served, game: str) -> None:
    page = window.page
    answer = page.goto(f"{server.base}/learn/{game}")
    assert answer is not None and answer.ok
    page.wait_for_selector(".live-lesson-text [role=status] p")
    count = page.locator(".live-lesson-text .live-note")
    expect(count).to_be_hidden()  # what comes before is no step
    told = ""
    page.locator(".live-guide button.live-main").focus()
    if game == "naga":
        _assert_good(page)
    for _ in range(80):
        page.keyboard.press("Enter")
        settled(page)
        if page.locator(".live-guide a.live-main").is_visible():
            break
        told = count.inner_text()
    expect(page.locator(".live-guide a.live-main")).to_be_focused()
    step, steps = map(int, re.findall(r"\d+", told))
    assert step == steps and 8 <= steps <= 15
    assert_quiet(window, server)


def test_the_result_tells_the_luck_of_the_deal_and_leads_on(window: Watched, server: Served) -> None:
    page = window.page
    open_table(page, server, "lena", game="naga", seats=["me", BOT])
    page.wait_for_selector(TURN, timeout=START_MS)
    played_to_the_end([Player(page, by_mouse)])
    assert page.evaluate("performance.getEntriesByType('measure').length") > 5
    expect(page.locator(".live-result .curve")).to_be_visible()
    expect(page.locator(".live-tools button")).to_be_hidden()  # nothing is left to leave
    before = page.url
    page.locator(".live-result form button").click()
    page.wait_for_url(lambda url: url != before)
    page.wait_for_selector(".live-table:not([hidden])", timeout=START_MS)
    assert page.locator(OVER).count() == 0
    assert_quiet(window, server)


def test_on_a_phone_what_others_did_last_and_a_hint_are_in_sight(browser: Browser, server: Served) -> None:
    with watched(browser, width=PHONE, has_touch=True, **STILL) as window:
        page = window.page
        server.enter(page)
        open_table(page, server, "pia", game="yaniv", seats=["me", BOT, BOT], options={"max_rounds": 1})
        page.wait_for_selector(TURN, timeout=START_MS)
        player = Player(page, by_touch)
        page.reload()  # now the player hears everything
        page.wait_for_selector(TURN)
        for _ in range(40):
            since = [event for event in player.of_kind("ask")[-1]["since"] if event[1] != 0 or event[3]]
            if since and page.locator(TURN).count():
                break
            player.step()
        lines = page.locator(".live-latest p")
        assert lines.count() == min(4, len(since))
        assert lines.last.inner_text() == page.locator(".live-events li").last.inner_text()
        page.locator(".live-hint-button").click()
        page.wait_for_selector(".live-best")
        best = player.of_kind("hint")[-1]["best"]
        expect(page.locator(".choosing-message")).to_be_visible()
        assert page.locator(f".choosing-list [data-action='{best}']").get_attribute("class") == "is-advised"
        _assert_good(page)
        page.locator(".live-tools button").click()
        page.locator(".live-dialog .live-main").click()
        assert_quiet(window, server)


def test_the_head_is_as_wide_as_the_table(browser: Browser, server: Served) -> None:
    with watched(browser, width=1900, **STILL) as window:
        page = window.page
        server.enter(page)
        open_table(page, server, "wim", game="yaniv", seats=["me", BOT], options={"max_rounds": 1})
        page.wait_for_selector(TURN, timeout=START_MS)
        settled(page)
        head, table = page.evaluate("""() => [".brand", ".live"].map(
          (selector) => document.querySelector(selector).getBoundingClientRect().left
        )""")
        assert abs(head - table) < 2
        page.locator(".live-tools button", has_text="Leave").click()
        page.locator(".live-dialog .live-main").click()


@pytest.mark.parametrize("game", ["naga", "yaniv", "nanatoridori", "hisatsu"])
def test_on_a_phone_the_own_hand_is_on_the_first_screen(browser: Browser, server: Served, game: str) -> None:
    with watched(browser, width=PHONE, height=664, **STILL) as window:
        page = window.page
        server.enter(page)
        open_table(page, server, f"phone-{game}", game=game, seats=["me", BOT] if game == "naga" else ["me", BOT, BOT])
        page.wait_for_selector(TURN, timeout=START_MS)
        settled(page)
        hand = page.locator("[data-zone=hand-0]").bounding_box()
        assert hand is not None and hand["y"] + hand["height"] <= 664 and page.evaluate("scrollY") == 0
        page.request.post(f"{page.url}/leave", headers={"origin": server.base})


def test_moves_are_confirmed_and_heard_only_by_who_wants_it(window: Watched, server: Served) -> None:
    page = window.page
    page.add_init_script(HEARD)
    open_table(page, server, "connie", game="yaniv", seats=["me", BOT], options={"max_rounds": 1})
    page.wait_for_selector(TURN, timeout=START_MS)
    sound, confirm = page.get_by_label("Sound", exact=True), page.get_by_label("Confirm moves")
    assert not sound.is_checked() and not confirm.is_checked() and page.evaluate("heard") == 0
    sound.check()
    confirm.check()
    first = page.evaluate("heard")
    assert first > 0
    page.locator(".choosing-list button").first.click()
    expect(page.locator(".choosing-message")).to_contain_text("You want to")
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator(TURN)).to_be_visible()
    expect(page.locator(".choosing-message")).to_have_text("")
    assert page.evaluate("heard") == first, "nothing was played"
    page.locator(".choosing-list button").first.click()
    page.get_by_role("button", name="Do it").press("Enter")
    page.wait_for_function("before => heard > before", arg=first)
    page.reload()
    page.wait_for_selector(TURN, timeout=START_MS)
    assert page.get_by_label("Sound", exact=True).is_checked(), "kept in this browser"
    page.locator(".live-tools button").click()
    page.locator(".live-dialog .live-main").click()
    assert_quiet(window, server)


def test_a_table_notices_a_server_that_does_not_answer(window: Watched, server: Served) -> None:
    """A proxy that swallows all of a socket in the middle of a match, and ends nothing."""
    page, sockets, swallowed = window.page, list[WebSocketRoute](), set[int]()

    def join(socket: WebSocketRoute) -> None:
        number, there = len(sockets), socket.connect_to_server()
        sockets.append(socket)
        socket.on_message(lambda message: there.send(message) if number not in swallowed else None)
        there.on_message(lambda message: socket.send(message) if number not in swallowed else None)

    page.clock.install()
    page.route_web_socket("**/tables/*/socket", join)
    open_table(page, server, "silent", game="naga", seats=["me", BOT])
    expect(page.locator(".live-trouble")).to_be_hidden(timeout=START_MS)
    opened = len(sockets)  # on a busy machine the first one was perhaps too late
    page.clock.run_for(12_000)  # what is asked is answered
    expect(page.locator(".live-trouble")).to_be_hidden()
    assert len(sockets) == opened
    swallowed.update(range(opened))
    page.evaluate("""
        window.troubles = 0;
        new MutationObserver(() => troubles++).observe(document.querySelector(".live-trouble"), {attributes: true});
    """)
    page.clock.run_for(25_000)
    until(lambda: page.evaluate("troubles") and len(sockets) > opened)
    expect(page.locator(".live-trouble")).to_be_hidden(timeout=START_MS)
