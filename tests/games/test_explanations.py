"""What every game tells people at its table: cards that lie there, rules that exist, sentences with their values."""

import re
from collections import Counter

import pytest

from arena.games import load, names
from arena.reports.pages.words import catalogue
from arena.reports.round_result import said
from arena.reports.table import LANGUAGES
from arena.server.table_process.broadcaster import explanations_of, known_cards, prospects, refusals, task
from helpers.table_cards import ZONES
from helpers.views import views

GAMES = [game for game in names() if explanations_of(game)]
MATCHES = 12


@pytest.mark.parametrize("game", GAMES)
def test_a_refusal_names_a_card_of_the_table_a_rule_and_a_sentence(game: str) -> None:
    loaded, told = load(game), 0
    headings = [
        set(re.findall(r"^#+ (\d+\.\d+)\b", (loaded.folder / name).read_text("utf-8"), re.MULTILINE))
        for name in ("RULES.md", "RULES.ja.md")
    ]
    for table, view in views(loaded, MATCHES):
        found, zones = refusals(view), ZONES[game](view.position)
        told += len(found)
        addresses = Counter((refusal.zone, refusal.card, refusal.to) for refusal in found)
        assert not addresses or max(addresses.values()) == 1, f"{addresses.most_common(1)}: {table}"
        for refusal in found:
            assert refusal.card in zones[refusal.zone], f"{refusal}: {table}"
            assert all(refusal.rule in numbers for numbers in headings), f"no section {refusal.rule}: {refusal}"
            for language in LANGUAGES:
                wanted = set(re.findall(r"\{(\w+)\}", catalogue(game)[language][refusal.why]))
                assert wanted <= set(refusal.values), f"{refusal} does not fill {wanted}"
    assert told


@pytest.mark.parametrize("game", GAMES)
def test_what_is_known_has_headings_and_counts(game: str) -> None:
    for table, view in views(load(game), MATCHES):
        for group in known_cards(view):
            assert group.title.startswith("known_")
            for language in LANGUAGES:
                assert ("{name}" in catalogue(game)[language][group.title]) == (group.seat is not None), f"{group}: {table}"
            assert group.cards and all(count > 0 and card != "?" for card, count in group.cards), f"{group}: {table}"


@pytest.mark.parametrize("game", GAMES)
def test_a_task_and_what_actions_would_lead_to_are_sentences_in_both_languages(game: str) -> None:
    for table, view in views(load(game), MATCHES // 3):
        expected, found = task(view), prospects(view)
        assert expected is not None and expected.key.startswith("task_") and set(found) <= set(view.legal), f"{table}"
        for fact in (expected, *found.values()):
            for language in LANGUAGES:
                assert fact.key in catalogue(game)[language]
                assert not re.search(r"\{\w+\}", said(fact, game, ["Ann"] * 12, language)), f"{fact}: {table}"
