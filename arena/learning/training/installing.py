"""Puts what a training found into a game's folder: each network in the place of the one of its kind; the others stay."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from arena.engine.net import KINDS, POLICY, Nets, Note, read_nets, read_note, write_nets

POLICIES, GENERATIONS = "policy", "generations"  # methods of `arena train`
_NAMING = "--method policy"  # what commands of the first one have


def install(folder: Path, nets: Nets, note: Note) -> None:
    """Put networks into the folder of a game. The note then also tells how those were made that stay.

    Raises ArenaError for files that are there and do not belong together.
    """
    there = read_nets(folder)
    before = read_note(folder) if there.nets else Note(game=note.game, seats=())
    staying = there.nets.keys() - nets.nets.keys()
    telling = {_maker(before, kind) for kind in staying}
    commands = [one for one in before.command.split("; ") if (POLICIES if _NAMING in one else GENERATIONS) in telling]
    generations = [one for one in before.generations if _method(one) in telling]
    note = msgspec.structs.replace(
        note, command="; ".join([*commands, note.command]), generations=generations + note.generations
    )
    if KINDS[POLICY] in staying:
        note = msgspec.structs.replace(note, encoding=before.encoding, changed=before.changed)
    all_of_them = {
        kind: replace(net, seats=owner.seats_of(KINDS.index(kind)))
        for owner, kinds in ((there, staying), (nets, nets.nets.keys()))
        for kind, net in owner.nets.items()
        if kind in kinds
    }
    write_nets(folder, Nets(all_of_them), note)


def _maker(note: Note, kind: str) -> str:
    """The method that found a network: that of the last generation that kept one of its kind."""
    return next((_method(one) for one in reversed(note.generations) if kind in one.get("kept", KINDS)), GENERATIONS)


def _method(found: dict[str, Any]) -> str:
    return str(found.get("method", GENERATIONS))
