"use strict";
/**
 * How a round ended: who ended it, what everybody's numbers are now, and which of them the round has changed.
 * `arena.roundResult(result, {game, lang, names, seat})` gives an element. `result`: arena/engine/outcomes.py; the words are the game's.
 */
(() => {
  const {el, breakable} = arena.kit;
  const written = (number) => number < 0 ? `−${-number}` : String(number);
  const signed = (number) => (number > 0 ? "+" : "") + written(number);

  arena.roundResult = ({facts = [], columns, rows}, {game, lang, names, seat}) => {
    const word = arena.wordsOf(game, lang), page = arena.wordsOf("page", lang);
    const nameOf = (who) => names?.[who] ?? `${page("seat")} ${who}`;
    const said = (fact) => arena.sayFact(fact, {game, lang, names});
    const cell = (found) => found === null ? el("td", {class: "number"}, "–") :
      el("td", {class: found.change ? "number is-changed" : "number"}, written(found.now), found.change ? el("span", {class: "round-change"}, ` ${signed(found.change)}`) : null);
    const hasMarks = rows.some(({facts: marks = []}) => marks.length);
    return el("section", {class: "round-result", "aria-label": page("round_result")},
      facts.map((fact) => el("p", {class: fact.key.startsWith("led_") ? "round-fact is-led" : "round-fact"}, said(fact))),
      el("table", {},
        el("thead", {}, el("tr", {}, el("td", {}), columns.map((column) => el("th", {scope: "col", class: "number"}, word(column))), hasMarks ? el("td", {}) : null)),
        el("tbody", {}, rows.map(({seats, cells, facts: marks = []}) => el("tr", {class: seats.includes(seat) ? "is-me" : null},
          el("th", {scope: "row"}, breakable(seats.map(nameOf).join(" + "))), cells.map(cell),
          hasMarks ? el("td", {class: "round-marks"}, marks.map(said).join(page("separator"))) : null)))));
  };
})();
