"""Matches as exchanges of texts: who is asked what, what answers are worth, which deals are whose."""

import gc
import hashlib
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from arena.engine.random_tables import make_table
from arena.errors import BotError, ConfigError
from arena.games import load, names
from arena.learning.language_models import EVALUATION, TRAINING, Asked, EpisodeSettings, Table
from arena.learning.language_models.evaluation import Played, evaluate, fixed, summary
from arena.learning.language_models.settings import settings_from
from arena.learning.language_models.table import EVALUATION_DEALS, EVALUATION_SEED
from arena.llm.answer import read_answer
from arena.llm.prompt import again
from arena.llm.refusal import explained
from arena.match.seeds import deal_seed, key_from_seed
from arena.match.situation import decision_of as view_decision
from arena.match.situation import situation_of
from arena.ratings.error_bars import FIRST_COEFFICIENT, share_interval
from arena.records import Clock, Ending, canonical_json
from arena.tournament.archive.finding import find_match
from arena.tournament.config import read_config
from helpers.learning import COMPILED, SHORT
from helpers.paths import CONFIGS, DOCS
from helpers.prompts import decision_of, twin_worlds
from helpers.scripted_models import anything, first, play_out, played, said
from helpers.tournaments import run

FEW, MANY = 10, 1_000
"""Positions of a game that a quick and a slow test look at."""
NO_ACTION = "I cannot decide."
FIRST_LEGAL = """from arena.agent import Agent


class Leader(Agent):
    def act(self, view):
        return view.legal[0]
"""


def table(game: str = COMPILED, **settings: Any) -> Table:
    return Table(EpisodeSettings(game=game, **{"rivals": ("random",), "options": SHORT.get(game, {}), **settings}))


@pytest.mark.parametrize("name", names())
def test_a_match_of_every_game_is_played_by_texts(name: str) -> None:
    for learners in (None, ()):
        episode = played(table(name, learners=learners), 0, anything())
        assert sorted(episode.outcome.places)[0] == 1
        assert {seat.ending for seat in episode.record.seats} == {Ending.PLAYED}
        assert set(episode.outcome.rewards) == ({0} if learners is None else set(range(len(episode.record.seats))))


def test_a_number_is_a_match() -> None:
    at = table()
    one, same, other = (played(at, number).record for number in (3, 3, 5))
    assert (one.actions, one.match_id) == (same.actions, same.match_id)
    assert (one.actions, one.match_id) != (other.actions, other.match_id)


def test_each_deal_is_played_from_every_seat_in_turn() -> None:
    at = table()
    episodes = [at.begin(number) for number in range(4)]
    assert [episode.learners for episode in episodes] == [(0,), (1,), (0,), (1,)]
    cards = [episode.setup.deal_seed for episode in episodes]
    assert cards[0] == cards[1] != cards[2] == cards[3]


def test_where_all_seats_learn_each_episode_has_a_deal_of_its_own() -> None:
    at = table(learners=())
    assert len({at.begin(number).setup.deal_seed for number in range(4)}) == 4


def test_seats_that_choose_together_are_asked_together_and_may_answer_in_any_order() -> None:
    """What one has answered shows nowhere in what the other is asked."""
    found = []
    for turn_round in (False, True):
        episode, together = table(learners=()).begin(1), 0
        while not episode.is_over:
            asked = episode.asked
            together += len(asked) > 1
            for seat in sorted(asked, reverse=turn_round):
                assert episode.asked[seat] == asked[seat]
                episode.answer(seat, first(asked[seat]))
        found.append(episode.record.actions)
        assert together
    assert found[0] == found[1]


def test_an_answer_that_is_no_action_is_asked_for_again_and_costs_what_the_settings_say() -> None:
    episode = table(rethinks=1, illegal_cost=0.25).begin(0)
    (asked,) = episode.asked.values()
    assert episode.answer(0, NO_ACTION).kind == "unparsable"
    (after,) = episode.asked.values()
    assert (after.seat, after.attempt, after.legal) == (0, 1, asked.legal)
    assert "No action could be read" in after.prompt
    assert len(after.prompt) < len(asked.prompt)
    episode.answer(0, first(after))
    play_out(episode, first)
    legality = episode.legality[0]
    assert legality.wrong == {"unparsable": 1}
    assert (legality.decisions - legality.first_try, legality.faults) == (1, 0)
    assert episode.outcome.rewards[0] == 2 * episode.outcome.shares[0] - 1 - 0.25


