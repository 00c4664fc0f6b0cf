"use strict";
/**
 * The page of a table: what the server says of it is drawn here, and what the person chooses is sent.
 * Messages: arena/server/table_process/messages.py. Its parts: table_socket.js, table_lobby.js, table_habits.js, table_log.js, table_coach.js, table_result.js.
 */
(() => {
  const {el} = arena.kit;
  const PACES = {slow: 1500, normal: 700, fast: 220};   // ms a frame is looked at
  const MANY = 6;                                       // waiting frames from which on they are shown faster
  const HOLDS = {slow: 30, normal: 10, fast: 4};        // seconds the end of a round is looked at, unless the person goes on
  const TOGETHER = 10;                                  // at most, where other people wait
  const WIDE = 62 * 16;   // px of a page that has what happened beside its table (table_page.css)
  const PING_MS = 4_000;
  const END_MS = 400;   // after the table is over its result is here, or there is none
  const STORED = "arena.pace";
  const DRAWN = "arena: from an action to the table that shows it";   // a Performance measure
  const ASKS = 2;    // decisions after which an action in real time has counted
  const READY = 3;   // a tick that is so many times as long is the time to look at new cards

  class LivePage {
    constructor(root) {
      const {table, game} = root.dataset;
      this.root = root;
      this.game = game;
      this.address = `/tables/${encodeURIComponent(table)}`;
      this.lang = document.documentElement.lang;
      this.word = arena.wordsOf("live", this.lang);
      this.frames = [];       // waiting to be shown
      this.frame = null;      // the one that is shown
      this.ask = null;        // the decision that is open, or waits until all frames are shown
      this.acted = null;      // {decision, action, at}: sent, and not yet seen in a frame
      this.revocable = null;  // the decision of which the choice was sent, and may be changed until the others have chosen
      this.timer = null;
      this.isFresh = true;    // the next frame is not news: the page was loaded, or the connection was lost
      this.ping = 0;
      this.title = document.title;
      this.build();
      this.socket = arena.tableSocket(table, {onMessage: (message) => this.receive(message), onState: (state) => this.connection(state)});
      setInterval(() => this.measure(), PING_MS);
      addEventListener("resize", () => this.roundRoot.hidden || this.placeResult());
    }

    get isRealTime() { return Boolean(this.welcome?.tick_ms); }
    get names() { return this.welcome?.places.map(({name}) => name) ?? []; }
    get seat() { return this.welcome?.seat ?? null; }
    get table() { return arena.tables[this.game]; }

    build() {
      const {word, game, lang} = this;
      const button = (label, act, classes = null) => {
        const made = el("button", {type: "button", class: classes}, label);
        made.addEventListener("click", act);
        return made;
      };
      this.status = el("p", {class: "live-status", role: "status"}, word("connecting"));
      this.trouble = el("p", {class: "warning live-trouble", role: "alert", hidden: true});
      this.notices = el("div", {class: "live-notices", role: "log", "aria-label": word("notices")});
      this.pingLine = el("span", {class: "live-note live-ping"});
      this.tick = el("span", {class: "live-tick", "aria-hidden": "true", hidden: true}, el("span", {}));
      this.skip = button(word("skip"), () => this.showAll(), "live-skip");
      this.skip.hidden = true;
      this.pace = el("select", {"aria-label": word("pace")}, Object.keys(PACES).map((name) => el("option", {value: name}, word(`pace_${name}`))));
      this.pace.value = stored() ?? "normal";
      this.pace.addEventListener("change", () => store(this.pace.value));
      this.paceChoice = el("label", {class: "live-pace"}, el("span", {}, word("pace")), " ", this.pace);
      this.tableRoot = el("div", {class: "table live-table", hidden: true});
      this.text = el("pre", {class: "player-text", tabindex: "0", hidden: true});
      this.choosing = arena.choosing(this.tableRoot, {game, lang, rules: `/rules/${game}`, onAction: (action, moved) => this.chosen(action, moved)});
      this.choosing.element.hidden = true;
      this.places = arena.tablePlaces({word});
      this.lobby = arena.tableLobby({word, leaving: `${this.address}/leave`, onStart: () => this.socket.send({kind: "start"})});
      this.log = arena.tableLog({word, say: (event, before) => this.say(event, before), nameOf: (seat) => this.names[seat] ?? String(seat), isOwn: (seat) => seat === this.seat,
        isShown: ([, , text, fact]) => fact || !this.table?.quiet?.includes(text)});
      this.hint = arena.tableHint({word, ask: () => this.ask && !this.acted && this.socket.send({kind: "advise", decision: this.ask.decision})});
      this.back = button("", () => this.takeBack(), "live-back");
      this.back.hidden = true;
      this.known = arena.tableKnown({word, game, lang});
      this.aid = arena.tableAid({game, lang});
      this.resultPlace = el("div", {});
      this.leaving = this.leaveDialog();
      this.leave = button(word("leave"), () => this.leaving.showModal());
      this.habits = arena.tableHabits({word});
      const tools = el("div", {class: "live-tools"}, this.paceChoice, this.habits.element, this.pingLine,
        el("a", {class: "button", href: `/rules/${game}`, target: "_blank"}, word("rules")), this.leave);
      this.goOn = button(word("round_on"), () => this.release(), "live-main");
      this.goOn.hidden = true;
      this.roundRoot = el("div", {class: "live-round", hidden: true});
      const top = el("div", {class: "live-top"}, el("div", {class: "live-line"}, this.status, this.tick, this.skip), el("div", {class: "live-help"}, this.hint.button, this.back), this.log.latest);
      this.stage = el("div", {class: "live-stage"}, top, this.roundRoot,
        el("h2", {class: "hidden-text"}, word("match")), el("h3", {class: "hidden-text"}, word("table")), this.text, this.tableRoot, this.choosing.bar, this.choosing.element);
      this.side = el("div", {class: "live-side"}, this.hint.element, this.log.element, this.aid, this.known.element, el("section", {}, el("h2", {}, word("places")), this.places.element), tools);
      this.body = el("div", {class: "live-body"}, this.stage, this.side);
      this.root.classList.add("live");
      this.root.replaceChildren(this.trouble, this.notices, this.lobby.element, this.resultPlace, this.body, this.leaving);
      this.lobby.element.hidden = true;
      this.side.hidden = true;
    }

    leaveDialog() {
      const {word} = this, stay = el("button", {type: "button"}, word("stay")), go = el("button", {class: "live-main"}, word("leave"));
      const dialog = el("dialog", {class: "live-dialog", "aria-label": word("leave")}, el("p", {}, word("leave_note")),
        el("form", {method: "post", action: `${this.address}/leave`, class: "live-links"}, go, stay));
      stay.addEventListener("click", () => dialog.close());
      return dialog;
    }

    // What the server says ---------------------------------------------------------------------------------------------------

    receive(message) {
      const act = {
        welcome: this.onWelcome, frame: this.onFrame, ask: this.onAsk, hint: this.onHint, refused: this.onRefused, over: this.onOver,
        luck: this.onLuck, notice: this.onNotice, pong: this.onPong,
      }[message.kind];
      act?.call(this, message);
    }

    connection(state) {
      this.trouble.hidden = state === "open";
      if (state === "open") { this.isFresh = true; return; }
      this.trouble.textContent = this.word(state === "lost" ? "lost" : "gone");
      if (state === "closed") this.choosing.close();
    }

    onWelcome(welcome) {
      const isNew = !this.welcome || this.welcome.state !== welcome.state;
      const level = arena.wordsOf("page", this.lang);
      const places = welcome.places.map((place) => place.level ? {...place, name: level(`level_${place.level}`) + place.name.slice(place.level.length)} : place);
      this.welcome = {...welcome, places};
      const isLobby = welcome.state === "lobby";
      this.lobby.element.hidden = !isLobby;
      this.body.hidden = isLobby;
      this.side.hidden = false;
      this.paceChoice.hidden = this.isRealTime || ["over", "broken"].includes(welcome.state);
      if (this.isRealTime) {   // it changes with every tick
        this.status.setAttribute("aria-live", "off");
        this.log.latest.hidden = true;
      }
      if (isLobby) this.lobby.show(this.welcome);
      this.places.show(this.welcome);
      if (["starting", "compiling"].includes(welcome.state)) this.tell(welcome.state);
      if (welcome.state === "broken") this.broken();
      if (welcome.state === "over" && isNew) setTimeout(() => this.over || this.ended(), END_MS);
      if (isNew) this.measure();
      if (this.over && !this.timer) this.end();
      if (this.frame?.position && !this.timer) this.draw(this.frame, 0);   // names may have changed
    }

    broken() {
      this.close();
      this.tell("broken");
      this.trouble.hidden = false;
      this.trouble.replaceChildren(this.word("broken_note"), " ", el("a", {href: `/play/${this.game}`}, this.word("again")));
    }

    /** The match was ended without a result. */
    ended() {
      this.close();
      this.tell("ended");
    }

    close() {
      this.ask = null;
      this.choosing.close();
      this.choosing.list.tell();   // what was not sent, or refused, is no matter any more
      this.choosing.element.hidden = true;
      this.hint.element.hidden = true;
      this.hint.button.hidden = true;
      this.back.hidden = true;
      this.log.latest.hidden = true;
      this.tick.hidden = true;
      this.leave.hidden = true;   // there is nothing to leave any more
      this.paceChoice.hidden = true;
      document.title = this.title;
    }

    onFrame(frame) {
      frame = {events: [], choosing: [], text: "", ...frame};
      if (this.isRealTime && this.held && !this.isFresh) {   // the end of a round is looked at: nothing counts before the next one has begun
        this.frames = [frame];
        this.held.until = Math.min(this.held.until, performance.now() + (frame.tick_ms ?? 0) / 2);
        return;
      }
      if (this.isFresh || this.isRealTime) {
        this.frames = [];
        this.stopWaiting();
        this.show(frame, !this.isFresh);
        this.isFresh = false;
        return;
      }
      this.frames.push(frame);
      if (!this.timer) this.next();
    }

    onAsk(ask) {
      this.ask = {refusals: [], known: [], since: [], task: null, prospects: {}, back: "", ...ask};
      if (this.isTakingBack && this.acted?.decision === ask.decision) {
        this.acted = this.opened = null;
        this.choosing.settle(true);
      }
      this.isTakingBack = false;
      if (!this.timer) this.open();
    }

    onHint(hint) {
      if (hint.decision !== this.ask?.decision) return;
      this.hint.show(hint, (action) => this.label(action));
      this.choosing.advise(hint.best);
      if (this.hint.element.getBoundingClientRect().top > innerHeight) this.remark(`${this.word("hint_best")} ${this.label(hint.best)}`);
    }

    onRefused({action, why}) {
      if (why === "back") {
        this.remark(this.word("refused_back"));
        if (this.isTakingBack) this.opened = null;
        this.isTakingBack = false;
        if (!this.timer) this.open();
        return;
      }
      if (this.acted && this.acted.action !== action) return;   // another click came after it
      this.acted = null;
      this.choosing.settle();
      this.remark(this.word(`refused_${why}`, {action: this.label(action)}));
      if (this.ask && !this.isRealTime) this.open();
    }

    onOver(over) {
      this.over = over;
      if (!this.timer) this.end();
    }

    onLuck(luck) {
      this.lucky = luck;
      this.result?.luck(luck);
    }

    onNotice({key, values = {}}) {
      if (key === "notice_back" && values.name === this.names[this.seat]) return;   // to others it is news
      const text = arena.wordsOf("page", this.lang)(key, values);
      const line = el("p", {}, values.table ? el("a", {href: `/tables/${encodeURIComponent(values.table)}`}, text) : text);
      this.notices.append(line);
      while (this.notices.children.length > 3) this.notices.firstChild.remove();
      setTimeout(() => line.remove(), 30_000);
    }

    onPong({at}) {
      this.ping = performance.now() - at;
      if (this.isRealTime) this.pingLine.textContent = this.word("ping", {n: Math.round(this.ping)});
    }

    measure() { this.socket?.send({kind: "ping", at: performance.now()}); }

    // Frames, one after the other ------------------------------------------------------------------------------------------

    next() {
      this.timer = null;
      const frame = this.frames.shift();
      this.skip.hidden = !this.frames.length;
      if (!frame) { this.ready(); return; }
      this.show(frame, true);
      const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches, pace = isStill ? 0 : PACES[this.pace.value] ?? PACES.normal;
      if (this.held) return;
      const own = frame.events.every(([, seat]) => seat === this.seat);   // the own action was just seen
      this.timer = setTimeout(() => this.next(), own ? Math.min(pace, 150) : pace / (this.frames.length > MANY ? 2 : 1));
    }

    /**
     * The end of a round stays until the person goes on, or the time is over. `this.timer` holds the frames that come meanwhile.
     * In real time the new cards are shown early enough to look at them.
     */
    hold() {
      const waits = this.isRealTime || this.welcome.places.filter(({person, replaced}) => person && !replaced).length > 1;
      const seconds = HOLDS[this.pace.value] ?? HOLDS.normal;
      this.held = {until: performance.now() + 1000 * (waits ? Math.min(TOGETHER, seconds) : seconds)};
      const look = () => {
        const left = Math.ceil((this.held.until - performance.now()) / 1000);
        if (left <= 0) { this.release(); return; }
        this.goOn.textContent = this.word("round_on_in", {n: left});
        if (this.isRealTime) this.tell("round_over_in", {n: left});
        this.timer = setTimeout(look, 200);
      };
      this.skip.hidden = true;   // one button goes on
      this.goOn.hidden = this.isRealTime;
      this.choosing.close();
      this.choosing.element.hidden = true;
      this.tell("round_over");
      this.roundRoot.scrollIntoView({block: "nearest"});
      clearTimeout(this.timer);
      look();
      if (!this.isRealTime) this.goOn.focus({preventScroll: true});
    }

    /** Go on from the end of a round. */
    release() {
      if (!this.held) return;
      this.stopWaiting();
      this.next();
    }

    /** No frame is waited for any more, nor is the end of a round looked at. */
    stopWaiting() {
      clearTimeout(this.timer);
      this.timer = this.held = null;
      this.goOn.hidden = true;
    }

    /** Show the newest frame at once, and list what the others told. */
    showAll() {
      this.stopWaiting();
      for (const frame of this.frames.splice(0)) this.show(frame, true, 0);
      this.skip.hidden = true;
      this.ready();
    }

    /** All frames are shown. */
    ready() {
      if (this.over) this.end();
      else if (this.ask) this.open();
    }

    show(frame, isNews, duration = null) {
      const before = this.frame, pace = PACES[this.pace.value] ?? PACES.normal;
      this.frame = frame;
      if (isNews) this.log.add(frame.events, before?.position, !this.isRealTime);
      if (isNews && frame.number < before?.number) this.log.tell(this.word("taken_back"));
      if (this.ask && frame.number > this.ask.decision && !frame.choosing.includes(this.seat)) this.ask = null;
      if (this.revocable !== null && frame.number > this.revocable) {
        this.revocable = null;
        this.offerBack("");
      }
      const isAnswer = this.acted && !this.isRealTime && frame.number > this.acted.decision;
      if (isAnswer) this.choosing.land();
      if (isNews && frame.events.length && !this.isRealTime) this.habits.hear("card");
      this.draw(frame, duration ?? (isNews ? this.isRealTime ? Math.min(160, frame.tick_ms ?? 160) : Math.min(450, pace * .7) : 0));
      if (isAnswer) {
        performance.measure(DRAWN, {start: this.acted.at});
        this.acted = null;
      }
      if (this.isRealTime) this.showTick(frame);
      this.showResult(frame);
      this.tellTurn();
      if (frame.position?.round_over && isNews && duration !== 0) this.hold();
    }

    /** How the round ended, where one does. */
    showResult({result}) {
      this.roundRoot.hidden = !result;
      if (!result) { this.roundRoot.replaceChildren(); return; }
      this.placeResult();
      this.roundRoot.replaceChildren(arena.roundResult(result, {game: this.game, lang: this.lang, names: this.names, seat: this.seat}), this.goOn);
    }

    /** The result stands beside the table where there is room: the table stays as it stood. */
    placeResult() {
      if (this.body.clientWidth >= WIDE) this.side.prepend(this.roundRoot); else this.stage.firstChild.after(this.roundRoot);
    }

    draw(frame, duration) {
      const isDrawn = Boolean(this.table && frame.position);
      this.text.textContent = isDrawn ? "" : frame.text;
      this.text.hidden = !this.text.textContent;
      this.tableRoot.hidden = !isDrawn;
      if (!isDrawn) return;
      const movers = [...new Set(frame.events.filter(arena.isDone).map(([, seat]) => seat))];
      const draw = () => this.table.draw(this.tableRoot, frame.position, {seat: this.seat, names: this.names, lang: this.lang});
      arena.motion(this.tableRoot, () => this.choosing.redraw(draw), {duration, movers});
    }

    showTick(frame) {
      this.tick.hidden = false;
      const length = frame.tick_ms ?? this.welcome.tick_ms, bar = this.tick.firstChild;
      for (const old of bar.getAnimations()) old.cancel();
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) bar.animate([{transform: "scaleX(0)"}, {transform: "scaleX(1)"}], {duration: length});
    }

    // The own decision -----------------------------------------------------------------------------------------------------

    open() {
      const {ask} = this;
      if (!ask || !this.frame || this.over || this.isTakingBack) return;
      const isSame = this.opened === ask.decision;
      if (this.isRealTime) this.judge(ask);
      if (this.acted && !this.isRealTime) {
        if (this.acted.decision === ask.decision && performance.now() - this.acted.at < 1500 && !this.wasLost) return;
        this.acted = null;
        this.choosing.settle();
      }
      this.opened = ask.decision;
      this.choosing.element.hidden = false;
      const isBusy = this.isRealTime && ask.legal.length === 1, legal = isBusy ? [] : ask.legal;   // to wait is what a busy hand does anyway
      const notes = Object.fromEntries(Object.entries(ask.prospects).map(([action, fact]) => [action, this.sayFact(fact)]));
      this.choosing.ask({legal, isBusy, notes, refusals: ask.refusals, position: this.frame.position, seat: this.seat, names: this.names});
      this.revocable = null;
      this.offerBack(ask.back ? arena.wordsOf(this.game, this.lang)(ask.back) : "");
      this.known.show(ask.known, this.names);
      if (!isSame) {
        if (!this.isRealTime) this.habits.hear("turn");
        if (!this.isRealTime) this.log.since(ask.since);
        this.hint.clear(true);
      }
      this.tellTurn();
    }

    /**
     * In real time: whether what was done has had its effect by now. While it goes on the hand is busy, with nothing to choose but
     * to wait. A click that came at the end of a tick counts in the next one, so the first decision after it says nothing yet.
     */
    judge({decision, legal}) {
      const {acted} = this;
      if (!acted || decision <= acted.decision) return;
      const isBusy = legal.length === 1;
      acted.asks += isBusy ? ASKS : 1;
      if (isBusy || acted.asks < ASKS) return;
      this.acted = null;
      if (this.choosing.settle()) this.remark(this.word("failed", {action: acted.label}));
    }

    /** The person chose; with a habit of it the move is shown first, and asked about once more. In real time there is none. */
    chosen(action, moved) {
      if (this.isRealTime || !this.habits.confirms) { this.act(action, moved); return; }
      const {word, ask} = this, yes = el("button", {type: "button", class: "choosing-do"}, word("confirm_yes")), no = el("button", {type: "button"}, word("confirm_no"));
      this.choosing.show();
      this.choosing.carry(moved);
      this.choosing.list.tell([word("confirm_move", {action: moved.label}), " ", yes, " ", no]);
      yes.focus({preventScroll: true});
      const back = (isDone) => {
        this.choosing.settle(true);
        this.choosing.list.tell();
        if (isDone && this.ask?.decision === ask?.decision) this.act(action, moved);
        else this.choosing.show();
      };
      yes.addEventListener("click", () => back(true), {once: true});
      no.addEventListener("click", () => back(false), {once: true});
    }

    act(action, moved) {
      const {ask} = this;
      if (!ask || this.isTakingBack) return;
      if (!this.socket.send({kind: "act", decision: ask.decision, action})) {
        this.remark(this.word("not_sent"));
        this.choosing.show();
        return;
      }
      if (this.isRealTime && this.acted && this.acted.decision === ask.decision && this.acted.action !== action) this.remark(this.word("instead", {action: moved.label, other: this.acted.label}));
      this.acted = {decision: ask.decision, action, label: moved.label, at: performance.now(), asks: 0};
      this.revocable = ask.is_revocable ? ask.decision : null;
      this.choosing.settle(true);
      if (this.isRealTime) {
        this.choosing.show();
        this.choosing.carry(moved);
        this.tellTurn();
      } else {
        this.ask = null;
        this.choosing.close(moved, () => this.sent());
      }
    }

    /** The button by which the person chooses again; hidden without a label. */
    offerBack(label) {
      this.back.textContent = label;
      this.back.hidden = !label;
    }

    /**
     * Choose again in place of the last own action, which nobody has answered and which has shown nothing new, or of a choice that
     * waits for those of others.
     */
    takeBack() {
      const decision = this.revocable ?? (this.ask?.back && !this.acted ? this.ask.decision : null);
      if (decision === null || this.isTakingBack) return;
      if (!this.socket.send({kind: "back", decision})) { this.remark(this.word("not_sent")); return; }
      this.isTakingBack = true;
      this.offerBack("");
      this.hint.clear(false);
      this.choosing.close();
      this.choosing.list.tell();   // a move that was still to be confirmed
    }

    /** The own turn is over, as it seems. */
    sent() {
      this.offerBack(this.revocable === null ? "" : this.word("choose_again"));
      this.hint.clear(false);
      this.log.turn();
      this.tellTurn();
    }

    label(action) {
      return arena.imperative(this.table?.say(action, {lang: this.lang, position: this.frame?.position, names: this.names, seat: this.seat}) || action, this.lang);
    }

    sayFact(fact) { return arena.sayFact(fact, {game: this.game, lang: this.lang, names: this.names}); }

    say([, seat, text, fact], before) {
      if (fact) return this.sayFact(fact);
      return this.table?.say(text, {lang: this.lang, position: before, names: this.names, seat}) || text;
    }

    /** A sentence about what the person did. */
    remark(text) { this.choosing.list.tell([text]); }

    // Whose turn, and the end ----------------------------------------------------------------------------------------------

    tellTurn() {
      if (this.over || this.held || !this.frame) return;
      const {choosing} = this.frame, isMine = Boolean(this.ask) && !this.acted && this.opened === this.ask.decision;
      const others = choosing.filter((seat) => seat !== this.seat).map((seat) => this.names[seat]);
      const task = this.ask?.task ? this.sayFact(this.ask.task) : null;
      if (this.isRealTime) this.tell(this.frame.tick_ms > READY * this.welcome.tick_ms ? "ready" : this.ask?.legal.length > 1 ? "go" : "busy", null, task);
      else if (isMine) this.tell("your_turn", null, task);
      else if (others.length) this.tell("waiting_for", {names: others.join(this.word("separator"))});
      else this.tell("waiting");
      document.title = isMine && !this.isRealTime && document.hidden ? `● ${this.word("your_turn")} - ${this.title}` : this.title;
    }

    /** The line above the table. `task`: what there is to do. */
    tell(key, values, task = null) {
      const text = task && ["your_turn", "go"].includes(key) ? this.word("to_do", {turn: this.word(key), task}) : this.word(key, values ?? {});
      if (this.status.textContent !== text) this.status.textContent = text;
      this.status.classList.toggle("is-mine", key === "your_turn");
    }

    end() {
      if (this.result || this.welcome?.state !== "over") return;   // before it is stored, there is no replay and no rematch
      this.close();
      this.tell("over");
      this.result = arena.tableResult({word: this.word, seat: this.seat, names: this.names, again: this.welcome.is_host ? `${this.address}/rematch` : null, isGuest: "guest" in this.root.dataset});
      this.resultPlace.replaceChildren(this.result.element);
      this.result.show(this.over);
      if (this.lucky) this.result.luck(this.lucky);
    }

  }

  const stored = () => {
    try {
      const found = localStorage.getItem(STORED);
      return found in PACES ? found : null;
    } catch { return null; }
  };
  const store = (value) => { try { localStorage.setItem(STORED, value); } catch { /* it is only a preference */ } };

  const root = document.getElementById("live-table");
  if (root) new LivePage(root);
})();
