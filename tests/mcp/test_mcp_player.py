"""A player by tools: from the rules to the replay, in each game, against the referee of the hall."""

import re
from pathlib import Path

import pytest

from arena.audit.capsule import setup_of
from arena.audit.match_audit import match_problems
from arena.games import load, names
from arena.match.single_match import UNHURRIED
from arena.mcp.answers import MOST_BYTES, Refused, bounded, page_of
from arena.mcp.foreign import CLOSE, OPEN
from arena.results.people import AGENTS, EPISODES, find_people_match
from arena.server.people.store import records
from helpers.agents import begun, client_of, in_threads, legal, played, refused, run, said
from helpers.scripted_tables import OPTIONS

SHORT = OPTIONS | {"nertz": {"max_rounds": 1, "tick_limit": 12}}


def test_the_list_of_tools_says_what_each_takes(tmp_path: Path) -> None:
    async def look() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            tools = (await client.list_tools()).tools
            assert [one.name for one in tools] == [
                "games", "rules", "new_match", "act", "state", "hint", "result", "replay", "leave", "boards", "why",
            ]  # fmt: skip
            for one in tools:
                assert one.description and one.input_schema["type"] == "object" and not one.input_schema["additionalProperties"]
            act = next(one for one in tools if one.name == "act")
            assert act.input_schema["required"] == ["match", "action"] and act.annotations.read_only_hint is False

    run(look)


def test_all_games_are_told_with_their_options_and_rules_by_section_in_both_languages(tmp_path: Path) -> None:
    async def look() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            text = await said(client, "games")
            assert all(f"{name} (" in text for name in names()) and "series='first_to:1'" in text
            assert (await said(client, "rules", game="naga")).startswith("# ")
            section = await said(client, "rules", game="naga", section="2.2")
            assert section.startswith("## 2.2 ") and "## 2.3" not in section
            japanese = await said(client, "rules", game="naga", section="2.2", language="ja")
            assert japanese.startswith("## 2.2") and not japanese.isascii()
            assert "there are: 2.1, 2.2" in await refused(client, "rules", game="naga", section="9")
            assert "2.2 Course of a game" in await said(client, "rules", game="naga", section="contents")
            assert "`select C C C`" in await said(client, "rules", game="naga", section="notation")
            assert await refused(client, "rules", game="nagaa") == 'game: no game "nagaa"; did you mean "naga"?'

    run(look)


@pytest.mark.parametrize("game", names())
def test_each_game_is_played_to_its_end_and_kept_as_a_match_that_the_audit_accepts(game: str, tmp_path: Path) -> None:
    async def play() -> list[str]:
        async with client_of(in_threads(tmp_path)) as client:
            match, first = await begun(client, game=game, seed=5, options=SHORT.get(game, {}), opponents=["beginner"])
            assert "Your decision (number " in first and f'act(match="{match}"' in first
            answers = await played(client, match)
            result = await said(client, "result", match=match)
            assert re.search(r"place 1: seat \d", result) and "rating" not in result
            assert "no decision is open" in await refused(client, "act", match=match, action="pass")
            return [result, *answers]

    result, *answers = run(play)
    found = find_people_match(tmp_path, result.rpartition(" ")[2])
    assert found is not None and "The match is over." in answers[-1]
    record, key = found
    assert record.pool == f"{EPISODES}/{game}" and record.seats[0].isolation == "remote"
    assert match_problems(load(game), setup_of(record, key, UNHURRIED), record) == []


def test_the_same_seed_opponents_and_actions_are_the_same_match(tmp_path: Path) -> None:
    async def play() -> list[str]:
        async with client_of(in_threads(tmp_path)) as client:
            match, first = await begun(client, game="yaniv", seed=11, options={"limit": 20}, opponents=["strong"])
            answers = [first, *await played(client, match, max), await said(client, "result", match=match)]
            return [one.replace(match, "HANDLE") for one in answers]

    assert run(play) == run(play)
    assert len(list(records(tmp_path))) == 1  # the same match, and stored once

    async def play_otherwise() -> str:
        async with client_of(in_threads(tmp_path)) as client:
            match, _ = await begun(client, game="yaniv", seed=11, options={"limit": 20}, opponents=["strong"])
            await played(client, match, min)
            return await said(client, "result", match=match)

    assert run(play_otherwise) != run(play)[-1] and len(list(records(tmp_path))) == 2


def test_an_illegal_action_changes_nothing_and_says_why_and_what_is_legal(tmp_path: Path) -> None:
    parts = ("view", "position", "legal", "history", "known", "why")

    async def play() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            match, _ = await begun(client, game="yaniv", seed=3)
            await said(client, "act", match=match, action=(await legal(client, match))[0])
            before = [await said(client, "state", match=match, part=part) for part in parts]
            actions = await legal(client, match)
            text = await refused(client, "act", match=match, action="discard H6")
            assert text.startswith('Not played, nothing has changed: "discard H6" is not legal now.')
            assert "H6: You have laid your cards: now draw one card. (rules 5.2)" in text and "D8:" not in text
            assert all(f"\n  {action}" in text for action in actions)
            assert [await said(client, "state", match=match, part=part) for part in parts] == before
            assert "decision: 99 is not open" in await refused(client, "act", match=match, action=actions[0], decision=99)
            match, _ = await begun(client, game="nanatoridori", seed=3)
            assert "see section 1.2 of the rules" in await refused(client, "act", match=match, action="play 0 9")

    run(play)


