"""Lets a thread compute while the main one waits: all of it is on its clock. Expected: timeout; blame: bot."""

import threading


def attack(reply):
    def compute():
        while True:
            pass

    for _ in range(4):
        threading.Thread(target=compute).start()
    threading.Event().wait()
