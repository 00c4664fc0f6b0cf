"""Many tables at once: the same episodes in any company, bit for bit those of the referee, rewards, masks, resets."""

import itertools
import re
from typing import Any

import numpy as np
import pytest

from arena import games
from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.engine.game import Game
from arena.errors import ArenaError, ConfigError
from arena.learning.tables import IllegalChoice, Tables
from arena.match import Answer, Fault, play
from arena.match.single_match import agree
from helpers.learning import GAMES, SHORT, Chooser, Episode, ended, episodes


def made(game: str, tables: int = 16, **asked: Any) -> Tables:
    found = Tables(game, tables, **{"options": SHORT.get(game, {}), "seed": 3, "logs": True, **asked})
    found.reset()
    return found


class Scripted:
    """Answers what the log of an episode says; implements match.Seat."""

    isolation = "none"
    wants_forced = True

    def __init__(self, actions: list[int]) -> None:
        self.actions = actions
        self.views: list[View] = []

    def start(self, _info: StartInfo) -> Fault | None:
        return None

    def ask(self, view: View) -> None:
        self.views.append(view)

    def answer(self) -> Answer:
        return Answer(list(self.views[-1].codes).index(self.actions.pop(0)), 0.0, 0.0)

    def end(self, _result: EndInfo) -> None:
        pass


def by_seat(game: Game, tables: Tables, episode: Episode) -> list[list[int]]:
    """The actions of each seat in an episode, all of which are legal."""
    states = game.deal(tables.seats, tables.options, episode.deal)
    found: list[list[int]] = [[] for _ in range(tables.seats)]
    for action in episode.log:
        assert action in game.legal_list(states)
        found[game.engine.current_seat(states)].append(action)
        game.engine.advance(states, action)
    assert game.engine.is_terminal(states)
    assert game.final(states, tables.seats) == (episode.scores, episode.places)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_the_referee_plays_the_same_matches(game: str) -> None:
    loaded = games.load(game)
    for seats in {loaded.seats[0], loaded.seats[-1]}:
        tables = made(game, seats=seats)
        played = episodes(tables, 200)[:12]
        assert len(played) == 12
        for episode in played:
            scripts = by_seat(loaded, tables, episode)
            setup = agree(game, ["bot"] * seats, options=tables.options)
            setup = type(setup)(
                **{**{name: getattr(setup, name) for name in setup.__struct_fields__}, "deal_seed": episode.deal}
            )
            record = play(loaded, setup, [Scripted(actions) for actions in scripts])
            assert list(record.actions) == episode.log
            assert [seat.place for seat in record.seats] == episode.places
            assert [seat.score for seat in record.seats] == episode.scores


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_episodes_in_any_company(game: str) -> None:
    alone = episodes(made(game, 1, threads=1), 100)
    together = episodes(made(game, 64), 100)
    threads = episodes(made(game, 64, threads=3), 100)
    assert together == threads
    assert alone
    assert alone == [episode for episode in together if episode.table == 0]
    assert len({episode.deal for episode in together}) == len(together)


def test_a_table_is_seeded_by_its_own_seed() -> None:
    third = episodes(made("naga", 1, seed=5), 60)
    assert third == [
        Episode(**{**vars(episode), "table": 0})
        for episode in with_stream_of_table_0(made("naga", 4, seed=3), 60) if episode.table == 2
    ]  # fmt: skip