def test_a_call_that_is_sent_twice_plays_once(tmp_path: Path) -> None:
    async def play() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            match, first = await begun(client, game="yaniv", seed=3)
            number = int(re.search(r"number (\d+)", first)[1])  # type: ignore[index]
            action = (await legal(client, match))[0]
            await said(client, "act", match=match, action=action, decision=number)
            assert f"decision: {number} is not open" in await refused(
                client, "act", match=match, action=action, decision=number
            )

    run(play)


def test_a_hint_is_of_the_seats_own_view_and_refused_in_rated_matches(tmp_path: Path) -> None:
    async def play() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            match, _ = await begun(client, game="naga", seed=3)
            hint = await said(client, "hint", match=match)
            assert hint == await said(client, "hint", match=match)
            best = re.search(r"plays (.+) \(", hint)[1]  # type: ignore[index]
            assert best in await legal(client, match)
            rated, _ = await begun(client, game="naga", rated=True)
            assert "no hints in a rated match" in await refused(client, "hint", match=rated)

    run(play)


def test_a_rated_match_counts_for_the_agent_and_for_no_person(tmp_path: Path) -> None:
    async def play() -> str:
        async with client_of(in_threads(tmp_path, "bot of mine")) as client:
            match, text = await begun(client, game="naga", rated=True, opponents=["beginner"])
            assert "(rated)" in text and "0 bot of mine (you)" in text
            await played(client, match)
            return await said(client, "result", match=match)

    assert "rating of bot of mine: " in run(play)
    (record,) = records(tmp_path)
    assert record.pool == f"{AGENTS}/naga"


def test_what_no_rated_match_has_is_refused(tmp_path: Path) -> None:
    async def look() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            assert "seed: a rated match" in await refused(client, "new_match", game="naga", rated=True, seed=1)
            assert "pace: a rated match of nertz is in real time" in await refused(
                client, "new_match", game="nertz", rated=True
            )
            assert "pace: naga is not played in real time" in await refused(client, "new_match", game="naga", pace=250)
            assert "pace: stopped, or one of 150" in await refused(client, "new_match", game="nertz", pace=251)

    run(look)


def test_what_is_wrong_with_an_argument_is_one_line_that_names_it(tmp_path: Path) -> None:
    wrong = [
        ({"game": "naga", "seats": 3}, "seats: naga is played by 2 seats, not 3"),
        ({"game": "naga", "seat": 2}, "seats: naga is played by 2 seats, not 3"),
        ({"game": "naga", "seats": 2, "seat": 2}, "seat: from 0 to 1, not 2"),
        ({"game": "naga", "opponents": ["clubb"]}, "opponents: no 'clubb' plays naga; did you mean \"club\"?"),
        ({"game": "naga", "opponents": ["club", "club", "club"]}, "seats: naga is played by 2 seats, not 4"),
        ({"game": "naga", "options": {"serie": 1}}, 'options.serie: naga has no such option; did you mean "series"?'),
        ({"game": "naga", "seat": "x"}, "seat: Expected `int`, got `str`"),
        ({}, "Object missing required field `game`"),
        ({"game": "naga", "colour": 1}, "Object contains unknown field `colour`"),
    ]

    async def look() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            for arguments, text in wrong:
                assert await refused(client, "new_match", **arguments) == text
            assert "no match 'xyz' here" in await refused(client, "state", match="xyz")

    run(look)


def test_a_match_is_told_in_japanese(tmp_path: Path) -> None:
    async def play() -> str:
        async with client_of(in_threads(tmp_path)) as client:
            match, _ = await begun(client, game="naga", seed=3, language="ja")
            return (await played(client, match))[-1]

    text = run(play)
    assert "あなたは2席中の席0です。" in text and "対戦は終わりました。" in text and "seat 1" not in text


def test_a_replay_is_as_the_seat_saw_it_or_open_and_marked_as_other_peoples_text(tmp_path: Path) -> None:
    async def play() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            match, _ = await begun(client, game="naga", seed=3, opponents=["beginner"])
            assert "not over" in await refused(client, "replay", match=match)
            await played(client, match)
            identity = (await said(client, "result", match=match)).rpartition(" ")[2]
            seen, shown = await said(client, "replay", match=match), await said(client, "replay", match=identity)
            assert seen != shown and all(OPEN in text and text.endswith(CLOSE) for text in (seen, shown))

    run(play)


def test_a_long_text_has_pages_of_whole_lines() -> None:
    text = "\n".join(f"{number} {'x' * 90}" for number in range(1000))
    pages = [page_of(text, number) for number in range(3)]
    assert pages[0].endswith("\n(page 0, from 0 to 2)") and max(len(one) for one in pages) < MOST_BYTES
    assert "\n".join(one.rpartition("\n")[0] for one in pages) == text
    with pytest.raises(Refused, match="page: from 0 to 2, not 3"):
        page_of(text, 3)
    assert page_of("short", 0) == "short" and bounded("y" * 2 * MOST_BYTES).endswith("ask for a part of it")
