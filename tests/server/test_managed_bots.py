"""What the owner of a bot and organisers may do with it, and others may not: withdraw, publish, read the source, give away."""

import io
import zipfile
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.names import NAME
from arena.results.inbox import Inbox, State
from arena.server.guard import Rules
from arena.server.limits import Rate
from arena.server.views.source import MOST_LETTERS, MOST_SHOWN
from helpers.members import Members, with_members
from helpers.records import make_record, make_seat, numbered
from helpers.results import HOSTILE, write_results

SECRET = "# the secret of {name}, version {version}\n"
OTHERS = ("ben", "gus")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    rules = Rules(requests=Rate(1000.0, 6000))
    with with_members(tmp_path_factory.mktemp("results"), is_checking=False, rules=rules) as found:
        yield found


@pytest.fixture
def bot(place: Members, request: pytest.FixtureRequest) -> str:
    """The name of a new bot of Aya's, with two versions."""
    name = f"bot_{abs(hash(request.node.name)) % 10**9}"
    own(place, name)
    for version in (1, 2):
        submit(place, name, {f"{name}.py": SECRET.format(name=name, version=version).encode()})
    return name


def own(place: Members, name: str, who: str = "aya") -> None:
    assert NAME.fullmatch(name)
    account = place.account(who).id
    with place.server.site_file.writing() as db:  # as the inbox does at the first submission
        db.execute("insert into bots (name, owner, since) values (?, ?, '')", (name, account))


def submit(place: Members, name: str, files: dict[str, bytes]) -> None:
    main = next(iter(files))
    Submissions(place.server.library.out).submit(name, BotFiles(main, files), ("naga",), as_new=True)


def client_of(place: Members, who: str) -> TestClient:
    found = getattr(place, who)
    assert isinstance(found, TestClient)
    return found


def looks(place: Members, name: str, version: int) -> dict[str, int]:
    """The status of the page with the source, of its JSON, and of the zip, for everybody; all three are one."""
    found = {}
    for who in ("host", "organiser", "aya", *OTHERS, "stranger"):
        client = client_of(place, who)
        paths = (f"/bots/{name}/source", f"/api/bots/{name}/source", f"/bots/{name}/source.zip", f"/api/bots/{name}/source.zip")
        answers = [client.get(path, params={"v": version}) for path in paths]
        (found[who],) = {answer.status_code for answer in answers}
        for answer in answers:
            assert answer.status_code == 200 or "the secret of" not in answer.text
    return found


PRIVATE = {"host": 200, "organiser": 200, "aya": 200, "ben": 403, "gus": 403, "stranger": 401}
PUBLIC = PRIVATE | {"ben": 200, "gus": 200}


def test_a_source_is_private_until_its_version_is_published_and_after(place: Members, bot: str) -> None:
    assert looks(place, bot, 1) == looks(place, bot, 2) == PRIVATE
    assert place.aya.post(f"/bots/{bot}/publish", data={"version": "1"}).status_code == 303
    assert looks(place, bot, 1) == PUBLIC and looks(place, bot, 2) == PRIVATE
    assert place.ben.get(f"/api/bots/{bot}/source").json()["version"] == 1  # the newest that Ben may see
    assert place.aya.post(f"/api/bots/{bot}/publish", data={"version": ""}).json()["published"] is None
    assert looks(place, bot, 1) == PRIVATE


@pytest.mark.parametrize("act", ["withdraw", "publish", "give"])
@pytest.mark.parametrize("before", ["", "/api"])
def test_others_may_do_nothing_with_a_bot(place: Members, bot: str, act: str, before: str) -> None:
    data = {"sure": "yes", "version": "1", "account": "Ben"}
    log = place.server.accounts.audit()
    for who, status in (("ben", 403), ("gus", 403), ("stranger", 401)):
        assert client_of(place, who).post(f"{before}/bots/{bot}/{act}", data=data).status_code == status
    assert client_of(place, "ben").get(f"{before}/bots/{bot}/{act}").status_code in (404, 405)
    assert place.server.accounts.audit() == log
    assert Submissions(place.server.library.out).withdrawal(bot) is None
    owned = place.server.owned.of(bot)
    assert owned is not None and owned.published is None and owned.owner_name == "Aya"
    for who in OTHERS:
        page = client_of(place, who).get(f"/bots/{bot}").text
        assert "<form" not in page.replace('action="/logout"', "").partition("<main")[2] and "source" not in page


