"""Models that other distributions offer by entry points of the group `arena.models`; a broken one is named in one line."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.errors import ConfigError
from arena.ratings import models
from arena.ratings.beliefs import believe
from arena.ratings.models import MODEL, Model, find_model, headlines, is_order_free, model_by_headline, model_of
from arena.ratings.settings import RatingSettings, checked_settings, headline_model, settings_of
from arena.ratings.standings import rate
from helpers.records import rated

SHARE = Model("share", "helpers.win_share", "the share of matches won", "won", is_order_free=True, has_error_bars=False)
NO_MODEL, TAKEN = "share", Model("batch", "helpers.win_share", "shares", "won", is_order_free=True, has_error_bars=False)


def offered(patch: pytest.MonkeyPatch, value: str, name: str = "win-share") -> None:
    entry = EntryPoint(name, value, "arena.models")
    patch.setattr(models, "entry_points", lambda group: [entry] if group == "arena.models" else [])
    models._outside.cache_clear()


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch):
    yield
    monkeypatch.undo()
    models._outside.cache_clear()


def test_a_model_of_another_distribution_is_one_like_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, f"{__name__}:SHARE")
    settings = checked_settings(RatingSettings(headline="share"))
    assert settings.headline_model == "win-share" and model_of("win-share") is SHARE and is_order_free("win-share")
    assert (
        headlines()["share"] == model_by_headline("share") == headline_model({"ratings": {"headline": "share"}}) == "win-share"
    )
    pools = rated().pools()
    assert {one.model for one in rate(pools, settings)} == {"win-share", "trueskill", "trueskill-batch"}
    assert believe("win-share", pools["naga"], settings).mu.max() > 25.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "helpers.no_such_module:MODEL",
            "rating model win-share: helpers.no_such_module:MODEL cannot be loaded: ModuleNotFoundErr",
        ),
        (f"{__name__}:NO_MODEL", "NO_MODEL is no arena.ratings.models.Model"),
        (f"{__name__}:TAKEN", 'TAKEN claims a name that another model has: "win-share", "batch"'),
    ],
)
def test_a_broken_one_is_named_and_spoils_nothing_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str, message: str
) -> None:
    offered(monkeypatch, value)
    assert find_model(MODEL) is model_of(MODEL) and checked_settings(RatingSettings()).headline_model == "trueskill-batch"
    assert settings_of({"headline": "online"}).headline_model == MODEL, "stored boards stay readable"
    with pytest.raises(ConfigError) as raised:
        checked_settings(RatingSettings(headline="share"))
    assert message in str(raised.value)
    assert main(["rerate", "--model", "win-share"]) == 2
    assert message in capsys.readouterr().err


def test_the_package_that_broke_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    about = tmp_path / "chess_ratings-2.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: chess-ratings\nVersion: 2.1\n")
    (about / "entry_points.txt").write_text("[arena.models]\nglicko = chess_ratings.entries:GLICKO\n")
    monkeypatch.syspath_prepend(tmp_path)
    models._outside.cache_clear()
    with pytest.raises(ConfigError) as raised:
        model_of("glicko")
    assert str(raised.value) == (
        "rating model glicko: chess_ratings.entries:GLICKO (of chess-ratings 2.1) cannot be loaded: ModuleNotFoundError: "
        "No module named 'chess_ratings'"
    )
