"""Waits at its first decision until it is killed, or sent on by SIGUSR1: by its handler of that signal it is known."""

import signal
import time

from arena.agent import Agent, View


class SentOn(Exception):
    pass


def send_on(*_: object) -> None:
    raise SentOn


class Waiting(Agent):
    has_waited = False

    def act(self, view: View) -> str:
        try:
            if not self.has_waited:
                signal.signal(signal.SIGUSR1, send_on)
                time.sleep(600)
        except SentOn:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        self.has_waited = True
        return view.legal[0]
