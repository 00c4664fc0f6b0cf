"use strict";
/** The table of Hisatsu Shigotonin: the row of requests with the cards on them, then every seat with what it has. */
(() => {
  const {el, svg, copyOf, card, zone, back, stock, seatsFrom, plate, count} = arena.kit;
  const HIDDEN = "?", FAILED = -2, TURNS = 6;
  const SHAPES = ["●", "▲", "■", "◆", "★"];  // of the seats: on faces and backs, as colour alone tells too little

  // The default deck: name, !, hit points, points. A position with another deck carries it under `deck`. A test holds it equal to requests.csv.
  const DECK = [
    ["Sparrow", 0, 3, 2], ["Hedgehog", 0, 4, 1], ["Hare", 0, 6, 1], ["Raccoon dog", 1, 5, 4], ["Marten", 1, 6, 3], ["Fox", 1, 7, 3], ["Badger", 1, 8, 2],
    ["Otter", 1, 9, 2], ["Kite", 1, 10, 1], ["Macaque", 2, 9, 5], ["Serow", 2, 10, 4], ["Deer", 2, 11, 4], ["Boar", 2, 12, 3], ["Crane", 2, 13, 3], ["Goose", 2, 15, 2],
    ["Lynx", 3, 12, 6], ["Wolf", 3, 14, 5], ["Bear", 3, 16, 4], ["Eagle", 3, 18, 3], ["Tiger", 4, 19, 6]
  ];

  const path = (d, fill) => svg("path", {d, class: fill});
  const circle = (cx, cy, r, fill) => svg("circle", {cx, cy, r, class: fill});
  const ellipse = (cx, cy, rx, ry, fill) => svg("ellipse", {cx, cy, rx, ry, class: fill});

  // The parts of the animals' heads, around the point (50, 66) of a card.
  const EARS = {
    round: () => [circle(31, 46, 9, "coat"), circle(69, 46, 9, "coat"), circle(31, 46, 5, "soft"), circle(69, 46, 5, "soft")],
    pointed: () => [path("M26 62 25 33 46 47ZM74 62 75 33 54 47Z", "coat"), path("M29 53 29 40 39 47ZM71 53 71 40 61 47Z", "soft")],
    tufted: () => [path("M27 62 22 27 46 46ZM73 62 78 27 54 46Z", "coat"), path("M22 27l5-8 1 14ZM78 27l-5-8-1 14Z", "ink")],
    long: () => [ellipse(39, 34, 7, 19, "coat"), ellipse(61, 34, 7, 19, "coat"), ellipse(39, 34, 3.4, 13, "soft"), ellipse(61, 34, 3.4, 13, "soft")],
    side: () => [path("M30 58C18 56 13 49 14 43c9 0 17 5 21 11ZM70 58c12-2 17-9 16-15-9 0-17 5-21 11Z", "coat")],
    small: () => [circle(29, 53, 6, "coat"), circle(71, 53, 6, "coat")],
    none: () => [],
  };
  const MARKS = {
    mask: () => [ellipse(39, 65, 9, 7, "mark"), ellipse(61, 65, 9, 7, "mark")],
    badger: () => [path("M46 42h8l3 36H43Z", "soft"), path("M33 48l8-4-1 26-8-2ZM67 48l-8-4 1 26 8-2Z", "mark")],
    cheeks: () => [path("M26 68c4 16 14 24 24 24s20-8 24-24c-8 0-16 4-24 12-8-8-16-12-24-12Z", "soft")],
    stripes: () => [path("M47 40h6l-3 13ZM37 43l6-1 1 9ZM63 43l-6-1-1 9ZM25 64l10 2-10 4ZM75 64l-10 2 10 4ZM27 75l9 0-7 5ZM73 75l-9 0 7 5Z", "mark")],
    face: () => [path("M50 54c6-6 18-2 18 10 0 14-8 24-18 24s-18-10-18-24c0-12 12-16 18-10Z", "mark")],
    quills: () => [path("M50 30l5 9 8-6 2 10 10-3-1 11 10 1-5 9 8 6-9 5 4 8H18l4-8-9-5 8-6-5-9 10-1-1-11 10 3 2-10 8 6Z", "mark")],
    mane: () => [path("M22 60l-4 12 8-1-2 12 9-3 2 12 9-6 6 9 6-9 9 6 2-12 9 3-2-12 8 1-4-12Z", "soft")],
    horns: () => [path("M40 44C36 36 36 28 39 22c4 6 6 13 6 21ZM60 44c4-8 4-16 1-22-4 6-6 13-6 21Z", "ink")],
    antlers: () => [path("M42 44C36 38 30 34 28 22m5 11-9-2m12 5-1-12M58 44c6-6 12-10 14-22m-5 11 9-2m-12 5 1-12", "branch")],
    tusks: () => [path("M36 84c-4-2-6-7-5-12 3 3 6 5 9 6ZM64 84c4-2 6-7 5-12-3 3-6 5-9 6Z", "white")],
    cap: () => [path("M26 62a24.5 24.5 0 0 1 48 0c-14-7-34-7-48 0Z", "mark")],
    crown: () => [ellipse(50, 46, 11, 6, "red")],
    neck: () => [path("M36 78c0 12-4 18-8 24h44c-4-6-8-12-8-24Z", "coat")],
    brow: () => [path("M30 56l16 6-2 4-16-5ZM70 56l-16 6 2 4 16-5Z", "mark")],
    whiskers: () => [path("M34 79l-14-3m14 7-13 3M66 79l14-3m-14 7 13 3", "hair")],
  };
  const NOSES = {
    muzzle: () => [ellipse(50, 80, 13, 10, "soft"), path("M44.5 74h11l-5.5 6Z", "ink"), path("M50 80v4m-6 1q3 3 6-1q3 4 6 1", "hair")],
    snout: () => [ellipse(50, 80, 12, 9, "soft"), circle(45.5, 80, 2.4, "ink"), circle(54.5, 80, 2.4, "ink")],
    beak: () => [path("M42 73h16l-8 16Z", "beak")],
    hook: () => [path("M41 70c6-3 12-3 18 0 1 8-4 14-7 21-1-5-3-7-6-9-4-3-5-7-5-12Z", "beak")],
    bill: () => [path("M40 70c4-5 16-5 20 0 4 6 6 12 3 16-5 5-21 5-26 0-3-4-1-10 3-16Z", "beak"), path("M38 83q12 6 24 0M46 72v2m8-2v2", "hair")],
    long: () => [path("M45 72h10l-5 34Z", "beak")],
  };
  const ANIMALS = {  // name: ears, nose, colours (a class of table.css), marks
    "Sparrow": ["none", "beak", "brown", "cheeks", "cap"], "Hedgehog": ["small", "muzzle", "sand", "quills"], "Hare": ["long", "muzzle", "brown", "whiskers"],
    "Raccoon dog": ["round", "muzzle", "umber", "mask"], "Marten": ["round", "muzzle", "gold", "cheeks"], "Fox": ["pointed", "muzzle", "orange", "cheeks"],
    "Badger": ["small", "muzzle", "grey", "badger"], "Otter": ["small", "muzzle", "umber", "whiskers"], "Kite": ["none", "hook", "rust", "brow"],
    "Macaque": ["round", "muzzle", "monkey", "face"], "Serow": ["side", "muzzle", "grey", "horns"], "Deer": ["side", "muzzle", "rust", "antlers"],
    "Boar": ["pointed", "snout", "umber", "tusks"], "Crane": ["none", "long", "white", "neck", "crown"], "Goose": ["none", "bill", "sand", "neck", "cap"],
    "Lynx": ["tufted", "muzzle", "gold", "mane", "whiskers"], "Wolf": ["pointed", "muzzle", "grey", "cheeks"], "Bear": ["round", "muzzle", "umber"],
    "Eagle": ["none", "hook", "white", "brow"], "Tiger": ["round", "muzzle", "orange", "stripes", "whiskers"],
  };
  const PAW = "M50 66c10 0 20 12 20 20 0 7-6 8-11 6-6-2-12-2-18 0-5 2-11 1-11-6 0-8 10-20 20-20ZM28 58a7 9 0 1 0 .1 0ZM42 44a7 10 0 1 0 .1 0ZM58 44a7 10 0 1 0 .1 0ZM72 58a7 9 0 1 0 .1 0Z";
  const HEART = "M20 134C2 120 6 104 14 104c4 0 6 3 6 5 0-2 2-5 6-5 8 0 12 16-6 30Z", STAR = "M80 103l4.7 9.5 10.5 1.5-7.6 7.4 1.8 10.4-9.4-4.9-9.4 4.9 1.8-10.4-7.6-7.4 10.5-1.500Z";

  /** An animal's head; a paw for a request of a deck of one's own. */
  const head = (name) => copyOf(`hisatsu ${name}`, () => drawnHead(name));

  const drawnHead = (name) => {
    const known = Object.hasOwn(ANIMALS, name) ? ANIMALS[name] : null;
    if (!known) return svg("g", {class: "animal own"}, path(PAW, "coat"));
    const [ears, nose, colours, ...marks] = known, under = marks.filter((mark) => ["quills", "mane", "antlers", "horns", "neck"].includes(mark));
    return svg("g", {class: `animal ${colours}`, transform: "translate(0 3)"},
      under.map((mark) => MARKS[mark]()), EARS[ears](), ellipse(50, 66, 25, 25, "coat"),
      marks.filter((mark) => !under.includes(mark)).map((mark) => MARKS[mark]()),
      circle(40, 65, 3.2, "ink"), circle(60, 65, 3.2, "ink"), circle(41, 64, 1, "white"), circle(61, 64, 1, "white"), NOSES[nose]());
  };

  /** Text that fits a width of the card: letters of Japanese are about twice as wide. */
  const fitted = (text, x, y, width, largest, fill) => {
    const ems = [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e80 ? 1 : .6), 0);
    return svg("text", {x, y, class: fill, "font-size": Math.min(largest, width / Math.max(ems, 1)).toFixed(1)}, text);
  };

  /** A request's face, 100 x 140 units: its name, its animal, how much it bears (heart), `!`, and its points (star). */
  const requestFace = ([, bang, hp, points], name, shown) => svg("svg", {viewBox: "0 0 100 140", class: "request", "aria-hidden": "true"},
    svg("rect", {width: 100, height: 140, class: "parchment"}), head(name), svg("rect", {width: 100, height: 24, class: "title-band"}), fitted(shown, 50, 17.5, 92, 16, "request-title"),
    path(HEART, "heart"), fitted(String(hp), 20, 122, 22, 15, "figure"), path(STAR, "star"), fitted(String(points), 80, 123, 20, 15, "figure dark"),
    svg("text", {x: 50, y: 127, class: "bang", "font-size": Math.min(24, 66 / Math.max(bang, 1)).toFixed(1)}, "!".repeat(bang)));

  const failedFace = (shown) => svg("svg", {viewBox: "0 0 100 140", class: "request failed", "aria-hidden": "true"},
    svg("rect", {width: 100, height: 140, class: "reverse"}), svg("rect", {x: 7, y: 7, width: 86, height: 126, rx: 5, class: "edge"}),
    svg("text", {x: 50, y: 84, class: "minus"}, String(FAILED).replace("-", "−")), fitted(shown, 50, 120, 80, 15, "request-title"));

  /** A number card's face: its value, and its owner by colour and shape. Face down but known: the back with a small value. */
  const numberFace = (owner, value, isDown) => svg("svg", {viewBox: "0 0 100 140", class: `number-card ${isDown ? "is-down" : ""}`, "aria-hidden": "true"},
    svg("rect", {width: 100, height: 140, class: "paper"}), svg("rect", {x: 6, y: 6, width: 88, height: 128, rx: 7, class: "edge"}),
    svg("text", {x: 20, y: 34, class: "owner-shape"}, SHAPES[owner % SHAPES.length]), svg("text", {x: 80, y: 126, class: "owner-shape"}, SHAPES[owner % SHAPES.length]),
    svg("text", {x: 50, y: 96, class: "value"}, value));

  const draw = (root, given, {seat, names, lang}) => {
    const word = arena.wordsOf("hisatsu", lang), page = arena.wordsOf("page", lang);
    const position = {...given, row: given.row ?? [], hands: given.hands ?? [], stock: given.stock ?? []};
    const seats = position.seats ?? position.hands.length;
    const table = {position, word, page, names, seat, deck: new Map((position.deck ?? DECK).map((row) => [row[0], row])), nameOf: (who) => names?.[who] ?? `${page("seat")} ${who}`};
    const [mine, ...others] = seatsFrom(seat, seats);
    root.replaceChildren(el("div", {class: "hisatsu"},
      el("div", {class: "course"},
        stock("stock", word("stock_label", {n: position.stock.length}), position.stock.length, "requests"),
        el("div", {class: "course-facts"}, count(word("stock"), position.stock.length), el("span", {}, progress(table)))),
      el("div", {class: "slots"}, position.row.map((slot, index) => request(table, slot, index))),
      side(table, mine, "mine"),
      el("div", {class: "others"}, others.map((who) => side(table, who, "other")))));
  };

  const progress = ({position, word}) => position.phase === "over" ? word("over") :
    word("turn_of", {n: Math.min((position.turns?.[position.turn] ?? 0) + 1, TURNS)});

  const animalName = (name, word) => {
    const key = `animal_${name}`, text = word(key);
    return text === key ? name : text;
  };

  const ofDeck = ({deck}, name) => deck.get(name) ?? [name, 0, "", ""];

  const requestCard = (table, name) => {
    const row = ofDeck(table, name), animal = animalName(name, table.word), label = table.word("request", {animal, bang: row[1], hp: row[2], points: row[3]});
    const made = card(`request:${name}`, requestFace(row, name, animal), label);
    made.title = label;
    return made;
  };

  const failedCard = ({word}, name) => {
    const animal = animalName(name, word);
    return card(`request:${name}`, failedFace(animal), word("failed_request", {animal}));
  };

  /** Number cards of a zone. `texts`: [owner, value, isDown] each. */
  const numbers = ({word, nameOf}, name, texts) => {
    let hidden = 0;
    return texts.map(([owner, value, isDown]) => {
      const label = {name: nameOf(owner), number: value}, colour = `owner-${owner % SHAPES.length}`;
      if (value === HIDDEN) return back(name, hidden++, word("hidden", label), colour);
      return card(`${owner}:${value}`, numberFace(owner, String(value), isDown), word(isDown ? "number_down" : "number", label), colour);
    });
  };

  const request = (table, slot, index) => {
    const {word, nameOf} = table, label = {n: index + 1};
    const cards = slot?.cards ?? [], last = cards.at(-1), claimant = last?.[2] === "up" ? last[0] : null;
    return el("section", {class: `slot ${slot ? "" : "is-empty"}`, "data-zone": `slot-${index}`, "aria-label": word("slot", label)},
      chips(slot?.chips ?? 0, word),
      zone(`request-${index}`, word("request_zone", label), "", slot ? requestCard(table, slot.name) : el("span", {class: "count-label"}, word("empty_slot"))),
      zone(`row-${index}`, word("row_zone", label), "row on-request", numbers(table, `row-${index}`, cards.map(([owner, value, side]) => [owner, value, side === "down"]))),
      slot ? el("p", {class: "tally"}, sum(table, slot.name, cards),
        claimant === null ? el("span", {class: "count-label"}, word("no_claim")) : el("strong", {class: `claim owner-${claimant % SHAPES.length}`, title: word("term_claim_note")}, SHAPES[claimant % SHAPES.length], " ", word("claim", {name: nameOf(claimant)}))) : null);
  };

  /** One-point cards that lie on a request. */
  const chips = (size, word) => el("span", {class: "one-points", role: "img", "aria-label": word("chips", {n: size})},
    Array.from({length: size}, () => svg("svg", {viewBox: "0 0 24 24", class: "one-point", "aria-hidden": "true"}, circle(12, 12, 10.5, "coin"), svg("text", {x: 12, y: 17}, "1"))));

  /** What is known of the sum on a request, with a `?` for each hidden card. */
  const sum = (table, name, cards) => {
    const known = cards.filter((each) => each[1] !== HIDDEN).reduce((total, each) => total + Number(each[1]), 0), hp = ofDeck(table, name)[2];
    const parts = [String(known), ...cards.filter((each) => each[1] === HIDDEN).map(() => "?")];
    return el("span", {class: hp !== "" && known > hp ? "sum is-over" : "sum"}, el("span", {class: "count-label"}, table.word("sum")), " ", parts.join(" + "), " ",
      el("span", {class: "count-label"}, table.word("of", {hp})), hp !== "" && known > hp ? " ✗" : "");
  };

  const side = (table, who, place) => {
    const {position, word, page, names, seat, nameOf} = table, score = scoreOf(table, who);
    const own = (texts, isDown) => [...texts ?? ""].map((value) => [who, value, isDown]);
    const hand = position.hands[who] ?? "", best = position.phase === "over" && score === Math.max(...position.hands.map((_, other) => scoreOf(table, other)));
    return el("section", {class: `side ${place} owner-${who % SHAPES.length}`},
      plate(who, {names, turn: position.turn === who, isMe: seat === who, word: page},
        el("span", {class: "owner-shape", "aria-hidden": "true"}, SHAPES[who % SHAPES.length]),
        best ? el("strong", {class: "wins"}, word("wins")) : null,
        count(word("score"), score), count(word("one_point"), position.points?.[who] ?? 0), count(word("turns"), `${position.turns?.[who] ?? 0}/${TURNS}`)),
      zone(`hand-${who}`, word("hand", {name: nameOf(who)}), "row hand", numbers(table, `hand-${who}`, own(hand, false))),
      el("div", {class: "heaps"},
        heap("captured", table, who, (position.captured?.[who] ?? []).map((name) => requestCard(table, name))),
        heap("failed", table, who, (position.failed?.[who] ?? []).map((name) => failedCard(table, name))),
        heap("discards", table, who, numbers(table, `discard-${who}`, own(position.discards?.[who], false)), "discard"),
        position.passed ? heap("passed", table, who, numbers(table, `passed-${who}`, own(position.passed[who], true))) : null));
  };

  const heap = (kind, {word, nameOf}, who, cards, name = kind) => el("div", {class: `heap of-${kind} ${cards.length ? "" : "is-empty"}`},
    el("span", {class: "count-label"}, word(kind)), zone(`${name}-${who}`, word(`${kind}_label`, {name: nameOf(who)}), "row", cards));

  const scoreOf = (table, who) => {
    const {captured, failed, points} = table.position;
    return (captured?.[who] ?? []).reduce((total, name) => total + Number(ofDeck(table, name)[3]), 0) + FAILED * (failed?.[who]?.length ?? 0) + (points?.[who] ?? 0);
  };

  const say = (event, {lang, position}) => {
    const word = arena.wordsOf("hisatsu", lang), [kind, value, index] = event.split(" ");
    if (kind === "discard") return word(value === HIDDEN ? "say_discard_hidden" : "say_discard", {value});
    const slot = position?.row?.[index], animal = slot ? animalName(slot.name, word) : word("slot", {n: Number(index) + 1});
    return word(value === HIDDEN ? "say_place_hidden" : slot?.chips ? "say_place_down" : "say_place", {value, animal});
  };

  /** A number card goes from the hand anywhere on a request, or to the own discards. */
  const moves = (action, {position, seat}) => {
    const [kind, value, index] = action.split(" "), away = position.passed ? "passed" : "discard";
    const cards = [[`hand-${seat}`, `${seat}:${value}`]];
    return kind === "place" ? {cards, to: `slot-${index}`, lands: `row-${index}`} : {cards, to: `${away}-${seat}`};
  };

  /** A request by its animal, a number card by its owner's shape. */
  const name = (text, lang) => {
    const [owner, ...rest] = text.split(":");
    return owner === "request" ? animalName(rest.join(":"), arena.wordsOf("hisatsu", lang)) : `${SHAPES[owner % SHAPES.length]} ${rest[0]}`;
  };

  /** Some cards apart from any table, by the texts of their keys: for a page that speaks of them. */
  const picture = (texts, {lang}) => {
    const table = {word: arena.wordsOf("hisatsu", lang), deck: new Map(DECK.map((row) => [row[0], row])), nameOf: (who) => SHAPES[who]};
    return el("div", {class: "hisatsu"}, texts.map((text) => {
      const [owner, value] = text.split(":");
      return owner === "request" ? requestCard(table, value) : numbers(table, "picture", [[Number(owner), value, false]]);
    }));
  };

  /** What the signs on a request mean, and how it is captured. */
  const aid = (lang) => {
    const word = arena.wordsOf("hisatsu", lang), table = {word, deck: new Map(DECK.map((row) => [row[0], row]))};
    const sign = (shape, fill, box) => svg("svg", {viewBox: box, class: "aid-sign"}, path(shape, fill));
    return {look: "hisatsu", title: word("aid_title"),
      rows: [[requestCard(table, "Boar"), word("aid_check")], [sign(HEART, "heart", "0 100 40 38"), word("aid_hp")],
        [el("b", {class: "aid-bang"}, "!!"), word("aid_bang")], [sign(STAR, "star", "62 100 36 36"), word("aid_star")]],
      notes: [word("aid_score")]};
  };

  arena.table("hisatsu", {draw, say, moves, name, picture, aid});
})();
