"""`arena bench ratings`: the compiled TrueSkill beside the package, on the same random matches."""

from arena.bench.ratings import CASES, RatingSpeed, rating_speeds
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, show
from arena.cli.shared.tables import write_table


def ratings(format: FormatOption = Format.TABLE) -> int:
    """Measure the compiled TrueSkill against the trueskill package.

    Both rate the same random matches on one core; the largest differences of their results are shown, too.
    """
    speeds = rating_speeds()
    show(
        format,
        lambda page: write_table(
            page,
            f"TrueSkill, {CASES:,} random matches each, one core",
            ("teams", "package, matches/s", "compiled, matches/s", "times", "worst mu", "worst sigma"),
            list(map(_cells, speeds)),
        ),
        speeds,
        speeds,
    )
    return DONE


def _cells(speed: RatingSpeed) -> tuple[str, ...]:
    rates = (speed.package_per_second, speed.compiled_per_second, speed.compiled_per_second / speed.package_per_second)
    return (speed.teams, *(f"{rate:,.0f}" for rate in rates), f"{speed.worst_mu:.0e}", f"{speed.worst_sigma:.0e}")
