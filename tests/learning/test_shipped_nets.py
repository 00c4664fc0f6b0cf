"""What ships with the games is what its note says, foresees what it was trained to foresee, and is small."""

from functools import cache

import numpy as np
import pytest

from arena.engine.net import KINDS, Nets
from arena.engine.net_files import FILE, Note, read_note
from arena.games import load, names
from arena.learning.training.gate import Imitator, Searcher, deal_score
from arena.learning.training.networks import agreement, calibration, log_loss, predicted_shares
from arena.learning.training.rows import Choices, Rows
from arena.learning.training.selfplay import Table, default_table, joined_rounds, rollout_rows, searched_round
from arena.search import Settings

LEARNT = [name for name in names() if load(name).nets.nets]
FRESH = 99  # seed of positions that no training has seen
ROUNDS = 12  # fresh ones between searches
DEALS = 12  # each with the policy in every seat
MATCHES = 84  # of all deals of a test together: they are long, and luck decides less of them
LARGEST = 1_500_000  # bytes of the files of all games
UNSURE = {"yaniv": 0.65}  # log loss of a belief at most, where hidden hands can hardly be told


def note_of(game: str, policy: str) -> Note:
    """What tells how a policy was made."""
    note = read_note(load(game).folder)
    return note.policies.get(policy, note)


def by_play(game: str, policy: str) -> bool:
    """Whether a policy learnt from play of its own, and not from searches."""
    return any(found.get("method") == "policy" for found in note_of(game, policy).generations)


def by_matches(game: str, policy: str) -> bool:
    """Whether what tested a policy were whole matches."""
    return any(gate.get("episode") == "match" for found in note_of(game, policy).generations for gate in found["gates"])


POLICIES = [(name, policy) for name in LEARNT for policy in load(name).nets.policies]


def test_some_room_has_learnt() -> None:
    assert "nanatoridori" in LEARNT
    assert sum((load(name).folder / FILE).stat().st_size for name in LEARNT) < LARGEST


@pytest.mark.parametrize("name", LEARNT)
def test_the_note_names_the_game_and_generations_whose_networks_were_kept(name: str) -> None:
    note, nets = read_note(load(name).folder), load(name).nets
    assert note.game == name and note.sha256 == nets.sha256 and set(note.seats) <= set(load(name).seats)
    for net in nets.nets:
        own = note.policies.get(net, note)
        kept = {kind for found in own.generations for kind in found.get("kept", KINDS if found["accepted"] else ())}
        assert f"arena train {name} " in own.command and ("policy" if net in nets.policies else net) in kept


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_the_note_names_the_seats_of_a_policy_and_the_encoding_that_the_game_has(name: str, policy: str) -> None:
    game, note = load(name), note_of(name, policy)
    assert note.encoding == game.layout.sha256 == game.encoding.sha256
    assert set(note.seats) >= game.nets.own_seats(game.nets.nets[policy])
    for seats in note.seats:
        game.check_policy(seats)


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_a_policy_has_the_numbers_that_its_training_ended_with(name: str, policy: str) -> None:
    """Its training found it alone, or with the other networks of the game."""
    nets, note = load(name).nets, note_of(name, policy)
    alone = Nets({"policy": nets.nets[policy]})
    assert note.sha256 in (alone.sha256, nets.at(note.seats[0]).sha256)


@pytest.mark.parametrize("name", [name for name in LEARNT if "value" in load(name).nets.nets])
def test_values_foresee_more_than_the_rule_in_rounds_that_they_have_not_seen(name: str) -> None:
    game = load(name)
    rows = rollout_rows(default_table(game), 8_000, FRESH)
    value = game.nets.nets["value"]
    wanted, ruled = (
        np.clip((numbers.reshape(-1) - value.low) / (value.high - value.low), 0.0, 1.0)
        for numbers in (rows.outcomes, rows.judged)
    )
    found = predicted_shares(value, rows.seat_features.reshape(-1, rows.seat_features.shape[-1]))
    assert log_loss(found, wanted) < log_loss(ruled, wanted) - 0.05
    assert calibration(found, wanted) < 0.05  # most of what they learnt from is play of searches, where it is 0.02


@cache
def fresh_rounds(name: str) -> tuple[Rows, Choices]:
    """Rounds between plain searches that no training has seen."""
    table = default_table(load(name))
    return joined_rounds(table, [searched_round(table, Settings(iterations=150), number, FRESH) for number in range(ROUNDS)])


@pytest.mark.parametrize("name", [name for name in LEARNT if "belief" in load(name).nets.nets])
def test_beliefs_tell_what_searches_hold_from_what_is_drawn(name: str) -> None:
    rows, _ = fresh_rounds(name)
    are_true = np.concatenate([np.ones(len(rows)), np.zeros(len(rows))])
    found = predicted_shares(load(name).nets.nets["belief"], np.concatenate([rows.world_features, rows.drawn]))
    assert log_loss(found, are_true) < UNSURE.get(name, 0.62)  # without knowing anything: 0.693
    assert np.mean((found > 0.5) == are_true) > 0.62


@pytest.mark.parametrize(("name", "policy"), [(name, policy) for name, policy in POLICIES if not by_play(name, policy)])
def test_policies_choose_as_searches_do_in_most_decisions(name: str, policy: str) -> None:
    _, choices = fresh_rounds(name)
    same, loss = agreement(load(name).nets.nets[policy], choices)
    assert same > 0.5 and loss < 0.8 * float(np.mean(np.log(choices.counts)))


BY_PLAY = [(name, policy) for name, policy in POLICIES if by_play(name, policy)]


@pytest.mark.parametrize(
    ("name", "seats"),
    [(name, seats) for name, policy in BY_PLAY if not by_matches(name, policy) for seats in note_of(name, policy).seats],
)
def test_policies_that_learnt_by_play_finish_rounds_before_the_first_thought_of_a_search(name: str, seats: int) -> None:
    assert lead(name, seats, "round", DEALS) > 0.0


@pytest.mark.parametrize(
    ("name", "seats"), [(name, min(note_of(name, policy).seats)) for name, policy in BY_PLAY if by_matches(name, policy)]
)
def test_policies_that_learnt_by_matches_are_no_worse_there_than_the_first_thought_of_a_search(name: str, seats: int) -> None:
    assert lead(name, seats, "match", MATCHES // seats) > -0.1


def lead(name: str, seats: int, episode: str, deals: int) -> float:
    """How far a policy is ahead of the first thought of a search, from -1 to 1."""
    game = load(name)
    table, thought = Table(game, seats, game.resolve_options({}, seats)), Searcher(game, Settings(iterations=1))
    return float(np.mean([deal_score(Imitator(game), thought, table, FRESH + deal, episode=episode) for deal in range(deals)]))
