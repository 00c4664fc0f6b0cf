"""The whole tournament: games side by side, the field, and how it was played."""

from collections.abc import Sequence

from arena.errors import printable
from arena.records import canonical_json
from arena.reports.pages.document import Block, Cell, Column, Section, Table, Words
from arena.reports.selection.evidence import Evidence
from arena.reports.selection.names import name_of, shown

TEXT_LETTERS = 400  # of a bot's parameters or a game's options


def warnings(tournament: Evidence) -> Section | None:
    """The section with what a reader must know before the numbers."""
    manifest = tournament.manifest
    texts = list(tournament.missing)
    if not manifest.finished:
        texts.append(f"Not finished: {manifest.played:,} of {manifest.matches:,} matches are in; all of this may still change.")
    gone = [bot for bot in manifest.bots if bot.retired]
    for why, retired in (
        ("they forfeited", [shown(bot.name, bot.version) for bot in gone if not bot.void]),
        ("they forfeited or their matches were void", [shown(bot.name, bot.version) for bot in gone if bot.void]),
    ):
        if retired:
            texts.append(f"Retired, because {why} again and again: {', '.join(retired)}.")
    deviating = [f"{shown(bot.name, bot.version)} ({bot.deviated} of {bot.repeated})" for bot in manifest.bots if bot.deviated]
    if deviating:
        unrated = " They are not rated." if manifest.unrated_bots else ""
        texts.append(
            f"Acted otherwise in matches played again with the same seeds, so by a clock, entropy or a memory of earlier "
            f"matches: {', '.join(deviating)}.{unrated}"
        )
    if manifest.void:
        voids = [f"{shown(bot.name, bot.version)} {bot.void:,}" for bot in manifest.bots if bot.void]
        of_bots = f" ({', '.join(voids)})" if voids else ""
        texts.append(f"Void matches, which the host could not finish, not rated: {manifest.void:,}{of_bots}.")
    if manifest.unrated:
        texts.append(f"Matches with measured latency, not rated: {manifest.unrated:,}.")
    return Section("Notes", "", [Words(text, is_warning=True) for text in texts]) if texts else None


def by_game(tournament: Evidence) -> Section | None:
    """The section with a row per bot and a column per pool."""
    pools = [pool for pool in tournament.pools if any(rating.pool == pool for rating in tournament.ratings)]
    if len(pools) < 2:
        return None
    ratings = {(rating.bot, rating.bot_version, rating.pool): rating for rating in tournament.ratings}
    bots = {(bot, version): None for bot, version, pool in ratings if pool in pools}
    columns = [Column("bot", is_number=False), *(Column(shown(pool)) for pool in pools)]
    rows = []
    for bot in bots:
        fields = [Cell(shown(*bot))]
        for pool in pools:
            found = ratings.get((*bot, pool))
            fields.append(Cell(f"{found.rating:.1f} (#{found.rank})".replace("-", "−"), found.rating) if found else Cell(""))
        rows.append(fields)
    lead = "Rating and rank in each game; empty: does not play it. Ratings of different games cannot be compared."
    return Section("Game by game", lead, [Table("Ratings by game", columns, rows)])


def leaders(tournament: Evidence) -> Section | None:
    """The section that names the first of each game."""
    columns = [
        Column("game", is_number=False), Column("first", is_number=False), Column("rating"), Column("bots"),
        Column("matches", meaning="seats of rated matches over bots"), Column("surely first?", is_number=False),
    ]  # fmt: skip
    rows = []
    for pool in tournament.pools:
        ranked = [rating for rating in tournament.ratings if rating.pool == pool]
        if not ranked:
            rows.append([Cell(shown(pool)), Cell("not rated"), *[Cell("")] * 4])
            continue
        best = ranked[0]
        is_sure = best.rank_high == 1
        played = max(rating.matches for rating in ranked)
        rows.append([
            Cell(shown(pool)), Cell(name_of(best)), Cell(f"{best.rating:.2f}", best.rating),
            Cell(str(len(ranked)), len(ranked)), Cell(f"{played:,}", played),
            Cell("yes" if is_sure else f"may be rank {best.rank_high}"),
        ])  # fmt: skip
    if len(rows) < 2:
        return None
    return Section("Leaders", "The first of each game, and whether the 95 % intervals leave any doubt.", [
        Table("Leaders by game", columns, rows)
    ])  # fmt: skip