def with_stream_of_table_0(tables: Tables, steps: int) -> list[Episode]:
    """Episodes in which each table chooses as a single table would."""
    choosers = [Chooser(tables) for _ in range(len(tables))]
    found: list[Episode] = []
    for _ in range(steps):
        rows = tables.mask
        tables.step([int(choose(rows[table : table + 1])[0]) for table, choose in enumerate(choosers)])
        found += [ended(tables, int(table)) for table in np.flatnonzero(tables.terminated)]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_what_a_learner_sees_is_what_its_seat_sees(game: str) -> None:
    tables = made(game, 4, action_features=True)
    loaded, encoding = tables.game, tables.encoding
    choose = Chooser(tables)
    for _ in range(60):
        for table in range(len(tables)):
            states = loaded.deal(tables.seats, tables.options, tables.deal_seed(table))
            for action in tables.log(table):
                loaded.engine.advance(states, action)
            seat, count = loaded.engine.current_seat(states), int(tables.counts[table])
            legal = loaded.legal_list(states)
            assert (seat, legal) == (tables.own_seat(table), tables.actions[table, :count].tolist())
            assert seat == tables.seat[table] and count > 1
            seen = loaded.observed(states, seat)
            assert encoding.features(seen, seat).tobytes() == tables.features[table].tobytes()
            assert encoding.action_features(seen, seat, legal).tobytes() == tables.action_features[table, :count].tobytes()
            codes = encoding.codes or range(tables.mask.shape[1])
            wanted = [code in legal for code in codes] if encoding.codes else [place < count for place in codes]
            assert tables.mask[table].tolist() == wanted
        tables.step(choose(tables.mask))


@pytest.mark.parametrize("game", GAMES)
def test_rewards_say_how_many_rivals_were_beaten(game: str) -> None:
    loaded = games.load(game)
    for seats in {loaded.seats[0], loaded.seats[-1]}:
        tables = made(game, seats=seats)
        units = loaded.units(seats, tables.options)
        for episode in episodes(tables, 100):
            for seat, reward in enumerate(episode.seat_rewards):
                rivals = [other for other in range(seats) if units[other] != units[seat]]
                own = episode.places[seat]
                beaten = sum((episode.places[other] > own) + 0.5 * (episode.places[other] == own) for other in rivals)
                assert reward == pytest.approx(2 * beaten / len(rivals) - 1)
            assert episode.reward == episode.seat_rewards[episode.own]


def test_the_learner_sits_on_another_seat_in_each_episode() -> None:
    owns = [episode.own for episode in episodes(made("naga", 1), 100)]
    assert len(owns) > 5 and all(first != second for first, second in itertools.pairwise(owns))
    assert {episode.own for episode in episodes(made("naga", 4, learners=[1]), 60)} == {1}


def test_rewards_are_paid_at_the_end_alone() -> None:
    tables = made("naga", 64)
    choose = Chooser(tables)
    for _ in range(40):
        tables.step(choose(tables.mask))
        assert not tables.rewards[~tables.terminated].any() and not tables.seat_rewards[~tables.terminated].any()


@pytest.mark.parametrize("game", GAMES)
def test_each_round_of_a_match_pays_what_it_changed(game: str) -> None:
    rounds, matches = (made(game, 8, logs=False, reward="score", episode=kind) for kind in ("each_round", "match"))
    choose = {id(tables): Chooser(tables) for tables in (rounds, matches)}
    paid, ends = np.zeros((8, rounds.seats)), 0
    for _ in range(3_000):
        for tables in (rounds, matches):
            tables.step(choose[id(tables)](tables.mask))
        assert (rounds.features == matches.features).all() and (rounds.own_seats() == matches.own_seats()).all()
        paid += rounds.seat_rewards
        assert not (matches.terminated & ~rounds.terminated).any()
        assert paid[matches.terminated] == pytest.approx(matches.seat_rewards[matches.terminated], abs=1e-6)
        paid[matches.terminated] = 0.0
        ends += int(matches.terminated.sum())
        if ends > 8:
            break
    assert ends > 0


def test_rounds_of_a_match_go_on_from_a_checkpoint_as_if_there_had_been_none() -> None:
    first, second = (made("naga", 4, logs=False, reward="score", episode="each_round") for _ in range(2))
    choose = Chooser(first)
    for _ in range(50):
        first.step(choose(first.mask))
    second.put_back(*first.positions())
    for _ in range(50):
        chosen = choose(first.mask)
        for tables in (first, second):
            tables.step(chosen)
        assert first.features.tobytes() == second.features.tobytes()
        assert first.seat_rewards.tobytes() == second.seat_rewards.tobytes()


