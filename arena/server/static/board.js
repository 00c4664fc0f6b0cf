"use strict";
/**
 * Boards that move: puts newer numbers into the tables that the server made, marks what changed, and lets rows travel.
 *
 * `arena.board.progress(root, progress)` and `arena.board.rows(table, rows)` take what /api/t/NAME has. htmx would bring a
 * library for what these lines do, and would replace whole tables: the reader's sorting, focus and selection would be lost.
 */
arena.board = (() => {
  const STEPS = [1, 2, 5, 10, 20, 50, 100], MOST_TICKS = 6, MARKED_MS = 1800, TRAVEL_MS = 400;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");
  const {svg} = arena.kit;
  const word = arena.wordsOf("page", document.documentElement.lang);

  /** The same as arena/reports/plots.py. */
  const scaleOf = (rows) => {
    const low = Math.min(...rows.map((row) => row.low)), high = Math.max(...rows.map((row) => row.high));
    const step = STEPS.find((one) => (high - low) / one < MOST_TICKS - 1) ?? STEPS.at(-1);
    const first = Math.floor(low / step), last = Math.max(Math.ceil(high / step), first + 1);
    const ticks = Array.from({length: last - first + 1}, (_, number) => (first + number) * step);
    const percent = (value) => `${(100 * (value - ticks[0]) / (ticks.at(-1) - ticks[0])).toFixed(2)}%`;
    return {ticks, percent};
  };

  const counted = (number) => number.toLocaleString("en-US");

  /** The number of each field of a row; null: there is none. */
  const numbers = (row) => ({
    rating: row.rating, online: row.online, matches: row.matches, faults: row.faults || "",
    wins: row.matches ? row.wins / row.matches : null,
    place: row.matches ? row.mean_place : null,
  });

  /** A number as its column writes it: the head has Python's format, `,`, `d`, `.2f` or `.1%` (arena/reports/columns.py). */
  const written = (value, format) => {
    if (value === null || value === "") return value ?? "-";
    if (!format.startsWith(".")) return counted(value);
    const digits = Number(format[1]);
    return (format.endsWith("%") ? `${(100 * value).toFixed(digits)}%` : value.toFixed(digits)).replace("-", "−");
  };

  /** In front of the rating of a bot that has won all, or lost all. */
  const signOf = (name, row) => name === "rating" && row.bound ? (row.bound === "least" ? "≥ " : "≤ ") : "";

  /** Mark for a moment what changed. */
  const mark = (element) => {
    element.classList.remove("changed");
    requestAnimationFrame(() => element.classList.add("changed"));
    setTimeout(() => element.classList.remove("changed"), MARKED_MS);
  };

  /** Put a text into an element; tells whether it is another one. */
  const put = (element, text) => {
    if (!element || element.textContent.trim() === text) return false;
    element.textContent = text;
    return true;
  };

  const putAndMark = (element, text) => { if (put(element, text)) mark(element); };

  const rankText = (row) => {
    if (row.rank === null) return "-";
    const bounds = row.rank_low === row.rank_high ? "" : ` (${row.rank_low}–${row.rank_high})`;
    return `${row.separable === false ? "≈ " : ""}${row.rank}${bounds}`;
  };

  const drawInterval = (cell, row, scale) => {
    const drawing = cell.querySelector("svg"), [mu, low, high] = [row.mu, row.low, row.high].map((value) => value.toFixed(1));
    drawing.setAttribute("aria-label", word("interval_of", {mu, low, high}));
    const marks = drawing.querySelectorAll(".scale");
    if (marks.length !== scale.ticks.length) {
      for (const old of marks) old.remove();
      drawing.prepend(...scale.ticks.map(() => svg("line", {class: "scale", y1: "0", y2: "100%"})));
    }
    drawing.querySelectorAll(".scale").forEach((line, number) => {
      for (const end of ["x1", "x2"]) line.setAttribute(end, scale.percent(scale.ticks[number]));
    });
    const range = drawing.querySelector(".range");
    range.setAttribute("x1", scale.percent(row.low));
    range.setAttribute("x2", scale.percent(row.high));
    drawing.querySelector(".mean").setAttribute("cx", scale.percent(row.mu));
    cell.dataset.sort = row.mu.toFixed(4);
  };

  const drawAxis = (table, scale) => {
    table.querySelector("[data-live=axis]").replaceChildren(
      ...scale.ticks.map((tick) => svg("text", {x: scale.percent(tick), y: "70%"}, String(tick))));
  };

  const newLine = (row) => {
    const line = document.getElementById("board-line").content.querySelector("tr").cloneNode(true);
    line.dataset.bot = row.bot;
    line.dataset.version = row.version;
    const link = line.querySelector("a");
    link.href = `/bots/${encodeURIComponent(row.bot)}`;
    link.textContent = row.shown;
    return line;
  };

  const identity = (bot, version) => `${bot}\n${version}`;

  /** Let the rows that changed places travel there. */
  const reorder = (body, lines) => {
    const before = new Map(lines.map((line) => [line, line.isConnected ? line.getBoundingClientRect().top : null]));
    if (lines.every((line, number) => body.rows[number] === line) && body.rows.length === lines.length) return;
    const focused = document.activeElement;
    body.replaceChildren(...lines);
    if (body.contains(focused)) focused.focus({preventScroll: true});   // moving an element takes the focus from it
    if (isStill.matches) return;
    for (const [line, top] of before) {
      const way = top === null ? 0 : top - line.getBoundingClientRect().top;
      if (way) line.animate([{transform: `translateY(${way}px)`}, {transform: "none"}], {duration: TRAVEL_MS, easing: "ease-out"});
    }
  };

  /** A board's new rows, best first. A table that the reader has sorted keeps its order. */
  const rows = (table, found) => {
    const body = table.tBodies[0], scale = scaleOf(found.length ? found : [{low: 0, high: 1}]);
    const formats = Object.fromEntries([...table.tHead.rows[0].cells].map(({dataset}) => [dataset.key, dataset.format]));
    const known = new Map(Array.from(body.rows, (line) => [identity(line.dataset.bot, line.dataset.version), line]));
    const lines = found.map((row) => {
      const line = known.get(identity(row.bot, row.version)) ?? newLine(row);
      const cell = (name) => line.querySelector(`[data-field=${name}]`);
      line.classList.toggle("dim", row.rank === null || !row.matches);
      for (const [name, value] of Object.entries(numbers(row))) {
        if (cell(name)) putAndMark(cell(name), signOf(name, row) + written(value, formats[name]));
      }
      putAndMark(cell("rank"), rankText(row));
      cell("rank").dataset.sort = row.rank ?? "";
      drawInterval(cell("interval"), row, scale);
      return line;
    });
    drawAxis(table, scale);
    const isSorted = [...table.tHead.rows[0].cells].some((head) => head.ariaSort && head.ariaSort !== "none");
    if (isSorted) for (const line of lines.filter((one) => !one.isConnected)) body.append(line);
    else reorder(body, lines);
  };

  const duration = (seconds) => {
    if (seconds < 90) return word("seconds", {n: Math.round(seconds)});
    if (seconds < 5400) return word("minutes", {n: Math.round(seconds / 60)});
    if (seconds < 172_800) return word("hours", {n: (seconds / 3600).toFixed(1)});
    return word("days", {n: Math.round(seconds / 86_400)});
  };

  /** How far a tournament is: everything marked `data-live` inside `root`. */
  const progress = (root, found) => {
    const part = (name) => root.querySelector(`[data-live=${name}]`);
    const state = part("state"), bar = part("bar"), rate = part("rate"), left = part("left");
    if (state) {
      state.className = `state ${found.state}`;
      put(state, word(`state_${found.state === "finished" && root.dataset.goesOn !== undefined ? "waiting" : found.state}`));
    }
    if (bar) {
      bar.max = Math.max(found.total, 1);
      bar.value = found.done;
    }
    putAndMark(part("done"), counted(found.done));
    put(part("total"), counted(found.total));
    if (rate) {
      rate.hidden = !found.rate || (root.dataset.goesOn !== undefined && !found.is_running);
      put(rate.querySelector("b"), (found.rate ?? 0).toFixed(1));
    }
    if (left) {
      left.hidden = found.seconds_left === null;
      put(left.querySelector("b"), duration(found.seconds_left ?? 0));
    }
  };

  return {rows, progress, putAndMark, scaleOf};
})();
