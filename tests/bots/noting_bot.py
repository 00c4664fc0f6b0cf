"""Notes what it has to choose from, and misbehaves as its parameter `how` says."""

import os
import time

from arena.agent import Agent, View


class NotingBot(Agent):
    asked = 0

    def start(self, info: object) -> None:
        print("ready")

    def act(self, view: View) -> object:
        self.asked += 1
        how = self.params.get("how", "")
        chosen = self.rng.choice(view.legal)
        view.note("legal", len(view.legal))
        view.note(f"plays {chosen}")
        if self.asked == 2:
            print("the second decision")
        if how == "floods":
            for number in range(100_000):
                view.note("x" * 100, number)
        if how == "hostile":
            for text, value in (
                (3, 4),
                ("a", "b"),
                ("inf", float("inf")),
                ("", None),
                ("\ud800\x00\u202e<b>", 1),
                (None, None),
            ):
                view.note(text, value)  # type: ignore[arg-type]
            view.codes[:] = [0] * 9  # type: ignore[index]
            view.legal[:] = ["?"]
        if how == "replaces" and self.asked == 2:
            view._notes = ["mine"]
        if how == "wanders":
            return view.legal[time.perf_counter_ns() % len(view.legal)]
        if how == "raises" and self.asked == 3:
            raise ValueError("no idea")
        if how == "dies" and self.asked == 3:
            os._exit(3)
        return chosen

    def end(self, result: object) -> None:
        print("over")
