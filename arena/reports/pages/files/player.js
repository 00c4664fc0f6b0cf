"use strict";
/**
 * The replay player: a match step by step, by all cards or through one seat's eyes.
 *
 * `arena.player(root, match, options)` fills `root` and gives a promise of {play, pause, step, seek, seekAddress, look, place}.
 *
 * match: {
 *   page(eyes, number): promise of frames (arena/reports/pages/files/frames.js); eyes: the eyes to choose from, seats and null; without: all
 *   opinion(): promise of {values, lost}, or null       what the game's evaluation thinks of each frame
 *   luck(): promise of what `arena.luckCurve` takes     what the cards and what the players did; may be left out
 *   choices(seat, decision): promise, or left out       what the bot's search looked at
 *   faults(): promise of {faults}, or left out          what is stored of the faults
 *   heard, notes(seat), output(seat), or left out       seats whose bots' notes the visitor may read; what they are (arena/server/static/notes.js)
 * }
 * options: {
 *   lang, seat (whose eyes; null: all cards), at (an address such as "37" or "round-2"), frame (its index instead),
 *   followed (a seat), speed, isPlaying, hasKeys (of the
 *   whole page, not only of the player), isBare (table and controls alone), resultPlace (the element for how a round ended), onMove({seat, at}), link({seat, at}), onEnd()
 * }
 * An address is the number of the next decision, as `arena replay` prints it; `round-N` is the end of a round.
 */
