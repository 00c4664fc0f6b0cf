"use strict";
/** What happened at the table, in words and in order. `arena.tableLog({word, say, nameOf})` gives {element, add(events), since(events)}. */
(() => {
  const {el} = arena.kit;
  const MOST = 200;   // lines; the replay of the match has all of them

  arena.tableLog = ({word, say, nameOf}) => {
    const title = el("h2", {}, word("log")), list = el("ol", {class: "live-events", tabindex: "0", "aria-label": word("log")});
    const spoken = el("p", {class: "hidden-text", "aria-live": "polite"});
    const element = el("section", {class: "live-log"}, title, list, spoken);
    const said = new Map();   // what was said of an event when it was shown: it could be told more exactly then
    const keyOf = ([number, seat]) => `${number} ${seat}`;

    const line = (event) => el("li", {}, el("b", {}, nameOf(event[1])), " ", said.get(keyOf(event)) ?? say(event, null));

    return {
      element,
      /** Events that are being shown; `before`: the position in which they were made. */
      add(events, before, isSpoken) {
        for (const event of events) said.set(keyOf(event), say(event, before));
        list.append(...events.map(line));
        while (list.children.length > MOST) list.firstChild.remove();
        while (said.size > 4 * MOST) said.delete(said.keys().next().value);
        list.scrollTop = list.scrollHeight;
        if (isSpoken) spoken.textContent = events.map((event) => `${nameOf(event[1])}: ${said.get(keyOf(event))}`).join(". ");
      },
      /** All that happened since the own last turn, which is what the list holds when it is one's turn again. */
      since(events) {
        title.textContent = word("since");
        list.replaceChildren(...events.map(line));
        list.scrollTop = list.scrollHeight;
      },
      /** The own turn is over: what comes now is new. */
      turn() {
        title.textContent = word("log");
      },
    };
  };
})();
