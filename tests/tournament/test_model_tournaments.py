"""Tournaments with language models: own pools, budgets, stops that go on, runs that are played again, and no key anywhere."""

import contextlib
import logging
import os
import signal
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.errors import ArenaError, ConfigError
from arena.reports.board import headline_ratings
from arena.results import parquet
from arena.results.manifest import read_manifest
from arena.tournament.archive.adding import rate_archive
from arena.tournament.config import check_config
from arena.tournament.forecast import forecast
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Results, Settings
from helpers import reading_models
from helpers.paths import CONFIGS, HOUSE_BOTS
from helpers.stub_model import Said, StubModel, at_random, model_folder, serving
from helpers.tournaments import arena, write_config

KEY = "sk-a-key-that-nobody-may-see-9876543210"
VARIABLE = "ARENA_TEST_TOURNAMENT_KEY"
OTHERS = [{"path": "house:naga_greedy", "trusted": True}, {"path": "house:random_bot", "trusted": True}]
PRICES = {
    "currency": "EUR",
    "models": {"stub": [{"from": "2020-01-01", "prompt": 1000.0, "cached": 100.0, "completion": 2000.0}]},
}


class Cup:
    """A small tournament of Naga with one model."""

    def __init__(self, folder: Path, stub: StubModel) -> None:
        self.folder, self.stub = folder, stub
        folder.mkdir(exist_ok=True)
        self.bot = model_folder(folder, stub.address, legal="list", key_env=VARIABLE)

    def config(self, **changes: Any) -> Path:
        bots = [{"path": str(self.bot), "trusted": True}, *OTHERS]
        return write_config(self.folder, **{"bots": bots, "deals": 2, "seed": 7, **changes})

    def run(self, out: str = "out", *, offline: Path | None = None, fresh: bool = False, **changes: Any) -> Results:
        settings = Settings(out=self.folder / out, backend=LOCAL, workers=1, offline=offline, fresh=fresh)
        return run_tournament(self.config(**changes), settings)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def after(calls: int, said: Said) -> Callable[[dict[str, Any]], Said]:
    """Random legal actions for so many calls, then something else."""
    count = [0]

    def answer(body: dict[str, Any]) -> Said:
        count[0] += 1
        return at_random(body) if count[0] <= calls else said

    return answer


