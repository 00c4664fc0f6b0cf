"""Tables as options: rows by value, read from a file once; every mistake names the file and the line, or the row."""

import json
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.engine.options import Column, DataTable, RowError, row_name
from arena.errors import ConfigError
from arena.games import load
from arena.match.single_match import agree
from arena.tournament.config import check_config, read_config
from arena.tournament.formats.plan import Contestant, Plan
from arena.tournament.run import run_tournament
from arena.tournament.session import Observer, Settings
from helpers.configs import GOOD, message
from helpers.paths import TEST_BOTS

TABLE = DataTable("deck", [["Ant", 1, -2]], (Column("legs", 0, 8), Column("worth", -5, 5)), 3, "animals")
HISATSU = load("hisatsu")
ROWS = [["Ant", 0, 3, 1], ["Bee", 1, 5, 2], ["Cat", 0, 7, 3], ["Dog", 0, 9, 4]]
FILE = "name,bang,hp,points\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)


def written(folder: Path, text: str, name: str = "mine.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


class TestRows:
    @pytest.mark.parametrize(
        "rows",
        [
            [],
            [["Ant", 8, -5]],
            [["a" * 24, 0, 0], ["\N{SNOWMAN}" * 8, 1, 5]],
            [["a", 0, 0], ['b, "c"', 0, 0], ["\N{HIRAGANA LETTER A}", 0, 0]],
        ],
    )
    def test_rows_become_whole_numbers_and_back(self, rows):
        codes = TABLE.encode(rows)
        assert len(codes) == TABLE.width == 1 + 3 * 5
        assert all(-(2**63) <= code < 2**63 for code in codes)
        assert TABLE.decode(codes) == rows

    @pytest.mark.parametrize(
        ("rows", "row", "problem"),
        [
            ([["Ant", 0, 0], 7], 1, "[name, legs, worth] is needed, not 7"),
            ([["Ant", 0]], 0, "[name, legs, worth] is needed, not ['Ant', 0]"),
            ([["Ant", 0, 0, 0]], 0, "[name, legs, worth] is needed"),
            ([["Ant", 9, 0]], 0, "legs: a whole number from 0 to 8 is needed, not 9"),
            ([["Ant", 0, -6]], 0, "worth: a whole number from -5 to 5 is needed, not -6"),
            ([["Ant", True, 0]], 0, "legs: a whole number"),
            ([["Ant", 1.0, 0]], 0, "legs: a whole number"),
            ([["Ant", "1", 0]], 0, "legs: a whole number"),
            ([["Ant", 0, 0], ["Ant", 1, 1]], 1, 'name: "Ant" is the name of an earlier row too'),
            ([["a" * 25, 0, 0]], 0, "name: at most 24 bytes of UTF-8"),
            *([[[name, 0, 0]], 0, "name: a printable text"] for name in ("", " Ant", "A\nB", "\0", "?", None, 3)),
            ([["Ant", 0, 0], ["Bee", 0, 0], ["Cat", 0, 0], ["Dog", 0, 0]], 3, "at most 3 rows are possible, not 4"),
        ],
    )
    def test_refused_row(self, rows, row, problem):
        with pytest.raises(RowError) as raised:
            TABLE.encode(rows)
        assert raised.value.row == row
        assert raised.value.problem.startswith(problem)
        assert str(raised.value).startswith(f"row {row + 1}: ")

    @pytest.mark.parametrize("value", [None, "mine.csv", 3, True, {"Ant": [0, 0]}])
    def test_no_rows_at_all(self, value):
        with pytest.raises(ValueError, match="a list of rows"):
            TABLE.encode(value)

    def test_name_of_words(self):
        assert row_name(TABLE.encode([["Ant", 1, 2]])[3:6]) == "Ant"


class TestFile:
    def test_read(self, tmp_path):
        path = written(tmp_path, '\ufeffname, legs, worth\r\n"Ant, red",6, -2\r\n\r\n B ,0,1\r\n')
        assert TABLE.read(path) == ([["Ant, red", 6, -2], ["B", 0, 1]], 4)

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", ":1: the file is empty; its first line must be name,legs,worth"),
            ("Ant,1,2\n", ":1: the first line must be name,legs,worth"),
            ("name,legs,worth\nAnt,1,2\n\nBee,-1,2\n", ":4: legs: a whole number from 0 to 8 is needed, not -1"),
            ("name,legs,worth\nAnt,1,2\nAnt,2,2\n", ':3: name: "Ant" is the name of an earlier row too'),
            ("name,legs,worth\nAnt,1\n", ":2: 3 fields are needed, not 2"),
            ("name,legs,worth\nAnt,one,2\n", ":2: legs: a whole number from 0 to 8 is needed, not 'one'"),
            ("name,legs,worth\nAnt,1_0,2\n", ":2: legs: a whole number"),
            ("name,legs,worth\nAnt,,2\n", ":2: legs: a whole number"),
            ("name,legs,worth\n,1,2\n", ":2: name: a printable text"),
            ('name,legs,worth\n"Ant"x,1,2\n', ":2: not CSV"),
            ("name,legs,worth\na,1,1\nb,1,1\nc,1,1\nd,1,1\n", ":5: at most 3 rows are possible, not 4"),
        ],
    )
    def test_mistake_names_file_and_line(self, tmp_path, text, problem):
        path = written(tmp_path, text)
        with pytest.raises(ConfigError) as raised:
            TABLE.read(path)
        assert str(raised.value).startswith(f"{path}{problem}")

    def test_no_text(self, tmp_path):
        (tmp_path / "x.csv").write_bytes(b"\xff\xfa")
        with pytest.raises(ConfigError, match=r"x\.csv: cannot be read: not a UTF-8 text file"):
            TABLE.read(tmp_path / "x.csv")
        with pytest.raises(ConfigError, match="cannot be read"):
            TABLE.read(tmp_path)


