//! The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in strategy.rs.

mod json;
mod messages;
mod strategy;

use std::io::{self, BufRead, Write};

use json::Json;
use messages::{Act, End, Ready, Start};
use strategy::Strategy;

fn main() {
    if let Err(error) = talk() {
        eprintln!("{}", error); // the end of it is kept for you when a match fails
        std::process::exit(1);
    }
}

/// Answers every message until the input ends.
fn talk() -> Result<(), String> {
    let mut strategy: Option<Strategy> = None;
    for line in io::stdin().lock().lines() {
        let message = Json::read(&line.map_err(|error| error.to_string())?)?;
        match (message.get("type")?.as_text()?, &mut strategy) {
            ("start", _) => {
                let start = Start::read(&message)?;
                let ready = Ready { id: start.id, ok: true };
                strategy = Some(Strategy::new(start)); // before the answer: once it is sent, no file can be opened any more
                answer(&ready.write())?;
            }
            ("act", Some(strategy)) => answer(&strategy.choose(&Act::read(&message)?).write())?,
            ("end", Some(strategy)) => strategy.end(&End::read(&message)?), // not answered
            (kind, _) => return Err(format!("an unexpected message: {}", kind)),
        }
    }
    Ok(())
}

/// Sends one line at once. Nothing else may be printed to standard output: use eprintln!.
fn answer(reply: &Json) -> Result<(), String> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", reply).and_then(|_| out.flush()).map_err(|error| error.to_string())
}
