// What the bot plays. This is the file to change; the others carry its decisions to the hall.

#include "strategy.hpp"

#include <iostream>

Strategy::Strategy(Start start)
    : start_(std::move(start)), random_(std::stoull(start_.seed.substr(0, 16), nullptr, 16)) {}  // half of the 32 digits

Choice Strategy::choose(const Act& act) {
    // Begin here. act.position is what your seat sees ("?" for each hidden card); what is in it differs from game to game:
    // `arena docs notation`. For instance: act.position.get("turn").integer()
    long long index = static_cast<long long>(random_() % act.legal.size());
    Note note{"legal actions", static_cast<double>(act.legal.size())};  // for you, in the replay
    return Choice{act.id, index, {note}};
}

void Strategy::end(const End& end) {
    long long place = end.places.at(static_cast<std::size_t>(start_.seat));
    std::cerr << "place " << place << " of " << start_.seats << "\n";  // kept for you when a match fails
}
