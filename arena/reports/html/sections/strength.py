"""Who is best, and how sure that is: ranking, history, rank probabilities, second opinions."""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.ratings.error_bars import ErrorBars
from arena.ratings.models import MODELS
from arena.ratings.rank_probabilities import rank_probabilities
from arena.ratings.second_opinions import SecondOpinion, is_low_good, second_opinions
from arena.ratings.settings import overall_rule
from arena.records import HistoryPoint, Rating
from arena.reports.html.plots import Interval, Line, Plotter
from arena.reports.html.sections.pairs import MOST_BOTS
from arena.reports.pages.document import Block, Cell, Column, Gallery, Plot, Section, Table, Words
from arena.reports.selection.boards import SCALES, Online, may_swap, without_rank
from arena.reports.selection.costs import Costs, costs_of, milliseconds
from arena.reports.selection.evidence import Evidence, PoolEvidence
from arena.reports.selection.names import name_of, shown

MOST_LINES = 60  # intervals in one plot
MOST_IN_PICTURE = 12  # of a pool, in the picture of all pools
_BOT = Column("bot", is_number=False)


def ranks(tournament: Evidence, plotter: Plotter) -> Section | None:
    """The picture that the report begins with: the best bots of every pool with their ranks and intervals."""
    pools = [("all games", tournament.overall), *((shown(pool), _rated_in(tournament, pool)) for pool in tournament.pools)]
    plots = [_ranks_of(name, rated, plotter) for name, rated in pools if rated]
    if not plots:
        return None
    lead = (
        "Who is best, and how sure that is: dots are mu, the mean of the belief in a bot's skill; lines its 95 % interval. "
        "Where two lines overlap much, the order may as well be the other one. Before each name the ranks that are possible."
    )
    return Section("Ranks", lead, [Gallery(plots)])


def _rated_in(tournament: Evidence, pool: str) -> list[Rating]:
    return [rating for rating in tournament.ratings if rating.pool == pool and rating.rank is not None and rating.matches]


def _ranks_of(pool: str, rated: Sequence[Rating], plotter: Plotter) -> Plot:
    shown_here = rated[:MOST_IN_PICTURE]
    rows = [Interval(f"{possible_ranks(one)}  {name_of(one)}", one.low, one.mu, one.high) for one in shown_here]
    svg = plotter.intervals(rows, "mu", f"Ranks with intervals in {pool}; its chapter has the numbers")
    return Plot(svg, pool if len(shown_here) == len(rated) else f"{pool}: the best {len(shown_here)} of {len(rated):,}")


def possible_ranks(rating: Rating) -> str:
    """The ranks that the 95 % interval allows: `2`, or `1–3`."""
    is_sure = rating.rank_low == rating.rank_high
    return f"{rating.rank}" if is_sure else f"{rating.rank_low}–{rating.rank_high}"


def ranking(evidence: PoolEvidence, plotter: Plotter) -> Section:
    """The section with the ranking of a pool and the intervals of its ratings."""
    if evidence.is_measured:
        reason = "Not rated: thinking time became ticks of the game, so that the same match would not be played again."
        return Section("Ranking", "", [Words(f"{reason} `ratings: {{measured: true}}` in the config rates such matches.")])
    retired = {bot.name for bot in evidence.tournament.manifest.bots if bot.retired}
    return ranking_of(evidence.title, evidence.tournament, evidence.ratings, retired, plotter)


