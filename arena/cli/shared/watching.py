"""The progress of long work on the screen: a bar for each part of it, with the time that is left."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column

from arena.cli.shared.printing import news_on, plain_text
from arena.learning.training.watching import Watcher

_BAR = 30  # columns of a bar with the time that is left


@contextmanager
def watched(console: Console) -> Iterator[Watcher]:
    """Show bars on a console while the work is told to what this gives; without a terminal, a line for each part."""
    narrow = Column(no_wrap=True, overflow="ellipsis", max_width=max(10, console.width - _BAR))
    name = TextColumn("{task.description}", table_column=narrow)
    columns = (name, BarColumn(_BAR // 2), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Shown(progress)


class _Shown(Watcher):
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._say = news_on(progress.console)
        self._task: TaskID | None = None

    def say(self, text: str) -> None:
        self._say(text)

    def begin(self, what: str, total: int) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        if not self._progress.console.is_terminal:
            self._say(f"{what} ...")
        self._task = self._progress.add_task(plain_text(what).plain, total=total)

    def advance(self) -> None:
        if self._task is not None:
            self._progress.advance(self._task)
