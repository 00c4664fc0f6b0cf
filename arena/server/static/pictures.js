"use strict";
/**
 * Cards in a page that is no table: an element with `data-cards="H2,*,H4"` shows them, as the game draws them that it or an element
 * around it names by `data-game`.
 */
(() => {
  const lang = document.documentElement.lang;
  for (const place of document.querySelectorAll("[data-cards]")) {
    const table = arena.tables[place.closest("[data-game]").dataset.game];
    if (table?.picture) place.replaceChildren(table.picture(place.dataset.cards.split(","), {lang}));
  }
})();