def ranking_of(
    pool: str, tournament: Evidence, ratings: Sequence[Rating], retired: set[str], plotter: Plotter, scale: str = ""
) -> Section:  # fmt: skip
    """The section with the ranking and the intervals of any headline ratings of one pool. `scale`: what its points are."""
    model, costs, online = MODELS[tournament.model], tournament.costs, tournament.online
    over = "over deals: all matches with the same cards count as one observation" if model.has_error_bars else "by sigma alone"
    lead = f"Rating = mu - 3 sigma, what a bot has shown for certain ({model.title}). The bars are 95 % intervals of mu {over}."
    if not any(rating.matches for rating in ratings):
        listed = [ranking_table(pool, ratings, costs, retired, online)] if ratings else []
        return Section("Ranking", "", [Words("No rated matches yet."), *listed])
    played = [rating for rating in ratings if rating.matches]
    intervals = [Interval(name_of(rating), rating.low, rating.mu, rating.high) for rating in played[:MOST_LINES]]
    blocks: list[Block] = [ranking_table(pool, ratings, costs, retired, online)]
    if any(may_swap(above, below) for above, below in itertools.pairwise(ratings)):
        blocks.append(Words("≈ not separable from the bot above; in brackets the ranks that the 95 % intervals allow."))
    blocks += [Words(text) for text in (scale, _order_text(tournament, ratings)) if text]
    if intervals:
        svg = plotter.intervals(
            intervals, "mu with 95 % interval", f"Intervals of the ratings in {pool}; the table has the numbers"
        )
        blocks.append(Plot(svg, f"Dots are mu; lines its 95 % interval{_best_of(len(intervals), len(ratings))}."))
    return Section("Ranking", lead, blocks)


def ranking_table(pool: str, ratings: Sequence[Rating], costs: Costs, retired: set[str], online: Online) -> Table:
    """The ranking as a table: a row per bot, best first."""
    has_faults = any(rating.faults for rating in ratings)
    columns = [
        _BOT, Column("rank", meaning="by rating; in brackets what the intervals allow"),
        Column("rating", meaning="mu - 3 sigma"), Column("mu", meaning="mean of the belief"),
        Column("±", meaning="half of the 95 % interval of mu"), Column("sigma", meaning="standard deviation of the belief"),
        *([Column("online", meaning="the rating as it was played, match after match")] if online else []),
        Column("matches"), Column("wins", meaning="share of the matches at place 1"),
        Column("place", meaning="mean of the places"), *([Column("faults")] if has_faults else []),
        *([Column("ms", meaning="CPU time of the median decision; milliseconds")] if costs else []),
    ]  # fmt: skip
    rows = []
    for above, rating in zip([None, *ratings], ratings):
        median = costs_of(costs, rating).median
        has_played = rating.matches > 0
        fields = [
            Cell(name_of(rating) + (" (retired)" if rating.bot in retired else "")), rank_cell(above, rating),
            _number(rating.rating), _number(rating.mu), _number(rating.high - rating.mu), _number(rating.sigma),
            *([_online(online.get((rating.pool, rating.bot, rating.bot_version)))] if online else []),
            Cell(f"{rating.matches:,}", rating.matches),
            _percent(rating.wins / rating.matches) if has_played else Cell("-"),
            _number(rating.mean_place) if has_played else Cell("-"),
            *([Cell(str(rating.faults or ""), rating.faults)] if has_faults else []),
            *([Cell(milliseconds(median), median)] if costs else []),
        ]  # fmt: skip
        rows.append(fields)
    dim = [rating.bot in retired or rating.rank is None or not rating.matches for rating in ratings]
    return Table(f"Ranking of {pool}", columns, rows, dim=dim)


def _online(rating: Rating | None) -> Cell:
    return Cell("-") if rating is None else _number(rating.rating)


def _order_text(tournament: Evidence, ratings: Sequence[Rating]) -> str:
    """What the column of online ratings is, and how far its ranks depend on the order of play."""
    shifts, pool = tournament.manifest.order_shifts, ratings[0].pool
    moved = ""
    if shifts is not None and pool in shifts.ranks:
        moved = f" In {shifts.orders} other orders of the same matches its ranks move by at most {shifts.ranks[pool]}."
    if tournament.online:
        return f"Online is the rating as it was played, match after match.{moved}"
    return f"This rating depends on the order of play.{moved}" if moved else ""


def rank_cell(above: Rating | None, rating: Rating) -> Cell:
    """`2 (1-3)`, with a sign where the order of the two may as well be the other one."""
    if rating.rank is None:
        return Cell("-")
    bounds = "" if rating.rank_low == rating.rank_high else f" ({rating.rank_low}–{rating.rank_high})"
    return Cell(f"{'≈ ' if above is not None and may_swap(above, rating) else ''}{rating.rank}{bounds}", rating.rank)


