"""What notebooks show: boards, results of matches, positions and replays, each in a frame that needs nothing else.

Tables are those of the report and need no script. Positions and replays are drawn by the scripts of their game, as on all
pages; they are packed, and unpacked by the reader's browser. A frame has a page of its own, so that no style leaves or enters
it. What is dark or light follows the notebook where that says so, else the system.
"""

import base64
import zlib
from collections.abc import Sequence
from html import escape
from pathlib import Path

import msgspec

from arena.agent.view import View, moment_of
from arena.ratings.settings import headline_model
from arena.records import MatchRecord
from arena.reports import columns as titles
from arena.reports.board import (
    add_up,
    asking_bots,
    chosen_pools,
    headline,
    online_beside,
    ranked,
    ranking,
    ratings_by,
    retired_bots,
)
from arena.reports.document import environment
from arena.reports.matches import REPLAY_LETTERS, packed
from arena.reports.pages.assets import FILES as SHARED
from arena.reports.pages.assets import player_files, table_files
from arena.reports.pages.frames import StoredMatch, draws_table
from arena.reports.pages.words import PAGE, PLAYER, Words, ended, language_of_locale, words_script
from arena.reports.table import LANGUAGES, Row, Table
from arena.reports.table import shown as bot_text
from arena.tournament.session import Results

FILES = Path(__file__).parent / "page_files"
_ROW, _HEAD = 38, 110  # pixels of a row of a table, and of what is around the rows, where no script can measure the page
_TABLE, _REPLAY = 420, 640  # pixels of a drawn table, and of the replay player, before they are there
_SIGNS = 60  # of the title of a frame


def board(results: Results) -> str:
    """The rankings of a tournament, pool by pool; `notebooks.shown` calls it."""
    word, manifest = _words(), results.manifest
    model = headline_model(manifest.config)
    ratings = ratings_by(model, results.ratings)
    pools = chosen_pools(manifest, ratings)
    costs = add_up(results.totals())
    online, asking = online_beside(model, results.ratings), asking_bots(manifest)
    tables = []
    for pool in pools:
        rows = ranked(ratings, pool, costs, online, asking=asking)
        title = word.pool(pool)
        tables.append((title if len(pools) > 1 else "", ranking(rows, title, retired=retired_bots(manifest))))
    return _tables(headline(manifest, word.language), tables, word)


def result(record: MatchRecord) -> str:
    """The places and endings of a match, seat by seat."""
    word = _words()
    columns = [
        titles.SEAT.but(format="d"), titles.BOT, titles.PLACE_IN_MATCH, titles.SCORE, titles.ENDING, titles.DECISIONS,
        titles.MEDIAN_MS,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            number, bot_text(seat.bot, seat.bot_version), seat.place, seat.score, ended(seat.ending), seat.decisions,
            seat.cpu_ms_p50,
        ]
        for number, seat in enumerate(record.seats)
    ]  # fmt: skip
    title = f"{word.pool(record.game)} {record.match_id}"
    return _tables(title, [("", Table(columns, rows, title))], word)


def position(view: View) -> str:
    """The table as a seat knows it at a decision; in words where the game draws none."""
    game = view.game
    text = str(view)
    if not draws_table(game):
        return _frame(_page("", f"<pre>{escape(text)}</pre>"), _TABLE, game)
    moment, word = moment_of(view), _words()
    names = [word("play_seat_n", n=seat) for seat in range(moment.game.seats_at(moment.observed()))]
    shown = {"game": game, "position": view.position, "seat": view.seat, "names": names}
    script = f"showPosition({_json(shown)});"
    files = [SHARED / "kit.css", SHARED / "kit.js", *table_files(game)]
    return _drawn(files, [PAGE, game], script, text, _TABLE, f"{game}: seat {view.seat}")


def replay(match: StoredMatch) -> str:
    """A match in the replay player, with all cards open first. Raises StoreError for a damaged log."""
    game = match.game.name
    script = f"showReplay({_json(packed(match, REPLAY_LETTERS))});"
    files = [*player_files(), *table_files(game)]
    title = f"{game} {match.record.match_id}"
    return _drawn(files, [PAGE, PLAYER, game], script, f"arena replay {match.record.match_id}", _REPLAY, title)


def _words() -> Words:
    language = language_of_locale()
    return Words(language if language in LANGUAGES else LANGUAGES[0])


def _json(value: object) -> str:
    """A value as a script has it, safe within HTML."""
    return msgspec.json.encode(value).decode().replace("<", "\\u003c")


def _tables(title: str, tables: Sequence[tuple[str, Table]], word: Words) -> str:
    """Tables below each other, each under its own title, if it has one."""
    body = environment(FILES).get_template("notebook.html.jinja").render(title=title, tables=tables, word=word)
    rows = sum(len(table.rows) for _, table in tables)
    return _frame(
        _page(_read(SHARED / "page.css"), body + f"<script>{_read(SHARED / 'sorting.js')}</script>"),
        _HEAD * max(1, len(tables)) + _ROW * rows,
        title,
    )


def _drawn(files: Sequence[Path], words: Sequence[str], script: str, text: str, height: int, title: str) -> str:
    """What scripts draw; `text`: for whoever has none."""
    style = "".join(map(_read, [SHARED / "page.css", *(path for path in files if path.suffix == ".css")]))
    scripts = [_read(path) for path in files if path.suffix == ".js"]
    whole = "\n".join([*scripts, words_script(words), _read(FILES / "notebook.js"), script])
    content = base64.b64encode(zlib.compress(msgspec.json.encode([style, whole]), 9)).decode()
    body = f'<noscript><pre>{escape(text)}</pre></noscript><script>{_read(FILES / "unpacking.js")}("{content}");</script>'
    return _frame(_page("", body), height, title)


def _page(style: str, body: str) -> str:
    return (
        "<!doctype html><meta charset=utf-8><meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
        "img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"><meta name=color-scheme content='light dark'>"
        f"<style>{_read(FILES / 'notebook.css')}{style}</style><body>"
        f"<script>{_read(FILES / 'fitting_frame.js')}</script>{body}"
    )


def _frame(page: str, height: int, title: str) -> str:
    return (
        f'<iframe srcdoc="{escape(page)}" title="{escape(title[:_SIGNS])}" loading="lazy" '
        f'style="width: 100%; height: {height}px; border: 0"></iframe>'
    )


def _read(path: Path) -> str:
    return path.read_text("utf-8")
