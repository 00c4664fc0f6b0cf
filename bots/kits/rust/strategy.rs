//! What the bot plays. This is the file to change; the others carry its decisions to the hall.

use crate::messages::{Act, Action, Choice, End, Note, Start};

/// One match: the program is started for every match, and plays one seat of it.
pub struct Strategy {
    start: Start,
    random: Random,
}

impl Strategy {
    /// Before the first decision: `start` has the game, the seats, your seat, the rule options and the params.
    pub fn new(start: Start) -> Strategy {
        let random = Random(u64::from_str_radix(&start.seed[..16], 16).unwrap_or(0)); // half of the 32 digits
        Strategy { start, random }
    }

    /// One of `act.legal`, at every decision with more than one of them.
    pub fn choose(&mut self, act: &Act) -> Choice {
        // Begin here. `act.position` is what your seat sees ("?" for each hidden card); what is in it differs from game to
        // game: `arena docs notation`. For instance: act.position.get("turn")?.as_integer()?
        let index = self.random.below(act.legal.len() as u64) as i64;
        let note = Note { text: "legal actions".to_string(), number: Some(act.legal.len() as f64) }; // for you, in the replay
        Choice { id: act.id, action: Action::Index(index), notes: vec![note] }
    }

    /// After the match.
    pub fn end(&mut self, end: &End) {
        let place = end.places[self.start.seat as usize];
        eprintln!("place {} of {}", place, self.start.seats); // kept for you when a match fails
    }
}

/// Random numbers (splitmix64): from the same seed always the same ones, so that matches can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d049bb133111eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}
