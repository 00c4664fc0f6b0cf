"""`arena report`: one page that is complete, escaped, bounded and offline, whatever the results are."""

import base64
import html as html_text
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from arena.cli.main import USER_ERROR, main
from arena.errors import StoreError
from arena.records import Ending, MatchRecord
from arena.reports import matches, plots
from arena.reports import report as contents
from arena.reports.document import Chapter, Document, Log, Paragraph, Section, anchor
from arena.reports.matches import Packed
from arena.reports.pages import frames
from arena.reports.pages.words import Words
from arena.reports.replay import replay_lines
from arena.reports.report import html
from arena.reports.table import Cell, Column, Table, shown
from arena.results import parquet
from arena.results.manifest import BotEntry, read_manifest, write_manifest
from arena.tournament.session import Results
from helpers.paths import HOUSE_BOTS
from helpers.records import make_rating, make_record, make_seat, make_void, numbered
from helpers.results import HOSTILE, make_manifest, write_results
from helpers.tournaments import GOOD_BOTS, run

WORD = Words("en")
SHORT = {"max_rounds": 1, "turn_limit": 10}
"""Options of Yaniv's: each replay has a frame for each decision."""
FRAMES = r"<template[^>]*>([A-Za-z0-9+/=]*)</template>"
SVG_NAMESPACE = "http://www.w3.org/2000/svg"
VOID_TAGS = {"meta", "link", "br", "img", "line", "circle", "polyline", "polygon", "path", "use", "rect"}


class Page(HTMLParser):
    """What a browser would make of it: tags that close, addresses, texts by table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] = []
        self._caption = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag == "tr":
            self._rows.append([])
        if tag in ("td", "th"):
            self._rows[-1].append("")
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID_TAGS:
            return
        assert self.open.pop() == tag
        if tag == "table":
            self.tables[self._caption], self._rows = self._rows, []

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "caption":
            self._caption = data
        elif self._rows and any(tag in ("td", "th") for tag in self.open):
            self._rows[-1][-1] += data


def replays(text: str) -> list[Packed]:
    """What the replays of a page hold."""
    blocks = [zlib.decompress(base64.b64decode(block)) for block in re.findall(FRAMES, text)]
    return [msgspec.json.decode(block, type=Packed) for block in blocks]


def made(folder: Path) -> tuple[str, Page]:
    """The page of a tournament's folder, with what must be true of every page."""
    text = html(contents.report(folder, WORD), WORD)
    page = Page(text)
    assert "nan" not in re.findall(r"[a-z]+", re.sub(r"<(script|style|template).*?</\1>", "", text, flags=re.DOTALL))
    in_words = re.sub(rf"{FRAMES}|<script>.*</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"https?:|//[a-z]", re.sub(r"'sha256-[\w+/=]+'|data:,", "", in_words))
    assert set(re.findall(r"https?:[^\"]*", text)) <= {SVG_NAMESPACE}  # a name, which nobody asks for
    assert len(page.ids) == len(set(page.ids))
    assert all(link == "data:," or (link.startswith("#") and link[1:] in page.ids) for link in page.links)
    assert page.tags.count("script") == 1
    assert len(text) < 4_000_000
    assert str(folder) not in text  # it may be published
    return text, page


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("played"), bots=GOOD_BOTS, deals=3, seed=11)


@pytest.fixture(scope="module")
def of_played(played: Results) -> tuple[str, Page]:
    """Its page."""
    return made(played.folder)


def test_a_tournament_has_all_sections_and_replays_that_links_lead_to(played: Results, of_played: tuple[str, Page]) -> None:
    text, page = of_played
    for name in (
        "Ranking", "History", "Head to head", "Rank probabilities", "Second opinions", "Time and cost", "Endings",
        "Seat advantage", "What the rotations saved", "Matches", "Field", "How it was played",
    ):  # fmt: skip
        assert f">{name}</h3>" in text
    names = {"counting_bot", "set_bot", "folder_bot"}
    assert {row[1] for row in page.tables["Ranking: Naga"][1:]} == names
    listed = [row[0] for row in page.tables["Matches: Naga"][1:]]
    assert sorted(listed) == sorted(record.match_id for record in played.records())
    assert len(listed) == page.tags.count("details")
    assert sorted(replay.views[0].header.match_id for replay in replays(text)) == sorted(listed)
    assert all([view.header.eyes for view in replay.views] == [None, 0, 1] for replay in replays(text))
    assert "All 18 rated matches." in text and re.search(r"Of the pairs that met, \d+\.\d% tied", text)


