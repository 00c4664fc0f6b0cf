"""Traces and `arena verify`: what was played verifies; what was tampered with is found, at its line."""

import json
import subprocess
import sys

import pytest

from arena.audit import laws
from arena.audit.laws import traces
from arena.cli.main import main
from arena.engine.options import parse_options
from arena.errors import ArenaError, ConfigError
from arena.games import load, names

GAMES = names()
NAGA = load("naga")


def trace(game=NAGA, seed=0, **options):
    seats = game.seats[0]
    lines = traces.trace_lines(game, seats, game.resolve_options(options, seats), seed)
    return [json.loads(line) for line in lines]


def problems(documents):
    """The problems that verifying finds, without the file's name."""
    lines = [json.dumps(document) for document in documents]
    found = [problem for checked in traces.verify(lines, "f") for problem in checked.problems]
    assert all(problem.startswith("f:") for problem in found)
    return [problem.removeprefix("f:") for problem in found]


def foreign(documents):
    """The same trace as another program writes it: no seed, no generator."""
    header, *rest = json.loads(json.dumps(documents))
    del header["seed"]
    for document in rest:
        del document["position"]["rng"]
    return [header, *rest]


def selection(documents):
    """The line number and line of the first selection of seat 1."""
    return next((at + 1, line) for at, line in enumerate(documents) if line.get("action", "")[:6] == "select" and line["seat"])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [*(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2)), 2])
def test_what_was_played_verifies(game, seed):
    table = laws.make_table(load(game), seed)
    options = {**table.options, "max_rounds": 1} if "max_rounds" in table.options else table.options
    lines = list(traces.trace_lines(table.game, table.seats, options, seed))
    assert [checked.problems for checked in traces.verify(lines, "f")] == [()]


def test_trace_is_complete():
    header, *decisions, last = trace(seed=3)
    assert header == {"trace": 1, "game": "naga", "seats": 2, "options": NAGA.resolve_options({}, 2), "seed": 3}
    assert all(set(line) == {"position", "seat", "legal", "action"} for line in decisions)
    assert all(line["action"] in line["legal"] for line in decisions)
    assert set(last) == {"position", "scores", "places"}


def test_same_seed_same_trace():
    assert trace(seed=4) == trace(seed=4) != trace(seed=5)


class TestTampered:
    def test_action_that_is_not_legal(self):
        documents = trace()
        documents[1]["action"] = "field 4"
        assert problems(documents)[0].startswith("2: trace of naga: action: 'field 4' is not legal; legal: field 1")

    def test_other_action_than_was_played(self):
        documents = trace()
        number, line = selection(documents)
        line["action"] = next(text for text in line["legal"] if text != line["action"])
        assert problems(documents)[0].startswith(f"{number + 1}: trace of naga: ")

    def test_legal_list(self):
        documents = trace()
        documents[3]["legal"].pop()
        assert [problem.split(": ")[2] for problem in problems(documents)] == ["legal"]
        assert problems(documents)[0].startswith("4: ")

    def test_seat(self):
        documents = trace()
        documents[2]["seat"] = 1
        assert problems(documents) == ["3: trace of naga: seat: expected 1, got 0"]

    def test_scores_and_places(self):
        documents = trace()
        scores, places = documents[-1]["scores"], documents[-1]["places"]
        documents[-1].update(scores=[7, 7], places=[2, 2])
        number = len(documents)
        assert problems(documents) == [
            f"{number}: trace of naga: scores: expected [7, 7], got {scores}",
            f"{number}: trace of naga: places: expected [2, 2], got {places}",
        ]

    def test_card_that_is_there_twice(self):
        documents = trace()
        documents[5]["position"]["stock"][0] = documents[5]["position"]["stock"][1]
        assert problems(documents)[0].startswith("6: trace of naga: the position is refused: cards: ")

    def test_swapped_cards_in_the_stock(self):
        documents = foreign(trace())
        stock = documents[5]["position"]["stock"]
        stock[0], stock[1] = stock[1], stock[0]
        assert problems(documents)[0].startswith("6: trace of naga: stock: expected ")

    def test_options_that_change_on_the_way(self):
        documents = trace()
        documents[2]["position"]["options"]["majority"] = "clinch"
        assert problems(documents)[0].startswith("3: trace of naga: options: ")

    def test_missing_last_line(self):
        documents = trace()
        assert problems(documents[:-1]) == [
            f"{len(documents) - 1}: trace of naga: the trace ends before its last line, the one with scores and places"
        ]

    def test_missing_decision(self):
        documents = trace()
        del documents[4]
        assert problems(documents)[0].startswith("5: ")

    def test_end_that_is_none(self):
        documents = trace()
        documents[6] = {"position": documents[6]["position"], "scores": [0, 0]}
        assert "goes on" in problems(documents[:7])[0]


