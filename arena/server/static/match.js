"use strict";
/**
 * The page of a match: gives the replay player its frames, and keeps the address of the page that of the step it shows, so that
 * the address line is a link to it.
 */
arena.replays = (() => {
  const errorOf = (text) => {
    try {
      return JSON.parse(text).error;
    } catch {  // a proxy's page
      return undefined;
    }
  };

  const ask = async (address) => {
    const answer = await arena.asked(address);
    if (answer.ok) return JSON.parse(answer.text);
    throw new Error(errorOf(answer.text) ?? String(answer.status));
  };

  const eyesOf = (eyes) => eyes === null ? "" : `&seat=${eyes}`;

  /** A match as the player takes it. `heard`: the seats whose bots' notes the visitor may read. */
  const match = (id, heard = []) => ({
    ...(heard.length ? {heard, notes: (seat) => ask(`/api/m/${id}/notes?seat=${seat}`), output: (seat) => ask(`/api/m/${id}/output?seat=${seat}`)} : {}),
    page: async (eyes, number) => (await ask(`/api/m/${id}?page=${number}${eyesOf(eyes)}`)).frames,
    opinion: () => ask(`/api/m/${id}/opinion`),
    luck: () => ask(`/api/m/${id}/luck`),
    faults: () => ask(`/api/m/${id}/faults`),
    choices: (seat, decision) => ask(`/api/m/${id}/choices?seat=${seat}&decision=${decision}`),
  });

  /** A match for a page elsewhere: its frames alone, without a session. */
  const embedded = (id) => ({
    page: async (eyes, number) => (await ask(`/embed/m/${id}.json?page=${number}${eyesOf(eyes)}`)).frames,
    opinion: () => ask(`/embed/m/${id}/opinion.json`),
    luck: () => ask(`/embed/m/${id}/luck.json`),
  });

  /** The address of a step, as one pair of eyes sees it. */
  const link = (id, {seat, at}) => `/m/${id}${seat === null ? "" : `?seat=${seat}`}#${at}`;

  return {ask, match, embedded, link};
})();

(async () => {
  const root = document.getElementById("player");
  if (!root) return;
  const {match: id, seat, start, isEmbedded, heard = ""} = root.dataset, lang = document.documentElement.lang;
  const at = () => decodeURIComponent(location.hash.slice(1));
  const place = document.createElement("div");
  root.replaceChildren(place);
  const whole = {
    hasKeys: true, onMove: (where) => history.replaceState(null, "", arena.replays.link(id, where)),
    link: (where) => new URL(arena.replays.link(id, where), location.href).href,
  };
  try {
    const player = await arena.player(place, isEmbedded ? arena.replays.embedded(id) : arena.replays.match(id, heard.split(" ").filter(Boolean).map(Number)), {
      lang, at: at(), frame: start === undefined || at() ? null : Number(start), seat: seat === undefined ? null : Number(seat),
      followed: start === undefined ? null : Number(new URLSearchParams(location.search).get("lost")),
      ...(isEmbedded ? {isBare: true} : whole),
    });
    addEventListener("hashchange", () => player.seekAddress(at()));
  } catch (error) {
    const text = arena.wordsOf("player", lang)("unread", {why: error.message});
    place.replaceChildren(arena.kit.el("p", {class: "warning", role: "alert"}, text));
  }
})();
