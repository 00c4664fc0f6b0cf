// The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it.

"use strict";

/** @typedef {string | number} Action The text of a legal action, or its index in `legal`. */

/**
 * A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to
 * get ready.
 * @typedef {Object} Clock
 * @property {number} move
 * @property {number} bank
 * @property {number} [start]
 */

/**
 * The first message to the bot: the match that it plays now. The bot answers with Ready.
 * @typedef {Object} Start
 * @property {"start"} type
 * @property {number} id
 * @property {number} protocol
 * @property {string} game
 * @property {Record<string, unknown>} options
 * @property {number} seats
 * @property {number} seat
 * @property {string} seed
 * @property {Clock} clock
 * @property {Record<string, unknown>} params
 */

/**
 * One of `events`: [seat, action].
 * @typedef {[seat: number, action: string]} Event
 */

/**
 * A message to the bot that asks for a decision. The bot answers with Choice.
 * @typedef {Object} Act
 * @property {"act"} type
 * @property {number} id
 * @property {Record<string, unknown>} position
 * @property {string[]} legal
 * @property {Event[]} events
 * @property {Clock} clock
 */

/**
 * The last message to the bot: the match is over. The bot does not answer; the end of the input follows.
 * @typedef {Object} End
 * @property {"end"} type
 * @property {number} id
 * @property {number[]} places
 * @property {number[]} scores
 */

/**
 * The bot's answer to Start: it is ready to play.
 * @typedef {Object} Ready
 * @property {number} id
 * @property {boolean} ok
 */

/**
 * What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all.
 * @typedef {[text: string, number: number | null]} Note
 */

/**
 * The bot's answer to Act: its action.
 * @typedef {Object} Choice
 * @property {number} id
 * @property {Action} action
 * @property {Note[]} [notes]
 */

/** @typedef {Start | Act | End} Request */

module.exports = {};