def test_a_tournament_with_a_model_has_its_own_pool_and_all_its_calls(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        results = Cup(tmp_path, stub).run()
    assert results.manifest.pools == ("llm/naga",)
    assert results.manifest.void == 0
    calls = parquet.read_calls(results.folder)
    assert len(calls) == len(stub.asked)
    assert {call.bot for call in calls} == {"model"} and {call.cost for call in calls} == {None}
    for record in results.records():
        own = [call for call in calls if call.match_id == record.match_id]
        assert own == parquet.find_calls(results.folder, record.match_id)
        assert bool(own) == ("model" in [seat.bot for seat in record.seats])
    assert audit_results(results.folder, 1, lambda _: None).problems == []
    assert read_manifest(results.folder).bots[0].asks_outside


def test_the_archive_keeps_models_apart_unless_they_are_mixed(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        cup.run(deals=1)
        mixed = cup.run(deals=1, name="mixed", seed=8, llm={"mix": True})
    assert mixed.manifest.pools == ("naga",)
    rate_archive(tmp_path / "out" / "archive", lambda _: None)
    assert set(read_manifest(tmp_path / "out" / "archive").pools) == {"llm/naga/2", "naga/2"}


def test_a_stopped_run_goes_on_without_asking_twice(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        calm = cup.run("calm")
        total = len(stub.asked)
        stub.answer = after(total // 2, {"status": 401, "body": f"wrong key: {KEY}"})
        with pytest.raises(ArenaError, match=r"the run stops, because a model cannot be asked: .*HTTP 401") as stopped:
            cup.run()
        assert "\n" not in str(stopped.value) and KEY not in str(stopped.value)
        assert len(stub.asked) == total + total // 2 + 1, "a wrong key stops the run at once"
        stub.answer = at_random
        results = cup.run()
    assert len(stub.asked) == 2 * total + 1
    assert results.manifest.results_sha256 == calm.manifest.results_sha256
    assert len(parquet.read_calls(results.folder)) == total


def test_troubles_that_may_pass_stop_the_run_after_several_in_a_row(tmp_path: Path) -> None:
    with (
        serving(lambda _: {"status": 500, "headers": {"Retry-After": "0"}}) as stub,
        pytest.raises(ArenaError, match=r"the run stops, because a model cannot be asked: .*HTTP 500"),
    ):
        Cup(tmp_path, stub).run()
    assert read_manifest(tmp_path / "out" / "small").void == 0


def test_one_trouble_between_good_matches_is_played_again_and_costs_nobody(tmp_path: Path) -> None:
    count = [0]

    def flaky(body: dict[str, Any]) -> Said:
        count[0] += 1
        return {"status": 500, "headers": {"Retry-After": "0"}} if 10 <= count[0] < 14 else at_random(body)

    with serving(flaky) as stub:
        results = Cup(tmp_path, stub).run()
    assert results.manifest.void == 0
    assert {seat.ending.value for record in results.records() for seat in record.seats} == {"played"}
    assert max(record.attempts for record in results.records()) == 2


def test_a_budget_of_tokens_stops_between_matches_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        with pytest.raises(ArenaError, match=r"llm.max_tokens: [\d,]+ of 60,000 tokens are used; raise it to go on"):
            cup.run(llm={"max_tokens": 60_000})
        half = len(stub.asked)
        played = read_manifest(tmp_path / "out" / "small").played
        assert 0 < played < 12
        with pytest.raises(ArenaError, match=r"llm.max_tokens"):
            cup.run(llm={"max_tokens": 60_000})
        assert len(stub.asked) == half, "nothing more is asked with a budget that is used up"
        results = cup.run(llm={"max_tokens": 60_000_000})
        assert results.manifest.finished and len(stub.asked) == len(parquet.read_calls(results.folder))
        again = cup.run(llm={"max_tokens": 60_000})
    assert again.manifest.results_sha256 == results.manifest.results_sha256, "nothing is left to ask: no budget is in the way"


def test_money_is_counted_by_the_users_dated_prices(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(yaml.safe_dump(PRICES))
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        results = cup.run(deals=1, llm={"prices": "prices.yaml", "max_cost": 1_000.0})
        for call in parquet.read_calls(results.folder):
            fresh = call.prompt_tokens - call.cached_tokens
            assert call.cost == pytest.approx((fresh * 1000 + call.cached_tokens * 100 + call.completion_tokens * 2000) / 1e6)
        with pytest.raises(ArenaError, match=r"llm.max_cost: \d+.\d\d of 1 EUR are spent; raise it to go on"):
            cup.run(name="short", llm={"prices": "prices.yaml", "max_cost": 1.0})


@pytest.mark.parametrize(
    ("llm", "said"),
    [
        ({"max_cost": 3.0}, "llm.max_cost: what tokens cost is not known here: name a file in llm.prices"),
        ({"max_tokens": 0}, "llm.max_tokens: at least 1"),
        ({"prices": "none.yaml"}, "llm.prices: no such file"),
        ({"prize": "none.yaml"}, "prize"),
    ],
)
def test_mistakes_in_the_config_are_named(llm: dict[str, Any], said: str, tmp_path: Path) -> None:
    with serving(at_random) as stub:
        document = yaml.safe_load(Cup(tmp_path, stub).config(llm=llm).read_text())
    with pytest.raises(ConfigError, match=said):
        check_config(document, tmp_path)


def test_prices_without_the_model_are_refused_where_money_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(yaml.safe_dump({"currency": "EUR", "models": {}}))
    with serving(at_random) as stub, pytest.raises(ConfigError, match="no price for stub today"):
        Cup(tmp_path, stub).run(llm={"prices": "prices.yaml", "max_cost": 1.0})


def test_a_stored_run_is_played_again_to_the_byte_without_a_model(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        first = cup.run()
    asked = len(stub.asked)
    again = cup.run("again", offline=first.folder)
    assert len(stub.asked) == asked
    assert again.manifest.results_sha256 == first.manifest.results_sha256
    assert parquet.read_calls(first.folder) == parquet.read_calls(again.folder)
    with pytest.raises(ArenaError, match="offline: no kept answer"):
        cup.run("third", offline=first.folder, seed=8)


def test_a_model_must_be_trusted_and_have_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        with pytest.raises(ConfigError, match=r"bots\[0\]: model: a language model .* plays only as `trusted: true`"):
            cup.run(bots=[str(cup.bot), *OTHERS])
        monkeypatch.delenv(VARIABLE)
        with pytest.raises(ConfigError, match=f"model: llm.key_env: the environment variable {VARIABLE} is not set"):
            cup.run()
        assert stub.asked == []


def test_no_file_log_or_message_has_the_key(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server of this test says the key in all that it says."""
    caplog.set_level(logging.DEBUG)

    def telling(body: dict[str, Any]) -> Said:
        if len(stub.asked) == 5:
            return {"status": 500, "body": f"key {KEY} is slow", "headers": {"Retry-After": "0"}}
        if len(stub.asked) > 40:
            return {"status": 403, "body": f"key {KEY} is used up"}
        return at_random(body)

    with serving(telling) as stub:
        cup = Cup(tmp_path, stub)
        config = cup.config(llm={"transcripts": True})
        code = main(["tournament", str(config), "--out", str(tmp_path / "out"), "--backend", "local", "--workers", "1"])
    assert code == 2
    said = capfd.readouterr()
    assert "cannot be asked" in said.err and "Traceback" not in said.err
    for text in (said.out, said.err, caplog.text):
        assert KEY not in text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("llm_answers" in str(path) for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    kept = [zlib.decompress(path.read_bytes()) for path in files if path.suffix == ".z"]
    assert kept and not any(KEY.encode() in content for content in kept)


def test_a_plan_tells_tokens_and_money_from_two_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "prices.yaml").write_text(yaml.safe_dump(PRICES))
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        found = forecast(cup.config(llm={"prices": "prices.yaml"}), Settings(out=tmp_path / "out", workers=1), lambda _: None)
        asked = len(stub.asked)
        assert main(["plan", str(cup.config()), "--workers", "1"]) == 0
        results = cup.run(llm={"prices": "prices.yaml"})
    assert "language models: about" in (said := capsys.readouterr().out) and "tokens, judged by 2 matches of each game" in said
    calls = parquet.read_calls(results.folder)
    with_model = len({call.match_id for call in calls})
    assert asked < len(calls) / 2, "two matches were asked for, not all"
    tokens = sum(call.prompt_tokens + call.completion_tokens for call in calls)
    assert found.tokens == pytest.approx(tokens, rel=0.6) and with_model == 8
    assert found.currency == "EUR" and found.cost == pytest.approx(sum(call.cost or 0.0 for call in calls), rel=0.6)


def test_a_plan_says_that_a_model_cannot_be_asked(tmp_path: Path) -> None:
    with (
        serving(lambda _: {"status": 404, "body": "no such model"}) as stub,
        pytest.raises(ArenaError, match=r"HTTP 404: no such model"),
    ):
        forecast(Cup(tmp_path, stub).config(), Settings(out=tmp_path / "out", workers=1), lambda _: None)


@pytest.mark.parametrize("transcripts", [False, True])
def test_a_replay_shows_what_was_asked_and_answered_without_asking_again(
    transcripts: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(at_random) as stub:
        results = Cup(tmp_path, stub).run(deals=1, llm={"transcripts": transcripts})
        asked = len(stub.asked)
        record = next(one for one in results.records() if one.seats[0].bot == "model")
        assert main(["replay", record.match_id, "--notes", "0", "--out", str(tmp_path / "out")]) == 0
        assert len(stub.asked) == asked
    said = capsys.readouterr().out
    assert "try 1: action; stub-1, " in said
    assert "I think about it." in said and '{"action": ' in said, "the whole answer, with what it thought"
    assert ("The position as seat 0 sees it" in said) == transcripts
    assert "# RULES" not in said, "the fixed part of the prompt is the same at each decision"


def test_the_example_config_plays_against_the_server_of_the_tests(tmp_path: Path) -> None:
    document = yaml.safe_load((CONFIGS / "llm.yaml").read_text())
    with serving(at_random) as stub:
        example = HOUSE_BOTS / "examples" / "language_model" / "bot.toml"
        bot = tmp_path / "language_model"
        bot.mkdir()
        (bot / "bot.toml").write_text(example.read_text().replace("http://127.0.0.1:8731/v1", stub.address))
        document["bots"][0]["path"] = str(bot)
        document["deals"] = 1
        results = run_tournament(check_config(document, CONFIGS), Settings(out=tmp_path / "out", backend=LOCAL, workers=1))
    assert results.manifest.finished and results.manifest.pools == ("llm/naga",)
    assert {call.bot for call in results.calls()} == {"language_model"}


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_asks_again_for_what_was_under_way_alone(tmp_path: Path) -> None:
    with serving(at_random) as stub:
        cup = Cup(tmp_path, stub)
        calm = cup.run("calm", deals=4)
        total = len(stub.asked)
        config = cup.config(deals=4)
        command = ("tournament", config, "--out", tmp_path / "out", "--backend", "local", "--workers", "2")
        for kills in range(1, 4):
            before, process = len(stub.asked), arena(*command, start_new_session=True)
            while len(stub.asked) < before + total // 5 and process.poll() is None:
                stub.stopping.wait(0.02)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            assert len(stub.asked) <= total + total, f"after {kills} kills"
        results = cup.run(deals=4)
    assert results.manifest.results_sha256 == calm.manifest.results_sha256
    assert len(stub.asked) - total <= total + 3 * 2, "each kill loses at most the call of each worker"


@pytest.mark.slow
def test_a_board_puts_models_of_known_strength_in_their_order(tmp_path: Path) -> None:
    """Scripted models that know nothing but their prompts; the greedy one plays as well as the house bot that it plays like."""
    players = {"chance": reading_models.at_random, "greed": reading_models.greedily, "search": reading_models.searching}
    with contextlib.ExitStack() as opened:
        bots: list[Any] = [{"path": "house:naga_greedy", "trusted": True}, {"path": "house:random_bot", "trusted": True}]
        for name, player in players.items():
            stub = opened.enter_context(serving(player))
            bots.append({"path": str(model_folder(tmp_path, stub.address, name=name)), "trusted": True})
        settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=2)
        results = run_tournament(write_config(tmp_path, bots=bots, deals=40), settings)
    found = {one.bot: one for one in headline_ratings(results.manifest, results.ratings)}
    assert {call.kind for call in results.calls()} == {"action"}, "what is read from a prompt is a legal action"
    assert found["chance"].high < found["greed"].low and found["greed"].mu < found["search"].mu
    assert found["chance"].high < found["search"].low
    for model, house in (("greed", "naga_greedy"), ("chance", "random_bot")):
        assert found[model].low < found[house].high and found[house].low < found[model].high, "not separable"
