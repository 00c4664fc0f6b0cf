"""The report of a tournament: one page of HTML that needs nothing else, and the sections in it, in order.

A new section is a function here, in `sections.py` (if the page of a tournament in `arena serve` has it) or in `matches.py`,
and a line in one of the two lists.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arena.errors import printable
from arena.ratings.models import model_of
from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL, overall_rule, ranked_by
from arena.ratings.skill import skills
from arena.records import HistoryPoint, Rating, canonical_json
from arena.reports import columns as titles
from arena.reports import matches, plots, sections
from arena.reports.board import (
    asking_bots,
    chosen_pools,
    headline,
    may_swap,
    ranked,
    ranking,
    retired_bots,
    sentence,
    warnings,
    why_no_overall,
    without_rank,
)
from arena.reports.document import (
    Block,
    Chapter,
    Document,
    Fact,
    Gallery,
    Paragraph,
    Plot,
    Replay,
    Section,
    anchor,
    environment,
)
from arena.reports.evidence import Evidence, PoolEvidence
from arena.reports.insights import fairness_of, pairs_of, together_of
from arena.reports.links import Links
from arena.reports.pages.assets import FILES as SHARED
from arena.reports.pages.assets import player_files, table_files
from arena.reports.pages.words import PAGE, PLAYER, Words, words_script
from arena.reports.sections import Pool
from arena.reports.table import NO, YES, Cell, Column, Phrase, Row, Table, name_of, shown

FILES = Path(__file__).parent / "page_files"
STYLES = (SHARED / "page.css", FILES / "report.css")
SCRIPTS = (SHARED / "sorting.js", FILES / "report.js")
MOST_IN_PICTURE = 12  # of a pool, in the picture of all pools
TEXT_LETTERS = 400  # of a bot's parameters or a game's options


def html(document: Document, word: Words) -> str:
    """The page. Every text is escaped; its content policy forbids all requests, and all styles and scripts but its own."""
    style, script = _files(document)
    page = environment(FILES).get_template("report.html.jinja")
    return page.render(
        document=document, style=Markup(style), style_hash=_hash(style), script=Markup(script), script_hash=_hash(script),
        word=word,
    )  # fmt: skip


def report(folder: Path, word: Words, say: Callable[[str], None] = lambda _: None) -> Document:
    """Read a tournament's folder and build its report, pool by pool. Raises StoreError. `say`: called with the present step."""
    say("reading the matches")
    tournament = Evidence(folder)
    chapters = []
    for number, name in enumerate(tournament.pools):
        say(f"{shown(name)} ({number + 1} of {len(tournament.pools)})")
        chapters.append(_chapter(tournament.pool(name, f"pool-{number}-{anchor(name)}"), word))
    summary = Chapter(
        "overview", word("overview"), "", _present(found for make in OVERVIEW_SECTIONS for found in make(tournament, word))
    )
    manifest = tournament.manifest
    return Document(
        title=word("report_title", name=manifest.name), summary=headline(manifest, word.language).partition(": ")[2],
        facts=[Fact(word(key), value) for key, value in _facts(tournament, word)], chapters=[summary, *chapters],
        footer=word("report_foot", name=shown(manifest.name), started=manifest.started),
    )  # fmt: skip


def _facts(tournament: Evidence, word: Words) -> Iterator[tuple[str, str]]:
    """The figures of the first lines, by the keys of their names."""
    manifest = tournament.manifest
    faults = sum(count for name, count in manifest.endings.items() if name not in ("played", "host"))
    yield "matches", f"{manifest.played:,}"
    yield "bots", f"{len(manifest.bots):,}"
    yield "games", f"{len(tournament.pools):,}"
    yield "faults", f"{faults:,}"
    yield "fact_state", word("state_finished" if manifest.finished else "fact_not_finished")


def _chapter(evidence: PoolEvidence, word: Words) -> Chapter:
    entries = [
        word("entry", game=word.pool(str(entry.get("game"))), seats=entry.get("seats")) + _deals(entry, word)
        for entry in evidence.entries
    ]
    pool = Pool(word.pool(evidence.pool), word, _ToListed(evidence, word))
    found = _present(section for make in POOL_SECTIONS for section in make(evidence, pool))
    return Chapter(evidence.anchor, pool.title, "; ".join(entries), found)


def _present(found: Iterable[Section | None]) -> list[Section]:
    return [section for section in found if section is not None]


def _deals(entry: Mapping[str, Any], word: Words) -> str:
    deals = entry.get("deals")  # of the archive of all tournaments, every one had its own number
    return "" if deals is None else " · " + word("entry_deals", n=deals)


