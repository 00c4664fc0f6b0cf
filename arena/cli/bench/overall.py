"""`arena bench overall`: what the overall ranking and the order of matches do to made-up fields whose skills are known."""

from collections.abc import Sequence

from arena.bench.overall import LUCK, ORDERS, OrderCost, OverallCost, order_costs, overall_costs
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.tables import write_table
from arena.engine import jit
from arena.report.terminal.page import Page
from arena.workers.warmup import warm_rooms


def overall(format: FormatOption = Format.TABLE) -> int:
    """Measure the overall ranking and the order of matches on fields of known skill.

    Takes some minutes.
    """
    refuse_csv(format, "this result")
    warm_rooms({}, note, {jit.RATINGS: "arena.ratings"})
    combined = overall_costs(say=note)
    note("pools in other orders ...")
    orders = order_costs()
    show(format, lambda page: _write(page, combined, orders), {"overall": combined, "orders": orders})
    return DONE


def _write(page: Page, combined: Sequence[OverallCost], orders: Sequence[OrderCost]) -> None:
    page.say(
        f"{combined[0].runs} made-up tournaments of three games for each field. Skills spread by 6, 3 and 2 points there, the "
        f"cards favour a seat by {LUCK:g}. By game, the correlation of the overall numbers with the skill in it (without the "
        "dominant bot); then how many 95 % intervals hold the true value, and their half width."
    )
    page.say("")
    write_table(
        page,
        "Overall",
        ("field", "overall", "widest", "middle", "narrowest", "intervals hold", "half width"),
        [
            (
                one.field, one.rule, *([f"{number:.2f}" for number in one.correlations] or ["-"] * 3),
                "-" if one.covered is None else f"{one.covered:.1%}",
                "-" if one.half_width is None else f"{one.half_width:.2f}",
            )
            for one in combined
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    page.say(
        f"{orders[0].runs} made-up pools of 8 bots for each size, the matches of each in {ORDERS} orders. Shifts of mu in "
        "points."
    )
    page.say("")
    write_table(
        page,
        "Order of the matches",
        ("matches of a bot", "online, most", "online, mean", "ranks swap", "batch, most"),
        [
            (
                str(one.matches), f"{one.largest:.1f}", f"{one.mean_largest:.1f}", f"{one.swapped:.0%}",
                f"{one.largest_batch:.0e}" if one.largest_batch else "0",
            )
            for one in orders
        ],
    )  # fmt: skip
    page.say("")
    page.say(
        "How many 95 % intervals of the same pools hold the true value, where the mean of the field is 25; those around online "
        "mus also where it is left as it was drawn; how many brackets hold the true rank; and the standard deviation of the "
        "mean of all online mus."
    )
    page.say("")
    write_table(
        page,
        "What intervals hold",
        ("matches of a bot", "batch", "online", "online, as drawn", "ranks in brackets", "online level"),
        [
            (
                str(one.matches), f"{one.covered_batch:.1%}", f"{one.covered_online:.1%}", f"{one.covered_as_drawn:.1%}",
                f"{one.covered_ranks:.1%}", f"{one.level:.2f}",
            )
            for one in orders
        ],
    )  # fmt: skip
