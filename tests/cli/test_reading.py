"""`arena docs` and `arena rules`: listed, printed whole into a pipe, paged on a terminal, and opened in a browser."""

import webbrowser
from pathlib import Path

import pytest

from arena.cli.main import main
from arena.games import names
from arena.reports.manual import docs_names


def test_all_pages_and_games_are_listed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (60, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words, known in ((["docs"], set(docs_names()) - {"README"}), (["rules"], set(names()))):
            assert main(words) == 0
            text = capsys.readouterr().out
            assert known <= {line.split()[0] for line in text.splitlines() if line}
            assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["docs", "contest"], "A contest for a class"),
        (["docs", "contest.md"], "A contest for a class"),
        (["docs", "README"], "Documentation"),
        (["rules", "naga"], "Naga (ナーガ)"),
        (["rules", "naga", "--encoding"], "The encoding of naga"),
    ],
)
def test_a_page_is_printed_into_a_pipe_as_plain_text(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith(text) and "\x1b" not in out and max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("starts", [True, False])
def test_a_page_is_opened_in_the_browser(
    starts: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or starts)
    pages = (
        (["docs"], "index"),
        (["docs", "views"], "views"),
        (["rules", "naga", "--encoding"], "encoding-naga"),
        (["rules", "naga"], "rules-naga"),
    )
    for words, name in pages if starts else pages[-1:]:
        assert main([*words, "--browser"]) == 0
        captured = capsys.readouterr()
        file = Path(captured.out.strip())
        assert file.name == f"{name}.html" and file.is_file() and opened.pop() == file.as_uri()
        assert ("no browser could be started" in captured.err) == (not starts)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["docs", "vews"], 'arena: no page "vews"; there are: commands, '),
        (["docs", "../views"], 'arena: no page "../views"; there are: commands, '),
        (["rules", "nega"], 'no game "nega"; did you mean "naga"?'),
        (["rules", "--browser"], "arena: --browser: name a game"),
        (["rules", "--encoding"], "arena: --encoding: name a game"),
    ],
)
def test_what_does_not_exist_is_answered_with_what_does(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.out == ""
