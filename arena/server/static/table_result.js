"use strict";
/**
 * The end of a match: places and scores, where it was won, the luck of the deal, and where to go from here.
 * `arena.tableResult({word, seat, names, again, isGuest})` gives {element, show(over), luck(luck)}. `again`: where a rematch is asked for, or null.
 * `isGuest`: for whom the server has no other pages.
 */
(() => {
  const {el} = arena.kit;
  const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1)).replace("-", "−");

  /** The frame before the largest drop of a seat, or null if its worth never dropped. */
  const largestDrop = (values, seat) => {
    let best = null, most = 0;
    for (let at = 0; at + 1 < values.length; at += 1) {
      const drop = values[at][seat] - values[at + 1][seat];
      if (drop > most) [best, most] = [at, drop];
    }
    return best;
  };

  arena.tableResult = ({word, seat, names, again, isGuest}) => {
    const luck = el("div", {}), element = el("section", {class: "card live-result", tabindex: "-1"});

    const standings = ({places, scores}) => {
      const order = places.map((_, at) => at).sort((one, other) => places[one] - places[other]);
      const isFewerBetter = scores[order[0]] < scores[order.at(-1)];
      return [el("table", {}, el("caption", {}, word("result")), el("thead", {}, el("tr", {}, ["place", "name", "score"].map((head) => el("th", {scope: "col", class: head === "name" ? null : "number"}, word(`result_${head}`))))),
        el("tbody", {}, order.map((at) => el("tr", {class: at === seat ? "is-me" : null}, el("td", {class: "number"}, String(places[at])),
          el("th", {scope: "row"}, names[at], at === seat ? ` (${word("you")})` : null), el("td", {class: "number"}, number(scores[at])))))), isFewerBetter ? el("p", {class: "live-note"}, word("result_fewer")) : null];
    };

    const verdict = ({places}) => {
      if (seat === null || seat === undefined) return word("result");
      const isFirst = places[seat] === 1, isShared = places.filter((place) => place === places[seat]).length > 1;
      return isFirst ? word(isShared ? "result_draw" : "result_won") : word("result_lost", {n: places[seat], all: places.length});
    };

    /** The opinion on the match as curves, with a link to the step after which the own seat fell most. */
    const story = (curve, address) => {
      if (!curve || curve.values.length < 2) return [];
      const at = largestDrop(curve.values, seat ?? 0);
      const open = (frame) => { location.href = `${address}#${curve.numbers[frame]}`; };
      const drawn = arena.curve(curve.values, {label: word("curve"), onSeek: open});
      drawn.show(seat ?? 0, at);
      return [el("h3", {}, word("curve")), el("p", {class: "live-note"}, word("curve_note")), drawn.element,
        at === null ? null : el("p", {}, el("a", {href: `${address}#${curve.numbers[at]}`}, word("curve_drop", {n: curve.numbers[at]})))];
    };

    return {
      element,
      show(over) {
        const id = over.match_id, address = `/m/${id}${seat === null || seat === undefined ? "" : `?seat=${seat}`}`;
        element.replaceChildren(...[
          el("h2", {}, verdict(over)),
          el("div", {class: "live-ended"}, el("div", {}, ...standings(over), luck), id ? el("div", {}, ...story(over.curve, address)) : null),
          el("div", {class: "live-links"},
            again ? el("form", {method: "post", action: again}, el("button", {class: "live-main"}, word("again"))) : null, id ? el("a", {class: "button", href: address}, word("replay")) : null, isGuest ? null : el("a", {class: "button", href: "/play"}, word("other_game"))),
          id ? el("details", {}, el("summary", {}, word("share")), arena.copyLine(word, new URL(address, location.href).href),
            el("p", {class: "live-copy"}, el("a", {href: `/m/${id}/trace`, download: true}, word("trace"))), arena.copyLine(word, `arena replay ${id}`)) : null,
        ].filter(Boolean));
        element.focus({preventScroll: true});
        element.scrollIntoView({block: "nearest"});
      },
      /** What others make of the same cards. */
      luck({seats}) {
        luck.replaceChildren(el("h3", {}, word("luck")), ...seats.map((deal) => el("p", {}, word(`luck_${deal.seat === seat ? "own" : "other"}${deal.matches === 1 ? "_once" : ""}`, {
          name: names[deal.seat], champion: number(Math.round(deal.champion * 10) / 10), low: number(deal.low), high: number(deal.high), own: number(deal.own), n: deal.matches,
        }))));
      },
    };
  };
})();