def test_each_round_has_no_logs() -> None:
    with pytest.raises(ConfigError, match="episode: each_round goes without logs and without bots among the rivals"):
        Tables("naga", episode="each_round", logs=True)


def test_each_round_is_refused_where_nobody_begins_the_next_one() -> None:
    with pytest.raises(ConfigError, match="episode: each_round goes on by itself: autoreset is not off; take match or round"):
        Tables("naga", episode="each_round", autoreset="off")


def test_an_illegal_choice_loses() -> None:
    for wrong in (-1, 10**6):
        tables = made("naga", 2)
        tables.step([wrong, tables.mask[1].argmax()])
        assert tables.terminated.tolist() == [True, False]
        assert tables.final_illegal[0] and tables.rewards.tolist() == [-1.0, 0.0]
        own = tables.own_seat(0, ended=True)
        assert tables.seat_rewards[0].tolist() == [-1.0 if seat == own else 1.0 for seat in range(2)]
        assert tables.final_places[0].tolist() == [2 if seat == own else 1 for seat in range(2)]


def test_an_illegal_choice_can_be_an_error_and_then_nobody_has_played() -> None:
    for threads in (1, 2):
        tables = made("naga", 4, illegal="raise", threads=threads)
        before, logs = tables.features.copy(), [tables.log(table) for table in range(4)]
        legal = tables.mask.argmax(axis=1)
        with pytest.raises(IllegalChoice, match=re.escape("table 2: index 99 is not legal; legal: ")):
            tables.step(np.where(np.arange(4) == 2, 99, legal))
        assert (tables.features == before).all() and [tables.log(table) for table in range(4)] == logs
        tables.step(legal)
        assert not tables.final_illegal.any()


def test_the_next_episode_is_dealt_in_the_same_step_or_in_the_next_or_by_hand() -> None:
    same, later, by_hand = (made("naga", 8, autoreset=kind) for kind in ("same_step", "next_step", "off"))
    choose = {id(tables): Chooser(tables) for tables in (same, later, by_hand)}
    for _ in range(60):
        for tables in (same, later, by_hand):
            was_over = tables.counts == 0
            tables.step(choose[id(tables)](tables.mask))
            is_over = tables.counts == 0
            if tables is same:
                assert not is_over.any() and tables.mask.any(axis=1).all()
            else:
                assert not tables.mask[is_over].any()
                assert (is_over == tables.terminated).all() or tables is by_hand
            if tables is later:
                assert not is_over[was_over].any() and not tables.rewards[was_over].any()
            if tables is by_hand:
                assert is_over[was_over].all() and not tables.rewards[was_over].any() and not tables.terminated[was_over].any()
                tables.reset(which=np.flatnonzero(is_over)[::2])
    over = [episodes(made("naga", 8, autoreset=kind), 60) for kind in ("same_step", "next_step")]
    assert {(one.table, one.deal, *one.log, *one.places) for one in over[0]} >= {
        (one.table, one.deal, *one.log, *one.places) for one in over[1]
    }


def test_the_last_sight_of_an_episode_is_kept() -> None:
    same, off = made("naga", 8), made("naga", 8, autoreset="off")
    first: dict[int, bytes] = {}
    for tables in (same, off):
        choose = Chooser(tables)
        for _ in range(30):
            tables.step(choose(tables.mask))
            for table in np.flatnonzero(tables.terminated).tolist():
                if tables is same:
                    first.setdefault(table, tables.final_features[table].tobytes())
                else:
                    assert tables.features[table].tobytes() == first.pop(table)
    assert not first


