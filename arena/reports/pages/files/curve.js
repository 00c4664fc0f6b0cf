"use strict";
/**
 * What the game's evaluation thinks of a match, as curves over its frames: an opinion, not a result.
 *
 * `arena.curve(values, {seat, lost, label, onSeek})` gives {element, mark(frame), show(seat)}. `values`: [frames][seats].
 */
(() => {
  const WIDTH = 1000, HEIGHT = 120, MOST_POINTS = 800;
  const {el, svg} = arena.kit;

  arena.curve = (values, {label, onSeek}) => {
    const seats = values[0].length, last = Math.max(1, values.length - 1);
    const all = values.flat(), low = Math.min(...extremes(all, 1)), high = Math.max(...extremes(all, -1));
    const x = (frame) => WIDTH * frame / last;
    const y = (value) => HEIGHT * (1 - (value - low) / (high - low || 1));
    const every = Math.max(1, Math.ceil(values.length / MOST_POINTS));
    const path = (seat) => values.flatMap((row, frame) => frame % every && frame !== last ? [] : [`${x(frame).toFixed(1)},${y(row[seat]).toFixed(1)}`]).join(" ");

    const lines = Array.from({length: seats}, (_, seat) => svg("polyline", {points: path(seat), class: "curve-line", "data-seat": seat}));
    const drop = svg("line", {y1: 0, y2: HEIGHT, class: "curve-lost"});
    const cursor = svg("line", {y1: 0, y2: HEIGHT, class: "curve-now"});
    const drawing = svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "curve", role: "img", "aria-label": label},
      low < 0 && high > 0 ? svg("line", {x1: 0, x2: WIDTH, y1: y(0), y2: y(0), class: "curve-zero"}) : null, lines, drop, cursor);
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      onSeek(Math.round(last * (event.clientX - box.left) / box.width));
    });

    const put = (line, frame) => { for (const end of ["x1", "x2"]) line.setAttribute(end, x(frame)); };
    return {
      element: el("div", {class: "curve-box"}, drawing),
      mark: (frame) => put(cursor, frame),
      /** Brings a seat's line to the front; `lost`: the frame that is marked, or null. */
      show: (seat, lost) => {
        for (const line of lines) line.classList.toggle("is-shown", Number(line.dataset.seat) === seat);
        if (lines[seat]) drawing.insertBefore(lines[seat], drop);
        drop.classList.toggle("is-away", lost === null || lost === undefined);
        put(drop, lost ?? 0);
      },
    };
  };

  /** All values but the outermost hundredth on one side, so that one odd frame does not flatten the rest. */
  const extremes = (values, sign) => {
    const sorted = [...values].sort((a, b) => sign * (a - b));
    return [sorted[values.length < 500 ? 0 : Math.floor(sorted.length / 500)]];
  };
})();