@pytest.mark.parametrize(("text", "ending"), [(NO_ACTION, Ending.MALFORMED), (said("resign"), Ending.ILLEGAL)])
def test_the_last_wrong_answer_is_a_fault_that_loses_the_match(text: str, ending: Ending) -> None:
    episode = table(rethinks=2).begin(0)
    for _ in range(3):
        assert not episode.is_over
        episode.answer(0, text)
    assert episode.is_over
    assert episode.record.seats[0].ending is ending
    assert episode.outcome.rewards[0] == -1.0
    assert episode.legality[0].faults == 1


def test_a_fault_may_cost_a_random_action_instead() -> None:
    episode = table(rethinks=0, fault="substitute", max_faults=2).begin(0)
    episode.answer(0, NO_ACTION)
    assert not episode.is_over
    play_out(episode, first)
    assert episode.record.seats[0].ending is Ending.PLAYED
    assert episode.record.seats[0].fault_decision is not None


def test_an_answer_that_was_cut_off_is_told_so() -> None:
    episode = table().begin(0)
    assert episode.answer(0, first(episode.asked[0]), is_cut=True).kind == "truncated"
    assert "too long" in episode.asked[0].prompt


@pytest.mark.parametrize(("legal", "at_once", "later"), [("omit", 0, 0), ("on_retry", 0, 1), ("list", 1, 1)])
def test_legal_actions_are_in_the_prompt_when_the_settings_say(legal: str, at_once: bool, later: bool) -> None:
    episode = table(legal=legal).begin(0)
    heading = "The legal actions:"
    assert (heading in episode.asked[0].prompt) == at_once
    episode.answer(0, NO_ACTION)
    assert (heading in episode.asked[0].prompt) == later


def test_a_model_is_shown_its_notes_if_it_may_have_them() -> None:
    for memory, shown in (("notes", True), ("none", False)):
        episode = table(memory=memory, learners=()).begin(0)
        (seat, asked), *_ = episode.asked.items()
        episode.answer(seat, msgspec.json.encode({"action": asked.legal[0], "notes": "count the kings"}).decode())
        while seat not in episode.asked:
            for other, question in episode.asked.items():
                episode.answer(other, first(question))
        assert ("count the kings" in episode.asked[seat].prompt) == shown
        assert ('"notes"' in episode.head) == shown


def test_rounds_before_are_told_if_the_settings_say_so() -> None:
    """In Naga's series each game is a round."""
    for memory, shown in (("history", True), ("none", False)):
        episode = table(memory=memory, options={"series": "first_to:2"}).begin(0)
        while '"round":2' not in next(iter(episode.asked.values())).prompt:
            for seat, asked in episode.asked.items():
                episode.answer(seat, first(asked))
        assert ("Round 1:" in next(iter(episode.asked.values())).prompt) == shown


def test_a_seat_is_told_the_whole_round_at_each_decision() -> None:
    """Though what it heard before is kept: in both games a round has many decisions, and a match several rounds."""
    for game in ("yaniv", "hisatsu"):
        episode = table(game, learners=()).begin(0)
        while not episode.is_over:
            for seat, asked in episode.asked.items():
                view = episode._turns[seat].view
                assert asked.prompt == situation_of(episode.settings, view, view_decision(view).since_deal())
                episode.answer(seat, first(asked))