def test_an_author_withdraws_a_bot_only_when_sure_and_a_new_version_brings_it_back(place: Members, bot: str) -> None:
    assert place.aya.post(f"/bots/{bot}/withdraw", data={}).status_code == 400
    assert place.aya.get("/api/bots", params={"q": bot}).json()["bots"][0]["state"] == "playing"
    log = place.server.accounts.audit()
    for _ in range(2):  # pressed twice
        answer = place.aya.post(f"/bots/{bot}/withdraw", data={"sure": "yes"})
        assert (answer.status_code, answer.headers["location"]) == (303, f"/bots/{bot}")
    assert place.aya.get("/api/bots", params={"q": bot, "state": "all"}).json()["bots"][0]["state"] == "withdrawn"
    assert " に取り下げ</span>" in place.ben.get(f"/bots/{bot}?lang=ja").text
    assert place.server.accounts.audit() == log  # an author's own bot is no matter of the log
    submit(place, bot, {f"{bot}.py": b"# a third one\n"})
    assert place.aya.get("/api/bots", params={"q": bot}).json()["bots"][0]["state"] == "playing"


def test_what_an_organiser_does_with_the_bot_of_another_is_in_the_log(place: Members, bot: str) -> None:
    assert place.organiser.post(f"/bots/{bot}/publish", data={"version": "2"}).status_code == 303
    assert place.organiser.post(f"/bots/{bot}/give", data={"account": "ben"}).status_code == 303
    assert place.host.post(f"/api/bots/{bot}/withdraw").json() == {"name": bot, "withdrawn": True, "published": 2}
    rows = [(row.who, row.what, row.about) for row in place.server.accounts.audit(most=3)]
    assert rows == [("organiser", "withdraw", bot), ("Olga", "give", bot), ("Olga", "publish", bot)]
    assert place.ben.get("/api/bots", params={"owner": "mine", "state": "all"}).json()["total"] == 1
    assert looks(place, bot, 1) == PRIVATE | {"aya": 403, "ben": 200}


def test_a_bot_is_given_only_to_an_author_and_only_by_an_organiser(place: Members, bot: str) -> None:
    assert place.aya.post(f"/bots/{bot}/give", data={"account": "Ben"}).status_code == 403
    for name in ("Gus", "nobody", "", HOSTILE):
        assert place.organiser.post(f"/bots/{bot}/give", data={"account": name}).status_code == 404
    assert place.organiser.post("/bots/none/give", data={"account": "Ben"}).status_code == 404
    owned = place.server.owned.of(bot)
    assert owned is not None and owned.owner_name == "Aya"


def test_who_gets_a_bot_may_submit_it(place: Members, bot: str) -> None:
    place.organiser.post(f"/bots/{bot}/give", data={"account": "Ben"})
    assert Inbox(place.server.library.out).owner_of(bot) == place.account("ben").id


def test_a_bot_from_the_terminal_is_the_organisers_to_manage(place: Members) -> None:
    submit(place, "lonely", {"lonely.py": SECRET.encode()})
    assert looks(place, "lonely", 1) == PRIVATE | {"aya": 403}
    assert place.host.post("/bots/lonely/publish", data={"version": "1"}).status_code == 303
    assert looks(place, "lonely", 1) == PUBLIC
    assert place.ben.get("/api/bots/lonely").json()["owner"] is None


@pytest.mark.parametrize("version", ["3", "0", "-1", "1.5", "x", HOSTILE, "9" * 30])
def test_a_version_that_there_is_not(place: Members, bot: str, version: str) -> None:
    assert place.aya.post(f"/bots/{bot}/publish", data={"version": version}).status_code == 404
    for path in (f"/bots/{bot}/source", f"/bots/{bot}/source.zip"):
        assert place.aya.get(path, params={"v": version}).status_code in (400, 404)


@pytest.mark.parametrize("name", ["none", "..", "%2e%2e%2fcontent", "a%00", HOSTILE.replace("/", ""), "x" * 300])
def test_a_bot_that_there_is_not(place: Members, name: str) -> None:
    for path in ("source", "source.zip"):
        assert place.organiser.get(f"/bots/{name}/{path}").status_code == 404
    assert place.organiser.post(f"/bots/{name}/withdraw", data={"sure": "yes"}).status_code in (404, 405)


