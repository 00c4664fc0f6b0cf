"use strict";
/**
 * What a person likes at the table, kept in this browser: sounds, and whether each move is asked about once more. Both are off at first.
 * `arena.tableHabits({word})` gives {element, confirms, hear(sound)}: `hear("turn")` and `hear("card")` are silent while sounds are off.
 */
(() => {
  const {el} = arena.kit;

  const kept = (name) => {
    try { return localStorage.getItem(`arena.${name}`) === "on"; } catch { return false; }
  };
  const keep = (name, isOn) => {
    try { localStorage.setItem(`arena.${name}`, isOn ? "on" : "off"); } catch { /* it is only a preference */ }
  };

  /** Sounds of our own, made as they are heard: notes [start, length] in seconds, with their frequency, or noise for 0. */
  const SOUNDS = {
    turn: [[0, .16, 587], [.13, .3, 880]],
    card: [[0, .05, 0]],
  };
  const LOUD = .12;
  let context = null;

  const noise = (length) => {
    const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate), samples = buffer.getChannelData(0);
    for (let at = 0; at < samples.length; at += 1) samples[at] = (2 * Math.random() - 1) * (1 - at / samples.length) ** 2;
    const source = context.createBufferSource(), soft = context.createBiquadFilter();
    source.buffer = buffer;
    soft.type = "bandpass";
    soft.frequency.value = 1800;
    source.connect(soft);
    return [source, soft];
  };

  const tone = (frequency) => {
    const source = context.createOscillator();
    source.type = "triangle";
    source.frequency.value = frequency;
    return [source, source];
  };

  const play = (sound) => {
    if (!navigator.userActivation?.hasBeenActive) return;   // before the first click or key a page must be silent
    context ??= new AudioContext();
    for (const [start, length, frequency] of SOUNDS[sound]) {
      const from = context.currentTime + start, fade = context.createGain(), [source, end] = frequency ? tone(frequency) : noise(length);
      fade.gain.setValueAtTime(LOUD, from);
      fade.gain.exponentialRampToValueAtTime(.001, from + length);
      end.connect(fade).connect(context.destination);
      source.start(from);
      source.stop(from + length);
    }
  };

  arena.tableHabits = ({word}) => {
    const choice = (name, onChange) => {
      const box = el("input", {type: "checkbox"});
      box.checked = kept(name);
      box.addEventListener("change", () => { keep(name, box.checked); onChange?.(); });
      return box;
    };
    const sound = choice("sound", () => sound.checked && play("turn")), confirm = choice("confirm");
    return {
      element: el("span", {class: "live-habits"}, el("label", {}, sound, " ", word("sound")), el("label", {}, confirm, " ", word("confirm"))),
      get confirms() { return confirm.checked; },
      hear(name) { if (sound.checked) play(name); },
    };
  };
})();
