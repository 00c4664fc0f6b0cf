"use strict";
/**
 * Motion from one drawing of a table to the next: a card that is played travels, a card that is turned flips.
 *
 * `arena.motion(root, redraw, {duration, movers})`: calls `redraw()`, which draws the next position into `root`, and animates
 * from what stood there. Cards are told by `data-key`, places by `data-zone` (arena/reports/pages/files/kit.js). `movers`: the seats
 * that acted, out of whose hands new cards come; `duration` in milliseconds, 0 for none. Whoever asked the system for less
 * motion sees none. Returns a function that ends it at once.
 */
(() => {
  const MOST = 60;      // cards that travel at once; more is a new deal, not a move
  const STILL = 1;      // pixels that nobody sees
  const running = new WeakMap();   // root -> function that ends its motion

  const isHidden = (key) => key.startsWith("?");
  const textOf = (key) => key.split("#")[0];   // what a card shares with its likes
  const centre = (box) => ({x: box.left + box.width / 2, y: box.top + box.height / 2});

  /** Where an element stands, in the lengths of the root, which may be drawn smaller than others. */
  const boxIn = (root) => {
    const zoom = root.currentCSSZoom ?? 1;
    return (element) => {
      const {x, y, width, height} = element.getBoundingClientRect();
      return new DOMRect(x / zoom, y / zoom, width / zoom, height / zoom);
    };
  };

  /** Each card of the table: key -> its element, box and zone. */
  const cardsOf = (root) => {
    const found = new Map(), boxOf = boxIn(root);
    for (const element of root.querySelectorAll("[data-key]")) {
      const zone = element.closest("[data-zone]")?.dataset.zone ?? "";
      found.set(element.dataset.key, {element, zone, box: boxOf(element)});
    }
    return found;
  };

  const zonesOf = (root) => {
    const found = new Map(), boxOf = boxIn(root);
    for (const element of root.querySelectorAll("[data-zone]")) found.set(element.dataset.zone, boxOf(element));
    return found;
  };

  /**
   * Where a card that came into sight was before: the best of the cards that left (`gone`), which it takes out of there, or
   * null. A card that is seen now is one of its likes that left another place, or was hidden, in its own place or in the hand
   * of who acted; one that is hidden now lay elsewhere.
   */
  const taker = (gone, movers) => {
    const hands = movers.map((seat) => `hand-${seat}`);
    const rank = (key, old, card, text) => {
      if (isHidden(text)) return old.zone === card.zone ? Infinity : isHidden(key) ? 1 : 0;
      if (!isHidden(key)) return textOf(key) !== text || old.zone === card.zone ? Infinity : hands.includes(old.zone) ? -2 : -1;
      return old.zone === card.zone ? 0 : hands.includes(old.zone) ? 1 : 2;
    };
    return (key, card) => {
      let best = null, least = Infinity;
      for (const [other, old] of gone) {
        const found = rank(other, old, card, textOf(key));
        if (found < least) [best, least] = [other, found];
      }
      const source = best === null ? null : gone.get(best);
      gone.delete(best);
      return source;
    };
  };

  /** How far a place moved on the page, as what lies above it became higher or lower. */
  const shifted = (from, to) => from && to ? {x: to.left - from.left, y: to.top - from.top} : {x: 0, y: 0};

  const travel = (from, to) => {
    const a = centre(from), b = centre(to), scale = to.width ? from.width / to.width : 1;
    return `translate(${a.x - b.x}px, ${a.y - b.y}px) scale(${scale || 1})`;
  };

  arena.motion = (root, redraw, {duration = 350, movers = []} = {}) => {
    const isStill = !duration || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const before = isStill ? new Map() : cardsOf(root), places = isStill ? null : zonesOf(root);
    running.get(root)?.();
    redraw();
    if (!before.size) return () => {};
    const after = cardsOf(root), now = zonesOf(root), home = boxIn(root)(root);
    const gone = new Map([...before].filter(([key]) => !after.has(key)));
    const come = [...after].filter(([key]) => !before.has(key));
    const animations = [], ghosts = [];

    /** An old card, laid over the new drawing where it lay. */
    const ghost = (card) => {
      const element = card.element, style = element.style;
      element.removeAttribute("data-key");
      element.setAttribute("aria-hidden", "true");
      const rules = {
        position: "absolute", margin: "0", "z-index": "30", "pointer-events": "none",
        left: `${card.box.left - home.left - root.clientLeft}px`, top: `${card.box.top - home.top - root.clientTop}px`,
        width: `${card.box.width}px`, height: `${card.box.height}px`,
      };
      for (const [name, value] of Object.entries(rules)) style.setProperty(name, value);
      root.append(element);
      ghosts.push(element);
      return element;
    };

    const animate = (element, keyframes, options = {}) => {
      const animation = element.animate(keyframes, {duration, easing: "cubic-bezier(.3, .1, .25, 1)", fill: "backwards", ...options});
      animations.push(animation);
      return animation;
    };

    /** A card on its way lies above the others. */
    const lifted = (element) => element.style.setProperty("z-index", "20");

    if (come.length > MOST || come.length > 2 * (after.size - come.length) + 4) {
      animate(root, [{opacity: .35}, {opacity: 1}]);
    } else {
      for (const [key, card] of after) {
        const old = before.get(key);
        if (!old) continue;
        const a = centre(old.box), b = centre(card.box), shift = old.zone === card.zone ? shifted(places.get(old.zone), now.get(card.zone)) : {x: 0, y: 0};
        if (Math.abs(b.x - a.x - shift.x) + Math.abs(b.y - a.y - shift.y) <= STILL) continue;   // a place that moved takes its cards along
        if (old.zone !== card.zone) lifted(card.element);
        animate(card.element, [{transform: travel(old.box, card.box)}, {transform: "none"}]);
      }
      const take = taker(gone, movers);
      for (const [key, card] of come) {
        const source = take(key, card);
        const from = source?.box ?? places.get(`hand-${movers[0]}`) ?? places.get("stock") ?? now.get("stock");
        if (!from) { animate(card.element, [{opacity: 0}, {opacity: 1}]); continue; }
        lifted(card.element);
        const start = source ? travel(from, card.box) : travelOfCentre(from, card.box);
        const isTurned = source && source.element.classList.contains("card-back") !== card.element.classList.contains("card-back");
        if (!isTurned) { animate(card.element, [{transform: start, opacity: source ? 1 : 0}, {transform: "none", opacity: 1}]); continue; }
        const middle = "scaleX(0)";
        animate(ghost(source), [
          {transform: "none"}, {transform: `${halfway(source.box, card.box)} ${middle}`, offset: .5, opacity: 1},
          {transform: `${halfway(source.box, card.box)} ${middle}`, opacity: 0},
        ], {fill: "both"});
        animate(card.element, [
          {transform: `${halfway(card.box, source.box)} ${middle}`, opacity: 0},
          {transform: `${halfway(card.box, source.box)} ${middle}`, offset: .5, opacity: 1}, {transform: "none", opacity: 1},
        ]);
      }
      for (const [, card] of gone) {
        if (card.box.width) animate(ghost(card), [{opacity: 1}, {opacity: 0}], {fill: "both", duration: duration / 2});
      }
    }

    const end = () => {
      for (const animation of animations) animation.cancel();
      for (const element of ghosts) element.remove();
      for (const [, card] of after) card.element.style.removeProperty("z-index");
      if (running.get(root) === end) running.delete(root);
    };
    running.set(root, end);
    Promise.allSettled(animations.map((animation) => animation.finished)).then(() => running.get(root) === end && end());
    return end;
  };

  const travelOfCentre = (from, to) => {
    const a = centre(from), b = centre(to);
    return `translate(${a.x - b.x}px, ${a.y - b.y}px)`;
  };

  const halfway = (from, to) => {
    const a = centre(from), b = centre(to);
    return `translate(${(b.x - a.x) / 2}px, ${(b.y - a.y) / 2}px)`;
  };
})();
