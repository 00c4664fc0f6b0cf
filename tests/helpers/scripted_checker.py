"""A checker by script: what was sent says what it does, and a diary what it was asked.

`die` ends it by SIGKILL, `wait` never ends, `trouble` is the machine's, `hungry` takes all memory, `refuse` is the bot's; all
else is accepted as version 1. As a script it imports nothing of arena: it starts fast.
"""

import json
import os
import signal
import sys
from pathlib import Path


def command(diary: Path) -> tuple[str, ...]:
    """The command of a checker that writes into this diary; its last argument says how each word is answered."""
    import msgspec

    from arena.server.contest.messages import Checked, Checking
    from arena.tournament.check_report import refused

    report = msgspec.structs.replace(refused("BOT", "it is bad"), sha256="0" * 64)
    outcomes = {
        "hungry": Checked(report=None, trouble="no memory", ran_out=True),
        "trouble": Checked(report=None, trouble="out of luck"),
        "refuse": Checked(report=report),
        "accept": Checked(report=msgspec.structs.replace(report, refusals=()), version=1, is_new=True),
    }
    answers = {word: msgspec.json.encode(outcome).decode() for word, outcome in outcomes.items()}
    answers["checking"] = msgspec.json.encode(Checking(text="naga: match 1 of 7")).decode()
    return sys.executable, __file__, str(diary), json.dumps(answers)


def main() -> None:
    asked, answers = json.loads(sys.stdin.readline()), json.loads(sys.argv[2])
    word = Path(asked["file"]).read_text()
    with Path(sys.argv[1]).open("a") as diary:
        diary.write(f"{asked['bot']} {word} {Path(asked['contest']).name if asked['contest'] else '-'}\n")
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "wait":
        signal.pause()
    if word == "hungry":
        try:
            taken = bytearray(6 << 30)
        except MemoryError:
            print(answers["hungry"])
            return
        del taken
    print(answers["checking"])
    print(answers.get(word, answers["accept"]).replace("BOT", asked["bot"]))


if __name__ == "__main__":
    main()
