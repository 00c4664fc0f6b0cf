"use strict";
/**
 * A table that is to be seen whole: where it is higher than what the window has left above the controls, it is drawn smaller, down to
 * a bound below which nobody could read it.
 *
 * `arena.fitting(table, controls)`: from now on, whatever is drawn. It only becomes smaller, so that it does not breathe from one
 * step to the next, and starts anew with other room.
 */
(() => {
  const SIZES = [1, .94, .88, .82, .76, .7], SMALLEST_OF_PHONE = .82, PHONE = 640, GAP = 12;
  const HIGHEST = .4;   // of the window: a table that begins lower is scrolled to the top

  arena.fitting = (table, controls) => {
    if (!CSS.supports("zoom", ".9")) return;
    let at = 0, known = "";

    const room = () => {
      const top = table.getBoundingClientRect().top + scrollY;
      return innerHeight - controls.offsetHeight - GAP - (top < HIGHEST * innerHeight ? top : 0);
    };

    const fit = () => {
      const size = `${innerHeight} ${table.parentElement?.clientWidth}`, most = room();
      if (size !== known) [known, at] = [size, 0];
      table.style.setProperty("zoom", SIZES[at]);
      const isNext = () => at + 1 < SIZES.length && (innerWidth > PHONE || SIZES[at + 1] >= SMALLEST_OF_PHONE);
      while (isNext() && table.getBoundingClientRect().height > most) {
        at += 1;
        table.style.setProperty("zoom", SIZES[at]);
      }
    };

    new ResizeObserver(fit).observe(table);
    addEventListener("resize", fit);
  };
})();