class _ToListed(Links):
    """Leads from two bots to the first of their matches that the section on matches lists."""

    def __init__(self, evidence: PoolEvidence, word: Words) -> None:
        self._found = matches.listed_pairs(evidence, word)

    def pair(self, bot: Bot, rival: Bot) -> str:
        """Return the address of matches of two bots."""
        return self._found.get(frozenset((bot, rival)), "")


# The sections about each pool.


def _ranking(evidence: PoolEvidence, pool: Pool) -> Iterator[Section]:
    """The ranking with the intervals of its ratings."""
    if evidence.is_measured:
        yield Section("measured", [])
    else:
        yield _ranking_of(evidence.tournament, evidence.pool, evidence.ratings, pool, evidence.draws)


def _ranking_of(
    tournament: Evidence, name: str, ratings: Sequence[Rating], pool: Pool, draws: tuple[float, float] | None = None
) -> Section:  # fmt: skip
    word, manifest = pool.word, tournament.manifest
    rows = ranked(ratings, name, tournament.costs, tournament.online, asking=asking_bots(manifest))
    by = word(f"rating_{ranked_by(manifest.config).replace('-', '_')}")
    blocks: list[Block] = []
    if ratings:
        blocks.append(ranking(rows, pool.caption("ranking"), retired=retired_bots(manifest)))
    if not any(rating.matches for rating in ratings):
        return Section("no_ranking", [Paragraph(word("no_rating_yet")), *blocks])
    notes = [word("board_note", rating=by)] if any(map(may_swap, ratings, ratings[1:])) else []
    if name == OVERALL:
        notes.append(word(f"overall_note_{overall_rule(manifest.config).replace('-', '_')}"))
        missing = without_rank(tournament.ratings)
        if missing:
            names = "; ".join(f"{shown(*bot)} ({', '.join(map(word.pool, pools)) or '-'})" for bot, pools in missing.items())
            notes.append(f"{word('without_rank')} {names}")
    if tournament.online:
        notes.append(word("online_note"))
    if manifest.order_shifts is not None and name in manifest.order_shifts.ranks:
        shifts = manifest.order_shifts
        notes.append(word("online_shift", orders=shifts.orders, n=shifts.ranks[name]))
    if draws is not None:
        notes.append(word("draws_note", tied=f"{draws[0]:.1%}", equal=f"{draws[1]:.1%}"))
    if notes:
        blocks.append(Paragraph(" ".join(notes)))
    model = model_of(tournament.model)
    over = word("bars_over_deals" if model.has_error_bars else "bars_of_sigma")
    title = word.known.get(f"model_{tournament.model.replace('-', '_')}", model.title)  # of a third model in English
    return Section("ranking", blocks, {"model": title, "bars": over, "rating": by})


def _history(evidence: PoolEvidence, pool: Pool) -> Iterator[Section]:
    """The ratings over the plan."""
    points, as_played = evidence.history, evidence.history_as_played
    if len({point.pool_matches for point in points}) < 2:
        return
    word, caption = pool.word, pool.caption("rating_history")
    drawn = [(points, "history_plot"), *([(as_played, "history_as_played")] if as_played else [])]
    yield Section("rating_history", [
        Plot(plots.curves(_lines(evidence, found), word("history_x"), word.of(titles.MU.title), caption), word(key))
        for found, key in drawn
    ])  # fmt: skip


def _lines(evidence: PoolEvidence, points: Sequence[HistoryPoint]) -> list[plots.Line]:
    """The mu of each bot that played, over the plan."""
    xs: dict[tuple[str, int], list[float]] = {(one.bot, one.bot_version): [] for one in evidence.ratings if one.matches}
    ys: dict[tuple[str, int], list[float]] = {bot: [] for bot in xs}
    for point in points:
        bot = (point.bot, point.bot_version)
        if bot in xs:
            xs[bot].append(point.pool_matches)
            ys[bot].append(point.mu)
    return [plots.Line(shown(*bot), xs[bot], ys[bot]) for bot in xs]


def _pairs(evidence: PoolEvidence, pool: Pool) -> Iterator[Section | None]:
    more = f"`arena leaderboard {evidence.tournament.manifest.name} --head-to-head --format csv`"
    yield sections.head_to_head(pairs_of(evidence.pairs, evidence.ratings), len(evidence.ratings), more, pool)
    yield sections.together(together_of(evidence.rows), pool)


def _certainty(evidence: PoolEvidence, pool: Pool) -> Iterator[Section | None]:
    yield sections.rank_chances(evidence.chances(), pool)
    yield sections.fit(evidence.fit, pool)
    yield sections.second_opinions(evidence.opinions, pool)


def _conduct(evidence: PoolEvidence, pool: Pool) -> Iterator[Section | None]:
    cost = sections.cost(evidence.played, pool)
    if cost is not None:
        yield Section("cost", [*cost.blocks, *sections.strength_per_cost(evidence.played, evidence.ratings, pool)])
    yield sections.models(evidence.models, pool)
    yield sections.endings(evidence.played, pool)
    yield matches.faults(evidence, pool)
    yield matches.slow_decisions(evidence, pool)


