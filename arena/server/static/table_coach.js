"use strict";
/**
 * What helps a person at the table: a hint of the search, what a perfect memory would know, and what its cards and words mean.
 * `arena.tableHint({word, ask})` gives {button, element, show(hint, labelOf), clear()}; `arena.tableKnown({word, game, lang})` gives {element, show(known)};
 * `arena.tableAid({game, lang})` gives an element, or null for a game without an aid.
 */
(() => {
  const {el} = arena.kit;
  const MOST = 5;

  const number = (value) => value === null || value === undefined ? "–" : (value < 0 ? "−" : "") + Math.abs(value).toFixed(2);

  arena.tableHint = ({word, ask}) => {
    const button = el("button", {type: "button", class: "live-hint-button"}, word("hint")), answer = el("div", {role: "status"});
    const element = el("section", {class: "live-hint"}, answer);
    button.addEventListener("click", () => {
      if (!ask()) return;
      answer.replaceChildren(el("p", {class: "live-note"}, word("hint_wait")));
    });
    return {
      button, element,
      clear(isPossible) {
        answer.replaceChildren();
        button.disabled = !isPossible;
      },
      show({best, choices, simulations, loss}, labelOf) {
        const rows = choices.slice(0, MOST).map(({action, visits, value}) => el("tr", {}, el("th", {scope: "row"}, labelOf(action)),
          el("td", {class: "number"}, visits.toLocaleString("en")), el("td", {class: "number"}, number(value))));
        const second = choices[1];
        answer.replaceChildren(...[
          el("p", {class: "live-best"}, word("hint_best"), " ", el("b", {}, labelOf(best))),
          loss === null || loss === undefined || !second ? null : el("p", {class: "live-note"}, word(loss < .005 ? "hint_equal" : "hint_loss", {second: labelOf(second.action), loss: number(loss)})),
          el("div", {class: "scroll", tabindex: "0"}, el("table", {}, el("caption", {}, word("hint_table")), el("thead", {}, el("tr", {},
            ["hint_action", "hint_visits", "hint_value"].map((head) => el("th", {scope: "col", class: head === "hint_action" ? null : "number"}, word(head))))), el("tbody", {}, rows))),
          el("p", {class: "live-note"}, word("hint_note", {n: simulations.toLocaleString("en")})),
        ].filter(Boolean));
      },
    };
  };

  arena.tableAid = ({game, lang}) => {
    const aid = arena.tables[game]?.aid?.(lang);
    if (!aid) return null;
    const rows = aid.rows.map(([pictures, text]) => el("li", {}, el("span", {class: "aid-pictures", "aria-hidden": "true"}, pictures), el("span", {}, text)));
    const element = el("details", {class: "live-known live-aid"}, el("summary", {}, aid.title),
      el("div", {class: "table aid"}, el("div", {class: aid.look}, el("ul", {class: "aid-rows"}, rows))), aid.notes.map((note) => el("p", {class: "live-note"}, note)));
    element.open = matchMedia("(min-width: 64rem)").matches;
    return element;
  };

  arena.tableKnown = ({word, game, lang}) => {
    const groups = el("div", {}), element = el("details", {class: "live-known", hidden: true}, el("summary", {}, word("known")), groups);
    const roomWord = arena.wordsOf(game, lang);
    return {
      element,
      show(known, names) {
        element.hidden = !known.length;
        groups.replaceChildren(...known.map(({title, cards, seat}) => [el("h3", {}, roomWord(title, {name: names?.[seat] ?? seat})), el("ul", {class: "chips"}, cards.map(([card, count]) =>
          el("li", {}, arena.tables[game]?.name?.(card, lang) ?? card, count > 1 ? ` ×${count}` : null)))]).flat());
      },
    };
  };
})();
