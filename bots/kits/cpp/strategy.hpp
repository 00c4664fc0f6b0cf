#pragma once

#include <random>

#include "messages.hpp"

// One match: the program is started for every match, and plays one seat of it.
class Strategy {
public:
    // Before the first decision: `start` has the game, the seats, your seat, the rule options and the params.
    explicit Strategy(Start start);

    // One of act.legal, at every decision with more than one of them.
    Choice choose(const Act& act);

    // After the match.
    void end(const End& end);

private:
    Start start_;
    std::mt19937_64 random_;  // seeded: from the same seed always the same numbers, so that matches can be repeated
};
