"""The sections that the report and the page of a tournament share: one pool, from typed data. Each says how to read it."""

from collections.abc import Sequence

from arena.ratings.fit import Fit
from arena.ratings.skill import Skill
from arena.ratings.standings import DEALS_TO_COMPARE
from arena.records import Rating
from arena.reports import model_use, plots, tables
from arena.reports.board import sentence
from arena.reports.document import Block, Paragraph, Plot, Section
from arena.reports.insights import Chances, Fairness, Opinion, Opinions, Pairs, Together
from arena.reports.links import NO_LINKS, Links
from arena.reports.model_use import ModelUse
from arena.reports.pages.words import Words
from arena.reports.table import name_of, shown
from arena.reports.tables import FaultCard, Lost, Played

MOST_PAIRS = 10  # that the ratings tell worst
MOST_NAMES = 12  # in a plane; of more bots only those that no cheaper bot beats are named


class Pool:
    """How the sections of one pool are written: in which language, under which name, with which addresses."""

    def __init__(self, title: str, word: Words, links: Links = NO_LINKS) -> None:
        self.title, self.word, self.links = title, word, links

    def caption(self, key: str) -> str:
        """The caption of a table: its subject and the pool."""
        return self.word("in_pool", title=self.word(key), pool=self.title)


def head_to_head(pairs: Pairs | None, total: int, more: str, pool: Pool) -> Section | None:
    """The section that says who beats whom. `more`: where all of `total` bots are."""
    if pairs is None or len(pairs.bots) < 2:
        return None
    blocks: list[Block] = [tables.head_to_head(pairs, pool.caption("head_to_head"), pool.links)]
    if len(pairs.bots) < total:
        blocks.append(Paragraph(pool.word("best_of", n=len(pairs.bots), total=f"{total:,}", more=more)))
    return Section("head_to_head", blocks)


def rank_chances(found: Chances | None, pool: Pool) -> Section | None:
    """Return how likely each rank is."""
    if found is None:
        return None
    blocks: list[Block] = [tables.rank_chances(found, pool.caption("rank_chances"), pool.links)]
    if len(found.bots) < found.total:
        blocks.append(Paragraph(pool.word("best_of", n=len(found.bots), total=f"{found.total:,}", more="")))
    return Section("rank_chances", blocks)


def second_opinions(found: Opinions | None, pool: Pool) -> Section | None:
    """Other ways to rank the same matches, beside the headline."""
    if found is None or len(found.bots) < 2:
        return None
    table = tables.second_opinions(found.bots, pool.caption("second_opinions"), pool.links)
    return Section(
        "second_opinions", [table, Paragraph(_verdict(found.bots, pool.word))],
        {"good": pool.word("scores_low" if found.is_low_good else "scores_high")},
    )  # fmt: skip


def _verdict(opinions: Sequence[Opinion], word: Words) -> str:
    """A sentence that says which bot would be first by other ways of ranking."""
    first = {shown(one.bot, one.bot_version) for one in opinions if one.rank == 1}
    others: dict[str, list[str]] = {}
    ways = {"way_elo": "elo_rank", "way_place": "place_rank", "way_score": "score_rank", "way_beaten": "rivals_rank"}
    for way, field in ways.items():
        best = [shown(one.bot, one.bot_version) for one in opinions if getattr(one, field) == 1]
        if not first & set(best):
            others.setdefault(", ".join(best), []).append(word(way))
    if not others:
        return word("opinions_agree", first=", ".join(sorted(first)))
    return " ".join(word("opinions_differ", ways=word("and").join(ways), best=best) for best, ways in others.items())


def fit(found: Fit | None, pool: Pool) -> Section | None:
    """Whether the ratings tell the results of pairs, and which they tell worst."""
    if found is None:
        return None
    text = sentence(pool.word.of(tables.fit_text(found)), pool.word.language)
    table = tables.fit(found, MOST_PAIRS, pool.caption("fit"), pool.links)
    return Section("fit", [Paragraph(text, is_warning=found.is_doubtful), table])


def together(found: Together | None, pool: Pool) -> Section | None:
    """The section that says who does better at one table than apart."""
    if found is None:
        return None
    table = tables.partners(found.pairs, pool.caption("together"), pool.links)
    key = "together_none" if not found.named else "together_one" if found.named == 1 else "together_some"
    return Section("together", [table], {"pairs": f"{found.compared:,}", "named": pool.word(key, n=found.named)})


