"use strict";
// uses: french
/** The table of Nertz: the foundations of all in the middle, the layout of the seat that looks, and those of the rivals. */
(() => {
  const {el, zone, plate, count, seatsFrom} = arena.kit;
  const {card, back, stock, mark, short, SYMBOLS} = arena.french;
  const SUITS = "SHDC", RANKS = "A23456789TJQK", PILES = [0, 1, 2, 3], PACKET = 3, MIDDLE = "foundations";

  /** What a position says, with empty values for what it leaves out. */
  const filled = (position) => {
    const options = position.options ?? {}, units = position.units ?? [], seats = position.seats ?? units.length;
    return {
      ...position, options, seats, foundations: position.foundations ?? [], pending: position.pending ?? [], due: position.due ?? [],
      failed: position.failed ?? [], memory: position.memory ?? {}, perUnit: Math.max(1, Math.round(seats / (units.length || 1))),
      units: units.map((unit) => ({nertz: unit.nertz ?? [], stock: unit.stock ?? [], waste: unit.waste ?? [], work: PILES.map((pile) => unit.work?.[pile] ?? [])})),
      totals: units.map((_unit, at) => position.totals?.[at] ?? 0),
    };
  };

  const draw = (root, given, {seat, names, lang}) => {
    const word = arena.wordsOf("nertz", lang), page = arena.wordsOf("page", lang), position = filled(given), {perUnit} = position;
    const table = {position, word, page, lang, names, seat, mine: seat === null || seat === undefined ? null : Math.floor(seat / perUnit)};
    table.seatName = (who) => names?.[who] ?? `${page("seat")} ${who}`;
    table.members = (unit) => Array.from({length: perUnit}, (_, at) => unit * perUnit + at);
    table.unitName = (unit) => table.members(unit).map(table.seatName).join(word("and"));
    const order = seatsFrom(table.mine, position.units.length), others = table.mine === null ? order : order.slice(1);
    root.replaceChildren(el("div", {class: `nertz decks-${position.units.length} ${table.mine === null ? "is-open" : ""}`},
      el("div", {class: "centre"},
        heading(table),
        middle(table),
        table.mine === null ? null : layout(table, table.mine, "own")),
      el("div", {class: "rivals"}, others.map((unit) => layout(table, unit, table.mine === null ? "equal" : "rival")))));
  };

  const heading = (table) => {
    const {position, word} = table, {options} = position;
    return el("div", {class: "course"},
      count(word("round"), position.round ?? 1), el("span", {title: word("term_tick_note")}, count(word("tick"), position.tick ?? 0)),
      options.max_rounds === 1 ? null : count(word("target"), options.target ?? 100),
      position.stuck ? count(word("stuck"), word("of", {n: position.stuck, all: options.stuck_limit ?? 3})) : null,
      options.latency && options.latency !== "none" ? el("span", {class: "remark"}, word(`latency_${options.latency}`)) : null,
      position.phase === "over" ? el("strong", {class: "verdict"}, verdict(table)) : null);
  };

  const verdict = ({position, word, seatName}) =>
    position.caller === null || position.caller === undefined ? word("nobody_called") : word("called", {name: seatName(position.caller)});

  /** Every suit has a place for the ace of every deck, so that no foundation moves when another one is opened. */
  const middle = (table) => {
    const {position, word} = table, piles = position.foundations.map((pile, number) => ({...pile, number}));
    return el("section", {class: "field", "data-zone": MIDDLE, "aria-label": word("foundations")}, [...SUITS].map((suit) => {
      const own = piles.filter((pile) => pile.suit === suit);
      const free = Math.max(0, position.units.length - own.length);
      return el("div", {class: "suit"}, own.map((pile) => foundation(table, pile)),
        Array.from({length: free}, (_, place) => el("div", {
          class: `place suit-${suit}`, "data-zone": `place-${suit}-${own.length + place}`, "aria-label": word("place"), "aria-hidden": "true",
        }, SYMBOLS[suit])));
    }));
  };

  const foundation = ({position, word, lang, unitName}, {suit, units, number}) => {
    const size = units.length, top = units[size - 1], isClosed = size === RANKS.length;
    const tallies = position.units.map((_unit, unit) => ({unit, laid: units.filter((owner) => owner === unit).length})).filter(({laid}) => laid);
    const cards = units.map((owner, rank) => pileCard(suit + RANKS[rank], owner, lang, size - 1 - rank));
    cards.slice(-2).forEach((element, at, last) => element.append(mark(units[size - last.length + at])));
    const label = word("foundation_label", {suit: arena.wordsOf("page", lang)(`card_suit_${suit}`), n: size, name: unitName(top)});
    return el("div", {class: `foundation ${isClosed ? "is-closed" : ""}`},
      zone(`foundation-${number}`, label, "pile", cards),
      el("div", {class: "whose"}, tallies.map(({unit, laid}) =>
        el("span", {class: "tally", title: unitName(unit)}, mark(unit), String(laid)))),
      isClosed ? el("div", {class: "closed"}, word("closed")) : null);
  };

  /** A card of a pile with `above` cards upon it: the one beneath the top is seen, too, while the top comes or goes. */
  const pileCard = (text, unit, lang, above, classes = "", reach = 1) => {
    const element = card(text, {key: `${unit}:${text}`, lang, classes, shown: above <= reach ? "all" : "none"});
    if (above) element.setAttribute("aria-hidden", "true");
    return element;
  };

  /** A unit's plates and piles. `size`: "own", "rival", or "equal" where all cards are open. */
  const layout = (table, unit, size) => {
    const {position, word, page, names, seat, members} = table, isWinner = position.phase === "over" && !position.round_over && winners(position).includes(unit);
    return el("section", {class: `unit ${size}`, "aria-label": word("layout_label", {name: table.unitName(unit)})},
      el("div", {class: "plates"},
        members(unit).map((who) => plate(who, {names, turn: isChoosing(position, who), isMe: who === seat, word: page},
          position.caller === who ? el("strong", {class: "shout"}, word("shout")) : null, doings(table, who))),
        el("div", {class: "points"}, mark(unit), count(word("total"), written(position.totals[unit])),
          count(word("laid"), laidBy(position, unit)), count(word("this_round"), signed(roundPoints(position, unit))),
          isWinner ? el("strong", {class: "winner"}, word("wins")) : null)),
      el("div", {class: "piles"}, nertzPile(table, unit, size === "own"), work(table, unit), waste(table, unit, size !== "rival"), stockPile(table, unit)),
      size === "rival" ? null : ahead(table, unit));
  };

  const written = (number) => number < 0 ? `−${-number}` : String(number);
  const signed = (number) => (number > 0 ? "+" : "") + written(number);

  const laidBy = (position, unit) => position.foundations.reduce((sum, {units}) => sum + units.filter((owner) => owner === unit).length, 0);

  /** What the round would bring if it ended now (the rules, 4.5). */
  const roundPoints = (position, unit) => laidBy(position, unit) - 2 * position.units[unit].nertz.length +
    (unit === callingUnit(position) ? position.options.call_bonus ?? 0 : 0);

  const callingUnit = ({caller, perUnit}) => caller === null || caller === undefined ? null : Math.floor(caller / perUnit);

  /** All seats choose at the same time: a turn is shown only while some have chosen and others have not. */
  const isChoosing = ({phase, turn, pending}, who) => phase !== "over" && turn > 0 && turn === who && !pending[who];

  /** The Nertz pile; where the own one is empty, there is a large sign in its place, to call by. */
  const nertzPile = ({position, word, lang, unitName}, unit, isOwn) => {
    const cards = position.units[unit].nertz, name = `nertz-${unit}`, last = cards.length - 1;
    return slot("nertz", word("nertz_pile"), word("term_nertz_note"), cards.length,
      zone(name, word("nertz_label", {n: cards.length, name: unitName(unit)}), "pile", cards.map((text, at) =>
        at < last || text === "?" ? back(name, at, {lang, design: unit}) : card(text, {key: `${unit}:${text}`, lang})),
        isOwn && !cards.length && position.phase !== "over" ? el("span", {class: "call-sign"}, word("shout")) : null));
  };

  const work = ({position, word, lang, unitName}, unit) =>
    el("div", {class: "work"}, position.units[unit].work.map((cards, pile) =>
      zone(`work-${unit}-${pile}`, word("work_label", {pile: pile + 1, n: cards.length, name: unitName(unit)}), `column ${cards.length ? "" : "is-empty"}`,
        cards.map((text, at) => card(text, {key: `${unit}:${text}`, lang, shown: at === cards.length - 1 ? "all" : "top"})))));

  /** The waste; where all its cards are known, the last packet lies in a fan. */
  const waste = ({position, word, lang, unitName}, unit, isFanned) => {
    const cards = position.units[unit].waste, name = `waste-${unit}`, last = cards.length - 1, fan = isFanned ? PACKET : 1;
    const hidden = (at) => cards.slice(0, at).filter((text) => text === "?").length;
    return slot("waste", word("waste"), word("term_waste_note"), cards.length,
      zone(name, word("waste_label", {n: cards.length, name: unitName(unit)}), `packet ${cards.length ? "" : "is-empty"}`, cards.map((text, at) => {
        const above = last - at, classes = above < fan - 1 && at > 0 ? "beside" : "under";
        if (text !== "?" && above && above < fan) return card(text, {key: `${unit}:${text}`, lang, classes, shown: "left"});
        if (text !== "?") return pileCard(text, unit, lang, above, classes, fan);
        const covered = back(name, hidden(at), {lang, design: unit});
        covered.classList.add(classes);
        return covered;
      })));
  };

  const stockPile = ({position, word, unitName}, unit) => {
    const size = position.units[unit].stock.length;
    return slot("stock", word("stock"), word("term_stock_note"), size,
      stock(`stock-${unit}`, word("stock_label", {n: size, name: unitName(unit)}), size, {design: unit}));
  };

  const slot = (kind, label, note, size, pile) =>
    el("div", {class: `slot of-${kind}`, title: note}, pile, el("div", {class: "caption"}, count(label, size)));

  /** The cards that the next flips will open, as far as they are known: who has been through the stock remembers them. */
  const ahead = ({position, word, lang}, unit) => {
    const step = position.options.flip ?? PACKET, cards = position.units[unit].stock, opened = [];
    for (let at = step - 1; at < cards.length + step - 1; at += step) opened.push(cards[Math.min(at, cards.length - 1)]);
    const isUnknown = opened.every((text) => text === "?");
    return el("p", {class: "ahead"}, el("span", {class: "count-label"}, word("next_flips")), " ",
      isUnknown ? opened[0] ?? "–" : opened.map((text, at) => [at ? " · " : null, text === "?" ? "?" : short(text, lang)]));
  };

  /** What a seat has done in the last tick, what it has chosen in this one, and whether it is busy. */
  const doings = ({position, word, lang}, who) => {
    const {memory, pending, due, failed, phase} = position, move = position.caller === who ? null : memory.moves?.[who], choice = pending[who], since = memory.since?.[who];
    const isKnown = (value) => value !== null && value !== undefined;
    const hasFailed = failed.includes(who);
    return el("span", {class: "doings"},
      hasFailed ? el("span", {class: "doing failed"}, `✗ ${word("failed", {move: move ? inWords(move, word) : word("move")})}`) :
        move ? el("span", {class: "doing done"}, `${move === "begun" ? "…" : "✓"} ${inWords(move, word)}`) : null,
      phase !== "over" && isKnown(choice) ? el("span", {class: "doing chosen"}, choice === "?" ? word(isKnown(since) ? "busy" : "has_chosen") : word("chose", {move: inWords(choice, word)}),
        isKnown(due[who]) && due[who] !== "?" && due[who] > (position.tick ?? 0) ? ` ${word("counts_in", {tick: due[who]})}` : null,
        isKnown(since) ? ` ${word("since", {tick: since})}` : null) : null);
  };

  /** A move of the notation in words: "work 2 found" as "work pile 3 to a foundation". */
  const inWords = (move, word) => {
    const [from, to] = [/^(nertz|waste|work \d)/.exec(move)?.[0], / (found|work \d)$/.exec(move)?.[1]];
    if (!from || !to) return word(`move_${move}`);
    const place = (text) => text.startsWith("work") ? word("work_pile", {pile: Number(text.at(-1)) + 1}) : word(`place_${text}`);
    return word("from_to", {from: place(from), to: place(to)});
  };

  /** Who has won a match that is over (the rules, 4.5): with several at the target, the caller's unit if it is one of them. */
  const winners = (position) => {
    const {totals, options} = position, target = options.target ?? 100, there = totals.map((_total, unit) => unit).filter((unit) => totals[unit] >= target);
    if (there.includes(callingUnit(position))) return [callingUnit(position)];
    const most = Math.max(...totals);
    return totals.map((_total, unit) => unit).filter((unit) => totals[unit] === most);
  };

  /** What a move takes from where: the pile of the layout, and the cards that travel, of several the first one first. */
  const moved = (event, position, unit) => {
    const layout = position.units[unit], [from, first, to, second] = event.split(" ");
    if (from !== "work") return {source: `${from}-${unit}`, cards: layout[from].slice(-1)};
    const pile = layout.work[first], target = to === "work" ? layout.work[second].at(-1) : undefined;
    const start = target ? pile.findIndex((text) => RANKS.indexOf(text[1]) === RANKS.indexOf(target[1]) - 1) : pile.length - 1;
    return {source: `work-${unit}-${first}`, cards: start < 0 ? [] : pile.slice(start)};
  };

  const isPlay = (action) => / (found|work \d)$/.test(action);

  /**
   * How a person plays an action. Of the cards of a work pile that move together the first is picked up, the others go `along`; a
   * card goes to a foundation by being put anywhere in the middle, and lies in the zone `lands` then.
   */
  const moves = (action, {position, seat}) => {
    const given = filled(position), unit = Math.floor(seat / given.perUnit);
    if (action === "flip") return {cards: [], to: `stock-${unit}`};
    if (action === "call") return {cards: [], to: `nertz-${unit}`};
    if (!isPlay(action)) return {cards: [], to: null};
    const {source, cards} = moved(action, given, unit), target = action.split(" ").at(-1);
    const [first, ...along] = cards.map((text) => [source, `${unit}:${text}`]);
    const to = target === "found" ? MIDDLE : `work-${unit}-${target}`;
    return {cards: [first], along, to, lands: target === "found" ? fitting(given, cards[0]) : to};
  };

  /** The zone in the middle where a card would lie, if nobody comes first. */
  const fitting = ({foundations}, [suit, rank]) => {
    const size = RANKS.indexOf(rank), at = foundations.findIndex((pile) => pile.suit === suit && pile.units.length === size);
    return size && at >= 0 ? `foundation-${at}` : `place-${suit}-${foundations.filter((pile) => pile.suit === suit).length}`;
  };

  /** A card in words; `text` as in its key, with the deck it is from. */
  const name = (text, lang) => arena.french.name(text.split(":").at(-1), lang);

  const say = (event, {lang, position, seat}) => {
    const word = arena.wordsOf("nertz", lang);
    if (!isPlay(event)) return word(`say_${event}`);
    const given = filled(position ?? {}), unit = Math.floor(seat / given.perUnit);
    const card = given.units[unit] ? moved(event, given, unit).cards[0] : null;
    return card && card !== "?" ? word("say_card", {card: short(card, lang), move: inWords(event, word)}) : word("say_move", {move: inWords(event, word)});
  };

  /** Some cards apart from any table, by the texts of their keys: for a page that speaks of them. */
  const picture = (texts, {lang}) => el("div", {class: "nertz"}, arena.french.cards(texts, {lang}));

  /** Where cards may be laid, and what that is worth. */
  const aid = (lang) => {
    const word = arena.wordsOf("nertz", lang), cards = (...texts) => texts.map((text) => card(text, {key: text, lang}));
    return {look: "nertz", title: word("aid_title"),
      rows: [[cards("SA", "S2", "S3"), word("aid_middle")], [cards("S9", "H8", "C7"), word("aid_work")], [cards("D4"), word("aid_nertz")],
        [back("aid", 0, {lang, design: 0}), word("aid_flip")]],
      notes: ["aid_slot", "aid_race", "aid_end"].map((key) => word(key))};
  };

  arena.table("nertz", {draw, say, moves, name, short: (text, lang) => short(text.split(":").at(-1), lang), picture, aid, quiet: ["flip"]});
})();
