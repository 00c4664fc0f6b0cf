"""Takes a name that is no UTF-8, then memory in the plain way, until there is no more. Expected: memory; blame: bot."""

from attempts import syscall


def attack(reply):
    syscall(157, 15, b"\xff\xfe: \xc3\x28", 0, 0, 0)()
    taken = []
    while True:
        taken.append(b"x" * (1 << 20))
