"use strict";
/**
 * Choosing an action at the table: by clicks and taps on cards and zones, by drag and drop, by keyboard, and from the list of all
 * legal actions in words (arena/reports/pages/files/action_list.js), which is always there.
 *
 *   const choosing = arena.choosing(root, {game, lang, rules, onAction(action, moved)});   // root: where the table is drawn
 *   place.append(root, choosing.bar, choosing.element);
 *   arena.motion(root, () => choosing.redraw(() => table.draw(root, position, ...)));      // decoration and focus stay
 *   choosing.ask({legal, refusals, notes, position, seat, names});                         // notes: what actions lead to, in words
 *   choosing.close();                                                                      // nothing is to be chosen
 *   choosing.close(moved, shown);                                                          // as an action is under way
 *
 * A room says by `moves(action, {position, seat})` which cards an action takes (`cards`: [zone, text] each, any card of that text in
 * that zone will do; or [zone, text, keys], only these will) and on which zone they are put (`to`, or null); `along`: cards that move with them without being picked up, and
 * `lands`: the zone where they will lie, if it is a part of `to`. A room without it is played by the list alone. `draw` need not
 * know of this: what it drew is decorated, found by its `data-key` and `data-zone`.
 */
(() => {
  const {el} = arena.kit;
  const SOON_MS = 60;   // within that time a server next door has answered: to draw twice would only make its answer late
  const CLASSES = ["can-choose", "is-chosen", "is-refused", "is-advised"];

  arena.choosing = (root, options) => new Choosing(root, options);

  const textOf = (key) => key.split("#")[0];
  const named = ([zone, text, keys]) => ({zone, text, keys});

  /** Whether a card will do for one that an action takes. */
  const willDo = (card, {zone, text, keys}) => card.zone === zone && card.text === text && (!keys || keys.includes(card.key));

  /** The cards that are left of `cards` when `taken` are taken away; null if one of these is not there. */
  const without = (cards, taken) => {
    const left = [...cards];
    for (const one of taken) {
      const at = left.findIndex((wanted) => willDo(one, wanted));
      if (at < 0) return null;
      left.splice(at, 1);
    }
    return left;
  };

  class Choosing {
    constructor(root, options) {
      this.root = root;
      this.options = options;
      this.word = arena.wordsOf("live", options.lang);
      this.entries = [];      // {action, label, note, cards, to}
      this.selected = [];     // {key, zone, text}
      this.refusals = [];
      this.advised = null;
      this.isOpen = false;
      this.waiting = null;    // {timer, shown}: what `close(moved, shown)` is to show
      this.carried = null;    // {cards, to}: what is shown where it is going, before the table said so
      this.list = arena.actionList({
        word: this.word, play: (action) => this.play(action), clear: () => this.clear(),
      });
      this.element = this.list.element;
      this.bar = this.list.bar;
      root.tabIndex = -1;
      root.addEventListener("click", (event) => event.detail === 0 && this.tapped(this.under(event.target)));   // of a screen reader, or the keyboard
      root.addEventListener("keydown", (event) => this.pressed(event));
      root.addEventListener("focusin", ({target}) => { this.focused = this.addressOf(target); });
      document.addEventListener("keydown", (event) => this.pressedAnywhere(event));
      this.drag = arena.dragging(root, this);
    }

    get table() { return arena.tables[this.options.game]; }

    /** Open a decision. The same one once more, as after a lost connection, keeps what is selected. */
    ask({legal, refusals = [], notes = {}, position, seat, names, isBusy = false}) {
      const {lang} = this.options, moves = this.table?.moves;
      this.entries = legal.map((action) => {
        const {cards = [], along = [], to = null, lands = to} = moves?.(action, {position, seat}) ?? {};
        return {
          action, to, lands, cards: cards.map(named), along: along.map(named), note: notes[action] ?? "",
          label: arena.imperative(this.table?.say(action, {lang, position, names, seat}) || action, lang),
        };
      });
      this.refusals = refusals;
      this.root.classList.toggle("is-busy", isBusy);   // for a moment nothing can be played: that is no reason to turn all cards pale
      this.isOpen = true;
      this.catchUp();
      this.advised = null;
      this.selected = this.selected.filter((card) => this.elementOf(card));
      if (!this.fitting().length) this.selected = [];
      this.show();
      this.restoreFocus();
    }

    /**
     * Nothing is to be chosen any more. After an action, `moved` says which cards it carries where: it is shown by the next
     * drawing, or after a moment if none has come. `shown()` is called with that, for whatever else is to change then.
     */
    close(moved = null, shown = () => {}) {
      this.isOpen = false;
      this.entries = [];
      this.refusals = [];
      this.selected = [];
      this.advised = null;
      this.drag.cancel();
      this.catchUp();
      if (!moved) { this.show(); return; }
      const timer = setTimeout(() => {
        this.catchUp();
        this.show();
        this.carry(moved);
      }, SOON_MS);
      this.waiting = {timer, shown};
    }

    /** Wait for a drawing no longer. Gives whether there was something that was not yet shown. */
    catchUp() {
      const {waiting} = this;
      this.waiting = null;
      clearTimeout(waiting?.timer);
      waiting?.shown();
      return waiting !== null;
    }

    clear() {
      this.selected = [];
      this.list.tell();
      this.show();
    }

    /** Draw the table anew: what is selected, and where the focus is, stays. */
    redraw(draw) {
      const hadFocus = this.root.contains(document.activeElement);
      draw();
      this.selected = this.selected.filter((card) => this.elementOf(card));
      if (this.catchUp()) this.show(); else this.decorate();
      this.carryAgain();
      if (hadFocus) this.restoreFocus(true);
    }

    /** Mark the cards of an action, as a hint does. */
    advise(action) {
      this.advised = this.entries.find((entry) => entry.action === action) ?? null;
      this.show();
    }

    play(action) {
      const entry = this.entries.find((one) => one.action === action);
      if (!this.isOpen || !entry) return;
      const cards = this.elementsFor([...entry.cards, ...entry.along]).map((element) => this.cardOf(element));
      this.selected = [];
      this.list.tell();
      this.options.onAction(action, {cards, to: entry.lands, label: entry.label});
    }

    // What fits ------------------------------------------------------------------------------------------------------------

    /** The actions that take all the selected cards, and maybe more. */
    fitting(selected = this.selected) { return this.entries.filter(({cards}) => without(cards, selected)); }

    /** The actions that take the selected cards and no others. */
    exact() { return this.selected.length ? this.fitting().filter(({cards}) => cards.length === this.selected.length) : []; }

    /** zone -> actions that a click on it, or a card put there, completes. */
    targets() {
      const found = new Map(), entries = this.selected.length ? this.exact() : this.entries.filter(({cards}) => !cards.length);
      for (const entry of entries) if (entry.to) found.set(entry.to, [...found.get(entry.to) ?? [], entry]);
      return found;
    }

    /** What may be done with a card: "chosen", "fits", "anew" (it fits without what is selected), "refused", or nothing. */
    stateOf(card) {
      if (this.selected.some(({key}) => key === card.key)) return "chosen";
      if (this.fitting([...this.selected, card]).length) return "fits";
      if (this.refusalOf(card)) return "refused";
      return this.fitting([card]).length ? "anew" : "";
    }

    // The drawing ----------------------------------------------------------------------------------------------------------

    show() {
      this.decorate();
      const entries = this.fitting();
      this.list.show({entries: this.isOpen ? entries : [], all: this.entries.length, exact: this.exact(), selected: this.selected.length, advised: this.advised?.action});
    }

    cardOf(element) {
      const key = element.dataset.key;
      return {key, text: textOf(key), zone: element.closest("[data-zone]")?.dataset.zone ?? ""};
    }

    elementOf({key, zone}) {
      const element = this.root.querySelector(`[data-key="${CSS.escape(key)}"]`);
      return element?.closest("[data-zone]")?.dataset.zone === zone ? element : null;
    }

    zonesOf(name) { return this.root.querySelectorAll(`[data-zone="${CSS.escape(name)}"]`); }

    /** The elements of the cards that an action takes: those that are selected first. */
    elementsFor(cards) {
      const left = [...cards], own = this.selected.map((card) => this.elementOf(card));
      const all = [...own.filter(Boolean), ...this.root.querySelectorAll("[data-key]")];
      return all.filter((element, number) => {
        if (all.indexOf(element) !== number) return false;
        const card = this.cardOf(element), at = left.findIndex((wanted) => willDo(card, wanted));
        if (at >= 0) left.splice(at, 1);
        return at >= 0;
      });
    }

    decorate() {
      const advised = this.advised ? this.elementsFor(this.advised.cards) : [];
      for (const element of this.root.querySelectorAll("[data-key]")) {
        const state = this.isOpen ? this.stateOf(this.cardOf(element)) : "";
        element.classList.remove(...CLASSES);
        if (advised.includes(element)) element.classList.add("is-advised");
        if (!state) { this.undecorate(element); continue; }
        element.classList.add(state === "refused" ? "is-refused" : "can-choose");
        if (state === "chosen") element.classList.add("is-chosen");
        element.setAttribute("role", "button");
        element.tabIndex = state === "refused" ? -1 : 0;
        element.setAttribute("aria-pressed", String(state === "chosen"));
        if (state === "refused") element.setAttribute("aria-disabled", "true"); else element.removeAttribute("aria-disabled");
        const pile = element.closest("[role=img]:not([data-key])");   // its children would not exist to a screen reader
        if (pile) pile.setAttribute("role", "group");
        if (element.closest("[aria-hidden]")) element.closest("[aria-hidden]").removeAttribute("aria-hidden");
      }
      const targets = this.isOpen ? this.targets() : new Map(), focused = document.activeElement;
      const isLost = focused?.classList.contains("choosing-target") && this.root.contains(focused);
      for (const old of this.root.querySelectorAll(".choosing-target")) old.remove();
      for (const [name, entries] of targets) {
        for (const zone of this.zonesOf(name)) {
          if (zone.getAttribute("role") === "img") zone.setAttribute("role", "group");
          zone.append(el("button", {
            type: "button", class: `choosing-target ${entries.includes(this.advised) ? "is-advised" : ""}`, "data-target": name,
            "aria-label": entries.length === 1 ? entries[0].label : zone.getAttribute("aria-label") ?? name,
          }));
        }
      }
      if (isLost) this.restoreFocus(true);
      this.drag.follow();
    }

    undecorate(element) {
      if (element.tabIndex < 0 && element.getAttribute("role") !== "button") return;
      element.setAttribute("role", "img");
      for (const name of ["tabindex", "aria-pressed", "aria-disabled"]) element.removeAttribute(name);
    }

    // Focus ----------------------------------------------------------------------------------------------------------------

    addressOf(target) {
      if (target.dataset?.target) return {zone: target.dataset.target, isTarget: true};
      return target.dataset?.key ? this.cardOf(target) : null;
    }

    /** Put the focus back on the card or zone that had it; if that is gone, near to it. `always`: even if it is elsewhere by now. */
    restoreFocus(always = false) {
      const active = document.activeElement;
      if (!always && active !== this.root) return;
      const {key, zone, isTarget} = this.focused ?? {}, focused = this.focused;
      const inZone = zone ? [...this.zonesOf(zone)] : [];
      const found = (isTarget ? inZone.map((one) => one.querySelector(":scope > .choosing-target")).find(Boolean) : null)
        ?? (key ? this.root.querySelector(`[data-key="${CSS.escape(key)}"][tabindex]`) : null)
        ?? inZone.map((one) => one.querySelector("[data-key][tabindex='0']")).find(Boolean)
        ?? this.root.querySelector("[data-key][tabindex='0'], .choosing-target");
      (found ?? this.root).focus({preventScroll: true});
      if (!found) this.focused = focused;
    }

    /** Move the focus to the nearest card or zone in a direction. */
    step(from, [x, y]) {
      const centre = (element) => {
        const box = element.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
      };
      const [left, top] = centre(from);
      let best = null, least = Infinity;
      for (const element of this.root.querySelectorAll("[data-key][tabindex], .choosing-target")) {
        const [other, below] = centre(element), along = (other - left) * x + (below - top) * y;
        const across = Math.abs((other - left) * y + (below - top) * x), cost = along + 2.5 * across;
        if (element !== from && along > 2 && cost < least) [best, least] = [element, cost];
      }
      best?.focus();
    }

    // What the person does -------------------------------------------------------------------------------------------------

    /** What is at an element: its card and its zones, the innermost first. They stay the same when the table is drawn anew. */
    under(element) {
      const card = element.closest("[data-key]"), zones = [];
      for (let zone = element.closest("[data-zone]"); zone; zone = zone.parentElement?.closest("[data-zone]")) zones.push(zone.dataset.zone);
      return {card: card ? this.cardOf(card) : null, zones};
    }

    /** A card or a zone was clicked or tapped. */
    tapped({card, zones}) {
      if (!this.isOpen) return;
      const state = card ? this.stateOf(card) : "", targets = this.targets(), zone = zones.find((name) => targets.has(name));
      const unfit = this.selected.length === 1 && zones.map((name) => this.refusalOf(this.selected[0], name)).find(Boolean);
      if (zone && state !== "fits" && state !== "chosen") this.complete(zone);
      else if (unfit && state !== "chosen") this.explain(unfit);
      else if (card) this.choose(this.leaderOf(card));
    }

    /** The card by which a card is picked up: itself, or the one that it travels along with. */
    leaderOf(card) {
      const entry = this.stateOf(card) ? null : this.entries.find(({along}) => along.some((one) => willDo(card, one)));
      return entry ? this.cardOf(this.elementsFor(entry.cards)[0]) : card;
    }

    /** A card was clicked, or chosen by the keyboard. */
    choose(card, state = this.stateOf(card)) {
      if (state === "refused") { this.explain(this.refusalOf(card)); return; }
      if (!state) return;
      if (state === "anew" && this.selected.length > 1) { this.list.tell([this.word("not_with")]); return; }
      this.list.tell();
      if (state === "chosen") this.selected = this.selected.filter(({key}) => key !== card.key);
      else this.selected = state === "fits" ? [...this.selected, card] : [card];
      const exact = this.exact();
      if (this.selected.length === 1 && exact.length === 1 && this.fitting().length === 1) this.play(exact[0].action);
      else this.show();
    }

    /** The selected cards are put on a zone; or, with none selected, the zone is clicked. */
    complete(zone) {
      const entries = this.targets().get(zone) ?? [];
      if (entries.length === 1) this.play(entries[0].action);
      else if (entries.length) this.list.offer(entries);
      return entries.length > 0;
    }

    /** Why a card cannot be played, or not on a certain zone. */
    refusalOf({zone, text}, to = "") {
      return this.refusals.find((refusal) => refusal.zone === zone && refusal.card === text && (refusal.to ?? "") === to);
    }

    /** Say why a card cannot be played, and where the rules say so. */
    explain(refusal) {
      const {game, lang, rules} = this.options;
      const why = arena.wordsOf(game, lang)(refusal.why, this.inWords(refusal.values));
      this.list.tell([why, " ", el("a", {href: `${rules}/full#section-${refusal.rule}`, target: "_blank"}, this.word("rule", {n: refusal.rule}))]);
    }

    /** Values of a sentence; a list holds cards. */
    inWords(values = {}) {
      const {lang} = this.options, name = (text) => this.table?.name?.(text, lang) ?? text;
      return Object.fromEntries(Object.entries(values).map(([key, value]) =>
        [key, Array.isArray(value) ? value.map(name).join(this.word("separator")) : value]));
    }

    pressed(event) {
      const target = event.target, arrow = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
      if (!this.isOpen || event.ctrlKey || event.altKey || event.metaKey) return;
      if (arrow && (target.dataset.key || target.dataset.target || target === this.root)) {
        event.preventDefault();
        if (target === this.root) this.restoreFocus(); else this.step(target, arrow);
      } else if ((event.key === "Enter" || event.key === " ") && target.dataset.key) {
        event.preventDefault();
        if (event.repeat) return;
        const card = this.cardOf(target), state = this.stateOf(card), exact = this.exact();
        if (event.key === "Enter" && state === "chosen" && exact.length === 1) this.play(exact[0].action);
        else this.choose(card, state);
      }
    }

    pressedAnywhere(event) {
      const isTyping = event.target.closest?.("input, select, textarea, dialog");
      if (!this.isOpen || isTyping || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      if (event.key === "Escape") { this.drag.cancel(); this.clear(); }
      const action = /^[1-9]$/.test(event.key) ? this.list.numbered(Number(event.key)) : null;
      if (action) { event.preventDefault(); this.play(action); }
    }

    // Drag and drop --------------------------------------------------------------------------------------------------------

    /** A card begins to be dragged. Gives the cards that come along; none if it cannot be. */
    lift(touched) {
      const card = this.leaderOf(touched), state = this.isOpen ? this.stateOf(card) : "";
      if (!state || state === "refused" || (state === "anew" && this.selected.length > 1)) return [];
      this.before = this.selected;
      if (state === "fits") this.selected = [...this.selected, card];
      if (state === "anew") this.selected = [card];
      this.list.tell();
      this.show();
      const along = this.exact()[0]?.along ?? [];
      return [...this.selected, ...this.elementsFor(along).map((one) => this.cardOf(one))];
    }

    /** The dragged cards were let go over a zone, or over none. */
    drop(zone) {
      if (zone && this.complete(zone)) return;
      this.selected = this.before;
      this.show();
    }

    // Moves that are shown before the table said so ------------------------------------------------------------------------

    /** Show cards where they are going to be, until `settle` says what became of it. */
    carry({cards, to}) {
      this.carried = to && cards.length ? {cards, to} : null;
      this.carryAgain();
    }

    /** The table says by its next drawing what became of the cards on their way: until then they stay where they are shown. */
    land() { this.carried = null; }

    carryAgain() {
      if (!this.carried) return;
      const zone = this.zonesOf(this.carried.to)[0], elements = this.carried.cards.map((card) => this.elementOf(card));
      if (!zone || !elements.some(Boolean)) { this.carried = null; return; }
      const last = [...zone.querySelectorAll("[data-key]")].at(-1), goal = (last ?? zone).getBoundingClientRect();
      const lower = last && zone.classList.contains("column") ? goal.height * .3 : 0;
      for (const element of elements.filter(Boolean)) {
        element.classList.add("is-carried");
        element.style.removeProperty("translate");
        const box = element.getBoundingClientRect();
        element.style.setProperty("translate", `${goal.left - box.left}px ${goal.top + lower - box.top}px`);
      }
    }

    /** Nothing is under way any more. A card that is still where it was goes back, with a shake; gives whether there was one. */
    settle(isQuiet = false) {
      if (this.catchUp()) this.show();
      const elements = (this.carried?.cards ?? []).map((card) => this.elementOf(card)).filter(Boolean);
      this.carried = null;
      for (const element of elements) {
        element.classList.remove("is-carried");
        element.style.removeProperty("translate");
        if (!isQuiet) this.shake(element);
      }
      return elements.length > 0;
    }

    shake(element) {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      element.animate([{translate: "-5px 0"}, {translate: "5px 0"}, {translate: "-3px 0"}, {translate: "0 0"}], {duration: 260});
    }
  }
})();
