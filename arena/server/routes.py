"""What can be asked for: each subject has one view, whose data are the page and the JSON of the address below `/api`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from arena.audit.choices import Choices
from arena.reports.pages.frames import LuckCurve, Opinion
from arena.server.asked import Asked
from arena.server.views.account import AccountQuery, AccountView, Admin, AdminQuery, account, admin
from arena.server.views.ask import AskedMatch, AskPage, AskQuery, NoQuery, ask, asked_match
from arena.server.views.bot import Bot, BotQuery, bot
from arena.server.views.bots import Bots, BotsQuery, bots
from arena.server.views.contest import MarksPage, MarksQuery, marks
from arena.server.views.faults import Faults, FaultsQuery, match_faults
from arena.server.views.home import Home, HomeQuery, home
from arena.server.views.match import (
    ChoicesQuery,
    LuckQuery,
    Match,
    MatchQuery,
    OpinionQuery,
    Trace,
    TraceQuery,
    embedded_luck,
    embedded_match,
    embedded_opinion,
    match,
    match_choices,
    match_luck,
    match_opinion,
    match_trace,
)
from arena.server.views.matches import Matches, MatchesQuery, matches
from arena.server.views.my_play import MyPlay, MyPlayQuery, my_play
from arena.server.views.news import News, NewsQuery, news
from arena.server.views.notes import NotesOfMatch, NotesQuery, OutputOfMatch, match_notes, match_output
from arena.server.views.play import Join, Play, PlayGame, PlayQuery, TableView, join, play, play_game, table
from arena.server.views.remote import RemotePage, RemoteQuery, remote
from arena.server.views.rules import (
    LearnQuery,
    Lessons,
    RulesList,
    RulesQuery,
    RulesText,
    learn,
    rules_guide,
    rules_list,
    rules_text,
)
from arena.server.views.source import Source, SourceQuery, source
from arena.server.views.submissions import Me, MeQuery, SubmissionQuery, WholeSubmission, me, submission
from arena.server.views.tournament import Tournament, TournamentQuery, tournament
from arena.server.views.tv import Tv, TvQuery, tv

View = Callable[[Asked[Any]], msgspec.Struct]
"""Finds the data that an address asks for."""


@dataclass(frozen=True)
class Subject:
    """An address, what it shows, and how."""

    path: str
    """The address of the page; `/api` and the same is its JSON. Named parts are in braces."""
    about: str
    view: View
    query: type[msgspec.Struct]
    """The parameters after the question mark, with their bounds."""
    answer: type[msgspec.Struct]
    template: str | None
    """The template of the page; None: there is JSON only."""


TRACE = Subject(
    "/m/{id}/trace", "A match of people, or of bots that were asked to play, as a trace.", match_trace, TraceQuery, Trace, None
)  # fmt: skip
"""The trace of a match: at its address without `/api` it is a file of JSON Lines, and no page."""
NEWS = Subject(
    "/news", "What has happened, the newest first; also as an Atom feed, `/feed.atom`.", news, NewsQuery, News, None
)  # fmt: skip
SUBJECTS = (
    Subject("/", "All tournaments, those being played first.", home, HomeQuery, Home, "home"),
    NEWS,
    Subject(
        "/t/{name:path}/matches", "Matches of a tournament, the newest first.", matches, MatchesQuery, Matches,
        "matches",
    ),
    Subject(
        "/t/{name:path}", "A tournament with one of its tables; `archive` is the archive.", tournament, TournamentQuery,
        Tournament, "tournament",
    ),
    Subject("/marks", "The marks: who is surely above which reference bot.", marks, MarksQuery, MarksPage, "marks"),
    Subject("/bots", "All bots: searched, filtered, in pages.", bots, BotsQuery, Bots, "bots"),
    Subject(
        "/bots/{name}/source", "The source of a submitted version, for who may see it.", source, SourceQuery, Source, "source"
    ),
    Subject("/bots/{name}", "A bot, and what its rating in a tournament comes from.", bot, BotQuery, Bot, "bot"),
    Subject("/m/{id}/opinion", "What the game's evaluation thinks of a match.", match_opinion, OpinionQuery, Opinion, None),
    Subject("/m/{id}/luck", "What the cards and the players did to a match.", match_luck, LuckQuery, LuckCurve, None),
    Subject(
        "/m/{id}/choices", "What a house bot's search looked at before a decision; the match is played again for it.",
        match_choices, ChoicesQuery, Choices, None,
    ),
    Subject(
        "/m/{id}/notes", "What a bot noted in a match, for its author and organisers; the match is played again for it.",
        match_notes, NotesQuery, NotesOfMatch, None,
    ),
    Subject("/m/{id}/output", "What a bot printed in a match, as its notes.", match_output, NotesQuery, OutputOfMatch, None),
    TRACE,
    Subject("/m/{id}/faults", "What is stored of the faults of a match.", match_faults, FaultsQuery, Faults, None),
    Subject("/m/{id}", "A match, for one pair of eyes.", match, MatchQuery, Match, "match"),
    Subject("/ask", "What can be asked for: a match of any bots, at once.", ask, AskQuery, AskPage, "ask"),
    Subject("/ask/{id}", "A match that was asked for.", asked_match, NoQuery, AskedMatch, "asked"),
    Subject("/account", "The account of whoever asks.", account, AccountQuery, AccountView, "account"),
    Subject("/admin", "Everybody with an account, and what organisers have done.", admin, AdminQuery, Admin, "admin"),
    Subject("/remote", "Bots that play from their authors' machines.", remote, RemoteQuery, RemotePage, "remote"),
    Subject("/tv", "Matches that are worth watching.", tv, TvQuery, Tv, "tv"),
    Subject("/play", "All games, and the tables of the person who asks.", play, PlayQuery, Play, "play"),
    Subject("/play/{game}", "What can be chosen before a game.", play_game, PlayQuery, PlayGame, "play_game"),
    Subject("/tables/{id}", "A live table, for who sits there.", table, PlayQuery, TableView, "table"),
    Subject("/me/play", "What the person who asks has played.", my_play, MyPlayQuery, MyPlay, "my_play"),
    Subject("/me", "The own bots and submissions, and what may still be sent.", me, MeQuery, Me, "me"),
    Subject("/submissions/{id}", "A submission in full.", submission, SubmissionQuery, WholeSubmission, "submission"),
    Subject("/join/{code}", "A table that a link leads to.", join, PlayQuery, Join, "join"),
    Subject("/learn/{game}", "A guided first round of a game.", learn, LearnQuery, Lessons, "learn"),
    Subject("/rules", "All games that have rules to read.", rules_list, RulesQuery, RulesList, "rules_list"),
    Subject("/rules/{game}/full", "The rules of a game in full, in Markdown.", rules_text, RulesQuery, RulesText, "rules"),
    Subject("/rules/{game}", "The rules of a game in short, in Markdown.", rules_guide, RulesQuery, RulesText, "rules"),
)  # fmt: skip
"""All subjects; of two that fit an address the first one answers."""
EMBEDDED = (
    Subject("/embed/m/{id}", "A match for a page elsewhere, without a session.", embedded_match, MatchQuery, Match, "embed"),
    Subject("/embed/m/{id}/opinion", "What the evaluation thinks of it.", embedded_opinion, OpinionQuery, Opinion, None),
    Subject("/embed/m/{id}/luck", "What the cards and the players did to it.", embedded_luck, LuckQuery, LuckCurve, None),
)
"""What any page may frame. Who knows the id of a match may see it: no list of ids is public. The JSON ends in `.json`."""

_WEIGHTS = (
    (re.compile(r"/m/[^/]+/choices"), 30),
    (re.compile(r"/bots/[^/]+/source(\.zip)?"), 15),
    (re.compile(r"/live|/remote/socket|/tables/[^/]+/socket"), 10),  # each may send some frames at once
    (re.compile(r"(/embed)?/m/[^/]+/(opinion|luck|trace|notes|output)(\.json)?"), 5),
    (re.compile(r"(/embed)?/m/[^/]+|/t/.*|/bots(/.*)?|/tv|/marks(\.csv)?|/news|/feed\.atom|/ask|/play/[^/]+"), 3),
)
"""Addresses that cost more than a page of the server, and for how many requests each counts."""


def weight_of(path: str) -> int:
    """For how many requests one at this path counts, with `/api` or without.

    >>> weight_of("/rules/naga"), weight_of("/api/t/cup"), weight_of("/m/ab/choices")
    (1, 3, 30)
    """
    return next((weight for pattern, weight in _WEIGHTS if pattern.fullmatch(path.removeprefix("/api"))), 1)
