"""Reads the zygote's memory by process_vm_readv. Expected: refused; the bot plays on: played, no blame."""

import ctypes
import os
import struct

from arena.agent import Agent, View


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        if self.asked == 6:
            try:
                libc = ctypes.CDLL(None, use_errno=True)
                buffer = ctypes.create_string_buffer(16)
                vector = struct.pack("QQ", ctypes.addressof(buffer), 16)
                if libc.process_vm_readv(os.getppid(), vector, 1, vector, 1, 0) < 0:
                    raise OSError(ctypes.get_errno(), "process_vm_readv")
                print("GOT it")
            except (OSError, TypeError, MemoryError, ValueError, ImportError) as error:
                print("REFUSED", type(error).__name__, error)
        return view.legal[0]
