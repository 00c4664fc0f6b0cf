"use strict";
/**
 * What the cards and what the choices did to a match, added up frame by frame, and both together: how its worth to a seat changed.
 *
 * `arena.luckCurve({values, cards, chosen, rivals}, {word, onSeek})` gives {element, mark(frame), show(seat, name)}; the arrays
 * are [frames][seats], as the server gives them. There may be fewer frames than in the match.
 */
(() => {
  const WIDTH = 1000, HEIGHT = 160, MOST_STEPS = 800;
  const LEAST = 0.5; // shares of the rivals: the scale reaches so far at least, above and below what a match is worth before its deal
  const {el, svg} = arena.kit;

  arena.luckCurve = ({values, cards, chosen, rivals}, {word, onSeek}) => {
    const last = Math.max(1, values.length - 1), every = Math.max(1, Math.ceil(values.length / MOST_STEPS));
    const start = values[0].map((value, seat) => value - cards[0][seat]);
    const sums = {cards: running(cards), chosen: running(chosen), both: values.map((row) => row.map((value, seat) => value - start[seat]))};
    const most = Math.max(LEAST, ...Object.values(sums).flat(2).map(Math.abs));
    const x = (frame) => (WIDTH * frame / last).toFixed(1);
    const y = (value) => (HEIGHT / 2 * (1 - value / most)).toFixed(1);
    const path = (rows, seat) => rows.flatMap((row, frame) => frame % every && frame !== last ? [] : [`${x(frame)},${y(row[seat])}`]).join(" ");
    const lines = Object.fromEntries(["both", "chosen", "cards"].map((kind) => [kind, svg("polyline", {class: `luck-${kind}`})]));
    const cursor = svg("line", {y1: 0, y2: HEIGHT, class: "curve-now"});
    const drawing = svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "curve", role: "img", "aria-label": word("luck")},
      svg("line", {x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "curve-zero"}), Object.values(lines), cursor);
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      onSeek(Math.round(last * (event.clientX - box.left) / box.width));
    });
    const figures = Object.fromEntries(["cards", "chosen", "both"].map((kind) => [kind, el("b", {class: "luck-figure"})]));
    const key = (kind) => el("span", {class: "luck-key"}, el("span", {class: `luck-swatch luck-${kind}`}), word(`luck_${kind}`), " ", figures[kind]);
    const whose = el("span", {}), jump = el("button", {type: "button", class: "player-button"});
    let seat = 0, frame = 0, luckiest = 0;
    jump.addEventListener("click", () => onSeek(luckiest));

    const tell = () => {
      const at = Math.min(frame, values.length - 1);
      for (const [kind, figure] of Object.entries(figures)) figure.textContent = signed(rivals[seat] * sums[kind][at][seat]);
    };
    return {
      element: el("div", {}, el("div", {class: "curve-box"}, drawing), el("p", {class: "luck-keys"}, whose, Object.keys(figures).map(key)), jump),
      mark: (index) => {
        frame = index;
        for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(Math.min(index, values.length - 1)));
        tell();
      },
      show: (followed, name) => {
        seat = followed;
        for (const [kind, line] of Object.entries(lines)) line.setAttribute("points", path(sums[kind], seat));
        luckiest = cards.reduce((best, row, at) => Math.abs(row[seat]) > Math.abs(cards[best][seat]) ? at : best, 0);
        whose.textContent = word("luck_whose", {name});
        jump.textContent = word("luck_most", {amount: signed(rivals[seat] * cards[luckiest][seat])});
        tell();
      },
    };
  };

  /** [frames][seats]: sums over all frames so far. */
  const running = (rows) => {
    const found = [];
    for (const row of rows) found.push(row.map((number, seat) => number + (found.at(-1)?.[seat] ?? 0)));
    return found;
  };

  const signed = (number) => `${number < -0.005 ? "\u2212" : "+"}${Math.abs(number).toFixed(2)}`;
})();