def _fairness(evidence: PoolEvidence, pool: Pool) -> Iterator[Section | None]:
    yield from sections.fairness(fairness_of(evidence.rows, evidence.bars), pool)
    rows = evidence.rows_with_luck
    if rows is not None and rows.matches:
        yield sections.skill(skills(evidence.pool, rows), pool)


def _matches(evidence: PoolEvidence, pool: Pool) -> Iterator[Section | None]:
    yield matches.matches(evidence, pool)


# The sections about the whole tournament.


def _ranks(tournament: Evidence, word: Words) -> Iterator[Section]:
    """The picture that the report begins with: the best bots of every pool with their ranks and intervals."""
    pools = [
        (word("all_games"), tournament.overall),
        *((word.pool(pool), _rated_in(tournament, pool)) for pool in tournament.pools),
    ]
    drawn = [_ranks_of(name, rated, word) for name, rated in pools if rated]
    if drawn:
        yield Section("ranks", [Gallery(drawn)])


def _rated_in(tournament: Evidence, pool: str) -> list[Rating]:
    return [rating for rating in tournament.ratings if rating.pool == pool and rating.rank is not None and rating.matches]


def _ranks_of(pool: str, rated: Sequence[Rating], word: Words) -> Plot:
    shown_here = rated[:MOST_IN_PICTURE]
    rows = [plots.Interval(f"{possible_ranks(one)}  {name_of(one)}", one.low, one.mu, one.high) for one in shown_here]
    svg = plots.intervals(rows, "mu", word("in_pool", title=word("ranks"), pool=pool))
    is_whole = len(shown_here) == len(rated)
    best = "" if is_whole else word("best_of", n=len(shown_here), total=f"{len(rated):,}", more="")
    return Plot(svg, pool if is_whole else f"{pool}: {best}")


def possible_ranks(rating: Rating) -> str:
    """The ranks that the 95 % interval allows: `2`, or `1–3`."""
    is_sure = rating.rank_low == rating.rank_high
    return f"{rating.rank}" if is_sure else f"{rating.rank_low}–{rating.rank_high}"


def _notes(tournament: Evidence, word: Words) -> Iterator[Section]:
    """Yield what a reader must know before the numbers."""
    manifest = tournament.manifest
    texts = [sentence(word.of(note), word.language) for note in (*tournament.missing, *warnings(manifest))]
    if (why := why_no_overall(tournament.ratings, chosen_pools(manifest, tournament.ratings))) is not None:
        texts.append(sentence(word.of(why), word.language))
    if not manifest.finished:
        texts.append(word("report_not_finished", played=f"{manifest.played:,}", matches=f"{manifest.matches:,}"))
    if texts:
        yield Section("report_notes", [Paragraph(text, is_warning=True) for text in texts])


def _overall(tournament: Evidence, word: Words) -> Iterator[Section | None]:
    """Ranking and chances over all pools, every pool counting as the settings say."""
    if tournament.overall:
        pool = Pool(word("all_games"), word)
        yield _ranking_of(tournament, OVERALL, [one for one in tournament.ratings if one.pool == OVERALL], pool)
        yield sections.rank_chances(tournament.overall_chances(), pool)


def _leaders(tournament: Evidence, word: Words) -> Iterator[Section]:
    """The first of each game."""
    columns = [titles.GAME.but(is_name=True), titles.FIRST, titles.RATING, titles.BOTS, titles.MATCHES, titles.SURELY_FIRST]
    rows: list[list[Any]] = []
    for pool in tournament.pools:
        rated = [rating for rating in tournament.ratings if rating.pool == pool]
        if not rated:
            rows.append([word.pool(pool), word("not_rated"), *[None] * 3, ""])
            continue
        best, most = rated[0], max(rating.matches for rating in rated)
        sure = YES if best.rank_high == 1 else Phrase(f"may be rank {best.rank_high}", f"{best.rank_high}位の可能性あり")
        rows.append([word.pool(pool), name_of(best), best.rating, len(rated), most, Cell(best.rank_high, sure)])
    if len(rows) > 1:
        yield Section("leaders", [Table(columns, rows, word("leaders"))])


def _by_game(tournament: Evidence, word: Words) -> Iterator[Section]:
    """A row per bot and a column per pool."""
    pools = [pool for pool in tournament.pools if any(rating.pool == pool for rating in tournament.ratings)]
    if len(pools) < 2:
        return
    ratings = {(rating.bot, rating.bot_version, rating.pool): rating for rating in tournament.ratings}
    columns = [titles.BOT, *(Column(word.pool(pool), ".1f", empty="") for pool in pools)]
    rows: list[Row] = []
    for bot in {(bot, version): None for bot, version, pool in ratings if pool in pools}:
        found = [ratings.get((*bot, pool)) for pool in pools]
        cells = [
            None if one is None else Cell(one.rating, f"{one.rating:.1f} (#{one.rank})".replace("-", "−")) for one in found
        ]  # fmt: skip
        rows.append([shown(*bot), *cells])
    yield Section("by_game", [Table(columns, rows, word("by_game"))])


