"""Plays well until its fourth decision. Expected: the ending that its parameter `how` asks for, with what it printed."""

from arena.agent import Agent


class FailsLate(Agent):
    asked = 0

    def act(self, view):
        self.asked += 1
        print("decision", self.asked)
        if self.asked == 4:
            if self.params["how"] == "crash":
                raise ValueError("no idea")
            while self.params["how"] == "timeout":
                pass
            return "fly away"
        return self.rng.choice(view.legal)