def config(deck, seats=3):
    bots = [{"path": str(TEST_BOTS / "counting_bot.py"), "name": name, "trusted": True} for name in "abcde"[:seats]]
    return {**GOOD, "games": [{"game": "hisatsu", "seats": seats, "options": {"deck": deck}}], "bots": bots}


class TestConfig:
    def test_file_is_read_where_the_config_is(self, tmp_path):
        written(tmp_path, FILE)
        (entry,) = check_config(config("mine.csv"), tmp_path).entries
        assert entry.options == {"pass_discard": "face_up", "tiebreak": "none", "deck": ROWS}

    def test_rows_in_the_config_are_the_same_tournament(self, tmp_path):
        """The value is what counts, not where it was read: plan, deals and match ids are equal."""
        written(tmp_path, FILE)
        entries = [check_config(config(deck), tmp_path).entries for deck in ("mine.csv", ROWS)]
        assert entries[0] == entries[1]

    def test_another_table_is_another_plan(self, tmp_path):
        def plan(deck):
            tournament = check_config(config(deck), tmp_path)
            contestants = tuple(Contestant(name=bot.name, sha256="0", games=("hisatsu",)) for bot in tournament.bots)
            return Plan(
                entries=tournament.entries, contestants=contestants, rotations="cyclic", clock=tournament.clock,
                limits=tournament.limits, faults=tournament.faults, key=b"k", seed=1,
            )  # fmt: skip

        written(tmp_path, FILE)
        mine, other = plan("mine.csv"), plan([*ROWS[:3], ["Dog", 0, 9, 5]])
        assert mine.sha256 != other.sha256
        assert mine.setup(0).match_id != other.setup(0).match_id
        assert mine.setup(0).deal_seed != other.setup(0).deal_seed
        assert json.loads(json.dumps(mine.document))["entries"][0]["options"]["deck"] == ROWS

    @pytest.mark.parametrize(
        ("text", "seats", "problem"),
        [
            (FILE.replace("5,2", "-5,2"), 3, "mine.csv:3: hp: a whole number from 1 to 999 is needed, not -5"),
            (FILE.replace("Cat", "Ant"), 3, 'mine.csv:4: name: "Ant" is the name of an earlier row too'),
            (FILE.replace("Dog,0,9,4\n", ""), 5, "mine.csv:4: 3 requests are too few for 5 seats, at least 4 are needed"),
        ],
    )
    def test_mistake_names_key_file_and_line(self, tmp_path, text, seats, problem):
        path = written(tmp_path, text)
        assert message(config("mine.csv", seats), tmp_path) == f"games[0].options.deck: {path.parent}/{problem}"

    def test_missing_file_names_both_places(self, tmp_path):
        problem = message(config("none.csv"), tmp_path)
        assert problem.startswith(f"games[0].options.deck: no such file: neither {tmp_path / 'none.csv'} nor ")

    def test_the_default_table_is_no_other_entry(self):
        entries = [
            {"game": "hisatsu", "seats": 3},
            {"game": "hisatsu", "seats": 3, "options": {"deck": HISATSU.options[2].default}},
        ]
        assert "games[1]: the same game, seats and options as games[0]" in message({**config("x"), "games": entries})

    def test_exit_code_of_a_bad_table(self, tmp_path, capsys):
        path = written(tmp_path, FILE.replace("5,2", "-5,2"))
        assert main(["trace", "hisatsu", "--option", f"deck={path}"]) == 2
        assert f"arena: options.deck: {path}:3: hp: a whole number" in capsys.readouterr().err

    def test_warning_of_a_deck_that_could_run_out(self, tmp_path, capsys):
        path = written(tmp_path, FILE)
        assert main(["trace", "hisatsu", "--option", f"deck={path}"]) == 0
        printed = capsys.readouterr()
        assert printed.err.startswith("warning: options.deck: 4 requests could run out with 3 seats")
        assert json.loads(printed.out.splitlines()[0])["options"]["deck"] == ROWS

    def test_trace_with_a_table_verifies_without_its_file(self, tmp_path, capsys):
        path = written(tmp_path, FILE)
        assert main(["trace", "hisatsu", "--seats", "4", "--option", f"deck={path}"]) == 0
        path.unlink()
        trace = written(tmp_path, capsys.readouterr().out, "trace.jsonl")
        assert main(["verify", str(trace)]) == 0
        other = trace.read_text().replace(
            '"options":{"pass_discard":"face_up","tiebreak":"none","deck":[["Ant",0,3', '"options":{"deck":[["Ant",0,4'
        )
        assert main(["verify", str(written(tmp_path, other, "other.jsonl"))]) == 1

    def test_a_single_match_may_name_a_file(self, tmp_path, monkeypatch):
        written(tmp_path, FILE)
        monkeypatch.chdir(tmp_path)
        assert agree("hisatsu", ["a", "b", "c"], seed=1, options={"deck": "mine.csv"}).options["deck"] == ROWS


class TestTournament:
    """From the file to the stored rows and back: nobody needs the file again."""

    def test_stored_rows_replay_without_the_file(self, tmp_path, capsys):
        path = written(tmp_path, FILE)
        said: list[str] = []

        class Listener(Observer):
            def say(self, text: str) -> None:
                said.append(text)

        document = {**config("mine.csv"), "deals": 1, "seed": 7}
        written(tmp_path, json.dumps(document), "own.yaml")
        settings = Settings(out=tmp_path, backend="local", workers=1)
        results = run_tournament(read_config(tmp_path / "own.yaml"), settings, Listener())
        path.unlink()
        assert any(line.startswith("warning: games[0].options.deck: 4 requests could run out") for line in said)
        records = list(results.records())
        assert [json.loads(record.options)["deck"] for record in records] == [ROWS] * 3
        assert main(["replay", records[0].match_id, "--out", str(tmp_path), "--trace"]) == 0
        trace = written(tmp_path, capsys.readouterr().out, "replay.jsonl")
        assert '"name":"Ant"' in trace.read_text()
        assert main(["verify", str(trace)]) == 0