def field(tournament: Evidence) -> Section | None:
    """The section that lists the bots that took part."""
    if not tournament.manifest.bots:
        return None
    columns = [
        Column("bot", is_number=False), Column("games", is_number=False, is_long=True),
        Column("parameters", is_number=False, is_code=True, is_long=True),
        Column("trusted", is_number=False), Column("SHA-256", is_number=False, is_code=True),
    ]  # fmt: skip
    rows = [
        [
            Cell(shown(bot.name, bot.version)), Cell(printable(", ".join(bot.games), TEXT_LETTERS)),
            Cell("" if bot.params == "{}" else printable(bot.params, TEXT_LETTERS)), Cell("yes" if bot.trusted else "no"),
            Cell(printable(bot.sha256[:12])),
        ]
        for bot in tournament.manifest.bots
    ]  # fmt: skip
    return Section("Field", "", [Table("Bots", columns, rows)])


def provenance(tournament: Evidence) -> Section:
    """The section with everything that fixes the results, for readers who want to check them."""
    manifest = tournament.manifest
    if manifest.tournaments:
        return _tournaments(tournament)
    columns = [Column("what", is_number=False), Column("value", is_number=False, is_code=True, is_long=True)]
    settings = {key: value for key, value in manifest.config.items() if key not in ("entries", "contestants", "bots")}
    facts = {
        "started": manifest.started, "rules": _pairs(manifest.rules_versions), "packages": _pairs(manifest.packages),
        "commitment": manifest.commitment, "key": manifest.key or "public when the tournament is over",
        "plan": manifest.plan_sha256, "results": manifest.results_sha256 or "-",
        "reproducible results": manifest.reproducible_sha256 or "-",
    }  # fmt: skip
    facts |= {key: value if isinstance(value, str) else canonical_json(value) for key, value in settings.items()}
    games: list[Block] = [_games(tournament)] if tournament.manifest.entries else []
    lead = f"`arena verify-results {manifest.name}` plays every match again and checks the hashes, scores and ratings."
    rows = [[Cell(printable(name)), Cell(printable(value, TEXT_LETTERS))] for name, value in facts.items()]
    return Section("How it was played", lead, [*games, Table("Settings and hashes", columns, rows)])


def _tournaments(tournament: Evidence) -> Section:
    """The section that lists the tournaments of the lasting hall."""
    columns = [Column("tournament", is_number=False, is_code=True, is_long=True)]
    rows = [[Cell(printable(name, TEXT_LETTERS))] for name in tournament.manifest.tournaments]
    lead = "The tournaments in the order of their start, in which their matches are rated; `arena hall` lists them."
    return Section("How it was played", lead, [_games(tournament), Table("Tournaments", columns, rows)])


def _games(tournament: Evidence) -> Table:
    columns = [
        Column("pool", is_number=False), Column("game", is_number=False), Column("seats"), Column("deals", meaning="per table"),
        Column("options", is_number=False, is_code=True, is_long=True),
    ]  # fmt: skip
    rows = [
        [
            Cell(shown(str(entry.get("pool")))), Cell(shown(str(entry.get("game")))), Cell(shown(str(entry.get("seats")))),
            Cell(shown(str(entry.get("deals", "")))), Cell(printable(_pairs(entry.get("options")), TEXT_LETTERS)),
        ]
        for entry in tournament.manifest.entries
    ]  # fmt: skip
    return Table("Games and options", columns, rows)


def _pairs(values: object) -> str:
    if not isinstance(values, dict):
        return ""
    return ", ".join(f"{key} {value if isinstance(value, str) else canonical_json(value)}" for key, value in values.items())


def facts(tournament: Evidence) -> Sequence[tuple[str, str]]:
    """The figures of the first lines, by name."""
    manifest = tournament.manifest
    faults = sum(count for name, count in manifest.endings.items() if name not in ("played", "host"))
    return [
        ("matches", f"{manifest.played:,}"), ("bots", f"{len(manifest.bots):,}"), ("games", f"{len(tournament.pools):,}"),
        ("faults", f"{faults:,}"), ("state", "finished" if manifest.finished else "not finished"),
    ]  # fmt: skip
