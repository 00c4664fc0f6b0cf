"""What an agent is told about its match, in words: made of what its seat was told (told.py), in English or Japanese.

Seats are called by their numbers, never "your opponent", and names stand nowhere but in the list of who sits where.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.engine.outcomes import RoundResult
from arena.errors import one_line, printable
from arena.llm.answer import is_card, normalised
from arena.mcp.answers import Refused
from arena.mcp.told import Entry, Told
from arena.reports.round_result import round_lines, said
from arena.reports.table import LANGUAGES
from arena.server.table_process.in_words import known_group, plain, reason
from arena.server.table_process.messages import Ask, Hint, Refusal

PARTS = ("view", "position", "legal", "history", "known", "why")
"""What `state` shows of a match."""
MOST_LEGAL = 400
"""The most legal actions that are listed."""

WORDS = {
    "en": {
        "seat": "seat {seat}", "you": "You are seat {seat} of {seats}.", "since": "Since your last decision:",
        "begin": "The match begins. Until your first decision:", "nothing": "  nothing", "table": "The table, as you see it:",
        "task": "Your decision (number {decision}):", "choose": "choose an action",
        "answer": 'Answer with act(match="{match}", decision={decision}, action=...): an action in the notation of the rules.',
        "waiting": "The others have not chosen yet. Call state(match=\"{match}\"): it waits for them.",
        "late": "Not played, it came too late: {action}",
        "over": "The match is over.", "place": "place {place}: seat {seat}, score {score:g}",
        "illegal": "Not played, nothing has changed: {action} is not legal now.",
        "ambiguous": "Not played, nothing has changed: {action} may mean several legal actions. Choose one:",
        "legal": "Legal now ({count}):", "more": "... and {count} more", "rule": "rules {rule}",
        "no_reason": "no single rule explains it; see the legal actions",
        "section": "  see section {rule} of the rules",
        "empty": "Nothing beyond what the table shows.", "no_why": "No card here needs a reason.",
        "hint": "A search with what you know plays {best} ({simulations:,} matches imagined):",
        "only": "There is nothing else to play: {best}", "value": "{action}: value {value:.2f}, tried {visits:,} times",
        "untried": "{action}: never tried",
    },
    "ja": {
        "seat": "席{seat}", "you": "あなたは{seats}席中の席{seat}です。", "since": "あなたの前回の選択以降：",
        "begin": "対戦開始。最初の選択まで：", "nothing": "  何もありません", "table": "あなたから見た場：",
        "task": "あなたの選択（番号{decision}）：", "choose": "行動を選んでください",
        "answer": 'act(match="{match}", decision={decision}, action=...) で答えてください。行動はルールの記法で書きます。',
        "waiting": "ほかの席がまだ選んでいません。state(match=\"{match}\") を呼ぶと待ちます。",
        "late": "間に合わず、行われていません：{action}",
        "over": "対戦は終わりました。", "place": "{place}位：席{seat}、得点{score:g}",
        "illegal": "行われていません。何も変わっていません：{action} は今はできません。",
        "ambiguous": "行われていません。何も変わっていません：{action} はいくつかの行動に読めます。一つを選んでください：",
        "legal": "今できること（{count}）：", "more": "…ほか{count}", "rule": "ルール{rule}",
        "section": "  ルール{rule}を見てください", "no_reason": "一つのルールでは説明できません。できる行動を見てください",
        "empty": "場に見えているもののほかにはありません。", "no_why": "説明の要るカードはありません。",
        "hint": "あなたの知っていることによる探索は {best} を選びます（想定した対戦 {simulations:,}）：",
        "only": "ほかにできることはありません：{best}", "value": "{action}：評価{value:.2f}、{visits:,}回",
        "untried": "{action}：試していません",
    },
}  # fmt: skip
"""The sentences of this module by language and key."""


@dataclass(frozen=True)
class Teller:
    """Tells one seat of a match about it."""

    game: str
    seats: int
    seat: int
    match: str
    """The handle of the match."""
    language: str = LANGUAGES[0]

    def view(self, told: Told) -> str:
        """The match as it stands: what happened since the seat's own last decision, the table, and what to do now."""
        lines = [self.word("you", seat=self.seat, seats=self.seats)]
        happened = self.happened(told.since())
        lines += [self.word("since" if told.has_acted else "begin"), *(happened or [self.word("nothing")])]
        if told.over is not None:
            return "\n".join([*lines, self.word("over"), *self.places(told)])
        if told.frame is not None:
            lines += [self.word("table"), told.frame.text]
        if told.refused is not None:
            lines.append(self.word("late", action=told.refused.action))
        if not told.is_open or told.asked is None:
            return "\n".join([*lines, self.word("waiting", match=self.match)])
        asked = told.asked
        task = self.word("choose") if asked.task is None else self._said(asked.task)
        lines.append(f"{self.word('task', decision=asked.decision)} {task}")
        lines.append(self.word("answer", match=self.match, decision=asked.decision))
        return "\n".join(lines)

    def part(self, told: Told, part: str) -> str:
        """One of PARTS. Raises Refused for a part that there is not now."""
        if part == "view":
            return self.view(told)
        if part == "history":
            return "\n".join(self.happened(told.log)) or self.word("nothing")
        if part == "position":
            position = None if told.frame is None else told.frame.position
            return json.dumps(position, ensure_ascii=False, separators=(",", ":"))
        if told.asked is None or not told.is_open:
            raise Refused(f"part: {part} is about a decision, and none is open now; take view, position or history")
        if part == "legal":
            return "\n".join(self.legal(told.asked))
        if part == "known":
            groups = [known_group(one, self.game, self.names, self.language) for one in told.asked.known]
            return "\n".join(groups) or self.word("empty")
        return "\n".join(map(self._reason, told.asked.refusals)) or self.word("no_why")

    def illegal(self, asked: Ask, action: str, meant: Sequence[str] = ()) -> str:
        """Why an action is not played, with the section of the rules where the game knows it, and what would be legal.

        `meant`: several legal actions that it may mean; none for an illegal one.
        """
        shown = json.dumps(one_line(printable(action, 200)), ensure_ascii=False)
        if meant:
            return "\n".join([self.word("ambiguous", action=shown), *(f"  {one}" for one in meant)])
        cards = {word for word in normalised(action).split(" ") if is_card(word)}
        reasons = [self._reason(one) for one in asked.refusals if normalised(plain(one.card)) in cards]
        if not reasons:
            sections = {one.rule for one in asked.refusals}
            reasons = [self.word("section", rule=sections.pop()) if len(sections) == 1 else self.word("no_reason")]
        return "\n".join([self.word("illegal", action=shown), *reasons, *self.legal(asked)])

    def legal(self, asked: Ask) -> list[str]:
        """The legal actions, a line each, with what some would surely lead to."""
        shown = asked.legal[:MOST_LEGAL]
        lines = [self.word("legal", count=len(asked.legal))]
        for action in shown:
            prospect = asked.prospects.get(action)
            lines.append(f"  {action}" if prospect is None else f"  {action}  ({self._said(prospect)})")
        more = len(asked.legal) - len(shown)
        return [*lines, self.word("more", count=more)] if more else lines

    def hint(self, found: Hint) -> str:
        """What a search would play, and what it thinks of the other choices."""
        if len(found.choices) == 1:
            return self.word("only", best=found.best)
        lines = [self.word("hint", best=found.best, simulations=found.simulations)]
        for one in found.choices:
            key = "untried" if one.value is None else "value"
            lines.append("  " + self.word(key, action=one.action, value=one.value or 0.0, visits=one.visits))
        return "\n".join(lines)

    def happened(self, entries: Iterable[Entry]) -> list[str]:
        """What happened, a line for each action and each thing that it led to; the end of a round in some."""
        return [f"  {line}" for entry in entries for line in self._entry(entry)]

    def places(self, told: Told) -> list[str]:
        """The result of the match, best place first."""
        if told.over is None:
            return []
        rows = sorted(zip(told.over.places, range(self.seats), told.over.scores))
        return [self.word("place", place=place, seat=seat, score=score) for place, seat, score in rows]

    def word(self, key: str, **values: Any) -> str:
        """A sentence of this module in the language of the match."""
        return WORDS[self.language][key].format(**values)

    @property
    def names(self) -> Sequence[str]:
        """What the seats are called in sentences."""
        return [self.word("seat", seat=seat) for seat in range(self.seats)]

    def _entry(self, entry: Entry) -> Iterator[str]:
        if isinstance(entry, RoundResult):
            yield from round_lines(entry, self.game, self.names, self.language)
        elif entry.fact is not None:
            yield f"-> {self._said(entry.fact)}"
        elif entry.seat is not None:
            yield f"{self.names[entry.seat]}: {entry.text}"

    def _said(self, fact: Any) -> str:
        return said(fact, self.game, self.names, self.language)

    def _reason(self, one: Refusal) -> str:
        return f"  {plain(one.card)}: {reason(one, self.game, self.language)} ({self.word('rule', rule=one.rule)})"
