"use strict";
/**
 * Taps on cards and zones, and cards that follow the pointer, by mouse, pen or finger.
 *
 * `arena.dragging(root, choosing)` gives {cancel(), follow()}. `choosing` (arena/reports/pages/files/choosing.js) says what may be dragged and
 * what is done: `tapped({card, zones})`, `lift(card)`, `drop(zone)`, `targets()`. The cards themselves are moved; a table that is drawn
 * anew meanwhile calls `follow`. A tap is told by where the pointer went down, as its element may be drawn anew before it comes up.
 */
(() => {
  const BEGINS = 7;    // pixels of movement that make a click a drag
  const NEAR = 36;     // pixels beside a zone at which a card still falls on it

  const distance = (box, x, y) => Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));

  arena.dragging = (root, choosing) => {
    let held = null;      // {id, card, zones, x, y}: the pointer is down, and has not moved yet
    let dragged = null;   // {id, cards, x, y, from}

    const elementsOf = () => dragged.cards.map((card) => choosing.elementOf(card));

    const follow = () => {
      if (!dragged) return;
      for (const element of elementsOf()) {
        element?.classList.add("is-dragged");
        element?.style.setProperty("translate", `${dragged.x - dragged.from.x}px ${dragged.y - dragged.from.y}px`);
      }
    };

    const begin = (event) => {
      const {x, y, card} = held;
      held = null;
      const cards = card ? choosing.lift(card) : [];
      if (!cards.length) return;
      dragged = {id: event.pointerId, x: event.clientX, y: event.clientY, from: {x, y}, cards};
      root.classList.add("is-dragging");
      follow();
    };

    const zoneUnder = (x, y) => {
      let best = null, least = NEAR;
      for (const name of choosing.targets().keys()) {
        for (const zone of choosing.zonesOf(name)) {
          const far = distance((zone.querySelector(":scope > .choosing-target") ?? zone).getBoundingClientRect(), x, y);
          if (far < least) [best, least] = [name, far];
        }
      }
      return best;
    };

    const end = (isDropped) => {
      held = null;
      if (!dragged) return;
      const {x, y} = dragged, elements = elementsOf(), zone = isDropped ? zoneUnder(x, y) : null;
      dragged = null;
      root.classList.remove("is-dragging");
      for (const element of elements) {
        element?.classList.remove("is-dragged");
        element?.style.removeProperty("translate");
      }
      choosing.drop(zone);
    };

    root.addEventListener("pointerdown", (event) => {
      if (event.isPrimary && event.button === 0) held = {...choosing.under(event.target), id: event.pointerId, x: event.clientX, y: event.clientY};
    });
    document.addEventListener("pointermove", (event) => {
      if (held?.id === event.pointerId && Math.hypot(event.clientX - held.x, event.clientY - held.y) > BEGINS) begin(event);
      if (dragged?.id !== event.pointerId) return;
      [dragged.x, dragged.y] = [event.clientX, event.clientY];
      follow();
    });
    document.addEventListener("pointerup", (event) => {
      const tapped = held?.id === event.pointerId ? held : null;
      if (dragged?.id === event.pointerId) end(true);
      held = null;
      if (tapped) choosing.tapped(tapped);
    });
    document.addEventListener("pointercancel", () => end(false));
    root.addEventListener("mousedown", (event) => { if (!event.target.closest("a, button")) event.preventDefault(); });   // no text is selected
    root.addEventListener("dragstart", (event) => event.preventDefault());

    return {cancel: () => end(false), follow};
  };
})();