@pytest.mark.usefixtures("few_replays")
def test_the_page_begins_with_a_picture_of_the_ranks_of_every_pool(tmp_path: Path) -> None:
    games = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 2, "options": SHORT}]
    random_bot = HOUSE_BOTS / "random_bot.py"
    bots = [*GOOD_BOTS, random_bot, {"path": str(random_bot), "name": "random_two", "trusted": True}]
    text, _ = made(run(tmp_path, bots=bots, deals=2, seed=11, games=games).folder)
    overview = text[text.index('<h2 id="overview">') :]
    first = overview[: overview.index("</section>")]
    assert first.index("<svg") < first.index("set_bot") and "<table" not in first
    assert [name for name in ("all games", "Naga", "Yaniv") if f"<figcaption>{name}</figcaption>" in first] == [
        "all games", "Naga", "Yaniv",
    ]  # fmt: skip
    for bot in ("counting_bot", "set_bot", "folder_bot"):
        assert len(re.findall(rf"\d(?:–\d)?  {bot}<", first)) == 3


def test_nothing_on_the_page_needs_an_inline_style(of_played: tuple[str, Page]) -> None:
    text, page = of_played
    assert not any(name == "style" for name, _ in page.attributes)
    assert "unsafe" not in text[: text.index("<style>")]


@pytest.mark.usefixtures("few_replays")
def test_pairs_at_tables_of_three_are_compared_together_and_apart(tmp_path: Path) -> None:
    chance = HOUSE_BOTS / "random_bot.py"
    bots = [GOOD_BOTS[0], GOOD_BOTS[2], chance, {"path": str(chance), "name": "again", "trusted": True}]
    played = run(tmp_path, bots=bots, deals=2, seed=11, games=[{"game": "yaniv", "seats": 3, "options": SHORT}])
    text, page = made(played.folder)
    assert ">Together and apart</h3>" in text and "Of 6 pairs none surely does better together" in text
    rows = page.tables["Together and apart: Yaniv"][1:]
    assert len(rows) == 6 and {row[-1] for row in rows} == {"no"}


def test_the_same_results_give_the_same_page(played: Results, of_played: tuple[str, Page]) -> None:
    assert made(played.folder)[0] == of_played[0]


def test_probabilities_and_pairs_add_up(of_played: tuple[str, Page]) -> None:
    _, page = of_played
    for row in page.tables["Rank probabilities: Naga"][1:]:
        assert 98 <= sum(100 if text == ">99" else float(text or 0) for text in row[1:]) <= 102
    pairs = np.array([[float(text or 50) for text in row[2:]] for row in page.tables["Head to head: Naga"][1:]])
    assert np.all(np.abs(pairs + pairs.T - 100) <= 1)


def test_the_heat_map_leads_to_a_match_of_the_two(of_played: tuple[str, Page]) -> None:
    text, page = of_played
    heat = text[text.index("<caption>Head to head: Naga") :]
    rows = re.findall(r"<tr><td.*?</tr>", heat[: heat.index("</table>")])
    names = [row[1] for row in page.tables["Head to head: Naga"][1:]]
    results = {row[0]: row[1] for row in page.tables["Matches: Naga"][1:]}
    for name, row in zip(names, rows):
        others = [other for other in names if other != name]
        linked = re.findall(r'href="#[^"]*-listed-(\w+)"', row)
        assert len(linked) == len(others) == 2
        assert all(name in results[match] and other in results[match] for match, other in zip(linked, others))