def test_an_episode_can_be_one_round() -> None:
    options = {"series": "first_to:3"}
    tables = made("naga", 8, options=options, episode="round")
    game = tables.game
    played = episodes(tables, 40)
    assert played
    for episode in played:
        states = game.deal(2, tables.options, episode.deal)
        for action in episode.log[:-1]:
            game.engine.step(states, action)
            assert not game.engine.is_round_over(states)
        game.engine.step(states, episode.log[-1])
        assert game.engine.is_round_over(states) and not game.engine.is_terminal(states)
        won, lost = max(episode.scores), min(episode.scores)
        best = 0.0 if won == lost else 1.0
        assert sorted(episode.seat_rewards) == [-best, best]
        assert won == lost or episode.seat_rewards.index(1.0) == episode.scores.index(won)


def test_a_reward_can_be_the_score() -> None:
    for episode in episodes(made("naga", 8, reward="score"), 40):
        drawn = episode.places[0] == episode.places[1]
        assert episode.seat_rewards == [0.5 if drawn else float(place == 1) for place in episode.places]


def test_a_reset_begins_anew_with_a_seed_and_goes_on_without() -> None:
    tables = made("naga", 3)
    first = [tables.deal_seed(table) for table in range(3)]
    tables.reset()
    assert not set(first) & {tables.deal_seed(table) for table in range(3)}
    tables.reset(seeds=[5, 3], which=[0, 2])
    assert [tables.deal_seed(0), tables.deal_seed(2)] == [first[2], first[0]]
    tables.reset(seeds=3)
    assert [tables.deal_seed(table) for table in range(3)] == first


def test_all_seats_can_learn() -> None:
    tables = made("naga", 4, learners=[0, 1])
    choose, seen = Chooser(tables), set()
    for _ in range(40):
        seen |= {(int(seat), int(code)) for seat, code in zip(tables.seat, tables.counts)}
        chose = tables.seat.copy()
        tables.step(choose(tables.mask))
        for table in np.flatnonzero(tables.terminated).tolist():
            assert tables.rewards[table] == tables.seat_rewards[table, chose[table]]
            assert tables.seat_rewards[table].sum() == 0
    assert {seat for seat, _ in seen} == {0, 1}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"game": "nage"}, 'game: no game "nage"; did you mean "naga"?'),
        ({"seats": 3}, "seats: naga is played by 2 seats, not 3"),
        ({"tables": 0}, "tables: a whole number from 1 on is needed, not 0"),
        ({"tables": 2.5}, "tables: a whole number from 1 on is needed, not 2.5"),
        *(
            ({"threads": wrong}, f"threads: a whole number from 1 to 64 is needed, not {wrong!r}")
            for wrong in (0, -2, 65, 1.5, "2", True, None)
        ),
        ({"episode": "game"}, "episode: no 'game'; known: each_round, match, round"),
        ({"autoreset": "same"}, "autoreset: no 'same'; did you mean \"same_step\"?"),
        ({"illegal": "forfeit"}, "illegal: no 'forfeit'; known: lose, raise"),
        ({"reward": "place"}, "reward: no 'place'; did you mean \"places\"?"),
        ({"learners": [2]}, "learners: some seats from 0 to 1, each once, are needed, not (2,)"),
        ({"learners": [0, 0]}, "learners: some seats from 0 to 1, each once, are needed, not (0, 0)"),
        ({"rivals": ["random", "policy"]}, "rivals: 2 for 1 seats; 2 sit at the table"),
        ({"rivals": ["polcy"]}, 'rivals[0]: no rival "polcy"; one is random, policy, search:N, a bot'),
        ({"rivals": ["search:x"]}, "rivals[0]: 'search:x': give the number of iterations, such as search:200"),
        ({"rivals": ["house:naga_planer"]}, "rivals[0]: house:naga_planer: no house bot of this name"),
        ({"options": {"series": "best"}}, "options.series: "),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ArenaError) as raised:
        Tables(**{"game": "naga", **asked})
    assert message in str(raised.value)


def test_a_game_that_measures_time_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"options\.latency: thinking time cannot be measured here; take another latency"):
        Tables("nertz", options={"latency": "measured"})
