"""Never answers. Expected: timeout; blame: bot."""

import time


def attack(reply):
    time.sleep(3600)
