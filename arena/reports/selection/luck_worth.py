"""What a board says where it goes without the luck of the cards, and what that is worth."""

from collections.abc import Container

from arena.results.manifest import Manifest


def luck_notes(manifest: Manifest, pools: Container[str]) -> list[str]:
    """Say that a board goes without luck, and what that is worth in those of its pools that are shown."""
    if manifest.luck_worth is None:
        return []
    worth = [
        f"{pool}: its {one.deals:,} deals are as certain as {one.worth:,} without luck correction"
        for pool, one in manifest.luck_worth.items()
        if pool in pools
    ]
    return ["; ".join(["the luck of the cards is taken out of these ratings", *worth])]
