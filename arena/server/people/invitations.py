"""Lists of names to invite: a name on each line, comments after `#`. Of a list with mistakes nothing is taken."""

from collections.abc import Iterable

from arena.results.accounts import Accounts, CannotInvite, Invited, is_reserved
from arena.results.people import LONGEST_NAME, BadName, checked_name, folded_name, latin_look
from arena.results.site_file import Account, Role

MOST_NAMES = 1000
"""Names of one list."""
VALUES = {"most": LONGEST_NAME}
"""The values that the sentences about names are filled with."""

BadLine = tuple[int, str, str]
"""A line that is wrong: its number from 1, its text, and the key of a sentence in the pages' words."""


class BadList(Exception):
    """A list with mistakes: all of them."""

    def __init__(self, lines: Iterable[BadLine]) -> None:
        """`lines`: what is wrong."""
        self.lines = sorted(lines)
        super().__init__(f"{len(self.lines)} names cannot be invited")


def invite_listed(accounts: Accounts, who: Account | str, text: str, role: Role) -> list[Invited]:
    """A join link for each name of a list. Raises BadList and StoreError."""
    names, wrong = _listed(text)
    try:
        if not wrong:
            return accounts.invite(who, names.values(), role)
        accounts.check_names(names.values())
    except CannotInvite as error:
        number_of = {name: number for number, name in names.items()}
        wrong += [(number_of[name], name, why) for name, why in error.names]
    raise BadList(wrong)


def _listed(text: str) -> tuple[dict[int, str], list[BadLine]]:
    """The names of a list by the numbers of their lines, and the lines that are wrong."""
    found: dict[int, str] = {}
    wrong: list[BadLine] = []
    looks: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        offered = line.partition("#")[0].strip()
        if not offered:
            continue
        try:
            name = checked_name(offered)
        except BadName as error:
            wrong.append((number, offered[: 2 * LONGEST_NAME], str(error)))
            continue
        if is_reserved(name):
            wrong.append((number, name, "refusal_name_reserved"))
            continue
        look = latin_look(folded_name(name))
        if look in looks:
            wrong.append((number, name, "refusal_name_twice"))
            continue
        looks.add(look)
        found[number] = name
    if not found and not wrong:
        wrong.append((1, "", "refusal_no_names_listed"))
    if len(found) > MOST_NAMES:
        wrong.append((max(found), found[max(found)], "refusal_many_names"))
    return found, wrong
