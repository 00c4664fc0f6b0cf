"use strict";
/** The table of Nana Toridori: seven birds, hands that may not be sorted, and what is on the table between them. */
(() => {
  const {el, svg, copyOf, card, zone, back, stock, seatsFrom, plate, count} = arena.kit;
  const HIDDEN = "?", VALUES = [1, 2, 3, 4, 5, 6, 7];

  const path = (d, fill) => svg("path", {d, class: fill});
  const circle = (cx, cy, r, fill) => svg("circle", {cx, cy, r, class: fill});
  const ellipse = (cx, cy, rx, ry, fill, turn = 0) => svg("ellipse", {cx, cy, rx, ry, class: fill, transform: turn ? `rotate(${turn} ${cx} ${cy})` : null});
  const eye = (x, y) => [circle(x, y, 3.1, "ink"), circle(x + 1, y - 1, 1, "white")];

  // A bird of its own for each value, in a card of 100 x 140. Each has a silhouette of its own: colour is not needed to tell them apart.
  const BIRDS = {
    1: () => [  // a chick in its egg
      path("M46 62c-3-7 1-11 4-7 2-6 8-3 4 7Z", "body"), circle(50, 86, 27, "body"), ellipse(23, 88, 5, 10, "dark", 24), ellipse(77, 88, 5, 10, "dark", -24),
      eye(40, 79), eye(60, 79), path("M44 85h12l-6 8Z", "beak"), circle(33, 87, 3.6, "blush"), circle(67, 87, 3.6, "blush"),
      path("M20 96l8.5 7 8.5-8 6.5 8 6.5-8 6.5 8 6.5-8 8.5 8 8.5-7a30 30 0 0 1-60 0Z", "shell")],
    2: () => [  // a sparrow on the ground
      path("M31 84 7 67l3 13-5 8 24 8Z", "dark"), ellipse(48, 92, 27, 20, "body", -12), ellipse(55, 98, 19, 12, "pale", -16),
      circle(68, 70, 16.5, "pale"), path("M51.5 69a16.5 16.5 0 0 1 32-5.5c-10 2-20-2-32 5.5Z", "dark"), circle(67, 77, 4, "ink"), eye(73, 69), path("M83 68l11 4-11 4Z", "ink"),
      ellipse(39, 89, 18, 10.5, "dark", 16), path("M29 88h20M32 94h16", "stroke pale-line"), path("M44 111l-3 13m-5 0h10M56 111l2 13m-5 0h10", "stroke leg")],
    3: () => [  // a duck that swims
      path("M8 78c8 4 18 6 30 4 8-1 12-4 24-3l24 3c4 22-14 32-38 32S10 102 8 78Z", "body"), ellipse(43, 94, 21, 11, "dark", -7), path("M30 93q9 5 18 0m-8 7q9 4 16-1", "stroke pale-line"),
      path("M58 84c0-8-2-12-3-20h22c-1 8-1 14 2 22Z", "head"), path("M57 77c8 4 15 4 21 0l1 6c-8 4-15 4-22 0Z", "white"), circle(66, 60, 15, "head"), circle(71, 56, 3.6, "white"), circle(72, 56, 2.2, "ink"),
      path("M79 58c8 0 14 2 16 7-6 4-12 4-17 1Z", "beak"), path("M6 114q8-6 16 0t16 0 16 0 16 0 16 0 8-2M16 124q8-6 16 0t16 0 16 0 16 0", "stroke water")],
    4: () => [  // a parrot on its perch
      path("M42 106l-8 26h9l12-24Z", "blue"), path("M48 106l-3 26h8l6-24Z", "head"), ellipse(52, 86, 19, 28, "head", 6), circle(55, 56, 18, "head"), ellipse(60, 58, 10, 9, "white"),
      path("M67 48c14 0 18 12 13 24-3-6-8-8-15-8Z", "ink"), eye(60, 54), path("M44 66c-16 8-18 30-7 46 12-6 20-26 17-40Z", "body"), path("M33 92c-2 8 0 14 4 20 6-3 11-10 14-18Z", "blue"), path("M36 88q6 4 15 2", "stroke pale-line"),
      path("M12 112h76", "perch"), path("M54 112v-6m6 6v-6m6 6v-6", "stroke leg"), path("M48 40c-4-8 2-12 6-6 2-6 8-3 6 4Z", "head")],
    5: () => [  // a toucan
      path("M32 104l-10 26h8l14-20Z", "body"), ellipse(44, 86, 20, 28, "body", 8), circle(46, 57, 18.5, "body"), path("M44 62c10-2 18 2 19 12s-7 16-15 14c-10-3-12-22-4-26Z", "chest"),
      path("M58 46c16-10 38-2 35 20-9-4-20-3-36-2-2-6-2-12 1-18Z", "beak"), path("M83 48c8 4 11 10 10 18-4-2-7-2-11-2 2-6 2-10 1-16Z", "ink"), path("M60 56q14-4 22-2", "stroke beak-line"),
      circle(50, 52, 6.5, "blue"), eye(50, 52), path("M30 74c-6 12-4 26 4 34 8-8 10-24 6-34Z", "dark"), path("M12 114h76", "perch"), path("M46 114v-6m6 6v-6m6 6v-6", "stroke leg")],
    6: () => [  // an owl at night
      path("M25 66l-2-27 18 11ZM75 66l2-27-18 11Z", "dark"), path("M50 44c22 0 28 18 28 38s-10 34-28 34-28-14-28-34 6-38 28-38Z", "body"), path("M50 78c12 0 17 8 17 18s-7 18-17 18-17-8-17-18 5-18 17-18Z", "pale"),
      path("M40 92l4 4 4-4 4 4 4-4 4 4M42 101l4 4 4-4 4 4 4-4", "stroke dark-line"), circle(38.5, 66, 12.5, "white"), circle(61.5, 66, 12.5, "white"), circle(40.5, 67, 6, "ink"), circle(59.5, 67, 6, "ink"), circle(42.5, 64.5, 2, "white"), circle(61.5, 64.5, 2, "white"),
      path("M45 74h10l-5 9Z", "beak"), path("M22 74c-6 12-5 26 4 36 3-10 3-24-4-36ZM78 74c6 12 5 26-4 36-3-10-3-24 4-36Z", "dark"), path("M12 117h76", "perch"), path("M40 118v-5m5 5v-5m10 5v-5m5 5v-5", "stroke leg")],
    7: () => [  // a flamingo on one leg
      path("M50 92v38m-6 0h12M56 92l12 10-12 8", "stroke leg"), path("M68 84c20-6 22-30 6-34-14-3-14-18-2-22", "neck"), path("M24 74c-6 2-12 8-14 16 10 0 16 0 22-2Z", "dark"), ellipse(48, 84, 26, 15.5, "body", -8),
      path("M26 84c8-10 26-14 38-6-6 12-26 16-38 6Z", "dark"), path("M34 86q10 4 22-4", "stroke pale-line"), circle(74, 28, 9.5, "body"), path("M80 21c10 0 14 8 9 20-4-5-8-7-13-8Z", "pale"), path("M90 30c2 3 1 7-1 11-3-4-5-5-8-6Z", "ink"), eye(75, 26)],
  };

  const PENGUIN = "M12 1.5c4 0 6 3 6 7 2 3 3 6 3 9l-3-2c0 4-2 7-6 7s-6-3-6-7l-3 2c0-3 1-6 3-9 0-4 2-7 6-7Zm0 8c-3 0-4 2-4 6s2 6 4 6 4-2 4-6-1-6-4-6Z";

  /** The face of a card, 100 x 140 units: the number twice and its bird. */
  const face = (value) => copyOf(`nanatoridori ${value}`, () => svg("svg", {viewBox: "0 0 100 140", class: `bird bird-${value}`, "aria-hidden": "true"},
    svg("rect", {width: 100, height: 140, class: "sky"}),
    svg("g", {transform: "translate(7 10) scale(.88)"}, BIRDS[value]()),
    svg("text", {x: 18, y: 35, class: "numeral"}, String(value)),
    svg("text", {x: 84, y: 132, class: "numeral small"}, String(value))));

  const draw = (root, given, {seat, names, lang}) => {
    const word = arena.wordsOf("nanatoridori", lang), page = arena.wordsOf("page", lang);
    const position = {...given, hands: given.hands ?? [], out: given.out ?? [], options: given.options ?? {}};
    const seats = position.seats ?? position.hands.length;
    const table = {position, word, page, names, seat, variant: variantOf(position), nameOf: (who) => names?.[who] ?? `${page("seat")} ${who}`};
    const [mine, ...others] = seatsFrom(seat, seats);
    root.replaceChildren(el("div", {class: `toridori for-${seats}`},
      el("div", {class: "others"}, others.map((who) => side(table, who, "other"))),
      centre(table),
      side(table, mine, "mine")));
  };

  const variantOf = ({options, fronts, points}) => options.variant && options.variant !== "auto" ? options.variant : fronts ? "duel" : points ? "advanced" : "basic";

  /** Cards of a zone in their order. Equal cards look alike: the zone and a number in it tell them apart. */
  const cards = ({word}, name, texts) => {
    const seen = {};
    let hidden = 0;
    return [...texts ?? ""].map((value) => {
      if (value === HIDDEN) return back(name, hidden++, word("hidden"));
      seen[value] = (seen[value] ?? 0) + 1;
      return card(`${value}#${name}.${seen[value]}`, face(value), word("card", {number: value, bird: word(`bird_${value}`)}));
    });
  };

  /** A hand as its runs: equal neighbours lie closer together, as they may be played together. `gaps`: what stands before each card, and behind the last one. */
  const runs = (drawn, texts, gaps) => {
    const found = [];
    let run = null;
    drawn.forEach((element, place) => {
      const isNew = place === 0 || texts[place] === HIDDEN || texts[place] !== texts[place - 1];
      if (isNew) run = el("span", {class: texts[place] === HIDDEN ? "run is-hidden" : "run"});
      if (isNew) found.push(...gaps.slice(place, place + 1), run);
      else run.append(...gaps.slice(place, place + 1));
      run.append(element);
    });
    return [...found, ...gaps.slice(drawn.length)];
  };

  /** The gaps of the own hand, where cards are to be put in. They show only while they can be chosen. */
  const gapsOf = ({position, word, seat}, who, hand) => {
    const isOpen = who === seat && position.turn === who && ["take", "drawn"].includes(position.phase) && !hand.includes(HIDDEN);
    return isOpen ? Array.from({length: hand.length + 1}, (_, place) => zone(`gap-${place}`, word("gap", {n: place}), "gap")) : [];
  };

  const side = (table, who, place) => {
    const {position, word, page, names, seat, variant, nameOf} = table, hand = position.hands[who] ?? "";
    const isOut = position.out.includes(who) && hand === "", known = position.memory?.known?.[who] ?? [];
    return el("section", {class: `side ${place} ${isOut ? "is-out" : ""}`},
      plate(who, {names, turn: position.turn === who, isMe: seat === who, word: page},
        ending(table, who),
        isOut ? el("strong", {class: "out"}, word("out", {n: position.out.indexOf(who) + 1})) : count(word("hand_count"), hand.length),
        standing(table, who),
        hand.includes(HIDDEN) && known.length ? el("span", {class: "known count-label"}, word("known", {blocks: known.join(" ")})) : null),
      el("div", {class: "held"},
        zone(`hand-${who}`, word("hand", {name: nameOf(who)}), "row hand", runs(cards(table, `hand-${who}`, hand), hand, gapsOf(table, who, hand))),
        variant === "duel" ? el("div", {class: "front"},
          zone(`front-${who}`, word("front_label", {name: nameOf(who)}), "row", cards(table, `front-${who}`, position.fronts?.[who])),
          el("p", {class: "count-label"}, word("front"))) : null));
  };

  /** Penguins that are left, or points. */
  const standing = ({position, word, variant}, who) => {
    if (variant === "advanced") return count(word("points"), position.points?.[who] ?? 0);
    const all = variant === "duel" ? position.options.duel_penguins ?? 1 : 2, left = position.penguins?.[who] ?? 0;
    return el("span", {class: "penguins", role: "img", "aria-label": `${word("penguins")} ${left}`, title: word("term_penguins_note")},
      Array.from({length: Math.max(all, left)}, (_, index) =>
        svg("svg", {viewBox: "0 0 24 24", class: index < left ? "penguin" : "penguin is-lost", "aria-hidden": "true"}, svg("path", {d: PENGUIN, "fill-rule": "evenodd"}))));
  };

  /** At the end of a match: who has won, and in the basic rules who has lost. */
  const ending = ({position, word, variant}, who) => {
    if (position.phase !== "over" || position.round_over) return null;
    const standings = (variant === "advanced" ? position.points : position.penguins) ?? [];
    const best = variant === "advanced" ? standings[who] === Math.max(...standings) : (standings[who] ?? 0) > 0;
    if (best) return el("strong", {class: "wins"}, word("wins"));
    return variant === "advanced" ? null : el("strong", {class: "loses"}, word("loses"));
  };

  const centre = (table) => {
    const {position, word, variant, nameOf} = table, played = position.table, beaten = position.beaten, size = position.stock?.length ?? 0;
    const texts = (block) => block ? String(block.value).repeat(block.count) : "";
    return el("div", {class: "centre"},
      el("p", {class: "course-facts"}, el("span", {class: "variant"}, word(variant)), count(word("round"), position.round ?? 1), el("span", {title: word("term_passes_note")}, count(word("passes"), position.passes ?? 0))),
      el("div", {class: "in-play"},
        variant === "duel" ? null : place("stock", [stock("stock", word("stock_label", {n: size}), size), el("p", {class: "count-label"}, word("stock"), " ", String(size))]),
        place("played", [zone("table", word("table"), "row", cards(table, "table", texts(played))),
          el("p", {class: "count-label"}, word("table"), " ", played ? word("table_by", {name: nameOf(played.owner)}) : word("table_empty"))]),
        beaten ? place("beaten", [zone("beaten", word("beaten"), "row", cards(table, "beaten", texts(beaten))), el("p", {class: "count-label"}, word("beaten"))]) : null,
        position.drawn ? place("drawn", [zone("drawn", word("drawn"), "row", cards(table, "drawn", position.drawn)), el("p", {class: "count-label"}, word("drawn"))]) : null),
      discards(table));
  };

  const place = (name, parts) => el("div", {class: `place ${name}`}, parts);

  /** The discards sorted by value, as everybody may look through them. */
  const discards = (table) => {
    const {position, word} = table, all = position.discard ?? "", drawn = cards(table, "discard", all);
    const heaps = VALUES.map((value) => drawn.filter((_, index) => all[index] === String(value))).filter((heap) => heap.length);
    return el("div", {class: "place discards"},
      zone("discard", word("discard"), "row heaps", heaps.map((heap) => el("span", {class: "heap"}, heap))),
      el("p", {class: "count-label"}, word("discard"), " ", String(all.length)));
  };

  const say = (event, {lang, position}) => {
    const word = arena.wordsOf("nanatoridori", lang), [kind, ...rest] = event.split(" ");
    if (kind === "play") return sayPlay(rest, word, position);
    if ((kind === "take" || kind === "keep") && rest.length) return sayInsert(kind, Number(rest[0]), word, position);
    if (kind === "pass" && rest[0] === HIDDEN) return word("say_pass_hidden");
    if (kind === "pass" && rest.length) return word("say_pass_front", {value: rest[0]});
    if (kind === "toss" && rest.length) return word("say_toss_value", {value: rest[0]});
    return word(`say_${kind}`);
  };

  /** `play I C [+F]`: the value stands in the hand of the position; `play ? C [+F] of V`: what others hear. */
  const sayPlay = (rest, word, position) => {
    const front = rest.find((part) => part.startsWith("+"))?.slice(1) ?? 0, [first, size] = rest;
    const value = first === HIDDEN ? rest.at(-1) : position?.phase === "turn" ? position.hands?.[position.turn]?.[first] : null;
    const place = Number(first) + 1, played = {place, count: size, front, cards: value?.repeat(Number(size) + Number(front))};
    if (!value || value === HIDDEN) return word(front ? "say_play_place_front" : "say_play_place", played);
    const isOnly = first === HIDDEN || !hasOtherRun(position.hands[position.turn], Number(first));
    return word(`say_play${isOnly ? "" : "_at"}${front ? "_front" : ""}`, played);
  };

  /** Whether equal cards lie elsewhere in the hand, apart from those at a place. */
  const hasOtherRun = (hand, place) => {
    let end = place;
    while (hand[end] === hand[place]) end += 1;
    return hand.slice(0, place).includes(hand[place]) || hand.slice(end).includes(hand[place]);
  };

  /** `take P`, `keep P`: the hand afterwards, with what was put in in brackets; only the owner knows it. */
  const sayInsert = (kind, place, word, position) => {
    const hand = position?.hands?.[position.turn] ?? HIDDEN, {beaten, drawn} = position ?? {};
    const added = kind === "keep" ? drawn ?? HIDDEN : beaten ? String(beaten.value).repeat(beaten.count) : HIDDEN;
    if (`${hand}${added}`.includes(HIDDEN)) return word(`say_${kind}`);
    return word(`say_${kind}_at`, {cards: added, hand: `${hand.slice(0, place)}[${added}]${hand.slice(place)}`});
  };

  /** Cards of one run are played; what comes into the hand goes into a gap of it. A pass is a button, in a duel a front card that goes to the hand. */
  const moves = (action, {position, seat}) => {
    const [kind, first, size, front] = action.split(" "), hand = `hand-${seat}`, fronts = `front-${seat}`;
    if (kind === "take" || kind === "keep") return {cards: [], to: `gap-${first}`};
    if (kind === "drop" || kind === "toss") return {cards: [], to: "discard"};
    if (kind === "pass") return first ? {cards: [[fronts, first]], to: hand} : {cards: [], to: null};
    const texts = position.hands[seat], value = texts[first];
    return {cards: [...Array(Number(size)).fill([hand, value, keysOfRun(texts, Number(first), hand)]), ...Array(Number(front ?? 0)).fill([fronts, value])], to: "table"};
  };

  /** The keys of the cards of the run that begins at a place: equal cards elsewhere will not do. */
  const keysOfRun = (hand, first, name) => {
    const found = [];
    let number = [...hand.slice(0, first)].filter((value) => value === hand[first]).length;
    for (let place = first; hand[place] === hand[first]; place += 1) found.push(`${hand[first]}#${name}.${number += 1}`);
    return found;
  };

  const name = (text, lang) => {
    const word = arena.wordsOf("nanatoridori", lang);
    return word("card", {number: text, bird: word(`bird_${text}`)});
  };

  /** Some cards apart from any table, by the texts of their keys: for a page that speaks of them. */
  const picture = (texts, {lang}) => el("div", {class: "toridori"}, cards({word: arena.wordsOf("nanatoridori", lang)}, "picture", texts));

  /** What beats what, weaker cards on the left. */
  const aid = (lang) => {
    const word = arena.wordsOf("nanatoridori", lang), group = (texts) => el("span", {class: "run"}, cards({word}, "aid", texts));
    const beats = (weaker, stronger) => [group(weaker), el("span", {}, "<"), group(stronger)];
    return {look: "toridori", title: word("aid_title"),
      rows: [[beats("7", "11"), word("aid_more")], [beats("33", "55"), word("aid_higher")], [[group("4"), group("66"), group("4")], word("aid_side")]],
      notes: ["aid_take", "aid_clear", "aid_end"].map((key) => word(key))};
  };

  arena.table("nanatoridori", {draw, say, moves, name, picture, aid});
})();