class TestChance:
    """Fresh deals: exact in an own trace; in one by another program read from it."""

    SERIES = trace(seed=8, series="games:3")
    DEAL = next(at for at, line in enumerate(SERIES) if at and line["position"]["round"] == 2)

    def other_deal(self):
        """The trace up to a second deal in which two stock cards are swapped."""
        documents = json.loads(json.dumps(self.SERIES[: self.DEAL + 1]))
        stock = documents[self.DEAL]["position"]["stock"]
        stock[0], stock[1] = stock[1], stock[0]
        return documents

    def test_own_trace_is_dealt_as_its_seed_says(self):
        assert f"{self.DEAL + 1}: trace of naga: stock: " in problems(self.other_deal())[0]

    def test_foreign_deal_is_read(self):
        ends_early = problems(foreign(self.other_deal()))
        assert [problem.partition("naga: ")[2][:14] for problem in ends_early] == ["the trace ends"]
        assert problems(foreign(self.SERIES)) == []

    @pytest.mark.parametrize(("key", "value"), [("parent", 0), ("parent", 1), ("games", [9, 9]), ("round", 3)])
    def test_foreign_deal_does_not_change_the_rest(self, key, value):
        documents = foreign(self.other_deal())
        if documents[self.DEAL]["position"][key] == value:
            return
        documents[self.DEAL]["position"][key] = value
        assert problems(documents)[0].startswith(f"{self.DEAL + 1}: ")

    def test_foreign_generator_means_nothing(self):
        documents = foreign(self.SERIES)
        for line in documents[1:]:
            line["position"]["rng"] = {"state": [1, 2, 3]}
        assert problems(documents) == []


class TestCases:
    POSITION = trace()[1]["position"]
    LEGAL = trace()[1]["legal"]

    def check(self, **case):
        return problems([{"game": "naga", "name": "case", "position": self.POSITION, **case}])

    def test_legal(self):
        assert self.check(legal=self.LEGAL) == []
        assert self.check(legal=self.LEGAL[1:])[0].startswith("1: case: legal: expected [")

    def test_expect(self):
        assert self.check(apply=["field 3"], expect={"place": 3, "phase": "select", "won": None}) == []
        assert self.check(apply=["field 3"], expect={"place": 2}) == ["1: case: place: expected 2, got 3"]
        assert self.check(apply=["field 3"], expect={"nothing": 2}) == ["1: case: nothing: expected 2, got null"]

    def test_expect_tells_true_from_one(self):
        assert self.check(expect={"round": 1}) == []
        assert self.check(expect={"round": True}) == ["1: case: round: expected true, got 1"]

    def test_error(self):
        assert self.check(apply=["field 4"], error=True) == []
        assert self.check(apply=["field 3"], error=True) == ["1: case: error: expected a refusal, got none"]
        assert self.check(apply=["field 4"], expect={}) == [
            "1: case: refused: action: 'field 4' is not legal; legal: " + ", ".join(self.LEGAL)
        ]

    def test_refused_position_is_an_error(self):
        assert self.check(position={**self.POSITION, "parent": 7}, error=True) == []

    def test_comparison(self):
        case = {"game": "naga", "place": 1, "left": ["f2", "w2", "d2", "l7"], "right": ["w6", "t6", "e6", "l7"]}
        assert problems([{**case, "winner": 0}]) == []
        assert problems([{**case, "winner": "tie"}]) == ['1: case: winner: expected "tie", got 0']

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ({"game": "naga", "position": {}, "legall": []}, "legall: no such key"),
            ({"game": "naga", "position": {}}, "checks nothing"),
            ({"game": "nagra", "legal": []}, 'did you mean "naga"'),
            ({"game": "naga", "position": {}, "expect": "draw"}, "expect: keys of a position with their values are needed"),
            ({"game": "naga", "position": {}, "expect": [1], "legal": []}, "expect: keys of a position"),
            ({"position": {}}, "neither a case"),
            ({"trace": 2, "game": "naga"}, "trace: "),
            ({"trace": 1, "game": "naga", "seats": 5}, "seats: "),
            ({"trace": 1, "game": "naga", "options": {"majorty": "5"}}, "options.majorty"),
            ({"game": "naga", "place": 1, "left": ["d1"], "right": [], "winner": 0}, "left: 4 items"),
            ({"game": "naga", "place": 1, "left": ["d1", "d1", "d2", "d3"], "right": [], "winner": 0}, "twice"),
        ],
    )
    def test_what_is_no_case(self, document, message):
        with pytest.raises(ArenaError, match=r"^f:1: .*" + message):
            problems([document])

    @pytest.mark.parametrize("line", ["{", "nonsense", "[1]", "3", "[" * 100_000])
    def test_what_is_not_json(self, line):
        with pytest.raises(ArenaError, match=r"^f:2: "):
            list(traces.verify(["", line], "f"))