def test_the_command_writes_the_page_where_it_is_asked_to(
    played: Results, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["report", "small", "--out", str(played.folder.parent)]
    assert main([*words, "--to", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'page.html'}: 0.")
    assert main(words) == 0
    assert (played.folder / "report.html").read_text() == (tmp_path / "page.html").read_text()
    assert main([*words, "--to", str(tmp_path)]) == USER_ERROR
    assert "is a folder; name a file, like" in capsys.readouterr().err
    assert main([*words, "--to", str(tmp_path / "nowhere" / "page.html")]) == USER_ERROR
    assert "no folder" in capsys.readouterr().err
    assert main(["report", "smal", "--out", str(played.folder.parent)]) == USER_ERROR
    assert 'did you mean "small"?' in capsys.readouterr().err
    assert main(["report", "small", "--out", "page.html"]) == USER_ERROR
    assert "the file to write is --to page.html" in capsys.readouterr().err


def test_an_unfinished_tournament_says_so_and_gives_no_deal_away(played: Results, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    for path in played.folder.glob("*.parquet"):
        (folder / path.name).write_bytes(path.read_bytes())
    write_manifest(folder, replace(read_manifest(played.folder), finished=False, key=None, matches=99))
    text, page = made(folder)
    assert "Not finished: 18 of 99 matches are in" in text
    assert "details" not in page.tags and "Replays come when the tournament is over" in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rules_version": 99}, "played by version 99 of the rules of naga"),
        ({"actions": (1 << 40,)}, "the action of decision 0 is not legal"),
        ({"game": "chess"}, "chess"),
        ({"options": '{"colour":"red"}'}, "colour"),
    ],
)
def test_matches_that_cannot_be_played_again_are_listed_all_the_same(
    played: Results, tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    for name in ("ratings.parquet", "history.parquet", "manifest.json"):
        (folder / name).write_bytes((played.folder / name).read_bytes())
    parquet.write_matches(folder, [replace(record, **change) for record in played.records()])
    text, page = made(folder)
    assert "details" not in page.tags
    assert re.search(f"Replays are left out: .*{reason}", html_text.unescape(text))
    assert len(page.tables["Matches: Naga"]) == 1 + 18


def test_a_bad_log_is_no_replay(played: Results) -> None:
    from arena.games import load

    record = next(iter(played.records()))
    lines = replay_lines(load("naga"), replace(record, actions=record.actions * 2), json.loads(record.options), 5)
    with pytest.raises(StoreError, match="more than 64 bits"):
        list(replay_lines(load("naga"), replace(record, actions=(1 << 63,)), json.loads(record.options), 5))
    with pytest.raises(StoreError, match=r"match \w+: damaged: the action of decision \d+ is not legal"):
        list(lines)


def draw(first: str, second: str) -> MatchRecord:
    return make_record(seats=(make_seat(first, 1, unit=0), make_seat(second, 1, unit=1)))


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([], "No rated match yet"),
        ([make_record(seats=(make_seat("alice", 1),))] * 4, "All 4 rated matches"),
        ([draw("alice", "bob")] * 40, "All 40 rated matches"),
        ([make_record(seats=(make_seat("alice", 1, unit=0), make_seat("bob", 1, unit=0)))] * 4, "All 4 rated matches"),
        ([make_void()] * 3, "No rated match yet"),
        ([make_record(), make_void()], "All 1 rated matches"),
        ([make_record()], "Every match has cards of its own here"),
    ],
    ids=["nothing", "alone", "all draws", "one team", "all void", "one void", "one match"],
)
def test_odd_results_have_a_page(tmp_path: Path, records: list[MatchRecord], words: str) -> None:
    write_results(tmp_path, records, "alice")
    assert words in made(tmp_path / "cup")[0]


def test_names_parameters_and_options_are_shown_as_text(tmp_path: Path) -> None:
    seats = (make_seat(HOSTILE, 1), make_seat("bob", 2, ending=Ending.CRASH, fault_decision=-1))
    record = make_record(seats=seats, pool=HOSTILE, options=json.dumps({"option": HOSTILE}))
    write_results(tmp_path, [record] * 3)
    folder = tmp_path / "cup"
    bot = BotEntry(name=HOSTILE, version=2, sha256="0" * 64, params=json.dumps({"x": HOSTILE}), games=(HOSTILE,), trusted=False)
    entry = {"game": HOSTILE, "pool": HOSTILE, "seats": HOSTILE, "deals": HOSTILE, "options": {HOSTILE: HOSTILE}}
    config = {"entries": [entry], HOSTILE: HOSTILE}
    write_manifest(folder, make_manifest(name="cup", bots=(bot,), config=config, pools=(HOSTILE,), key="00", started=HOSTILE))
    text, page = made(folder)
    assert "img" not in page.tags and "<img" not in text
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in text
    assert "\u202e" not in text and "{{ 7 }}" in text
    assert any(row[1].startswith("</script><img src=x") for row in page.tables[f"Ranking: {shown(HOSTILE)}"])


def test_many_bots_with_long_names_and_many_faults_stay_bounded(tmp_path: Path) -> None:
    names = [f"bot_{number:02}_" + "x" * 33 for number in range(45)]
    records = []
    for one in range(45):
        for other in range(one):
            loser = make_seat(names[one], 2, ending=Ending.TIMEOUT, fault_decision=0)
            records.append(make_record(seats=(make_seat(names[other], 1), loser), deal=other % 4))
    write_results(tmp_path, records)
    text, page = made(tmp_path / "cup")
    assert len(page.tables["Head to head: Naga"]) == 41 and len(page.tables["Head to head: Naga"][1]) == 42
    assert len(page.tables["Rank probabilities: Naga"]) == len(page.tables["Rank probabilities: Naga"][1]) == 41
    assert text.count("The best 40 of 45 bots") == 2 and len(page.tables["Ranking: Naga"]) == 46
    assert 45 <= len(page.tables["Matches: Naga"]) <= 100
    assert len(text) < 600_000
    assert "rated matches: each faulty bot&#39;s first faults (12 at most)" in text


