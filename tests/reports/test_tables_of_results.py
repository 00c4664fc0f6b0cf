"""Tables of results are defined once: every writer shows the same, in both languages, under titles that stand in one place."""

import html as html_text
import re
from pathlib import Path

import pytest

from arena.reports import columns as titles
from arena.reports.board import LIVE_KEYS
from arena.reports.pages.words import REPORT, Words, catalogue
from arena.reports.report import html, report
from arena.reports.table import LANGUAGES, Cell, Column, Interval, Phrase, Rank, Table, said
from arena.tournament.session import Results
from helpers.paths import PACKAGE
from helpers.server import server
from helpers.tournaments import GOOD_BOTS, run

pytestmark = pytest.mark.usefixtures("few_replays")

COLUMNS = {name: value for name, value in vars(titles).items() if isinstance(value, Column)}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("played"), bots=GOOD_BOTS, deals=3, seed=11)


def texts_of(page: str, caption: str) -> list[list[str]]:
    """The texts of a table, row by row."""
    table = page[page.index(f"<caption>{caption}</caption>") :]
    rows = re.findall(r"<tr.*?</tr>", table[: table.index("</table>")], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[html_text.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_tournament_has_what_its_report_has(played: Results, language: str) -> None:
    word = Words(language)
    own = html(report(played.folder, word), word)
    assert f'<html lang="{language}">' in own
    with server(played.folder.parent) as client:
        page = client.get(f"/t/small?pool=naga&lang={language}").text
        found = client.get("/api/t/small?pool=naga").json()
    for key in ("head_to_head", "rank_chances", "second_opinions", "cost", "endings", "seat_advantage"):
        caption = word("in_pool", title=word(key), pool=word.pool("naga"))
        assert texts_of(own, caption) == texts_of(page, caption) != [], key
    assert word("rotations_rough", n=40).strip() in own and word("rotations_rough", n=40).strip() in page
    assert [sum(row) for row in found["chances"]["chances"]] == pytest.approx([1.0] * 3)
    assert [one["rank"] for one in found["opinions"]["bots"]] == [1, 2, 3]
    assert [one["matches"] for one in found["fairness"]["seats"]] == [18, 18] and found["together"] is None


def test_where_few_play_all_games_page_and_report_say_why_there_is_no_overall_ranking(tmp_path: Path) -> None:
    games = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 2, "options": {"limit": 20}}]
    results = run(tmp_path, bots=GOOD_BOTS[:2], deals=1, games=games)
    said = {
        "en": "no overall ranking: 2 of 2 bots play all games; it takes 5, and half of them",
        "ja": "総合順位なし：全ゲームに参加したボットは2体中2体（5体以上かつ半数以上が必要）",
    }
    with server(results.folder.parent) as client:
        assert client.get("/api/t/small").json()["no_overall"] == [*said.values()]
        for language, why in said.items():
            assert why in client.get(f"/t/small?lang={language}").text
            assert why[1:] in html(report(results.folder, Words(language)), Words(language))


def test_a_japanese_report_has_no_english_heads_and_no_key_for_a_text(played: Results) -> None:
    word = Words("ja")
    page = html(report(played.folder, word), word)
    heads = re.findall(r"<h3[^>]*>(.*?)</h3>", page) + re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert heads and all(re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", head) or head in ("naga", "yaniv") for head in heads)
    assert not set(re.findall(r">([a-z]+_[a-z_]+)<", page)) & set(catalogue(REPORT)["en"])


def test_the_title_of_a_column_of_the_board_stands_in_one_place_in_both_languages() -> None:
    board = [column for column in COLUMNS.values() if column.key in LIVE_KEYS]
    assert sorted(column.key for column in board) == sorted(LIVE_KEYS)
    sources = {path: path.read_text() for path in (PACKAGE / "reports").rglob("*") if path.suffix in (".py", ".jinja", ".json")}
    sources |= {path: path.read_text() for path in (PACKAGE / "server").rglob("*") if path.suffix in (".py", ".jinja", ".js")}
    for column in board:
        assert isinstance(column.title, Phrase)
        title = re.compile(rf'["\'>]{re.escape(column.title.en)}["\'<], *["\']{re.escape(column.title.ja)}')
        assert [path.name for path, text in sources.items() if title.search(text)] == ["columns.py"], column.title


@pytest.mark.parametrize("name", COLUMNS)
def test_a_title_and_its_meaning_are_there_in_both_languages(name: str) -> None:
    for text in (COLUMNS[name].title, COLUMNS[name].meaning):
        assert all(said(text, language).strip() for language in LANGUAGES) or text == ""


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("x", ".2f"), -1.234, "−1.23"),
        (Column("x", ".1%"), 0.5, "50.0%"),
        (Column("x", ","), 12345, "12,345"),
        (Column("x", "ms"), 0.0, "-"),
        (Column("x", ".2f"), None, "-"),
        (Column("x", ".2f", empty=""), float("nan"), ""),
        (Column("x"), "a-b", "a-b"),
        (titles.RANK_COLUMN, Rank(2, 1, 3, is_separable=False), "≈ 2 (1–3)"),
        (titles.RANK_COLUMN, Rank(None), "-"),
        (titles.INTERVAL_COLUMN, Interval(-1.0, 0.5, 2.0), "0.5 (−1.0–2.0)"),
    ],
)
def test_a_column_says_how_its_values_are_written(column: Column, value: object, text: str) -> None:
    assert column.text(value) == text  # type: ignore[arg-type]


def test_a_table_without_a_column_is_the_same_otherwise() -> None:
    one, two = Column("one"), Column("two")
    table = Table([one, two], [["a", Cell("b", link="#b")]], "T")
    assert table.without(one) == Table([two], [[Cell("b", link="#b")]], "T")


def test_the_report_refuses_a_language_that_it_does_not_speak(played: Results, capsys: pytest.CaptureFixture[str]) -> None:
    from arena.cli.main import USER_ERROR, main

    words = ["report", "small", "--out", str(played.folder.parent), "--to", str(Path(played.folder) / "page.html")]
    assert main([*words, "--language", "jp"]) == USER_ERROR
    assert "--language jp: no such language; known: en, ja" in capsys.readouterr().err
    assert main([*words, "--language", "ja"]) == 0
    assert '<html lang="ja">' in (Path(played.folder) / "page.html").read_text()
