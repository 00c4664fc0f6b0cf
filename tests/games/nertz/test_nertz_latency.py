"""Time that moves take in Nertz (RULES.md 4.4): declared delays, measured thinking, its log, replay and rating."""

import json
import random

import pytest
import yaml

from arena.audit.laws import traces
from arena.match import Answer, play
from arena.match.single_match import agree
from arena.ratings import stored
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings, rate
from arena.records import Clock
from arena.reports.replay import replay_lines
from arena.results import parquet
from arena.results.hashing import is_reproducible
from arena.results.schema import log_row, match_rows, record_from_rows
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from helpers.nertz_tables import GAME, after, deal, legal, made, masked, position, read, ticks
from helpers.paths import HOUSE_BOTS

KINGS = [["SK"], ["CK"], ["SQ"], ["CQ"]]
CLOCK = Clock(move=1e6, bank=0.0, start=10.0)


class Thinker:
    """A seat whose every answer costs CPU time as `seconds` says; implements match.Seat."""

    isolation = "none"
    wants_forced = False

    def __init__(self, seed, seconds):
        self.rng, self.seconds, self.views = random.Random(seed), seconds, []

    def start(self, info):
        return None

    def ask(self, view):
        self.views.append(view)

    def answer(self):
        return Answer(self.rng.choice(self.views[-1].legal), self.seconds(self.rng), 0.0)

    def end(self, result):
        self.result = result


def measured_match(seconds, seats=2, **options):
    options = {"latency": "measured", "max_rounds": 1, "tick_limit": 60} | options
    setup = agree("nertz", ["thinker"] * seats, seed=3, options=options, clock=CLOCK)
    table = [Thinker(seat, seconds[seat]) for seat in range(seats)]
    return play(GAME, setup, table), setup, table


def prompt(_rng):
    return 0.0


class TestDeclared:
    """Delays per seat and kind of move."""

    def race(self, delays):
        document = made(
            [{"nertz": ["S3"], "work": KINGS}] * 2,
            (("S", [0, 1]),),
            options={"latency": "declared", "delays": delays},
            priority=[0, 1],
        )
        states = read(document)
        for _ in range(6):
            for _ in range(2):
                choice = "nertz found" if "nertz found" in legal(states) and position(states)["tick"] == 0 else "wait"
                GAME.engine.advance(states, GAME.text.parse_action(states[0], choice))
        return position(states)

    @pytest.mark.parametrize(("delays", "winner"), [([0, 0], 0), ([1, 0], 1), ([3, 2], 1), ([1, 4], 0)])
    def test_the_faster_hand_wins_the_race(self, delays, winner):
        assert self.race(delays)["foundations"][0]["units"][2] == winner

    @pytest.mark.parametrize(
        ("action", "ticks_until"), [("flip", 1), ("nertz found", 2), ("nertz work 2", 3), ("work 3 work 2", 4)]
    )
    def test_each_kind_of_move_has_its_own_delay(self, action, ticks_until):
        unit = {"nertz": ["S3"], "work": [["SK"], ["CK"], ["H4"], ["C3"]]}
        options = {"latency": "declared", "delays": [[1, 9, 2, 3, 4], 0]}
        document = made([unit, {"work": KINGS}], (("S", [1, 1]),), options=options)
        assert after(document, action, "wait")["due"] == [ticks_until, None]
        ready = after(document, *[action, "wait"], *["wait"] * (2 * ticks_until))
        assert (ready["pending"], ready["failed"]) == ([None, None], [])
        assert ready["units"][0] != after(document, action, "wait")["units"][0]

    def test_a_busy_seat_is_asked_for_nothing_but_to_wait(self):
        for tick in ticks(5, 3, latency="declared", delays=3, max_rounds=1):
            for seat, pending in enumerate(tick.before["pending"]):
                if pending is not None:
                    assert tick.actions[seat] == "wait"

    def test_a_running_move_is_no_waiting(self):
        """4.3: the idle counter rests while somebody is busy, the tick included in which the move counts."""
        document = made([{"work": KINGS}] * 2, options={"latency": "declared", "delays": 3})
        states, idle = read(document), []
        for text in ["flip", *["wait"] * 11]:
            GAME.engine.advance(states, GAME.text.parse_action(states[0], text))
            if states[0].turn == 0:
                idle.append(position(states)["idle"])
        assert idle == [0, 0, 0, 0, 1, 2]

    def test_others_see_who_is_busy_and_not_with_what(self):
        document = made([{"nertz": ["S3"], "work": KINGS}] * 2, (("S", [0, 1]),), options={"latency": "declared", "delays": 3})
        seen = set()
        for action in ("nertz found", "flip"):
            states = read(document)
            for text in (action, "wait"):
                GAME.engine.advance(states, GAME.text.parse_action(states[0], text))
            seen.add(GAME.observed(states, 1).tobytes())
            assert masked(states, 1)["pending"] == ["?", None]
            assert masked(states, 0)["pending"] == [action, None]
        assert len(seen) == 1

    def test_running_moves_lapse_with_the_round(self):
        states = deal(latency="declared", delays=[0, 50], tick_limit=3)
        for text in ["wait", "flip", "wait", "wait", "wait", "wait"]:
            GAME.engine.advance(states, GAME.text.parse_action(states[0], text))
        start = position(states)
        assert (start["round"], start["tick"], start["pending"], start["due"]) == (2, 0, [None, None], [None, None])
        assert legal(states)[:2] == ["wait", "flip"]


