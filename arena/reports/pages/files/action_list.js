"use strict";
/**
 * All legal actions as buttons in words, and above them what was selected or is to be said.
 *
 * `arena.actionList({word, play(action), clear()})` gives {element, bar, show({entries, all, exact, selected, advised}), tell(nodes),
 * offer(entries), numbered(n)}. The bar stays in sight while the table is. With many actions those with equally many cards are a group that can be opened.
 */
(() => {
  const {el} = arena.kit;
  const MOST = 12;   // actions that are listed without groups
  const KEYS = 9;

  arena.actionList = ({word, play, clear}) => {
    const message = el("p", {class: "choosing-message", role: "status"});
    const confirm = el("div", {class: "choosing-confirm"});
    const bar = el("div", {class: "choosing choosing-bar"}, message, confirm);
    const list = el("div", {class: "choosing-list"});
    const title = el("h3", {}), element = el("section", {class: "choosing", "aria-label": word("actions"), tabindex: "-1"}, title, list);
    let numbers = [], open = new Set();

    const button = ({action, label, note}, ...before) => {
      const made = el("button", {type: "button", "data-action": action}, before, el("span", {}, label), note ? el("span", {class: "choosing-note"}, " ", note) : null);
      made.addEventListener("click", () => play(action));
      return made;
    };

    const item = (entry, advised) => {
      const number = numbers.indexOf(entry.action) + 1;
      const made = button(entry, number ? el("kbd", {"aria-hidden": "true"}, String(number)) : null);
      if (number) made.setAttribute("aria-keyshortcuts", String(number));
      if (entry.action === advised) made.classList.add("is-advised");
      return el("li", {}, made);
    };

    const items = (entries, advised) => el("ol", {}, entries.map((entry) => item(entry, advised)));

    /** A group; its buttons are made when it is opened, as there may be hundreds. */
    const group = (size, entries, advised, isOnly) => {
      const label = size ? word("actions_of", {n: size, count: entries.length}) : word("actions_plain", {count: entries.length});
      const made = el("details", {class: "choosing-group", "data-size": size}, el("summary", {}, label));
      const fill = () => { if (made.open && made.children.length === 1) made.append(items(entries, advised)); };
      made.open = isOnly || !size || open.has(size) || entries.some(({action}) => action === advised);
      made.addEventListener("toggle", () => {
        if (made.open) open.add(size); else open.delete(size);
        fill();
      });
      fill();
      return made;
    };

    const show = ({entries, all, exact, selected, advised}) => {
      const focused = document.activeElement, had = list.contains(focused) || confirm.contains(focused) || focused === element;
      const action = focused?.dataset?.action, size = focused?.closest?.(".choosing-group")?.dataset.size;
      const alone = entries.filter(({cards}) => !cards.length || entries.length <= MOST);
      const sizes = Map.groupBy(entries, ({cards}) => cards.length);
      numbers = (entries.length <= MOST || sizes.size === 1 ? entries : [...exact, ...alone]).slice(0, KEYS).map((entry) => entry.action);
      title.textContent = selected ? word("actions_fitting", {n: entries.length, all}) : word("actions_title", {n: entries.length});
      title.hidden = !entries.length;
      if (entries.length <= MOST) {
        list.replaceChildren(...(entries.length ? [items(entries, advised)] : []));
      } else {
        list.replaceChildren(...[...sizes].sort(([one], [other]) => one - other).map(([number, some]) => group(number, some, advised, sizes.size === 1)));
      }
      offer(selected ? exact : [], selected);
      if (!had || document.activeElement === focused) return;
      const again = action ? [...confirm.children, ...list.querySelectorAll("button")].find(({dataset}) => dataset.action === action) : size ? list.querySelector(`[data-size="${size}"] summary`) : null;
      (again ?? list.querySelector("button, summary") ?? element).focus({preventScroll: true});
    };

    /** Buttons for what the selected cards can do. */
    const offer = (entries, selected = 1) => {
      const cancel = el("button", {type: "button", class: "choosing-clear"}, word("clear"));
      cancel.addEventListener("click", clear);
      const made = entries.map((entry) => button(entry));
      for (const one of made) one.classList.add("choosing-do");
      confirm.replaceChildren(...made, ...(selected ? [cancel] : []));
      bar.classList.toggle("is-empty", !confirm.children.length && !message.textContent);
    };

    const tell = (nodes = []) => {
      message.replaceChildren(...nodes);
      bar.classList.toggle("is-empty", !confirm.children.length && !message.textContent);
    };

    tell();
    return {element, bar, show, tell, offer, numbered: (number) => numbers[number - 1] ?? null};
  };
})();
