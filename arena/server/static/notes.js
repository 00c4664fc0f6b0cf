"use strict";
/**
 * What a bot noted and printed, for who may read it: at the step that is shown, and its numbers over the match. The server plays
 * the match again for it, which takes a while.
 * `arena.notesPanel(player)` gives {element, show()}; `player.match.heard` are the seats, `notes(seat)` and `output(seat)` ask.
 */
(() => {
  const {el} = arena.kit;
  const POLL_MS = 700;

  arena.notesPanel = (player) => {
    const {match, names, outline} = player, word = arena.wordsOf("notes", player.lang);
    const found = new Map();   // seat -> {notes, output}
    let seat = match.heard.includes(player.followed) ? player.followed : match.heard[0], asked = 0, shown = "", followed = player.followed;

    const title = el("h3", {}), status = el("p", {class: "player-note", role: "status"}), warnings = el("div", {class: "notes-warnings"});
    const progress = el("progress", {hidden: true, "aria-hidden": "true"});
    const ask = button("", () => listen()), before = button(word("before"), () => go(-1)), after = button(word("after"), () => go(1));
    const whose = match.heard.length < 2 ? null : el("select", {"aria-label": word("whose")}, match.heard.map((one) => el("option", {value: String(one)}, `${one}: ${names[one]}`)));
    const here = el("div", {class: "notes-here", role: "region", "aria-label": word("step"), tabindex: "0"}), plot = el("div"), around = el("div");
    const steps = el("div", {class: "player-jumps"}, before, after), body = el("div", {hidden: true}, warnings, steps, here, plot, around);
    const element = el("section", {class: "player-notes"}, el("div", {class: "notes-head"}, title, whose), el("p", {class: "player-note"}, word("about")),
      ask, progress, status, body);
    let curves = null;
    whose?.addEventListener("change", () => choose(Number(whose.value)));

    function button(label, act) {
      const made = el("button", {type: "button"}, label);
      made.addEventListener("click", act);
      return made;
    }

    function choose(one) {
      seat = one;
      asked += 1;   // what is on its way for another seat is not shown
      title.textContent = word("title", {name: names[seat]});
      if (whose) whose.value = String(seat);
      ask.textContent = word("ask", {name: names[seat]});
      ask.hidden = found.has(seat);
      ask.disabled = false;
      progress.hidden = true;
      status.textContent = "";
      body.hidden = !found.has(seat);
      shown = "";
      if (found.has(seat)) showAll();
    }

    /** Ask until the match has been played again. */
    async function listen() {
      const mine = ++asked, of = seat;
      ask.disabled = true;
      progress.hidden = false;
      progress.removeAttribute("value");
      status.textContent = word("waits");
      try {
        for (;;) {
          const notes = await match.notes(of);
          if (mine !== asked) return;
          if (notes.progress.is_over) {
            const output = await match.output(of);
            if (mine !== asked) return;
            found.set(of, {notes, output});
            choose(of);
            here.focus({preventScroll: true});
            return;
          }
          const {answered: n, decisions: all} = notes.progress;
          if (all) {
            progress.max = all;
            progress.value = n;
            status.textContent = word("goes", {n, all});
          }
          await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
          if (mine !== asked) return;
        }
      } catch (error) {
        if (mine !== asked) return;
        choose(of);
        status.textContent = word("failed", {why: error.message});
      }
    }

    /** Everything but the step itself: warnings, plot, what was printed before and after the match. */
    function showAll() {
      const {notes: {progress: at, noted}, output: {first, printed, last}} = found.get(seat);
      const all = at.decisions, n = at.answered, isEmpty = !noted.length && !printed.length && !first && !last;
      const texts = [
        at.differs_from === null ? null : word(at.is_timed ? "differs_timed" : "differs", {n: at.differs_from}),
        at.is_late ? word("late", {n, all}) : null, at.is_full ? word("full") : null, at.fault ? word("fault", {n, all, why: at.fault}) : null,
      ].filter(Boolean);
      warnings.replaceChildren(...texts.map((text) => el("p", {class: "player-fault"}, `⚠ ${text}`)));
      status.textContent = isEmpty ? word("nothing") : word("count", {n: noted.filter(({notes}) => notes.length).length, all, printed: printed.length});
      steps.hidden = here.hidden = !frames().length;
      curves = arena.notesPlot(noted, {word, player, differsFrom: at.differs_from});
      plot.replaceChildren(...(curves ? [curves.element] : []));
      around.replaceChildren(...[["start", first], ["end", last]].filter(([, text]) => text).map(([key, text]) =>
        el("details", {class: "player-more"}, el("summary", {}, word(key)), said(text, word(key)))));
      show();
    }

    /** The frames at which the bot said something. */
    function frames() {
      const {notes: {noted}, output: {printed}} = found.get(seat);
      return [...new Set([...noted, ...printed].map(({decision}) => player.frameOf(decision)))].sort((a, b) => a - b);
    }

    function go(by) {
      const there = frames(), next = by > 0 ? there.find((frame) => frame > player.index) : there.findLast((frame) => frame < player.index);
      if (next !== undefined) player.step(next - player.index);
    }

    const said = (text, label) => el("pre", {class: "player-text choices-output", tabindex: "0", "aria-label": label}, text);

    function decision(number, note, printed, {differsFrom}) {
      const isOther = differsFrom !== null && number >= differsFrom;
      return el("div", {class: isOther ? "is-other" : null}, el("h4", {}, word("at", {n: number})),
        isOther ? el("p", {class: "player-fault"}, word("other"), note?.now ? ` ${word("now", {action: note.now})}` : null) : null,
        note?.notes.length ? el("ul", {}, note.notes.map(({text, value}) => el("li", {}, text, value === null ? null : [text ? ": " : "", el("b", {}, arena.notesPlot.number(value))]))) : null,
        note?.is_cut ? el("p", {class: "player-note"}, word("cut")) : null, note?.is_odd ? el("p", {class: "player-note"}, word("odd")) : null,
        printed ? [el("p", {class: "player-note"}, word("printed")), said(printed.output, word("printed"))] : null);
    }

    /** The notes of the step that is shown: what the bot said before the action that comes next. */
    function show() {
      if (player.followed !== followed && match.heard.includes(player.followed)) {
        followed = player.followed;
        if (followed !== seat) choose(followed);
      }
      const heard = found.get(seat);
      if (!heard) return;
      const {notes: {progress: {differs_from: differsFrom}, noted}, output: {printed}} = heard, key = `${seat} ${player.index}`;
      curves?.mark();
      if (key === shown) return;
      shown = key;
      const first = outline.numbers[player.index], end = outline.numbers[player.index + 1] ?? Infinity, isHere = ({decision: number}) => number >= first && number < end;
      const numbers = [...new Set([...noted, ...printed].filter(isHere).map(({decision: number}) => number))].sort((a, b) => a - b);
      here.replaceChildren(...(numbers.length ? numbers.map((number) => decision(number, noted.find((one) => one.decision === number),
        printed.find((one) => one.decision === number), {differsFrom})) : [el("p", {class: "player-note"}, word("none_here"))]));
      const there = frames();
      before.disabled = !(there[0] < player.index);
      after.disabled = !(there.at(-1) > player.index);
    }

    choose(seat);
    return {element, show};
  };
})();
