"use strict";
// uses: french
/** The table of Yaniv: the discards between the rivals and the own hand, and what has been discarded in this round. */
(() => {
  const {el, svg, zone, plate, count, seatsFrom, term} = arena.kit;
  const {card, back, stock, short, SYMBOLS} = arena.french;
  const RANKS = "A23456789TJQK", SUITS = "SHDC", JOKER = "*", PICTURES = "TJQK", TAKEN = "0", PENALTY = 30;

  /** What a position says, with empty values for what it leaves out. */
  const filled = (position) => {
    const hands = position.hands ?? [], seats = position.seats ?? hands.length;
    return {
      ...position, seats, options: position.options ?? {}, hands: Array.from({length: seats}, (_, who) => hands[who] ?? []),
      totals: Array.from({length: seats}, (_, who) => position.totals?.[who] ?? 0), dropped: position.dropped ?? [],
      stock: position.stock ?? [], previous: position.previous ?? [], laid: position.laid ?? [], buried: position.buried ?? [], memory: position.memory ?? {},
    };
  };

  const draw = (root, given, {seat, names, lang}) => {
    const table = {position: filled(given), word: arena.wordsOf("yaniv", lang), page: arena.wordsOf("page", lang), lang, names, seat: seat ?? null, keys: numbered()};
    const {position} = table;
    table.seatName = (who) => names?.[who] ?? `${table.page("seat")} ${who}`;
    table.known = position.hands.map((_hand, who) => knownOf(position, who));
    table.end = position.phase === "over" ? ending(position) : null;
    const order = seatsFrom(table.seat, position.seats);
    // Hands first, then the heaps: so each copy of a card has the same number in its key wherever the table shows it.
    const players = order.map((who) => player(table, who)), centre = middle(table), gone = record(table);
    root.replaceChildren(el("div", {class: `yaniv ${table.seat === null ? "is-open" : ""} seats-${position.seats}`},
      heading(table),
      el("div", {class: "play"},
        el("div", {class: "rivals"}, table.seat === null ? players : players.slice(1)),
        centre,
        table.seat === null ? null : players[0]),
      gone));
  };

  /** Keys of cards: the copies of a card, and the jokers, are counted in the order in which they are drawn. */
  const numbered = () => {
    const counts = new Map();
    return (text) => {
      const number = counts.get(text) ?? 0;
      counts.set(text, number + 1);
      return number ? `${text}#${number}` : text;
    };
  };

  /** The cards of a hand that everybody has seen: they were taken openly. */
  const knownOf = ({hands, memory}, who) => memory.known?.[who] ?? hands[who].filter((_text, place) => memory.origins?.[who]?.[place] === TAKEN);

  const heading = ({position, word, seatName, end}) => {
    const {options} = position;
    return el("div", {class: "course"},
      count(word("round"), position.round ?? 1), count(word("turn"), (position.turns ?? 0) + 1),
      count(word("threshold"), options.threshold === "none" ? word("any") : word("at_most", {n: options.threshold ?? 5})),
      options.max_rounds === 1 ? null : count(word(options.mode === "elim201" ? "drop_limit" : "limit"), options.limit ?? 101),
      options.slap_down ? el("span", {class: "remark"}, word("with_slap")) : null,
      end ? el("strong", {class: "verdict"}, verdict(end, word, seatName)) : null);
  };

  const verdict = ({caller, value, beaters}, word, seatName) =>
    caller === null ? word("nobody_called") :
      beaters.length ? word("beaten", {name: seatName(caller), n: value, others: beaters.map(seatName).join(word("and")), penalty: PENALTY}) :
        word("called", {name: seatName(caller), n: value});

  const points = (cards) => cards.reduce((sum, text) => sum + (text === JOKER ? 0 : PICTURES.includes(text[1]) ? 10 : RANKS.indexOf(text[1]) + 1), 0);

  /**
   * How a match ended that is over. The caller is the seat whose turn it was: from the starter on, seat by seat, as many turns
   * were completed as the position says. Nobody called where the turns ran out.
   */
  const ending = ({seats, dropped, round, starter, turns, options, hands, totals}) => {
    const isIn = (who) => !dropped[who] || dropped[who] === (round ?? 1);
    const order = seatsFrom(starter ?? 0, seats).filter(isIn), isTimeout = (turns ?? 0) >= (options.turn_limit ?? 100) * order.length;
    const caller = isTimeout ? null : order[(turns ?? 0) % order.length], values = hands.map(points);
    const ranking = (who) => [dropped[who] ? (round ?? 1) + 1 - dropped[who] : 0, totals[who]];
    const isBetter = ([out, total], [otherOut, otherTotal]) => out < otherOut || (out === otherOut && total < otherTotal);
    const all = [...hands.keys()];
    return {
      caller, values, value: caller === null ? null : values[caller],
      beaters: caller === null ? [] : order.filter((who) => who !== caller && values[who] <= values[caller]),
      winners: all.filter((who) => !all.some((other) => isBetter(ranking(other), ranking(who)))),
    };
  };

  const player = (table, who) => {
    const {position, word, page, names, seat, seatName, end} = table, hand = position.hands[who], isMe = who === seat;
    const isOut = position.dropped[who] > 0 && !(end && position.dropped[who] === position.round);
    return el("section", {class: `seat-area ${isMe ? "own" : seat === null ? "equal" : "rival"} ${isOut ? "is-out" : ""}`, "aria-label": word("player_label", {name: seatName(who)})},
      plate(who, {names, turn: position.phase !== "over" && position.turn === who, isMe, word: page},
        position.starter === who ? term(word("starter"), word("term_starter_note"), "tag") : null,
        end?.caller === who ? el("strong", {class: "shout"}, word("shout")) : null,
        end?.beaters.includes(who) ? term(word("assaf"), word("term_assaf_note"), "tag beater") : null,
        end?.winners.includes(who) && !position.round_over ? el("strong", {class: "winner"}, word("wins")) : null),
      total(table, who),
      isOut ? el("p", {class: "remark"}, word("dropped", {n: position.dropped[who]})) : handOf(table, who),
      isOut ? null : handFacts(table, who, hand));
  };

  const total = ({position, word}, who) => {
    if (position.options.max_rounds === 1) return el("div", {class: "total"}, count(word("total"), position.totals[who]));
    const limit = position.options.limit ?? 101, meter = el("span", {class: "meter", "aria-hidden": "true"}, el("span", {class: "filled"}));
    meter.firstChild.style.setProperty("width", `${Math.min(100, Math.max(0, Math.round(100 * position.totals[who] / limit)))}%`);
    return el("div", {class: "total"}, count(word("total"), position.totals[who]), el("span", {class: "of-limit"}, `/ ${limit}`), meter);
  };

  /** A hand: open cards, then those that are hidden. What everybody has seen bears an eye. */
  const handOf = (table, who) => {
    const {position, word, lang, keys, seat, seatName} = table, isMe = who === seat, hand = position.hands[who], seen = [...table.known[who]];
    const hidden = hand.filter((text) => text === "?").length, texts = hidden ? [...seen.slice(0, hidden), ...hand.filter((text) => text !== "?")] : hand;
    const drawn = position.phase === "slap" && position.turn === who ? position.drawn : null, size = hand.length;
    const isKnown = texts.map((text) => seen.includes(text) && seen.splice(seen.indexOf(text), 1).length > 0);
    const drawnAt = texts.lastIndexOf(drawn);
    return zone(`hand-${who}`, word("hand_label", {name: seatName(who), n: size}), `fan size-${Math.max(size, 1)}`,
      texts.map((text, place) => {
        const label = arena.french.name(text, lang) + (isKnown[place] ? word("known_label") : "");
        const element = card(text, {key: keys(text), lang, label, shown: isMe || place === size - 1 ? "all" : "left", classes: place === drawnAt ? "just-drawn" : ""});
        if (isKnown[place]) element.append(eye());
        return element;
      }),
      Array.from({length: size - texts.length}, (_, place) => back(`hand-${who}`, place, {lang})),
      size ? null : el("span", {class: "remark"}, word("no_cards")));
  };

  const eye = () => svg("svg", {viewBox: "0 0 20 12", class: "eye", "aria-hidden": "true"},
    svg("path", {d: "M1 6Q10-4 19 6Q10 16 1 6Z"}), svg("circle", {cx: 10, cy: 6, r: 2.8}));

  const handFacts = ({position, word, seat, end}, who, hand) => {
    if (hand.includes("?")) return null;
    const value = points(hand), most = position.options.threshold ?? 5, isMidTurn = position.phase !== "start" && position.turn === who;
    const mayCall = !isMidTurn && (most === "none" || value <= most);
    return el("p", {class: "hand-facts"}, count(word("in_hand"), value),
      !end && mayCall ? el("strong", {class: "tag good"}, word("may_call")) : null,
      !end && who === seat && position.phase === "slap" ? el("strong", {class: "tag"}, word("may_slap")) : null);
  };

  /** Stock and discards. Which of the previous discard may be taken stands out, and says so. */
  const middle = (table) => {
    const {position, word, lang, keys, seatName} = table, size = position.stock.length, takes = takeable(position);
    const previous = position.previous.map((text, place) => {
      const element = card(text, {key: keys(text), lang, label: arena.french.name(text, lang) + (takes[place] ? word("take_label") : ""), classes: takes[place] ? "may-take" : ""});
      if (takes[place]) element.setAttribute("data-take", takes[place]);
      return element;
    });
    const laid = position.laid.map((text) => card(text, {key: keys(text), lang}));
    return el("section", {class: "field"},
      heap("stock", word("stock"), size, stock("stock", word("stock_label", {n: size}), size)),
      heap("previous", word("previous"), null, zone("previous", word("previous_label", {n: previous.length}), "row", previous),
        takes.some(Boolean) ? el("span", {class: "remark"}, word(takes.every(Boolean) ? "take_all" : "take_ends")) : null),
      position.phase === "over" ? null : heap("laid", position.turn === null || position.turn === undefined || !laid.length ? word("laid") : word("laid_by", {name: seatName(position.turn)}), null,
        zone("laid", word("laid_label", {n: laid.length}), `row ${laid.length ? "" : "is-empty"}`, laid)));
  };

  const heap = (kind, label, size, pile, note = null) =>
    el("div", {class: `heap of-${kind}`}, el("div", {class: "caption"}, size === null ? label : count(label, size)), pile, note);

  /** For each card of the previous discard the draw that takes it, null for one that must lie (the rules, 5.2). */
  const takeable = ({previous, phase, options}) => {
    const last = previous.length - 1, isSet = previous.every((text) => rank(text) === rank(previous[0]));
    if (phase === "over" || phase === "slap") return previous.map(() => null);
    return previous.map((_text, place) =>
      place === 0 ? "draw first" : place === last ? "draw last" : options.set_take === "any" && isSet ? `draw ${place}` : null);
  };

  const rank = (text) => text === JOKER ? JOKER : text[1];

  /** The buried cards as a board of suits and ranks: at one glance what cannot come any more. */
  const record = ({position, word, lang, keys}) => {
    const counts = {};
    const cards = position.buried.map((text) => {
      const copy = counts[text] = (counts[text] ?? -1) + 1, at = text === JOKER ? `suit-joker rank-${copy + 1}` : `suit-${text[0]} rank-${RANKS.indexOf(text[1]) + 1} copy-${copy}`;
      return card(text, {key: keys(text), lang, shown: "rank", classes: at});
    });
    const head = (text, classes) => el("span", {class: `head ${classes}`, "aria-hidden": "true"}, text);
    return el("section", {class: "record"},
      el("div", {class: "caption"}, count(word("buried"), position.buried.length)),
      zone("buried", word("buried_label", {n: position.buried.length}), "board",
        [...RANKS].map((text, at) => head(text === "T" ? "10" : text, `rank-${at + 1}`)), [...SUITS].map((suit) => head(SYMBOLS[suit], `suit-${suit}`)), head("★", "suit-joker"),
        cards),
      earlier({position, word, lang}));
  };

  /** After a reshuffle: the cards that have been in the hands since before it, and how many each seat holds. */
  const earlier = ({position, word, lang}) => (position.memory.earlier ?? []).map(({cards, held}) =>
    el("p", {class: "remark"}, word("earlier", {
      cards: (cards ?? []).map((text) => short(text, lang)).join(" "),
      held: (held ?? []).map((number, who) => number ? word("held", {seat: who, n: number}) : "").filter(Boolean).join(word("and")),
    })));

  /**
   * How a person plays an action. Discards of the same cards that differ in their order (the ends of a set, the place of a joker) are
   * told apart by the order of `cards`.
   */
  const moves = (action, {position, seat}) => {
    const [kind, ...rest] = action.split(" "), {previous, drawn} = filled(position), hand = `hand-${seat}`;
    if (kind === "discard") return {cards: rest.map((text) => [hand, text]), to: "laid"};
    if (kind === "slap") return {cards: [[hand, drawn]], to: "laid"};
    if (action === "draw stock") return {cards: [], to: "stock"};
    if (kind !== "draw") return {cards: [], to: null};
    const place = rest[0] === "first" ? 0 : rest[0] === "last" ? previous.length - 1 : Number(rest[0]);
    const isOnlyCopy = previous.indexOf(previous[place]) === place;   // of equal cards the first one is taken by its card
    return isOnlyCopy ? {cards: [["previous", previous[place]]], to: hand} : {cards: [], to: null};
  };

  const say = (event, {lang, position}) => {
    const word = arena.wordsOf("yaniv", lang), [kind, ...rest] = event.split(" "), previous = position?.phase === "draw" ? position.previous ?? [] : [];
    if (kind === "discard") return word("say_discard", {cards: rest.map((text) => short(text, lang)).join(" ")});
    if (kind !== "draw") return word(`say_${kind}`);
    if (rest[0] === "stock") return word("say_draw_stock");
    const place = rest[0] === "first" ? 0 : rest[0] === "last" ? previous.length - 1 : Number(rest[0]), taken = previous[place];
    const isOnlyCopy = previous.indexOf(taken) === previous.lastIndexOf(taken);
    return taken ? word(isOnlyCopy ? "say_take" : "say_take_copy", {card: short(taken, lang), n: place + 1}) : word(/\d/.test(rest[0]) ? "say_draw_middle" : `say_draw_${rest[0]}`);
  };

  /** Some cards apart from any table, by the texts of their keys: for a page that speaks of them. */
  const picture = (texts, {lang}) => el("div", {class: "yaniv"}, arena.french.cards(texts, {lang}));

  /** What the cards are worth, what may be laid, and what a call brings. */
  const aid = (lang) => {
    const word = arena.wordsOf("yaniv", lang), cards = (...texts) => texts.map((text) => card(text, {key: text, lang}));
    return {look: "yaniv", title: word("aid_title"),
      rows: [[cards("SA"), word("aid_ace")], [cards("D7"), word("aid_number")], [cards("HJ", "CQ", "SK"), word("aid_court")], [cards("*"), word("aid_joker")],
        [cards("S6", "H6"), word("aid_set")], [cards("H4", "H5", "*", "H7"), word("aid_run")]],
      notes: ["aid_call", "aid_caught", "aid_end"].map((key) => word(key))};
  };

  arena.table("yaniv", {draw, say, moves, name: arena.french.name, short, picture, aid});
})();
