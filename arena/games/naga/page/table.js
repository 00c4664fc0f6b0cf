"use strict";
/** The table of Naga: the seven places of the islands between two hands. Cards have faces of their own, drawn here. */
(() => {
  const {el, svg, copyOf, card, zone, back, stock, seatsFrom, breakable, plate, count, term} = arena.kit;
  const TRUMPS = ["", "d", "f", "t", "w", "e", "l", "a"];  // by place
  const ELTAM = 4, PER_CONTEST = 6, HEAVEN = "dl", MOONS = "IK";

  // The symbols of the attributes in a field of 24 x 24, each of its own shape: colour is not needed to tell them apart.
  const SYMBOLS = {
    d: () => [svg("circle", {cx: 12, cy: 12, r: 10.2, class: "stroke"}), svg("circle", {cx: 12, cy: 12, r: 7.4})],
    l: () => [svg("circle", {cx: 12, cy: 12, r: 4.8}), ray("M12 .8v4M12 19.2v4M.8 12h4M19.2 12h4M4.1 4.1l2.8 2.8M17.1 17.1l2.8 2.8M4.1 19.9l2.8-2.8M17.1 6.9l2.8-2.8")],
    f: () => [svg("path", {d: "M12.4.8c.8 5 6.8 7.4 6.8 14.2a7.2 7.2 0 0 1-14.4 0c0-3.8 2.2-5.6 3.2-8.6 1.4 1.3 1.9 2.6 2.2 4.3 1.8-2.5 2.7-6 2.2-9.9Z"}),
      svg("path", {d: "M12.2 12.5c.4 2 2.9 3 2.9 5.4a3.1 3.1 0 0 1-6.2 0c0-2.2 2.5-3 3.3-5.4Z", class: "light"})],
    a: () => [ray("M1.5 8.6h12.2a3.4 3.4 0 1 0-3.2-4.6M1.5 13.2h17a3.4 3.4 0 1 1-3.2 4.6M1.5 17.8h7.8a2.5 2.5 0 1 1-2.4 3.4")],
    w: () => [svg("path", {d: "M12 1.2c3.8 5.8 7.4 9.8 7.4 14.2a7.4 7.4 0 0 1-14.8 0C4.6 11 8.2 7 12 1.2Z"}), svg("path", {d: "M8 15.2a4.2 4.2 0 0 0 4 4.3", class: "shine"})],
    t: () => [svg("path", {d: "M3.2 21.2C1.6 10 9 2.4 21.8 2.4c.6 12.4-6.8 19.6-17 17.4Z"}), svg("path", {d: "M2.2 22.4C6.6 15.2 10.8 11.2 16 8M8.4 14.4l-.6-5M11.6 11.6l5 1", class: "shine"})],
    e: () => [svg("path", {d: "M.8 20.6 8.6 5.2l4.2 7.2 2.6-4.2 7.8 12.4Z"}), svg("path", {d: "M6.6 9.2l2 2 2-2.4", class: "shine"})],
  };
  const ray = (d) => svg("path", {d, class: "stroke"});

  const symbol = (attribute, place = {}) => svg("g", {class: "symbol", ...place}, SYMBOLS[attribute]());

  /** An attribute's symbol as a picture in a line of text. */
  const icon = (attribute) => copyOf(`naga ${attribute}`, () =>
    svg("svg", {viewBox: "0 0 24 24", class: `icon of-${attribute}`, "aria-hidden": "true"}, symbol(attribute)));

  /** The face of a card, 100 x 140 units. Cards of heaven have a double frame, as they rank above those of earth. */
  const face = (text, word) => {
    const [make, name] = MOONS.includes(text) ? [moonFace, text] : [cardFace, text[0]];
    return copyOf(`naga ${text} ${word(name)}`, () => make(text, word));   // the word is on the card: another one in each language
  };

  const cardFace = (text, word) => svg("svg", {viewBox: "0 0 100 140", class: `of-${text[0]}`, "aria-hidden": "true"},
    svg("rect", {width: 100, height: 140, class: "tint"}),
    svg("rect", {x: 5, y: 5, width: 90, height: 130, rx: 6, class: "frame"}),
    HEAVEN.includes(text[0]) ? svg("rect", {x: 9, y: 9, width: 82, height: 122, rx: 4, class: "frame"}) : null,
    svg("text", {x: 25, y: 44, class: "numeral"}, text[1]),
    symbol(text[0], {transform: "translate(62 14) scale(1)"}),
    symbol(text[0], {transform: "translate(23 50) scale(2.25)"}),
    svg("text", {x: 50, y: 126, class: "word"}, word(text[0])));

  const moonFace = (text, word) => svg("svg", {viewBox: "0 0 100 140", class: "of-moon", "aria-hidden": "true"},
    svg("rect", {width: 100, height: 140, class: "night"}),
    svg("path", {d: "M78 22l1.6 4 4 1.6-4 1.6-1.6 4-1.6-4-4-1.6 4-1.6ZM84 96l1 2.6 2.6 1-2.6 1-1 2.6-1-2.6-2.6-1 2.6-1ZM16 100l1 2.6 2.6 1-2.6 1-1 2.6-1-2.6-2.6-1 2.6-1Z", class: "star"}),
    text === "I" ?
      [svg("circle", {cx: 50, cy: 70, r: 31, class: "moon"}), svg("path", {d: "M39 58a7 7 0 1 0 .1 0ZM62 70a9 9 0 1 0 .1 0ZM58 48a4 4 0 1 0 .1 0ZM41 82a5 5 0 1 0 .1 0Z", class: "crater"})] :
      [svg("path", {d: "M56 49a21 21 0 1 0 15 32A23 23 0 0 1 56 49Z", class: "moon"})],
    svg("text", {x: 22, y: 38, class: "numeral"}, text),
    svg("text", {x: 50, y: 127, class: "word"}, word(text)));

  const nameOf = (text, word) => MOONS.includes(text) ? word(`${text}_long`) : word("card", {attribute: word(text[0]), number: text[1]});

  /** Cards of a zone: open ones by their text, hidden ones as backs. */
  const cards = (name, texts, word, trump) => texts.map((text, index) => text === "?" ? back(name, index, word("hidden")) :
    card(text, face(text, word), nameOf(text, word), trump && (text[0] === trump || MOONS.includes(text)) ? "is-trump" : ""));

  /** What a position says, with empty values for what it leaves out. */
  const filled = (position) => ({...position, places: position.places ?? {}, won: position.won ?? {}, hands: position.hands ?? [], stock: position.stock ?? [],
    pending: position.pending ?? [], shown: position.shown ?? [], games: position.games ?? []});

  const draw = (root, given, {seat, names, lang}) => {
    const word = arena.wordsOf("naga", lang), page = arena.wordsOf("page", lang), position = filled(given);
    const table = {position, word, page, names, seat, nameOf: (who) => names?.[who] ?? `${page("seat")} ${who}`,
      trump: position.phase === "select" ? TRUMPS[position.place] : null};
    const [mine, other] = seatsFrom(seat, 2);
    root.replaceChildren(el("div", {class: "naga"},
      heading(table),
      player(table, other, "other"),
      el("div", {class: "islands"}, [1, 2, 3, 4, 5, 6, 7].map((place) => island(table, place, mine))),
      player(table, mine, "mine"),
      played(table)));
  };

  const heading = ({position, word}) => el("div", {class: "course"},
    stock("stock", word("stock_label", {n: position.stock.length}), position.stock.length),
    el("div", {class: "course-facts"},
      count(word("stock"), position.stock.length),
      count(word("game"), position.round ?? 1),
      count(word("contest"), word("contest_of", {n: position.contest ?? 1}))));

  const island = ({position, word, nameOf: called}, place, mine) => {
    const trump = TRUMPS[place], winner = position.won[place], isContested = position.phase === "select" && position.place === place;
    const state = isContested ? "contested" : winner === "tie" ? "tied" : winner !== undefined ? "won_by" : "open";
    const side = state === "won_by" ? (winner === mine ? "to-mine" : "to-other") : "";
    return el("section", {class: `island place-${place} is-${state} ${side}`, "data-zone": `island-${place}`, "aria-label": word(`place_${place}`)},
      el("h4", {}, el("span", {class: "place-number", "aria-hidden": "true"}, String(place)), " ", word(`place_${place}`)),
      el("p", {class: "trump", title: word("term_trump_note")}, icon(trump), el("span", {class: "word"}, " ", word("trump")), " ", word(trump)),
      zone(`place-${place}`, word("field", {place: word(`place_${place}`)}), "row", cards(`place-${place}`, position.places[place] ?? [], word, isContested ? trump : null)),
      el("p", {class: "outcome"}, state === "won_by" ? el("span", {class: "seat-number", "aria-hidden": "true"}, String(winner)) : null, " ",
        el("span", {}, breakable(word(state, {name: called(winner)})))));
  };

  const player = ({position, word, page, names, seat, trump, nameOf: called}, who, side) => {
    const chosen = position.pending[who] ?? [], hand = position.hands[who] ?? [], isHidden = chosen[0] === "?";
    const kept = isHidden ? hand.slice(chosen.length) : hand.filter((text) => !chosen.includes(text));
    return el("section", {class: `side ${side}`},
      plate(who, {names, turn: position.phase === "select" ? !chosen.length : position.turn === who,   // both choose at once
        isMe: seat === who, word: page},
        term(word(position.parent === who ? "parent" : "child"), word(position.parent === who ? "term_parent_note" : "term_child_note"), "role"),
        count(word("field_cards"), fieldCards(position, who)),
        count(word("games_won"), position.games[who] ?? 0),
        position.phase === "over" && !position.round_over ? result(position, who, word) : null),
      el("div", {class: "cards"},
        zone(`hand-${who}`, word("hand", {name: called(who)}), "row hand", cards(`hand-${who}`, kept, word, trump)),
        chosen.length ? el("div", {class: "choice"},
          zone(`chosen-${who}`, word("chosen", {name: called(who)}), "row", cards(`chosen-${who}`, chosen, word, trump)),
          el("p", {class: "count-label"}, word("hearing"))) : null));
  };

  const fieldCards = ({won}, who) => Object.entries(won).reduce((sum, [place, winner]) => sum + (winner === who ? Number(place) === ELTAM ? 3 : 1 : 0), 0);

  const result = ({games}, who, word) => {
    const [own, other] = [games[who] ?? 0, games[1 - who] ?? 0];
    return own > other ? el("strong", {class: "result"}, word("wins")) : own === other ? el("span", {class: "result"}, word("draw")) : null;
  };

  /** The cards of the contests so far, the last one first and larger; in each, seat 0's half before seat 1's. */
  const played = ({position, word, nameOf: called}) => {
    const contests = [];
    for (let at = 0; at < position.shown.length; at += PER_CONTEST) contests.push(position.shown.slice(at, at + PER_CONTEST));
    const half = (texts, who) => el("span", {class: "half"}, el("span", {class: "seat-number", title: called(who)}, String(who)), cards("shown", texts, word));
    return el("section", {class: "played"},
      el("h4", {}, word("played")),
      contests.length ? null : el("p", {class: "count-label"}, word("none_played")),
      zone("shown", word("played"), "contests", contests.map((texts, index) =>
        el("div", {class: index === contests.length - 1 ? "contest latest" : "contest"},
          el("span", {class: "count-label"}, word("contest_number", {n: index + 1})),
          half(texts.slice(0, texts.length / 2), 0), half(texts.slice(texts.length / 2), 1))).reverse()));
  };

  const say = (event, {lang}) => {
    const word = arena.wordsOf("naga", lang), [kind, ...rest] = event.split(" ");
    if (kind === "field") return word("say_field", {place: word(`place_${rest[0]}`), attribute: word(TRUMPS[rest[0]])});
    return word("say_select", {cards: rest.map((text) => nameOf(text, word)).join(word("say_separator"))});
  };

  /** A click on an island designates its place; cards are chosen in the hand, and may be put on the contested one. */
  const moves = (action, {position, seat}) => {
    const [kind, ...rest] = action.split(" ");
    if (kind === "field") return {cards: [], to: `island-${rest[0]}`};
    return {cards: rest.map((text) => [`hand-${seat}`, text]), to: `island-${position.place}`};
  };

  const name = (text, lang) => nameOf(text, arena.wordsOf("naga", lang));

  /** Some cards apart from any table, by the texts of their keys: for a page that speaks of them. */
  const picture = (texts, {lang}) => el("div", {class: "naga"}, cards("picture", texts, arena.wordsOf("naga", lang)));

  const HANDS = [["aid_four", "f6 a6 w6 l6"], ["aid_flush", "f1 f3 f4 f7"], ["aid_straight", "t3 d4 e5 w6"], ["aid_three", "w5 t5 l5 f2"], ["aid_two_pair", "a7 e7 d3 t3"],
    ["aid_pair", "l4 f4 a6 w1"], ["aid_none", "d7 f5 w3 t1"]];

  /** The hands, best first. */
  const aid = (lang) => {
    const word = arena.wordsOf("naga", lang);
    return {look: "naga", title: word("aid_title"), rows: HANDS.map(([key, texts]) => [cards("aid", texts.split(" "), word), word(key)]),
      notes: ["aid_made", "aid_equal", "aid_aim"].map((key) => word(key))};
  };

  arena.table("naga", {draw, say, moves, name, picture, aid});
})();
