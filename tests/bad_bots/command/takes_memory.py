"""Takes memory in the plain way, until there is no more. Expected: memory; blame: bot."""


def attack(reply):
    taken = []
    while True:
        taken.append(b"x" * (1 << 20))
