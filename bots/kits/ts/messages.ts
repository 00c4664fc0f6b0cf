// The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it.

/** The text of a legal action, or its index in `legal`. */
export type Action = string | number;

/**
 * A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to
 * get ready.
 */
export interface Clock {
  move: number;
  bank: number;
  start?: number;
}

/** The first message to the bot: the match that it plays now. The bot answers with Ready. */
export interface Start {
  type: "start";
  id: number;
  protocol: number;
  game: string;
  options: Record<string, unknown>;
  seats: number;
  seat: number;
  seed: string;
  clock: Clock;
  params: Record<string, unknown>;
}

/** One of `events`: [seat, action]. */
export type Event = [seat: number, action: string];

/** A message to the bot that asks for a decision. The bot answers with Choice. */
export interface Act {
  type: "act";
  id: number;
  position: Record<string, unknown>;
  legal: string[];
  events: Event[];
  clock: Clock;
}

/** The last message to the bot: the match is over. The bot does not answer; the end of the input follows. */
export interface End {
  type: "end";
  id: number;
  places: number[];
  scores: number[];
}

/** The bot's answer to Start: it is ready to play. */
export interface Ready {
  id: number;
  ok: boolean;
}

/** What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all. */
export type Note = [text: string, number: number | null];

/** The bot's answer to Act: its action. */
export interface Choice {
  id: number;
  action: Action;
  notes?: Note[];
}

export type Request = Start | Act | End;
