"use strict";
/**
 * What happened at the table, in words and in order. `arena.tableLog({word, say, nameOf, isOwn, isShown})` gives {element, latest, add(events), since(events), tell(text)}.
 * `latest` is for above the table, where the window is too narrow for the list beside it: what others did last.
 */
(() => {
  const {el} = arena.kit;
  const MOST = 200;   // lines; the replay of the match has all of them
  const LATEST = 4;   // lines above the table

  arena.tableLog = ({word, say, nameOf, isOwn, isShown}) => {
    const title = el("h2", {}, word("log")), list = el("ol", {class: "live-events", tabindex: "0", "aria-label": word("log")});
    const latest = el("div", {class: "live-latest", "aria-hidden": "true"});   // the list says it, and so does what is spoken
    const spoken = el("p", {class: "hidden-text", "aria-live": "polite"});
    const element = el("section", {class: "live-log"}, title, list, spoken);
    let isBehind = false;   // the newest line is still to be scrolled to
    const said = new Map();   // what was said of an event when it was shown: it could be told more exactly then
    const keyOf = (event) => JSON.stringify(event);
    const textOf = (event) => said.get(keyOf(event)) ?? say(event, null);

    const line = (event, kind = "li") => arena.isDone(event) ? el(kind, {}, el("b", {}, nameOf(event[1])), " ", textOf(event)) : el(kind, {class: "led-to"}, textOf(event));

    const showLatest = (events) => {
      const others = events.filter((event) => !arena.isDone(event) || !isOwn(event[1])).slice(-LATEST);
      if (others.length) latest.replaceChildren(...[...latest.children, ...others.map((event) => line(event, "p"))].slice(-LATEST));
    };

    /** With the next frame: to ask for the height now would have the whole page laid out once more. */
    const scroll = () => {
      if (!isBehind) requestAnimationFrame(() => { isBehind = false; list.scrollTop = list.scrollHeight; });
      isBehind = true;
    };

    return {
      element, latest,
      /** Events that are being shown; `before`: the position in which they were made. */
      add(happened, before, isSpoken) {
        const events = happened.filter(isShown);
        for (const event of events) said.set(keyOf(event), say(event, before));
        list.append(...events.map((event) => line(event)));
        showLatest(events);
        while (list.children.length > MOST) list.firstChild.remove();
        while (said.size > 4 * MOST) said.delete(said.keys().next().value);
        scroll();
        if (isSpoken) spoken.textContent = events.map((event) => arena.isDone(event) ? `${nameOf(event[1])}: ${textOf(event)}` : textOf(event)).join(". ");
      },
      /**
       * All that happened since the own last decision, which is what the list holds when it is one's turn again. The second
       * decision of one's turn takes nothing away: what others did before it is still news.
       */
      since(happened) {
        const events = happened.filter(isShown);
        title.textContent = word("since");
        if (list.children.length && events.every(([, seat]) => isOwn(seat))) return;
        list.replaceChildren(...events.map((event) => line(event)));
        latest.replaceChildren();
        showLatest(events);
        scroll();
      },
      /** A line of its own. */
      tell(text) {
        list.append(el("li", {class: "led-to"}, text));
        spoken.textContent = text;
        scroll();
      },
      /** The own turn is over: what comes now is new. */
      turn() {
        title.textContent = word("log");
      },
    };
  };
})();