def rating_history(evidence: PoolEvidence, plotter: Plotter) -> Section | None:
    """The section that plots the ratings over the plan."""
    points, as_played = evidence.history, evidence.history_as_played
    if len({point.pool_matches for point in points}) < 2:
        return None
    title, below = f"Ratings over the matches of {evidence.title}", "matches of the game, in plan order"
    svg = plotter.lines(_lines(evidence, points), below, "rating", title)
    lead = "A rating that still climbs or falls at the right end has not settled."
    plots: list[Block] = [Plot(svg, "mu - 3 sigma after each part of the plan; the best bots have names.")]
    if as_played:
        svg = plotter.lines(_lines(evidence, as_played), below, "rating", f"{title}, as it was played")
        lead += " The first picture rates all matches up to there at once, the second one match after match."
        plots.append(Plot(svg, "The same as it was played, by online TrueSkill."))
    return Section("History", lead, plots)


def _lines(evidence: PoolEvidence, points: Sequence[HistoryPoint]) -> list[Line]:
    """The rating of each bot that played, over the plan."""
    by_bot = {(rating.bot, rating.bot_version): Line(name_of(rating), [], []) for rating in evidence.ratings if rating.matches}
    xs: dict[tuple[str, int], list[float]] = {bot: [] for bot in by_bot}
    ys: dict[tuple[str, int], list[float]] = {bot: [] for bot in by_bot}
    for point in points:
        bot = (point.bot, point.bot_version)
        if bot in by_bot:
            xs[bot].append(point.pool_matches)
            ys[bot].append(point.mu - 3 * point.sigma)
    return [Line(line.name, xs[bot], ys[bot]) for bot, line in by_bot.items()]


