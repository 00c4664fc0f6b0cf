"use strict";
/**
 * The page of a match: gives the replay player its frames, and keeps the address of the page that of the step it shows, so that
 * the address line is a link to it.
 */
arena.replays = (() => {
  const ask = async (address) => {
    const answer = await fetch(address);
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  };

  /** A match as the player takes it. */
  const match = (id) => ({
    page: async (eyes, number) => (await ask(`/api/m/${id}?page=${number}${eyes === null ? "" : `&seat=${eyes}`}`)).frames,
    opinion: () => ask(`/api/m/${id}/opinion`),
  });

  /** The address of a step, as one pair of eyes sees it. */
  const link = (id, {seat, at}) => `/m/${id}${seat === null ? "" : `?seat=${seat}`}#${at}`;

  return {ask, match, link};
})();

(async () => {
  const root = document.getElementById("player");
  if (!root) return;
  const {match: id, seat, start} = root.dataset, lang = document.documentElement.lang;
  const at = () => decodeURIComponent(location.hash.slice(1));
  const place = document.createElement("div");
  root.replaceChildren(place);
  const player = await arena.player(place, arena.replays.match(id), {
    lang, at: at(), hasKeys: true, seat: seat === undefined ? null : Number(seat),
    onMove: (where) => history.replaceState(null, "", arena.replays.link(id, where)),
    link: (where) => new URL(arena.replays.link(id, where), location.href).href,
  });
  if (start !== undefined && !at()) player.seek(Number(start), {isQuiet: true});
  addEventListener("hashchange", () => player.seek(player.frameAt(at())));
})();
