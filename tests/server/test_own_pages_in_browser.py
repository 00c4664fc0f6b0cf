"""My matches and my bots, with much on the pages, in a browser, light and dark. The application answers without a socket."""

from collections.abc import Iterator

import msgspec
import pytest
from playwright.sync_api import Browser, Route

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.results.inbox import State
from arena.server.people.store import keep
from helpers.browser import assert_fits_and_is_accessible, chromium, in_browser, watched
from helpers.members import Members, with_members
from helpers.people_matches import people_match, won
from helpers.records import make_record, make_seat
from helpers.results import HOSTILE, write_results
from helpers.server import HOST

pytestmark = in_browser
BOTS = ("lynx", "b" * 40, "crow")
PHONE, DESK = 320, 1440


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """Aya has played against levels, and has bots: one with matches, one with a long name, one that was withdrawn."""
    out = tmp_path_factory.mktemp("own")
    with with_members(out, is_checking=False) as found:
        played_by(found)
        sent_by(found)
        yield found


def played_by(members: Members) -> None:
    record, key = people_match("naga", "Aya:beginner", "beginner")
    for number, winner in enumerate([0, 0, 1]):
        keep(members.server.library.out, won(msgspec.structs.replace(record, match_id=f"{number:024x}"), winner), key)


def sent_by(members: Members) -> None:
    out, inbox = members.server.library.out, members.server.submitting.inbox
    for name in BOTS:
        content = f"# {name}".encode()
        one = inbox.receive(members.account("aya").id, name, content, ".py", is_taken=False, is_organiser=False)
        Submissions(out).submit(name, BotFiles(f"{name}.py", {f"{name}.py": content}), ("naga",), as_new=True)
        begun, version = inbox.begin(), Submissions(out).versions(name)[-1]
        assert begun is not None and begun.id == one.id
        inbox.end(begun, State.ACCEPTED, b'{"report":null,"version":1}', sha256=version.sha256, version=version.version)
    refused = inbox.receive(members.account("aya").id, "crow", b"# no bot", ".py", is_taken=False, is_organiser=False)
    begun = inbox.begin()
    assert begun is not None and begun.id == refused.id
    inbox.end(begun, State.REFUSED, b'{"report":null,"trouble":"no bot"}')
    assert members.aya.post("/bots/crow/withdraw", data={"sure": "yes"}).status_code == 303
    pairs = [("lynx", HOSTILE), (HOSTILE, "lynx"), ("lynx", "b" * 40), ("crow", "lynx")]
    records = [make_record(0, (make_seat(first), make_seat(second, 2)), ended=1_795_867_200) for first, second in pairs]
    write_results(out, records, *BOTS, HOSTILE)


@pytest.mark.parametrize(("language", "dark", "level"), [("en", False, "beginner"), ("ja", True, "入門")])
def test_own_pages_with_much_on_them_fit_and_are_accessible(
    browser: Browser, members: Members, language: str, dark: bool, level: str
) -> None:
    def answer(route: Route) -> None:
        found = members.aya.get(route.request.url.removeprefix(HOST), headers={"accept-language": language})
        route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.content)

    with watched(browser, dark=dark, width=DESK) as window:
        page = window.page
        page.route("**/*", answer)
        for address, rows in (("/me/play", [level] * 3), ("/me", None)):
            page.goto(HOST + address)
            for closed in page.locator("main summary").all():
                closed.click()
            assert rows in (None, page.locator(".more tbody td:last-child").all_inner_texts())
            assert_fits_and_is_accessible(page, (DESK, PHONE), dark=dark)
        assert page.locator(".own-matches li").count() == 4
        assert window.complaints == []
