"""A checker by script, as `python scripted_checker.py DIARY`: what was sent says what it does, and the diary what it was asked.

`die` ends it by SIGKILL, `trouble` is the machine's, `hungry` takes all memory, `refuse` is the bot's; all else is accepted as
version 1.
"""

import os
import signal
import sys
from pathlib import Path

import msgspec

from arena.server.contest.messages import Check, Checked, Checking
from arena.tournament.check_report import refused

if __name__ == "__main__":
    asked = msgspec.json.decode(sys.stdin.buffer.readline(), type=Check)
    word = Path(asked.file).read_text()
    with Path(sys.argv[1]).open("a") as diary:
        diary.write(f"{asked.bot} {word} {Path(asked.contest).name if asked.contest else '-'}\n")
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "hungry":
        try:
            taken = bytearray(6 << 30)
        except MemoryError:
            sys.stdout.buffer.write(msgspec.json.encode(Checked(report=None, trouble="no memory", ran_out=True)) + b"\n")
            sys.exit()
    report = msgspec.structs.replace(refused(asked.bot, "it is bad"), sha256="0" * 64)
    outcome = {
        "trouble": Checked(report=None, trouble="out of luck"),
        "refuse": Checked(report=report),
    }.get(word, Checked(report=msgspec.structs.replace(report, refusals=()), version=1, is_new=True))
    for message in (Checking(text="naga: match 1 of 7"), outcome):
        sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
