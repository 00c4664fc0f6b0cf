// What the bot plays. This is the file to change; the others carry its decisions to the hall.

import type { Act, Choice, End, Start } from "./messages";

/** One match: the program is started for every match, and plays one seat of it. */
export class Strategy {
  private readonly random: () => number;

  /** Before the first decision: `start` has the game, the seats, your seat, the rule options and the params. */
  constructor(private readonly start: Start) {
    this.random = generator(parseInt(start.seed.slice(0, 8), 16)); // 8 of the 32 hex digits are 32 bits
  }

  /** One of act.legal, at every decision with more than one of them. */
  choose(act: Act): Choice {
    // Begin here. act.position is what your seat sees ("?" for each hidden card); what is in it differs from game to game:
    // `arena docs notation`. For instance: const turn = act.position.turn as number
    const index = Math.floor(this.random() * act.legal.length);
    return { id: act.id, action: index, notes: [["legal actions", act.legal.length]] }; // notes: for you, in the replay
  }

  /** After the match. */
  end(end: End): void {
    console.error(`place ${end.places[this.start.seat]} of ${this.start.seats}`); // kept for you when a match fails
  }
}

/** Random numbers in [0, 1) from 32 bits (mulberry32). With Math.random() no match could be repeated. */
function generator(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
