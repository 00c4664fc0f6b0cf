"""A toy training: repeatable, resumable, with files that say what they hold; and searches that use what was learnt."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from arena.agent.view import View
from arena.engine.game import Game
from arena.engine.net import POLICY, ROW, VALUE, Nets, logit, preferences
from arena.engine.net_files import FILE, NOTE, Note, read_nets, read_note, write_nets
from arena.errors import ArenaError, ConfigError
from arena.games import load
from arena.learning.training.gate import Gate, Imitator, Searcher, judged_gate, pool_score
from arena.learning.training.generations import Plan, Trained, train
from arena.learning.training.networks import scale
from arena.learning.training.selfplay import Round, default_table, rollout_rows, searched_round
from arena.learning.training.watching import Watcher
from arena.records import Clock
from arena.search import Findings, Settings, search
from arena.tournament.formats.betting import Verdict
from helpers.learning import TRAINED

PLAN = Plan(generations=2, positions=2_000, rounds=12, iterations=10, deals=2, gate_iterations=10)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train(TRAINED, tmp_path_factory.mktemp("training"), PLAN, seed=3)


@pytest.fixture(scope="module")
def learnt(trained: Trained) -> Game:
    """The game with what the last generation has learnt, accepted or not."""
    return replace(load(TRAINED), nets=read_nets(trained.folder / "generation-1"))


class Told(Watcher):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def begin(self, what: str, total: int) -> None:
        self.begun.append(what)


def first_choice(game: Game, seats: int, **asked: object) -> Findings:
    states = game.deal(seats, game.resolve_options({}, seats), 5)
    seat = game.engine.current_seat(states)
    return search(game, game.observed(states, seat), seat, game.legal_list(states), Settings(iterations=200, **asked))


def values_of(found: Findings) -> list[tuple[int, float]]:
    return [(choice.visits, choice.value) for choice in found.choices]


def test_a_training_goes_on_where_it_was_stopped_and_ends_as_if_it_had_not_been(trained: Trained, tmp_path: Path) -> None:
    train(TRAINED, tmp_path, msgspec.structs.replace(PLAN, generations=1), seed=3)
    told = Told()
    again = train(TRAINED, tmp_path, PLAN, seed=3, watcher=told)
    assert again.note.sha256 == trained.note.sha256
    assert told.begun.count("rollout play") == 1  # of the second generation


def test_another_seed_gives_other_networks(trained: Trained, tmp_path: Path) -> None:
    train(TRAINED, tmp_path, msgspec.structs.replace(PLAN, generations=1), seed=4)
    first, other = (read_note(folder / "generation-0") for folder in (trained.folder, tmp_path))
    assert first.sha256 != other.sha256


def test_a_folder_of_another_training_is_refused(trained: Trained) -> None:
    with pytest.raises(ConfigError, match=r"another training \(differs in seed\)"):
        train(TRAINED, trained.folder, PLAN, seed=4)


def test_no_generation_begins_after_the_hours(tmp_path: Path) -> None:
    found = train(TRAINED, tmp_path, PLAN, seed=3, hours=0.0)
    assert len(found.note.generations) == 1


def test_a_game_without_a_sketch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"naga has no state_features\.py"):
        train("naga", tmp_path, PLAN, seed=1)


def test_the_note_says_how_the_networks_were_made(trained: Trained) -> None:
    note = read_note(trained.folder)
    assert (note.game, note.seats, note.seed, len(note.generations)) == (TRAINED, (2,), 3, 2)
    for number, found in enumerate(note.generations):
        assert found["generation"] == number and found["gates"][0]["deals"] <= PLAN.deals
        assert 0.1 < found["losses"]["value"] < 3.0 and 0.1 < found["losses"]["belief"] < 3.0
    assert note.generations[1]["losses"]["policy"] > 0.0 and "policy" not in note.generations[0]["losses"]
    assert [gate["of"] for gate in note.generations[1]["gates"]][-1] == "policy"
    assert [gate["of"] for gate in note.generations[0]["gates"]] == ["search", "search among strangers"]


def test_only_the_networks_of_the_plan_are_learnt_and_kept_by_their_own_gates(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(PLAN, networks=("policy",))
    found = train(TRAINED, tmp_path, plan, seed=3)
    first, second = found.note.generations
    assert (first["gates"], first["kept"], first["accepted"]) == ([], [], False)
    assert [gate["against"] for gate in second["gates"]] == ["a search of 20 iterations"]
    assert set(read_nets(tmp_path / "generation-1").nets) == {"policy"}
    assert (set(found.nets.nets) == {"policy"}) == second["accepted"] == (second["gates"][0]["verdict"] != "below")


def test_a_gate_at_equal_time_gives_the_search_with_networks_more_iterations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[Settings]()

    def spied(game: Game, settings: Settings) -> Searcher:
        asked.append(settings)
        return Searcher(game, settings)

    monkeypatch.setattr("arena.learning.training.generations.Searcher", spied)
    plan = msgspec.structs.replace(PLAN, generations=1, networks=("value",), pace=1.5, cut=3, deals=1)
    train(TRAINED, tmp_path, plan, seed=3)
    assert [(one.iterations, one.judge, one.worlds, one.evaluate) for one in asked] == [
        (15, "net", "uniform", 3),
        (10, "rule", "uniform", None),
    ] * 2 + [(10, "rule", "uniform", None)]  # once more among strangers, and the first of these


@pytest.mark.parametrize("others", [Verdict.OPEN, Verdict.BELOW])
def test_a_search_that_does_worse_among_strangers_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: Verdict
) -> None:
    verdicts = {"deal_score": Verdict.ABOVE, "pool_score": others}
    played: list[str] = []

    def judged(scores: Iterable[float], deals: int) -> Gate:
        played.clear()
        assert len(list(scores)) == deals
        (kind,) = set(played)
        return Gate(deals, 0.6, 0.5, 0.7, verdicts[kind])

    for name in verdicts:
        monkeypatch.setattr(f"arena.learning.training.generations.{name}", lambda *_, name=name: played.append(name) or 0.0)
    monkeypatch.setattr("arena.learning.training.generations.judged_gate", judged)
    plan = msgspec.structs.replace(PLAN, generations=1, networks=("value",))
    assert train(TRAINED, tmp_path, plan, seed=3).note.generations[0]["accepted"] == (others is Verdict.OPEN)


def test_nobody_does_better_than_itself_among_strangers() -> None:
    table = default_table(load(TRAINED))
    first, stranger = (Searcher(table.game, Settings(iterations=count)) for count in (5, 1))
    assert pool_score(first, first, stranger, table, 7) == 0.0


def test_seats_of_strangers_teach_a_belief_and_no_policy() -> None:
    table, asked = default_table(load(TRAINED)), Settings(iterations=10)
    rounds = {share: [searched_round(table, asked, number, 3, share) for number in range(8)] for share in (0.0, 0.5, 1.0)}
    rows, choices = ({share: sum(map(count, found)) for share, found in rounds.items()} for count in (_rows, _choices))
    assert min(rows.values()) > 0
    assert choices[1.0] == 0 < choices[0.5] < choices[0.0]


def _rows(found: Round) -> int:
    return len(found.rows)


def _choices(found: Round) -> int:
    return 0 if found.choices is None else len(found.choices)


def test_a_file_with_other_numbers_than_its_note_says_is_refused(trained: Trained, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes((trained.folder / "generation-0" / FILE).read_bytes())
    (tmp_path / NOTE).write_bytes((trained.folder / "generation-1" / NOTE).read_bytes())
    with pytest.raises(ArenaError, match=r"other numbers than learnt\.json says"):
        read_nets(tmp_path)


def test_compiled_code_finds_what_numpy_finds(learnt: Game) -> None:
    inputs = rollout_rows(default_table(learnt), 50, 1).seat_features[:, 0]
    numbers = learnt.nets.numbers
    compiled = [logit(numbers, int(numbers[VALUE]), row, np.zeros(64, np.float32)) for row in inputs]
    assert compiled == pytest.approx(learnt.nets.nets["value"].logits(inputs).tolist(), abs=1e-4)


def test_compiled_code_prefers_what_numpy_prefers(learnt: Game) -> None:
    states = learnt.deal(2, learnt.resolve_options({}, 2), 5)
    seat, codes = learnt.engine.current_seat(states), learnt.legal_list(states)
    seen = learnt.observed(states, seat)
    known, rows = learnt.encoding.features(seen, seat), learnt.encoding.action_features(seen, seat, codes)
    numbers, out = learnt.nets.numbers, np.zeros(len(codes))
    assert numbers[ROW] == rows.shape[1]
    preferences(numbers, int(numbers[POLICY]), known, rows, len(codes), np.zeros(64, np.float32), np.zeros(64, np.float32), out)
    assert out.tolist() == pytest.approx(learnt.nets.nets["policy"].preferences(known, rows).tolist(), abs=1e-4)


@pytest.mark.parametrize(
    "asked",
    [{"judge": "net"}, {"worlds": "net"}, {"proposals": "net"}, {"judge": "net", "worlds": "net", "proposals": "net"}],
    ids=str,
)
def test_a_search_uses_what_was_learnt(learnt: Game, asked: dict[str, str]) -> None:
    plain, found = first_choice(learnt, 2), first_choice(learnt, 2, **asked)
    assert values_of(found) != values_of(plain)
    assert values_of(found) == values_of(first_choice(learnt, 2, **asked))
    assert all(0.0 <= choice.value <= 1.0 for choice in found.choices if choice.visits)


@pytest.mark.parametrize("seats", [2, 4])
def test_where_nothing_was_learnt_the_settings_change_nothing(learnt: Game, seats: int) -> None:
    game = replace(load(TRAINED), nets=Nets()) if seats == 2 else learnt
    asked = {"judge": "net", "worlds": "net", "proposals": "net"}
    assert values_of(first_choice(game, seats, **asked)) == values_of(first_choice(game, seats))


def test_a_policy_that_is_fully_trusted_decides(learnt: Game) -> None:
    """Against a prior of a million visits some hundred simulations count for nothing."""
    states = learnt.deal(2, learnt.resolve_options({}, 2), 5)
    seat, codes = learnt.engine.current_seat(states), learnt.legal_list(states)
    found = first_choice(learnt, 2, proposals="net", prior=1_000_000, trust=1.0)
    assert found.best_code == Imitator(learnt).choose(states, seat, codes)


@pytest.mark.parametrize("habit", [0.0, 1.0])
def test_a_policy_speaks_for_the_others_by_the_share_of_their_habit(learnt: Game, habit: float) -> None:
    """Without priors it has nothing else to say."""
    plain, found = (first_choice(learnt, 2, proposals=who, prior=0, habit=habit) for who in ("rule", "net"))
    assert (values_of(found) != values_of(plain)) == (habit > 0.0)


def test_worlds_that_are_not_trusted_at_all_have_equal_weights(learnt: Game) -> None:
    """With an exponent of 0 all odds are 1: any of the drawn worlds is kept, and other words of the generator are used."""
    trusted, untrusted = (first_choice(learnt, 2, worlds="net", temper=temper) for temper in (1.0, 0.0))
    assert values_of(trusted) != values_of(untrusted)


def test_a_policy_has_a_share_for_each_legal_action(learnt: Game) -> None:
    states = learnt.deal(2, learnt.resolve_options({}, 2), 5)
    seat, codes = learnt.engine.current_seat(states), learnt.legal_list(states)

    def view_of(game: Game) -> View:
        return View(game, game.observed(states, seat), seat, codes=codes, events=list, clock=Clock(1.0, 0.0))

    shares = view_of(learnt).policy()
    assert len(shares) == len(codes) and sum(shares) == pytest.approx(1.0) and view_of(learnt).has_policy
    unlearnt = view_of(replace(learnt, nets=Nets()))
    assert not unlearnt.has_policy
    with pytest.raises(ConfigError, match="nanatoridori has learnt none"):
        unlearnt.policy()


def test_rows_are_what_they_say() -> None:
    rows = rollout_rows(default_table(load(TRAINED)), 400, 1)
    assert set(np.unique(rows.outcomes)) == {0.0, 1.0} and (rows.outcomes.sum(axis=1) == 1.0).all()
    assert (np.diff(rows.rounds) >= 0).all() and rows.rounds[-1] > 10
    assert ((rows.judged >= 0.0) & (rows.judged <= 1.0)).all()
    assert not np.array_equal(rows.world_features, rows.drawn)


def test_the_scale_of_a_value_ends_at_the_worst_and_best_outcome_or_a_little_beyond() -> None:
    assert scale(np.array([[0.0, 1.0], [1.0, 0.0]])) == (0.0, 1.0)
    low, high = scale(np.linspace(-10.0, 10.0, 2_000).reshape(-1, 2))
    assert -12.5 < low < -10.0 and 10.0 < high < 12.5


def test_a_gate_stops_when_it_is_sure() -> None:
    found = judged_gate((1.0 for _ in range(10_000)), 1_000)
    assert found.verdict is Verdict.ABOVE and found.is_passed and found.deals < 40 and found.low > 0.5
    even = judged_gate((1.0 if deal % 2 else -1.0 for deal in range(10_000)), 30)
    assert even.deals == 30 and not even.is_passed and even.low < 0.5 < even.high


def test_a_room_keeps_its_networks_when_they_are_written_and_read(tmp_path: Path, learnt: Game) -> None:
    write_nets(tmp_path, learnt.nets, Note(game=TRAINED, seats=(2,)))
    again = read_nets(tmp_path)
    assert again.sha256 == learnt.nets.sha256 and again.seats == {2} and (again.numbers == learnt.nets.numbers).all()
