"""Stored matches in batches for several processes: each is some tenths of a second of work."""

from collections.abc import Iterable, Iterator

from arena.records import MatchRecord

BATCH_MATCHES = 256
IN_FLIGHT = 2  # batches per worker

Batch = list[MatchRecord]


def batches(records: Iterable[MatchRecord], most_actions: int) -> Iterator[Batch]:
    """The records in their order, in batches of at most 256 matches; a batch ends with the match that reaches `most_actions`.

    `most_actions`: actions of the logs of a batch, which is what working on it costs.
    """
    batch: Batch = []
    actions = 0
    for record in records:
        batch.append(record)
        actions += len(record.actions)
        if actions >= most_actions or len(batch) >= BATCH_MATCHES:
            yield batch
            batch, actions = [], 0
    if batch:
        yield batch
