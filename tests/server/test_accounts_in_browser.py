"""Joining by a link, the own account and the organisers' page in a browser: by keyboard, on a phone, in both languages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, WebSocketRoute

from helpers.browser import Watched, assert_fits_and_is_accessible, chromium, in_browser, watched
from helpers.processes import until
from helpers.serving import Served, served

pytestmark = in_browser
WIDTHS = (1440, 820, 320)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("archive")) as found:
        yield found


def assert_fine(window: Watched, server: Served, *, dark: bool) -> None:
    """The page fits all widths, is accessible, complains of nothing, and asks nobody else."""
    page = window.page
    assert_fits_and_is_accessible(page, WIDTHS, dark=dark)
    assert window.complaints == [] and window.outside(server.base, server.base.replace("http", "ws")) == []


@pytest.mark.parametrize(("locale", "dark"), [("en-GB", False), ("ja-JP", True)])
def test_an_organiser_invites_and_somebody_joins(browser: Browser, server: Served, locale: str, dark: bool) -> None:
    name = f"Maximilian {locale}"
    fine = {"locale": locale, "dark": dark, "reduced_motion": "reduce"}
    with watched(browser, **fine) as host, watched(browser, **fine) as guest:
        server.enter(host.page)
        host.page.click('a[href="/admin"]')
        host.page.fill("textarea[name=names]", f"{name}\nAya {locale}")
        host.page.keyboard.press("Tab")
        host.page.keyboard.press("Tab")
        host.page.keyboard.press("Enter")
        host.page.wait_for_selector("#all-links")
        assert_fine(host, server, dark=dark)
        link = host.page.input_value("#all-links").splitlines()[0].partition("\t")[2]

        guest.page.goto(link)
        guest.page.wait_for_selector("#code-label[hidden]", state="attached")
        assert_fine(guest, server, dark=dark)
        guest.page.keyboard.press("Enter")  # the button has the focus
        token = guest.page.inner_text(".token")
        guest.page.wait_for_selector(".copy-line button")
        assert_fine(guest, server, dark=dark)
        guest.page.click("main a.button[href='/me']")
        guest.page.goto(f"{server.base}/account")
        assert_fine(guest, server, dark=dark)
        code = link.partition("#")[2]
        assert not any(secret in address for address in guest.requests for secret in (token, code))
        if guest.page.locator(".menu-button").is_visible():
            guest.page.click(".menu-button")
        guest.page.click(".who button")
        guest.page.wait_for_url(f"{server.base}/login")
        guest.page.fill("#token", token)
        guest.page.keyboard.press("Enter")
        guest.page.wait_for_url(f"{server.base}/")
        assert guest.page.inner_text(".who a") == name

        host.page.goto(f"{server.base}/admin")
        host.page.click("summary >> nth=0")
        assert_fine(host, server, dark=dark)


@pytest.mark.parametrize(("locale", "dark"), [("en-GB", True), ("ja-JP", False)])
def test_a_link_waits_for_a_button_and_for_who_is_logged_in(browser: Browser, server: Served, locale: str, dark: bool) -> None:
    with watched(browser, locale=locale, dark=dark, reduced_motion="reduce") as window:
        page = window.page
        page.goto(server.door)
        page.wait_for_selector("#token-label[hidden]", state="attached")
        assert "token=" not in page.url
        assert_fine(window, server, dark=dark)
        assert page.request.get(f"{server.base}/api").status == 401, "nobody is logged in yet"
        page.keyboard.press("Enter")  # the button has the focus
        page.wait_for_url(f"{server.base}/")
        page.goto(server.door)
        assert_fine(window, server, dark=dark)
        page.click("#leave button")  # log out first: the link is still good
        page.wait_for_selector("#token-label[hidden]", state="attached")
        page.click("#login-enter")
        page.wait_for_url(f"{server.base}/")


def test_a_form_to_log_in_is_there_without_scripts(browser: Browser, server: Served) -> None:
    with watched(browser, java_script_enabled=False) as window:
        window.page.goto(server.door)
        window.page.fill("#token", server.door.partition("token=")[2])
        window.page.click("#login-enter")
        window.page.wait_for_url(f"{server.base}/")
        window.page.goto(f"{server.base}/login")
        window.page.click("#leave button")
        window.page.wait_for_url(f"{server.base}/login")


def test_a_board_notices_a_server_that_does_not_answer(browser: Browser, server: Served) -> None:
    with watched(browser) as window:
        page, sockets = window.page, list[WebSocketRoute]()

        def join(socket: WebSocketRoute) -> None:
            sockets.append(socket)
            if len(sockets) > 1:  # the first one is swallowed by a proxy
                socket.connect_to_server()

        page.clock.install()
        page.route_web_socket("**/live", join)
        server.enter(page)
        page.evaluate("window.states = []; arena.live.onState((state) => states.push(state))")
        until(lambda: page.evaluate("states.at(-1) === 'open'"))
        page.clock.run_for(25_000)
        until(lambda: page.evaluate("states.join(' ').includes('open waiting open')"))
        assert len(sockets) == 2


@pytest.mark.parametrize(("place", "asked"), [("/remote", "/remote"), ("/tv", "/api/tv")])
def test_a_page_asks_again_where_an_answer_is_swallowed(browser: Browser, server: Served, place: str, asked: str) -> None:
    with watched(browser) as window:
        page, requests = window.page, list[str]()

        def swallow(route: Route) -> None:
            if route.request.resource_type == "fetch":
                requests.append(route.request.url)  # nobody answers
            else:
                route.continue_()

        server.enter(page)
        page.clock.install()
        page.route(f"**{asked}", swallow)
        page.goto(f"{server.base}{place}")
        page.clock.run_for(25_000)
        until(lambda: page.evaluate("1") and len(requests) == 1)
        page.clock.run_for(60_000)
        page.evaluate("1")
        page.clock.run_for(25_000)
        until(lambda: page.evaluate("1") and len(requests) >= 2)


def test_an_upload_that_a_proxy_swallows_is_given_up(browser: Browser, server: Served) -> None:
    with watched(browser) as window:
        page = window.page
        server.enter(page)
        page.clock.install()
        page.route("**/api/bots/**", lambda _route: None)
        page.goto(f"{server.base}/me")
        bot = {"name": "b.py", "mimeType": "text/x-python", "buffer": b"class B: pass"}
        page.locator("#submit-form input[type=file]").first.set_input_files(bot)  # type: ignore[arg-type]
        page.click("#submit-send")
        said = page.inner_text("#submit-said")
        page.clock.run_for(70_000)
        until(lambda: "bad" in (page.get_attribute("#submit-said", "class") or ""))
        assert page.inner_text("#submit-said") != said