class TestMeasured:
    """The time that a seat needed to think becomes ticks."""

    def test_delays_are_the_whole_ticks_of_thinking(self):
        record, _, table = measured_match([lambda rng: rng.choice([0.0, 0.049, 0.05, 0.12]), prompt])
        assert len(record.delays) == len(record.actions)
        assert set(record.delays) == {0, 1, 2}
        assert table[0].views and len(table[0].views) < len(table[1].views)  # a busy seat is not asked

    def test_ms_per_tick_is_the_unit(self):
        record, _, _ = measured_match([lambda rng: 0.12, prompt], ms_per_tick=20)
        assert set(record.delays) == {0, 6}

    def test_the_log_replays_exactly(self):
        record, setup, _ = measured_match([lambda rng: rng.random() / 4, lambda rng: rng.random() / 8, prompt], seats=3)
        states = GAME.deal(3, setup.options, setup.deal_seed)
        for action in GAME.timed_log(record.actions, record.delays):
            GAME.engine.advance(states, action)
        assert GAME.engine.is_terminal(states)
        scores, places = GAME.final(states, 3)
        assert [(row.score, row.place) for row in record.seats] == list(zip(scores, places))
        without = GAME.deal(3, setup.options, setup.deal_seed)
        for action in record.actions:
            if not GAME.engine.is_terminal(without):
                GAME.engine.advance(without, action if action in GAME.legal_list(without) else 0)
        assert without.tobytes() != states.tobytes(), "the delays must matter"

    def test_a_stored_log_is_read_back_and_shown(self):
        record, setup, _ = measured_match([lambda rng: 0.2, prompt])
        rows = [{**row, "bot_sha256": "0" * 64} for row in match_rows(record, "cup")]  # these bots have no files
        stored = record_from_rows(rows, log_row(record))
        assert stored.delays == record.delays and stored.is_measured
        lines = list(replay_lines(GAME, stored, setup.options, setup.deal_seed))
        assert any("counts in tick" in line for line in lines)
        assert lines[-1].startswith("place")

    def test_its_trace_verifies(self):
        record, setup, _ = measured_match([lambda rng: rng.random() / 4, prompt])
        lines = list(traces.logged_lines(GAME, 2, setup.options, setup.deal_seed, record.actions, record.delays))
        assert any("delay" in json.loads(line) for line in lines)
        assert [checked.problems for checked in traces.verify(lines, "log")] == [()]
        forged = [line.replace('"delay":1', '"delay":3') for line in lines]
        assert [bool(checked.problems) for checked in traces.verify(forged, "log")] == [True]

    def test_it_is_not_reproducible_and_not_rated_unless_the_config_says_so(self):
        record, _, _ = measured_match([prompt, prompt])
        assert record.is_measured and not is_reproducible(record)
        assert not any(row.reproducible for row in record.seats)
        for measured, matches in ((False, 0), (True, 1)):
            standings = Standings(RatingSettings(measured=measured), {"nertz": [(row.bot, 1) for row in record.seats]})
            standings.add(record)
            counted = [rating.matches for rating in standings.ratings() if rating.pool == "nertz"]
            assert sum(counted) == matches * len(record.seats)

    def test_a_tournament_says_what_it_does_not_rate(self, tmp_path):
        bots = [HOUSE_BOTS / name for name in ("nertz_greedy.py", "random_bot.py")]
        short = {"max_rounds": 1, "tick_limit": 20}
        config = {
            "name": "clocks",
            "seed": 1,
            "games": [
                {"game": "nertz", "seats": 2, "options": {"latency": "measured", **short}, "label": "realtime"},
                {"game": "nertz", "seats": 2, "options": short},
            ],
            "bots": [{"path": str(bot), "trusted": True} for bot in bots],
            "deals": 1,
        }
        path = tmp_path / "clocks.yaml"
        for measured, unrated, pools in ((False, 2, {"nertz"}), (True, 0, {"nertz", "realtime"})):
            path.write_text(yaml.safe_dump({**config, "ratings": {"measured": measured}}))
            results = run_tournament(path, Settings(out=tmp_path / str(measured), backend=LOCAL, workers=1))
            rows = parquet.read_columns(results.folder, stored.COLUMNS)
            left_out = stored.unrated_entries(results.manifest)
            again = stored.stored_pools(rows, stored.stored_field(results.manifest), unrated=left_out)
            assert rate(again, stored.stored_settings(results.manifest, results.folder)) == results.ratings
            assert results.manifest.unrated == unrated
            assert {rating.pool for rating in results.ratings} - {"overall"} == pools
            assert all(rating.rank is not None for rating in results.ratings)
            assert results.manifest.reproducible_sha256 != results.manifest.results_sha256

    def test_other_matches_have_no_delays(self):
        record, _, _ = measured_match([prompt, prompt], latency="none")
        assert record.delays == () and is_reproducible(record)

    def test_thinking_before_a_wait_costs_its_time_too(self):
        """O-Z14: the seat is busy for as long as it thought, and is not asked meanwhile."""
        states = deal(latency="measured")
        for action in (GAME.timed(0, 2), 0):
            GAME.engine.step(states, action)
        assert position(states)["due"] == [2, None]
        busy = []
        for _ in range(4):
            busy.append(legal(states) == ["wait"])
            for _ in range(2):
                GAME.engine.step(states, 0)
        assert busy == [True, True, False, False]
