"""Loads lines of memory that the next seat has, too, and has the caches forget others: the next match times both."""

import ctypes
import random
from collections.abc import Sequence

from arena.agent import Agent, View
from arena.cli.measuring.channel_bots.attack import LIBRARY, PLACES, Attack, Place, faster, message
from arena.cli.measuring.channel_bots.processor import LINE, Processor

LINES = 32  # of each place, each in a page of its own: neighbours are loaded together
_PAGE = 4096


class Lines(Attack, Agent[View]):
    """Uses the code of a compiler that every seat has, and that none runs."""

    _processor: Processor | None = None
    _refused = ""

    def prepare(self) -> None:
        """Get at the processor, in the way that the params say."""
        library = ctypes.CDLL(str(LIBRARY / "llvmlite" / "binding" / "libllvmlite.so"))
        self._first = (ctypes.cast(library.LLVMPY_CreateByteString, ctypes.c_void_p).value or 0) // _PAGE * _PAGE
        try:
            self._processor = Processor(has_code=self.params["has_code"])
        except OSError as error:
            self._refused = str(error)
        else:  # the first touch of a page takes longer than any line
            self._processor.load([self._first + page * _PAGE for page in range(len(PLACES) * LINES)])

    def act(self, view: View) -> str:
        """Print what was found, or leave the own hand."""
        if self.params["reads"]:
            return super().act(view)
        print(self._refused)
        if self._processor is not None:
            self._processor.forget([line for place in PLACES for line in self._lines(place)])
            for place in enumerate(message(view)):
                self._processor.load(self._lines(place))
        return view.legal[0]

    def read(self) -> list[int] | None:
        """Time all places, each once: to time a line loads it."""
        if self._processor is None:
            return [random.getrandbits(1) for _ in PLACES[::2]]
        places = list(PLACES)
        random.shuffle(places)
        return faster({place: [self._processor.total(self._lines(place))] for place in places})

    def _lines(self, place: Place) -> Sequence[int]:
        number = 2 * place[0] + place[1]
        chosen = random.Random(number)
        return [
            self._first + (number * LINES + line) * _PAGE + LINE * chosen.randrange(8, _PAGE // LINE) for line in range(LINES)
        ]
