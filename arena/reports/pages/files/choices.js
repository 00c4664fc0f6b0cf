"use strict";
/**
 * What a bot's search looked at before a decision, asked of the server, which plays the match again.
 * `arena.choicesPanel(player)` gives {element, show()}; `player.match.choices(seat, decision)` asks.
 */
(() => {
  const {el, svg} = arena.kit;

  arena.choicesPanel = (player) => {
    const {word, match, names} = player;
    const answer = el("div", {}), ask = el("button", {type: "button"}, word("choices_ask"));
    const element = el("details", {class: "player-more choices"}, el("summary", {}, word("choices")),
      el("p", {class: "player-note"}, word("choices_note")), ask, answer);
    let shown = "";

    const note = (text) => el("p", {class: "player-note", role: "status"}, text);
    ask.addEventListener("click", async () => {
      const seat = player.followed, decision = player.decision, key = `${seat} ${decision}`;
      if (decision === null) return;
      ask.disabled = true;
      answer.replaceChildren(note(word("choices_wait")));
      try {
        const found = await match.choices(seat, decision);
        if (shown === key) answer.replaceChildren(...drawn(found));
      } catch (error) {
        if (shown === key) answer.replaceChildren(note(word("choices_failed", {why: error.message})));
      }
      ask.disabled = player.decision === null;
    });

    const say = (text) => arena.tables[player.header.game]?.say(text, {lang: player.lang, names, seat: player.followed}) || text;
    const drawn = ({searches, cpu_ms: ms, played, fault, output, differing}) => [
      el("p", {class: "player-note"}, word("choices_cpu", {ms: ms.toLocaleString("en")}), differing ? ` ${word("choices_differing", {n: differing})}` : null),
      fault ? el("p", {class: "player-fault"}, fault) : null,
      searches.length ? searches.map((search, at) => table(search, at, played)) : note(word("choices_none")),
      output ? el("pre", {class: "player-text choices-output", tabindex: "0", "aria-label": word("choices_output")}, output) : null,
    ].flat().filter(Boolean);

    const table = ({simulations, options}, at, played) => {
      const most = Math.max(1, ...options.map(({visits}) => visits));
      const rows = options.map(({action, visits, value, share}) => el("tr", {class: action === played ? "is-followed" : null},
        el("th", {scope: "row", title: action}, say(action), action === played ? el("span", {class: "choices-played"}, ` ${word("choices_played")}`) : null),
        el("td", {class: "number"}, visits.toLocaleString("en")),
        el("td", {}, svg("svg", {viewBox: "0 0 100 8", preserveAspectRatio: "none", class: "choices-bar", "aria-hidden": "true"}, svg("rect", {width: 100 * visits / most, height: 8}))),
        el("td", {class: "number"}, value === null ? "" : value.toFixed(3)), el("td", {class: "number"}, `${Math.round(100 * share)} %`)));
      return el("table", {class: "player-players"},
        el("caption", {}, word("choices_search", {n: at + 1, simulations: simulations.toLocaleString("en")})),
        el("thead", {}, el("tr", {}, el("th", {scope: "col"}, word("choices_action")), el("th", {scope: "col", class: "number"}, word("choices_visits")), el("td", {}),
          el("th", {scope: "col", class: "number"}, word("choices_value")), el("th", {scope: "col", class: "number"}, word("choices_share")))),
        el("tbody", {}, rows));
    };

    return {
      element,
      show: () => {
        const key = `${player.followed} ${player.decision}`;
        if (key === shown) return;
        shown = key;
        ask.disabled = player.decision === null;
        answer.replaceChildren(...(player.decision === null ? [note(word("choices_choose", {name: names[player.followed]}))] : []));
      },
    };
  };
})();
