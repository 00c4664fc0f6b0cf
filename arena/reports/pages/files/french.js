"use strict";
/**
 * French-suited playing cards, drawn by code: for rooms whose cards are texts such as "SA", "HT", "CK" and "*" (the joker),
 * "?" being a card that is not seen. A room asks for them in the first lines of its table.js: `// uses: french`.
 * The suits differ by shape; that two are red and two black is only a second sign.
 */
arena.french = (() => {
  const kit = arena.kit;
  const {el, svg, card: physical} = kit;

  const JOKER = "*";
  const SYMBOLS = {S: "♠\uFE0E", H: "♥\uFE0E", D: "♦\uFE0E", C: "♣\uFE0E"}; // U+FE0E: as text, not as a coloured picture
  const COURTS = "JQK";
  const BACKS = 6; // designs of backs, french.css has them: a pattern, a colour and a mark each

  /** Suits as paths about their middle, 18 units high. */
  const SUITS = {
    S: "M0-9C3-5 8.5-1 8.5 3A4.2 4.2 0 0 1 1 5Q1.4 7.6 3.6 9H-3.6Q-1.4 7.6-1 5A4.2 4.2 0 0 1-8.5 3C-8.5-1-3-5 0-9Z",
    H: "M0 9C-3 5-9 1-9-4A4.6 4.6 0 0 1 0-5.4A4.6 4.6 0 0 1 9-4C9 1 3 5 0 9Z",
    D: "M0-9.5Q3-4 7.4 0Q3 4 0 9.5Q-3 4-7.4 0Q-3-4 0-9.5Z",
    C: "M-1 2.6A4.3 4.3 0 1 1-3.9-1.7A4.3 4.3 0 1 1 3.9-1.7A4.3 4.3 0 1 1 1 2.6Q1.2 7.4 3.8 9H-3.8Q-1.2 7.4-1 2.6Z",
  };
  const STAR = "M0-9.5 2.6-3.2 9.4-2.7 4.2 1.7 5.8 8.3 0 4.7-5.8 8.3-4.2 1.7-9.4-2.7-2.6-3.2Z";

  /** Where the pips of a number card stand: columns at 36, 50 and 64, the lower half upside down. */
  const PIPS = {
    A: [[50, 70]],
    2: [[50, 27], [50, 113]],
    3: [[50, 27], [50, 70], [50, 113]],
    4: [[36, 27], [64, 27], [36, 113], [64, 113]],
    5: [[36, 27], [64, 27], [50, 70], [36, 113], [64, 113]],
    6: [[36, 27], [64, 27], [36, 70], [64, 70], [36, 113], [64, 113]],
    7: [[36, 27], [64, 27], [50, 48], [36, 70], [64, 70], [36, 113], [64, 113]],
    8: [[36, 27], [64, 27], [50, 48], [36, 70], [64, 70], [50, 92], [36, 113], [64, 113]],
    9: [[36, 27], [64, 27], [36, 56], [64, 56], [50, 70], [36, 84], [64, 84], [36, 113], [64, 113]],
    T: [[36, 27], [64, 27], [50, 41], [36, 56], [64, 56], [36, 84], [64, 84], [50, 99], [36, 113], [64, 113]],
  };

  /**
   * An open card. `text`: "S7" or "*"; `key`: which card it is, for the animation; `shown`: how much of it is to be seen:
   * "all", its upper edge ("top", in a column), its left edge ("left", in a fan), its rank alone ("rank", where it is very
   * small), or nothing ("none", within a pile, which says to a screen reader how many it holds).
   */
  const card = (text, {key, lang, shown = "all", label = name(text, lang), classes = ""}) => {
    const element = physical(key, face(text, shown), label, `french ${classes}`.trim());
    if (shown === "none") element.setAttribute("aria-hidden", "true");
    return element;
  };

  /** A hidden card of a zone, see `arena.kit.back`. `design`: that of its back, null for a game with one kind of backs. */
  const back = (zone, index, {lang, design = null}) => kit.back(zone, index, name("?", lang), backClasses(design));

  /** Some cards apart from any table; `?` is a hidden one. */
  const cards = (texts, {lang}) => texts.map((text, at) => text === "?" ? back("picture", at, {lang}) : card(text, {key: `${text}#${at}`, lang}));

  /** Hidden cards upon each other, see `arena.kit.stock`. */
  const stock = (zone, label, size, {design = null} = {}) => {
    const pile = kit.stock(zone, label, size);
    for (const element of pile.children) element.classList.add(...backClasses(design).split(" "));
    return pile;
  };

  const backClasses = (design) => design === null ? "french" : `french back-${design % BACKS}`;

  /** The face, 100 x 140 units. Which of its two looks is shown, for wide or for narrow cards, french.css decides. */
  const face = (text, shown) => kit.copyOf(`french ${text} ${shown}`, () => drawnFace(text, shown));

  const drawnFace = (text, shown) => {
    const [suit, rank] = text === JOKER ? ["joker", JOKER] : [text[0], text[1]];
    const drawing = svg("svg", {viewBox: "0 0 100 140", class: `face suit-${suit} shown-${shown}`, "aria-hidden": "true"});
    if (shown === "none") return drawing;
    drawing.append(shown === "rank" ? bare(suit, rank) : index(suit, rank));
    if (shown !== "all") return drawing;
    drawing.append(
      svg("g", {class: "face-other-end", transform: "rotate(180 50 70)"}, index(suit, rank)),
      svg("g", {class: "face-picture"}, rank === JOKER ? jester() : COURTS.includes(rank) ? court(suit, rank) : pips(suit, rank)),
      rank === JOKER ? svg("g", {class: "face-emblem"}, jesterHead()) : shape(suit, 60, 97, rank === "A" ? 3.9 : 3.3, "emblem"));
    return drawing;
  };

  /** The corner: the rank, and the suit under it or (where the upper edge shows) beside it. */
  const index = (suit, rank) => {
    if (rank === JOKER) return svg("g", {class: "face-index"}, path(STAR, "translate(13 15.5) scale(1.1)"), letters("JOKER", 13, 30));
    const ten = rank === "T" ? {textLength: 21, lengthAdjust: "spacingAndGlyphs"} : {};
    return svg("g", {class: "face-index"},
      svg("text", {x: 13, y: 25, class: "face-rank", ...ten}, rank === "T" ? "10" : rank),
      shape(suit, 0, 0, 0.82, "index-suit"));
  };

  /** The rank and the suit, as large as they can be. */
  const bare = (suit, rank) => rank === JOKER ? svg("g", {class: "face-bare"}, path(STAR, "translate(50 72) scale(4)")) :
    svg("g", {class: "face-bare"}, svg("text", {x: 50, y: 74, ...(rank === "T" ? {textLength: 84, lengthAdjust: "spacingAndGlyphs"} : {})}, rank === "T" ? "10" : rank),
      shape(suit, 50, 108, 2.5));

  const letters = (word, x, y) => [...word].map((letter, place) => svg("text", {x, y: y + 9.5 * place, class: "face-letter"}, letter));

  const pips = (suit, rank) =>
    PIPS[rank].map(([x, y]) => path(SUITS[suit], `translate(${x} ${y}) scale(${rank === "A" ? 2.6 : 1.02})${y > 70 ? " rotate(180)" : ""}`));

  /** A court card: the same figure at both ends, as on any table. */
  const court = (suit, rank) => {
    const half = () => FIGURES[rank](suit);
    return [
      svg("rect", {x: 25, y: 10, width: 50, height: 120, rx: 3, class: "face-frame"}),
      svg("g", {}, half()), svg("g", {transform: "rotate(180 50 70)"}, half()),
      svg("path", {d: "M25 70H75", class: "face-line"}),
    ];
  };

  /** Classes of a drawing: with a prefix, so that no other style sheet of a page means them. */
  const inked = (kind) => kind && kind.split(" ").map((name) => `face-${name}`).join(" ");
  const path = (d, transform, kind) => svg("path", {d, transform, class: inked(kind)});
  const part = (d, kind) => svg("path", {d, class: inked(kind)});
  const shape = (suit, x, y, scale, kind) => svg("g", {class: inked(kind)}, path(SUITS[suit], `translate(${x} ${y}) scale(${scale})`));
  const eyes = (y) => part(`M45.4 ${y}h.1M54.5 ${y}h.1M50 ${y + 1}l-1 4.4h1.8`, "line features");

  const FIGURES = {
    K: (suit) => [
      part("M26 70L29 59Q33 52 42 50H58Q67 52 71 59L74 70Z", "cloth"),
      part("M43 50L50 70L57 50Z", "gold"), part("M37 51Q50 62 63 51L66 57Q50 68 34 57Z", "white"),
      part("M41 58.5h.1M46 60.8h.1M54 60.8h.1M59 58.5h.1", "line spots"),
      part("M38 29Q33 42 38 50H62Q67 42 62 29Z", "hair"),
      part("M41 29H59V41Q57 49 50 49Q43 49 41 41Z", "skin"), eyes(36),
      part("M41 40Q42 57 50 58Q58 57 59 40Q55 44.5 50 42.5Q45 44.5 41 40Z", "hair"), part("M47 47Q50 48.6 53 47", "line"),
      part("M38.5 29L35.5 15L43 21L50 12L57 21L64.5 15L61.5 29Z", "gold"), part("M38.5 29L38 25.5H62L61.5 29Z", "cloth"),
      part("M69.5 24V67M66.5 31H72.5", "line staff"), path(SUITS[suit], "translate(31 24) scale(.5)", "own"),
    ],
    Q: (suit) => [
      part("M28 70Q29 56 41 52H59Q71 56 72 70Z", "cloth"), part("M40 52Q50 66 60 52L57 50H43Z", "gold"),
      part("M41 26Q32 33 35 46Q33 55 37 60Q43 56 42 48L58 48Q57 56 63 60Q67 55 65 46Q68 33 59 26Z", "hair"),
      part("M41.5 29H58.5V41Q56.5 50.5 50 51Q43.5 50.5 41.5 41Z", "skin"), eyes(37),
      part("M47.6 45.8Q50 47.4 52.4 45.8", "line lips"), part("M41.5 30Q46 25.5 50 28.5Q54 25.5 58.5 30V26H41.5Z", "hair"),
      part("M40 27L37.5 17L44 22L50 14L56 22L62.5 17L60 27Q50 23.6 40 27Z", "gold"),
      part("M37.5 16h.1M50 13h.1M62.5 16h.1", "line pearls"),
      part("M67 66Q71 52 68 42", "line staff"), path(SUITS[suit], "translate(68 36) scale(.62)", "own"),
    ],
    J: (suit) => [
      part("M28 70L31 60Q34 53 42 51H58Q66 53 69 60L72 70Z", "cloth"), part("M46 51H54L56 70H44Z", "white"),
      part("M50 56v.1M50 61v.1M50 66v.1", "line spots"), part("M38 50L44 55L50 50L56 55L62 50L58 47H42Z", "gold"),
      part("M39 28Q36 40 39 47L43 44V30H57V44L61 47Q64 40 61 28Z", "hair"),
      part("M42 29H58V40Q56 48.5 50 49Q44 48.5 42 40Z", "skin"), eyes(36), part("M47 44.6Q50.5 46.8 53.4 44.2", "line"),
      part("M37 29Q36 17 50 16Q64 16 64 29Q50 24.4 37 29Z", "cloth"), part("M37 29Q50 24.4 64 29L64 26Q50 21.4 37.4 26Z", "gold"),
      part("M58 19Q64 8 72 15Q68 15.5 67.6 18Q71 19 68.5 22.5Q64 18.5 58 19Z", "white"),
      part("M31.5 22V66M28.5 26L31.5 18L34.5 26Z", "line staff"), path(SUITS[suit], "translate(67.5 40) scale(.5)", "own"),
    ],
  };

  const jesterHead = () => [
    part("M41 86Q30 60 18 73Q30 72 33 90M59 86Q70 60 84 73Q72 72 67 90M40 88Q40 58 51 52Q62 60 60 88Z", "cloth"),
    part("M33 86H67V98Q66 118 50 119Q34 118 33 98Z", "skin"), part("M31 91L36 83H64L69 91Q50 84 31 91Z", "gold"),
    part("M43 98h.1M57 98h.1", "line spots"), part("M41 106Q50 115 59 106", "line"), part("M16 73h.1M86 73h.1M51 50h.1", "line bells"),
  ];

  const jester = () => [
    svg("g", {transform: "translate(0 -22)"}, jesterHead()),
    part("M30 122Q32 99 40 96L45 102L50 97L55 102L60 96Q68 99 70 122Z", "cloth"), part("M40 96L45 102L50 97L55 102L60 96L66 103L57 108L50 104L43 108L34 103Z", "gold"),
  ];

  /** The mark of a back, in a line of text or upon a card: whose deck it is from. */
  const mark = (design) => el("i", {class: `deck-mark deck-mark-${design % BACKS}`, "aria-hidden": "true"});

  /** The name of a card in words. */
  const name = (text, lang) => {
    const word = arena.wordsOf("page", lang);
    if (text === "?") return word("card_hidden");
    return text === JOKER ? word("card_joker") : word("card_name", {rank: word(`card_rank_${text[1]}`), suit: word(`card_suit_${text[0]}`)});
  };

  /** The name of a card in a running text: "♥7", "♠10". */
  const short = (text, lang) =>
    text === "?" || text === JOKER ? name(text, lang) : SYMBOLS[text[0]] + (text[1] === "T" ? "10" : text[1]);

  return {card, back, cards, stock, mark, name, short, SYMBOLS};
})();