def test_a_replay_without_room_lacks_the_seats_eyes_and_then_its_middle(
    played: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "REPLAY_LETTERS", 100)
    text, page = made(played.folder)
    assert page.tags.count("details") == len(replays(text)) == 18
    assert all([view.header.eyes for view in replay.views] == [None] for replay in replays(text))
    monkeypatch.setattr(frames, "PAGE", 4)
    monkeypatch.setattr(matches, "PAGE", 4)
    monkeypatch.setattr(matches, "REPLAY_LETTERS", 2_600)
    for replay in replays(made(played.folder)[0]):
        (view,) = replay.views
        last = (len(view.header.outline.numbers) - 1) // 4
        assert {0, last} <= view.pages.keys() < set(range(last + 1))
        assert all(page[0].position is not None or page[0].text for page in view.pages.values())


def test_the_player_and_the_tables_are_there_for_the_games_of_the_replays_alone(
    of_played: tuple[str, Page], tmp_path: Path
) -> None:
    text, _ = of_played
    assert 'arena.table("naga"' in text and 'arena.table("nertz"' not in text
    assert "arena replay" in text and "<noscript>" in text
    write_results(tmp_path, [])
    assert "arena." not in made(tmp_path / "cup")[0]


def test_replays_end_where_their_room_on_the_page_does(played: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "PAGE_LETTERS", 10_000)
    text, page = made(played.folder)
    assert 0 < page.tags.count("details") < 18
    assert f"The first {page.tags.count('details')} of these have a replay below" in text


def test_without_totals_and_history_the_rest_is_there(tmp_path: Path) -> None:
    write_results(tmp_path, [make_record()] * 3)
    for name in ("totals", "history"):
        (tmp_path / "cup" / f"{name}.parquet").write_bytes(b"")
    text, _ = made(tmp_path / "cup")
    assert "Without CPU times and kinds of endings" in text and "Without the history of the ratings" in text
    assert ">Ranking</h3>" in text and ">History</h3>" not in text


def test_files_of_different_runs_are_refused(tmp_path: Path) -> None:
    write_results(tmp_path, numbered([make_record()] * 3))
    parquet.write_ratings(tmp_path / "cup", [make_rating()])
    with pytest.raises(StoreError, match="bob plays in naga, and has no rating there: the files are of different runs"):
        contents.report(tmp_path / "cup", WORD)


def test_a_document_is_escaped_and_sorts_by_what_it_says() -> None:
    table = Table([Column("bot"), Column("n", is_code=True)], [["<b>", Cell(1000.0, "1,000")]], "T")
    log = Log("log", "<i>", "a < b")
    section = Section("rotations", [table, Paragraph("`<code>` and `more` <p>", is_warning=True), log])
    text = html(Document("<title>", "", [], [Chapter("one", "<h>", "", [section])]), WORD)
    assert "<title>&lt;title&gt;</title>" in text and "a &lt; b" in text
    assert "<code>&lt;code&gt;</code> and <code>more</code>" in text
    assert 'data-sort="1000"' in text and 'id="one-rotations"' in text
    Page(text)


def test_anchors_are_harmless() -> None:
    assert anchor(HOSTILE) == "script-img-src-x-onerror-alert-1-x-1-7" and anchor("必殺") == "x"


def test_plots_have_the_colours_of_the_page_and_names_where_there_is_room() -> None:
    rows = [plots.Interval(f"<bot> $a_{number}$", 1.0, 2.0, 3.0) for number in range(3)]
    intervals = plots.intervals(rows, "mu", "words")
    lines = plots.curves([plots.Line(f"bot {number}", range(5), [number] * 5) for number in range(12)], "x", "y", "words")
    points = [plots.Point(f"bot {number}", 1.0, 2.0, 1.0, 3.0) for number in range(12)]
    plane = plots.plane(points, "x", "y", "words", [True] * 12)
    for drawn in (intervals, lines, plane):
        page = Page(drawn)
        assert not page.ids and not any(name == "style" for name, _ in page.attributes)
        assert not re.search(r"#[0-9a-f]{6}", drawn) and "var(--" in drawn
    assert "&lt;bot&gt; $a_0$" in intervals
    assert sum(f">bot {number}<" in lines for number in range(12)) == plots.SERIES
    assert 1 <= sum(f">bot {number}<" in plane for number in range(12)) < 12