def _field(tournament: Evidence, word: Words) -> Iterator[Section]:
    """The bots that took part."""
    columns = [titles.BOT, titles.GAMES, titles.PARAMETERS, titles.TRUSTED, titles.SHA256]
    rows: list[Row] = [
        [
            shown(bot.name, bot.version), printable(", ".join(bot.games), TEXT_LETTERS),
            "" if bot.params == "{}" else printable(bot.params, TEXT_LETTERS), YES if bot.trusted else NO,
            printable(bot.sha256[:12]),
        ]
        for bot in tournament.manifest.bots
    ]  # fmt: skip
    if rows:
        yield Section("field", [Table(columns, rows, word("field"))])


def _provenance(tournament: Evidence, word: Words) -> Iterator[Section]:
    """Everything that fixes the results, for readers who want to check them."""
    manifest = tournament.manifest
    blocks: list[Block] = [_games(tournament, word)] if manifest.entries else []
    if manifest.tournaments:
        rows = [[printable(name, TEXT_LETTERS)] for name in manifest.tournaments]
        listed = Table([titles.TOURNAMENT.but(is_code=True, is_long=True)], rows, word("provenance_parts"))
        yield Section("provenance_parts", [*blocks, listed])
        return
    settings = {key: value for key, value in manifest.config.items() if key not in ("entries", "contestants", "bots")}
    facts = {
        word("began"): manifest.started, word("rules_title"): _listed(manifest.rules_versions),
        word("fact_packages"): _listed(manifest.packages), word("fact_commitment"): manifest.commitment,
        word("fact_key"): manifest.key or word("fact_key_later"), word("fact_plan"): manifest.plan_sha256,
        word("fact_results"): manifest.results_sha256 or "-",
        word("fact_reproducible"): manifest.reproducible_sha256 or "-",
    }  # fmt: skip
    facts |= {key: value if isinstance(value, str) else canonical_json(value) for key, value in settings.items()}
    rows = [[printable(name), printable(value, TEXT_LETTERS)] for name, value in facts.items()]
    blocks.append(Table([titles.NAME, titles.VALUE], rows, word("provenance")))
    yield Section("provenance", blocks, {"name": manifest.name})


def _games(tournament: Evidence, word: Words) -> Table:
    columns = [titles.POOL, titles.GAME, titles.SEATS, titles.DEALS_PER_TABLE, titles.OPTIONS]
    rows: list[Row] = [
        [
            *(shown(str(entry.get(key, ""))) for key in ("pool", "game", "seats", "deals")),
            printable(_listed(entry.get("options")), TEXT_LETTERS),
        ]
        for entry in tournament.manifest.entries
    ]  # fmt: skip
    return Table(columns, rows, word("games"))


def _listed(values: object) -> str:
    if not isinstance(values, dict):
        return ""
    return ", ".join(f"{key} {value if isinstance(value, str) else canonical_json(value)}" for key, value in values.items())


Sections = Iterator[Section | None] | Iterator[Section]
POOL_SECTIONS: tuple[Callable[[PoolEvidence, Pool], Sections], ...] = (
    _ranking, _history, _pairs, _certainty, _conduct, _fairness, _matches,
)  # fmt: skip
"""What makes the sections about each rating pool, in order; None where there is nothing to show."""
OVERVIEW_SECTIONS: tuple[Callable[[Evidence, Words], Sections], ...] = (
    _ranks, _notes, _overall, _leaders, _by_game, _field, _provenance,
)  # fmt: skip
"""What makes the sections about the whole tournament, in order."""


def _files(document: Document) -> tuple[str, str]:
    """The style sheet and the script of the page: with the replay player and the tables of those games that have replays."""
    blocks = (block for chapter in document.chapters for section in chapter.sections for block in section.blocks)
    games = sorted({block.game for block in blocks if isinstance(block, Replay)})
    files = [*player_files(), *table_files(*games)] if games else []
    style = "".join(_read(path) for path in (*STYLES, *files) if path.suffix == ".css")
    scripts = [_read(path) for path in files if path.suffix == ".js"]
    if games:
        scripts += [words_script([PAGE, PLAYER, *games]), _read(FILES / "replays.js")]
    return style, "".join([*scripts, *map(_read, SCRIPTS)])


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def _hash(text: str) -> str:
    """Return how a content policy names a style sheet or a script that stands in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
