"use strict";
/**
 * A game's lesson: a guided first round, which the learner plays at the table. It is played wholly here; nothing is stored.
 * What a step holds: arena/reports/pages/lessons.py.
 */
(() => {
  const {el} = arena.kit;
  const RIVAL_MS = 900, MOTION_MS = 450;

  class LessonPage {
    constructor(root, lesson) {
      this.root = root;
      this.lesson = lesson;
      this.game = lesson.game;
      this.lang = document.documentElement.lang;
      this.word = arena.wordsOf("live", this.lang);
      this.names = Array.from({length: lesson.seats}, (_, seat) =>
        seat === lesson.seat ? this.word("lesson_you") : this.word("lesson_rival", {n: (seat + lesson.seats - lesson.seat) % lesson.seats}));
      this.sideNames = this.names.map((name, seat) => seat === lesson.seat ? this.word("lesson_side") : name);   // for sentences about somebody
      const opening = {...lesson.steps[0], say: lesson.intro, rule: "", action: null, seat: null, legal: [], kind: "intro"};
      const ending = {...lesson.end, say: lesson.outro, kind: "outro"};
      this.steps = [opening, ...lesson.steps, ending].map((step) => ({events: [], choosing: [], legal: [], text: "", rule: "", kind: "", ...step}));
      this.steps[1].events = [];
      this.stops = this.steps.map((_, at) => at).filter((at) => this.isStop(this.steps[at]));
      this.at = 0;
      this.timer = null;
      this.build();
      this.show(0);
    }

    get step() { return this.steps[this.at]; }
    get table() { return arena.tables[this.game]; }
    isOwn({seat, action}) { return seat === this.lesson.seat && action !== null && action !== undefined; }
    isStop(step) { return Boolean(step.say) || this.isOwn(step) && step.legal.length > 1; }

    build() {
      const {word, game, lang} = this;
      this.count = el("p", {class: "live-note"});
      this.said = el("div", {role: "status"});
      this.back = el("button", {type: "button"}, word("lesson_back"));
      this.main = el("button", {type: "button", class: "live-main"});
      this.back.addEventListener("click", () => this.goBack());
      this.main.addEventListener("click", () => this.goOn());
      this.text = el("pre", {class: "player-text", tabindex: "0", hidden: true});
      this.resultRoot = el("div", {class: "live-round"});
      this.tableRoot = el("div", {class: "table live-table"});
      this.choosing = arena.choosing(this.tableRoot, {game, lang, rules: `/rules/${game}`, onAction: (action, moved) => this.chosen(action, moved)});
      this.log = el("ol", {class: "live-events", tabindex: "0", "aria-label": word("log")});
      this.links = el("p", {class: "live-links", hidden: true},
        "guest" in this.root.dataset ? null : el("a", {class: "button live-main", href: `/play/${game}`}, word("lesson_play")), el("a", {class: "button", href: `/rules/${game}`}, word("rules")));
      this.root.classList.add("live");
      this.root.replaceChildren(el("div", {class: "live-body live-lesson"},
        el("div", {class: "live-guide"}, el("div", {class: "live-lesson-text"}, this.count, this.said), this.links, el("p", {class: "live-links"}, this.main, this.back)),
        el("div", {class: "live-stage"}, el("h2", {class: "hidden-text"}, word("match")), el("h3", {class: "hidden-text"}, word("table")), this.resultRoot, this.text, this.tableRoot, this.choosing.bar, this.choosing.element),
        el("section", {class: "live-heard"}, el("h2", {}, word("log")), this.log)));
    }

    /** Show a step; `isNext`: it came of the one before. */
    show(at, isNext = false) {
      clearTimeout(this.timer);
      const hadFocus = [document.body, this.main, this.back].includes(document.activeElement);
      this.at = at;
      const {step, word, lang} = this, isOwn = this.isOwn(step), isDrawn = Boolean(step.position && this.table);
      this.text.textContent = isDrawn ? "" : step.text;
      this.text.hidden = !this.text.textContent;
      this.tableRoot.hidden = !isDrawn;
      if (isDrawn) {
        const movers = [...new Set(step.events.filter(arena.isDone).map(([, seat]) => seat))];
        const draw = () => this.table.draw(this.tableRoot, step.position, {seat: this.lesson.seat, names: this.names, lang});
        arena.motion(this.tableRoot, () => this.choosing.redraw(draw), {duration: isNext ? MOTION_MS : 0, movers});
      }
      const {result} = step;
      this.resultRoot.replaceChildren(...(result ? [arena.roundResult(result, {game: this.game, lang, names: this.sideNames, seat: this.lesson.seat})] : []));
      this.choosing.settle();
      this.list(at);
      if (isOwn) {
        this.choosing.ask({legal: step.legal, position: step.position, seat: this.lesson.seat, names: this.names});
        this.choosing.advise(step.action);
      } else this.choosing.close();
      this.choosing.element.hidden = !isOwn;
      const steps = this.stops.filter((stop) => !this.steps[stop].kind), shown = steps.filter((stop) => stop <= at);   // what comes before and after is no step
      this.count.textContent = shown.length && !step.kind ? word("lesson_step", {n: shown.length, all: steps.length}) : "";
      this.count.hidden = !this.count.textContent;
      if (step.say) this.tell(step);
      else if (this.isStop(step)) this.said.replaceChildren(el("p", {}, word("lesson_yours")));
      this.main.textContent = isOwn ? word("lesson_do", {action: this.label(step)}) : word(at ? "lesson_on" : "lesson_begin");
      const isEnd = at === this.steps.length - 1;
      this.main.hidden = isEnd;
      this.links.hidden = !isEnd;
      this.back.disabled = at === 0;
      if (hadFocus) (isEnd ? this.links.querySelector("a") : this.main).focus({preventScroll: true});
      if (!this.isStop(step)) this.timer = setTimeout(() => this.goOn(), RIVAL_MS);
    }

    /** The events up to a step. */
    list(at) {
      const lines = this.steps.slice(0, at + 1).flatMap((step, number) => step.events.map(([, seat, text, fact]) => {
        if (fact) return el("li", {class: "led-to"}, arena.sayFact(fact, {game: this.game, lang: this.lang, names: this.sideNames}));
        const before = this.steps[number - 1]?.position;
        const said = this.table?.say(text, {lang: this.lang, position: before, names: this.names, seat}) || text;
        return el("li", {}, el("b", {}, this.names[seat]), " ", seat === this.lesson.seat ? arena.imperative(said, this.lang) : said);   // "You play", "Rival 1 plays"
      }));
      this.log.replaceChildren(...lines);
      this.log.scrollTop = this.log.scrollHeight;
    }

    label({action, position}) {
      return arena.imperative(this.table?.say(action, {lang: this.lang, position, names: this.names, seat: this.lesson.seat}) || action, this.lang);
    }

    sentence({say}) { return say[this.lang] ?? say.en; }

    tell(step, ...before) {
      const {word, game} = this, rule = step.rule ? el("a", {href: `/rules/${game}/full#section-${step.rule}`, target: "_blank"}, word("rule", {n: step.rule})) : null;
      this.said.replaceChildren(...before, el("p", {}, this.sentence(step), rule ? " " : null, rule));
    }

    /** The learner chose at the table. */
    chosen(action, moved) {
      const {step, word} = this;
      if (action === step.action) {
        this.choosing.carry(moved);
        this.goOn();
        return;
      }
      const note = el("p", {}, el("b", {}, word("lesson_instead", {other: moved.label, action: this.label(step)})));
      if (step.say) this.tell(step, note); else this.said.replaceChildren(note);
      this.choosing.show();
      this.choosing.advise(step.action);
    }

    goOn() {
      if (this.at < this.steps.length - 1) this.show(this.at + 1, true);
    }

    goBack() {
      const before = this.stops.filter((stop) => stop < this.at);
      this.show(before.at(-1) ?? 0);
    }
  }

  const begin = async (root) => {
    const word = arena.wordsOf("live", document.documentElement.lang);
    try {
      const answer = await arena.asked(`/api/learn/${encodeURIComponent(root.dataset.game)}`);
      const found = JSON.parse(answer.text);
      if (!answer.ok) throw new Error(found.error ?? String(answer.status));
      new LessonPage(root, found.lesson ?? found);
    } catch (error) {
      root.replaceChildren(el("p", {class: "warning", role: "alert"}, word("lesson_failed", {why: error.message})));
    }
  };

  const root = document.getElementById("lesson");
  if (root) begin(root);
})();