def test_another_site_can_press_no_button(place: Members, bot: str) -> None:
    headers = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert place.aya.post(f"/bots/{bot}/withdraw", data={"sure": "yes"}, headers=headers).status_code == 403
    assert Submissions(place.server.library.out).withdrawal(bot) is None


def test_a_source_is_shown_as_text_and_cut_and_the_zip_has_all_of_it(place: Members) -> None:
    own(place, "folder")
    files = {
        "bot.py": f"x = '''{HOSTILE}'''\n\tindented\r\nnext\n".encode() + b"# \x1b[2J \xe2\x80\xae trojan\n",
        "a/long.txt": "日本".encode() * MOST_LETTERS, "b.bin": b"\x00\xff" * 50, "c.txt": b"\xff\xfe", "empty.txt": b"",
        **{f"more/{number}.txt": b"z" * MOST_LETTERS for number in range(6)},
        **{f"many/{number}.txt": b"" for number in range(300)},
    }  # fmt: skip
    submit(place, "folder", files)
    found = place.aya.get("/api/bots/folder/source").json()
    shown = {file["path"]: file for file in found["files"]}
    assert next(iter(shown)) == "bot.py" and found["left_out"] == len(files) - len(shown) > 0
    text = shown["bot.py"]["text"]
    assert "\n\tindented\nnext\n" in text and "\\x1b[2J" in text and "\\u202e" in text and not shown["bot.py"]["is_cut"]
    assert shown["a/long.txt"]["is_cut"] and len(shown["a/long.txt"]["text"]) == MOST_LETTERS
    assert shown["b.bin"]["text"] is None is shown["c.txt"]["text"]
    assert sum(len(file["text"] or "") for file in found["files"]) <= MOST_SHOWN
    page = place.aya.get("/bots/folder/source")
    assert page.status_code == 200 and "<img src=x" not in page.text and "\u202e" not in page.text
    answer = place.aya.get("/bots/folder/source.zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="folder-v1.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == {f"folder/{path}": files[path] for path in files}
    assert place.aya.get("/bots/folder/source.zip").content == answer.content


def test_the_list_and_the_page_name_the_owner(place: Members, bot: str) -> None:
    card = place.ben.get("/api/bots", params={"q": bot}).json()["bots"][0]
    assert (card["owner"], card["is_mine"], card["is_reference"]) == ("Aya", False, False)
    assert place.aya.get("/api/bots", params={"q": bot}).json()["bots"][0]["is_mine"]
    assert bot in [card["name"] for card in place.ben.get("/api/bots", params={"q": "ａｙａ"}).json()["bots"]]
    assert "Aya" in place.ben.get(f"/bots/{bot}").text
    assert place.ben.get(f"/api/bots/{bot}").json()["authors"] == []
    for who in ("aya", "organiser"):
        for lang in ("en", "ja"):
            for path in (f"/bots/{bot}", f"/bots/{bot}/source", "/bots"):
                page = client_of(place, who).get(path, params={"lang": lang})
                assert page.status_code == 200 and f'<html lang="{lang}">' in page.text


def rename(place: Members, who: str, bot: str, new: str) -> int:
    return client_of(place, who).post(f"/bots/{bot}/rename", data={"new": new}).status_code


def test_a_misspelt_name_is_changed_and_the_log_keeps_both(place: Members, bot: str) -> None:
    new = f"{bot}_right"
    assert rename(place, "ben", bot, new) == 403
    answer = place.aya.post(f"/bots/{bot}/rename", data={"new": f" {new} "})
    assert answer.status_code == 303 and answer.headers["location"] == f"/bots/{new}"
    store = Submissions(place.server.library.out)
    assert [one.version for one in store.versions(new)] == [1] and len(store.versions(bot)) == 2
    withdrawal = store.withdrawal(bot)
    assert withdrawal is not None and withdrawal.renamed == new
    assert place.aya.get("/api/bots", params={"q": new, "owner": "mine"}).json()["bots"][0]["is_mine"]
    newest = place.server.accounts.audit()[0]
    assert (newest.what, newest.about, newest.details) == ("rename", new, f"was {bot}")
    assert rename(place, "aya", bot, f"{bot}_again") == 409, "it has gone already"


@pytest.mark.parametrize("new", ["Fox 1", "", "all", "-x", "a/b", "x" * 41])
def test_a_bot_gets_no_name_that_is_none(place: Members, bot: str, new: str) -> None:
    assert rename(place, "aya", bot, new) == 400


def test_a_bot_gets_no_name_that_somebody_has(place: Members, bot: str) -> None:
    own(place, f"{bot}_ben", "ben")
    for taken in (f"{bot}_ben", "naga_planner", bot):
        assert rename(place, "aya", bot, taken) == 409
    assert Submissions(place.server.library.out).withdrawal(bot) is None


def sent(place: Members, name: str, who: str, content: bytes) -> str:
    """The id of a submission whose check has accepted it."""
    inbox = place.server.submitting.inbox
    one = inbox.receive(place.account(who).id, name, content, ".py", is_taken=False, is_organiser=False)
    submit(place, name, {f"{name}.py": content})
    begun = inbox.begin()
    assert begun is not None and begun.id == one.id
    version = Submissions(place.server.library.out).versions(name)[-1]
    inbox.end(begun, State.ACCEPTED, b'{"report":null,"version":1}', sha256=version.sha256, version=version.version)
    return one.id


def test_an_organiser_is_told_of_a_bot_that_is_the_same_as_one_of_somebody_else(place: Members) -> None:
    original, copied = (sent(place, name, who, b"# the same bot") for name, who in (("fox", "aya"), ("wolf", "ben")))
    other = sent(place, "bear", "ben", b"# other bytes!")
    sent(place, "fox_two", "aya", b"# the same bot")  # the own bots may be alike

    def told(who: str, submission: str) -> list[str]:
        return list(client_of(place, who).get(f"/api/submissions/{submission}").json()["submission"]["same_as"])

    assert told("organiser", copied) == ["fox v1", "fox_two v1"] and told("organiser", original) == ["wolf v1"]
    assert told("organiser", other) == told("ben", copied) == told("aya", original) == []
    everybody = place.organiser.get("/me", params={"everybody": "true", "lang": "en"}).text
    assert "The same files as a bot of somebody else: fox v1, fox_two v1" in everybody
    assert "The same files" not in place.ben.get("/me", params={"lang": "en"}).text


def test_my_bots_say_how_to_begin_and_give_a_file_that_works(place: Members) -> None:
    text = place.ben.get("/me").text
    assert "pip install arena-hall" in text and 'href="/starter/yaniv.py"' in text and 'href="/rules/yaniv"' in text
    starter = place.ben.get("/starter/yaniv.py")
    assert starter.headers["content-disposition"] == 'attachment; filename="my_bot.py"'
    compile(starter.text, "my_bot.py", "exec")
    assert 'games = ("yaniv",)' in starter.text
    assert place.ben.get("/starter/chess.py").status_code == 404


def test_the_card_of_an_own_bot_has_its_last_matches_until_it_is_withdrawn(place: Members) -> None:
    submit(place, "lynx", {"lynx.py": b"# a bot"})
    own(place, "lynx")
    wins = [True, True, False, True]
    seats = [
        (make_seat("lynx", 1), make_seat("<b>owl", 2)) if won else (make_seat("<b>owl"), make_seat("lynx", 2)) for won in wins
    ]
    records = [make_record(0, both, ended=1_795_867_200 + number) for number, both in enumerate(seats)]
    write_results(place.server.library.out, records, "lynx", "<b>owl")

    def latest() -> list[str]:
        (card,) = [one for one in place.aya.get("/api/me").json()["bots"] if one["name"] == "lynx"]
        return [one["result"] for one in card["latest"]]

    assert latest() == ["won", "lost", "won"]
    page = place.aya.get("/me", params={"lang": "en"}).text.partition('class="own-matches"')[2]
    assert page.count("against &lt;b&gt;owl") == 3 and f'href="/m/{numbered(records)[-1].match_id}"' in page
    assert place.aya.post("/bots/lynx/withdraw", data={"sure": "yes"}).status_code == 303
    assert latest() == []