def check_leaks(name: str, positions: int) -> None:
    """Everything a seat is asked, also after a wrong answer, is the same where only what it cannot know differs."""
    chosen = EpisodeSettings(game=name, legal="list", memory="history")
    differed = 0
    for seed in range(2):
        at = make_table(load(name), seed)
        for worlds in twin_worlds(at, positions // 2):
            shown = []
            for tape in (worlds.true, worlds.other):
                view = at.game.view.at(decision_of(tape, worlds.seat), Clock(1.0, 0.0))
                wrong = explained(read_answer(said("resign"), view.legal), view)
                shown.append(
                    (situation_of(chosen, view, decision_of(tape, worlds.seat).since_deal()), again(wrong), view.legal)
                )
            assert shown[0] == shown[1], f"{at}: seat {worlds.seat}"
            differed += worlds.true.states.tobytes() != worlds.other.states.tobytes()
    assert differed > positions / 2


@pytest.mark.parametrize("name", names())
def test_every_byte_that_is_asked_is_the_same_whatever_the_seat_cannot_know(name: str) -> None:
    check_leaks(name, FEW)
    assert Asked.__struct_fields__ == ("seat", "attempt", "prompt", "legal")  # and nothing else is told


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_byte_that_is_asked_is_the_same_in_a_thousand_positions(name: str) -> None:
    check_leaks(name, MANY)


def test_rewards_without_luck_are_places_less_what_the_cards_gave() -> None:
    for number in range(4):
        plain, clean = (played(table(reward=reward), number) for reward in ("places", "luck"))
        seat = plain.learners[0]
        taken = plain.outcome.rewards[seat] - clean.outcome.rewards[seat]
        assert taken == pytest.approx(2 * FIRST_COEFFICIENT * plain.luck[seat])
        assert plain.luck[seat]


def test_no_deal_of_the_evaluation_is_trained_on() -> None:
    at = table()
    held_out = {at._setup(deal, (0,), EVALUATION).deal_seed for deal in range(EVALUATION_DEALS)}
    trained = {at._setup(deal, (0,), TRAINING).deal_seed for deal in range(2 * EVALUATION_DEALS)}
    assert len(held_out) == EVALUATION_DEALS
    assert len(trained) == 2 * EVALUATION_DEALS
    assert not held_out & trained


def test_the_keys_of_both_streams_are_those_of_the_normative_page() -> None:
    at, page = table(), (DOCS / "formats.md").read_text("utf-8")
    for stream, key, written in (
        (TRAINING, hashlib.sha256(b"arena training").digest(), 'SHA-256 of "arena training"'),
        (EVALUATION, key_from_seed(51), "the key of `seed: 51`"),
    ):
        assert written in page
        options = canonical_json(at.options)
        assert at.begin(2, stream).setup.deal_seed == deal_seed(key, COMPILED, 2, options, 1)


def test_no_tournament_with_a_seed_deals_what_is_trained_on() -> None:
    """Whose key is another hash: here of the seeds that come first to mind."""
    at = table()
    trained = {at._setup(deal, (0,), TRAINING).deal_seed for deal in range(50)}
    dealt = {
        deal_seed(key_from_seed(seed), COMPILED, 2, canonical_json(at.options), deal)
        for seed in range(60)
        for deal in range(50)
    }
    assert not trained & dealt


def test_the_evaluation_has_the_deals_of_a_tournament_with_its_seed() -> None:
    at = table()
    key, options = key_from_seed(EVALUATION_SEED), canonical_json(at.options)
    for number in (0, 1, 2 * EVALUATION_DEALS - 1):
        episode = at.begin(number, EVALUATION)
        assert episode.setup.deal_seed == deal_seed(key, COMPILED, 2, options, number // 2)
    with pytest.raises(ConfigError, match="seed: 400; the evaluation stream has the episodes from 0 to 399"):
        at.begin(2 * EVALUATION_DEALS, EVALUATION)


@pytest.mark.parametrize("name", names())
def test_the_fixed_evaluation_is_that_of_the_example_config(name: str) -> None:
    path = CONFIGS / "llm-evaluation.yaml"
    config = read_config(path)
    assert f"{path.name} --seed {EVALUATION_SEED} " in path.read_text()
    assert config.rotations == "cyclic"
    (entry,) = [one for one in config.entries if one.game == name]
    at = Table(fixed(name, rivals=("random",)))
    assert (entry.seats, entry.options, entry.deals) == (at.seats, at.options, EVALUATION_DEALS)


def test_the_evaluation_is_what_a_tournament_with_its_seed_plays(tmp_path: Path) -> None:
    bot = tmp_path / "leader.py"
    bot.write_text(FIRST_LEGAL)
    entries = [{"path": str(bot), "name": name, "trusted": True} for name in ("one", "other")]
    results = run(tmp_path / "run", bots=entries, seed=EVALUATION_SEED, deals=3)
    at = table(rivals=(str(bot),))
    episodes = [play_out(at.begin(number, EVALUATION), first) for number in range(6)]
    assert [(record.deal, record.actions) for record in results.records()] == [
        (episode.setup.deal, episode.record.actions) for episode in episodes
    ]


def test_an_evaluation_says_the_share_and_how_sure_it_is() -> None:
    told: list[tuple[int, int]] = []
    found, legality = evaluate(
        table(), lambda head, asked: first(asked), deals=3, say=lambda done, whole: told.append((done, whole))
    )
    assert (found.deals, found.matches) == (3, 6)
    assert told == [(done, 6) for done in range(1, 7)]
    assert legality.first_try == legality.decisions > 6
    assert found.low <= found.share <= found.high
    assert str(found).startswith(f"beats {found.share:.1%} (")


def test_one_observation_of_an_evaluation_is_a_deal() -> None:
    shares = [1.0, 0.0, 0.5, 1.0]
    found = summary(Played(deal, share, 0.0) for deal in range(4) for share in (shares[deal], shares[deal]))
    assert (found.share, found.skill) == (0.625, 0.625)
    assert (found.low, found.high) == share_interval(np.array(shares))


def test_luck_that_explains_everything_leaves_no_doubt() -> None:
    luck = [0.3, -0.2, 0.1, -0.2] * 50
    found = summary(Played(deal, 0.5 + one, one) for deal, one in enumerate(luck))
    assert found.skill == pytest.approx(0.5, abs=0.01)
    assert found.skill_high - found.skill_low < 0.1 * (found.high - found.low)


def test_an_evaluation_needs_somebody_to_beat() -> None:
    with pytest.raises(ConfigError, match="learners: all seats learn"):
        evaluate(table(learners=()), lambda head, asked: first(asked), deals=1)


@pytest.mark.parametrize("rival", ["casual", "policy", "search:3", "house:naga_greedy"])
def test_any_rival_may_sit_at_the_table(rival: str) -> None:
    episode = played(table(rivals=(rival,)), 0)
    assert episode.record.seats[1].ending is Ending.PLAYED


def test_rivals_sit_from_the_learners_left_on() -> None:
    at = table("hisatsu", rivals=("random", "house:hisatsu_greedy"))
    names_at = [[player.bot for player in at.begin(number).setup.players] for number in range(3)]
    assert names_at == [
        ["learner", "random", "hisatsu_greedy"],
        ["hisatsu_greedy", "learner", "random"],
        ["random", "hisatsu_greedy", "learner"],
    ]


def test_a_rival_that_fails_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(
        "from arena.agent import Agent\n\n\nclass Broken(Agent):\n    def act(self, view):\n        return 'resign'\n"
    )
    with pytest.raises(BotError, match="rival broken failed: 'resign'; legal: "):
        played(table(rivals=(str(broken),)), 0)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"game": "nag"}, 'no game "nag"; did you mean "naga"'),
        ({"rivals": ("nobody",)}, 'rivals\\[0\\]: no rival "nobody"; one is beginner, '),
        ({"rivals": ("search:0",)}, "rivals\\[0\\]: 'search:0': give the number of iterations"),
        ({"rivals": ()}, "rivals: give at least one"),
        ({"rivals": ("house:yaniv_greedy",)}, "rival yaniv_greedy does not play naga"),
        ({"learners": (2,)}, "learners: seats 0 to 1, not 2"),
        ({"seats": 3}, "seats: naga is played by 2 seats, not 3"),
        ({"reward": "score"}, "reward: places or luck, not 'score'"),
        ({"language": "fr"}, "language: en or ja, not 'fr'"),
        ({"rethinks": -1}, "rethinks: 0 or more, not -1"),
        ({"max_faults": 0}, "max_faults: 1 or more, not 0"),
        ({"illegal_cost": -1.0}, "illegal_cost: 0 or more"),
        ({"options": {"serie": 1}}, "options.serie: naga has no such option"),
    ],
)
def test_what_is_wrong_with_settings_is_said(settings: dict[str, Any], why: str) -> None:
    with pytest.raises((ConfigError, BotError), match=why):
        table(**settings)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"game": "naga", "rivls": []}, "unknown field `rivls`"),
        ({"game": "naga", "rethinks": "two"}, "rethinks: Expected `int`, got `str`"),
        ({}, "missing required field `game`"),
        ({"game": "naga", "legal": "never"}, "legal: omit or on_retry or list, not 'never'"),
    ],
)
def test_what_is_wrong_with_settings_in_json_is_said(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        settings_from(given)


def test_who_is_not_asked_cannot_answer() -> None:
    episode = table().begin(0)
    with pytest.raises(ConfigError, match="seat: 1 is not asked now; asked: seat 0"):
        episode.answer(1, said("resign"))
    with pytest.raises(ConfigError, match="episode: it is not over; asked: seat 0"):
        _ = episode.record


def test_an_episode_that_is_closed_or_forgotten_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    closed, forgotten = table().begin(0), table().begin(1)
    mine = [thread for thread in threading.enumerate() if thread not in before]
    assert len(mine) == 2
    closed.close()
    assert closed.asked == {}
    del forgotten
    gc.collect()
    for thread in mine:
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_many_episodes_go_on_beside_each_other() -> None:
    """Step by step in turn they are what they are one after the other."""
    at = table()
    episodes = {number: at.begin(number) for number in range(6)}
    while not all(episode.is_over for episode in episodes.values()):
        for episode in episodes.values():
            for seat, asked in episode.asked.items():
                episode.answer(seat, first(asked))
    assert [episode.record.actions for episode in episodes.values()] == [
        played(at, number).record.actions for number in range(6)
    ]


def test_an_episode_is_kept_as_a_match(tmp_path: Path) -> None:
    episode = played(table(rivals=("policy",)), 0)
    record, key = find_match(tmp_path, episode.keep(tmp_path))
    assert record.actions == episode.record.actions
    assert [seat.bot for seat in record.seats] == ["learner", "policy"]
    assert deal_seed(key, COMPILED, 2, record.options, 0) == episode.setup.deal_seed