(() => {
  const {el} = arena.kit;
  const SPEEDS = [.25, .5, 1, 2, 4, 8];
  const STEP_MS = 1200, TICK_MS = 300;   // of a step at speed 1; of one in which all seats choose at once
  const MOTION = {most: 450, share: .7, least: 90};   // ms; of a step; shorter is not animated
  const LOOK_MS = 6000;   // at the end of a round, at speed 1
  const CHUNK = 40;   // steps whose events are listed at once

  arena.player = async (root, match, options = {}) => {
    const player = new Player(root, match, options);
    await player.start();
    return player;
  };

  class Player {
    constructor(root, match, options) {
      this.root = root;
      this.match = match;
      this.options = options;
      this.lang = options.lang ?? "en";
      this.word = arena.wordsOf("player", this.lang);
      this.source = arena.frames(match.page);
      this.eyes = options.seat ?? null;
      this.index = 0;
      this.asked = 0;
      this.speed = options.speed ?? 1;
      this.timer = null;
    }

    async start() {
      this.header = await this.source.header(this.eyes);
      this.seats = this.header.players.map((_, seat) => seat);
      const level = arena.wordsOf("page", this.lang);
      this.names = this.header.players.map(({bot, version, level: name}) =>
        name ? level(`level_${name}`) + bot.slice(name.length) : version === 1 ? bot : `${bot} v${version}`);
      this.total = this.header.outline.numbers.length;
      this.followed = this.options.followed ?? this.eyes ?? this.worst();
      this.panels = arena.playerPanels(this);
      this.root.replaceChildren(...this.panels.elements);
      this.root.classList.add("player");
      this.bindKeys();
      await this.seek(this.options.frame ?? this.frameAt(this.options.at ?? ""), {isQuiet: true});
      if (this.options.isPlaying) this.play();
      const opinion = this.match.opinion?.();
      if (opinion) Promise.resolve(opinion).then((found) => { this.opinion = found; this.panels.showOpinion(); }, () => {});
      this.match.luck?.().then((found) => { this.luck = found; this.panels.showOpinion(); }, () => {});
    }

    get outline() { return this.header.outline; }

    /** Whose worst place it was: the seat that a reader of a lost match asks about. */
    worst() {
      const places = this.header.players.map(({place}) => place);
      return places.indexOf(Math.max(...places));
    }

    /** The frame of an address; the first one for an address that is none. */
    frameAt(address) {
      const round = /^round-(\d{1,6})$/.exec(address);
      if (round) return this.outline.rounds[Number(round[1]) - 1] ?? 0;
      return /^\d{1,9}$/.test(address) ? this.frameOf(Number(address)) : 0;
    }

    /** The last frame before which at most so many decisions were made. */
    frameOf(number) {
      const {numbers} = this.outline;
      let low = 0, high = numbers.length - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (numbers[middle] <= number) low = middle; else high = middle - 1;
      }
      return low;
    }

    /** The address of the present frame. */
    get at() {
      const round = this.outline.rounds.indexOf(this.index);
      return round >= 0 && this.index < this.total - 1 ? `round-${round + 1}` : String(this.outline.numbers[this.index]);
    }

    /** The frame that shows what came of a decision. */
    after(decision) {
      return decision < 0 ? 0 : Math.max(0, this.outline.numbers.findIndex((number) => number > decision));
    }

    /** Show the frame of an address, unless it is shown. */
    seekAddress(address) { if (address !== this.at) this.step(this.frameAt(address) - this.index); }

    place() { return {seat: this.eyes, at: this.at}; }

    /** Show a frame. `isQuiet`: it is not announced, as nothing happened. */
    async seek(index, {isQuiet = false} = {}) {
      const wanted = Math.min(Math.max(0, index), this.total - 1), asked = ++this.asked;
      const chunk = Math.floor(Math.max(0, wanted - 1) / CHUNK) * CHUNK;
      const first = Math.max(0, Math.min(chunk, wanted - 1)), end = Math.min(this.total, chunk + CHUNK + 1);
      let frames;
      try {
        frames = await this.source.between(this.eyes, first, end);
      } catch (error) {
        this.pause();
        const command = `arena replay ${this.header.match_id}`;
        this.panels.tell(error instanceof arena.MissingFrames ? this.word("left_out", {command}) : this.word("unread", {why: error.message}));
        return;
      }
      if (asked !== this.asked) return;   // somebody asked for another one in the meantime
      const step = wanted - this.index, frame = frames[wanted - first];
      this.index = wanted;
      this.show(frame, Math.abs(step) === 1);
      this.panels.show(frame, {frames, first, isQuiet});
      if (!this.timer || wanted === this.total - 1) this.options.onMove?.(this.place());
    }

    show(frame, isNext) {
      this.panels.showResult(frame.result);
      const table = arena.tables[this.header.game], {tableRoot, textRoot, textNote} = this.panels;
      const isDrawn = Boolean(table && frame.position);
      textRoot.textContent = isDrawn && !frame.text ? "" : frame.text;
      textRoot.hidden = !textRoot.textContent;
      textNote.hidden = textRoot.hidden || !isDrawn;
      tableRoot.hidden = !isDrawn;
      if (!isDrawn) return;
      const movers = [...new Set(frame.events.filter(({fact}) => !fact).map(({seat}) => seat))];
      const redraw = () => table.draw(tableRoot, frame.position, {seat: this.eyes, names: this.names, lang: this.lang});
      const pace = this.timer ? this.interval * MOTION.share : MOTION.most;
      const duration = isNext && pace >= MOTION.least ? Math.min(MOTION.most, pace) : 0;
      arena.motion(tableRoot, redraw, {duration, movers});
    }

    /** How a match ended for a seat, in words. */
    ending(name) {
      return arena.wordsOf("page", this.lang)(`ending_${name}`);
    }

    /** The sentences of a frame: [{number, seat, text}], with a seat of null for what nobody did. `before`: the frame before. */
    said(index, frame, before) {
      const table = arena.tables[this.header.game], word = this.word, {rounds} = this.outline;
      const sentences = frame.events.map(({number, seat, text, fact}) => fact ? {
        number, seat: null, text: arena.sayFact(fact, {game: this.header.game, lang: this.lang, names: this.names}), isLed: true,
      } : ({
        number, seat, text: table ? table.say(text, {lang: this.lang, position: before?.position ?? frame.position, names: this.names, seat}) : text,
      })).filter(({text}) => text);
      for (const {seat, decision, ending} of this.header.faults) {
        if (this.after(decision) === index) sentences.push({number: Math.max(0, decision), seat, text: this.ending(ending), isFault: true});
      }
      const round = rounds.indexOf(index), isDeal = index === 0 || rounds.includes(index - 1);
      if (round >= 0) sentences.push({seat: null, text: word(index === this.total - 1 ? "match_ends" : "round_ends", {n: round + 1})});
      if (isDeal) sentences.push({seat: null, text: word("deal", {n: rounds.indexOf(index - 1) + 2})});
      return sentences;
    }

    get interval() {
      const {choosing} = this.outline, middle = choosing[Math.floor(this.total / 2)] ?? [];
      const isTogether = this.total > 400 && (this.eyes === null ? middle.length > 1 : true);
      return (isTogether ? TICK_MS : STEP_MS) / this.speed;
    }

    play() {
      if (this.timer) return;
      const from = this.index >= this.total - 1 ? -1 : this.index;
      const next = async () => {
        await this.seek(this.index + 1);
        if (!this.timer) return;
        if (this.index < this.total - 1) {
          this.timer = setTimeout(next, this.outline.rounds.includes(this.index) ? Math.max(this.interval, LOOK_MS / this.speed) : this.interval);
        } else {
          this.pause();
          this.options.onEnd?.();
        }
      };
      this.timer = setTimeout(async () => { if (from < 0) { await this.seek(0); } if (this.timer) this.timer = setTimeout(next, this.interval); }, 0);
      this.panels.showPlaying(true);
    }

    pause() {
      if (!this.timer) return;
      clearTimeout(this.timer);
      this.timer = null;
      this.panels.showPlaying(false);
      this.options.onMove?.(this.place());
    }

    toggle() { if (this.timer) this.pause(); else this.play(); }

    step(by) { this.pause(); return this.seek(this.index + by); }

    /** Look through a seat's eyes; null: all cards. */
    async look(eyes) {
      this.header = await this.source.header(eyes);
      this.eyes = eyes;
      if (eyes !== null) this.follow(eyes);
      this.panels.showEyes();
      await this.seek(this.index, {isQuiet: true});
    }

    follow(seat) {
      this.followed = seat;
      this.panels.showOpinion();
    }

    setSpeed(speed) {
      this.speed = SPEEDS.includes(speed) ? speed : 1;
      this.panels.showSpeed();
    }

    /** The next of some frames, forwards or backwards (by = -1); whether there is one. */
    jump(frames, by) {
      const found = by > 0 ? frames.find((frame) => frame > this.index) : frames.findLast((frame) => frame < this.index);
      if (found !== undefined) this.step(found - this.index);
      return found !== undefined;
    }

    get faultFrames() { return [...new Set(this.header.faults.map(({decision}) => this.after(decision)))].sort((a, b) => a - b); }

    get decisionFrames() {
      return this.outline.choosing.flatMap((seats, frame) => seats.includes(this.followed) ? [frame] : []);
    }

    get lost() { return this.opinion?.lost[this.followed] ?? null; }

    /** The number of the decision that the followed seat makes in this frame; null: it makes none, or these eyes cannot tell. */
    get decision() {
      const {numbers, choosing} = this.outline, order = choosing[this.index].indexOf(this.followed);
      if (order < 0) return null;
      const together = (numbers[this.index + 1] ?? numbers[this.index]) - numbers[this.index];
      if (this.eyes === null || together === 1) return numbers[this.index] + order;
      return together === this.seats.length ? numbers[this.index] + this.followed : null;   // else some seats did not choose: who is not seen
    }

    bindKeys() {
      const keys = {
        " ": () => this.toggle(), k: () => this.toggle(), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
        Home: () => this.step(-this.total), End: () => this.step(this.total), PageDown: () => this.step(10), PageUp: () => this.step(-10),
        "]": () => this.jump(this.faultFrames, 1), "[": () => this.jump(this.faultFrames, -1),
        ".": () => this.jump(this.outline.rounds, 1), ",": () => this.jump(this.outline.rounds, -1),
        n: () => this.jump(this.decisionFrames, 1), p: () => this.jump(this.decisionFrames, -1),
        l: () => this.lost !== null && this.step(this.lost - this.index), a: () => this.canLook(null) && this.look(null),
        "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1),
        f: () => this.panels.fullScreen(), c: () => this.panels.copyLink(), "?": () => this.panels.help(),
      };
      const pressed = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog")) return;
        const tag = event.target.tagName, isTyping = tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && event.target.type === "text");
        if (isTyping || ((tag === "BUTTON" || tag === "SUMMARY" || tag === "A") && event.key === " ")) return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const seat = /^\d$/.test(key) ? Number(key) : null;
        if (seat !== null && this.canLook(seat)) this.look(seat);
        else if (keys[key]) keys[key]();
        else return;
        event.preventDefault();
      };
      this.root.addEventListener("keydown", pressed);
      if (this.options.hasKeys) {
        document.addEventListener("keydown", (event) => { if (event.target === document.body) pressed(event); });
      }
    }

    canLook(eyes) { return (this.match.eyes ?? [null, ...this.seats]).includes(eyes); }

    faster(by) { this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by))]); }
  }

  arena.player.SPEEDS = SPEEDS;
})();
