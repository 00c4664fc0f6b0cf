"use strict";
/**
 * What every table is drawn with: elements, cards, seats, words. A classic script without imports, so that the same file
 * is served by the server and written into the one page of an offline report. The content policy of both forbids inline
 * styles: set them by `element.style.setProperty`, never by an attribute in markup.
 */
const arena = (window.arena ??= {});
arena.tables = {};   // game -> {draw, say}: filled by the `page/table.js` of each room
arena.words = {};    // "page" or a game -> language -> key -> text: filled by whoever serves the page

/** A room's table. `draw(root, position, {seat, names, lang})`, a pure function; `say(event, {lang})`: an action in words. */
arena.table = (game, table) => { arena.tables[game] = table; };

/**
 * The words of a catalogue in one language: `words("card", {n: 3})` fills `{n}`; a missing key is shown as it is. Where `n` is 1,
 * `card_one` is said, if it is there.
 */
arena.wordsOf = (catalogue, lang) => {
  const texts = arena.words[catalogue] ?? {};
  return (key, values = {}) => {
    const found = (name) => texts[lang]?.[name] ?? texts.en?.[name];
    const text = (String(values.n) === "1" ? found(`${key}_one`) : null) ?? found(key) ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  };
};

/** The name of a rating pool, as readers know it: the title of its game, or its label. */
arena.poolName = (pool, lang) => {
  const key = `pool_${pool}`, text = arena.wordsOf("page", lang)(key);
  return text === key ? pool : text;
};

/** What somebody does, as rooms say it ("plays wood 6"), as what one may do: "play wood 6". For buttons and hints. */
arena.imperative = (text, lang) => lang === "en" ? text.replace(/^(\w+?)(?:(?<=ss|sh|ch|x)es|s)\b/, "$1") : text;

arena.kit = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  /** An element: `el("p", {class: "note", "data-key": 3}, "text", child)`. Attributes that are null or false are left out. */
  const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

  /** An element of a drawing, as `el`. */
  const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

  const filled = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  };

  const drawings = new Map();

  /** A copy of the drawing of a name; `make()` draws it the first time. To copy one takes a fifth of the time. */
  const copyOf = (name, make) => {
    if (!drawings.has(name)) drawings.set(name, make());
    return drawings.get(name).cloneNode(true);
  };

  /**
   * A card. `key`: which card it is, the same in every position in which it is known, for the animation: its text, and behind
   * a `#` what tells it from its likes, if there are any; `face`: an SVG element of 100 x 140 units, null for the back; `label`:
   * its name for a screen reader; `classes`: more CSS classes.
   */
  const card = (key, face, label, classes = "") =>
    el("span", {class: `playing-card ${face ? "" : "card-back"} ${classes}`.trim(), "data-key": key, role: "img", "aria-label": label}, face);

  /**
   * A place where cards lie. `name`: its address for the animation, such as "stock" or "hand-2"; `label`: what it is, in
   * words; `classes`: "row" (side by side), "fan" (overlapping to the right), "column" (overlapping downwards), "pile"
   * (one upon the other), and the game's own.
   */
  const zone = (name, label, classes, ...cards) =>
    el("div", {class: `zone ${classes}`, "data-zone": name, role: "group", "aria-label": label}, ...cards);

  /** A hidden card of a zone. `index`: how many of the hidden cards there came before it. */
  const back = (name, index, label, classes = "") => card(`?${name}#${index}`, null, label, classes);

  /** `size` hidden cards upon each other. To a screen reader they are one thing, called `label`. */
  const stock = (name, label, size, classes = "") => {
    const pile = zone(name, label, `pile ${classes}`, Array.from({length: size ?? 0}, (_, index) => back(name, index, label)));
    pile.setAttribute("role", "img");
    return pile;
  };

  /** The seats in the order of play, so that `seat` (null: seat 0) comes first. */
  const seatsFrom = (seat, seats) => Array.from({length: seats}, (_, step) => ((seat ?? 0) + step) % seats);

  /** A text with names in it, for little room: it may also break where the parts of a name meet, behind `_` and `-`. */
  const breakable = (text) => text.split(/(?<=[_-])/).flatMap((part, number) => number ? [el("wbr"), part] : [part]);

  /** A seat's plate: its name, whose turn it is, and what else is to be said (`facts`: elements or texts). */
  const plate = (seat, {names, turn, isMe, word}, ...facts) =>
    el("header", {class: `plate ${turn ? "to-move" : ""} ${isMe ? "me" : ""}`, "data-seat": seat},
      el("span", {class: "seat-number", "aria-hidden": "true"}, String(seat)),
      el("span", {class: "seat-name"}, breakable(names?.[seat] ?? `${word("seat")} ${seat}`)),
      turn ? el("span", {class: "turn-mark"}, word("to_move")) : null,
      ...facts);

  /** A number with what it counts: "stock 21". */
  const count = (label, number) =>
    el("span", {class: "count"}, el("span", {class: "count-label"}, label), " ", el("span", {class: "count-number"}, String(number)));

  /** A word that a player may not know, with what it means: to be read by pointing at it, touching it, or with the keyboard. */
  const term = (label, note, classes = "") => el("abbr", {class: `term ${classes}`.trim(), tabindex: "0", title: note, "data-note": note}, label);

  return {el, svg, copyOf, card, zone, back, stock, seatsFrom, breakable, plate, count, term};
})();
