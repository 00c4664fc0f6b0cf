"use strict";
// What a frame of a notebook draws: one position, or a match in the replay player.
const lang = navigator.language.startsWith("ja") ? "ja" : "en";
const place = document.body.appendChild(document.createElement("main"));

const showPosition = ({game, position, seat, names}) => {
  const root = place.appendChild(document.createElement("div"));
  root.className = "table";
  arena.tables[game].draw(root, position, {seat, names, lang, legal: null, onAction: null});
};

const showReplay = async (letters) => {
  const frames = document.body.appendChild(document.createElement("template"));
  frames.id = "frames";
  frames.content.append(letters);
  const root = place.appendChild(document.createElement("div"));
  root.lang = lang;
  await arena.player(root, await arena.packedMatch("frames"), {lang, at: ""});
};
