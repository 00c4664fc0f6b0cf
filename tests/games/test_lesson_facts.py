"""What the guided first rounds say of hands and sums, and the claims beside their texts cannot: counted once more."""

from typing import Any

from arena.engine.game import Game, States
from arena.games import load
from arena.games.hisatsu.state import DECK
from arena.reports.pages.lessons import script


def test_the_hands_of_naga_are_what_the_lesson_calls_them() -> None:
    game, states = _dealt("naga")
    shown: list[tuple[str, str]] = []
    for seat, action in _actions("naga"):
        view = _view(game, states, seat)
        if action.startswith("select"):
            shown.append((action, view.category(view.selections[action], view.place)))
            if view.contest == 7 and seat == 0:
                assert view.unseen == ["t7", "e1", "e7"], "the rival's hand"
                assert max(view.category(cards, 4) for cards in (["t7", "e1"], ["t7", "e7"], ["e1", "e7"])) == "pair"
        game.engine.step(states, view.codes[view.legal.index(action)])
    hands = [hand for _, hand in shown]
    assert list(zip(hands[::2], hands[1::2], strict=True)) == [
        ("straight", "four of a kind"), ("three of a kind", "three of a kind"), ("straight", "pair"),
        ("flush", "three of a kind"), ("straight", "straight"), ("none", "three of a kind"), ("three of a kind", "pair"),
    ]  # fmt: skip
    assert [game.rules.fields_won(states[0], seat) for seat in range(2)] == [6, 3]


def test_the_sums_and_scores_of_hisatsu_are_those_of_the_lesson() -> None:
    deck = {name: numbers for name, *numbers in DECK.default}
    assert [deck[name] for name in ("Bear", "Fox", "Serow", "Goose")] == [[3, 16, 4], [1, 7, 3], [2, 10, 4], [2, 15, 2]]
    game, states = _dealt("hisatsu")
    sums = {}
    for seat, action in _actions("hisatsu"):
        view = _view(game, states, seat)
        whole = game.text.to_position(states[0])
        sums |= {slot["name"]: sum(card[1] for card in slot["cards"]) for slot in whole["row"] if slot}
        game.engine.step(states, view.codes[view.legal.index(action)])
    assert (sums["Fox"], sums["Bear"], sums["Goose"]) == (7, 19, 14)
    assert [int(game.rules.score(states[0], seat)) for seat in range(3)] == [9, 5, -2]


def _actions(game: str) -> list[tuple[int, str]]:
    written = script(game)
    assert written is not None
    return [(line.seat, line.action) for line in written.steps if line.seat is not None and line.action is not None]


def _dealt(game: str) -> tuple[Game, States]:
    loaded, written = load(game), script(game)
    assert written is not None
    return loaded, loaded.deal(written.seats, loaded.resolve_options(written.options, written.seats), written.seed)


def _view(game: Game, states: States, seat: int) -> Any:
    assert game.engine.current_seat(states) == seat
    return game.view(game, game.observed(states, seat), seat, codes=game.legal_list(states), events=list, clock=None)
