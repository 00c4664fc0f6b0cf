"use strict";
/**
 * The numbers that a bot noted, as a line over the match for each text. Each line has a scale of its own, as what bots note is
 * not comparable; each is a slider for the keyboard, whose values are the noted ones.
 *
 * `arena.notesPlot(noted, {word, player, differsFrom})` gives {element, mark()}, or null where there is no line to draw.
 */
(() => {
  const WIDTH = 600, HEIGHT = 60, EDGE = 4, MOST = 6, MOST_LINES = 40;
  const {el, svg} = arena.kit;

  const number = (value) => Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : String(Number(value.toPrecision(6)));

  arena.notesPlot = (noted, {word, player, differsFrom}) => {
    const byText = new Map();   // text -> [[decision, value]]
    for (const {decision, notes} of noted) {
      for (const {text, value} of notes) {
        if (value === null) continue;
        const points = byText.get(text) ?? byText.set(text, []).get(text);
        if (points.at(-1)?.[0] === decision) points.pop();   // said twice: the last counts
        points.push([decision, value]);
      }
    }
    const lines = [...byText].filter(([, points]) => points.length > 1).sort(([, a], [, b]) => b.length - a.length).slice(0, MOST_LINES);
    if (!lines.length) return null;
    const last = Math.max(1, player.outline.numbers.at(-1));
    const drawn = lines.map(([text, points]) => line(text, points, {word, player, differsFrom, last}));
    const rest = drawn.slice(MOST);
    return {
      element: el("div", {class: "notes-plot"}, el("h4", {}, word("plot")), el("p", {class: "player-note"}, word("plot_help")),
        drawn.slice(0, MOST).map(({element}) => element),
        rest.length ? el("details", {class: "player-more"}, el("summary", {}, word("more", {n: rest.length})), rest.map(({element}) => element)) : null),
      mark: () => { for (const {mark} of drawn) mark(); },
    };
  };
  arena.notesPlot.number = number;

  const line = (text, points, {word, player, differsFrom, last}) => {
    const values = points.map(([, value]) => value), low = Math.min(...values), high = Math.max(...values);
    const x = (decision) => EDGE + (WIDTH - 2 * EDGE) * decision / last, y = (value) => high > low ? HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * ((value - low) / (high - low)) : HEIGHT / 2;
    const path = (some) => some.map(([decision, value]) => `${x(decision).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const isTrue = ([decision]) => differsFrom === null || decision < differsFrom;
    const from = points.findIndex((point) => !isTrue(point)), split = from < 0 ? points.length : from;
    const reading = el("span", {class: "notes-reading"}), dot = svg("path", {class: "notes-dot"}), now = svg("line", {y1: 0, y2: HEIGHT, class: "curve-now"});
    const drawing = svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "notes-line", "aria-hidden": "true"},
      svg("polyline", {points: path(points.slice(0, split)), class: "notes-values"}),
      split < points.length ? svg("polyline", {points: path(points.slice(Math.max(0, split - 1))), class: "notes-values is-other"}) : null, now, dot);
    const slider = el("div", {class: "notes-slider", role: "slider", tabindex: "0", "aria-label": text, "aria-valuemin": "0", "aria-valuemax": String(points.length - 1)}, drawing);
    const element = el("div", {class: "notes-row"}, el("div", {class: "notes-name"}, el("span", {}, text), reading),
      slider, el("p", {class: "player-note"}, word("range", {low: number(low), high: number(high)})));
    let at = 0;

    const read = (index) => {
      at = index;
      const [decision, value] = points[index], said = word("point", {n: decision, value: number(value)});
      reading.textContent = said;
      slider.setAttribute("aria-valuenow", String(index));
      slider.setAttribute("aria-valuetext", said);
      dot.setAttribute("d", `M${x(decision).toFixed(1)},${y(value).toFixed(1)}h0`);   // a round end of a line of no length
    };
    /** The last point at or before a decision. */
    const before = (decision) => Math.max(0, points.findLastIndex(([number_]) => number_ <= decision));
    const nearest = (event) => {
      const box = drawing.getBoundingClientRect(), wanted = last * ((event.clientX - box.left) / box.width * WIDTH - EDGE) / (WIDTH - 2 * EDGE);
      return points.reduce((best, [decision], index) => Math.abs(decision - wanted) < Math.abs(points[best][0] - wanted) ? index : best, 0);
    };
    const jump = (index) => {
      read(index);
      player.step(player.frameOf(points[index][0]) - player.index);
    };
    const mark = () => {
      const {numbers} = player.outline, shown = numbers[player.index];
      for (const end of ["x1", "x2"]) now.setAttribute(end, x(shown));
      read(before((numbers[player.index + 1] ?? shown + 1) - 1));
    };

    drawing.addEventListener("pointermove", (event) => read(nearest(event)));
    drawing.addEventListener("pointerleave", mark);
    drawing.addEventListener("click", (event) => jump(nearest(event)));
    slider.addEventListener("keydown", (event) => {
      const to = {ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: points.length - 1, PageUp: at + 10, PageDown: at - 10}[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();   // else the player steps too
      jump(Math.min(points.length - 1, Math.max(0, to)));
    });
    read(0);
    return {element, mark};
  };
})();
