"""Puts what a training found into a game's folder, beside what stays there.

A value or belief takes the place of the one of its kind; a policy that of others at the numbers of seats that it was kept at.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from arena.engine.net import POLICIES, POLICY, Net, Nets
from arena.engine.net_files import Note, read_nets, read_note, write_nets


def install(folder: Path, nets: Nets, note: Note) -> None:
    """Put networks into the folder of a game. The note there then also tells how those were made that stay.

    Raises ArenaError for files that are there and do not belong together.
    """
    there = read_nets(folder)
    before = read_note(folder) if there.nets else Note(game=note.game, seats=())
    remaining = _policies(there, before, without=nets.seats_of(POLICY))
    staying, coming = _others(there), _others(nets)
    if not staying and not remaining:
        write_nets(folder, nets, note)
        return
    policies = dict(zip(POLICIES, sorted(remaining + _policies(nets, note), key=lambda policy: policy[1].seats)))
    notes = {name: own for name, (_, own) in policies.items()}
    told = structs.replace(_note_of_others(before, note, staying, coming), encoding="", changed="", policies=notes)
    write_nets(folder, Nets(staying | coming | {name: net for name, (net, _) in policies.items()}), told)


def _policies(nets: Nets, note: Note, *, without: frozenset[int] = frozenset()) -> list[tuple[Net, Note]]:
    """The policies among networks, each with its note, for their numbers of seats but for some."""
    found = []
    for name, net in nets.policies.items():
        if seats := nets.own_seats(net) - without:
            own = structs.replace(note.policies.get(name, note), seats=tuple(sorted(seats)), policies={})
            found.append((replace(net, seats=seats), own))
    return found


def _others(nets: Nets) -> dict[str, Net]:
    """The networks that are no policies, each with its own numbers of seats."""
    return {name: replace(net, seats=nets.own_seats(net)) for name, net in nets.nets.items() if name not in POLICIES}


def _note_of_others(before: Note, note: Note, staying: Mapping[str, Net], coming: Mapping[str, Net]) -> Note:
    """What is told of the networks that are no policies."""
    if not coming:
        return before if staying else Note(game=note.game, seats=())
    if staying.keys() <= coming.keys():
        return note
    return structs.replace(
        note, command=f"{before.command}; {note.command}", generations=[*before.generations, *note.generations]
    )