def fairness(found: Fairness | None, pool: Pool) -> list[Section]:
    """Seat advantage, and what playing each deal in all its rotations is worth."""
    if found is None:
        return []
    rotations = Section("rotations", [Paragraph(_rotations(found, pool.word))])
    return [_seats(found, pool), rotations] if found.seats else [rotations]


def _seats(found: Fairness, pool: Pool) -> Section:
    word, sizes = pool.word, {share.seats for share in found.seats}
    blocks: list[Block] = [tables.seat_advantage(found.seats, pool.caption("seat_advantage"))]
    names = {
        (one.seats, one.seat): word("seat_n", n=one.seat)
        if len(sizes) == 1
        else word("seat_of", n=one.seat, seats=one.seats)
        for one in found.seats
    }  # fmt: skip
    known = [(one, one.half_width) for one in found.seats if one.half_width is not None]
    clear = [one for one, half in known if abs(one.better - 0.5) > half]
    if clear:
        best = max(clear, key=lambda one: abs(one.better - 0.5))
        key = "seat_advantage_clear" if best.better > 0.5 else "seat_disadvantage_clear"
        blocks.append(Paragraph(word(key, seat=names[best.seats, best.seat], share=f"{best.better:.1%}")))
    else:
        blocks.append(Paragraph(word("seat_advantage_none")))
    if len(known) == len(found.seats):
        rows = [
            plots.Interval(
                names[one.seats, one.seat], 100 * (one.better - half), 100 * one.better, 100 * (one.better + half)
            )
            for one, half in known
        ]  # fmt: skip
        svg = plots.intervals(rows, word("percent_beaten"), pool.caption("seat_advantage"), middle=50.0)
        blocks.append(Plot(svg, word("seat_advantage_plot")))
    return Section("seat_advantage", blocks)


def _rotations(found: Fairness, word: Words) -> str:
    if found.deals == found.matches:
        return word("rotations_own_cards")
    if found.saved is None:
        return word("rotations_one_deal")
    text = word(
        "rotations_saved", matches=f"{found.matches:,}", deals=f"{found.deals:,}", saved=f"{found.saved:.2f}",
        but="" if found.saved >= 1 else word("rotations_cost"),
    )  # fmt: skip
    return text + (word("rotations_rough", n=DEALS_TO_COMPARE) if found.deals < DEALS_TO_COMPARE else "")


def endings(played: Sequence[Played], pool: Pool) -> Section | None:
    """Return how each bot's matches ended, by kind."""
    table = tables.endings(played, pool.caption("endings"), pool.links)
    return None if table is None else Section("endings", [table])


def cost(played: Sequence[Played], pool: Pool) -> Section | None:
    """The CPU time of decisions."""
    table = tables.cost(played, pool.caption("cost"), pool.links)
    return None if table is None else Section("cost", [table])


def models(found: Sequence[ModelUse], pool: Pool) -> Section | None:
    """How language models played."""
    return Section("models", [model_use.table(found, pool.caption("models"), pool.links)]) if found else None


def strength_per_cost(played: Sequence[Played], ratings: Sequence[Rating], pool: Pool) -> list[Block]:
    """The plane of strength over CPU time per decision, and who is not beaten by a cheaper bot."""
    means = {one.shown: one.cost.mean_ms for one in played}
    points = [
        plots.Point(name_of(one), means[name_of(one)], one.mu, one.low, one.high)
        for one in ratings
        if one.matches and means.get(name_of(one), 0.0) > 0
    ]
    if len(points) < 2:
        return []
    frontier = [all(other.x > point.x or other.y <= point.y for other in points) for point in points]
    named = [True] * len(points) if len(points) <= MOST_NAMES else frontier
    svg = plots.plane(points, pool.word("plane_x"), pool.word("plane_y"), pool.caption("plane"), named)
    best = ", ".join(point.name for point, is_best in zip(points, frontier) if is_best)
    return [Plot(svg, pool.word("plane_caption", best=best))]


def worst_losses(found: Sequence[tuple[str, str, Lost]], pool: Pool) -> Section | None:
    """The worst loss of each bot: its name, the name as shown, the match."""
    return Section("worst_losses", [tables.losses(found, pool.caption("worst_losses"), pool.links)]) if found else None


def faults(found: Sequence[FaultCard], pool: Pool) -> Section | None:
    """The first faults."""
    return Section("faults_title", [tables.faults(found, pool.caption("faults_title"), pool.links)]) if found else None


def skill(found: Sequence[Skill], pool: Pool) -> Section | None:
    """Skill against luck, where the luck of the matches was worked out."""
    return Section("skill_luck", [tables.skill(found, pool.caption("skill_luck"), pool.links)]) if found else None
