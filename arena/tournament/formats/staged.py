"""What formats have in common whose tables are chosen stage by stage; the schedule of such a format is a `StagedSchedule`."""

from collections.abc import Sequence
from typing import Any

import msgspec

from arena.tournament.formats.format import Format
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.stages import Stage


class Staged(Format, frozen=True):
    """Base of formats whose tables are chosen stage by stage; a subclass has a field `stages: tuple[Stage, ...]`."""

    IS_STAGED = True

    def with_stages(self, stages: Sequence[Stage]) -> Format:
        """The same format with other stages."""
        return msgspec.structs.replace(self, stages=tuple(stages))

    def lasting(self, document: dict[str, Any]) -> dict[str, Any]:
        """The plan's document without the stages, which follow from the rows."""
        return {**document, "format": {**document["format"], "stages": []}}

    def trial(self) -> Format:
        """A round robin, which needs no stages."""
        return RoundRobin()
