"""A rating model is a module and an entry: whoever asks a model something asks its entry, and none is taken for another."""

from pathlib import Path

import msgspec
import pytest

from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.errors import ConfigError
from arena.ratings.beliefs import believe
from arena.ratings.models import MODELS, STORED, Model, headlines
from arena.ratings.order import history
from arena.ratings.running import RunningRatings
from arena.ratings.settings import MEAN_MU, STANDARDIZED, Anchor, RatingSettings, checked_settings
from arena.ratings.standings import Standings, rate
from arena.records import Rating
from arena.reports.pages.words import Words
from arena.reports.report import html, report
from arena.results import parquet
from arena.server.live_board.order import OrderedRatings
from arena.tournament.formats.ladder.state import Leg
from arena.tournament.session import Results
from helpers.records import BOTS, RECORDS, rated
from helpers.tournaments import GOOD_BOTS, run

SHARE = RatingSettings(headline="share", overall=MEAN_MU)
GAMES = [{"game": "naga", "seats": 2}]
FIELD = {"naga": BOTS, "yaniv": BOTS}
PLAYED = [record for record in RECORDS if not record.is_void]


def registered(patch: pytest.MonkeyPatch, *, is_order_free: bool = True) -> None:
    model = Model(
        "share", "helpers.win_share", "the share of matches won", "won", is_order_free=is_order_free, has_error_bars=False
    )
    patch.setitem(MODELS, "win-share", model)


@pytest.fixture
def third(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch)


def numbers(ratings: list[Rating], model: str = "win-share") -> set[tuple[object, ...]]:
    return {
        (one.pool, one.bot, one.bot_version, round(one.mu, 9), round(one.sigma, 9), one.matches, one.wins)
        for one in ratings
        if one.model == model
    }


@pytest.mark.usefixtures("third")
def test_its_entry_says_what_a_config_may_ask_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = checked_settings(RatingSettings(headline="share", luck=True))
    assert settings.headline_model == "win-share" and not settings.takes_luck_out
    assert settings.overall_rule == STANDARDIZED and checked_settings(RatingSettings(headline="share", anchor=Anchor("a")))
    registered(monkeypatch, is_order_free=False)
    assert settings.overall_rule == MEAN_MU
    with pytest.raises(ConfigError, match="anchor: only with headline: batch"):
        checked_settings(RatingSettings(headline="share", anchor=Anchor("a")))
    with pytest.raises(
        ConfigError, match="headline: one of batch, online, openskill, plackett-luce, share, through-time, not 'shar'"
    ):
        checked_settings(RatingSettings(headline="shar"))
    assert list(headlines()) == ["batch", "online", "openskill", "plackett-luce", "share", "through-time"]


@pytest.mark.usefixtures("third")
def test_its_numbers_are_its_own_everywhere() -> None:
    pools = rated().pools()
    naga = believe("win-share", pools["naga"], SHARE)
    ratings = [one for one in rate(pools, SHARE) if (one.model, one.pool) == ("win-share", "naga")]
    assert sorted(one.mu for one in ratings) == pytest.approx(sorted(naga.mu))
    assert all(one.high - one.mu < 1.97 * 2**0.5 * max(naga.sigma) for one in ratings)  # of sigma: its deals say nothing of it
    points = [point for point in history(pools, SHARE, points=4) if (point.model, point.pool) == ("win-share", "naga")]
    half = believe("win-share", pools["naga"].first(points[-1].pool_matches // 2), SHARE)
    assert {round(point.mu, 9) for point in points if point.pool_matches == points[-1].pool_matches // 2} == {
        round(float(mu), 9) for mu in half.mu
    }


@pytest.mark.parametrize("is_order_free", [True, False])
def test_its_running_and_live_ratings_are_those_of_the_board(monkeypatch: pytest.MonkeyPatch, is_order_free: bool) -> None:
    registered(monkeypatch, is_order_free=is_order_free)
    standings, live = Standings(SHARE, FIELD), OrderedRatings(SHARE, FIELD)
    running = RunningRatings(SHARE, FIELD, models=("win-share",))
    for record in RECORDS:
        standings.add(record)
    for record in PLAYED:
        running.add(record)
    live.add(reversed(PLAYED))  # type: ignore[arg-type]
    expected = numbers(standings.ratings())
    assert numbers(running.ratings()) == numbers(running.copy().ratings()) == expected and len(expected) == 12
    assert numbers(live.ratings()) == expected
    assert {one.model for one in live.ratings()} == ({"win-share", "trueskill"} if is_order_free else {"win-share"})


def test_a_ladder_names_its_model_and_knows_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    leg = {"first_stage": 0, "field": [0, 1], "sigma": None, "separable": True, "matches": 9, "model": "win-share"}
    with pytest.raises(msgspec.ValidationError, match="no rating model 'win-share'"):
        msgspec.convert(leg, Leg)
    registered(monkeypatch)
    assert msgspec.convert(leg, Leg).rating_model == "win-share"


@pytest.fixture
def ladder(tmp_path: Path, third: None) -> Results:
    return run(
        tmp_path, bots=GOOD_BOTS, games=GAMES, format="ladder", deals=1, ratings={"headline": "share"},
        ladder={"sigma": None, "separable": False, "matches": 40},
    )  # fmt: skip


@pytest.mark.usefixtures("few_replays")
def test_a_ladder_is_played_ranked_audited_and_shown_by_it(ladder: Results, capsys: pytest.CaptureFixture[str]) -> None:
    assert '"model":"win-share"' in msgspec.json.encode(ladder.manifest.config).decode()
    stored = parquet.read_ratings(ladder.folder)
    assert {one.model for one in stored} == {"win-share", *STORED}
    first = min((one for one in stored if one.model == "win-share"), key=lambda one: one.rank or 99)
    assert audit_results(ladder.folder, 1, lambda _: None).problems == []
    name, out = ladder.folder.name, str(ladder.folder.parent)
    assert main(["leaderboard", name, "--out", out]) == 0
    board = capsys.readouterr().out
    assert f"{first.rating:.2f}" in board and "online" in board
    assert main(["leaderboard", name, "--history", first.bot, "--out", out]) == 0
    assert "by the matches up to there" in capsys.readouterr().out
    assert main(["rerate", name, "--out", out]) == 0
    assert "rated again by win-share" in capsys.readouterr().out
    page = html(report(ladder.folder, Words("en")), Words("en"))
    assert "(the share of matches won)" in page and "Intervals are by sigma alone" in page
    assert "rank by TrueSkill of all matches at once" in page and "rank by TrueSkill as it was played" in page
