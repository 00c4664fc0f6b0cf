//! The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it.

#![allow(dead_code)]

use crate::json::Json;

/// The text of a legal action, or its index in `legal`.
pub enum Action {
    Text(String),
    Index(i64),
}

impl Action {
    pub fn write(&self) -> Json {
        match self {
            Action::Text(text) => Json::Text(text.clone()),
            Action::Index(index) => Json::Number(*index as f64),
        }
    }
}

/// A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to
/// get ready.
pub struct Clock {
    pub r#move: f64,
    pub bank: f64,
    pub start: f64,
}

impl Clock {
    pub fn read(json: &Json) -> Result<Clock, String> {
        Ok(Clock {
            r#move: json.get("move")?.as_number()?,
            bank: json.get("bank")?.as_number()?,
            start: match json.find("start") { Some(value) => value.as_number()?, None => 10.0 },
        })
    }
}

/// The first message to the bot: the match that it plays now. The bot answers with Ready.
pub struct Start {
    pub id: i64,
    pub protocol: i64,
    pub game: String,
    pub options: Json,
    pub seats: i64,
    pub seat: i64,
    pub seed: String,
    pub clock: Clock,
    pub params: Json,
}

impl Start {
    pub fn read(json: &Json) -> Result<Start, String> {
        Ok(Start {
            id: json.get("id")?.as_integer()?,
            protocol: json.get("protocol")?.as_integer()?,
            game: json.get("game")?.as_text()?.to_string(),
            options: json.get("options")?.as_object()?.clone(),
            seats: json.get("seats")?.as_integer()?,
            seat: json.get("seat")?.as_integer()?,
            seed: json.get("seed")?.as_text()?.to_string(),
            clock: Clock::read(json.get("clock")?)?,
            params: json.get("params")?.as_object()?.clone(),
        })
    }
}

/// One of `events`: [seat, action].
pub struct Event {
    pub seat: i64,
    pub action: String,
}

impl Event {
    pub fn read(json: &Json) -> Result<Event, String> {
        Ok(Event {
            seat: json.at(0)?.as_integer()?,
            action: json.at(1)?.as_text()?.to_string(),
        })
    }
}

/// A message to the bot that asks for a decision. The bot answers with Choice.
pub struct Act {
    pub id: i64,
    pub position: Json,
    pub legal: Vec<String>,
    pub events: Vec<Event>,
    pub clock: Clock,
}

impl Act {
    pub fn read(json: &Json) -> Result<Act, String> {
        Ok(Act {
            id: json.get("id")?.as_integer()?,
            position: json.get("position")?.as_object()?.clone(),
            legal: json.get("legal")?.as_list()?.iter().map(|item| item.as_text().map(str::to_string)).collect::<Result<_, String>>()?,
            events: json.get("events")?.as_list()?.iter().map(Event::read).collect::<Result<_, String>>()?,
            clock: Clock::read(json.get("clock")?)?,
        })
    }
}

/// The last message to the bot: the match is over. The bot does not answer; the end of the input follows.
pub struct End {
    pub id: i64,
    pub places: Vec<i64>,
    pub scores: Vec<f64>,
}

impl End {
    pub fn read(json: &Json) -> Result<End, String> {
        Ok(End {
            id: json.get("id")?.as_integer()?,
            places: json.get("places")?.as_list()?.iter().map(Json::as_integer).collect::<Result<_, String>>()?,
            scores: json.get("scores")?.as_list()?.iter().map(Json::as_number).collect::<Result<_, String>>()?,
        })
    }
}

/// The bot's answer to Start: it is ready to play.
pub struct Ready {
    pub id: i64,
    pub ok: bool,
}

impl Ready {
    pub fn write(&self) -> Json {
        let pairs = vec![("id".to_string(), Json::Number(self.id as f64)), ("ok".to_string(), Json::Flag(self.ok))];
        Json::Object(pairs)
    }
}

/// What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all.
pub struct Note {
    pub text: String,
    pub number: Option<f64>,
}

impl Note {
    pub fn write(&self) -> Json {
        Json::List(vec![Json::Text(self.text.clone()), match self.number { Some(value) => Json::Number(value), None => Json::Null }])
    }
}

/// The bot's answer to Act: its action.
pub struct Choice {
    pub id: i64,
    pub action: Action,
    pub notes: Vec<Note>,
}

impl Choice {
    pub fn write(&self) -> Json {
        let mut pairs = vec![("id".to_string(), Json::Number(self.id as f64)), ("action".to_string(), self.action.write())];
        if !self.notes.is_empty() {
            pairs.push(("notes".to_string(), Json::List(self.notes.iter().map(|item| item.write()).collect())));
        }
        Json::Object(pairs)
    }
}
