// The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it.

import java.util.List;

final class Messages {
    private Messages() {}

    /** The text of a legal action, or (text is null) its index in `legal`. */
    record Action(String text, long index) {
        static Action text(String text) {
            return new Action(text, 0);
        }

        static Action index(long index) {
            return new Action(null, index);
        }

        Json write() {
            return text == null ? Json.of(index) : Json.of(text);
        }
    }

    /**
     * A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start`
     * to get ready.
     */
    record Clock(double move, double bank, double start) {
        static Clock read(Json json) {
            return new Clock(
                    json.get("move").number(),
                    json.get("bank").number(),
                    json.has("start") ? json.get("start").number() : 10.0);
        }
    }

    /**
     * The first message to the bot: the match that it plays now. The bot answers with Ready.
     */
    record Start(long id, long protocol, String game, Json options, long seats, long seat, String seed, Clock clock, Json params) {
        static Start read(Json json) {
            return new Start(
                    json.get("id").integer(),
                    json.get("protocol").integer(),
                    json.get("game").text(),
                    json.get("options").object(),
                    json.get("seats").integer(),
                    json.get("seat").integer(),
                    json.get("seed").text(),
                    Clock.read(json.get("clock")),
                    json.get("params").object());
        }
    }

    /**
     * One of `events`: [seat, action].
     */
    record Event(long seat, String action) {
        static Event read(Json json) {
            return new Event(
                    json.at(0).integer(),
                    json.at(1).text());
        }
    }

    /**
     * A message to the bot that asks for a decision. The bot answers with Choice.
     */
    record Act(long id, Json position, List<String> legal, List<Event> events, Clock clock) {
        static Act read(Json json) {
            return new Act(
                    json.get("id").integer(),
                    json.get("position").object(),
                    json.get("legal").list().stream().map(Json::text).toList(),
                    json.get("events").list().stream().map(Event::read).toList(),
                    Clock.read(json.get("clock")));
        }
    }

    /**
     * The last message to the bot: the match is over. The bot does not answer; the end of the input follows.
     */
    record End(long id, List<Long> places, List<Double> scores) {
        static End read(Json json) {
            return new End(
                    json.get("id").integer(),
                    json.get("places").list().stream().map(Json::integer).toList(),
                    json.get("scores").list().stream().map(Json::number).toList());
        }
    }

    /**
     * The bot's answer to Start: it is ready to play.
     */
    record Ready(long id, boolean ok) {
        Json write() {
            Json json = Json.objectOf();
            json.put("id", Json.of(id));
            json.put("ok", Json.of(ok));
            return json;
        }
    }

    /**
     * What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in
     * all.
     */
    record Note(String text, Double number) {
        Json write() {
            Json json = Json.listOf();
            json.add(Json.of(text));
            json.add(number == null ? Json.NULL : Json.of(number));
            return json;
        }
    }

    /**
     * The bot's answer to Act: its action.
     */
    record Choice(long id, Action action, List<Note> notes) {
        Json write() {
            Json json = Json.objectOf();
            json.put("id", Json.of(id));
            json.put("action", action.write());
            if (!notes.isEmpty()) {
                json.put("notes", Json.listOf(notes.stream().map(Note::write).toList()));
            }
            return json;
        }
    }
}
