// The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "json.hpp"

// The text of a legal action, or its index in `legal`.
using Action = std::variant<std::string, long long>;

inline Json written(const Action& action) {
    if (const auto* text = std::get_if<std::string>(&action)) return Json(*text);
    return Json(std::get<long long>(action));
}

// A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to
// get ready.
struct Clock {
    double move = 0;
    double bank = 0;
    double start = 10.0;

    static Clock read(const Json& json) {
        Clock into;
        into.move = json.get("move").number();
        into.bank = json.get("bank").number();
        if (json.has("start")) into.start = json.get("start").number();
        return into;
    }
};

// The first message to the bot: the match that it plays now. The bot answers with Ready.
struct Start {
    long long id = 0;
    long long protocol = 0;
    std::string game;
    Json options;
    long long seats = 0;
    long long seat = 0;
    std::string seed;
    Clock clock;
    Json params;

    static Start read(const Json& json) {
        Start into;
        into.id = json.get("id").integer();
        into.protocol = json.get("protocol").integer();
        into.game = json.get("game").text();
        into.options = json.get("options").object();
        into.seats = json.get("seats").integer();
        into.seat = json.get("seat").integer();
        into.seed = json.get("seed").text();
        into.clock = Clock::read(json.get("clock"));
        into.params = json.get("params").object();
        return into;
    }
};

// One of `events`: [seat, action].
struct Event {
    long long seat = 0;
    std::string action;

    static Event read(const Json& json) {
        Event into;
        into.seat = json.at(0).integer();
        into.action = json.at(1).text();
        return into;
    }
};

// A message to the bot that asks for a decision. The bot answers with Choice.
struct Act {
    long long id = 0;
    Json position;
    std::vector<std::string> legal;
    std::vector<Event> events;
    Clock clock;

    static Act read(const Json& json) {
        Act into;
        into.id = json.get("id").integer();
        into.position = json.get("position").object();
        for (const Json& item : json.get("legal").list()) into.legal.push_back(item.text());
        for (const Json& item : json.get("events").list()) into.events.push_back(Event::read(item));
        into.clock = Clock::read(json.get("clock"));
        return into;
    }
};

// The last message to the bot: the match is over. The bot does not answer; the end of the input follows.
struct End {
    long long id = 0;
    std::vector<long long> places;
    std::vector<double> scores;

    static End read(const Json& json) {
        End into;
        into.id = json.get("id").integer();
        for (const Json& item : json.get("places").list()) into.places.push_back(item.integer());
        for (const Json& item : json.get("scores").list()) into.scores.push_back(item.number());
        return into;
    }
};

// The bot's answer to Start: it is ready to play.
struct Ready {
    long long id = 0;
    bool ok = false;

    Json write() const {
        Json json = Json::object_of();
        json.put("id", Json(id));
        json.put("ok", Json(ok));
        return json;
    }
};

// What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all.
struct Note {
    std::string text;
    std::optional<double> number;

    Json write() const {
        Json json = Json::list_of();
        json.add(Json(text));
        json.add(number ? Json(*number) : Json());
        return json;
    }
};

// The bot's answer to Act: its action.
struct Choice {
    long long id = 0;
    Action action;
    std::vector<Note> notes;

    Json write() const {
        Json json = Json::object_of();
        json.put("id", Json(id));
        json.put("action", written(action));
        if (!notes.empty()) {
            Json rows = Json::list_of();
            for (const auto& item : notes) rows.add(item.write());
            json.put("notes", std::move(rows));
        }
        return json;
    }
};
