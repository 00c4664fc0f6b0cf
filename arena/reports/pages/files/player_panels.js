"use strict";
/**
 * What stands around the table in the replay player: controls, events in words, players, the opinion on the match, commands.
 * `arena.playerPanels(player)` builds them for a player (arena/reports/pages/files/player.js), which tells them what to show.
 */
(() => {
  const {el, svg} = arena.kit;
  const ICONS = {
    first: "M6 5v14M19 5l-9 7 9 7Z", back: "M17 5l-9 7 9 7Z", play: "M7 4l13 8-13 8Z", pause: "M7 5v14M17 5v14", on: "M7 5l9 7-9 7Z",
    last: "M18 5v14M5 5l9 7-9 7Z", link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
    full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  };
  const WIDE = 60 * 16;   // px of a player that has what happened beside its table (player.css)
  const icon = (name) => svg("svg", {viewBox: "0 0 24 24", class: "player-icon", "aria-hidden": "true"}, svg("path", {d: ICONS[name]}));

  arena.playerPanels = (player) => {
    const {word, header, names, options} = player, tag = names.map((name, seat) => word("seat", {seat, name}));
    const button = (label, content, act, classes = "") => {
      const made = el("button", {type: "button", class: classes, title: label, "aria-label": label}, content);
      made.addEventListener("click", act);
      return made;
    };
    const textButton = (label, act) => {
      const made = el("button", {type: "button"}, label);
      made.addEventListener("click", act);
      return made;
    };

    // The table, and the same in words where there is no drawing.
    const tableRoot = el("div", {class: "table player-table"});
    const textRoot = el("pre", {class: "player-text", tabindex: "0"});
    const textNote = el("p", {class: "player-note", hidden: true}, word("round_in_words"));
    const resultRoot = el("div", {class: "player-result", hidden: true});
    const live = el("p", {class: "visually-hidden", "aria-live": "polite"});
    const status = el("p", {class: "player-status", role: "status"});

    // Controls.
    const playButton = button(word("play"), icon("play"), () => player.toggle(), "player-play");
    const slider = el("input", {type: "range", min: "0", max: String(player.total - 1), value: "0", class: "player-slider", "aria-label": word("step")});
    slider.addEventListener("input", () => player.step(Number(slider.value) - player.index));
    const counter = el("output", {class: "player-counter"});
    const marks = el("div", {class: "player-marks", "aria-hidden": "true"});
    const eyes = el("select", {"aria-label": word("eyes")}, (player.match.eyes ?? [null, ...player.seats]).map((seat) =>
      el("option", {value: seat === null ? "" : String(seat)}, seat === null ? word("all_cards") : tag[seat])));
    eyes.addEventListener("change", () => player.look(eyes.value === "" ? null : Number(eyes.value)));
    const speed = el("select", {"aria-label": word("speed")}, arena.player.SPEEDS.map((value) =>
      el("option", {value: String(value)}, `${{.25: "¼", .5: "½"}[value] ?? value} ×`)));
    speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
    const keysDialog = helpDialog(player);
    const controls = el("div", {class: "player-controls", role: "group", "aria-label": word("controls")},
      el("div", {class: "player-line"}, el("div", {class: "player-track"}, slider, marks), counter),
      el("div", {class: "player-buttons"},
        button(word("first"), icon("first"), () => player.step(-player.total), "player-far"),
        button(word("back"), icon("back"), () => player.step(-1)), playButton,
        button(word("on"), icon("on"), () => player.step(1)),
        button(word("last"), icon("last"), () => player.step(player.total), "player-far"),
        el("label", {class: "player-choice"}, el("span", {}, word("speed")), speed),
        el("label", {class: "player-choice"}, el("span", {}, word("eyes")), eyes),
        options.link ? button(word("copy_link"), icon("link"), () => copyLink()) : null,
        button(word("full_screen"), icon("full"), () => fullScreen(), "player-full"),
        button(word("help"), "?", () => keysDialog.showModal(), "player-far")));

    // Where to jump.
    const lostButton = textButton("", () => player.lost !== null && player.step(player.lost - player.index));
    const nextDecision = textButton("", () => player.jump(player.decisionFrames, 1));
    lostButton.hidden = true;
    const jumps = el("div", {class: "player-jumps"}, nextDecision,
      header.faults.length ? textButton(word("next_fault"), () => player.jump(player.faultFrames, 1) || player.jump(player.faultFrames, -1)) : null,
      player.outline.rounds.length > 1 ? textButton(word("next_round"), () => player.jump(player.outline.rounds, 1)) : null, lostButton);

    const list = el("ol", {class: "player-events", tabindex: "0", "aria-label": word("events")});
    const worth = player.seats.map(() => el("td", {class: "number player-worth"}));
    const players = playersTable(player, tag, worth);
    const opinionBox = el("section", {class: "player-opinion", hidden: true}, el("h3", {}, word("opinion")), el("p", {class: "player-note"}, word("opinion_note")));
    const luckBox = el("section", {class: "player-luck", hidden: true}, el("h3", {}, word("luck")), el("p", {class: "player-note"}, word("luck_note")));
    const choices = player.match.choices ? arena.choicesPanel(player) : null;
    const notes = player.match.heard ? arena.notesPanel(player) : null;
    const commands = commandsPanel(player, copy);
    let curve = null, luck = null, listed = "";

    const beside = el("div", {}, el("h3", {}, word("events")), list), side = el("div", {class: "player-side"}, beside);
    const stage = el("div", {class: "player-stage"}, textNote, textRoot, tableRoot, live, controls);
    arena.fitting(tableRoot, controls);
    const elements = options.isBare ? [stage, status, keysDialog] :
      [el("div", {class: "player-body"}, stage, side), status, jumps, notes?.element, players, opinionBox, luckBox, choices?.element, faultsPanel(player), commands.element, keysDialog].filter(Boolean);

    async function copy(text) {
      try {
        await navigator.clipboard.writeText(text);
        tell(word("copied", {text}));
      } catch {
        tell(text);
        getSelection()?.selectAllChildren(status);
      }
    }
    function copyLink() { if (options.link) copy(options.link(player.place())); }
    function tell(text) { status.textContent = text; }
    function fullScreen() {
      if (document.fullscreenElement) document.exitFullscreen();
      else player.root.requestFullscreen?.().catch(() => {});
    }

    /** The events of some frames, each step one item. */
    const listEvents = (frames, first) => {
      const items = [];
      for (let at = first === 0 ? 0 : 1; at < frames.length; at += 1) {
        const index = first + at, sentences = player.said(index, frames[at], frames[at - 1]);
        if (!sentences.length) continue;
        const go = textButton(String(sentences[0].number ?? player.outline.numbers[index]), () => player.step(index - player.index));
        go.setAttribute("aria-label", word("go", {n: go.textContent}));
        items.push(el("li", {"data-frame": index}, go, el("div", {}, sentences.map((said) => sentence(said)),
          index - 1 === player.lost ? el("p", {class: "player-lost-here"}, word("lost_here", {name: names[player.followed]})) : null)));
      }
      list.replaceChildren(...items);
    };
    const sentence = ({seat, text, isFault, isLed}) => el("p", {class: isFault ? "player-fault" : isLed ? "led-to" : seat === null ? "player-stage-note" : null},
      seat === null ? null : el("b", {}, names[seat]), seat === null ? null : " ", isFault ? `⚠ ${text}` : text);

    const showMarks = () => {
      const mark = (frame, classes) => {
        const made = el("span", {class: classes});
        made.style.setProperty("left", `${100 * frame / Math.max(1, player.total - 1)}%`);
        return made;
      };
      marks.replaceChildren(...player.outline.rounds.slice(0, -1).map((frame) => mark(frame, "of-round")),
        ...player.faultFrames.map((frame) => mark(frame, "of-fault")), ...(player.lost === null ? [] : [mark(player.lost, "of-lost")]));
    };

    /** How a round ended stands beside the table where there is room: the table stays as it stood. */
    const placeResult = () => {
      const isBeside = !options.isBare && player.root.clientWidth >= WIDE;
      (options.resultPlace ?? (isBeside ? beside : stage)).prepend(resultRoot);
    };
    addEventListener("resize", () => resultRoot.hidden || placeResult());

    const panels = {
      elements, tableRoot, textRoot, textNote, tell, copyLink, fullScreen, help: () => keysDialog.showModal(),
      show(frame, {frames, first, isQuiet}) {
        const n = player.outline.numbers[player.index], last = player.outline.numbers[player.total - 1];
        slider.value = String(player.index);
        slider.setAttribute("aria-valuetext", word("at", {n, last}));
        counter.textContent = `${n} / ${last}`;
        const key = `${player.eyes} ${first} ${frames.length} ${player.lost} ${player.followed}`;
        if (key !== listed && !options.isBare) listEvents(frames, first);
        listed = key;
        const now = list.querySelector(`[data-frame="${player.index}"]`);
        list.querySelector("[aria-current]")?.removeAttribute("aria-current");
        if (now) {
          now.setAttribute("aria-current", "step");
          list.scrollTop = now.offsetTop - list.clientHeight / 2 + now.offsetHeight / 2;
        }
        const isSaid = !isQuiet && (!player.timer || player.speed <= 1 || player.index === player.total - 1);   // else it is too fast to follow
        if (isSaid) live.textContent = player.said(player.index, frame, frames[player.index - first - 1])
          .map(({seat, text}) => seat === null ? text : `${names[seat]}: ${text}`).join(". ");
        if (!player.timer) tell("");
        panels.showWorth();
        choices?.show();
        notes?.show();
        commands.show();
      },
      /** How the round ended, where one does. */
      showResult(result) {
        resultRoot.hidden = !result;
        if (!result) { resultRoot.replaceChildren(); return; }
        placeResult();
        resultRoot.replaceChildren(arena.roundResult(result, {game: header.game, lang: player.lang, names, seat: player.eyes}));
      },
      showPlaying(isPlaying) {
        playButton.replaceChildren(icon(isPlaying ? "pause" : "play"));
        for (const name of ["title", "aria-label"]) playButton.setAttribute(name, word(isPlaying ? "pause" : "play"));
      },
      showSpeed() { speed.value = String(player.speed); },
      showEyes() {
        eyes.value = player.eyes === null ? "" : String(player.eyes);
        listed = "";
      },
      showWorth() {
        const values = player.opinion?.values[player.index];
        if (values) values.forEach((value, seat) => { worth[seat].textContent = value.toFixed(2); });
        curve?.mark(player.index);
        luck?.mark(player.index);
      },
      showOpinion() {
        const name = names[player.followed];
        nextDecision.textContent = word("next_decision", {name});
        for (const row of players.querySelectorAll("[data-seat]")) {
          const isFollowed = Number(row.dataset.seat) === player.followed;
          row.classList.toggle("is-followed", isFollowed);
          row.querySelector("input").checked = isFollowed;
        }
        if (player.opinion) {
          if (!curve) {
            curve = arena.curve(player.opinion.values, {label: word("opinion"), onSeek: (frame) => player.step(frame - player.index)});
            opinionBox.append(curve.element);
            opinionBox.hidden = false;
          }
          curve.show(player.followed, player.lost);
          lostButton.textContent = word("lost", {name});
          lostButton.hidden = player.lost === null;
          listed = "";
          player.seek(player.index, {isQuiet: true});
        }
        if (player.luck?.values.length) {
          if (!luck) {
            luck = arena.luckCurve(player.luck, {word, onSeek: (frame) => player.step(frame - player.index)});
            luckBox.append(luck.element);
            luckBox.hidden = false;
            luck.mark(player.index);
          }
          luck.show(player.followed, name);
        }
        showMarks();
        choices?.show();
        notes?.show();
        commands.show();
      },
    };
    panels.showSpeed();
    panels.showEyes();
    panels.showOpinion();
    return panels;
  };

  /** Who played, and what came of it; the row that is chosen is followed by the jumps, the curve and the commands. */
  const playersTable = (player, tag, worth) => {
    const {word, header, names} = player;
    const heads = ["seat_word", "bot", "place", "score", "decisions", "cpu_median", "cpu_most", "worth"];
    const ms = (value) => value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
    const rows = header.players.map((one, seat) => {
      const radio = el("input", {type: "radio", name: `follow-${header.match_id}`, "aria-label": word("follow", {name: names[seat]})});
      radio.addEventListener("change", () => player.follow(seat));
      const ending = one.ending === "played" ? null : el("span", {class: "player-fault"}, ` ⚠ ${player.ending(one.ending)}`);
      return el("tr", {"data-seat": seat}, el("td", {}, el("label", {}, radio, ` ${seat}`)), el("th", {scope: "row"}, names[seat], ending),
        ...[one.place, one.score, one.decisions.toLocaleString("en"), ms(one.cpu_ms_p50), ms(one.cpu_ms_max)].map((value) => el("td", {class: "number"}, String(value))), worth[seat]);
    });
    return el("table", {class: "player-players"}, el("caption", {}, word("players")),
      el("thead", {}, el("tr", {}, heads.map((head, at) => el("th", {scope: "col", class: at > 1 ? "number" : null}, word(head))))), el("tbody", {}, rows));
  };

  /** What is stored of the faults, asked for when a reader opens it; null where there is none. */
  const faultsPanel = (player) => {
    const {word, match, names, header} = player;
    if (!match.faults || !header.faults.length) return null;
    const element = el("details", {class: "player-more"}, el("summary", {}, word("faults")));
    const one = ({seat, decision, ending, reason, output, exit}) => {
      const go = el("button", {type: "button"}, decision < 0 ? word("faults_start") : word("faults_at", {n: decision}));
      go.addEventListener("click", () => player.step(player.after(decision) - player.index));
      return el("div", {}, el("p", {class: "player-command"}, el("b", {}, names[seat]), el("span", {class: "player-fault"}, `⚠ ${player.ending(ending)}`), go),
        el("p", {class: "player-note"}, reason, exit ? ` (${exit})` : null),
        output ? el("pre", {class: "player-text choices-output", tabindex: "0", "aria-label": word("choices_output")}, output) : el("p", {class: "player-note"}, word("faults_silent")));
    };
    element.addEventListener("toggle", async () => {
      if (!element.open || element.children.length > 1) return;
      try {
        element.append(...(await match.faults()).faults.map(one));
      } catch (error) {
        element.append(el("p", {class: "player-note"}, word("unread", {why: error.message})));
      }
    });
    return element;
  };

  const helpDialog = (player) => {
    const {word} = player;
    const rows = [["␣ / K", "play"], ["← →", "steps"], ["PgUp PgDn", "ten"], ["Home End", "ends"], ["[ ]", "faults"], [", .", "rounds"], ["P N", "decisions"],
      ["L", "lost"], ["0-9", "seat"], ["A", "all"], ["- +", "speed"], ["F", "full"], ["C", "link"], ["?", "help"]];
    const close = el("button", {type: "button"}, word("close"));
    const dialog = el("dialog", {class: "player-help", "aria-label": word("help")}, el("h3", {}, word("help")),
      el("dl", {}, rows.map(([keys, what]) => el("div", {}, el("dt", {}, keys.split(" ").map((key) => [el("kbd", {}, key), " "])), el("dd", {}, word(`key_${what}`))))), close);
    close.addEventListener("click", () => dialog.close());
    return dialog;
  };

  /** The seed, and the commands that show the same in a terminal. */
  const commandsPanel = (player, copy) => {
    const {word, header} = player, id = header.match_id;
    const code = (text) => {
      const made = el("code", {}, text), by = el("button", {type: "button"}, word("copy"));
      by.addEventListener("click", () => copy(made.textContent));
      return {row: el("p", {class: "player-command"}, made, by), made};
    };
    const replay = code(""), capsule = code(""), seed = el("p", {class: "player-command"});
    const element = el("details", {class: "player-more"}, el("summary", {}, word("terminal")),
      replay.row, el("p", {class: "player-note"}, word("capsule_note")), capsule.row, seed,
      header.notes.map((note) => el("p", {class: "player-note"}, note)));
    const show = () => {
      replay.made.textContent = `arena replay ${id}${player.eyes === null ? "" : ` --seat ${player.eyes}`}`;
      const decision = player.decision;
      capsule.made.textContent = `arena capsule ${id} ${player.followed}${decision === null ? "" : ` --decision ${decision}`}`;
      capsule.row.hidden = decision === null && !header.faults.some(({seat}) => seat === player.followed);
      seed.replaceChildren(...(player.header.seed ? [`${word("seed")} `, el("code", {}, player.header.seed)] : []));
    };
    return {element, show};
  };
})();
