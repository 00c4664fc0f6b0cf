"use strict";
/**
 * What actions led to, in words (arena/engine/outcomes.py): `arena.sayFact(fact, {game, lang, names})`. The words are the game's; a
 * list among the values holds cards, and terms are words that stand in the sentence. `names`: of all seats, or null.
 */
(() => {
  arena.sayFact = ({key, seats = [], values = {}, terms = {}}, {game, lang, names}) => {
    const word = arena.wordsOf(game, lang), page = arena.wordsOf("page", lang), table = arena.tables[game];
    const nameOf = (who) => names?.[who] ?? `${page("seat")} ${who}`;
    const shown = (value) => Array.isArray(value) ? value.map((text) => table?.short?.(text, lang) ?? table?.name?.(text, lang) ?? text.slice(text.lastIndexOf(":") + 1)).join(page("separator")) : value;
    const each = (found, change) => Object.fromEntries(Object.entries(found).map(([name, value]) => [name, change(value)]));
    const filled = {...each(values, shown), name: nameOf(seats[0]), others: seats.slice(1).map(nameOf).join(page("separator"))};
    return word(key, {...filled, ...each(terms, (term) => word(term, {...each(terms, (inner) => word(inner)), ...filled}))});
  };

  /** What is done in an event of a frame, and not what it led to. */
  arena.isDone = ([, , , fact]) => !fact;
})();
