"""The hash of an encoding: the same for the same planes, another one after each change that a network would feel."""

from dataclasses import replace

import pytest

from arena.engine.encoding import Layout, Plane

PLANES = (Plane("hand", 3, "the own hand"), Plane("stock", 1, "the cards in the stock"))
LAYOUT = Layout(PLANES, (Plane("kind", 2, "what it does"),), (0, 1, 2), 1)
CHANGES = {
    "a name": replace(LAYOUT, planes=(PLANES[0]._replace(name="cards"), PLANES[1])),
    "a size": replace(LAYOUT, planes=(PLANES[0]._replace(size=4), PLANES[1])),
    "a meaning": replace(LAYOUT, planes=(PLANES[0]._replace(meaning="the own hand, sorted"), PLANES[1])),
    "bounds": replace(LAYOUT, planes=(PLANES[0]._replace(low=-1.0), PLANES[1])),
    "the order": replace(LAYOUT, planes=PLANES[::-1]),
    "a plane more": replace(LAYOUT, planes=(*PLANES, Plane("turn", 1, "whose turn it is"))),
    "a plane of actions": replace(LAYOUT, action_planes=()),
    "a plane that goes over to the actions": replace(
        LAYOUT, planes=PLANES[:1], action_planes=(PLANES[1], *LAYOUT.action_planes)
    ),
    "the codes": replace(LAYOUT, codes=(0, 1, 3)),
    "no codes": replace(LAYOUT, codes=None),
    "the version": replace(LAYOUT, version=2),
}


def test_equal_layouts_have_one_hash() -> None:
    assert replace(LAYOUT, planes=(Plane("hand", 3, "the own hand"), PLANES[1])).sha256 == LAYOUT.sha256


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
def test_a_change_gives_another_hash(changed: Layout) -> None:
    assert changed.sha256 != LAYOUT.sha256


def test_all_changes_are_told_apart() -> None:
    assert len({changed.sha256 for changed in CHANGES.values()}) == len(CHANGES)