class TestCommands:
    def test_trace_then_verify(self, tmp_path, capsys):
        assert main(["trace", "naga", "--seed", "5", "--matches", "3", "--option", "series=games:2"]) == 0
        printed = capsys.readouterr().out
        headers = [json.loads(line) for line in printed.splitlines() if line.startswith('{"trace"')]
        assert [header["seed"] for header in headers] == [5, 6, 7]
        file = tmp_path / "trace.jsonl"
        file.write_text(printed, "utf-8")
        assert main(["verify", str(file)]) == 0
        assert capsys.readouterr().out == "3 passed, 0 failed\n"

    def test_verify_vectors_of_all_rooms(self, capsys):
        assert main(["verify", *(str(load(game).folder / "vectors.jsonl") for game in GAMES)]) == 0
        assert capsys.readouterr().out.endswith(" passed, 0 failed\n")

    def test_verify_says_what_failed(self, tmp_path, capsys):
        file = tmp_path / "cases.jsonl"
        case = {
            "game": "naga",
            "name": "n",
            "place": 1,
            "left": ["d1", "d2", "d3", "d4"],
            "right": ["f1", "f2", "f3", "f4"],
        }
        file.write_text("\n".join(json.dumps({**case, "winner": winner}) for winner in (0, 1)), "utf-8")
        assert main(["verify", str(file)]) == 1
        assert capsys.readouterr().out == f"{file}:2: n: winner: expected 1, got 0\n1 passed, 1 failed\n"

    def test_user_mistakes(self, tmp_path, capsys):
        file = tmp_path / "broken.jsonl"
        file.write_text("\n{}}\n", "utf-8")
        for words, message in [
            (["verify", str(file)], f"{file}:2: not JSON"),
            (["verify", str(tmp_path / "none")], "none: cannot be read"),
            (["trace", "nagaa"], 'did you mean "naga"'),
            (["trace", "naga", "--seats", "3"], "seats: naga is played by 2 seats"),
            (["trace", "naga", "--option", "majority"], "KEY=VALUE"),
            (["trace", "naga", "--option", "majority=6"], "options.majority"),
            (["trace", "naga", "--seed", "-1"], "seed: "),
        ]:
            assert main(words) == 2
            assert message in capsys.readouterr().err

    def test_closed_pipe_is_no_error(self):
        command = [sys.executable, "-m", "arena", "trace", "naga", "--matches", "1000000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout.readline().startswith(b'{"trace":1')
            process.stdout.close()
            assert process.stderr.read() == b""
            process.wait()  # the shell ignores the code of a command whose reader has left

    def test_option_words(self):
        words = ["a=true", "b=5", "c=first_to:3", "d=[[1, 2]]", "e=1.5", "f=", "g=x=y"]
        assert parse_options(words) == {
            "a": True,
            "b": 5,
            "c": "first_to:3",
            "d": [[1, 2]],
            "e": "1.5",
            "f": "",
            "g": "x=y",
        }
        with pytest.raises(ConfigError, match="given twice"):
            parse_options(["a=1", "a=2"])