def rank_chances(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section with the probability of every rank."""
    mu = np.array([rating.mu for rating in evidence.ratings])
    order = evidence.ranked
    bars = ErrorBars(evidence.bars.covariance[np.ix_(order, order)], evidence.bars.degrees, evidence.bars.saved)
    return chances_of(evidence.title, evidence.ratings, mu, bars, evidence.tournament.rng("rank probabilities", evidence.pool))


def chances_of(
    pool: str, ratings: Sequence[Rating], mu: NDArray[np.float64], bars: ErrorBars, rng: np.random.Generator
) -> Section | None:
    """The section with the rank probabilities of any ratings; `mu` and `bars` are in their order."""
    if len(ratings) < 2 or not any(rating.matches for rating in ratings):
        return None
    chances = rank_probabilities(mu, bars, rng)
    most = min(MOST_BOTS, len(ratings))
    columns = [_BOT, *(Column(str(rank + 1), meaning=f"chance of rank {rank + 1}") for rank in range(most))]
    rows = [[Cell(name_of(rating)), *map(_chance, own)] for rating, own in zip(ratings, chances[:most, :most].tolist())]
    lead = (
        "How likely each bot is truly the best, the second best and so on, in percent: 10,000 draws of all skills at once from "
        "the joint error bars (bots that played the same deals err together). Ranks of mu; rows and columns add up to 100."
    )
    table = Table(f"Rank probabilities in {pool}", columns, rows, heat="rising")
    cut = [Words(f"The best {most} of {len(ratings):,} bots, and as many ranks.")] if most < len(ratings) else []
    return Section("Rank probabilities", lead, [table, *cut])


def opinions(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that ranks the bots in other ways, beside the headline."""
    if evidence.rows.matches == 0 or len(evidence.bots) < 2:
        return None
    by_bot = {(one.bot, one.bot_version): one for one in second_opinions(evidence.rows, evidence.pairs)}
    low = is_low_good(evidence.rows)
    columns = [
        _BOT, Column("rank", meaning="the headline: by the rating of the ranking above"),
        *(Column(MODELS[model].column, meaning=f"rank by {MODELS[model].title}") for model in evidence.tournament.other_models),
        Column("Bradley-Terry", meaning="rank by the strengths that make all results of two bots most likely"),
        Column("Elo", meaning="these strengths in Elo points, mean of the field 0"),
        Column("by place", meaning="rank by mean place"), Column("mean place"),
        Column("by score", meaning="rank by mean score"), Column("mean score", meaning="in the game's own points"),
        Column("opponents beaten", meaning="bots that finished behind it more often than before it, of those it met"),
    ]  # fmt: skip
    rows = [_opinion_row(rating, by_bot[rating.bot, rating.bot_version], evidence) for rating in evidence.ratings]
    lead = (
        "Other ways to count the same matches, to see how far the ranking depends on the model; they never change it. "
        "Bradley-Terry takes each match apart into pairs, a tie as half a win for both. "
        f"{'Low' if low else 'High'} scores are good in this game."
    )
    blocks: list[Block] = [Table(f"Second opinions on {evidence.title}", columns, rows)]
    blocks.append(Words(_verdict(evidence.ratings, by_bot)))
    return Section("Second opinions", lead, blocks)


def _opinion_row(rating: Rating, one: SecondOpinion, evidence: PoolEvidence) -> list[Cell]:
    bot, ranks, others = (rating.bot, rating.bot_version), evidence.ranks_by_model, evidence.tournament.other_models
    return [
        Cell(name_of(rating)), _rank(rating.rank), *(_rank(ranks.get((model, bot))) for model in others), _rank(one.elo_rank),
        Cell(f"{one.elo:+,.0f}".replace("-", "−"), one.elo), _rank(one.place_rank), _number(one.mean_place),
        _rank(one.score_rank), Cell(f"{one.mean_score:,.2f}", one.mean_score),
        Cell(f"{one.rivals_beaten:g} of {one.rivals}", one.rivals_beaten),
    ]  # fmt: skip


def _verdict(ratings: Sequence[Rating], by_bot: dict[tuple[str, int], SecondOpinion]) -> str:
    """A sentence that says which bot would be first by other ways of ranking."""
    first = {name_of(rating) for rating in ratings if rating.rank == 1}
    others: dict[str, list[str]] = {}
    counts = {
        "Bradley-Terry": "elo_rank",
        "mean place": "place_rank",
        "mean score": "score_rank",
        "opponents beaten": "rivals_rank",
    }
    for name, field in counts.items():
        best = [shown(*bot) for bot, one in by_bot.items() if getattr(one, field) == 1]
        if not first & set(best):
            others.setdefault(", ".join(best), []).append(name)
    if not others:
        return f"All of them agree on the first: {', '.join(sorted(first))}."
    return " ".join(f"By {' and '.join(names)} the first would be {best}." for best, names in others.items())


def overall(tournament: Evidence, plotter: Plotter) -> list[Section]:
    """Ranking and chances over all pools, every pool counting the same."""
    if not tournament.overall:
        return []
    retired = {bot.name for bot in tournament.manifest.bots if bot.retired}
    ratings = [rating for rating in tournament.ratings if rating.pool == "overall"]
    scale = SCALES.get(overall_rule(tournament.manifest.config), "")
    without = "; ".join(
        f"{shown(*bot)} ({', '.join(pools) or 'none'})" for bot, pools in without_rank(tournament.ratings).items()
    )
    missing = f" Without a rank, because a pool is missing (in brackets those played): {without}." if without else ""
    found = [ranking_of("all games", tournament, ratings, retired, plotter, f"{scale}{missing}".strip())]
    mu = np.array([rating.mu for rating in tournament.overall])
    chances = chances_of(
        "all games", tournament.overall, mu, tournament.overall_bars(), tournament.rng("rank probabilities", "overall")
    )
    return [*found, chances] if chances else found


def _best_of(count: int, total: int) -> str:
    return f"; the best {count} of {total:,}" if count == MOST_LINES < total else ""


def _rank(rank: int | None) -> Cell:
    return Cell("-" if rank is None else str(rank), rank)


def _number(value: float) -> Cell:
    return Cell(f"{value:.2f}".replace("-", "−"), value)


def _percent(share: float) -> Cell:
    return Cell(f"{share:.1%}", share)


def _chance(chance: float) -> Cell:
    text = f"{100 * chance:.0f}"
    if text == "0":
        return Cell("")
    return Cell(">99", 99.5, chance) if text == "100" and chance < 1 else Cell(text, share=chance)
