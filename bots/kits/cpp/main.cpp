// The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in strategy.cpp.

#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "json.hpp"
#include "messages.hpp"
#include "strategy.hpp"

// Sends one line at once. Nothing else may be printed to standard output: use std::cerr.
static void answer(const Json& reply) { std::cout << reply.line() << std::endl; }

// Answers every message until the input ends.
static void talk() {
    std::unique_ptr<Strategy> strategy;
    for (std::string line; std::getline(std::cin, line);) {
        Json message = Json::parse(line);
        const std::string& type = message.get("type").text();
        if (type == "start") {
            Start start = Start::read(message);
            Ready ready{start.id, true};
            strategy = std::make_unique<Strategy>(std::move(start));  // before the answer: then no file can be opened any more
            answer(ready.write());
        } else if (type == "act" && strategy) {
            answer(strategy->choose(Act::read(message)).write());
        } else if (type == "end" && strategy) {
            strategy->end(End::read(message));  // not answered
        } else {
            throw JsonError("an unexpected message: " + type);
        }
    }
}

int main() {
    std::ios::sync_with_stdio(false);
    try {
        talk();
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";  // the end of it is kept for you when a match fails
        return 1;
    }
    return 0;
}
