"use strict";
/**
 * What a match was worth to a seat, frame by frame, with what the cards did and what the players did told apart.
 *
 * `arena.luckCurve({values, cards, chosen, rivals}, {word, onSeek})` gives {element, mark(frame), show(seat, name)}; the arrays
 * are [frames][seats], as the hall gives them. There may be fewer frames than in the match.
 */
(() => {
  const WIDTH = 1000, HEIGHT = 120, MOST_STEPS = 800;
  const {el, svg} = arena.kit;

  arena.luckCurve = ({values, cards, chosen, rivals}, {word, onSeek}) => {
    const last = Math.max(1, values.length - 1), every = Math.max(1, Math.ceil(values.length / MOST_STEPS));
    const x = (frame) => (WIDTH * frame / last).toFixed(1);
    const y = (value) => (HEIGHT * (1 - Math.min(1, Math.max(0, value)))).toFixed(1);
    const sums = {cards: running(cards), chosen: running(chosen)};

    /** Both lines: each step first goes where the choices took it, and then where the cards did. */
    const paths = (seat) => {
      const found = {cards: `M0,${y(values[0][seat] - cards[0][seat])}L0,${y(values[0][seat])}`, chosen: ""};
      for (let before = 0, now = Math.min(every, last); before < now; before = now, now = Math.min(now + every, values.length - 1)) {
        const between = values[before][seat] + sums.chosen[now][seat] - sums.chosen[before][seat], half = x((before + now) / 2);
        found.chosen += `M${x(before)},${y(values[before][seat])}L${half},${y(between)}`;
        found.cards += `M${half},${y(between)}L${x(now)},${y(values[now][seat])}`;
      }
      return found;
    };

    const lines = {chosen: svg("path", {class: "luck-chosen"}), cards: svg("path", {class: "luck-cards"})};
    const cursor = svg("line", {y1: 0, y2: HEIGHT, class: "curve-now"});
    const drawing = svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "curve", role: "img", "aria-label": word("luck")},
      svg("line", {x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "curve-zero"}), lines.chosen, lines.cards, cursor);
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      onSeek(Math.round(last * (event.clientX - box.left) / box.width));
    });
    const figures = {cards: el("b", {class: "luck-figure"}), chosen: el("b", {class: "luck-figure"})};
    const key = (kind) => el("span", {class: "luck-key"}, el("span", {class: `luck-swatch luck-${kind}`}), word(`luck_${kind}`), " ", figures[kind]);
    const whose = el("span", {}), most = el("button", {type: "button", class: "player-button"});
    let seat = 0, frame = 0, luckiest = 0;
    most.addEventListener("click", () => onSeek(luckiest));

    const tell = () => {
      const at = Math.min(frame, values.length - 1);
      for (const kind of ["cards", "chosen"]) figures[kind].textContent = signed(rivals[seat] * sums[kind][at][seat]);
    };
    return {
      element: el("div", {}, el("div", {class: "curve-box"}, drawing), el("p", {class: "luck-keys"}, whose, key("cards"), key("chosen")), most),
      mark: (index) => {
        frame = index;
        for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(Math.min(index, values.length - 1)));
        tell();
      },
      show: (followed, name) => {
        seat = followed;
        const found = paths(seat);
        for (const kind of ["cards", "chosen"]) lines[kind].setAttribute("d", found[kind]);
        luckiest = cards.reduce((best, row, at) => Math.abs(row[seat]) > Math.abs(cards[best][seat]) ? at : best, 0);
        whose.textContent = word("luck_whose", {name});
        most.textContent = word("luck_most", {amount: signed(rivals[seat] * cards[luckiest][seat])});
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
